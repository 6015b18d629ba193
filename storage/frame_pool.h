#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "storage/frame.h"

namespace gnomon::storage {

/// The memory of the pool: for each size class one private anonymous mapping as large as the pool, cut into pages at
/// fixed addresses, and one for the frames of all. Only frames that hold a page, or held one and are waiting for the
/// next, occupy memory, and in a large pool a little for those that will be taken next.
///
/// Source: paper 2, section 2.1.
/// Invariants:  B1  taken and warm frames of all classes sum to at most the pool's bytes
/// Threads: any.
class FramePool {
 public:
  /// Failure: 53200 when the address space is not to be had.
  explicit FramePool(uint64_t bytes);
  ~FramePool();
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;

  struct Taken {
    Frame* frame = nullptr;
    bool is_zero = false;  ///< the page bytes are all zero; otherwise anything
  };
  /// A free frame for the caller alone; null when no memory is left for it.
  Taken tryTake(SizeClass size_class);
  /// The system is to give memory for the next pages before they are taken: where it clears a huge page, or its own
  /// host has yet to find one, that takes milliseconds.
  [[nodiscard]] bool wantsMemoryAhead() const { return wants_memory_ahead_.load(std::memory_order_relaxed); }
  /// Has it give that memory, for as long as it takes. One thread at a time.
  void takeMemoryAhead();
  /// Takes a frame in state Free back. Its memory stays for the next page of the class until another class needs it.
  void give(Frame& frame);

  [[nodiscard]] uint64_t bytes() const { return bytes_; }
  /// Of frames that are taken.
  [[nodiscard]] uint64_t usedBytes() const { return used_bytes_.load(std::memory_order_relaxed); }
  [[nodiscard]] uint64_t availableBytes() const { return bytes_ - usedBytes(); }
  [[nodiscard]] uint64_t framesInUse(SizeClass size_class) const;
  [[nodiscard]] SizeClass sizeClassMax() const;

  /// See BufferManager::pageOf.
  [[nodiscard]] std::span<const std::byte> pageOf(const Frame& frame) const {
    const uint64_t offset = reinterpret_cast<uintptr_t>(&frame) - reinterpret_cast<uintptr_t>(frames_);
    const uint64_t size_class = offset >> class_frames_shift_;
    if (size_class >= kSizeClassCount || memory_[size_class] == nullptr) return {};
    const uint64_t index = (offset - (size_class << class_frames_shift_)) / sizeof(Frame);
    const uint64_t page_bytes = kPageBytesMin << size_class;
    if ((index + 1) * page_bytes > bytes_) return {};
    return {memory_[size_class] + index * page_bytes, page_bytes};
  }

  /// Frames 0 .. touchedCount() - 1 of a class have been used at least once.
  [[nodiscard]] uint64_t touchedCount(SizeClass size_class) const {
    return classes_[size_class.index].touched.load(std::memory_order_acquire);
  }
  [[nodiscard]] Frame& frame(SizeClass size_class, uint64_t index) { return classes_[size_class.index].frames[index]; }

 private:
  struct Class {
    Frame* frames = nullptr;
    uint64_t count = 0;
    std::atomic<uint64_t> touched{0};
    std::atomic<uint64_t> in_use{0};
    std::vector<uint64_t> warm;  ///< free frames with memory
    std::vector<uint64_t> cold;  ///< free frames without
    bool gives_back = false;     ///< memory of this class was given back before
    uint64_t ahead_bytes = 0;    ///< from the beginning, what the system was asked for
  };

  void map();
  void unmap();
  bool makeRoom(uint64_t bytes);
  /// Part of a class's memory.
  struct Part {
    std::byte* begin = nullptr;
    uint64_t bytes = 0;
  };
  Part partAhead(Class& pool, SizeClass size_class) const;
  void giveBack(Class& pool, SizeClass size_class);

  const uint64_t bytes_;
  /// A frame's address tells its class and number: each class has `1 << class_frames_shift_` bytes for its frames.
  std::byte* frames_ = nullptr;
  unsigned class_frames_shift_ = 0;
  std::array<std::byte*, kSizeClassCount> memory_{};  ///< null: no page of the class fits into the pool
  std::atomic<uint64_t> used_bytes_{0};
  std::atomic<bool> wants_memory_ahead_{false};
  mutable std::mutex mutex_;
  uint64_t resident_bytes_ = 0;  ///< of taken and warm frames
  std::array<Class, kSizeClassCount> classes_;
};

}  // namespace gnomon::storage
