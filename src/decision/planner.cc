#include "decision/planner.h"

#include <algorithm>
#include <memory>

#include "base/try.h"
#include "decision/groups.h"
#include "decision/head.h"
#include "decision/python_text.h"
#include "decision/question.h"
#include "decision/windows.h"
#include "text/utf8.h"

namespace dikast {
namespace {

// A question with its heads built; the state is not in yet.
struct PlannedQuestion {
  const Question* question = nullptr;
  std::vector<TokenPlan> heads;  // group by group, of each its orders
  CutReport cuts;
  uint32_t orders = 1;
  uint32_t room = 0;  // for the state, in the fullest group
};

class RequestPlanner {
 public:
  RequestPlanner(const Request& request, const DecideOptions& options, const Tokenizer& tokenizer,
                 const SequenceRules& rules)
      : request_(request),
        options_(options),
        rules_(rules),
        encoder_(tokenizer, rules, options.reference),
        over_length_(EffectiveOverLength(request, options)),
        orders_(std::clamp(request.orders.value_or(options.orders), 1u, kMostOrders)) {}

  Result<std::vector<QuestionPlan>> Plan() {
    std::vector<PlannedQuestion> planned;
    for (const Question& question : request_.questions) {
      DIKAST_TRY(PlannedQuestion next, PlanHeads(question));
      planned.push_back(std::move(next));
    }
    if (planned.empty()) return std::vector<QuestionPlan>();
    if (options_.reference) ShareRoom(planned);

    DIKAST_TRY(state_, EncodeState());
    std::vector<QuestionPlan> plans;
    for (PlannedQuestion& question : planned) {
      DIKAST_TRY(QuestionPlan plan, AddState(std::move(question)));
      sequences_ += plan.sequences.size();
      plans.push_back(std::move(plan));
    }
    return plans;
  }

 private:
  static std::vector<const std::string*> TextsOf(const Question& question) {
    std::vector<const std::string*> texts{&question.id, &question.instructions};
    for (const Option& option : question.options) {
      texts.insert(texts.end(), {&option.name, &option.text});
    }
    return texts;
  }

  // A request need not come from ParseRequest.
  static Result<void> CheckQuestion(const Question& question) {
    const size_t count = question.options.size();
    std::vector<uint32_t> order = question.order;
    std::sort(order.begin(), order.end());
    for (uint32_t i = 0; i < order.size(); ++i) {
      if (order[i] != i || order.size() != count) order.clear();
    }
    const bool sound = count > 0 && order.size() == question.order.size() &&
                       (question.type != QuestionType::kNoul || count == 2);
    if (!sound) {
      return Fail(ErrorCode::kRequest,
                  "question " + PythonRepr(question.id) +
                      ": it needs options (a noul two), and an order of all of them or none",
                  PointerAppend("/questions", question.id));
    }
    for (const std::string* text : TextsOf(question)) {
      if (FirstInvalidUtf8(*text) == std::string::npos) continue;
      return Fail(ErrorCode::kRequest,
                  "question " + PythonRepr(question.id) + ": the text " + PythonRepr(*text) +
                      " is not valid UTF-8 at byte " + std::to_string(FirstInvalidUtf8(*text)),
                  "/questions");
    }
    return {};
  }

  Result<std::vector<int32_t>> EncodeState() const {
    auto ids = RenderText(request_.state).and_then([&](std::string text) {
      return encoder_.Encode(std::move(text));
    });
    if (ids) return ids;
    return Fail(ids.error().code, "'state': " + ids.error().message, "/state");
  }

  Result<PlannedQuestion> PlanHeads(const Question& question) const {
    DIKAST_CHECK_OK(CheckQuestion(question));
    DIKAST_TRY(const EncodedQuestion encoded, EncodeQuestion(question, encoder_, rules_));
    std::vector<OptionGroup> groups;
    if (options_.reference) {
      groups.push_back(OneGroup(question, encoded, rules_));
    } else {
      DIKAST_TRY(groups, ChooseGroups(question, encoded, options_.options,
                                      over_length_ != OverLength::kTruncate, rules_));
    }
    PlannedQuestion planned{.question = &question, .heads = {}, .cuts = {}, .room = UINT32_MAX};
    for (const OptionGroup& group : groups) {
      DIKAST_CHECK_OK(CheckInstructions(question, encoded, group.fit));
      const uint32_t orders = OrdersOf(question, group);
      for (uint32_t order = 0; order < orders; ++order) {
        const std::vector<uint32_t> members = Rotated(group.members, order, orders);
        planned.heads.push_back(BuildHead(encoded, members, group.fit, rules_));
        DIKAST_CHECK_OK(CheckMarkers(question, planned.heads.back()));
      }
      planned.orders = std::max(planned.orders, orders);
      planned.room = std::min(planned.room, StateRoom(planned.heads.back(), rules_));
    }
    planned.cuts = ReportHead(encoded, groups);
    return planned;
  }

