// Which machine and which source a result comes from.
#pragma once

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

namespace dikast {

// The first line that a shell command prints, at most 199 bytes.
inline std::string FirstLine(const char* command) {
  std::string line(200, '\0');
  FILE* pipe = popen(command, "r");
  const bool read = pipe && std::fgets(line.data(), static_cast<int>(line.size()), pipe);
  if (pipe) pclose(pipe);
  line.resize(read ? std::strcspn(line.c_str(), "\n") : 0);
  return line;
}

inline std::string CpuName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

// Of the checkout that the program is started in.
inline std::string Commit() { return FirstLine("git describe --always --dirty --abbrev=40"); }

}  // namespace dikast
