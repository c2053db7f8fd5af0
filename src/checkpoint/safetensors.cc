#include "checkpoint/safetensors.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/checked.h"
#include "base/quote.h"
#include "base/try.h"
#include "checkpoint/safetensors_header.h"

namespace dikast {
namespace {

// The format's own limit: 100 MB of header.
constexpr uint64_t kMaxHeaderBytes = 100'000'000;

struct DtypeSize {
  std::string_view name;
  uint64_t bytes;
};

constexpr DtypeSize kDtypes[] = {
    {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E5M2", 1}, {"F8_E4M3", 1},
    {"I16", 2},  {"U16", 2}, {"F16", 2}, {"BF16", 2},    {"I32", 4},
    {"U32", 4},  {"F32", 4}, {"F64", 8}, {"I64", 8},     {"U64", 8},
};

std::optional<uint64_t> DtypeBytes(std::string_view dtype) {
  for (const DtypeSize& known : kDtypes) {
    if (known.name == dtype) return known.bytes;
  }
  return std::nullopt;
}

// Checks one file; its errors carry the file's name.
class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  Result<TensorMap> Read() {
    DIKAST_TRY(const std::string_view header, Header());
    DIKAST_TRY(TensorMap tensors, ParseSafeTensorsHeader(header, file_));
    std::vector<Span> spans;
    for (auto& [name, tensor] : tensors) {
      DIKAST_CHECK_OK(CheckSize(name, tensor));
      tensor.bytes = data_.subspan(tensor.begin, tensor.end - tensor.begin);
      spans.push_back({tensor.begin, tensor.end, &name});
    }
    DIKAST_CHECK_OK(CheckLayout(spans));
    return tensors;
  }

 private:
  struct Span {
    uint64_t begin, end;
    const std::string* name;
  };

  tl::unexpected<Error> Damaged(std::string message) const {
    return Fail(ErrorCode::kModel, std::move(message), file_);
  }
  tl::unexpected<Error> DamagedTensor(const std::string& name, const std::string& message) const {
    return Damaged("tensor " + Quote(name) + ": " + message);
  }

  // Splits the file into the header's text and data_.
  Result<std::string_view> Header() {
    uint64_t length = 0;
    if (bytes_.size() < sizeof(length)) {
      return Damaged("the file has " + std::to_string(bytes_.size()) +
                     " bytes; a safetensors file starts with an 8-byte header length");
    }
    for (size_t i = sizeof(length); i-- > 0;) {
      length = length << 8 | std::to_integer<uint64_t>(bytes_[i]);
    }
    if (length > kMaxHeaderBytes) {
      return Damaged("the header length " + std::to_string(length) +
                     " is over the format's limit " + std::to_string(kMaxHeaderBytes) +
                     "; this is no safetensors file");
    }
    const uint64_t rest = bytes_.size() - sizeof(length);
    if (length > rest) {
      return Damaged("the header needs " + std::to_string(length) + " bytes but only " +
                     std::to_string(rest) + " follow; the file is truncated, fetch it again");
    }
    data_ = bytes_.subspan(sizeof(length) + length);
    return std::string_view(reinterpret_cast<const char*>(bytes_.data()) + sizeof(length), length);
  }

  Result<void> CheckSize(const std::string& name, const SafeTensor& tensor) const {
    const std::optional<uint64_t> element = DtypeBytes(tensor.dtype);
    if (!element) {
      return DamagedTensor(
          name, "the dtype " + Quote(tensor.dtype) + " is not one of the safetensors format");
    }
    if (tensor.begin > tensor.end) {
      return DamagedTensor(name, "data_offsets start at " + std::to_string(tensor.begin) +
                                     " but end at " + std::to_string(tensor.end));
    }
    if (tensor.end > data_.size()) {
      return DamagedTensor(name, "its bytes end at " + std::to_string(tensor.end) +
                                     " but the file has only " + std::to_string(data_.size()) +
                                     " bytes of data; the file is truncated, fetch it again");
    }
    std::optional<uint64_t> need = element;
    for (const uint64_t dimension : tensor.shape) {
      need = need ? CheckedMul(*need, dimension) : need;
    }
    if (need == tensor.end - tensor.begin) return {};
    return DamagedTensor(name, "shape " + ShapeText(tensor.shape) + " of " + tensor.dtype +
                                   " needs " + (need ? std::to_string(*need) : "more than 2^64") +
                                   " bytes but data_offsets hold " +
                                   std::to_string(tensor.end - tensor.begin));
  }

  // The tensors must tile the data exactly: bytes that belong to two or to none are a fault.
  Result<void> CheckLayout(std::vector<Span>& spans) const {
    std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    uint64_t end = 0;
    const std::string* previous = nullptr;
    for (const Span& span : spans) {
      if (span.begin < end) {
        return DamagedTensor(*span.name, "its bytes start at " + std::to_string(span.begin) +
                                             ", inside tensor " + Quote(*previous) +
                                             ", which ends at " + std::to_string(end));
      }
      if (span.begin > end) {
        return DamagedTensor(*span.name, "its bytes start at " + std::to_string(span.begin) +
                                             " but the tensor before it ends at " +
                                             std::to_string(end) + "; the format allows no holes");
      }
      end = span.end;
      previous = span.name;
    }
    if (end == data_.size()) return {};
    return Damaged("the tensors end at byte " + std::to_string(end) +
                   " of the data but the file has " + std::to_string(data_.size()) +
                   "; the rest belongs to no tensor");
  }

  std::span<const std::byte> bytes_, data_;
  const std::string& file_;
};

}  // namespace

std::string ShapeText(std::span<const uint64_t> shape) {
  std::string text = "[";
  for (const uint64_t dimension : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(dimension);
  }
  return text + "]";
}

Result<TensorMap> ParseSafeTensors(std::span<const std::byte> bytes, const std::string& name) {
  return Reader(bytes, name).Read();
}

Result<SafeTensors> SafeTensors::Open(const std::filesystem::path& file) {
  DIKAST_TRY(MappedFile mapped, MappedFile::Open(file));
  DIKAST_TRY(TensorMap tensors, ParseSafeTensors(mapped.bytes(), file.string()));
  return SafeTensors(std::move(mapped), std::move(tensors));
}

}  // namespace dikast
