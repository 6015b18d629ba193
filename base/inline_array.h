#pragma once

#include <array>
#include <cstddef>
#include <memory>

namespace gnomon {

/// As many elements as are said once, value-initialised; up to `kInline` of them without an allocation.
/// Threads: as an array.
template <typename T, size_t kInline>
class InlineArray {
 public:
  explicit InlineArray(size_t size) : more_(size > kInline ? std::make_unique<T[]>(size) : nullptr), size_(size) {}

  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] T* data() { return more_ ? more_.get() : inline_.data(); }
  [[nodiscard]] const T* data() const { return more_ ? more_.get() : inline_.data(); }
  [[nodiscard]] T* begin() { return data(); }
  [[nodiscard]] T* end() { return data() + size_; }
  [[nodiscard]] const T* begin() const { return data(); }
  [[nodiscard]] const T* end() const { return data() + size_; }
  [[nodiscard]] T& operator[](size_t index) { return data()[index]; }
  [[nodiscard]] const T& operator[](size_t index) const { return data()[index]; }

 private:
  const std::unique_ptr<T[]> more_;  ///< null: they are in `inline_`
  const size_t size_;
  std::array<T, kInline> inline_{};
};

}  // namespace gnomon
