// Everything before the forward pass: request text to token plan, for one ticket and three
// questions.
//
//   build/bench/input_side [--model DIR] > input-side.json
//
// Absolute times, since the budget is one (50 microseconds, one thread). Each round times one call
// on a text of its own, so that no cache of whole requests could help; the first rounds warm up.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "bench/machine.h"
#include "dikast/engine.h"

namespace {

constexpr int kWarmUp = 200, kRounds = 5000;

std::string Ticket(int round) {
  return R"({"state": "From: user@example.com\nSubject: Duplicate charge on invoice #)" +
         std::to_string(4411 + round) +
         R"(\n\nWe were billed twice for March. Please refund the duplicate today or we will cancel our plan.",
  "questions": {
    "department": {"type": "choice", "instructions": "Which department should handle this email?",
      "criteria": {"billing": "invoices, payments, refunds", "technical": "bugs, outages, system errors",
                   "sales": "pricing, new contracts", "other": "everything else"}},
    "urgency": {"type": "score", "instructions": "How urgent is this request?",
      "criteria": ["not urgent", "soon", "critical deadline or blocking issue"]},
    "refund": {"type": "noul", "instructions": "Does the customer ask for money back?"}}})";
}

double Microseconds(const dikast::Planner& planner, const std::string& text, size_t& tokens) {
  const auto start = std::chrono::steady_clock::now();
  const auto request = dikast::ParseRequest(text, {});
  const auto plans = planner.Plan(request.value(), {});
  const auto end = std::chrono::steady_clock::now();
  tokens = 0;
  for (const auto& plan : plans.value()) tokens += plan.sequences.front().ids.size();
  return std::chrono::duration<double, std::micro>(end - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  const bool named = argc == 3 && std::string(argv[1]) == "--model";
  if (argc != 1 && !named) return std::fputs("usage: input_side [--model DIR]\n", stderr), 2;
  const auto folder = dikast::FindModel(named ? argv[2] : "");
  if (!folder) return std::fprintf(stderr, "%s\n", folder.error().message.c_str()), 4;
  const auto planner = dikast::Planner::Load({.model = *folder});
  if (!planner) return std::fprintf(stderr, "%s\n", planner.error().message.c_str()), 4;

  size_t tokens = 0;
  std::vector<double> times;
  for (int round = 0; round < kWarmUp + kRounds; ++round) {
    const double time = Microseconds(*planner, Ticket(round), tokens);
    if (round >= kWarmUp) times.push_back(time);
  }
  std::sort(times.begin(), times.end());
  dikast::JsonWriter json;
  json.BeginObject().Key("what").String(
      "request text to token plan, 1 ticket, 3 questions, 1 thread");
  json.Key("cpu").String(dikast::CpuName()).Key("commit").String(dikast::Commit());
  json.Key("command").String("build/bench/input_side").Key("model").String(planner->info().name);
  json.Key("tokens").Integer(static_cast<int64_t>(tokens)).Key("rounds").Integer(kRounds);
  json.Key("microseconds").BeginObject();
  json.Key("p10").Number(times[kRounds / 10]).Key("median").Number(times[kRounds / 2]);
  json.Key("p90").Number(times[kRounds * 9 / 10]).Key("p99").Number(times[kRounds * 99 / 100]);
  std::puts(json.EndObject().EndObject().Take().c_str());
  return 0;
}
