"""Clients that are Python libraries."""

import asyncio
import concurrent.futures
import json
import os

from shared import LEVELS, QUESTIONS, REFUND, STATE, TOPIC, TOPICS, URGENCY, URL, same, told


def typesafe_sdk(state=STATE, at_once=64, **options):
    import typesafe_sdk as sdk
    questions = {"refund": sdk.Noul(instructions="Does the customer ask for money back?"),
                 "topic": sdk.Choice(criteria={"billing": "payments", "other": None}),
                 "urgency": sdk.Score(criteria=["can wait", {"when": "today"}])}
    with sdk.TypeSafeClient(api_key="any", base_url=URL, model="jev-latest", **options) as client:
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            answers = list(pool.map(lambda _: client.system_one(state=state, questions=questions), range(at_once)))
        assert len({str(answer.answers) for answer in answers}) == 1
        right = told(state, {"refund": QUESTIONS["refund"]})
        assert answers[0].nouls["refund"].noul == right["refund"]["noul"]
        models = client.models.list().models
    return f"{len(answers)} equal answers at once, {len(models)} models"


def typesafe_sdk_with_zstd():
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


def pydantic_ai_slim():
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


def jev_lite():
    import jev_lite as sdk
    client = sdk.TypeSafe(api_key="any", base_url=URL)
    answer = client.system_one.create(state=STATE, questions={"refund": sdk.Noul(instructions="Money back?"),
                                                              "topic": sdk.Choice(criteria={"a": None, "b": None})})
    right = told(STATE, {"refund": {"type": "noul", "instructions": "Money back?"}})
    assert answer.answers["refund"].noul == right["refund"]["noul"] and answer.answers["topic"].choice in ("a", "b")
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


def langchain_typesafe():
    from langchain_typesafe import Choice, Noul, TypeSafeClassifier
    answer = TypeSafeClassifier(model="jev-latest", api_key="any", base_url=URL).invoke({
        "state": STATE, "questions": {"refund": Noul(instructions=REFUND),
                                      "topic": Choice(instructions=TOPIC, criteria=TOPICS)}})
    right = told()
    assert answer.answers["refund"].noul == right["refund"]["noul"]
    same(dict(answer.answers["topic"].probabilities), right["topic"]["probabilities"])
    return f"{sorted(answer.answers)} answered: {answer.answers['topic'].choice}"


def llama_index_selectors_jev():
    os.environ |= {"TYPESAFE_BASE_URL": URL, "TYPESAFE_API_KEY": "any"}
    from llama_index.core.tools import ToolMetadata
    from llama_index.selectors.jev import JevSingleSelector
    choices = [ToolMetadata(name="billing", description="payments"), ToolMetadata(name="faults", description="crashes")]
    selection = JevSingleSelector().select(choices, STATE).selections[0]
    assert selection.index == 0, selection
    return f"selects {choices[selection.index].name}"


def livekit_plugins_typesafe():
    from livekit.agents import utils
    from livekit.agents.llm.decisions import Choice, Probability, Score
    from livekit.plugins.typesafe import DecisionModel

    async def ask():
        async with utils.http_context.open():
            return await DecisionModel(endpoint=URL + "/v1/systemone", api_key="any").evaluate(
                input=STATE, decisions={"refund": Probability(REFUND), "topic": Choice(TOPIC, TOPICS),
                                        "urgency": Score(URGENCY, LEVELS)})

    answer, right = asyncio.run(ask()), told()
    refund, topic, urgency = (answer.results[name] for name in ("refund", "topic", "urgency"))
    assert not answer.errors and answer.request_id and answer.input_tokens > 0, answer
    assert refund.value == right["refund"]["noul"]
    assert topic.value == right["topic"]["choice"]
    same(topic.probabilities, right["topic"]["probabilities"])
    assert urgency.value == right["urgency"]["score"] and urgency.levels == LEVELS
    assert list(urgency.probabilities.values()) == list(right["urgency"]["probabilities"].values())
    return f"three decisions by {answer.model}: {topic.value}"


