"""Clients that are programs."""

import json
import os
import pathlib

from shared import (KEY, QUESTIONS, REFUND, STATE, TOPIC, TOPICS, URGENCY, URL, command, read_lines, same, told,
                    write_json, write_lines)

TYPESAFE = {**os.environ, "TYPESAFE_BASE_URL": URL, "TYPESAFE_API_KEY": "any"}


def jevcompat():
    reports = pathlib.Path(os.environ["DIKAST_REPORTS"])
    name = "jevcompat-key" if KEY else "jevcompat"
    done = command("jevcompat", "test", URL, *(["--key", KEY] if KEY else []), "--json", reports / f"{name}.json",
                   "--markdown", reports / f"{name}.md")
    summary = next(line for line in done.stdout.splitlines() if line.startswith("conformant"))
    assert summary.endswith("MUST 32/32, SHOULD " + ("15/15" if KEY else "13/13")), summary
    return summary


def jevpipe():
    config = pathlib.Path("jevpipe.toml")
    config.write_text(f'provider = "typesafe"\nbase-url = "{URL}"\n')
    lines = "".join(f"message {i}: I was charged twice\n" for i in range(300))
    done = command("jevpipe", "map", "-q", '{"refund": {"type": "noul", "instructions": "Is money asked back?"}}',
                   input=lines, env={**os.environ, "JEVPIPE_CONFIG": str(config.resolve()), "TYPESAFE_API_KEY": "any"})
    assert "0 failed" in done.stderr, done.stderr
    return done.stderr.strip().splitlines()[-1]


def jevbench():
    done = command("jevbench", "check", "--url", URL + "/v1/systemone", "--model", "jev-latest",
                   env={**os.environ, "JEVBENCH_API_KEY": "any"})
    return done.stdout.strip().splitlines()[-1]


def typesafeai_cli():
    def run(*arguments):
        result = json.loads(command("typesafe", *arguments, env=TYPESAFE).stdout)
        assert result["status"] == "success", result
        return result["data"]

    write_json("state.json", {"message": STATE})
    write_json("questions.json", QUESTIONS)
    asked = run("ask", "--state-file", "state.json", "--questions-file", "questions.json")
    same(asked["answers"], told({"message": STATE}))
    write_json("last.json", {"status": "success", "data": asked})
    decided = run("decide", "--answers-file", "last.json")["decisions"]
    assert decided["topic"]["decision"] == asked["answers"]["topic"]["choice"], decided
    write_json("candidates.json", [{"id": "a", "text": "the terms of refunds"}, {"id": "b", "text": "the weather"}])
    ranked = run("rank", "--query", "money back", "--candidates-file", "candidates.json")["ranked"]
    assert {entry["id"] for entry in ranked} == {"a", "b"} and all(0 <= entry["confidence"] <= 1 for entry in ranked)
    pathlib.Path("text.txt").write_text("Write to bob@example.com or to amy@example.com.")
    span = run("extract", "--question", "Which address is Bob's?", "--file", "text.txt", "--pattern", "email")
    found = {"bob@example.com", "amy@example.com"}  # which of them is the model's affair
    assert set(span["candidates"]) == found and span["value"] == span["choice"] in found, span
    assert run("models")["models"]
    return f"ask, decide, rank, extract, models: {decided['topic']['decision']}"


def jev_cli():
    custom = {**os.environ, "JEV_PROVIDER": "custom", "JEV_ENDPOINT": URL + "/v1/systemone", "JEV_API_KEY": "any"}
    router = {**os.environ, "OPENROUTER_API_KEY": "any"}
    routed = ["--provider", "openrouter", "--endpoint", URL + "/api/alpha/decisions"]
    right = told()
    for way, environment in ([], custom), (routed, router):
        def run(*arguments):
            return json.loads(command("jev", *arguments, *way, env=environment).stdout)["answers"]
        options = [part for name, text in TOPICS.items() for part in ("-o", f"{name}={text}")]
        same(run("noul", "-q", REFUND, "-s", STATE)["answer"], right["refund"])
        same(run("choice", "-q", TOPIC, "-s", STATE, *options)["answer"], right["topic"])
        write_json("request.json", {"state": STATE, "questions": QUESTIONS})
        same(run("run", "request.json"), right)
    return "noul, choice and run, as a custom provider and on OpenRouter's route"


