#include "cli/table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace dikast::cli {
namespace {

constexpr char kBold[] = "\x1b[1m", kGreen[] = "\x1b[32m", kDim[] = "\x1b[2m", kReset[] = "\x1b[0m";

constexpr size_t kIndent = 2, kNumber = 8;  // "  95.0 %" stands at the right end
constexpr size_t kLeastBar = 8;

std::string Styled(const char* style, const std::string& text, const Terminal& terminal) {
  return terminal.colour ? style + text + kReset : text;
}

std::string Decimal(const char* format, double value) {
  char buffer[48];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

// What stands before an option's bar: a level shows its text, too.
std::string Label(const Question& question, const Option& option) {
  const std::string* criterion = option.criterion.AsString();
  if (question.type == QuestionType::kScore && criterion != nullptr) {
    return Printable(option.name + " " + *criterion);
  }
  return Printable(option.name);
}

// The widest label, but never so wide that no bar is left.
size_t LabelWidth(const Request& request, const Terminal& terminal) {
  size_t width = 0;
  for (const Question& question : request.questions) {
    for (const Option& option : question.options) {
      width = std::max(width, DisplayWidth(Label(question, option)));
    }
  }
  return std::min(width, terminal.columns - kIndent - kNumber - kLeastBar - 1);
}

std::string OptionLine(const std::string& label, double probability, bool best, size_t label_width,
                       const Terminal& terminal) {
  const size_t bar_width = terminal.columns - kIndent - label_width - 1 - kNumber;
  const std::string name = FitTo(label, label_width, terminal.utf8);
  const std::string bar = FitTo(Bar(probability, bar_width, terminal.utf8), bar_width, true);
  return std::string(kIndent, ' ') + (best ? Styled(kBold, name, terminal) : name) + " " +
         (best ? Styled(kGreen, bar, terminal) : bar) + Decimal("%6.1f %%", 100 * probability) +
         "\n";
}

std::string Footer(const Response& response) {
  const size_t questions = response.answers.size();
  return Printable(response.model) + ": " + std::to_string(questions) +
         (questions == 1 ? " question, " : " questions, ") +
         std::to_string(response.usage.input_tokens) + " tokens";
}

}  // namespace

std::string Headline(const Question& question, const Answer& answer) {
  const std::string confidence = Decimal("confidence %.2f", answer.confidence);
  switch (question.type) {
    case QuestionType::kChoice:
      return Printable(question.options[answer.best].name) + "  (" + confidence + ")";
    case QuestionType::kScore:
      return Decimal("%.2f", answer.score) + " of " + std::to_string(question.options.size() - 1) +
             "  (" + confidence + ")";
    case QuestionType::kNoul:
      return Decimal("%.1f %% true", 100 * answer.score);
  }
  return {};
}

std::string Bar(double share, size_t width, bool utf8) {
  static constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double columns = std::clamp(share, 0.0, 1.0) * static_cast<double>(width);
  std::string bar;
  if (!utf8) return std::string(static_cast<size_t>(std::lround(columns)), '#');
  const auto eighths = static_cast<size_t>(std::lround(columns * 8));
  for (size_t i = 0; i < eighths / 8; ++i) bar += "█";
  return bar + kEighths[eighths % 8];
}

std::string RenderTable(const Request& request, const Response& response,
                        const Terminal& terminal) {
  const size_t label_width = LabelWidth(request, terminal);
  std::string table;
  for (size_t q = 0; q < request.questions.size(); ++q) {
    const Question& question = request.questions[q];
    const Answer& answer = response.answers[q];
    table +=
        Styled(kBold, Printable(question.id), terminal) + ": " + Headline(question, answer) + "\n";
    for (size_t i = 0; i < question.options.size(); ++i) {
      table += OptionLine(Label(question, question.options[i]), answer.probabilities[i],
                          i == answer.best, label_width, terminal);
    }
    table += "\n";
  }
  return table + Styled(kDim, Footer(response), terminal) + "\n";
}

}  // namespace dikast::cli
