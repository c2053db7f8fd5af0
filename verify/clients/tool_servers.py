"""Clients that are MCP servers: a session of the mcp package calls their tools."""

import json

from shared import LEVELS, QUESTIONS, REFUND, STATE, TOPIC, TOPICS, URGENCY, URL, call_tools, same, told


def call(server, environment, *calls):
    count, texts = call_tools(server, environment, *calls)
    return f"{count} tools, {len(calls)} called", [json.loads(text) for text in texts]


def typesafe_mcp():
    seen, (answer,) = call("typesafe-mcp", {"TYPESAFE_BASE_URL": URL, "TYPESAFE_API_KEY": "any"},
                           ("evaluate", {"state": STATE, "questions": QUESTIONS}))
    same(answer["answers"], told())
    return seen


def system1_mcp():
    seen, (answer,) = call("system1-mcp", {"TYPESAFE_ENDPOINT": URL, "TYPESAFE_API_KEY": "any"},
                           ("fast_judge", {"question": TOPIC, "options": TOPICS, "context": STATE}))
    assert answer["choice"] == "billing" and set(answer["probabilities"]) == set(TOPICS), answer
    assert abs(sum(answer["probabilities"].values()) - 1) < 1e-3, answer
    return f"{seen}; fast_judge: {answer['choice']} {answer['confidence']}"


def judgevet_mcp():
    seen, (noul, choice, score, policy) = call(
        "judgevet-mcp", {"JEV_API__BASE_URL": URL, "JEV_API__KEY": "any"},
        ("ask_noul", {"state": STATE, "instruction": REFUND}),
        ("ask_choice", {"state": STATE, "instruction": TOPIC, "criteria": TOPICS}),
        ("ask_score", {"state": STATE, "instruction": URGENCY, "criteria": LEVELS}),
        ("evaluate_policy", {"state": STATE, "questions": QUESTIONS,
                             "policy": {"rules": [{"question": "topic", "pass": {"choice": "billing"}}]}}))
    right = told()
    for got, name in (noul, "refund"), (choice, "topic"), (score, "urgency"):
        same({field: got.get(field, right[name]["type"]) for field in right[name]}, right[name])
    same({name: {field: answer[field] for field in right[name]} for name, answer in policy["answers"].items()}, right)
    return f"{seen}; policy: {policy['policy']['rules'][0]['detail']}"


def jev_mcp_server():
    seen, (noul, choice, score, compare, verify, classify) = call(
        "jev-mcp-server", {"JEVMCP_BASE_URL": URL + "/v1/systemone", "TYPESAFE_API_KEY": "any"},
        ("noul", {"question": REFUND, "context": STATE}),
        ("choice", {"question": TOPIC, "options": TOPICS, "context": STATE}),
        ("score", {"question": URGENCY, "levels": LEVELS, "context": STATE}),
        ("compare", {"question": "Which one is polite?", "a": "Thank you.", "b": "Go away."}),
        ("verify", {"claim": "A payment was taken twice.", "evidence": STATE}),
        ("classify", {"items": [STATE, "The app crashes."], "options": TOPICS}))
    right = told({}, {name: {**question, "instructions": {"question": question["instructions"], "context": STATE}}
                      for name, question in QUESTIONS.items()})
    assert noul["noul"] == right["refund"]["noul"], noul
    assert choice["probabilities"] == right["topic"]["probabilities"] and choice["choice"] == right["topic"]["choice"]
    assert score["score"] == right["urgency"]["score"] and set(score["probabilities"]) == set(LEVELS), score
    assert compare["preferred"] in ("a", "b") and 0 <= verify["noul"] <= 1
    assert [result["choice"] for result in classify["results"]] == ["billing", "technical"], classify
    return f"{seen}; an empty state, the text in the instructions"


def jev_mcp():
    seen, (noul, choice, score, batch) = call(
        "jev-mcp", {"JEV_PROVIDER": "custom", "JEV_ENDPOINT": URL + "/v1/systemone", "JEV_API_KEY": "any"},
        ("noul", {"state": STATE, "question": REFUND}),
        ("choice", {"state": STATE, "question": TOPIC, "options": TOPICS}),
        ("score", {"state": STATE, "question": URGENCY, "levels": LEVELS}),
        ("run", {"request": {"state": STATE, "questions": QUESTIONS}}))
    right = told()
    same({"refund": noul["answers"]["answer"], "topic": choice["answers"]["answer"],
          "urgency": score["answers"]["answer"]}, right)
    same(batch["answers"], right)
    return seen


def laya_mcp_server():
    state = {"text": STATE}
    schema = {"type": "object", "properties": {"topic": {"enum": list(TOPICS)}, "refund": {"type": "boolean"},
                                               "urgency": {"type": "integer", "minimum": 1, "maximum": 3}}}
    seen, (status, auto, english, batch, decided, preset) = call(
        "laya-mcp-server", {"LAYA_BASE_URL": URL, "LAYA_API_KEY": "any"},
        ("laya_status", {}),
        ("laya_predict", {"state": state, "questions": QUESTIONS}),
        ("laya_predict", {"state": state, "questions": QUESTIONS, "model": "english"}),
        ("laya_predict_batch", {"requests": [{"state": state, "questions": QUESTIONS}] * 2}),
        ("laya_decide", {"state": state, "schema": schema}),
        ("laya_preset", {"preset": "triage", "state": {"message": STATE}}))
    assert status["mode"] == "remote" and status["server"]["status"] == "ok", status
    right = told(state)
    for answer in auto, english, *batch["requests"]:
        same(answer["answers"], right)
    values = decided["values"]
    assert values["topic"] in TOPICS and isinstance(values["refund"], bool) and values["urgency"] in (1, 2, 3), decided
    assert preset["answers"]["intent"]["choice"] in preset["answers"]["intent"]["probabilities"], preset
    return f"{seen}; predict without model and as english, preset triage: {preset['answers']['intent']['choice']}"
