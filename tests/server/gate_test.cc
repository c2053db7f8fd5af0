// Keys, rates, Host and Origin, encodings: each on its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "server/body.h"
#include "server/decode.h"
#include "server/host_check.h"
#include "server/keys.h"
#include "server/rate.h"
#include "server/redirect.h"
#include "tests/server/test_server.h"

namespace dikast::server {
namespace {

using test::KeysFile;
using testing::HasSubstr;

TEST(Keys, AFileHoldsKeysAndHashesCommentsAndBlankLines) {
  const KeysFile file("# keys\n\n  right-key\r\nsha256:" + std::string(64, 'A') + "\nright-key");
  const auto hashes = ReadKeyHashes(file.path());
  ASSERT_TRUE(hashes.has_value()) << hashes.error().message;
  ASSERT_EQ(hashes->size(), 2u);
  EXPECT_EQ(hashes->at(1), std::string(64, 'a'));
  KeyRing ring;
  ring.Set(*hashes);
  ASSERT_NE(ring.Find("Bearer right-key"), nullptr);
  EXPECT_EQ(ring.Find("Bearer right-key")->number, 1u);
  EXPECT_NE(ring.Find("bEARER   right-key  "), nullptr);
  for (const char* wrong : {"", "Bearer", "Bearer ", "right-key", "Basic right-key",
                            "Bearer right-kez", "Bearer right-key2", "Bearer # keys"}) {
    EXPECT_EQ(ring.Find(wrong), nullptr) << wrong;
  }
}

TEST(Keys, AHashStandsForItsKey) {
  KeyRing plain, hashed;
  const KeysFile file("a-key\n");
  const auto hash = ReadKeyHashes(file.path());
  ASSERT_TRUE(hash.has_value());
  const KeysFile other("sha256:" + hash->front() + "\n");
  hashed.Set(ReadKeyHashes(other.path()).value());
  EXPECT_NE(hashed.Find("Bearer a-key"), nullptr);
  EXPECT_EQ(hashed.Find("Bearer " + hash->front()), nullptr);
}

TEST(Keys, WhatIsWrongWithAFileIsSaidWithoutItsContents) {
  struct Case {
    const char* text;
    unsigned mode;
    ErrorCode code;
    const char* message;
  };
  for (const Case& c : {Case{"secret", 0640, ErrorCode::kModel, "chmod 600"},
                        Case{"secret", 0604, ErrorCode::kModel, "chmod 600"},
                        Case{"# secret\n\n", 0600, ErrorCode::kModel, "no key"},
                        Case{"a\nsha256:secret\n", 0600, ErrorCode::kUsage, "line 2 is no hash"},
                        Case{"my secret\n", 0600, ErrorCode::kUsage, "line 1 is no key"},
                        Case{"secr\xc3\xa9t\n", 0600, ErrorCode::kUsage, "line 1 is no key"}}) {
    const KeysFile file(c.text, c.mode);
    const auto hashes = ReadKeyHashes(file.path());
    ASSERT_FALSE(hashes.has_value()) << c.text;
    EXPECT_EQ(hashes.error().code, c.code) << c.text;
    EXPECT_THAT(hashes.error().message, HasSubstr(c.message));
    EXPECT_THAT(hashes.error().message, testing::Not(HasSubstr("secr")));
  }
  EXPECT_THAT(ReadKeyHashes("/nonexistent/keys").error().message, HasSubstr("No such file"));
  EXPECT_THAT(ReadKeyHashes("/dev/null").error().message, HasSubstr("no regular file"));
}

TEST(Keys, AKeyThatStaysKeepsItsAllowance) {
  KeyRing ring;
  ring.Set({std::string(64, 'a'), std::string(64, 'b')});
  const KeysFile file("a-key\n");
  const std::string hash = ReadKeyHashes(file.path())->front();
  ring.Set({std::string(64, 'b'), hash});
  const auto before = ring.Find("Bearer a-key")->allowance;
  ring.Set({hash});
  EXPECT_EQ(ring.Find("Bearer a-key")->allowance, before);
  ring.Set({std::string(64, 'b')});
  EXPECT_EQ(ring.Find("Bearer a-key"), nullptr);
}

TEST(Rate, ABucketFillsWithTimeAndSaysHowLong) {
  const ServerLimits limits{.key_rate = 2, .key_burst = 3};
  const auto allowance = std::make_shared<Allowance>();
  const Allowance::Clock::time_point start{};
  const auto enter = [&](int ms) {
    return Allowance::Enter(allowance, limits, start + std::chrono::milliseconds(ms));
  };
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(enter(0).has_value());
  const auto refused = enter(0);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().status, 429u);
  EXPECT_EQ(refused.error().retry_after, 1);
  EXPECT_FALSE(enter(400).has_value());
  EXPECT_TRUE(enter(500).has_value());
  EXPECT_FALSE(enter(501).has_value());
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(enter(60'000).has_value());
  EXPECT_FALSE(enter(60'000).has_value());
}

TEST(Rate, ASlotIsGivenBack) {
  const ServerLimits limits{.key_in_flight = 2};
  const auto allowance = std::make_shared<Allowance>();
  auto one = Allowance::Enter(allowance, limits, {});
  auto two = Allowance::Enter(allowance, limits, {});
  ASSERT_TRUE(one.has_value() && two.has_value());
  EXPECT_EQ(Allowance::Enter(allowance, limits, {}).error().status, 429u);
  one->reset();
  EXPECT_TRUE(Allowance::Enter(allowance, limits, {}).has_value());
}

TEST(Rate, BodiesTakeTurns) {
  const auto budget = std::make_shared<BodyBudget>(100);
  auto first = std::make_unique<BodyClaim>(budget);
  BodyClaim second(budget);
  EXPECT_TRUE(first->Cover(70));
  EXPECT_FALSE(second.Cover(31));
  EXPECT_TRUE(second.Cover(30));
  EXPECT_TRUE(second.Cover(20));  // it has them
  EXPECT_FALSE(second.Cover(31));
  first.reset();
  EXPECT_TRUE(second.Cover(100));
}

unsigned StatusFor(const char* bound, const char* host, const char* origin, bool page) {
  HttpRequest request{.method = "POST", .path = "/", .query = {}, .headers = {{"Host", host}}};
  if (*origin) request.headers.emplace_back("Origin", origin);
  const auto fault = HostCheck(bound, "bound.example", {"name.example:443"}).Check(request, page);
  return fault ? fault->status : 200;
}

TEST(HostCheck, WhatIsAnsweredDependsOnWhereTheServerListens) {
  struct Case {
    const char *bound, *host, *origin;
    bool page;
    unsigned status;
  };
  for (const Case& c : {
           Case{"127.0.0.1", "127.0.0.1:8080", "", false, 200},
           Case{"127.0.0.1", "name.example:8080", "", false, 200},
           Case{"127.0.0.1", "other.example", "", false, 421},
           Case{"::1", "[::1]:8080", "", true, 200},
           Case{"::1", "::1", "", true, 421},
           Case{"127.0.0.1", "192.168.0.1", "", false, 421},
           // Beyond loopback: service names pass, but not for browsers.
           Case{"0.0.0.0", "other.example", "", false, 200},
           Case{"0.0.0.0", "other.example", "", true, 421},
           Case{"0.0.0.0", "other.example", "http://other.example", false, 421},
           Case{"0.0.0.0", "192.168.0.1:8080", "", true, 200},
           Case{"0.0.0.0", "192.168.0.1:8080", "http://192.168.0.1:8080", false, 200},
           Case{"0.0.0.0", "192.168.0.1:8080", "http://192.168.0.1:9090", false, 403},
           Case{"192.168.0.1", "name.example", "https://name.example", true, 200},
           Case{"192.168.0.1", "localhost", "https://name.example", false, 200},
           Case{"192.168.0.1", "[fe80::1]", "", true, 200},
           Case{"127.0.0.1", "localhost", "ftp://localhost", false, 403},
           // What the user called the address names the server, not other ports of it.
           Case{"127.0.0.1", "bound.example", "", true, 200},
           Case{"127.0.0.1", "bound.example:8080", "http://bound.example:8080", false, 200},
           Case{"127.0.0.1", "bound.example:8080", "http://bound.example:3000", false, 403},
       }) {
    EXPECT_EQ(StatusFor(c.bound, c.host, c.origin, c.page), c.status)
        << c.bound << ' ' << c.host << ' ' << c.origin << ' ' << c.page;
  }
}

TEST(Redirect, NamesAPlaceThatTheClientCanGoTo) {
  struct Case {
    const char *url, *host, *answer;
  };
  for (const Case& c : {Case{"http://10.0.0.1:9/", "old.example", "http://10.0.0.1:9/"},
                        Case{"http://0.0.0.0:9/", "old.example:80", "http://old.example:9/"},
                        Case{"http://[::]:9/", "10.0.0.1", "http://10.0.0.1:9/"},
                        Case{"http://[::]:9/", "[fe80::1]:80", "http://[fe80::1]:9/"},
                        Case{"http://0.0.0.0:9/", "a\"><b>", "http://0.0.0.0:9/"},
                        Case{"http://0.0.0.0:9/", "user@host", "http://0.0.0.0:9/"},
                        Case{"http://0.0.0.0:9/", "", "http://0.0.0.0:9/"}}) {
    const HttpRequest request{
        .method = "GET", .path = "/x", .query = {}, .headers = {{"Host", c.host}}};
    EXPECT_THAT(RedirectPage(request, c.url).body, HasSubstr(c.answer + std::string("\"")))
        << c.host;
  }
}

TEST(HostCheck, LoopbackIsKnownByItsAddress) {
  for (const char* host : {"127.0.0.1", "127.8.8.8", "::1", "localhost", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(IsLoopback(host)) << host;
  }
  for (const char* host :
       {"0.0.0.0", "::", "128.0.0.1", "localhost.example", "", "::ffff:1.2.3.4"}) {
    EXPECT_FALSE(IsLoopback(host)) << host;
  }
}

// A copy of the key for each of its children would be 360 GB.
TEST(Body, ALongKeyAboveManyValuesIsReadOnce) {
  std::string values;
  for (int i = 0; i < 90'000; ++i) values += "0,";
  HttpRequest request{.method = "POST", .path = "/", .query = {}};
  request.body = "{\"" + std::string(4 << 20, 'k') + "\":[" + values + "[[[1]]]]}";
  const auto body = ReadBody(request, ServerLimits{.depth = 4});
  ASSERT_FALSE(body.has_value());
  EXPECT_EQ(body.error().type, "too_deep");
  EXPECT_THAT(body.error().path, testing::EndsWith("k/90000/0/0"));
  EXPECT_LT(SystemOneFault(body.error()).body.size(), 1000u);
}

TEST(Decode, NamesOfEncodings) {
  EXPECT_EQ(ParseEncoding(""), Encoding::kIdentity);
  EXPECT_EQ(ParseEncoding("ZSTD"), Encoding::kZstd);
  EXPECT_EQ(ParseEncoding("x-gzip"), Encoding::kGzip);
  EXPECT_EQ(ParseEncoding("gzip,zstd"), std::nullopt);
  EXPECT_EQ(ParseEncoding("deflate"), std::nullopt);
}

}  // namespace
}  // namespace dikast::server
