#include "cli/mcp_tools.h"

namespace dikast::cli {

// Lines here, one line on the wire: messages are split at newlines.
std::string_view ToolList() {
  static const std::string list = [] {
    std::string text = R"([
{"name":"decide","title":"Decide several questions",
"description":"Answers typed questions about one state, each with calibrated probabilities from one forward pass; no text is generated. Question types: choice (which of these options), noul (is this true), score (which level of a scale).",
"inputSchema":{"type":"object","properties":{
"state":{"type":["string","object","array"],"description":"What is judged: a text, or JSON"},
"questions":{"type":"object","minProperties":1,"description":"Question id to question","additionalProperties":{"type":"object","properties":{
"type":{"enum":["choice","noul","score"]},
"instructions":{"description":"What is asked"},
"criteria":{"description":"choice: {option: description or null} or a list of options; score: the levels, lowest first; noul: {\"true\": ..., \"false\": ...} or nothing"}},
"required":["type"]}},
"over_length":{"enum":["reject","truncate","window"],"description":"What to do with a state that does not fit; reject if absent"}},
"required":["state","questions"]},
"outputSchema":{"type":"object","properties":{"model":{"type":"string"},"answers":{"type":"object"},"usage":{"type":"object"}},"required":["model","answers","usage"]},
"annotations":{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false}},
{"name":"choice","title":"Choose one option",
"description":"Which of these options fits the state? Gives the probability of every option.",
"inputSchema":{"type":"object","properties":{
"state":{"type":["string","object","array"],"description":"What is judged: a text, or JSON"},
"instructions":{"type":"string","description":"What is asked, such as: Which team handles this?"},
"criteria":{"type":["object","array"],"description":"The options: {option: description or null}, or a list of names; 1 to 255"},
"over_length":{"enum":["reject","truncate","window"]}},
"required":["state","instructions","criteria"]},
"outputSchema":{"type":"object","properties":{"choice":{"type":"string"},"confidence":{"type":"number"},"probabilities":{"type":"object","additionalProperties":{"type":"number"}},"model":{"type":"string"},"usage":{"type":"object"}},"required":["choice","confidence","probabilities","model","usage"]},
"annotations":{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false}},
{"name":"score","title":"Place on a scale",
"description":"Where on this scale is the state? Gives the probability of every level, and their mean.",
"inputSchema":{"type":"object","properties":{
"state":{"type":["string","object","array"],"description":"What is judged: a text, or JSON"},
"instructions":{"type":"string","description":"What is asked, such as: How urgent is this?"},
"criteria":{"type":"array","description":"The levels, lowest first","items":{}},
"over_length":{"enum":["reject","truncate","window"]}},
"required":["state","instructions","criteria"]},
"outputSchema":{"type":"object","properties":{"score":{"type":"number"},"confidence":{"type":"number"},"legend":{"type":"object"},"probabilities":{"type":"object","additionalProperties":{"type":"number"}},"model":{"type":"string"},"usage":{"type":"object"}},"required":["score","confidence","probabilities","model","usage"]},
"annotations":{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false}},
{"name":"noul","title":"Is this true",
"description":"Is this true of the state? Gives the probability of yes.",
"inputSchema":{"type":"object","properties":{
"state":{"type":["string","object","array"],"description":"What is judged: a text, or JSON"},
"instructions":{"type":"string","description":"The statement or question, such as: Does the customer want money back?"},
"criteria":{"type":"object","description":"{\"true\": what counts as true, \"false\": what does not}, either or both"},
"over_length":{"enum":["reject","truncate","window"]}},
"required":["state","instructions"]},
"outputSchema":{"type":"object","properties":{"noul":{"type":"number"},"model":{"type":"string"},"usage":{"type":"object"}},"required":["noul","model","usage"]},
"annotations":{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false}},
{"name":"models","title":"List the models",
"description":"The models that can answer.",
"inputSchema":{"type":"object","properties":{}},
"annotations":{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false}},
{"name":"status","title":"Model and limits",
"description":"Which model answers, its limits in tokens, and the machine.",
"inputSchema":{"type":"object","properties":{}},
"annotations":{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false}}
])";
    std::erase(text, '\n');
    return text;
  }();
  return list;
}

}  // namespace dikast::cli