  uint32_t OrdersOf(const Question& question, const OptionGroup& group) const {
    if (question.type != QuestionType::kChoice) return 1;
    return static_cast<uint32_t>(std::min<size_t>(orders_, group.members.size()));
  }

  // Order `order` of `orders`, which are spread evenly over all the cyclic ones.
  static std::vector<uint32_t> Rotated(std::vector<uint32_t> members, uint32_t order,
                                       uint32_t orders) {
    const auto first = static_cast<std::ptrdiff_t>(members.size() * order / orders);
    std::rotate(members.begin(), members.begin() + first, members.end());
    return members;
  }

  Result<void> CheckInstructions(const Question& question, const EncodedQuestion& encoded,
                                 const HeadFit& fit) const {
    const bool cut = fit.instruction_tokens < encoded.instructions.size();
    if (!cut || options_.reference || over_length_ == OverLength::kTruncate) return {};
    return RefuseLength(question,
                        "the instructions take " + Count(encoded.instructions.size()) + " and " +
                            Count(fit.instruction_tokens) +
                            " are allowed beside its options (head_max_len " +
                            std::to_string(rules_.head_max_len) +
                            "); shorten them, or have them cut with over_length truncate",
                        "instructions");
  }

  // The reference minds lost markers only; the cut end of the last option would go unseen.
  Result<void> CheckMarkers(const Question& question, const TokenPlan& head) const {
    const auto lost = std::count_if(head.markers.begin(), head.markers.end(),
                                    [&](uint32_t marker) { return marker >= rules_.max_len; });
    const bool last_option_cut = head.ids.size() >= rules_.max_len;
    if (lost == 0 && (options_.reference || !last_option_cut)) return {};
    const std::string markers =
        std::to_string(lost) + " of its " + std::to_string(head.markers.size()) + " option markers";
    return RefuseLength(question,
                        "it takes " + Count(head.ids.size() + 1) + " without a state and " +
                            std::to_string(rules_.max_len) + " are allowed (max_len), so " +
                            (lost ? markers + " are lost" : "the last option would be cut") +
                            "; ask with fewer or shorter options",
                        "criteria");
  }

  CutReport ReportHead(const EncodedQuestion& encoded,
                       const std::vector<OptionGroup>& groups) const {
    CutReport cuts;
    cuts.groups = static_cast<uint32_t>(groups.size());
    cuts.instruction_tokens = cuts.instruction_tokens_kept =
        static_cast<uint32_t>(encoded.instructions.size());
    cuts.distinct_options = static_cast<uint32_t>(CountDistinct(KeptOptions(encoded, groups)));
    for (const OptionGroup& group : groups) {
      cuts.instruction_tokens_kept =
          std::min(cuts.instruction_tokens_kept, group.fit.instruction_tokens);
      if (groups.size() == 1) cuts.tokens_per_option = group.fit.tokens_per_option;
      for (const uint32_t option : group.members) {
        const uint32_t tokens = encoded.option_tokens[option];
        const auto kept = static_cast<uint32_t>(KeptTokens(encoded, option, group.fit).size());
        if (kept < tokens) cuts.options.push_back({option, tokens, kept});
      }
    }
    std::sort(cuts.options.begin(), cuts.options.end(),
              [](const auto& a, const auto& b) { return a.option < b.option; });
    return cuts;
  }

  // The reference sizes its windows for the question with the least room.
  static void ShareRoom(std::vector<PlannedQuestion>& planned) {
    uint32_t least = UINT32_MAX;
    for (const PlannedQuestion& question : planned) least = std::min(least, question.room);
    for (PlannedQuestion& question : planned) question.room = least;
  }

