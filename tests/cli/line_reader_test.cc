#include "cli/line_reader.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "base/descriptor.h"

namespace dikast::cli {
namespace {

using Outcome = LineReader::Outcome;
using Wait = LineReader::Wait;

struct Pipe {
  Pipe() {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    read_end = Descriptor(ends[0]);
    write_end = Descriptor(ends[1]);
  }
  void Send(const std::string& text) {
    ASSERT_EQ(write(write_end.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void Close() { Descriptor gone(std::move(write_end)); }

  Descriptor read_end{-1}, write_end{-1};
};

// Every line of `text`; an error as "! message".
std::vector<std::string> AllLines(const std::string& text) {
  Pipe pipe;
  std::thread writer([&] {
    pipe.Send(text);
    pipe.Close();
  });
  const StopSignal stop;
  LineReader reader(pipe.read_end.get(), stop);
  std::vector<std::string> lines;
  Result<std::string> line;
  while (reader.Next(Wait::kYes, line) == Outcome::kLine) {
    lines.push_back(line ? *line : "! " + line.error().message);
  }
  writer.join();
  EXPECT_EQ(reader.bytes_taken(), text.size());
  return lines;
}

using Lines = std::vector<std::string>;

TEST(LineReader, SplitsAtNewlinesOnly) {
  EXPECT_EQ(AllLines("a\nb\r\nc\u2028d\n"), (Lines{"a", "b\r", "c\u2028d"}));
}

TEST(LineReader, TheLastLineMayLackItsNewline) {
  EXPECT_EQ(AllLines("a\nb"), (Lines{"a", "b"}));
  EXPECT_EQ(AllLines(""), Lines{});
}

TEST(LineReader, EmptyLinesAtTheEndAreNoLines) {
  EXPECT_EQ(AllLines("a\n\n \n"), (Lines{"a"}));
  EXPECT_EQ(AllLines("\n\n"), Lines{});
}

TEST(LineReader, AnEmptyLineBetweenLinesIsAnError) {
  EXPECT_EQ(AllLines("a\n\n\t\nb\n"),
            (Lines{"a", "! the line is empty", "! the line is empty", "b"}));
}

TEST(LineReader, LongLinesArriveWholeUpToTheLimit) {
  const std::string line(3 << 20, 'x');
  EXPECT_EQ(AllLines(line + "\n" + line), (Lines{line, line}));
}

TEST(LineReader, ALineOverTheLimitIsRefusedAndTheNextOneRead) {
  const std::string line(kMostLineBytes + (2 << 20), 'x');
  EXPECT_EQ(AllLines("a\n" + line + "\nb\n"), (Lines{"a", "! the line has more than 16 MiB", "b"}));
}

TEST(LineReader, SaysWhenNothingIsReady) {
  Pipe pipe;
  const StopSignal stop;
  LineReader reader(pipe.read_end.get(), stop);
  Result<std::string> line;
  EXPECT_EQ(reader.Next(Wait::kNo, line), Outcome::kLater);
  pipe.Send("par");
  EXPECT_EQ(reader.Next(Wait::kNo, line), Outcome::kLater);
  pipe.Send("tial\n");
  ASSERT_EQ(reader.Next(Wait::kNo, line), Outcome::kLine);
  EXPECT_EQ(*line, "partial");
  pipe.Close();
  EXPECT_EQ(reader.Next(Wait::kNo, line), Outcome::kEnd);
}

TEST(LineReader, ASignalEndsTheWait) {
  Pipe pipe;
  const StopSignal stop;
  LineReader reader(pipe.read_end.get(), stop);
  pipe.Send("whole\nhalf");
  Result<std::string> line;
  ASSERT_EQ(reader.Next(Wait::kYes, line), Outcome::kLine);
  std::thread interrupter([main = pthread_self()] { pthread_kill(main, SIGINT); });
  EXPECT_EQ(reader.Next(Wait::kYes, line), Outcome::kEnd);
  interrupter.join();
  EXPECT_EQ(stop.received(), SIGINT);
}

}  // namespace
}  // namespace dikast::cli
