// A safetensors file taken apart, to be put together wrong.
#pragma once

#include <filesystem>
#include <string>

#include "dikast/json.h"

namespace dikast::test {

struct TensorFile {
  JsonValue header;  // as written: sizes and offsets need not fit
  std::string data;
};

TensorFile ReadTensorFile(const std::filesystem::path& file);
void WriteTensorFile(const std::filesystem::path& file, const TensorFile& tensors);

// These keep the file well formed. Names may end in "*": every tensor that starts so.
// They throw std::runtime_error when no tensor matches.
void DropTensor(TensorFile& tensors, const std::string& name);
void RenameTensor(TensorFile& tensors, const std::string& name, const std::string& to);
// Replaces the tensor or adds it.
void PutZeros(TensorFile& tensors, const std::string& name, const std::string& dtype,
              const JsonArray& shape);
// An F32 tensor, filled with one number.
void FillTensor(TensorFile& tensors, const std::string& name, float value);

}  // namespace dikast::test
