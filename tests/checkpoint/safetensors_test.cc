#include "checkpoint/safetensors.h"

#include <fstream>
#include <optional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dikast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string File(const std::string& header, size_t data_bytes,
                 std::optional<uint64_t> length = std::nullopt) {
  const uint64_t written = length.value_or(header.size());
  std::string file(reinterpret_cast<const char*>(&written), sizeof(written));
  return file + header + std::string(data_bytes, '\x01');
}

Result<TensorMap> Parse(const std::string& file) {
  return ParseSafeTensors(std::as_bytes(std::span(file)), "m.safetensors");
}

std::string Tensor(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

TEST(SafeTensors, ReadsTensorsInAnyOrderOfBytes) {
  const std::string file = File(
      R"({"__metadata__":{"format":"pt"},"b":)" + Tensor("F16", "[2,3]", "[4,16]") + R"(,"a":)" +
          Tensor("F32", "[1]", "[0,4]") + R"(,"s":)" + Tensor("U8", "[]", "[16,17]") +
          R"(,"none":)" + Tensor("F32", "[0,5]", "[17,17]") + "}  ",
      17);
  const auto tensors = Parse(file);
  ASSERT_TRUE(tensors) << tensors.error().message;
  ASSERT_EQ(tensors->size(), 4u);
  const SafeTensor& b = tensors->at("b");
  EXPECT_EQ(b.dtype, "F16");
  EXPECT_THAT(b.shape, ElementsAre(2, 3));
  EXPECT_EQ(b.bytes.size(), 12u);
  EXPECT_EQ(reinterpret_cast<const char*>(b.bytes.data()), file.data() + file.size() - 13);
  EXPECT_TRUE(tensors->at("none").bytes.empty());
}

TEST(SafeTensors, AFileWithoutTensorsIsWellFormed) {
  const auto tensors = Parse(File("{}", 0));
  ASSERT_TRUE(tensors) << tensors.error().message;
  EXPECT_TRUE(tensors->empty());
}

struct Damage {
  const char* name;
  std::string file;
  std::vector<std::string> message;  // parts of it
};

void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.name; }

std::string One(const std::string& tensor, size_t data_bytes) {
  return File(R"({"w":)" + tensor + "}", data_bytes);
}
std::string Two(const std::string& first, const std::string& second, size_t data_bytes) {
  return File(R"({"a":)" + first + R"(,"b":)" + second + "}", data_bytes);
}