def jevals():
    write_json("ticket.json", {"name": "ticket", "requires": ["input"], "state": {"message": "$.input"},
                               "questions": QUESTIONS, "score": "refund", "pass": "refund >= 0"})
    write_json("sample.json", {"input": STATE})
    right = told({"message": STATE})
    check = ["check", "sample.json", "--evals", "ticket.json", "--json"]
    for arguments, environment in ([["--backend", URL], os.environ], [[], TYPESAFE]):
        report = json.loads(command("jevals", *arguments, *check, env=environment).stdout)
        result = report["results"]["ticket"]
        assert result["error"] is None and report["usage"]["requests"] == 1, report
        assert result["score"] == right["refund"]["noul"] and result["answer"] == right["topic"]["choice"], result
        for option, probability in right["topic"]["probabilities"].items():
            assert result["evidence"]["topic"][option] == probability, result
    return f"by URL, without a model, and by environment: {result['answer']}, {result['score']:.3f}"


def jevassert():
    questions = {"queue": {"type": "choice", "instructions": TOPIC, "options": {**TOPICS, "unknown": "cannot tell"}},
                 "refund": {"type": "noul", "instructions": REFUND},
                 "urgency": {"type": "score", "instructions": URGENCY, "levels": ["low", "high", "unknown"]}}
    pathlib.Path("tickets").mkdir(exist_ok=True)
    write_json("tickets/pack.yaml", {
        "spec": 0, "id": "tickets", "version": "1.0.0", "license": "Apache-2.0", "tested": "jev-1.13.0",
        "description": "tickets", "state": {"description": "a ticket", "fields": ["message"]}, "questions": questions})
    expected = {"queue": "billing", "refund": True, "urgency": "high"}
    write_lines("tickets/cases.jsonl", [{"id": "a", "state": {"message": STATE}, "expect": expected},
                                        {"id": "b", "state": {"message": "The app crashes."}, "expect": expected}])
    command("jevassert", "record", "tickets", "-o", "recorded.jsonl", "--base-url", URL,
            env={**os.environ, "TYPESAFE_API_KEY": "any"})
    recorded = read_lines("recorded.jsonl")
    sent = {"queue": {"type": "choice", "instructions": TOPIC, "criteria": questions["queue"]["options"]},
            "refund": QUESTIONS["refund"],
            "urgency": {"type": "score", "instructions": URGENCY, "criteria": ["low", "high", "unknown"]}}
    same(recorded[0]["answers"], told({"message": STATE}, sent))
    metrics = json.loads(command("jevassert", "check", "tickets", "-p", "recorded.jsonl", "--json").stdout)
    assert metrics["case_errors"] == metrics["missing_items"] == 0 and metrics["n_items"] == 6, metrics
    return f"2 cases recorded and checked as {recorded[0]['model']} for jev-1.13.0"


def jev_eval():
    write_lines("labelled.jsonl", [
        {"state": {"text": STATE}, "labels": {"team": "billing", "urgent": True, "tone": "negative"}},
        {"state": "The app crashes.", "labels": {"team": "technical", "urgent": False}}])
    command("jev-eval", "run", "--data", "labelled.jsonl", "--cache", "run.jsonl",
            "-q", "team:choice(billing,technical)", "-q", "urgent:noul", "-q", "tone:score(negative,neutral,positive)",
            env={**os.environ, "TYPESAFE_AI_BASE_URL": URL + "/v1", "JEV_API_KEY": "any"})
    answers = read_lines("run.jsonl")
    assert [answer["id"] for answer in answers] == ["team", "urgent", "tone", "team", "urgent"], answers
    first = [answer for answer in answers if answer["row"] == 0]
    same({answer["id"]: answer["answer"] for answer in first},
         told({"text": STATE}, {answer["id"]: answer["question"] for answer in first}))
    report = command("jev-eval", "report", "--cache", "run.jsonl").stdout
    assert "== team (choice) n=2" in report
    return "2 rows, 5 answers, a report"


