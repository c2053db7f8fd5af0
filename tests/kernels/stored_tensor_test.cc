// ExpandRow for every storage, and the packing of every storage against it.
#include <bit>

#include "tests/kernels/harness.h"

namespace dikast {
namespace {

// From the definition of binary16, not from bit tricks.
double HalfValue(uint16_t half) {
  const int exponent = half >> 10 & 31, mantissa = half & 1023;
  const double sign = half >> 15 ? -1 : 1;
  if (exponent == 31) return mantissa ? NAN : sign * INFINITY;
  return sign * (exponent ? std::ldexp(1024 + mantissa, exponent - 25) : std::ldexp(mantissa, -24));
}

std::vector<uint16_t> AllPatterns() {
  std::vector<uint16_t> patterns(65536);
  for (size_t i = 0; i < patterns.size(); ++i) patterns[i] = static_cast<uint16_t>(i);
  return patterns;
}

std::vector<float> Expanded(const StoredTensor& tensor) {
  std::vector<float> values(tensor.rows * tensor.columns);
  for (size_t r = 0; r < tensor.rows; ++r) ExpandRow(tensor, r, &values[r * tensor.columns]);
  return values;
}

TEST(ExpandRow, EveryF16PatternIsExact) {
  const auto patterns = AllPatterns();
  const auto values = Expanded({.storage = Storage::kF16,
                                .rows = 64,
                                .columns = 1024,
                                .data = std::as_bytes(std::span(patterns)).data()});
  for (size_t i = 0; i < patterns.size(); ++i) {
    const double expected = HalfValue(patterns[i]);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(values[i])) << i;
    } else {
      ASSERT_EQ(values[i], expected) << i;
    }
    ASSERT_EQ(std::signbit(values[i]), i >= 0x8000) << i;
  }
}

TEST(ExpandRow, EveryBF16PatternIsTheUpperHalf) {
  const auto patterns = AllPatterns();
  const auto values = Expanded({.storage = Storage::kBF16,
                                .rows = 1,
                                .columns = 65536,
                                .data = std::as_bytes(std::span(patterns)).data()});
  for (size_t i = 0; i < patterns.size(); ++i) {
    ASSERT_EQ(std::bit_cast<uint32_t>(values[i]), static_cast<uint32_t>(i) << 16);
  }
}

// A tensor of random bytes whose arrays start one byte off any alignment.
class RandomTensor {
 public:
  RandomTensor(Random& random, Storage storage, Storage scales, size_t rows, size_t columns)
      : tensor_{.storage = storage, .rows = rows, .columns = columns} {
    const size_t bits[] = {32, 16, 16, 8, 4};
    data_ = Bytes(random, rows * columns * bits[static_cast<int>(storage)] / 8);
    tensor_.data = data_.data() + 1;
    if (storage != Storage::kAffine8 && storage != Storage::kAffine4) {
      Finite(random, storage, rows * columns, data_);
      return;
    }
    const size_t groups = rows * columns / tensor_.group;
    tensor_.scale_storage = scales;
    for (auto* array : {&scales_, &biases_}) {
      *array = Bytes(random, groups * bits[static_cast<int>(scales)] / 8);
      Finite(random, scales, groups, *array);
    }
    tensor_.scales = scales_.data() + 1;
    tensor_.biases = biases_.data() + 1;
  }
  const StoredTensor& get() const { return tensor_; }

 private:
  static std::vector<std::byte> Bytes(Random& random, size_t count) {
    std::vector<std::byte> bytes(count + 1);
    for (std::byte& b : bytes) b = static_cast<std::byte>(random.Between(0, 255));
    return bytes;
  }
  // Numbers of both signs around 1 in the given storage.
  static void Finite(Random& random, Storage storage, size_t count, std::vector<std::byte>& bytes) {
    for (size_t i = 0; i < count; ++i) {
      const float value = random.Normal();
      const auto high = static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16);
      const auto half =
          static_cast<uint16_t>(random.Between(0x2c00, 0x3fff) | random.Between(0, 1) << 15);
      if (storage == Storage::kF32) std::memcpy(&bytes[1 + 4 * i], &value, 4);
      if (storage == Storage::kF16) std::memcpy(&bytes[1 + 2 * i], &half, 2);
      if (storage == Storage::kBF16) std::memcpy(&bytes[1 + 2 * i], &high, 2);
    }
  }

  StoredTensor tensor_;
  std::vector<std::byte> data_, scales_, biases_;
};

