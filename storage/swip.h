#pragma once

#include <cstdint>

#include "storage/frame.h"

namespace gnomon::storage {

/// A parent page's reference to a child page: the address of a resident frame (hot, or cooling when the page is in the
/// queue of those that go next) or a page number with its size class (cold).
///
/// Source: paper 2, section 2.2. Departure: a cooling page is reached through its swip, not through a hash table.
/// Layout, 64 bits:  hot      frame address                           bits 0, 1 = 0, 0
///                   cooling  frame address                           bits 0, 1 = 0, 1
///                   cold     page number (57) | size class (6)       bit 0 = 1
/// Invariants:  S1  one swip per page
///              S2  a hot or cooling swip's frame holds that page
///              S3  a page turns cooling and cold only after all its children are cold
/// Threads: read under the parent's latch version. Hot to cooling and back, and cold to hot, change by compare-and-swap
/// under the parent's shared latch; every other change needs its exclusive latch.
class Swip {
 public:
  constexpr Swip() = default;
  static Swip hot(Frame* frame) { return Swip(reinterpret_cast<uint64_t>(frame)); }
  static Swip cooling(Frame* frame) { return Swip(reinterpret_cast<uint64_t>(frame) | kCooling); }
  static constexpr Swip cold(PageId id) { return Swip(id.value << 1 | 1); }
  static constexpr Swip fromBits(uint64_t bits) { return Swip(bits); }

  [[nodiscard]] constexpr bool isNone() const { return bits_ == 0; }
  [[nodiscard]] constexpr bool isCold() const { return (bits_ & 1) != 0; }
  [[nodiscard]] constexpr bool isResident() const { return !isCold() && bits_ != 0; }
  [[nodiscard]] constexpr bool isCooling() const { return !isCold() && (bits_ & kCooling) != 0; }
  [[nodiscard]] constexpr bool isHot() const { return isResident() && !isCooling(); }
  /// The frame of a resident page.
  [[nodiscard]] Frame* frame() const {
    ASSERT(isResident(), "S2");
    return reinterpret_cast<Frame*>(bits_ & ~kCooling);
  }
  /// The page id of a cold swip.
  [[nodiscard]] constexpr PageId coldPage() const { return PageId::fromPacked(bits_ >> 1); }
  /// The page id, resident or cold. A resident swip is read under its parent's latch.
  [[nodiscard]] PageId pageId() const { return isCold() ? coldPage() : frame()->page_id.load(); }
  [[nodiscard]] constexpr uint64_t bits() const { return bits_; }
  constexpr bool operator==(const Swip&) const = default;

 private:
  static constexpr uint64_t kCooling = 2;
  constexpr explicit Swip(uint64_t bits) : bits_(bits) {}
  uint64_t bits_ = 0;
};
static_assert(sizeof(Swip) == 8);

/// Copies a page, or its beginning, that is latched and may hold swips. Under a shared latch those change meanwhile, so
/// each word is read as a whole: a swip in the copy is one that the page had, and leads to the same child while the
/// latch is held.
void copyWithSwips(const std::byte* page, uint64_t bytes, std::byte* copy);

}  // namespace gnomon::storage
