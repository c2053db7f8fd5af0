// The vector of the ISA that the including file is compiled for. Everything in this folder is in
// unnamed namespaces: each ISA has its own copy.
#pragma once

#define HWY_COMPILE_ONLY_STATIC
// The kernels need neither, so that a machine without them still counts as AVX2.
#define HWY_DISABLE_PCLMUL_AES
#define HWY_DISABLE_F16C
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cstddef>

namespace dikast {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Lanes = hn::ScalableTag<float>;
using Vector = hn::Vec<Lanes>;
constexpr Lanes kTag;
constexpr size_t kLanes = hn::MaxLanes(kTag);

// Memory access of a whole vector, or of the first lanes of the last one in a row.
struct Whole {
  Vector Load(const float* p) const { return hn::LoadU(kTag, p); }
  Vector LoadOr(Vector, const float* p) const { return Load(p); }
  Vector Only(Vector v) const { return v; }
  void Store(Vector v, float* p) const { hn::StoreU(v, kTag, p); }
};

struct Part {
  hn::Mask<Lanes> mask;
  Vector Load(const float* p) const { return hn::MaskedLoad(mask, kTag, p); }
  Vector LoadOr(Vector other, const float* p) const { return hn::IfThenElse(mask, Load(p), other); }
  Vector Only(Vector v) const { return hn::IfThenElseZero(mask, v); }
  void Store(Vector v, float* p) const { hn::BlendedStore(v, mask, kTag, p); }
};

// Calls body(i, access) for each vector of a row; every element sees the same operations wherever
// the row ends.
template <class Body>
HWY_INLINE void ForEachVector(size_t columns, const Body& body) {
  size_t i = 0;
  for (; i + kLanes <= columns; i += kLanes) body(i, Whole{});
  if (i < columns) body(i, Part{hn::FirstN(kTag, columns - i)});
}

}  // namespace
}  // namespace dikast
