#include "cli/retry.h"

#include <gtest/gtest.h>

#include "base/http_client.h"

namespace dikast::cli {
namespace {

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
