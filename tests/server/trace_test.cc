#include "server/trace.h"

#include <gtest/gtest.h>

namespace dikast::server {
namespace {

constexpr char kTrace[] = "0af7651916cd43dd8448eb211c80319c", kParent[] = "b7ad6b7169203331";

TEST(Trace, ContinuesTheCallersTraceWithASpanOfItsOwn) {
  const auto trace = ContinueTrace(std::string("00-") + kTrace + "-" + kParent + "-01");
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->trace_id, kTrace);
  EXPECT_EQ(trace->flags, "01");
  EXPECT_EQ(trace->span_id.size(), 16u);
  EXPECT_NE(trace->span_id, kParent);
  EXPECT_EQ(trace->ToHeader(), "00-" + trace->trace_id + "-" + trace->span_id + "-01");
}

TEST(Trace, ALaterVersionMayBeLonger) {
  const std::string start = std::string("-") + kTrace + "-" + kParent + "-00";
  EXPECT_TRUE(ContinueTrace("cc" + start + "-what-the-future-will-be-like"));
  EXPECT_FALSE(ContinueTrace("cc" + start + ".what"));
  EXPECT_FALSE(ContinueTrace("00" + start + "-more"));
}

TEST(Trace, WhatIsNotWellFormedIsNotContinued) {
  const std::string good = std::string("00-") + kTrace + "-" + kParent + "-01";
  std::string upper = good, zero_trace = good, zero_parent = good, shifted = good;
  upper[5] = 'F';
  zero_trace.replace(3, 32, 32, '0');
  zero_parent.replace(36, 16, 16, '0');
  shifted[35] = '0';
  for (const std::string& bad :
       {std::string(), good.substr(1), upper, zero_trace, zero_parent, shifted,
        "ff" + good.substr(2), good + "0", "0\n" + good.substr(2)}) {
    EXPECT_FALSE(ContinueTrace(bad)) << bad;
  }
}

}  // namespace
}  // namespace dikast::server
