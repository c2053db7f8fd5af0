#!/usr/bin/env python3
"""Drives `dikast mcp` with the `mcp` package (2.3.0), in both protocol eras, as a host would.

    mcp_client.py DIKAST [--model FOLDER] [--url URL]

Prints one line a check; exit code 1 when one fails.
"""

import argparse
import asyncio
import json
import os
import subprocess

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

STATE = "I was charged twice. Please refund me."
QUESTIONS = {
    "team": {"type": "choice", "instructions": "Which team?", "criteria": {"billing": None, "technical": None}},
    "refund": {"type": "noul", "instructions": "Does the customer want money back?"},
    "anger": {"type": "score", "instructions": "How angry?", "criteria": ["calm", "annoyed", "furious"]},
}
FAILED = []


def check(name, passed, seen=""):
    print(("ok    " if passed else "FAILED") + f"  {name}" + ("" if passed else f": {seen}"))
    if not passed:
        FAILED.append(name)


def decided(dikast, model):
    """The answers of `dikast decide` to the same request."""
    request = json.dumps({"state": STATE, "questions": QUESTIONS})
    command = [dikast, "decide", "--request", "-"] + (["--model", model] if model else [])
    return json.loads(subprocess.run(command, input=request, text=True, capture_output=True, check=True).stdout)


async def drive(parameters, mode, revision, expected):
    async with Client(stdio_client(parameters), mode=mode) as client:
        def name(text):
            return f"{revision} ({mode}): {text}"
        check(name("revision"), client.protocol_version == revision, client.protocol_version)
        if mode != revision:  # a client that is told the revision asks for nothing before the tools
            check(name("server"), client.server_info.name == "dikast", client.server_info)
        tools = {tool.name for tool in (await client.list_tools()).tools}
        check(name("tools"), tools == {"decide", "choice", "score", "noul", "models", "status"}, tools)
        result = await client.call_tool("decide", {"state": STATE, "questions": QUESTIONS})
        check(name("decide"), not result.is_error and result.structured_content == expected, result)
        for tool, question in (("choice", "team"), ("noul", "refund"), ("score", "anger")):
            arguments = {"state": STATE} | {k: v for k, v in QUESTIONS[question].items() if k != "type"}
            result = await client.call_tool(tool, arguments)
            answer = expected["answers"][question]
            same = not result.is_error and answer.items() <= result.structured_content.items()
            check(name(tool), same and result.content[0].text, result)
        bad = await client.call_tool("choice", {"state": STATE, "instructions": "?", "criteria": 7})
        check(name("a tool error has the path"), bad.is_error and bad.content[0].text.startswith("/criteria: "), bad)
        for tool in ("models", "status"):
            result = await client.call_tool(tool, {})
            check(name(tool), not result.is_error and result.structured_content, result)
        many = await asyncio.gather(*(client.call_tool("noul", {"state": f"case {n}", "instructions": "Late?"})
                                      for n in range(20)))
        check(name("20 calls at once"), not any(result.is_error for result in many))


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dikast")
    parser.add_argument("--model")
    parser.add_argument("--url")
    options = parser.parse_args()
    arguments = ["mcp"] + (["--url", options.url] if options.url else [])
    if options.model and not options.url:
        arguments += ["--model", options.model]
    parameters = StdioServerParameters(command=options.dikast, args=arguments, env=dict(os.environ))
    expected = decided(options.dikast, options.model)
    for mode, revision in (("legacy", "2025-11-25"), ("auto", "2026-07-28"), ("2026-07-28", "2026-07-28")):
        await asyncio.wait_for(drive(parameters, mode, revision, expected), 120)
    return 1 if FAILED else 0


if __name__ == "__main__":
    raise SystemExit(asyncio.run(main()))
