// What a 500 tells the log and what it tells the client.
#include "server/fault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "server/app.h"

namespace dikast::server {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Fault, TheReasonOfA500IsForTheLogAlone) {
  struct Case {
    Error error;
    const char* reason;
  };
  for (const Case& c :
       {Case{{ErrorCode::kModel, "out of memory while reading", ""}, "out of memory while reading"},
        Case{{ErrorCode::kModel, "question 'my: secret': not finite", "/questions/my: secret"},
             "not finite"},
        Case{{ErrorCode::kInternal, "3 of 4 logits", "/private/file"}, "3 of 4 logits"}}) {
    const Fault fault = ToFault(c.error, 1);
    EXPECT_EQ(fault.status, 500u);
    EXPECT_EQ(fault.reason, c.reason);
    for (const auto respond : {SystemOneFault, OpenAiFault, EitherFault}) {
      const HttpResponse response = respond(fault);
      EXPECT_EQ(response.reason, c.reason);
      EXPECT_THAT(response.body, Not(HasSubstr(c.reason)));
    }
  }
}

std::string LogOf(HttpResponse response) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("dikast-log-" + std::to_string(getpid()));
  std::filesystem::remove(file);
  {
    App app(ServerOptions{}, "127.0.0.1", Log::Open(LogLevel::kInfo, file).value(),
            [] { return size_t{0}; });
    app.Finish(Exchange(), response);
  }
  std::ifstream stream(file);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  std::filesystem::remove(file);
  return text;
}

TEST(Fault, A500IsLoggedAsAnErrorWithItsReason) {
  const std::string line = LogOf(SystemOneFault(ToFault({ErrorCode::kModel, "no memory", ""}, 1)));
  EXPECT_THAT(line, HasSubstr("\"level\":\"error\""));
  EXPECT_THAT(line, HasSubstr("\"reason\":\"no memory\""));
}

TEST(Fault, WhatIsExpectedIsNoErrorOfTheLog) {
  for (const unsigned status : {503u, 529u, 422u}) {
    const std::string line = LogOf(SystemOneFault({.status = status, .message = "later"}));
    EXPECT_THAT(line, HasSubstr("\"level\":\"info\"")) << status;
    EXPECT_THAT(line, Not(HasSubstr("reason"))) << status;
  }
}

}  // namespace
}  // namespace dikast::server
