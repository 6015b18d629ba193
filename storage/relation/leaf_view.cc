#include "storage/relation/leaf_view.h"

#include <algorithm>

#include "storage/latch.h"
#include "storage/relation/stored_string.h"

namespace gnomon::storage {

void LeafView::attach(SharedGuard guard, const RelationSchema& schema, TupleId from, TupleId bound) {
  guard_ = std::move(guard);
  Frame& frame = guard_.frame();
  const auto& header = *reinterpret_cast<const LeafHeader*>(frame.page);
  const bool is_like_the_last = schema_ == &schema && capacity_ == header.capacity && capacity_ != 0 &&
                                version_ == header.schema_version &&
                                Leaf::isSoundWith(frame.page, frame.pageBytes(), layout_->fixed_end);
  if (!is_like_the_last) {
    schema_ = &schema;
    capacity_ = 0;
    try {
      Leaf::requireSound(frame.page, frame.pageBytes(), schema);
    } catch (...) {
      guard_.release();
      throw;
    }
    layout_ = leafLayout(schema, header.schema_version, header.capacity);
    capacity_ = header.capacity;
    version_ = header.schema_version;
  }
  describe(frame.page, from, bound);
}

void LeafView::attachCopy(std::byte* page, const RelationSchema& schema) {
  guard_.release();
  const auto& header = *reinterpret_cast<const LeafHeader*>(page);
  if (schema_ != &schema || capacity_ != header.capacity || version_ != header.schema_version) {
    schema_ = &schema;
    layout_ = leafLayout(schema, header.schema_version, header.capacity);
    capacity_ = header.capacity;
    version_ = header.schema_version;
  }
  describe(page, TupleId{}, TupleId{UINT64_MAX});
}

GNOMON_OPTIMISTIC_READ void prefetchStrings(const std::byte* page, const LeafLayout& layout, uint64_t row,
                                            std::span<const uint32_t> columns) {
  constexpr uint64_t kLineBytes = 64;
  constexpr uint64_t kBytesMax = 8 * kLineBytes;
  for (const uint32_t column : columns) {
    if (column >= layout.column_offsets.size()) continue;
    const auto* const stored = reinterpret_cast<const volatile Datum*>(page + layout.column_offsets[column]) + row;
    const Datum header{stored->lo, stored->hi};
    // Where that is not the string's any more it may be anywhere, which does no harm.
    const uint64_t bytes = std::min<uint64_t>(outsideBytes(header), kBytesMax);
    for (uint64_t at = 0; at < bytes; at += kLineBytes) __builtin_prefetch(page + storedOffset(header) + at);
  }
}

GNOMON_OPTIMISTIC_READ const LeafLayout* layoutAhead(std::span<const std::byte> page, RelationId relation,
                                                     const RelationSchema& schema, uint64_t row) {
  if (page.empty()) return nullptr;
  const auto& header = *reinterpret_cast<const volatile LeafHeader*>(page.data());
  // A page that becomes another's meanwhile may say anything.
  const uint64_t capacity = header.capacity;
  const uint32_t version = header.schema_version;
  const bool is_leaf = header.page.type == PageType::RelationLeaf && header.page.relation_id.value == relation.value;
  if (!is_leaf || row >= capacity || capacity > page.size() / sizeof(uint64_t) || version > schema.version())
    return nullptr;
  const LeafLayout* const layout = leafLayout(schema, version, capacity).get();
  return layout->fixed_end <= page.size() ? layout : nullptr;
}

void LeafView::describe(std::byte* page, TupleId from, TupleId bound) {
  const auto& header = *reinterpret_cast<const LeafHeader*>(page);
  const auto* ids = reinterpret_cast<const uint64_t*>(page + LeafLayout::kTupleIdsOffset);
  uint32_t row_begin = 0;
  uint32_t row_end = header.tuple_count;
  // Usually the whole leaf is wanted.
  if (from.value != 0 && row_end > 0 && (ids[0] & tuple_id_flags::kIdMask) < from.value)
    row_begin = Leaf::lowerBound(page, from);
  if (bound.value != UINT64_MAX && row_end > 0 && (ids[row_end - 1] & tuple_id_flags::kIdMask) >= bound.value)
    row_end = std::max(row_begin, Leaf::lowerBound(page, bound));
  access_ = LeafAccess{.page_base = page,
                       .column_offsets = layout_->column_offsets.data(),
                       .null_offsets = layout_->null_offsets.data(),
                       .column_count = static_cast<uint32_t>(layout_->column_offsets.size()),
                       .row_begin = row_begin,
                       .row_end = row_end,
                       .tuple_ids_offset = LeafLayout::kTupleIdsOffset,
                       .flagged_count = header.flagged_count,
                       .columns_read = 0};
}

}  // namespace gnomon::storage
