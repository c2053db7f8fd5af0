#include "base/stored_tensor.h"

#include <bit>
#include <cstring>

namespace dikast {
namespace {

// Element i of an unaligned little-endian array.
template <class T>
T Load(const std::byte* data, size_t i) {
  T value;
  std::memcpy(&value, data + i * sizeof(T), sizeof(T));
  return value;
}

// Every one of the 65,536 patterns exactly; NaN payloads move to the top of the mantissa.
float FromF16(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  const uint32_t magnitude = static_cast<uint32_t>(half & 0x7fff) << 13;
  constexpr uint32_t kRebias = (127 - 15) << 23, kTopExponent = 0x1f << 23;
  if (magnitude >= kTopExponent) return std::bit_cast<float>(sign | magnitude | 0x7f800000);
  // Without an implicit one: give it that one at exponent 2^-14, then take it away again.
  constexpr uint32_t kOne = kRebias + (1 << 23);
  const float value = magnitude < (1 << 23)
                          ? std::bit_cast<float>(magnitude + kOne) - std::bit_cast<float>(kOne)
                          : std::bit_cast<float>(magnitude + kRebias);
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(value));
}

float FromBF16(uint16_t half) { return std::bit_cast<float>(static_cast<uint32_t>(half) << 16); }

float LoadScale(Storage storage, const std::byte* data, size_t i) {
  switch (storage) {
    case Storage::kF16:
      return FromF16(Load<uint16_t>(data, i));
    case Storage::kBF16:
      return FromBF16(Load<uint16_t>(data, i));
    default:
      return Load<float>(data, i);
  }
}

// Little-endian words with the first code in the low bits are, byte by byte, codes in order.
template <int kBits>
uint32_t LoadCode(const std::byte* codes, size_t i) {
  constexpr size_t kPerByte = 8 / kBits;
  const auto byte = static_cast<uint32_t>(codes[i / kPerByte]);
  return byte >> (i % kPerByte * kBits) & ((1u << kBits) - 1);
}

template <int kBits>
void ExpandAffine(const StoredTensor& t, size_t row, float* out) {
  const std::byte* codes = t.data + row * (t.columns * kBits / 8);
  const size_t first_group = row * (t.columns / t.group);
  for (size_t begin = 0; begin < t.columns; begin += t.group) {
    const size_t g = first_group + begin / t.group;
    const float scale = LoadScale(t.scale_storage, t.scales, g);
    const float bias = LoadScale(t.scale_storage, t.biases, g);
    for (size_t i = begin; i < begin + t.group; ++i) {
      out[i] = scale * static_cast<float>(LoadCode<kBits>(codes, i)) + bias;
    }
  }
}

template <float (*kConvert)(uint16_t)>
void ExpandHalf(const StoredTensor& t, size_t row, float* out) {
  const std::byte* data = t.data + row * t.columns * sizeof(uint16_t);
  for (size_t i = 0; i < t.columns; ++i) out[i] = kConvert(Load<uint16_t>(data, i));
}

}  // namespace

std::string_view StorageName(Storage storage) {
  switch (storage) {
    case Storage::kF32:
      return "F32";
    case Storage::kF16:
      return "F16";
    case Storage::kBF16:
      return "BF16";
    case Storage::kAffine8:
      return "affine8";
    case Storage::kAffine4:
      return "affine4";
  }
  return "?";
}

void ExpandRow(const StoredTensor& t, size_t row, float* out) {
  const size_t f32_row_bytes = t.columns * sizeof(float);
  switch (t.storage) {
    case Storage::kF32:
      std::memcpy(out, t.data + row * f32_row_bytes, f32_row_bytes);
      break;
    case Storage::kF16:
      ExpandHalf<FromF16>(t, row, out);
      break;
    case Storage::kBF16:
      ExpandHalf<FromBF16>(t, row, out);
      break;
    case Storage::kAffine8:
      ExpandAffine<8>(t, row, out);
      break;
    case Storage::kAffine4:
      ExpandAffine<4>(t, row, out);
      break;
  }
}

}  // namespace dikast
