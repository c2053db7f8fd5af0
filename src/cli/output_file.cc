#include "cli/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/file.h"
#include "base/json_writer.h"
#include "base/try.h"
#include "cli/output.h"
#include "dikast/json.h"

namespace dikast::cli {
namespace {

constexpr size_t kMostRecordBytes = 1u << 20;

tl::unexpected<Error> SystemFailure(const std::string& file) {
  return Fail(ErrorCode::kModel, std::strerror(errno), file);
}

std::string RecordName(const std::string& file) { return file + ".resume.json"; }

// Whole or not at all: written beside and renamed.
Result<void> WriteRecord(const std::string& file, const Fingerprint& fingerprint) {
  JsonWriter writer;
  writer.BeginObject();
  for (const auto& [name, value] : fingerprint) writer.Key(name).String(value);
  writer.EndObject();
  const std::string record = RecordName(file), fresh = record + ".new";
  const Descriptor out(open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (out.get() < 0) return SystemFailure(fresh);
  WriteAll(out.get(), writer.Take() + "\n", fresh);
  if (fsync(out.get()) != 0 || std::rename(fresh.c_str(), record.c_str()) != 0) {
    return SystemFailure(record);
  }
  return {};
}

// Every difference in one message: the user has to see them all to decide.
Result<void> CheckRecord(const std::string& file, const Fingerprint& fingerprint) {
  const std::string record = RecordName(file);
  DIKAST_TRY(const std::string text, ReadFile(record, kMostRecordBytes));
  DIKAST_TRY(const JsonValue value, ParseJson(text));
  std::string differences;
  for (const auto& [name, now] : fingerprint) {
    const JsonValue* then = value.Find(name);
    const std::string* recorded = then == nullptr ? nullptr : then->AsString();
    if (recorded != nullptr && *recorded == now) continue;
    differences += (differences.empty() ? "" : "; ") + name + " was " +
                   (recorded == nullptr ? "not recorded" : "'" + *recorded + "'") + ", is '" + now +
                   "'";
  }
  if (differences.empty()) return {};
  return Fail(ErrorCode::kUsage, "cannot resume, the run is another one: " + differences, record);
}

// Counts the complete lines and cuts off what follows them.
Result<void> KeepCompleteLines(const std::string& file, OutputFile& output) {
  DIKAST_TRY(const MappedFile mapped, MappedFile::Open(file));
  std::string_view rest(reinterpret_cast<const char*>(mapped.bytes().data()),
                        mapped.bytes().size());
  size_t complete = 0;
  for (size_t end; (end = rest.find('\n')) != std::string_view::npos; rest.remove_prefix(end + 1)) {
    // The reference writes a key twice for labels such as 1 and "1".
    const Result<JsonValue> answer =
        ParseJson(rest.substr(0, end), JsonDialect::kReference, {.values = SIZE_MAX});
    ++output.kept;
    if (!answer) {
      return Fail(ErrorCode::kUsage,
                  "cannot resume, line " + std::to_string(output.kept) + " is no answer", file);
    }
    if (answer->Find("error") != nullptr) ++output.failed;
    complete += end + 1;
  }
  if (ftruncate(output.descriptor.get(), static_cast<off_t>(complete)) != 0) {
    return SystemFailure(file);
  }
  return {};
}

}  // namespace

Result<OutputFile> OpenOutputFile(const std::string& file, const Fingerprint& fingerprint,
                                  bool resume) {
  if (resume && fingerprint.empty()) {
    return Fail(ErrorCode::kUsage,
                "cannot resume from a pipe: the input must be a file, to be read again",
                "--resume");
  }
  OutputFile output{
      Descriptor(open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666))};
  struct stat status {};
  if (output.descriptor.get() < 0 || fstat(output.descriptor.get(), &status) != 0) {
    return SystemFailure(file);
  }
  if (!S_ISREG(status.st_mode)) return output;
  if (flock(output.descriptor.get(), LOCK_EX | LOCK_NB) != 0) {
    return Fail(ErrorCode::kUsage, "another run is writing this file", file);
  }
  if (status.st_size > 0 && !resume) {
    return Fail(ErrorCode::kUsage, "the file has content: go on with --resume, or remove it", file);
  }
  if (status.st_size > 0) {
    DIKAST_CHECK_OK(CheckRecord(file, fingerprint));
    DIKAST_CHECK_OK(KeepCompleteLines(file, output));
  } else if (fingerprint.empty()) {
    // The record of an earlier run must not vouch for these answers.
    if (unlink(RecordName(file).c_str()) != 0 && errno != ENOENT) {
      return SystemFailure(RecordName(file));
    }
  } else {
    DIKAST_CHECK_OK(WriteRecord(file, fingerprint));
  }
  return output;
}

}  // namespace dikast::cli
