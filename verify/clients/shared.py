"""What the rows share: a question of each type, the server's own answer to hold a client's against, MCP sessions."""

import asyncio
import json
import os
import subprocess
import urllib.request

URL = os.environ["DIKAST_URL"]
KEY = os.environ.get("DIKAST_KEY", "")
STATE = "I was charged twice for one order. Please refund one payment."
REFUND = "Does the customer ask for money back?"
TOPIC = "What is it about?"
TOPICS = {"billing": "payments", "technical": "faults"}
URGENCY = "How urgent is it?"
LEVELS = ["can wait", "today", "at once"]
QUESTIONS = {"refund": {"type": "noul", "instructions": REFUND},
             "topic": {"type": "choice", "instructions": TOPIC, "criteria": TOPICS},
             "urgency": {"type": "score", "instructions": URGENCY, "criteria": LEVELS}}


def command(*arguments, **options):
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=500, **options)
    print(done.stdout[-4000:], done.stderr[-4000:])
    assert done.returncode == 0, f"{arguments[0]} ended with {done.returncode}"
    return done


def told(state=STATE, questions=None):
    """What the server answers without any client in between."""
    body = json.dumps({"state": state, "questions": questions or QUESTIONS}).encode()
    request = urllib.request.Request(URL + "/v1/systemone", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["answers"]


def same(got, expected):
    """Every value to its last bit; options and levels in their order, whatever the order of an answer's fields."""
    assert got == expected, f"{got}, and not {expected}"
    if isinstance(got, dict):
        for field, value in got.items():
            same(value, expected[field])
            if field in ("probabilities", "legend"):
                assert list(value) == list(expected[field]), f"{list(value)}, and not {list(expected[field])}"


def write_json(path, value):
    with open(path, "w") as out:
        json.dump(value, out)


def write_lines(path, values):
    with open(path, "w") as out:
        out.writelines(json.dumps(value) + "\n" for value in values)


def read_lines(path):
    with open(path) as lines:
        return [json.loads(line) for line in lines]


def call_tools(server, environment, *calls):
    """How many tools an MCP server on stdio (a command line) has, and the text that each (tool, arguments) gives."""
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    async def session():
        program, *arguments = server.split()
        parameters = StdioServerParameters(command=program, args=arguments, env={**os.environ, **environment})
        async with stdio_client(parameters) as streams, ClientSession(*streams) as client:
            await client.initialize()
            tools = (await client.list_tools()).tools
            texts = []
            for tool, arguments in calls:
                result = await client.call_tool(tool, arguments)
                texts.append(result.content[0].text)
                if getattr(result, "is_error", getattr(result, "isError", False)):
                    raise RuntimeError(f"{tool}: {texts[-1]}")
            return len(tools), texts

    return asyncio.run(session())
