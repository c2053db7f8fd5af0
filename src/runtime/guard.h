// Exceptions end here: what the standard library throws becomes an Error at the public surface.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "dikast/status.h"

namespace dikast {

// Calls `work`, which returns a Result. `what` says what was being done.
template <class Work>
auto Guarded(const char* what, Work&& work) -> decltype(work()) {
  try {
    return std::forward<Work>(work)();
  } catch (const std::bad_alloc&) {
    return Fail(ErrorCode::kModel, std::string("out of memory while ") + what);
  } catch (const std::system_error& error) {
    return Fail(ErrorCode::kModel, std::string(error.what()) + ", while " + what);
  } catch (const std::exception& error) {
    return Fail(ErrorCode::kInternal, std::string(error.what()) + " while " + what);
  }
}

}  // namespace dikast
