#include <algorithm>
#include <cstring>

#include "storage/relation/leaf.h"
#include "storage/relation/stored_string.h"

/// Tuples that leave a leaf for good, and leaves that become one.
namespace gnomon::storage {

namespace {

/// Copies bits one after the other: towards lower places, source and target may overlap.
void copyBits(const std::byte* from, uint32_t from_bit, std::byte* to, uint32_t to_bit, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const std::byte bit = from[(from_bit + i) >> 3] >> ((from_bit + i) & 7) & std::byte{1};
    std::byte& target = to[(to_bit + i) >> 3];
    const uint32_t shift = (to_bit + i) & 7;
    target = (target & ~(std::byte{1} << shift)) | (bit << shift);
  }
}

/// Clears bits that no null bitmap says anything of.
void clearBits(std::byte* bits, uint32_t begin, uint32_t count) {
  for (uint32_t i = begin; i < begin + count; ++i) bits[i >> 3] &= ~(std::byte{1} << (i & 7));
}

}  // namespace

uint32_t Leaf::countDeleted(TupleId from, TupleId to) const {
  if (header().flagged_count == 0) return 0;
  uint32_t deleted = 0;
  const uint32_t end = lowerBound(to);
  for (uint32_t row = lowerBound(from); row < end; ++row) deleted += isDeleted(row) ? 1 : 0;
  return deleted;
}

void Leaf::removeDeleted(TupleId from, TupleId to, uint64_t page_bytes) {
  const uint32_t begin = lowerBound(from);
  const uint32_t end = lowerBound(to);
  const uint32_t count = header().tuple_count;
  uint32_t kept = begin;
  for (uint32_t row = begin; row < count;) {
    // Rows that stay and follow each other go down together.
    uint32_t run_end = row;
    while (run_end < count && (run_end >= end || !isDeleted(run_end))) ++run_end;
    copyRows(*this, row, kept, run_end - row);
    kept += run_end - row;
    for (row = run_end; row < end && isDeleted(row); ++row)
      for (const uint32_t column : string_columns_) dropString(strings(column)[row]);
  }
  changing().flagged_count -= count - kept;
  changing().tuple_count = kept;
  packStrings(stringPlaces(), page_bytes);
}

/// Copies rows of a leaf of no newer version, headers of strings as they are. Within one leaf to lower rows only.
void Leaf::copyRows(const Leaf& from, uint32_t from_row, uint32_t to_row, uint32_t rows) {
  if (rows == 0 || (&from == this && from_row == to_row)) return;
  std::memmove(tupleIds() + to_row, from.tupleIds() + from_row, rows * sizeof(uint64_t));
  for (uint32_t column = 0; column < from.columnCount(); ++column) {
    const uint64_t width = storedWidth(schema_[column].kind);
    std::memmove(page_ + layout().column_offsets[column] + to_row * width,
                 from.page_ + from.layout().column_offsets[column] + from_row * width, rows * width);
    if (layout().null_offsets[column] == 0) continue;
    std::byte* nulls = page_ + layout().null_offsets[column];
    if (from.layout().null_offsets[column] == 0)
      clearBits(nulls, to_row, rows);
    else
      copyBits(from.page_ + from.layout().null_offsets[column], from_row, nulls, to_row, rows);
  }
}

uint64_t Leaf::leastBytes(uint64_t page_bytes) const {
  return fixedBytes(header().schema_version, header().tuple_count) + stringBytes(page_bytes);
}

uint64_t Leaf::leastBytesWith(const Leaf& other, uint64_t page_bytes, uint64_t other_page_bytes) const {
  const uint32_t version = std::max(header().schema_version, other.header().schema_version);
  return fixedBytes(version, uint64_t{header().tuple_count} + other.header().tuple_count) + stringBytes(page_bytes) +
         header().tuple_count * missingBytes(version) + other.stringBytes(other_page_bytes) +
         other.header().tuple_count * other.missingBytes(version);
}

void Leaf::makeLeast(uint64_t page_bytes) {
  packStrings(stringPlaces(), page_bytes);
  changeArrays(header().schema_version, std::max(1u, header().tuple_count));
}

uint64_t Leaf::appendLeaf(const Leaf& other, uint64_t page_bytes) {
  const uint32_t first = header().tuple_count;
  const uint32_t rows = other.header().tuple_count;
  CHECK(first == 0 || rows == 0 || tupleId(first - 1) < other.tupleId(0), "R2");
  CHECK(header().reference_epoch == other.header().reference_epoch, "virtual flags count against one epoch");
  packStrings(stringPlaces(), page_bytes);
  const uint32_t version_before = header().schema_version;
  const uint32_t version = std::max(version_before, other.header().schema_version);
  const uint64_t bytes_missing = first * missingBytes(version) + rows * other.missingBytes(version);
  changeArrays(version, std::max(1u, first + rows));
  fillMissing(version_before, 0, first);
  copyRows(other, 0, first, rows);
  fillMissing(other.header().schema_version, first, rows);
  uint64_t variable_begin = header().variable_begin;
  for (const uint32_t column : other.string_columns_) {
    Datum* slots = strings(column) + first;
    for (uint32_t row = 0; row < rows; ++row) {
      const uint32_t bytes = outsideBytes(slots[row]);
      if (bytes == 0) continue;
      variable_begin -= bytes;
      std::memcpy(page_ + variable_begin, other.page_ + storedOffset(slots[row]), bytes);
      slots[row].hi = storedPlace(variable_begin);
    }
  }
  CHECK(variable_begin >= header().fixed_end, "R1");
  changing().variable_begin = static_cast<uint32_t>(variable_begin);
  changing().flagged_count += other.header().flagged_count;
  changing().tuple_count += rows;
  changing().version_begun = 0;
  return bytes_missing;
}

}  // namespace gnomon::storage
