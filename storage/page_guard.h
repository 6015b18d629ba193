#pragma once

#include <utility>

#include "storage/frame.h"

namespace gnomon::storage {

/// Holds a frame's latch shared: the page stays, and does not change. Threads: released by the thread that took it.
class SharedGuard {
 public:
  /// The latch is already held shared by this thread.
  struct Adopt {};

  SharedGuard() = default;
  SharedGuard(Frame& frame, Adopt) : frame_(&frame) {}
  explicit SharedGuard(Frame& frame) : frame_(&frame) { frame.latch.lockShared(); }
  SharedGuard(SharedGuard&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  SharedGuard& operator=(SharedGuard&& other) noexcept {
    if (this != &other) {
      release();
      frame_ = std::exchange(other.frame_, nullptr);
    }
    return *this;
  }
  ~SharedGuard() { release(); }

  void release() {
    if (frame_) std::exchange(frame_, nullptr)->latch.unlockShared();
  }
  [[nodiscard]] bool holds() const { return frame_ != nullptr; }
  [[nodiscard]] Frame& frame() const { return *frame_; }
  [[nodiscard]] const std::byte* page() const { return frame_->page; }

 private:
  Frame* frame_ = nullptr;
};

/// Holds a frame's latch exclusively. On release the version grows: optimistic readers start again.
class ExclusiveGuard {
 public:
  /// The latch is already held exclusively by this thread.
  struct Adopt {};

  ExclusiveGuard() = default;
  explicit ExclusiveGuard(Frame& frame) : frame_(&frame) { frame.latch.lockExclusive(); }
  ExclusiveGuard(Frame& frame, Adopt) : frame_(&frame) { ASSERT(frame.latch.isExclusive(), "L1"); }
  ExclusiveGuard(ExclusiveGuard&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  ExclusiveGuard& operator=(ExclusiveGuard&& other) noexcept {
    if (this != &other) {
      release();
      frame_ = std::exchange(other.frame_, nullptr);
    }
    return *this;
  }
  ~ExclusiveGuard() { release(); }

  void release() {
    if (frame_) std::exchange(frame_, nullptr)->latch.unlockExclusive();
  }
  /// Release of a page that was only looked at: optimistic readers go on undisturbed.
  void releaseUnchanged() {
    if (frame_) std::exchange(frame_, nullptr)->latch.unlockExclusive(false);
  }
  [[nodiscard]] bool holds() const { return frame_ != nullptr; }
  [[nodiscard]] Frame& frame() const { return *frame_; }
  [[nodiscard]] std::byte* page() const { return frame_->page; }

 private:
  Frame* frame_ = nullptr;
};

/// Remembers a frame's version. What is read from the page may be torn until isValid() has said otherwise.
class OptimisticGuard {
 public:
  OptimisticGuard() = default;
  explicit OptimisticGuard(Frame& frame) : frame_(&frame), version_(frame.latch.readVersion()) {}

  /// Expected outcome false: something changed, the caller starts again.
  [[nodiscard]] bool isValid() const { return frame_->latch.validate(version_); }
  /// Turns into an exclusive hold if nothing changed since; otherwise the result holds nothing.
  [[nodiscard]] ExclusiveGuard tryUpgrade() const {
    if (!frame_->latch.tryUpgrade(version_)) return {};
    return {*frame_, ExclusiveGuard::Adopt{}};
  }
  [[nodiscard]] bool holds() const { return frame_ != nullptr; }
  [[nodiscard]] Frame& frame() const { return *frame_; }
  [[nodiscard]] const std::byte* page() const { return frame_->page; }

 private:
  Frame* frame_ = nullptr;
  VersionedLatch::Version version_ = 0;
};

}  // namespace gnomon::storage
