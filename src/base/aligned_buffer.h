// Uninitialised floats (or bytes) on 64-byte boundaries: one cache line, one AVX-512 register.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

namespace dikast {

template <class T>
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  // Throws std::bad_alloc; the caller has checked the size against its budget.
  explicit AlignedBuffer(size_t count) : size_(count) {
    const size_t bytes = (count * sizeof(T) + 63) / 64 * 64;
    if (bytes == 0) return;
    data_.reset(static_cast<T*>(std::aligned_alloc(64, bytes)));
    if (!data_) throw std::bad_alloc();
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  size_t size() const { return size_; }
  std::span<T> span() { return {data_.get(), size_}; }
  std::span<const T> span() const { return {data_.get(), size_}; }
  T& operator[](size_t i) { return data_.get()[i]; }
  const T& operator[](size_t i) const { return data_.get()[i]; }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  std::unique_ptr<T, Free> data_;
  size_t size_ = 0;
};

}  // namespace dikast
