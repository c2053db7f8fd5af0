// Arithmetic that notices overflow, for sizes that come from files and requests.
#pragma once

#include <concepts>
#include <optional>

namespace dikast {

template <std::unsigned_integral T>
std::optional<T> CheckedAdd(T a, T b) {
  T sum;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

template <std::unsigned_integral T>
std::optional<T> CheckedMul(T a, T b) {
  T product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

}  // namespace dikast