float ScaleAt(const StoredTensor& t, const std::byte* array, size_t i) {
  if (t.scale_storage == Storage::kF32) {
    float value;
    std::memcpy(&value, array + 4 * i, 4);
    return value;
  }
  uint16_t half;
  std::memcpy(&half, array + 2 * i, 2);
  return t.scale_storage == Storage::kF16 ? static_cast<float>(HalfValue(half))
                                          : std::bit_cast<float>(static_cast<uint32_t>(half) << 16);
}

TEST(ExpandRow, AffineFollowsTheWords) {
  Random random(1);
  size_t negative_scales = 0;
  for (const auto& [storage, per_word] :
       {std::pair{Storage::kAffine8, 4u}, {Storage::kAffine4, 8u}}) {
    for (const Storage scales : {Storage::kF16, Storage::kBF16, Storage::kF32}) {
      const RandomTensor owner(random, storage, scales, 5, 192);
      const StoredTensor& t = owner.get();
      const auto values = Expanded(t);
      const unsigned bits = 32 / per_word;
      for (size_t i = 0; i < values.size(); ++i) {
        uint32_t word;
        std::memcpy(&word, t.data + i / per_word * 4, 4);
        const uint32_t code = word >> (i % per_word * bits) & ((1u << bits) - 1);
        const float scale = ScaleAt(t, t.scales, i / t.group);
        const float product = scale * static_cast<float>(code);
        ASSERT_EQ(values[i], product + ScaleAt(t, t.biases, i / t.group)) << i;
        negative_scales += scale < 0;
      }
    }
  }
  EXPECT_GT(negative_scales, 0u);
}

TEST(ExpandRow, NamesEveryStorage) {
  EXPECT_EQ(StorageName(Storage::kF32), "F32");
  EXPECT_EQ(StorageName(Storage::kF16), "F16");
  EXPECT_EQ(StorageName(Storage::kBF16), "BF16");
  EXPECT_EQ(StorageName(Storage::kAffine8), "affine8");
  EXPECT_EQ(StorageName(Storage::kAffine4), "affine4");
}

// A product with the rows of the identity reads the packed weights back, bit for bit.
TEST(Pack, EveryStorageReadsBack) {
  Random random(2);
  for (const Isa isa : AvailableIsaList()) {
    const Ops& ops = *FindOps(isa);
    for (const Storage storage :
         {Storage::kF32, Storage::kF16, Storage::kBF16, Storage::kAffine8, Storage::kAffine4}) {
      for (const size_t outputs : {1, 15, 16, 33, 48, 97}) {
        const RandomTensor weight(random, storage, Storage::kBF16, outputs, 128);
        const auto expected = Expanded(weight.get());
        const PackedMatrix packed = ops.pack(weight.get());
        ASSERT_EQ(packed.outputs, outputs);
        ASSERT_EQ(packed.inputs, 128u);
        ASSERT_EQ(packed.isa, isa);
        std::vector<float> identity(128 * 128), product(128 * outputs);
        for (size_t i = 0; i < 128; ++i) identity[i * 128 + i] = 1;
        Machine machine(ops, 1, 128, 64);
        ops.linear(machine.context(), identity.data(), 128, packed, nullptr, Activation::kNone,
                   nullptr, product.data());
        for (size_t o = 0; o < outputs; ++o) {
          for (size_t i = 0; i < 128; ++i) {
            ASSERT_EQ(product[i * outputs + o], expected[o * 128 + i])
                << IsaName(isa) << " " << StorageName(storage) << " " << o << "," << i;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace dikast
