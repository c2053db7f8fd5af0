#include "server/laya_options.h"

#include <cmath>
#include <string_view>

#include "base/try.h"
#include "server/request_reader.h"

namespace dikast::server {
namespace {

// One model is loaded, so what would choose between checkpoints has nothing left to choose.
constexpr std::string_view kHints[] = {"task", "lang", "lang_guess"};

struct Refusal {
  std::string_view name, why;
  bool batch_only = false;
};
constexpr Refusal kRefusals[] = {
    {"min_confidence", "no answer is held back here; compare its 'confidence' where you read it"},
    {"hooks", "hooks run inside a program, not behind a request"},
    {"on_predict_start", "hooks run inside a program, not behind a request"},
    {"on_predict_end", "hooks run inside a program, not behind a request"},
    {"hooks_raise", "hooks run inside a program, not behind a request"},
    {"hooks_timeout", "hooks run inside a program, not behind a request"},
    {"diagnostics", "it cannot be filled over HTTP; \"x_details\": true reports each answer", true},
};

// The member, unless it is absent or null: both say that nothing was asked.
const JsonValue* Given(const JsonValue& body, std::string_view name) {
  const JsonValue* member = body.Find(name);
  return member && !member->IsNull() ? member : nullptr;
}

std::string Quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

class LayaOptions {
 public:
  LayaOptions(const JsonValue& body, const CallContext& context, const std::string& path)
      : body_(body), info_(context.model.info), path_(path) {}

  tl::expected<void, Fault> Check(bool batch) const {
    for (const Refusal& refusal : kRefusals) {
      if (!Given(body_, refusal.name) || (refusal.batch_only && !batch)) continue;
      return RefuseOption("unsupported_option", refusal.name,
                          "is not supported: " + std::string(refusal.why));
    }
    for (const std::string_view name : kHints) {
      const JsonValue* hint = Given(body_, name);
      if (hint && !hint->AsString()) return RefuseKind(name, "a string or null", *hint);
    }
    DIKAST_CHECK_OK(CheckBudgets());
    if (batch) DIKAST_CHECK_OK(CheckBatch());
    return {};
  }

 private:
  tl::unexpected<Fault> RefuseOption(const char* type, std::string_view name,
                                     const std::string& message) const {
    return Refuse(type, Quoted(name) + " " + message, path_ + "/" + std::string(name));
  }
  tl::unexpected<Fault> RefuseKind(std::string_view name, const std::string& wanted,
                                   const JsonValue& found) const {
    return RefuseOption("value_error", name,
                        "must be " + wanted + ", got " + std::string(found.KindName()));
  }

  tl::expected<double, Fault> ReadCount(std::string_view name, const JsonValue& value) const {
    const JsonNumber* number = value.AsNumber();
    if (!number) return RefuseKind(name, "an integer of at least 1", value);
    const double count = number->ToDouble();  // 4.0 is an integer in JSON Schema
    if (count >= 1 && std::floor(count) == count) return count;
    return RefuseOption("value_error", name, "must be an integer of at least 1");
  }

  // A larger max_len changes no answer: what is longer than the model reads is refused, not cut.
  tl::expected<void, Fault> CheckBudgets() const {
    if (const JsonValue* value = Given(body_, "max_len")) {
      DIKAST_TRY(const double wanted, ReadCount("max_len", *value));
      if (wanted < info_.max_len) return RefuseBudget("max_len", info_.max_len);
    }
    if (const JsonValue* value = Given(body_, "head_max_len")) {
      DIKAST_TRY(const double wanted, ReadCount("head_max_len", *value));
      if (wanted != info_.head_max_len) return RefuseBudget("head_max_len", info_.head_max_len);
    }
    return {};
  }

  tl::unexpected<Fault> RefuseBudget(std::string_view name, uint32_t own) const {
    return RefuseOption("unsupported_option", name,
                        "is not supported: every request is read with the model's own, " +
                            std::to_string(own) + "; leave it out");
  }

  // The server cuts its batches itself, by tokens and over all clients.
  tl::expected<void, Fault> CheckBatch() const {
    if (const JsonValue* value = Given(body_, "batch_size")) {
      DIKAST_TRY([[maybe_unused]] const double size, ReadCount("batch_size", *value));
    }
    const JsonValue* sort = Given(body_, "sort_by_length");
    if (sort && !sort->AsBool()) return RefuseKind("sort_by_length", "a boolean", *sort);
    return {};
  }

  const JsonValue& body_;
  const ModelInfo& info_;
  const std::string& path_;
};

}  // namespace

tl::expected<void, Fault> CheckLayaOptions(const JsonValue& body, const CallContext& context,
                                           const std::string& path, bool batch) {
  return LayaOptions(body, context, path).Check(batch);
}

}  // namespace dikast::server
