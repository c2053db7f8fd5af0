// Shared by the kernel tests: random input with a printed seed, a context for an op table, and the
// largest distance from the oracle.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "kernels/ops.h"

namespace dikast {

// Fresh in each run; DIKAST_SEED repeats one.
inline uint32_t Seed() {
  static const uint32_t seed = [] {
    const char* text = std::getenv("DIKAST_SEED");
    const uint32_t value =
        text ? static_cast<uint32_t>(std::strtoul(text, nullptr, 10)) : std::random_device{}();
    std::printf("DIKAST_SEED=%u\n", value);
    return value;
  }();
  return seed;
}

class Random {
 public:
  explicit Random(uint32_t stream = 0) : engine_(Seed() + stream) {}

  float Normal() { return std::normal_distribution<float>()(engine_); }
  size_t Between(size_t low, size_t high) {
    return std::uniform_int_distribution<size_t>(low, high)(engine_);
  }
  // Of exactly this size, so that a sanitizer sees a read or write past the end.
  std::vector<float> Normals(size_t count, float deviation = 1) {
    std::vector<float> values(count);
    for (float& value : values) value = deviation * Normal();
    return values;
  }

 private:
  std::mt19937 engine_;
};

// A pool and scratch of the size that the table asks for.
class Machine {
 public:
  Machine(const Ops& ops, size_t max_sequence, size_t max_inputs, size_t head_dim, int threads = 1)
      : pool_(threads),
        floats_(ops.scratch_floats(max_sequence, max_inputs, head_dim)),
        scratch_(floats_ * threads) {
    std::fill_n(scratch_.data(), scratch_.size(), NAN);
  }
  OpContext context() { return {pool_, scratch_.span(), floats_}; }

 private:
  ThreadPool pool_;
  size_t floats_;
  AlignedBuffer<float> scratch_;
};

inline StoredTensor F32Tensor(std::span<const float> values, size_t rows, size_t columns) {
  return {.storage = Storage::kF32,
          .rows = rows,
          .columns = columns,
          .data = std::as_bytes(values).data()};
}

// The largest |found - expected| / scale; a NaN counts as infinite.
class Distance {
 public:
  Distance(std::string name, double bound) : name_(std::move(name)), bound_(bound) {}
  ~Distance() {
    std::printf("%-28s largest distance %.2e, bound %.1e\n", name_.c_str(), largest_, bound_);
    EXPECT_LE(largest_, bound_) << name_;
  }
  void Add(double found, double expected, double scale) {
    const double distance = found == expected ? 0 : std::abs(found - expected) / scale;
    largest_ = distance <= largest_ ? largest_ : std::isnan(distance) ? INFINITY : distance;
  }

 private:
  std::string name_;
  double bound_, largest_ = 0;
};

// Bits, so that -0 differs from 0 and NaN equals itself.
inline bool SameBits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

inline std::string Name(Isa isa, const char* op) { return std::string(IsaName(isa)) + " " + op; }

}  // namespace dikast
