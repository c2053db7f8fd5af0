#include "cli/exit.h"

#include "cli/output.h"
#include "cli/terminal.h"

namespace dikast::cli {

ExitCode CodeFor(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
      return kUsageError;
    case ErrorCode::kRequest:
    case ErrorCode::kOverLength:
      return kRequestRefused;
    case ErrorCode::kModel:
      return kModelOrFile;
    case ErrorCode::kBusy:
    case ErrorCode::kCancelled:
    case ErrorCode::kInternal:
      return kInternalFault;
  }
  return kInternalFault;
}

std::string Describe(const Error& error) {
  return error.path.empty() ? error.message : error.path + ": " + error.message;
}

void Complain(std::string_view message) { PrintError("dikast: " + Printable(message) + "\n"); }

void Quit(const Error& error) {
  Complain(Describe(error));
  throw Exit{CodeFor(error.code)};
}

}  // namespace dikast::cli
