// The tools of the MCP server: their descriptions, and calling them.
#pragma once

#include <string>
#include <string_view>

#include "cli/mcp_source.h"
#include "dikast/json.h"

namespace dikast::cli {

// The member "tools" of tools/list: a JSON array.
std::string_view ToolList();

bool IsTool(std::string_view name);

// The result of tools/call: a JSON object with "content", "structuredContent" and "isError". An
// error names the place in `arguments` as a JSON Pointer.
std::string CallTool(DecisionSource& source, std::string_view name, const JsonValue& arguments);

// The same form for an error that came before the call.
std::string ToolError(const Error& error);

}  // namespace dikast::cli
