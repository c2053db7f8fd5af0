"""One function a client: asks the server at DIKAST_URL as that client's users do, and says in its last line what it
saw. An exception is a failure. Run by verify/clients/run inside the client's environment."""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

URL = os.environ["DIKAST_URL"]
KEY = os.environ.get("DIKAST_KEY", "")
STATE = "I was charged twice for one order. Please refund one payment."


def command(*arguments, **options):
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=500, **options)
    print(done.stdout[-4000:], done.stderr[-4000:])
    assert done.returncode == 0, f"{arguments[0]} ended with {done.returncode}"
    return done


def jevcompat():
    reports = pathlib.Path(os.environ["DIKAST_REPORTS"])
    name = "jevcompat-key" if KEY else "jevcompat"
    done = command("jevcompat", "test", URL, *(["--key", KEY] if KEY else []), "--json", reports / f"{name}.json",
                   "--markdown", reports / f"{name}.md")
    summary = next(line for line in done.stdout.splitlines() if line.startswith("conformant"))
    assert summary.endswith("MUST 32/32, SHOULD " + ("15/15" if KEY else "13/13")), summary
    return summary


def typesafe_sdk(state=STATE, at_once=64, **options):
    import typesafe_sdk as sdk
    questions = {"refund": sdk.Noul(instructions="Does the customer ask for money back?"),
                 "topic": sdk.Choice(criteria={"billing": "payments", "other": None}),
                 "urgency": sdk.Score(criteria=["can wait", {"when": "today"}])}
    with sdk.TypeSafeClient(api_key="any", base_url=URL, model="jev-latest", **options) as client:
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            answers = list(pool.map(lambda _: client.system_one(state=state, questions=questions), range(at_once)))
        assert len({str(answer.answers) for answer in answers}) == 1
        models = client.models.list().models
    return f"{len(answers)} equal answers at once, {len(models)} models"


def typesafe_sdk_zstd():
    return typesafe_sdk(STATE + " " + "The order has the number 7. " * 40, at_once=4, compression="zstd")


def openai():
    import openai as sdk
    from openai.lib.decisions_tool_runner import DecisionsToolRunner
    client = sdk.OpenAI(base_url=URL + "/v1", api_key="any")
    decision = client.decisions.create(model="gpt-6-luna", input=STATE, questions=[
        {"type": "predicate", "name": "refund", "instructions": "The customer asks for money back."},
        {"type": "choice", "instructions": "Is it urgent?", "choices": [{"value": True}, {"value": "true"}]},
        {"type": "score", "instructions": "Tone", "levels": [{"label": "rude"}, {"label": "kind"}]}])
    kinds = [answer.type for answer in decision.answers]
    assert kinds == ["predicate", "choice", "score"] and decision.answers[0].name == "refund", decision
    names = [model.id for model in client.models.list()]
    assert client.models.retrieve(names[0]).id == names[0]
    try:
        client.decisions.create(model="gpt-9", input="a", questions=[{"type": "predicate", "instructions": "?"}])
        raise AssertionError("an unknown model was taken")
    except sdk.NotFoundError as error:
        assert error.code == "model_not_found" and error.param == "model"
    done = []
    runner = DecisionsToolRunner(
        observe=lambda: "nothing is done" if not done else "all is done",
        candidates=lambda _: ([] if done else [
            {"id": "act", "description": "do it", "execute": lambda: done.append(1)}]) + [
            {"id": "stop", "description": "it is done", "done": True}])
    run = runner.run(client, {"model": "gpt-6-luna", "input": "Do the task, then stop."})
    return f"create, {len(names)} models, errors, tool runner: {run['status']} after {len(run['decisions'])} decisions"


def pydantic_ai():
    from typing import Literal
    os.environ |= {"SYSTEM_ONE_BASE_URL": URL, "TYPESAFE_BASE_URL": URL, "TYPESAFE_API_KEY": "any",
                   "OPENAI_BASE_URL": URL + "/v1", "OPENAI_API_KEY": "any"}
    from pydantic import BaseModel, Field
    from pydantic_ai import Agent

    class Ticket(BaseModel):
        refund: bool = Field(description="Does the customer ask for money back?")
        topic: Literal["billing", "technical", "other"] = Field(description="What is it about?")

    seen = []
    for model in ("system-one:jev-latest", "typesafe:jev-latest", "openai-decisions:gpt-6-luna"):
        output = Agent(model, output_type=Ticket).run_sync(STATE).output
        seen.append(f"{model} {output.topic}")
    return ", ".join(seen)


