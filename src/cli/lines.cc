#include "cli/lines.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/file.h"
#include "base/json_writer.h"
#include "base/sha256.h"
#include "base/try.h"
#include "cli/exit.h"
#include "cli/line_reader.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "dikast/format.h"

namespace dikast::cli {
namespace {

constexpr size_t kBatchLines = 64;

struct Input {
  Descriptor descriptor;
  std::string file;    // that can be opened again
  uint64_t bytes = 0;  // 0 when unknown
  bool regular = false;
};

Result<Input> OpenInput(const std::string& file) {
  const bool standard = file == "-";
  Input input{Descriptor(standard ? STDIN_FILENO : open(file.c_str(), O_RDONLY | O_CLOEXEC)),
              standard ? "/dev/stdin" : file};
  struct stat status {};
  if (input.descriptor.get() < 0 || fstat(input.descriptor.get(), &status) != 0) {
    return Fail(ErrorCode::kModel, std::strerror(errno), file);
  }
  input.regular = S_ISREG(status.st_mode);
  if (input.regular) input.bytes = static_cast<uint64_t>(status.st_size);
  return input;
}

// Standard output, or the file of the job opened under the fingerprint of this run.
Result<OutputFile> OpenOutput(const LineJob& job, const Input& input) {
  if (job.output.empty()) return OutputFile{Descriptor(STDOUT_FILENO)};
  Fingerprint fingerprint;
  if (input.regular) {
    DIKAST_TRY(const MappedFile mapped, MappedFile::Open(input.file));
    fingerprint = job.fingerprint;
    fingerprint.emplace_back("input_sha256", Sha256Hex(mapped.bytes()));
  }
  return OpenOutputFile(job.output, fingerprint, job.resume);
}

void Skip(LineReader& reader, uint64_t lines) {
  Result<std::string> line;
  while (lines > 0 && reader.Next(LineReader::Wait::kYes, line) == LineReader::Outcome::kLine) {
    --lines;
  }
}

// Waits for one line, then takes what is ready. False at the end of the input.
bool Gather(LineReader& reader, size_t most_bytes, std::vector<Result<std::string>>& lines) {
  lines.clear();
  size_t bytes = 0;
  Result<std::string> line;
  while (lines.size() < kBatchLines && bytes < most_bytes) {
    const LineReader::Wait wait = lines.empty() ? LineReader::Wait::kYes : LineReader::Wait::kNo;
    if (reader.Next(wait, line) != LineReader::Outcome::kLine) break;
    bytes += line ? line->size() : 0;
    lines.push_back(std::move(line));
  }
  return !lines.empty();
}

void Summarise(uint64_t lines, uint64_t failed, uint64_t cut, const LineJob& job, int signal) {
  if (job.quiet) return;
  if (failed > 0) {
    Complain(std::to_string(failed) + " of " + std::to_string(lines) + " lines failed");
  }
  if (cut > 0) {
    Complain(std::to_string(cut) + (cut == 1 ? " line was" : " lines were") + job.about_cuts);
  }
  if (signal == 0) return;
  Complain("stopped after " + std::to_string(lines) + " lines" +
           (job.output.empty() ? "" : "; --resume goes on from there"));
}

}  // namespace

void LineAnswers::Add(const JsonValue* id, std::string_view body) {
  ++count_;
  if (id == nullptr) {
    text_ += body;
  } else {
    text_ += "{\"id\":" + JsonWriter().Value(*id).Take();
    text_ += body == "{}" ? "" : ",";
    text_ += body.substr(1);
  }
  text_ += '\n';
}

void LineAnswers::Fail(const JsonValue* id, const Error& error) {
  ++failed_;
  Add(id, JsonWriter().BeginObject().Key("error").Raw(FormatError(error)).EndObject().Take());
}

int RunLines(const LineJob& job, const AnswerLines& answer) {
  const StopSignal stop;
  const Input input = OrQuit(OpenInput(job.input));
  const OutputFile output = OrQuit(OpenOutput(job, input));
  LineReader reader(input.descriptor.get(), stop);
  Skip(reader, output.kept);
  const uint64_t skipped = reader.bytes_taken();
  uint64_t lines = 0, failed = output.failed, cut = 0;
  {
    Progress progress(job.quiet, input.bytes > skipped ? input.bytes - skipped : 0);
    for (std::vector<Result<std::string>> batch; Gather(reader, job.batch_bytes, batch);) {
      LineAnswers answers;
      answer(batch, answers);
      WriteAll(output.descriptor.get(), answers.text(),
               job.output.empty() ? "standard output" : job.output);
      lines += answers.count();
      failed += answers.failed();
      cut += answers.cut();
      progress.Update(lines, failed, reader.bytes_taken() - skipped);
    }
  }
  Summarise(output.kept + lines, failed, cut, job, stop.received());
  if (stop.received() != 0) return kSignalBase + stop.received();
  return failed > 0 ? kSomeLinesFailed : kAnswered;
}

}  // namespace dikast::cli
