#include "tests/errors/tensor_file.h"

#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/json_writer.h"
#include "tests/errors/json_edit.h"

namespace dikast::test {
namespace {

JsonValue Number(uint64_t value) { return JsonValue{JsonNumber{std::to_string(value)}}; }

uint64_t Offset(const JsonValue& tensor, size_t side) {
  const JsonValue& offset = (*tensor.Find("data_offsets")->AsArray())[side];
  return static_cast<uint64_t>(*offset.AsNumber()->ToInteger());
}

bool Matches(const std::string& name, const std::string& pattern) {
  if (!pattern.ends_with('*')) return name == pattern;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

uint64_t ElementBytes(const std::string& dtype) {
  if (dtype == "F64" || dtype == "I64") return 8;
  if (dtype == "F32" || dtype == "I32" || dtype == "U32") return 4;
  return dtype == "F16" || dtype == "BF16" || dtype == "I16" ? 2 : 1;
}

// Every tensor with its own bytes, in the order of the header.
std::vector<std::pair<JsonMember, std::string>> TakeApart(const TensorFile& tensors) {
  std::vector<std::pair<JsonMember, std::string>> parts;
  for (const JsonMember& member : *tensors.header.AsObject()) {
    const uint64_t begin = Offset(member.value, 0), end = Offset(member.value, 1);
    parts.emplace_back(member, tensors.data.substr(begin, end - begin));
  }
  return parts;
}

TensorFile PutTogether(std::vector<std::pair<JsonMember, std::string>> parts) {
  TensorFile tensors{JsonValue{JsonObject()}, {}};
  for (auto& [member, bytes] : parts) {
    const uint64_t begin = tensors.data.size();
    SetAt(member.value, "/data_offsets",
          JsonValue{JsonArray{Number(begin), Number(begin + bytes.size())}});
    tensors.data += bytes;
    std::get<JsonObject>(tensors.header.value).push_back(std::move(member));
  }
  return tensors;
}

}  // namespace

TensorFile ReadTensorFile(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream bytes;
  bytes << in.rdbuf();
  const std::string text = bytes.str();
  uint64_t length = 0;
  std::memcpy(&length, text.data(), sizeof length);
  Result<JsonValue> header = ParseJson(std::string_view(text).substr(sizeof length, length));
  if (!header) throw std::runtime_error(header.error().message);
  return {*std::move(header), text.substr(sizeof length + length)};
}

void WriteTensorFile(const std::filesystem::path& file, const TensorFile& tensors) {
  const std::string header = JsonWriter().Value(tensors.header).Take();
  const uint64_t length = header.size();
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(&length), sizeof length);
  out << header << tensors.data;
}

void DropTensor(TensorFile& tensors, const std::string& name) {
  auto parts = TakeApart(tensors);
  const size_t dropped =
      std::erase_if(parts, [&](const auto& part) { return Matches(part.first.key, name); });
  if (dropped == 0) throw std::runtime_error("no tensor " + name);
  tensors = PutTogether(std::move(parts));
}

void RenameTensor(TensorFile& tensors, const std::string& name, const std::string& to) {
  for (JsonMember& member : std::get<JsonObject>(tensors.header.value)) {
    if (member.key != name) continue;
    member.key = to;
    return;
  }
  throw std::runtime_error("no tensor " + name);
}

void PutZeros(TensorFile& tensors, const std::string& name, const std::string& dtype,
              const JsonArray& shape) {
  auto parts = TakeApart(tensors);
  std::erase_if(parts, [&](const auto& part) { return part.first.key == name; });
  uint64_t bytes = ElementBytes(dtype);
  for (const JsonValue& size : shape) bytes *= static_cast<uint64_t>(*size.AsNumber()->ToInteger());
  JsonObject tensor{{"dtype", JsonValue{dtype}}, {"shape", JsonValue{shape}}};
  parts.emplace_back(JsonMember{name, JsonValue{std::move(tensor)}}, std::string(bytes, '\0'));
  tensors = PutTogether(std::move(parts));
}

void FillTensor(TensorFile& tensors, const std::string& name, float value) {
  const JsonValue* tensor = tensors.header.Find(name);
  if (!tensor) throw std::runtime_error("no tensor " + name);
  for (uint64_t at = Offset(*tensor, 0); at < Offset(*tensor, 1); at += sizeof value) {
    std::memcpy(tensors.data.data() + at, &value, sizeof value);
  }
}

}  // namespace dikast::test
