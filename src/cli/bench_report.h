// What the reports of `dikast bench http` have in common.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "dikast/status.h"

namespace dikast::cli {

// Milliseconds or shares, rounded to a thousandth.
JsonWriter& Rounded(JsonWriter& writer, double value);

// {"count", "p50", "p95", "p99", "max", "mean"}: nearest rank. Only the count when it is 0.
JsonWriter& WriteDistribution(std::vector<double> values, JsonWriter& writer);

// The value at that share of a sorted, non-empty list, by nearest rank.
double Percentile(const std::vector<double>& sorted, double share);

// "queue;dur=0.1, forward;dur=1.5": name to milliseconds.
std::map<std::string, double> ParseServerTiming(std::string_view header);

// {"cpu", "cores", "system"} and the command line of this process.
void WriteMachine(JsonWriter& writer);
std::string CommandLine();

// "2026-11-30T20:15:00Z".
std::string Timestamp(double seconds);
double Now();  // seconds since 1970

// Errors: kUsage when the file is there already.
Result<void> RefuseExisting(const std::string& file);
Result<void> WriteNew(const std::string& file, std::string_view text);

}  // namespace dikast::cli
