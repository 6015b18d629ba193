#pragma once

#include <cstddef>
#include <cstdint>

#include "base/assert.h"
#include "base/strong_id.h"
#include "wal/gsn.h"

namespace gnomon::storage {

/// Size class i holds pages of 64 KiB << i (paper 2, section 2.1).
struct SizeClass {
  uint8_t index = 0;
  constexpr auto operator<=>(const SizeClass&) const = default;
};

inline constexpr unsigned kPageBytesMinShift = 16;
inline constexpr uint64_t kPageBytesMin = uint64_t{1} << kPageBytesMinShift;
/// The largest page is 2 GiB, so that offsets inside a page fit 32 bits.
inline constexpr unsigned kSizeClassCount = 16;

constexpr uint64_t pageBytes(SizeClass size_class) {
  return kPageBytesMin << size_class.index;
}
constexpr uint64_t kPageBytesMax = kPageBytesMin << (kSizeClassCount - 1);

/// A page's number and size class.
///
/// Layout, 63 bits:  page number (57) | size class (6). Numbers count from 1 in each class, so 0 is no page.
/// Place on disk: page n of class c lies at (n - 1) * pageBytes(c) in the data file of class c.
struct PageId {
  uint64_t value = 0;

  static constexpr unsigned kClassBits = 6;
  static constexpr unsigned kNumberBits = 57;

  constexpr PageId() = default;
  constexpr PageId(uint64_t number, SizeClass size_class) : value(number << kClassBits | size_class.index) {}
  static constexpr PageId fromPacked(uint64_t packed) {
    PageId id;
    id.value = packed;
    return id;
  }
  [[nodiscard]] constexpr uint64_t number() const { return value >> kClassBits; }
  [[nodiscard]] constexpr SizeClass sizeClass() const {
    return SizeClass{static_cast<uint8_t>(value & ((1u << kClassBits) - 1))};
  }
  [[nodiscard]] constexpr bool isNone() const { return value == 0; }
  constexpr auto operator<=>(const PageId&) const = default;
};

using wal::Gsn;
/// Identifies a relation (table or system relation) for its life; never reused.
using RelationId = StrongId<struct RelationIdTag, uint32_t>;

enum class PageType : uint16_t { None = 0, RelationLeaf = 1, RelationInner = 2, IndexLeaf = 3, IndexInner = 4 };

/// The first bytes of every page.
///
/// Layout, 32 bytes:   0  checksum      XXH3 (64 bits) of bytes 8 to the end of the page, set when written to disk
///                     8  page id       packed PageId
///                    16  gsn           of the last change
///                    24  relation id
///                    28  page type
///                    30  spare         zero
/// Invariants:  P1  a page read from disk has a matching checksum and the page id it was asked for
///              P2  a resident page's id equals its frame's
struct PageHeader {
  uint64_t checksum;
  PageId page_id;
  Gsn gsn;
  RelationId relation_id;
  PageType type;
  uint16_t spare;
};
static_assert(sizeof(PageHeader) == 32);
static_assert(offsetof(PageHeader, page_id) == 8 && offsetof(PageHeader, gsn) == 16);
static_assert(offsetof(PageHeader, relation_id) == 24 && offsetof(PageHeader, type) == 28);

}  // namespace gnomon::storage
