#include "runtime/isa_choice.h"

#include <cstdlib>

#include "dikast/engine.h"

namespace dikast {
namespace {

std::string Joined(const std::vector<std::string>& names) {
  std::string joined;
  for (const std::string& name : names) joined += (joined.empty() ? "" : ", ") + name;
  return joined;
}

}  // namespace

std::vector<std::string> AvailableIsas() {
  std::vector<std::string> names;
  for (const Isa isa : AvailableIsaList()) names.emplace_back(IsaName(isa));
  return names;
}

Result<const Ops*> ChooseIsa(const std::string& isa) {
  const char* variable = std::getenv("DIKAST_ISA");
  const bool asked = !isa.empty();
  const std::string name = asked ? isa : variable != nullptr ? variable : "";
  if (name.empty()) return FindOps(AvailableIsaList().front());
  const std::optional<Isa> known = IsaFromName(name);
  if (const Ops* ops = known ? FindOps(*known) : nullptr) return ops;
  return Fail(ErrorCode::kUsage,
              "instruction set '" + name + "' is not available; this machine has " +
                  Joined(AvailableIsas()),
              asked ? "--isa" : "$DIKAST_ISA");
}

int ChooseThreads(int threads) { return threads > 0 ? threads : UsableCores(); }

}  // namespace dikast
