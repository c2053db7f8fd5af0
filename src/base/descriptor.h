// File descriptors: an owner, and how many the process may have.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <span>
#include <utility>

namespace dikast {

// Closes what it owns; leaves the three standard streams open.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Descriptor() {
    if (value_ > STDERR_FILENO) close(value_);
  }

  int get() const { return value_; }

 private:
  int value_;
};

// Reads until `bytes` are full or the file ends. Returns how many came; -1 with errno.
ssize_t ReadFull(int descriptor, std::span<char> bytes);

// Raises the soft limit on open files to `wanted`, or to the hard limit where that is less; never
// lowers it. The usual soft limit is 1,024. Returns the limit that holds now.
uint64_t RaiseDescriptorLimit(uint64_t wanted);

}  // namespace dikast
