#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>

namespace gnomon {

/// Elements of a trivial type in memory that is kept from one use to the next, and not filled before it is written.
/// Threads: one.
template <typename T>
class ScratchArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T* data() { return memory_.get(); }
  [[nodiscard]] const T* data() const { return memory_.get(); }
  [[nodiscard]] T* begin() { return data(); }
  [[nodiscard]] T* end() { return data() + size_; }
  [[nodiscard]] const T* begin() const { return data(); }
  [[nodiscard]] const T* end() const { return data() + size_; }
  [[nodiscard]] T& operator[](size_t index) { return data()[index]; }
  [[nodiscard]] const T& operator[](size_t index) const { return data()[index]; }
  [[nodiscard]] T& front() { return data()[0]; }
  [[nodiscard]] T& back() { return data()[size_ - 1]; }

  void clear() { size_ = 0; }
  void add(const T& element) {
    *room(1) = element;
    ++size_;
  }
  /// Where so many more have room behind the last: those below `end` become elements with endAt(end).
  T* room(size_t count) {
    if (capacity_ - size_ < count) grow(size_ + count);
    return end();
  }
  void endAt(const T* end) { size_ = static_cast<size_t>(end - data()); }

 private:
  void grow(size_t wanted) {
    const size_t capacity = std::max(wanted, 2 * capacity_);
    auto memory = std::make_unique_for_overwrite<T[]>(capacity);
    std::copy_n(data(), size_, memory.get());
    memory_ = std::move(memory);
    capacity_ = capacity;
  }

  std::unique_ptr<T[]> memory_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace gnomon
