// Ctrl-C and a reader that goes away, against the program itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/run_process.h"

namespace dikast::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr char kLine[] =
    R"({"state":"hi","questions":{"q":{"type":"noul","instructions":"Is it a greeting?"}}})";

// `script` with $DIKAST for the program and $LINE for one request.
ProcessResult RunDikast(const std::string& script) {
  std::string name = (std::filesystem::temp_directory_path() / "dikast-signal-XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(name.data());
  const ProcessResult result =
      RunScript({.text = script,
                 .folder = folder,
                 .environment = {{"DIKAST", DIKAST_PROGRAM},
                                 {"DIKAST_MODEL", DIKAST_SOURCE_DIR "/models/dikast-mini-v1"},
                                 {"LINE", kLine}},
                 .columns = 0});
  std::filesystem::remove_all(folder);
  return result;
}

// sh starts background jobs with SIGINT ignored, so these go through `env --default-signal`.
constexpr char kInterrupt[] = R"(
mkfifo in
env --default-signal=INT "$DIKAST" decide --ndjson < in > out &
pid=$!
exec 3> in
echo "$LINE" >&3
while [ ! -s out ]; do sleep 0.02; done
kill -INT $pid
wait $pid
echo "code $?"
wc -l < out
)";

TEST(Signals, AnAnswerComesWhileTheInputStaysOpenAndCtrlCEndsCleanly) {
  const ProcessResult result = RunDikast(kInterrupt);
  EXPECT_EQ(result.out, "code 130\n1\n");
  EXPECT_THAT(result.err, HasSubstr("stopped after 1 lines"));
}

constexpr char kInterruptedRunThenResume[] = R"(
i=0; while [ $i -lt 150 ]; do echo "$LINE"; i=$((i + 1)); done > in
"$DIKAST" decide --ndjson --request in --output whole
env --default-signal=INT "$DIKAST" decide --ndjson --request in --output out &
pid=$!
while [ ! -s out ]; do sleep 0.01; done
kill -INT $pid
wait $pid
echo "code $?"
printf '{"torn' >> out
"$DIKAST" decide --ndjson --request in --output out --resume
cmp whole out && echo same
)";

TEST(Signals, AnInterruptedFileIsResumedToTheSameBytes) {
  const ProcessResult result = RunDikast(kInterruptedRunThenResume);
  EXPECT_THAT(result.out, testing::AnyOf("code 130\nsame\n", "code 0\nsame\n")) << result.err;
}

TEST(Signals, AnIgnoredSignalStaysIgnored) {
  const ProcessResult result = RunDikast(R"(
trap '' INT
(sleep 0.3; echo "$LINE") | "$DIKAST" decide --ndjson & pid=$!
sleep 0.1; kill -INT $pid; wait $pid; echo "code $?")");
  EXPECT_THAT(result.out, HasSubstr("code 0"));
}

TEST(Signals, AClosedPipeEndsQuietly) {
  const ProcessResult result = RunDikast(R"(
(yes "$LINE" | head -n 100000; echo) |
  ("$DIKAST" decide --ndjson; echo "code $?" >&2) | head -n 1 | wc -l)");
  EXPECT_EQ(result.out, "1\n");
  EXPECT_EQ(result.err, "code 0\n");
}

TEST(Signals, AFullDiskIsAnError) {
  const ProcessResult result = RunDikast(R"("$DIKAST" info --json > /dev/full)");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.err, HasSubstr("standard output: cannot write: No space left"));
}

TEST(Streams, AClosedInputIsAnError) {
  const ProcessResult result = RunDikast(R"(timeout 20 "$DIKAST" decide --ndjson <&-)");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.err, HasSubstr("input: Bad file descriptor"));
}

TEST(Streams, AMessageForAClosedStandardErrorDoesNotReachTheAnswers) {
  const ProcessResult result = RunDikast(R"(
echo nonsense > in
"$DIKAST" decide --ndjson --request in --output out <&- >&- 2>&-
cat out)");
  EXPECT_THAT(result.out, AllOf(HasSubstr("\"error\""), Not(HasSubstr("dikast:"))));
}

// The pipe is non-blocking, and read only when the answers must have filled it.
constexpr char kNonBlocking[] = R"(
i=0; while [ $i -lt 500 ]; do echo "$LINE"; i=$((i + 1)); done > in
(dd oflag=nonblock count=0 status=none < in
 "$DIKAST" tokens --ndjson --request in) | (sleep 1; wc -l)
)";

TEST(Streams, ANonBlockingPipeTakesEveryAnswer) {
  const ProcessResult result = RunDikast(kNonBlocking);
  EXPECT_EQ(result.out, "500\n") << result.err;
}

}  // namespace
}  // namespace dikast::test