def deepeval():
    os.environ |= {"TYPESAFE_BASE_URL": URL, "TYPESAFE_API_KEY": "any", "DEEPEVAL_TELEMETRY_OPT_OUT": "1"}
    from deepeval.metrics import JevEval
    from deepeval.metrics.jev_eval.questions import Noul
    from deepeval.models import TypeSafeModel
    from deepeval.models.system_one.limits import SystemOneContextLimitError
    from deepeval.models.system_one.schema import ChoiceQuestion, NoulQuestion, ScoreQuestion
    from deepeval.test_case import LLMTestCase, SingleTurnParams
    model, right = TypeSafeModel(), told()
    answers, cost = model.decide(STATE, {
        "refund": NoulQuestion(instructions=REFUND), "topic": ChoiceQuestion(instructions=TOPIC, options=TOPICS),
        "urgency": ScoreQuestion(instructions=URGENCY, levels=LEVELS)})
    assert answers.nouls["refund"].probability == right["refund"]["noul"] and cost > 0
    same({"type": "choice", **answers.choices["topic"].model_dump()}, right["topic"])
    assert answers.scores["urgency"].score == right["urgency"]["score"]
    assert list(answers.scores["urgency"].probabilities) == [0, 1, 2]
    metric = JevEval("reply", evaluation_params=[SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT],
                     questions=[Noul("The reply is polite.")], async_mode=False)
    score = metric.measure(LLMTestCase(input=STATE, actual_output="Of course. We pay it back."), _show_indicator=False)
    assert 0 <= score <= 1 and metric.confidence is not None
    try:
        model.decide("word " * 15000, {"refund": NoulQuestion(instructions=REFUND)})
        raise AssertionError("a state of 15,000 words was taken")
    except SystemOneContextLimitError as error:
        assert error.limit_tokens is None, "the client refused by its own estimate"
    return f"decide, JevEval {score:.3f}, an over-long state is a context limit"


def typesafe_haystack():
    os.environ |= {"TYPESAFE_BASE_URL": URL, "TYPESAFE_API_KEY": "any", "HAYSTACK_TELEMETRY_ENABLED": "False"}
    from haystack import Document
    from haystack_integrations.components.classifiers.typesafe import TypeSafeDocumentClassifier
    from haystack_integrations.components.routers.typesafe import TypeSafeTextRouter
    texts = [STATE, "The app crashes.", "Nothing works."]
    done = TypeSafeDocumentClassifier(questions=QUESTIONS).run(documents=[Document(content=text) for text in texts])
    assert not done["failed_documents"], done
    for document in done["documents"]:
        same(document.meta["typesafe"], told(document.content))
    routed = TypeSafeTextRouter(labels=TOPICS, instructions=TOPIC, api_base_url=URL).run(text=STATE)
    assert routed == {told()["topic"]["choice"]: STATE}, routed
    return f"{len(texts)} documents classified, a text routed to {list(routed)[0]}"


def semantic_router():
    from semantic_router import Route
    from semantic_router.decision_models import SystemOneDecisionModel
    from semantic_router.routers import DecisionRouter
    router = DecisionRouter(SystemOneDecisionModel(name="jev-latest", base_url=URL), [
        Route(name=name, utterances=[text], description=text) for name, text in TOPICS.items()])
    route = router(STATE)
    question = {"type": "choice", "instructions": router.instructions, "criteria": TOPICS}
    right = told(STATE, {"route": question})["route"]
    assert route.name == right["choice"] and route.confidence == right["probabilities"][route.name], route
    router.close()

    async def ask():
        model = SystemOneDecisionModel(name="jev-1.13.0", base_url=URL)
        answers = await model.aask_many([STATE, {"text": STATE}], QUESTIONS)
        await model.aclose()
        return answers

    first, second = asyncio.run(ask())
    same(first, told())
    same(second, told({"text": STATE}))
    return f"routes to {route.name}, no Authorization"


def agent_framework_typesafe():
    from typing import Literal
    from agent_framework import Agent
    from agent_framework_typesafe import TypeSafeChatClient
    from typesafe_sdk import Choice, Noul, Score
    handed = []

    def hand_over(team: Literal["billing", "technical"]) -> str:
        """Hand the ticket to a team: billing for payments, technical for faults."""
        handed.append(team)
        return f"handed to {team}"

    questions = {"refund": Noul(instructions=REFUND), "topic": Choice(instructions=TOPIC, criteria=TOPICS),
                 "urgency": Score(instructions=URGENCY, criteria=LEVELS)}

    async def ask():
        client = TypeSafeChatClient(api_key="any", base_url=URL)
        plain = await Agent(client=client, name="judge", instructions="Judge the ticket.").run(
            STATE, options={"response_format": questions})
        tools = await Agent(client=client, name="desk", instructions="Hand each ticket to the right team.",
                            tools=[hand_over]).run(STATE, options={"response_format": {"refund": questions["refund"]}})
        await client.close()
        return plain.value, tools.value

    plain, tools = asyncio.run(ask())
    assert list(plain.answers) == list(questions) and plain.usage.input_tokens > 0, plain
    assert list(plain.answers["topic"].probabilities) == list(TOPICS)
    assert list(plain.answers["urgency"].legend.values()) == LEVELS
    assert 0 <= tools.answers["refund"].noul <= 1
    return f"three answers over messages as state; a tool was called with {handed}"