def jevq():
    lines = [{"id": 1, "text": STATE}, {"id": 2, "text": "The app crashes."}]
    done = command("jevq", "--score", "-v", "-f", "text", REFUND,
                   input="".join(json.dumps(line) + "\n" for line in lines),
                   env={**os.environ, "JEV_BASE_URL": URL + "/v1/systemone", "TYPESAFE_API_KEY": "any"})
    scored = [json.loads(line) for line in done.stdout.splitlines()]
    assert [entry["value"] for entry in scored] == lines
    for entry in scored:
        right = told({"text": entry["value"]["text"]}, {"q": QUESTIONS["refund"]})
        assert entry["score"] == right["q"]["noul"], entry
    assert "read 2, emitted 2" in done.stderr
    return f"scores {scored[0]['score']:.3f} and {scored[1]['score']:.3f}"


def sys1bench():
    pathlib.Path("model.yaml").write_text(
        f"adapter: jev_typesafe\nmodel_id: jev-1.13.0\nurl: {URL}/v1/systemone\napi_key: any\ndeployment: local\n"
        "probe_models: true\n")
    command("sys1bench", "generate", "support_tickets", "tickets.jsonl", "--n", "12", "--seed", "7")
    command("sys1bench", "run", "tickets.jsonl", "predictions.jsonl", "--config", "model.yaml", "--concurrency", "4")
    rows = read_lines("predictions.jsonl")
    kinds = {row["primitive"] for row in rows}
    assert kinds == {"choice", "noul", "score"} and len({row["task_id"] for row in rows}) == 12, kinds
    for row in rows:
        assert row["error"] is None and not row["renormalised"] and not row["abstained"], row
        assert len(row["probs"]) == row["cardinality"] and abs(sum(row["probs"]) - 1) < 1e-6, row
        assert row["metadata"]["generation_id"] and row["metadata"]["billed_input_tokens"] > 0, row
        assert "object=list" in row["version_hash"], row["version_hash"]
    return f"{len(rows)} answers of 3 types, models probed: {rows[0]['version_hash']}"


def krite_bench():
    workspace = pathlib.Path("workspace").resolve()
    (workspace / "benchmarks/baselines").mkdir(parents=True, exist_ok=True)
    (workspace / "benchmarks/data").mkdir(exist_ok=True)
    (workspace / "benchmarks/baselines/engines.toml").write_text(
        f'[dikast]\nport = {URL.rsplit(":", 1)[1]}\nrequest_model = "jev-latest"\ndialect = "jev"\n')
    question = {"type": "choice", "instructions": "What is it about?",
                "criteria": {"business": "money", "sports": "games", "technology": "devices"}}
    write_lines(workspace / "benchmarks/data/agnews-choice.jsonl", [
        {"case_id": f"c{number}", "suite": "agnews-choice", "dataset": "agnews", "type": "choice", "bucket": "any",
         "lang": "en", "gold": {"q": gold},
         "request": {"model": "any", "state": state, "questions": {"q": question}}}
        for number, (state, gold) in enumerate([("The bank raised its rates.", "business"),
                                                ("The team won the cup.", "sports")])])
    environment = {**os.environ, "KRITE_ROOT": str(workspace)}
    command("krite-bench", "env", env=environment)
    command("krite-bench", "quality", "--engine", "dikast", "--suites", "agnews-choice", env=environment)
    command("krite-bench", "interference", "--engine", "dikast", env=environment)
    rows = read_lines(workspace / "benchmarks/results/baselines/interference.jsonl")
    assert [row["fillers"] for row in rows] == [3, 15] and not any(row["error_rate"] for row in rows), rows
    assert not any(row["max_prob_dev"] for row in rows), rows
    quality = read_lines(workspace / "benchmarks/results/baselines/quality.jsonl")[-1]
    assert quality["error_rate"] == 0, quality
    return "quality and interference on a suite of its own: 3 and 15 other questions move no bit"
