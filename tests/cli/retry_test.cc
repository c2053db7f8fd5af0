#include "cli/retry.h"

#include <gtest/gtest.h>

namespace dikast::cli {
namespace {

using std::chrono::system_clock;

// Sun, 06 Nov 1994 08:49:37 GMT.
const system_clock::time_point kNow = system_clock::from_time_t(784111777);

struct WaitRow {
  HttpHeaders headers;
  int64_t milliseconds;  // -1: the server asks for nothing
};

TEST(Retry, TheServerSaysHowLong) {
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

TEST(Retry, ElseTheWaitDoublesUpToALimit) {
  const RetryPolicy policy;
  EXPECT_EQ(BackOff(policy, 0, 0).count(), 500);
  EXPECT_EQ(BackOff(policy, 1, 0).count(), 1000);
  EXPECT_EQ(BackOff(policy, 3, 0).count(), 4000);
  EXPECT_EQ(BackOff(policy, 4, 0).count(), 5000);
  EXPECT_EQ(BackOff(policy, 2000, 0).count(), 5000);
  EXPECT_EQ(BackOff(policy, 0, 0.5).count(), 438);  // a quarter times the random number comes off
}

TEST(Retry, OnlyWhatMayPassLater) {
  for (const unsigned status : {408u, 429u, 500u, 501u, 503u, 529u, 599u}) {
    EXPECT_TRUE(IsWorthRetrying(status)) << status;
  }
  for (const unsigned status : {200u, 301u, 400u, 401u, 404u, 409u, 413u, 422u, 600u}) {
    EXPECT_FALSE(IsWorthRetrying(status)) << status;
  }
}

TEST(HttpUrl, IsTakenApart) {
  struct Row {
    const char *url, *host;
    uint16_t port;
    const char *prefix, *authority;
  };
  const Row rows[] = {
      {"http://127.0.0.1:8080", "127.0.0.1", 8080, "", "127.0.0.1:8080"},
      {"HTTP://host", "host", 80, "", "host:80"},
      {"http://host:1/", "host", 1, "", "host:1"},
      {"http://host/a/b//", "host", 80, "/a/b", "host:80"},
      {"http://[::1]:65535/x", "::1", 65535, "/x", "[::1]:65535"},
      {"http://[::1]", "::1", 80, "", "[::1]:80"},
  };
  for (const Row& row : rows) {
    const Result<HttpUrl> url = ParseHttpUrl(row.url);
    ASSERT_TRUE(url) << row.url;
    EXPECT_EQ(url->host, row.host);
    EXPECT_EQ(url->port, row.port);
    EXPECT_EQ(url->prefix, row.prefix);
    EXPECT_EQ(url->Authority(), row.authority);
  }
}

}  // namespace
}  // namespace dikast::cli
