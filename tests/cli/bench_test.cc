// The parts of `dikast bench http` that need no server.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "cli/bench_report.h"
#include "cli/bench_requests.h"
#include "cli/service_log.h"
#include "dikast/decision.h"

namespace dikast::cli {
namespace {

TEST(BenchRequests, NoTwoAreTheSameAndAllAreRequests) {
  const auto requests = BenchRequests::Open("");
  ASSERT_TRUE(requests);
  std::set<std::string> bodies;
  for (uint64_t n = 0; n < 100; ++n) {
    for (const std::string& body : {requests->Body(n), LongBody(n, 50)}) {
      EXPECT_TRUE(ParseRequest(body, {})) << body;
      EXPECT_TRUE(bodies.insert(body).second) << body;
    }
  }
}

TEST(BenchRequests, AStateOfAnyKindCarriesTheNumber) {
  const std::string file = testing::TempDir() + "bench-requests.ndjson";
  const std::string rest = R"(,"questions":{"q":{"type":"noul"}}})";
  std::ofstream(file) << R"({"id":1,"state":"text")" << rest << "\n"
                      << R"({"state":{"a":1})" << rest << "\n"
                      << R"({"state":[1])" << rest << "\n";
  const auto requests = BenchRequests::Open(file);
  ASSERT_TRUE(requests);
  EXPECT_EQ(requests->Body(3), "{\"state\":\"text (case 3)\"" + rest);
  EXPECT_EQ(requests->Body(4), "{\"state\":{\"a\":1,\"bench_case\":\"4\"}" + rest);
  EXPECT_EQ(requests->Body(5), "{\"state\":[1,\"case 5\"]" + rest);
  std::ofstream(file) << "{\"state\":1}\n";
  const auto bad = BenchRequests::Open(file);
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().path.find("line 1"), std::string::npos);
  std::filesystem::remove(file);
}

TEST(BenchReport, PercentilesAreNearestRanks) {
  const std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  EXPECT_EQ(Percentile(values, 0.5), 5);
  EXPECT_EQ(Percentile(values, 0.95), 10);
  EXPECT_EQ(Percentile(values, 0.1), 1);
  EXPECT_EQ(Percentile({7}, 0.99), 7);
  JsonWriter writer;
  WriteDistribution({3, 1, 2.00049}, writer);
  EXPECT_EQ(writer.Take(), R"({"count":3,"p50":2.0,"p95":3.0,"p99":3.0,"max":3.0,"mean":2.0})");
  JsonWriter empty;
  WriteDistribution({}, empty);
  EXPECT_EQ(empty.Take(), R"({"count":0})");
}

TEST(BenchReport, ServerTiming) {
  const auto stages = ParseServerTiming("queue;dur=0.25, forward;dur=12, x, total;desc=a");
  EXPECT_EQ(stages, (std::map<std::string, double>{{"queue", 0.25}, {"forward", 12}}));
  EXPECT_TRUE(ParseServerTiming("").empty());
}

TEST(ServiceLog, Timestamps) {
  EXPECT_EQ(ParseTimestamp("1994-11-06T08:49:37Z"), 784111777);
  EXPECT_EQ(ParseTimestamp("1994-11-06T08:49:37.250Z"), 784111777.25);
  EXPECT_EQ(ParseTimestamp("1994-11-06T09:49:37+01:00"), 784111777);
  EXPECT_EQ(ParseTimestamp("1994-11-06T03:19:37-0530"), 784111777);
  EXPECT_FALSE(ParseTimestamp("yesterday"));
  EXPECT_FALSE(ParseTimestamp("1994-11-06T08:49:37 CET"));
}

TEST(ServiceLog, CountsTheRequestsOfOthersInAGap) {
  const std::string file = testing::TempDir() + "service.log";
  std::ofstream(file) << "starting\n"
                      << R"({"ts":100,"level":"info","message":"ready"})"
                      << "\n"
                      << R"({"ts":100,"request_id":"own-1","bytes_in":0})"
                      << "\n"
                      << R"({"ts":150,"request_id":"other-1"})"
                      << "\n"
                      << R"({"ts":205,"ms":10000,"request_id":"other-2"})"
                      << "\n"
                      << R"({"ts":"1970-01-01T00:05:00Z","request_id":"own-2"})"
                      << "\n";
  const auto log = ReadServiceLog(file);
  std::filesystem::remove(file);
  ASSERT_TRUE(log);
  ASSERT_EQ(log->size(), 4u);
  EXPECT_EQ(log->back().end, 300);
  EXPECT_FALSE(log->front().has_body);
  EXPECT_TRUE(log->back().has_body);
  const std::set<std::string> own = {"own-1", "own-2"};
  EXPECT_EQ(CountOthers(*log, own, 99, 400), 2u);
  EXPECT_EQ(CountOthers(*log, own, 160, 200), 1u);  // one began in the gap and ended after it
  EXPECT_EQ(CountOthers(*log, own, 160, 190), 0u);
  EXPECT_FALSE(ReadServiceLog("/no/such/log"));
}

}  // namespace
}  // namespace dikast::cli
