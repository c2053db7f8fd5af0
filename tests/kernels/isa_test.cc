#include "tests/kernels/harness.h"

namespace dikast {
namespace {

TEST(Isa, ListSaysWhatRunsHere) {
  std::string names;
  for (const Isa isa : AvailableIsaList()) {
    names += std::string(" ") + std::string(IsaName(isa));
    ASSERT_NE(FindOps(isa), nullptr);
    EXPECT_EQ(FindOps(isa)->isa, isa);
  }
  std::printf("ISA paths under test:%s\n", names.c_str());
  EXPECT_EQ(AvailableIsaList().back(), Isa::kScalar);
  EXPECT_EQ(FindOps(Isa::kScalar), &ReferenceOps());
}

TEST(Isa, NamesReadBack) {
  for (const Isa isa : {Isa::kScalar, Isa::kAvx2, Isa::kAvx512}) {
    EXPECT_EQ(IsaFromName(IsaName(isa)), isa);
  }
  for (const char* name : {"", "AVX2", "avx", "sse2", "avx512 "}) {
    EXPECT_EQ(IsaFromName(name), std::nullopt) << name;
  }
}

TEST(Isa, ListHasWhatTheMachineHas) {
#ifdef __x86_64__
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  EXPECT_EQ(FindOps(Isa::kAvx2) != nullptr, avx2);
  EXPECT_EQ(FindOps(Isa::kAvx512) != nullptr, __builtin_cpu_supports("avx512vl") && avx2);
#endif
}

TEST(Cuda, IsAbsentUnlessLinked) { EXPECT_EQ(CudaOps(), nullptr); }

}  // namespace
}  // namespace dikast
