// Encoding allocates nothing for a token: once a thread has seen texts of a size, nothing at all.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "tests/text/random_text.h"
#include "tests/text/tokenizer_data.h"

namespace {

std::atomic<long> allocations = 0;

void* Counted(size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(size_t size) { return Counted(size); }
void* operator new[](size_t size) { return Counted(size); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t) noexcept { std::free(p); }

namespace dikast::text_test {
namespace {

// The number of texts that failed.
long EncodeAll(const Tokenizer& tokenizer, const std::vector<std::string>& texts, AddedTokens mode,
               std::vector<int32_t>& ids) {
  long failed = 0;
  for (const std::string& text : texts) {
    ids.clear();
    failed += !tokenizer.Encode(text, mode, ids);
  }
  return failed;
}

TEST(Allocations, NoneOnceTheScratchHasGrown) {
  const Tokenizer other =
      LoadOrDie(R"({"version":"1.0","model":{"type":"BPE","vocab":{"a":0},"merges":[]}})");
  for (const char* name : kAllTokenizers) {
    const Tokenizer* tokenizer = FindTokenizer(name);
    if (!tokenizer) continue;  // Gemma's tests say so
    RandomText random;
    std::vector<std::string> texts;
    for (int i = 0; i < 300; ++i) texts.push_back(random.Text());
    std::vector<int32_t> ids;
    for (const auto mode : {AddedTokens::kText, AddedTokens::kMatch}) {
      EncodeAll(*tokenizer, texts, mode, ids);
      EncodeOrDie(other, "a", mode);  // empties the word cache: the models have to work again
      const long before = allocations;
      EXPECT_EQ(EncodeAll(*tokenizer, texts, mode, ids), 0);
      EXPECT_EQ(allocations - before, 0) << name << ", " << random.seed();
    }
  }
}

}  // namespace
}  // namespace dikast::text_test
