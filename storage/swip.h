#pragma once

#include <cstdint>

#include "storage/frame.h"

namespace gnomon::storage {

/// A parent page's reference to a child page: the address of a resident frame (hot) or a page number with its size
/// class (cold).
///
/// Source: paper 2, section 2.2. Departure: none.
/// Layout, 64 bits:  hot   frame address                           bit 0 = 0
///                   cold  page number (57) | size class (6)       bit 0 = 1
/// Invariants:  S1  one swip per page
///              S2  a hot swip's frame holds that page
///              S3  a page turns cold only after all its children
/// Threads: read under the parent's latch version, written under its exclusive latch.
class Swip {
 public:
  constexpr Swip() = default;
  static Swip hot(Frame* frame) { return Swip(reinterpret_cast<uint64_t>(frame)); }
  static constexpr Swip cold(PageId id) { return Swip(id.value << 1 | 1); }
  static constexpr Swip fromBits(uint64_t bits) { return Swip(bits); }

  [[nodiscard]] constexpr bool isNone() const { return bits_ == 0; }
  [[nodiscard]] constexpr bool isCold() const { return (bits_ & 1) != 0; }
  [[nodiscard]] constexpr bool isHot() const { return !isCold() && bits_ != 0; }
  [[nodiscard]] Frame* frame() const {
    ASSERT(isHot(), "S2");
    return reinterpret_cast<Frame*>(bits_);
  }
  /// The page id of a cold swip.
  [[nodiscard]] constexpr PageId coldPage() const { return PageId::fromPacked(bits_ >> 1); }
  /// The page id, hot or cold. A hot swip is read under its parent's latch.
  [[nodiscard]] PageId pageId() const { return isCold() ? coldPage() : frame()->page_id.load(); }
  [[nodiscard]] constexpr uint64_t bits() const { return bits_; }
  constexpr bool operator==(const Swip&) const = default;

 private:
  constexpr explicit Swip(uint64_t bits) : bits_(bits) {}
  uint64_t bits_ = 0;
};
static_assert(sizeof(Swip) == 8);

}  // namespace gnomon::storage
