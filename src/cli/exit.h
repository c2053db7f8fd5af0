// How a command ends: the exit codes, and the one way to leave early.
#pragma once

#include <string_view>
#include <utility>

#include "dikast/status.h"

namespace dikast::cli {

enum ExitCode : int {
  kAnswered = 0,
  kSomeLinesFailed = 1,
  kUsageError = 2,
  kRequestRefused = 3,
  kModelOrFile = 4,
  kInternalFault = 5,
  kServerFault = 6,   // a server was not reached, stayed busy, or failed
  kSignalBase = 128,  // plus the number of the signal that ended a run over lines
};

// Thrown to leave a command from any depth; main returns its code.
struct Exit {
  int code;
};

ExitCode CodeFor(ErrorCode code);

// "<path>: <message>".
std::string Describe(const Error& error);

// Writes "dikast: <message>" to standard error, control characters replaced.
void Complain(std::string_view message);

// Complains and throws Exit.
[[noreturn]] void Quit(const Error& error);

// The value, or Quit with the error.
template <class T>
T OrQuit(Result<T> result) {
  if (!result) Quit(result.error());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace dikast::cli
