// Relative positions by buckets of distance: T5 (Raffel et al. 2020, arXiv:1910.10683,
// section 2.1), bidirectional, as MPNet uses them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/aligned_buffer.h"

namespace dikast {

// The bucket of a key at `distance` = key - query. Half of the buckets are for keys after the
// query; of each half, half hold one distance each, and the rest grow by a constant factor up to
// 128. `buckets` is a multiple of 4, at least 8.
uint32_t RelativeBucket(int64_t distance, uint32_t buckets);

// From [buckets, heads] to the table of DistanceBias: [heads, 2 * reach + 1]. May throw
// std::bad_alloc.
AlignedBuffer<float> SpreadBuckets(const AlignedBuffer<float>& by_bucket, size_t heads,
                                   uint32_t buckets, size_t reach);

}  // namespace dikast
