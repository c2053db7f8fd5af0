// The forward pass allocates nothing. A program of its own: it takes malloc's place.
#include <atomic>
#include <cerrno>
#include <cstddef>

#include "tests/models/model_runner.h"
#include "tests/models/random_checkpoint.h"

namespace {
std::atomic<size_t> allocations = 0;
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define DIKAST_MALLOC_IS_TAKEN
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DIKAST_MALLOC_IS_TAKEN
#endif

#ifndef DIKAST_MALLOC_IS_TAKEN
// glibc's own functions under their second names; operator new comes here, too.
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);

void* malloc(size_t size) { return ++allocations, __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return ++allocations, __libc_calloc(count, size); }
void* realloc(void* p, size_t size) { return ++allocations, __libc_realloc(p, size); }
void* memalign(size_t to, size_t size) { return ++allocations, __libc_memalign(to, size); }
void* aligned_alloc(size_t to, size_t size) { return ++allocations, __libc_memalign(to, size); }
int posix_memalign(void** p, size_t to, size_t size) {
  ++allocations;
  *p = __libc_memalign(to, size);
  return *p ? 0 : ENOMEM;
}
void free(void* p) { __libc_free(p); }
}
#endif

namespace dikast::testing {
namespace {

// Allocations of one forward pass of the largest batch that the model was made for.
size_t AllocationsOf(const CheckpointConfig& config, Isa isa, int threads) {
  const RandomCheckpoint checkpoint(config, 1, Storage::kF32);
  const Sequence sequence{std::vector<int32_t>(150, 7), {3, 9, 149}, 1};
  const PackedBatch batch(std::vector<Sequence>(8, sequence));
  ModelRunner runner(checkpoint.config(), checkpoint.file(), isa, threads,
                     {.tokens = 8 * 150, .sequences = 8, .markers = 8 * 3, .sequence_tokens = 150});
  std::vector<float> logits(8 * 3), actions(8 * 2);
  const size_t before = allocations;
  runner.model().Forward(batch.view(), logits, actions);
  return allocations - before;
}

TEST(Allocations, TheCounterCounts) {
#ifdef DIKAST_MALLOC_IS_TAKEN
  GTEST_SKIP() << "a sanitizer has malloc's place";
#endif
  const size_t before = allocations;
  const std::vector<float> floats(1000);
  const AlignedBuffer<float> buffer(1000);
  EXPECT_EQ(allocations - before, 2u) << floats.data() << buffer.data();
}

TEST(Allocations, ForwardMakesNone) {
#ifdef DIKAST_MALLOC_IS_TAKEN
  GTEST_SKIP() << "a sanitizer has malloc's place";
#endif
  for (const Isa isa : AvailableIsaList()) {
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(std::string(IsaName(isa)) + ", threads " + std::to_string(threads));
      for (const uint32_t head_layers : {0, 2}) {
        EXPECT_EQ(AllocationsOf(SmallModernBert(head_layers), isa, threads), 0u);
        EXPECT_EQ(AllocationsOf(SmallBert(head_layers), isa, threads), 0u);
      }
    }
  }
}

}  // namespace
}  // namespace dikast::testing
