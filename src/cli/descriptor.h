#pragma once

#include <unistd.h>

#include <utility>

namespace dikast::cli {

// Owns a file descriptor.
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

}  // namespace dikast::cli
