#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "codegen/runtime/runtime_object.h"

namespace gnomon::codegen {

/// LIMIT and OFFSET of one operator in one execution. Threads: any worker may ask.
class LimitCounter final : public RuntimeObject {
 public:
  static constexpr uint64_t kNoLimit = UINT64_MAX;

  /// `is_closed`: until it is set, no row is admitted.
  explicit LimitCounter(bool is_closed = false) : first_end_(is_closed ? 0 : kNoLimit) {}

  /// Set once, before the first row. Negative values raise 2201W and 2201X.
  void set(int64_t limit, bool has_limit, int64_t offset);
  /// Whether the next row is inside the window.
  bool admit() {
    if (seen_.load(std::memory_order_relaxed) >= end_) return false;
    const uint64_t number = seen_.fetch_add(1, std::memory_order_relaxed);
    return number >= offset_ && number < end_;
  }
  /// No further row will be admitted: the pipeline may stop.
  [[nodiscard]] bool isExhausted() const { return seen_.load(std::memory_order_relaxed) >= end_; }
  [[nodiscard]] uint64_t offset() const { return offset_; }
  /// Rows after the offset; kNoLimit: all.
  [[nodiscard]] uint64_t limit() const { return end_ == kNoLimit ? kNoLimit : end_ - offset_; }
  bool park() override {
    offset_ = 0;
    end_ = first_end_;
    seen_.store(0, std::memory_order_relaxed);
    return true;
  }

 private:
  const uint64_t first_end_;
  uint64_t offset_ = 0;
  uint64_t end_ = first_end_;
  std::atomic<uint64_t> seen_{0};
};

namespace rt {
void limitSet(LimitCounter* counter, int64_t limit, bool has_limit, int64_t offset);
bool limitAdmit(LimitCounter* counter);
}  // namespace rt

}  // namespace gnomon::codegen
