"""A check for Schemathesis: what the OpenAPI document allows is answered with 200, unless one of the rules is broken
that JSON Schema cannot say. Each is one pattern of the server's message."""

import re

import schemathesis
from schemathesis import GenerationMode

BEYOND_SCHEMAS = re.compile("|".join([
    r"max_len' is not supported",                      # the loaded model's own budgets
    r"tokens .*are allowed", r"options would be cut", r"has no room for both even alone",  # the token budget
    r"is already among the (options|questions|choices)", r"repeats option \d+",  # ids and names differ
    r"'labels' must be", r"'option_order' must name",  # two different words; each index once
    r"'positive_id' must be the id of one",
    r"stands before its output",                       # a call before its output
    r"sequences",                                      # windows of one request
    r"this server reads at most",                      # limits are options of the server
    r"nested \d+ deep|too many values",                # limits of the reader
]))


@schemathesis.check
def allowed_is_answered(ctx, response, case):
    if case.meta is None or case.meta.generation.mode is not GenerationMode.POSITIVE:
        return
    if case.method != "POST" or response.status_code < 400 or response.status_code >= 500:
        return
    text = response.text
    assert BEYOND_SCHEMAS.search(text), f"refused although the schema allows it: {text[:500]}"
