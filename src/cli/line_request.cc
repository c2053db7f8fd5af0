#include "cli/line_request.h"

namespace dikast::cli {

LineRequest ParseLine(const Result<std::string>& line, const DecideOptions& options) {
  if (!line) return {std::nullopt, tl::unexpected(line.error())};
  Result<JsonValue> document =
      ParseJson(*line, options.reference ? JsonDialect::kReference : JsonDialect::kStrict);
  if (!document) return {std::nullopt, tl::unexpected(document.error())};
  const JsonValue* id = document->Find("id");
  std::optional<JsonValue> kept = id == nullptr ? std::nullopt : std::optional(*id);
  return {std::move(kept), ParseRequest(*std::move(document), options)};
}

}  // namespace dikast::cli
