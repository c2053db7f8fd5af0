#include "cli/terminal.h"

#include <gtest/gtest.h>

#include <clocale>

#include "cli/progress.h"

namespace dikast::cli {
namespace {

TEST(Printable, KeepsTextAndStopsControlCharacters) {
  EXPECT_EQ(Printable("plain, naïve, 日本 🙂"), "plain, naïve, 日本 🙂");
  EXPECT_EQ(Printable("\x1b[31mred\a\r\n\x7f"), "?[31mred????");
  EXPECT_EQ(Printable("\u009b31m \u202egpj.exe \u2066x"), "?31m ?gpj.exe ?x");
}

TEST(Printable, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(Printable("a\xff"
                      "b\xc3"),
            "a?b?");
  EXPECT_EQ(Printable("\xc0\x80\xe3\x81"), "????");
}

class DisplayTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::setlocale(LC_CTYPE, "C.UTF-8") == nullptr) GTEST_SKIP() << "no C.UTF-8 here";
  }
  void TearDown() override { std::setlocale(LC_CTYPE, "C"); }
};

TEST_F(DisplayTest, CountsColumns) {
  EXPECT_EQ(DisplayWidth("abc"), 3u);
  EXPECT_EQ(DisplayWidth("日本"), 4u);
  EXPECT_EQ(DisplayWidth("e\u0301"), 1u);
}

TEST_F(DisplayTest, FitsExactly) {
  EXPECT_EQ(FitTo("ab", 4, true), "ab  ");
  EXPECT_EQ(FitTo("abcdef", 4, true), "abc…");
  EXPECT_EQ(FitTo("abcdef", 4, false), "abc~");
  EXPECT_EQ(FitTo("日本語", 4, true), "日… ");
  for (size_t width = 1; width < 9; ++width) {
    EXPECT_EQ(DisplayWidth(FitTo("日a本b語", width, true)), width);
  }
}

TEST(Progress, SaysRateFailuresAndTimeLeft) {
  EXPECT_EQ(ProgressText(10, 0, 100, 0, 2), "10 lines, 5.0/s");
  EXPECT_EQ(ProgressText(10, 3, 100, 400, 20), "10 lines, 0.5/s, 3 failed, 1:00 left");
  EXPECT_EQ(ProgressText(1, 0, 1, 3601, 1), "1 lines, 1.0/s, 1:00:00 left");
}

}  // namespace
}  // namespace dikast::cli
