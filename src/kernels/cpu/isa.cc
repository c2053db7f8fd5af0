// The one place that says which tables exist here: compiled in, and able to run on this machine.
#include "kernels/ops.h"

namespace dikast {

const Ops* FindOps(Isa isa) { return isa == Isa::kScalar ? &ReferenceOps() : nullptr; }

std::span<const Isa> AvailableIsaList() {
  static constexpr Isa kList[] = {Isa::kScalar};
  return kList;
}

std::string_view IsaName(Isa isa) {
  switch (isa) {
    case Isa::kScalar:
      return "scalar";
    case Isa::kAvx2:
      return "avx2";
    case Isa::kAvx512:
      return "avx512";
  }
  return "?";
}

std::optional<Isa> IsaFromName(std::string_view name) {
  for (const Isa isa : {Isa::kScalar, Isa::kAvx2, Isa::kAvx512}) {
    if (name == IsaName(isa)) return isa;
  }
  return std::nullopt;
}

}  // namespace dikast