def jevpipe():
    config = pathlib.Path("jevpipe.toml")
    config.write_text(f'provider = "typesafe"\nbase-url = "{URL}"\n')
    lines = "".join(f"message {i}: I was charged twice\n" for i in range(300))
    done = command("jevpipe", "map", "-q", '{"refund": {"type": "noul", "instructions": "Is money asked back?"}}',
                   input=lines, env={**os.environ, "JEVPIPE_CONFIG": str(config.resolve()), "TYPESAFE_API_KEY": "any"})
    assert "0 failed" in done.stderr, done.stderr
    return done.stderr.strip().splitlines()[-1]


def jev_lite():
    import jev_lite as sdk
    client = sdk.TypeSafe(api_key="any", base_url=URL)
    answer = client.system_one.create(state=STATE, questions={"refund": sdk.Noul(instructions="Money back?"),
                                                              "topic": sdk.Choice(criteria={"a": None, "b": None})})
    return f"{answer.answers['refund'].noul:.3f}, {len(list(client.models.list().models))} models"


def decision_circuits():
    from decision_circuits import Circuit, Q, argmax
    from decision_circuits.backends import SystemOne
    circuit = Circuit()
    circuit.noul("refund", "Does the customer ask for money back?")
    circuit.choice("topic", "What is it about?", {"billing": None, "technical": None})
    circuit.gate("pay", Q("refund") >= 0.5)
    circuit.gate("route", argmax("topic"))
    out = circuit.run(SystemOne(URL + "/v1/systemone", api_key="any", model="jev-latest"), STATE)
    return f"gates {sorted(out['gates'])}, route {out['gates']['route']['value']}"


def decisions_reranker():
    os.environ |= {"OPENAI_BASE_URL": URL + "/v1", "OPENAI_API_KEY": "any"}
    from decisions_reranker import DecisionsReranker, Document
    documents = [Document(id=str(i), text=f"document {i} about money") for i in range(200)]
    ranked = DecisionsReranker().rerank("refund", documents)
    assert len(ranked) == len(documents)
    return f"{len(ranked)} documents ranked"


def jevbench():
    done = command("jevbench", "check", "--url", URL + "/v1/systemone", "--model", "jev-latest",
                   env={**os.environ, "JEVBENCH_API_KEY": "any"})
    return done.stdout.strip().splitlines()[-1]


def call_tool(program, environment, tool, arguments):
    import asyncio
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    async def call():
        server = StdioServerParameters(command=program, env={**os.environ, **environment})
        async with stdio_client(server) as streams, ClientSession(*streams) as client:
            await client.initialize()
            tools = (await client.list_tools()).tools
            result = await client.call_tool(tool, arguments)
            text = result.content[0].text
            assert not getattr(result, "is_error", getattr(result, "isError", False)), text
            return f"{len(tools)} tools; {tool}: {' '.join(text.split())[:80]}"

    return asyncio.run(call())


def typesafe_mcp():
    questions = {"topic": {"type": "choice", "instructions": "Topic?", "criteria": {"billing": None, "technical": None}},
                 "urgency": {"type": "score", "instructions": "How urgent?", "criteria": ["can wait", "today"]}}
    return call_tool("typesafe-mcp", {"TYPESAFE_BASE_URL": URL, "TYPESAFE_API_KEY": "any"}, "evaluate",
                     {"state": STATE, "questions": questions})


def system1_mcp():
    return call_tool("system1-mcp", {"TYPESAFE_ENDPOINT": URL, "TYPESAFE_API_KEY": "any"}, "fast_judge",
                     {"question": "What is it about?", "options": {"billing": None, "technical": None},
                      "context": STATE})


def langchain_typesafe():
    from langchain_typesafe import Choice, Noul, TypeSafeClassifier
    answer = TypeSafeClassifier(model="jev-latest", api_key="any", base_url=URL).invoke({
        "state": STATE, "questions": {"refund": Noul(instructions="Does the customer ask for money back?"),
                                      "topic": Choice(instructions="What is it about?",
                                                      criteria={"billing": "payments", "technical": "faults"})}})
    return f"{sorted(answer.answers)} answered"


def llama_index_selectors_jev():
    os.environ |= {"TYPESAFE_BASE_URL": URL, "TYPESAFE_API_KEY": "any"}
    from llama_index.core.tools import ToolMetadata
    from llama_index.selectors.jev import JevSingleSelector
    choices = [ToolMetadata(name="billing", description="payments"), ToolMetadata(name="faults", description="crashes")]
    return f"selects {JevSingleSelector().select(choices, STATE).selections[0].index}"


def main():
    name = {"typesafe-sdk with zstd": "typesafe_sdk_zstd", "pydantic-ai-slim": "pydantic_ai"}.get(
        sys.argv[1], sys.argv[1].replace("-", "_"))
    print(globals()[name]())


main()
