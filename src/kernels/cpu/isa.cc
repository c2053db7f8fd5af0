// The one place that says which tables exist here: compiled in, and able to run on this machine.
#include "kernels/cpu/cpu_ops.h"

namespace dikast {
namespace {

bool MachineHas(Isa isa) {
  switch (isa) {
    case Isa::kScalar:
      return true;
#ifdef __x86_64__
    case Isa::kAvx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
             __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    case Isa::kAvx512:
      return MachineHas(Isa::kAvx2) && __builtin_cpu_supports("avx512f") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl");
#endif
    default:
      return false;
  }
}

const Ops* CompiledOps(Isa isa) {
  switch (isa) {
    case Isa::kScalar:
      return &ReferenceOps();
#ifdef __x86_64__
    case Isa::kAvx2:
      return &Avx2Ops();
    case Isa::kAvx512:
      return &Avx512Ops();
#endif
    default:
      return nullptr;
  }
}

constexpr Isa kBestFirst[] = {Isa::kAvx512, Isa::kAvx2, Isa::kScalar};

}  // namespace

const Ops* FindOps(Isa isa) { return MachineHas(isa) ? CompiledOps(isa) : nullptr; }

// Each ISA includes those after it.
std::span<const Isa> AvailableIsaList() {
  std::span<const Isa> list = kBestFirst;
  while (!FindOps(list.front())) list = list.subspan(1);
  return list;
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
  for (const Isa isa : kBestFirst) {
    if (name == IsaName(isa)) return isa;
  }
  return std::nullopt;
}

}  // namespace dikast
