#include "cli/bench_requests.h"

#include <fstream>
#include <random>

#include "base/json_writer.h"
#include "base/try.h"
#include "dikast/decision.h"

namespace dikast::cli {
namespace {

constexpr char kMark[] = "d1ka57-number-here";

// Short everyday decisions: one to three questions of each type.
constexpr const char* kBuiltIn[] = {
    R"({"state":"I was charged twice this month. Please refund one of the payments.","questions":{"team":{"type":"choice","instructions":"Which team should handle this?","criteria":{"billing":"payments, invoices, refunds","technical":"bugs and outages","sales":"plans and prices"}},"refund":{"type":"noul","instructions":"Does the customer want money back?"}}})",
    R"({"state":"The app closes as soon as I open the camera, since the update of yesterday.","questions":{"kind":{"type":"choice","instructions":"What is this?","criteria":["bug report","feature request","praise","question"]}}})",
    R"({"state":{"subject":"Meeting on Friday","body":"Can we move it to three? The room is free until five."},"questions":{"reply":{"type":"noul","instructions":"Does this need an answer?"},"urgency":{"type":"score","instructions":"How urgent is it?","criteria":["can wait","this week","today"]}}})",
    R"({"state":["user: delete the old backups","assistant: which ones?","user: all of them, quickly"],"questions":{"risk":{"type":"score","instructions":"How much harm could this do?","criteria":["none","little","some","much"]},"go":{"type":"noul","instructions":"Is it safe to go on without asking?"}}})",
    R"({"state":"Thank you, the parcel arrived a day early and everything was in it.","questions":{"mood":{"type":"score","instructions":"How content is the customer?","criteria":["angry","unhappy","neutral","happy","delighted"]},"topic":{"type":"choice","instructions":"What is it about?","criteria":["delivery","payment","product","account"]},"answer":{"type":"noul","instructions":"Is an answer expected?"}}})",
};

constexpr const char* kWords[] = {
    "the",   "house", "stood", "near",  "a",      "river", "and",   "every", "morning",  "people",
    "came",  "from",  "town",  "to",    "buy",    "bread", "fish",  "paper", "some",     "of",
    "them",  "spoke", "about", "work",  "others", "were",  "quiet", "while", "children", "played",
    "under", "old",   "trees", "until", "rain",   "began", "then",  "all",   "went",     "home"};

void AddNumber(JsonValue& state) {
  if (auto* text = std::get_if<std::string>(&state.value)) {
    *text += std::string(" (case ") + kMark + ")";
  } else if (auto* members = std::get_if<JsonObject>(&state.value)) {
    members->push_back({"bench_case", JsonValue{std::string(kMark)}});
  } else if (auto* elements = std::get_if<JsonArray>(&state.value)) {
    elements->push_back(JsonValue{std::string("case ") + kMark});
  }
}

}  // namespace

Result<BenchRequests::Template> BenchRequests::MakeTemplate(JsonValue document) {
  DIKAST_TRY(const Request request, ParseRequest(document, {}));
  std::erase_if(std::get<JsonObject>(document.value),
                [](const JsonMember& member) { return member.key == "id"; });
  for (JsonMember& member : std::get<JsonObject>(document.value)) {
    if (member.key == "state") AddNumber(member.value);
  }
  const std::string text = JsonWriter().Value(document).Take();
  const size_t mark = text.find(kMark);
  return Template{text.substr(0, mark), text.substr(mark + sizeof kMark - 1)};
}

Result<BenchRequests> BenchRequests::Open(const std::string& file) {
  BenchRequests requests;
  if (file.empty()) {
    for (const char* text : kBuiltIn) {
      DIKAST_TRY(JsonValue document, ParseJson(text));
      DIKAST_TRY(Template made, MakeTemplate(std::move(document)));
      requests.templates_.push_back(std::move(made));
    }
    return requests;
  }
  std::ifstream in(file);
  if (!in) return Fail(ErrorCode::kModel, "cannot read the requests", file);
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    Result<Template> made = ParseJson(line).and_then(MakeTemplate);
    if (!made) {
      const std::string where = file + ", line " + std::to_string(requests.kinds() + 1);
      return Fail(made.error().code, made.error().message, where + " " + made.error().path);
    }
    requests.templates_.push_back(*std::move(made));
  }
  if (requests.templates_.empty()) return Fail(ErrorCode::kModel, "no requests in it", file);
  return requests;
}

std::string BenchRequests::Body(uint64_t number) const {
  const auto& [before, after] = templates_[number % templates_.size()];
  return before + std::to_string(number) + after;
}

std::string LongBody(uint64_t number, uint32_t words) {
  std::minstd_rand random(static_cast<uint32_t>(number) + 1);
  std::string state = "Case " + std::to_string(number) + ":";
  for (uint32_t w = 0; w < words; ++w) {
    state += std::string(" ") + kWords[random() % std::size(kWords)];
  }
  JsonWriter writer;
  writer.BeginObject().Key("state").String(state).Key("questions");
  writer.Raw(R"({"rain":{"type":"noul","instructions":"Does it rain?"}})");
  return writer.EndObject().Take();
}

}  // namespace dikast::cli
