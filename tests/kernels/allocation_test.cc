// Ops allocate nothing. Counts the calls of operator new, malloc and aligned_alloc in the linked
// libraries (wrapped by the linker, see CMakeLists.txt).
#include <atomic>

#include "tests/kernels/harness.h"

namespace {
std::atomic<size_t> allocations = 0;
}

extern "C" {
void* __real_malloc(size_t size);
void* __real_aligned_alloc(size_t alignment, size_t size);
void* __real__Znwm(size_t size);
void* __wrap_malloc(size_t size) {
  ++allocations;
  return __real_malloc(size);
}
void* __wrap_aligned_alloc(size_t alignment, size_t size) {
  ++allocations;
  return __real_aligned_alloc(alignment, size);
}
void* __wrap__Znwm(size_t size) {  // operator new
  ++allocations;
  return __real__Znwm(size);
}
}

namespace dikast {
namespace {

TEST(Allocation, TheCounterCounts) {
  const size_t before = allocations;
  const AlignedBuffer<float> buffer(10);
  const auto number = std::make_unique<int>(1);
  EXPECT_EQ(allocations - before, 2u);
}

TEST(Allocation, OpsAllocateNothing) {
  constexpr size_t kRows = 300, kHeads = 2, kDim = 64, kWidth = kHeads * kDim;
  Random random(50);
  for (const Isa isa : AvailableIsaList()) {
    for (const int threads : {1, 2}) {
      const Ops& ops = *FindOps(isa);
      Machine machine(ops, kRows, 3 * kWidth, kDim, threads);
      const OpContext context = machine.context();
      const auto w = random.Normals(3 * kWidth * kWidth), table = random.Normals(kRows * kDim / 2);
      const PackedMatrix packed = ops.pack(F32Tensor(w, 3 * kWidth, kWidth));
      auto x = random.Normals(kRows * kWidth);
      std::vector<float> qkv(kRows * 3 * kWidth);
      std::vector<int32_t> ids(kRows);
      std::vector<uint32_t> rows(kRows);
      for (uint32_t i = 0; i < kRows; ++i) ids[i] = static_cast<int32_t>(rows[i] = i);
      const std::vector<uint32_t> offsets = {0, 20, kRows};
      const AttentionShape shape{kHeads, kDim, 3 * kWidth, 0.125f, 64};
      const StoredTensor embeddings = F32Tensor(x, kRows, kWidth);

      const size_t before = allocations;
      float* q = qkv.data();
      ops.embed(context, embeddings, ids, q);
      ops.layer_norm(context, x.data(), kRows, kWidth, w.data(), w.data(), 1e-5f, x.data());
      ops.linear(context, x.data(), kRows, packed, w.data(), Activation::kNone, nullptr, q);
      ops.rope(context, q, q + kWidth, kRows, shape, rows, {table, table});
      ops.attention(context, q, q + kWidth, q + 2 * kWidth, offsets, shape, x.data());
      ops.gated(context, q, kRows, kWidth, Activation::kGeluErf, x.data());
      ops.add_row(context, x.data(), kRows, kWidth, w.data(), x.data());
      ops.gather_rows(context, x.data(), rows, kWidth, q);
      EXPECT_EQ(allocations - before, 0u) << IsaName(isa) << ", " << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace dikast