  Result<QuestionPlan> AddState(PlannedQuestion planned) {
    // The reference refuses windows without room even for a state without tokens.
    const bool fits = state_.size() <= planned.room && (planned.room > 0 || !options_.reference);
    if (!fits && over_length_ == OverLength::kWindow) return AddWindows(std::move(planned));
    if (!fits && over_length_ == OverLength::kReject) {
      return RefuseLength(*planned.question,
                          "the state takes " + Count(state_.size()) + " and " +
                              Count(planned.room) + " are allowed beside this question (max_len " +
                              std::to_string(rules_.max_len) +
                              "); shorten it, or answer with over_length truncate or window",
                          {});
    }
    QuestionPlan plan;
    plan.orders = planned.orders;
    plan.cuts = std::move(planned.cuts);
    plan.cuts.state_tokens = plan.cuts.state_tokens_kept = static_cast<uint32_t>(state_.size());
    const bool keep_end = request_.state.AsArray() != nullptr;
    for (const TokenPlan& head : planned.heads) {
      plan.sequences.push_back(AppendState(head, state_, keep_end, rules_));
      plan.cuts.state_tokens_kept =
          std::min(plan.cuts.state_tokens_kept, plan.sequences.back().state_kept);
    }
    return plan;
  }

  Result<QuestionPlan> AddWindows(PlannedQuestion planned) {
    DIKAST_TRY(const WindowedState* state, WindowsFor(planned));
    QuestionPlan plan;
    plan.windows = state->windows;
    plan.orders = planned.orders;
    plan.cuts = std::move(planned.cuts);
    plan.cuts.windows = static_cast<uint32_t>(state->windows.size());
    plan.cuts.state_tokens = static_cast<uint32_t>(state_.size());
    uint32_t dropped = 0;
    for (const std::vector<int32_t>& window : state->ids) {
      for (const TokenPlan& head : planned.heads) {
        plan.sequences.push_back(AppendState(head, window, false, rules_));
        const TokenPlan& added = plan.sequences.back();
        dropped = std::max(dropped, added.state_tokens - added.state_kept);
      }
    }
    plan.cuts.state_tokens_kept =
        plan.cuts.state_tokens - std::min(plan.cuts.state_tokens, dropped);
    return plan;
  }

  // Cut once for each size.
  Result<const WindowedState*> WindowsFor(const PlannedQuestion& planned) {
    const Question& question = *planned.question;
    if (planned.room == 0) {
      return RefuseLength(question,
                          "no room is left for a window of the state; ask with fewer or "
                          "shorter options",
                          "criteria");
    }
    const uint32_t size = WindowSize(rules_, planned.room);
    const size_t before = sequences_;
    const size_t sequences = before + CountWindows(state_.size(), size) * planned.heads.size();
    if (sequences > kMaxSequences) {
      return RefuseLength(question,
                          "the state takes " + Count(state_.size()) + ", which is " +
                              std::to_string(sequences) + " sequences" +
                              (before ? " with those of the questions before it" : "") + ", and " +
                              std::to_string(kMaxSequences) + " are allowed; send it in parts",
                          {});
    }
    for (const auto& cut : windows_) {
      if (cut->size == size) return cut.get();
    }
    DIKAST_TRY(WindowedState cut, CutWindows(state_, size, encoder_));
    windows_.push_back(std::make_unique<WindowedState>(std::move(cut)));
    return windows_.back().get();
  }

  static std::string Count(size_t tokens) { return std::to_string(tokens) + " tokens"; }

  // `member` of the question is at fault; empty: the state is.
  static tl::unexpected<Error> RefuseLength(const Question& question, const std::string& message,
                                            std::string_view member) {
    const std::string path =
        member.empty() ? "/state" : PointerAppend(PointerAppend("/questions", question.id), member);
    return Fail(ErrorCode::kOverLength, "question " + PythonRepr(question.id) + ": " + message,
                path);
  }

  const Request& request_;
  const DecideOptions& options_;
  const SequenceRules& rules_;
  const TextEncoder encoder_;
  const OverLength over_length_;
  const uint32_t orders_;
  std::vector<int32_t> state_;
  size_t sequences_ = 0;  // of the questions planned so far
  std::vector<std::unique_ptr<WindowedState>> windows_;
};

}  // namespace

OverLength EffectiveOverLength(const Request& request, const DecideOptions& options) {
  const OverLength asked = request.over_length.value_or(options.over_length);
  // The reference never refuses for length.
  return options.reference && asked == OverLength::kReject ? OverLength::kTruncate : asked;
}

Result<std::vector<QuestionPlan>> PlanRequest(const Request& request, const DecideOptions& options,
                                              const Tokenizer& tokenizer,
                                              const SequenceRules& rules) {
  return RequestPlanner(request, options, tokenizer, rules).Plan();
}

}  // namespace dikast
