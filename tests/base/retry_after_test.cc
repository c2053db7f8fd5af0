#include "base/retry_after.h"

#include <gtest/gtest.h>

namespace dikast {
namespace {

using std::chrono::system_clock;

// Sun, 06 Nov 1994 08:49:37 GMT.
const system_clock::time_point kNow = system_clock::from_time_t(784111777);

struct WaitRow {
  HttpHeaders headers;
  int64_t milliseconds;  // -1: the server asks for nothing
};

TEST(RetryAfter, TheServerSaysHowLong) {
  const WaitRow rows[] = {
      {{}, -1},
      {{{"Retry-After", "2"}}, 2000},
      {{{"retry-after", "0.25"}}, 250},
      {{{"Retry-After", "0"}}, 0},
      {{{"Retry-After", "-3"}}, 0},
      {{{"Retry-After", "1e300"}}, 1'000'000'000},
      {{{"Retry-After", "soon"}}, -1},
      {{{"Retry-After", "nan"}}, -1},
      {{{"Retry-After", ""}}, -1},
      {{{"Retry-After", "2 s"}}, -1},
      {{{"Retry-After", "Sun, 06 Nov 1994 08:49:40 GMT"}}, 3000},
      {{{"Retry-After", "Sun, 06 Nov 1994 08:49:30 GMT"}}, 0},
      {{{"Retry-After", "Sun, 06 Nov 1994 08:49:40 CET"}}, -1},
      {{{"Retry-After", "9"}, {"Retry-After-Ms", "40"}}, 40},
      {{{"Retry-After", "9"}, {"retry-after-ms", "x"}}, 9000},
  };
  for (const WaitRow& row : rows) {
    const auto wait = RequestedWait({.status = 529, .headers = row.headers, .body = {}}, kNow);
    EXPECT_EQ(wait ? wait->count() : -1, row.milliseconds)
        << (row.headers.empty() ? "none" : row.headers.back().second);
  }
}

}  // namespace
}  // namespace dikast
