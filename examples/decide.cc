// dikast as a library: load a model once, ask it questions, read the numbers.
//
//   decide_example [MODEL_FOLDER]
#include <cstdio>

#include "dikast/engine.h"
#include "dikast/format.h"

namespace {

// A request is what a client would send as JSON: a state, and questions by id. A question is a
// choice (one of these), a noul (is this true) or a score (where on this scale).
constexpr char kRequest[] = R"({
  "state": "We were billed twice for March. Please refund the duplicate today or we will cancel.",
  "questions": {
    "department": {
      "type": "choice",
      "instructions": "Which department should handle this email?",
      "criteria": {
        "billing": "invoices, payments, refunds",
        "technical": "bugs, outages, system errors",
        "other": "everything else"
      }
    },
    "refund": {"type": "noul", "instructions": "Does the customer ask for money back?"}
  }
})";

// Nothing in dikast throws: every call that can fail returns a Result, which holds the value or an
// Error with a code, a message and the place of the fault.
int Report(const dikast::Error& error) {
  std::fprintf(stderr, "%s: %s\n", error.path.c_str(), error.message.c_str());
  return 1;
}

void Print(const dikast::Question& question, const dikast::Answer& answer) {
  std::printf("%s (confidence %.2f)\n", question.id.c_str(), answer.confidence);
  for (size_t i = 0; i < question.options.size(); ++i) {
    std::printf("  %-10s %.3f\n", question.options[i].name.c_str(), answer.probabilities[i]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  // An empty name stands for $DIKAST_MODEL or the bundled model.
  const auto folder = dikast::FindModel(argc > 1 ? argv[1] : "");
  if (!folder) return Report(folder.error());

  // Loading takes most of the time: keep the engine. It may be shared between threads.
  dikast::EngineOptions engine_options;
  engine_options.model = *folder;
  auto engine = dikast::Engine::Load(engine_options);
  if (!engine) return Report(engine.error());

  const dikast::DecideOptions options;  // what is over length is refused, never cut silently
  const auto request = dikast::ParseRequest(kRequest, options);
  if (!request) return Report(request.error());

  const auto response = engine->Decide(*request, options);
  if (!response) return Report(response.error());

  for (size_t i = 0; i < response->answers.size(); ++i) {
    Print(request->questions[i], response->answers[i]);
  }

  // The same answers as the JSON of the System One protocol.
  std::printf("%s\n", dikast::FormatSystemOne(*request, *response).c_str());
  return 0;
}
