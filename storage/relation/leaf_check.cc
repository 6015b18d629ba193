#include "storage/relation/leaf_check.h"

#include <algorithm>

#include "storage/relation/stored_string.h"

namespace gnomon::storage {

namespace {

struct Extent {
  uint64_t begin, end;
};

void countTuples(const Leaf& leaf, TupleId first, TupleId end, LeafCounts& counts, std::vector<const char*>& problems) {
  uint64_t least = first.value;
  uint32_t flagged = 0;
  bool is_ordered = true;
  bool is_virtual_sound = true;
  for (uint32_t row = 0; row < leaf.header().tuple_count; ++row) {
    const uint64_t tuple = leaf.tupleId(row).value;
    is_ordered &= tuple >= least && tuple < end.value;
    least = tuple + 1;
    if (leaf.isDeleted(row)) ++flagged;
    is_virtual_sound &= !leaf.isVirtuallyDeleted(row) || leaf.isDeleted(row);
  }
  counts.tuples = leaf.header().tuple_count;
  if (!is_ordered) problems.push_back("has tuple ids out of order");
  counts.deleted += flagged;
  if (!is_virtual_sound) problems.push_back("has tuples that are virtually deleted and not deleted");
  if (flagged != leaf.header().flagged_count) problems.push_back("has another number of flagged tuples than it says");
}

/// R4, and where the strings lie.
bool nullsAreZero(const std::byte* page, const RelationSchema& schema, const Leaf& leaf, std::vector<Extent>& strings) {
  bool are_zero = true;
  for (uint32_t column = 0; column < leaf.columnCount(); ++column) {
    const uint32_t width = storedWidth(schema[column].kind);
    const uint32_t nulls = leaf.layout().null_offsets[column];
    const std::byte* slots = page + leaf.layout().column_offsets[column];
    for (uint32_t row = 0; row < leaf.header().tuple_count; ++row) {
      const std::byte* slot = slots + uint64_t{row} * width;
      if (nulls != 0 && (page[nulls + (row >> 3)] >> (row & 7) & std::byte{1}) != std::byte{0})
        are_zero &= std::all_of(slot, slot + width, [](std::byte byte) { return byte == std::byte{0}; });
      if (schema[column].kind != StoredKind::String) continue;
      const auto& stored = *reinterpret_cast<const Datum*>(slot);
      if (const uint32_t bytes = outsideBytes(stored))
        strings.push_back({storedOffset(stored), storedOffset(stored) + bytes});
    }
  }
  return are_zero;
}

}  // namespace

LeafCounts checkLeafContents(std::byte* page, uint64_t page_bytes, const RelationSchema& schema, TupleId first,
                             TupleId end, std::vector<const char*>& problems) {
  const Leaf leaf(page, schema);
  LeafCounts counts;
  countTuples(leaf, first, end, counts, problems);
  std::vector<Extent> strings;
  if (!nullsAreZero(page, schema, leaf, strings)) problems.push_back("has a null that is not zero");
  std::ranges::sort(strings, {}, &Extent::begin);
  uint64_t free_from = leaf.header().variable_begin;
  bool are_apart = true;
  for (const Extent& string : strings) {
    are_apart &= string.begin >= free_from && string.end <= page_bytes;
    free_from = string.end;
    counts.string_bytes += string.end - string.begin;
  }
  if (!are_apart)
    problems.push_back("has strings that overlap or lie outside of their part of the page");
  else if (counts.string_bytes != leaf.stringBytes(page_bytes))
    problems.push_back("has another number of unused string bytes than it says");
  return counts;
}

}  // namespace gnomon::storage
