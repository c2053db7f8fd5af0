// Errors as values. Nothing in dikast throws across the public surface, prints or aborts.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace dikast {

// Says who has to act. The command line maps it to an exit code, a server to a status.
enum class ErrorCode {
  kUsage,       // the caller's options are wrong
  kRequest,     // the request is malformed or asks for something impossible
  kOverLength,  // the request is well formed but over a token budget
  kModel,       // a checkpoint, tokenizer or other file is missing, damaged or unsupported
  kBusy,        // no room in the queue, or a deadline passed there: the same request may pass later
  kCancelled,   // the caller took the request back
  kInternal,    // a fault of dikast itself
};

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;  // what was found and what to do; never raw bytes of the input
  std::string path;     // where: a JSON Pointer (RFC 6901) into the request, or a file name
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> Fail(ErrorCode code, std::string message, std::string path = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(path)});
}

}  // namespace dikast
