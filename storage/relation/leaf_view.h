#pragma once

#include <cstdint>
#include <span>

#include "storage/page_guard.h"
#include "storage/relation/leaf.h"

namespace gnomon::storage {

/// Rows of a leaf that are left out: [begin, end).
struct LeafGap {
  uint32_t begin;
  uint32_t end;
};
/// Stands behind the last gap.
inline constexpr LeafGap kNoLeafGap{UINT32_MAX, UINT32_MAX};

/// One leaf as generated code sees it. A plain C structure; offsets count bytes from `page_base`.
///
/// Contract, for row in [row_begin, row_end), but for those in gaps:
///   value of column c      page_base + column_offsets[c] + row * storedWidth(kind of c), naturally aligned
///   null of column c       null_offsets[c] != 0 and bit (row & 7) of byte page_base[null_offsets[c] + (row >> 3)] is
///                          set
///   tuple id               uint64 at page_base + tuple_ids_offset + row * 8; bit 63 set: deleted, the row is skipped.
///                          When flagged_count is 0 no row is skipped, and the loop must not look.
///   gaps                   ascending, none of them empty, kNoLeafGap behind them. A loop begins at row_begin and has
///                          room for all, or there are none.
///   string                 lo as stored; hi: length <= 12 as stored, else hi + page_base. The stored hi carries
///   storage
///                          class transient in its top bits already, so the sum is a finished StringValue.
///   float32                4 bytes IEEE single; generated code widens it
///   interval               int64 microseconds, int32 days, int32 months
/// Columns at or above column_count are not in this leaf (added to the table later): their value is StoredColumn's
/// missing. Rows outside the range are never looked at: they may be another transaction's or half written.
struct LeafAccess {
  const std::byte* page_base;
  const uint32_t* column_offsets;
  const uint32_t* null_offsets;
  uint32_t column_count;
  uint32_t row_begin;
  uint32_t row_end;
  uint32_t tuple_ids_offset;
  uint32_t flagged_count;
  /// Bit column % 32: generated code that reads one row says here which columns it has read.
  uint32_t columns_read;
  const LeafGap* gaps = &kNoLeafGap;
  /// The page that the scan visits next, if it is in memory: what is read there is worth to be fetched ahead. Null:
  /// none.
  const std::byte* page_ahead = nullptr;
};
static_assert(sizeof(LeafAccess) == 64 && offsetof(LeafAccess, page_ahead) == 56 && offsetof(LeafAccess, gaps) == 48);
static_assert(offsetof(LeafAccess, column_offsets) == 8 && offsetof(LeafAccess, null_offsets) == 16);
static_assert(offsetof(LeafAccess, column_count) == 24 && offsetof(LeafAccess, row_begin) == 28);
static_assert(offsetof(LeafAccess, row_end) == 32 && offsetof(LeafAccess, tuple_ids_offset) == 36);
static_assert(offsetof(LeafAccess, flagged_count) == 40 && offsetof(LeafAccess, columns_read) == 44);

/// Asks for the values of a row.
inline void prefetchValues(const std::byte* page, const LeafLayout& layout, uint64_t row,
                           std::span<const uint32_t> columns) {
  for (const uint32_t column : columns)
    if (column < layout.widths.size())
      __builtin_prefetch(page + layout.column_offsets[column] + row * layout.widths[column]);
}
/// And for the bytes of its strings in columns that have such, whose headers have come. Others may change them
/// meanwhile.
void prefetchStrings(const std::byte* page, const LeafLayout& layout, uint64_t row, std::span<const uint32_t> columns);
/// What the header of a page that nobody holds says of it, if it is a leaf of the relation's with that row; null: it
/// is none. Until this thread asks again. Its arrays lie within the page, also where it has become another page
/// meanwhile.
const LeafLayout* layoutAhead(std::span<const std::byte> page, RelationId relation, const RelationSchema& schema,
                              uint64_t row);

/// A leaf that this thread holds shared, until release(), the next leaf, or destruction.
///
/// Threads: one. While it holds a leaf the thread must not append to, delete from or truncate the same relation, wait
/// for a lock, or write to a client.
class LeafView {
 public:
  LeafView() = default;

  /// Takes over a shared latch; rows with ids from `from` to below `bound` only.
  void attach(SharedGuard guard, const RelationSchema& schema, TupleId from, TupleId bound);
  /// A leaf in memory of the caller's, of which nobody else knows.
  void attachCopy(std::byte* page, const RelationSchema& schema);
  void release() { guard_.release(); }
  [[nodiscard]] bool holds() const { return guard_.holds(); }

  [[nodiscard]] const LeafAccess& access() const { return access_; }
  void setPageAhead(const std::byte* page) { access_.page_ahead = page; }
  [[nodiscard]] uint32_t rowCount() const { return access_.row_end - access_.row_begin; }
  [[nodiscard]] TupleId tupleId(uint32_t row) const { return TupleId{stored(row) & tuple_id_flags::kIdMask}; }
  [[nodiscard]] bool isDeleted(uint32_t row) const { return (stored(row) & tuple_id_flags::kDeleted) != 0; }
  /// With its flags.
  [[nodiscard]] uint64_t storedTupleId(uint32_t row) const { return stored(row); }
  [[nodiscard]] bool isVirtuallyDeleted(uint32_t row) const {
    return (stored(row) & tuple_id_flags::kVirtuallyDeleted) != 0;
  }
  /// The slow way to a value, for C++ callers.
  Datum value(uint32_t column, uint32_t row, bool& is_null) const {
    return readValue(access_.page_base, *schema_, *layout_, column, row, is_null);
  }
  [[nodiscard]] Frame& frame() const { return guard_.frame(); }
  /// Asks for the values of a row of `page`, another leaf, which is hoped to be like the last one of this view. No leaf
  /// need be held.
  void prefetchValues(const std::byte* page, const RelationSchema& schema, uint64_t row,
                      std::span<const uint32_t> columns) const {
    if (schema_ == &schema && row < capacity_) storage::prefetchValues(page, *layout_, row, columns);
  }

 private:
  void describe(std::byte* page, TupleId from, TupleId bound);
  [[nodiscard]] uint64_t stored(uint32_t row) const {
    return reinterpret_cast<const uint64_t*>(access_.page_base + access_.tuple_ids_offset)[row];
  }
  SharedGuard guard_;
  const RelationSchema* schema_ = nullptr;
  std::shared_ptr<const LeafLayout>
      layout_;             ///< of `capacity_` slots under `version_`: leaves of a relation are mostly alike
  uint64_t capacity_ = 0;  ///< 0: not computed yet
  uint32_t version_ = 0;
  LeafAccess access_{};
};

}  // namespace gnomon::storage