def openinference_instrumentation_typesafe():
    import typesafe_sdk as sdk
    from openinference.instrumentation.typesafe import TypeSafeAIInstrumentor
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
    spans, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    TypeSafeAIInstrumentor().instrument(tracer_provider=provider)
    with sdk.TypeSafeClient(api_key="any", base_url=URL, model="jev-latest") as client:
        answer = client.system_one(state=STATE, questions=QUESTIONS)
    (span,) = spans.get_finished_spans()
    saw = dict(span.attributes)
    assert span.status.is_ok or span.status.status_code.name == "UNSET", span.status
    assert saw["openinference.span.kind"] == "DECISION" and saw["decision.request.model_name"] == "jev-latest", saw
    assert saw["decision.response.model_name"] == answer.model
    assert saw["decision.token_count.input"] == answer.usage.input_tokens > 0
    same(json.loads(saw["output.value"])["answers"], told())
    return f"one DECISION span: {saw['decision.model_name']}, {saw['decision.token_count.input']} tokens"


def langchain_meragpt():
    os.environ |= {"MERAGPT_BASE_URL": URL, "MERAGPT_API_KEY": "any"}
    from langchain_meragpt import MeragptAPIError, MeragptDecider, choice, score, yes_no
    asked = {"state": STATE, "questions": {"refund": yes_no(REFUND), "topic": choice(TOPIC, TOPICS),
                                           "urgency": score(URGENCY, LEVELS)}}
    try:
        MeragptDecider().invoke(asked)
        raise AssertionError("its own model decider-1 was taken")
    except MeragptAPIError as error:
        assert error.status == 400 and "decider-1" in str(error), error
    os.environ["MERAGPT_MODEL"] = "jev-latest"
    answers = MeragptDecider().invoke(asked)
    same(answers, told())
    same(asyncio.run(MeragptDecider().ainvoke(asked)), answers)
    return f"three answers: {answers['topic']['choice']}; an unknown model is an error that it can read"


def judgevet():
    from judgevet import Choice, HTTPSystemOneAdapter, Noul, Score
    with HTTPSystemOneAdapter(api_key="any", base_url=URL) as client:
        answer = client.system_one(state=STATE, questions={
            "refund": Noul(instructions=REFUND), "topic": Choice(instructions=TOPIC, criteria=TOPICS),
            "urgency": Score(instructions=URGENCY, criteria=LEVELS)})
    right = told()
    assert answer.nouls["refund"].noul == right["refund"]["noul"]
    same(dict(answer.choices["topic"].probabilities), right["topic"]["probabilities"])
    assert answer.scores["urgency"].score == right["urgency"]["score"]
    return f"three answers by {answer.model}"


def jevclient():
    from jevclient import Choice, JevClient, JevValidationError, Noul, Score

    async def ask():
        async with JevClient("", base_url=URL) as client:
            answer = await client.ask(STATE, {"refund": Noul(REFUND), "topic": Choice(TOPIC, TOPICS),
                                              "urgency": Score(URGENCY, LEVELS)})
            try:
                await client.ask(STATE, {"refund": Noul(REFUND)}, model="jev-9")
                raise AssertionError("an unknown model was taken")
            except JevValidationError as error:
                assert "jev-9" in str(error), error
            return answer

    answer, right = asyncio.run(ask()), told()
    assert answer["refund"].noul == right["refund"]["noul"]
    same(dict(answer["topic"].probabilities), right["topic"]["probabilities"])
    assert answer["urgency"].score == right["urgency"]["score"] and answer["urgency"].nearest_level in LEVELS
    return f"three answers without a key, {answer.usage.input_tokens} tokens; an unknown model is refused"


def pydecide():
    os.environ |= {"DECIDE_BACKENDS": "typesafe", "TYPESAFE_BASE_URL": URL, "TYPESAFE_API_KEY": "any"}
    from decide import Choice, Client, Noul, Score
    from decide.backends.openai_decisions import OpenAIDecisionsBackend
    from decide.backends.openrouter import OpenRouterBackend
    questions = {"refund": Noul(REFUND), "topic": Choice(TOPIC, TOPICS), "urgency": Score(URGENCY, LEVELS)}
    right, seen = told(), []
    for client in (Client.from_env(), Client([OpenRouterBackend("any", base_url=URL + "/api")]),
                   Client([OpenAIDecisionsBackend("any", base_url=URL + "/v1")])):
        answer = client.decide(state=STATE, questions=questions)
        assert answer.nouls["refund"].noul >= 0 and list(answer.choices["topic"].probabilities) == list(TOPICS)
        assert len(answer.scores["urgency"].probabilities) == len(LEVELS)
        if not seen or answer.meta.backend == "openrouter":
            assert answer.nouls["refund"].noul == right["refund"]["noul"]
            same(answer.choices["topic"].probabilities, right["topic"]["probabilities"])
            assert answer.scores["urgency"].score == right["urgency"]["score"]
        seen.append(answer.meta.route[-1])
    return ", ".join(seen)