const Damage kDamages[] = {
    {"Empty", "", {"has 0 bytes", "8-byte header length"}},
    {"ShortLength", std::string(3, '\0'), {"has 3 bytes"}},
    {"HugeHeader", File("{}", 0, 100'000'001), {"100000001", "100000000"}},
    {"LargestLength", File("{}", 0, ~uint64_t{0}), {"18446744073709551615"}},
    {"TruncatedHeader", File("{}", 0, 3), {"needs 3 bytes", "only 2", "truncated"}},
    {"NoJson", File("{\"w\":", 0), {"the header is not JSON"}},
    {"NoObject", File("[]", 0), {"found an array"}},
    {"EmptyHeader", File("", 0), {"the header is not JSON"}},
    {"TwoValues", File("{}{}", 0), {"the header is not JSON"}},
    {"TensorIsNoObject", One("3", 0), {"\"w\"", "found a number"}},
    {"TensorIsNull", One("null", 0), {"\"w\"", "found null"}},
    {"TensorIsNested", One(R"({"dtype":{}})", 0), {"\"w\"", "found an object in dtype"}},
    {"NoDtype", One(R"({"shape":[],"data_offsets":[0,1]})", 1), {"\"w\"", "no dtype"}},
    {"NoShape", One(R"({"dtype":"F32","data_offsets":[0,4]})", 4), {"\"w\"", "no shape"}},
    {"NoOffsets", One(R"({"dtype":"F32","shape":[1]})", 4), {"\"w\"", "no data_offsets"}},
    {"UnknownMember", One(R"({"stride":1})", 4), {"\"w\"", "unknown member \"stride\""}},
    {"RepeatedMember", One(R"({"dtype":"F32","dtype":"F16"})", 4), {"\"w\"", "dtype"}},
    {"RepeatedTensor",
     File(R"({"w":)" + Tensor("F32", "[1]", "[0,4]") + R"(,"w":)" + Tensor("F32", "[1]", "[4,8]") +
              "}",
          8),
     {"w"}},
    {"UnknownDtype", One(Tensor("F128", "[1]", "[0,16]"), 16), {"\"w\"", "\"F128\""}},
    {"DtypeIsNumber", One(R"({"dtype":32})", 0), {"\"w\"", "found a number in dtype"}},
    {"NegativeSize", One(Tensor("F32", "[-1]", "[0,4]"), 4), {"\"w\"", "shape", "\"-1\""}},
    {"FractionalSize", One(Tensor("F32", "[1.0]", "[0,4]"), 4), {"\"w\"", "shape", "\"1.0\""}},
    {"SizePast64Bits",
     One(Tensor("F32", "[18446744073709551616]", "[0,4]"), 4),
     {"\"w\"", "18446744073709551616"}},
    {"ProductOverflows",
     One(Tensor("F32", "[4294967296,4294967297]", "[0,4]"), 4),
     {"\"w\"", "[4294967296, 4294967297]", "more than 2^64", "4"}},
    {"TooManyDimensions",
     One(Tensor("F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]"), 4),
     {"\"w\"", "more than 8 dimensions"}},
    {"SizeMismatch", One(Tensor("F32", "[2,3]", "[0,20]"), 20), {"\"w\"", "[2, 3]", "24", "20"}},
    {"OneOffset", One(Tensor("F32", "[1]", "[0]"), 4), {"\"w\"", "data_offsets hold 1"}},
    {"ThreeOffsets", One(Tensor("F32", "[1]", "[0,4,8]"), 4), {"\"w\"", "data_offsets hold 3"}},
    {"OffsetsReversed", One(Tensor("F32", "[1]", "[4,0]"), 4), {"\"w\"", "start at 4", "end at 0"}},
    {"Truncated", One(Tensor("F32", "[2]", "[0,8]"), 7), {"\"w\"", "end at 8", "only 7"}},
    {"Overlap",
     Two(Tensor("F32", "[1]", "[0,4]"), Tensor("F32", "[1]", "[2,6]"), 6),
     {"\"b\"", "start at 2", "\"a\"", "ends at 4"}},
    {"SameBytesTwice",
     Two(Tensor("F32", "[1]", "[0,4]"), Tensor("F32", "[1]", "[0,4]"), 4),
     {"start at 0", "ends at 4"}},
    {"Hole",
     Two(Tensor("F32", "[1]", "[0,4]"), Tensor("F32", "[1]", "[5,9]"), 9),
     {"\"b\"", "start at 5", "ends at 4", "holes"}},
    {"HoleAtTheStart", One(Tensor("F32", "[1]", "[4,8]"), 8), {"\"w\"", "start at 4", "holes"}},
    {"TrailingBytes", One(Tensor("F32", "[1]", "[0,4]"), 6), {"byte 4", "has 6"}},
    {"MetadataIsNoObject", File(R"({"__metadata__":[]})", 0), {"found an array"}},
    {"MetadataOfNumbers", File(R"({"__metadata__":{"a":1}})", 0), {"found a number"}},
};

class Damaged : public ::testing::TestWithParam<Damage> {};
INSTANTIATE_TEST_SUITE_P(SafeTensors, Damaged, ::testing::ValuesIn(kDamages),
                         [](const auto& info) { return info.param.name; });

TEST_P(Damaged, IsRefusedWithTheFactsAndTheFile) {
  const auto tensors = Parse(GetParam().file);
  ASSERT_FALSE(tensors);
  EXPECT_EQ(tensors.error().code, ErrorCode::kModel);
  EXPECT_EQ(tensors.error().path, "m.safetensors");
  for (const std::string& part : GetParam().message) {
    EXPECT_THAT(tensors.error().message, HasSubstr(part));
  }
}

// A name from the file goes into the message without its control characters, and not at length.
TEST(SafeTensors, NamesInMessagesAreQuotedAndCut) {
  const std::string name = "\\u001b[31m" + std::string(1000, 'x');
  const auto tensors = Parse(File("{\"" + name + "\":3}", 0));
  ASSERT_FALSE(tensors);
  EXPECT_THAT(tensors.error().message, HasSubstr("\\u001b[31mxxx"));
  EXPECT_LT(tensors.error().message.size(), 400u);
}

TEST(SafeTensors, EveryPrefixOfAFileIsRefused) {
  const std::string file = Two(Tensor("F32", "[1]", "[0,4]"), Tensor("F32", "[1]", "[4,8]"), 8);
  ASSERT_TRUE(Parse(file));
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(Parse(file.substr(0, size))) << size << " bytes";
  }
}

TEST(SafeTensors, MapsAFile) {
  const std::string path = ::testing::TempDir() + "dikast_safetensors_test";
  std::ofstream(path, std::ios::binary) << One(Tensor("F32", "[1]", "[0,4]"), 4);
  const auto file = SafeTensors::Open(path);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->tensors().at("w").bytes.size(), 4u);
  EXPECT_EQ(file->tensors().at("w").bytes[3], std::byte{1});
  std::remove(path.c_str());
}

TEST(SafeTensors, AMissingFileIsNamed) {
  const auto file = SafeTensors::Open("/nonexistent/model.safetensors");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().path, "/nonexistent/model.safetensors");
}

}  // namespace
}  // namespace dikast
