#include "models/relative_positions.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace dikast {

// In FP32, as the reference: where a bucket begins exactly at a distance, rounding decides.
uint32_t RelativeBucket(int64_t distance, uint32_t buckets) {
  constexpr float kFarthest = 128;
  const uint32_t half = buckets / 2, near = half / 2, growing = half - near;
  const uint32_t side = distance > 0 ? half : 0;
  const auto size = static_cast<uint32_t>(std::abs(distance));
  if (size < near) return side + size;
  const float share = std::log(static_cast<float>(size) / static_cast<float>(near)) /
                      std::log(kFarthest / static_cast<float>(near));
  const auto step = static_cast<uint32_t>(share * static_cast<float>(growing));
  return side + near + std::min(step, growing - 1);
}

AlignedBuffer<float> SpreadBuckets(const AlignedBuffer<float>& by_bucket, size_t heads,
                                   uint32_t buckets, size_t reach) {
  AlignedBuffer<float> table(heads * (2 * reach + 1));
  for (size_t at = 0; at <= 2 * reach; ++at) {
    const auto distance = static_cast<int64_t>(at) - static_cast<int64_t>(reach);
    const float* bucket = by_bucket.data() + RelativeBucket(distance, buckets) * heads;
    for (size_t h = 0; h < heads; ++h) table[h * (2 * reach + 1) + at] = bucket[h];
  }
  return table;
}

}  // namespace dikast
