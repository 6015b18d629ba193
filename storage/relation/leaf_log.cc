#include "storage/page_change.h"
#include "storage/relation/leaf.h"
#include "storage/relation/stored_string.h"

/// What log records say of a leaf's rows: the bytes as they lie in its arrays.
namespace gnomon::storage {

void Leaf::describeColumn(uint32_t column, uint32_t first_row, uint32_t rows, PageChange& change) const {
  const uint64_t width = storedWidth(schema_[column].kind);
  change.write(page_ + layout().column_offsets[column] + first_row * width, rows * width);
  if (layout().null_offsets[column] == 0) return;
  const uint32_t first_byte = first_row >> 3;
  change.write(page_ + layout().null_offsets[column] + first_byte, ((first_row + rows - 1) >> 3) - first_byte + 1);
}

/// The same of one row, in a record that has the room.
std::byte* Leaf::describeValue(uint32_t column, uint32_t row, std::byte* at) const {
  const uint64_t width = storedWidth(schema_[column].kind);
  at = writeValueOperation(at, page_, page_ + layout().column_offsets[column] + row * width, width);
  const uint32_t nulls = layout().null_offsets[column];
  return nulls == 0 ? at : writeValueOperation(at, page_, page_ + nulls + (row >> 3), 1);
}

void Leaf::describeRows(uint32_t first_row, uint32_t rows, PageChange& change) const {
  if (rows > 1) {
    for (uint32_t column = 0; column < columnCount(); ++column) describeColumn(column, first_row, rows, change);
    return;
  }
  std::byte* at = change.beginOperations(2 * kValueOperationBytesMax * columnCount());
  if (at == nullptr) return;
  for (uint32_t column = 0; column < columnCount(); ++column) at = describeValue(column, first_row, at);
  change.endOperations(at);
}

void Leaf::describeUpdate(uint32_t row, std::span<const uint32_t> columns, PageChange& change) const {
  std::byte* at = change.beginOperations(2 * kValueOperationBytesMax * columns.size());
  if (at == nullptr) return;
  bool has_strings = false;
  for (const uint32_t column : columns) {
    if (column >= columnCount()) continue;
    at = describeValue(column, row, at);
    has_strings |= schema_[column].kind == StoredKind::String;
  }
  change.endOperations(at);
  if (!has_strings) return;
  for (const uint32_t column : columns) {
    if (column >= columnCount() || schema_[column].kind != StoredKind::String) continue;
    const Datum& stored = strings(column)[row];
    if (outsideBytes(stored) != 0) change.write(page_ + storedOffset(stored), outsideBytes(stored));
  }
  change.write(header().variable_begin);
  change.write(header().variable_dead);
}

}  // namespace gnomon::storage
