#include "storage/relation/leaf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/sql_error.h"
#include "storage/relation/column_slots.h"
#include "storage/relation/stored_string.h"

namespace gnomon::storage {

namespace {

constexpr uint64_t kArrayAlignment = 16;

uint64_t aligned(uint64_t offset) {
  return (offset + kArrayAlignment - 1) & ~(kArrayAlignment - 1);
}
uint64_t bitmapBytes(uint64_t capacity) {
  return (capacity + 63) / 64 * 8;
}

}  // namespace

void flagTuples(LeafHeader& header, uint64_t* ids, uint32_t row, uint32_t count, bool is_deleted) {
  for (uint32_t i = row; i < row + count; ++i) {
    const bool was_deleted = (ids[i] & tuple_id_flags::kDeleted) != 0;
    if (is_deleted)
      ids[i] |= tuple_id_flags::kDeleted;
    else
      ids[i] &= ~(tuple_id_flags::kDeleted | tuple_id_flags::kVirtuallyDeleted);
    header.flagged_count += static_cast<uint32_t>(is_deleted) - static_cast<uint32_t>(was_deleted);
  }
}

void LeafLayout::compute(const RelationSchema& schema, uint32_t version, uint64_t capacity) {
  const uint32_t column_count = schema.columnCount(version);
  column_offsets.resize(column_count);
  null_offsets.resize(column_count);
  widths.resize(column_count);
  uint64_t offset = aligned(kTupleIdsOffset + capacity * sizeof(uint64_t));
  for (uint32_t column = 0; column < column_count; ++column) {
    column_offsets[column] = static_cast<uint32_t>(offset);
    widths[column] = static_cast<uint8_t>(storedWidth(schema[column].kind));
    offset = aligned(offset + capacity * widths[column]);
  }
  for (uint32_t column = 0; column < column_count; ++column) {
    const bool has_nulls = schema[column].hasNulls(version);
    null_offsets[column] = has_nulls ? static_cast<uint32_t>(offset) : 0;
    if (has_nulls) offset = aligned(offset + bitmapBytes(capacity));
  }
  fixed_end = offset;
}

const std::shared_ptr<const LeafLayout>& leafLayout(const RelationSchema& schema, uint32_t version, uint64_t capacity) {
  struct Known {
    uint64_t identity = 0;
    uint32_t version = 0;
    uint64_t capacity = 0;
    std::shared_ptr<const LeafLayout> layout;
  };
  constexpr size_t kKnownCount = 128;
  thread_local std::array<Known, kKnownCount> all_known;
  Known& known = all_known[(schema.identity() * 31 + capacity) % kKnownCount];
  if (!known.layout || known.identity != schema.identity() || known.version != version || known.capacity != capacity) {
    auto layout = std::make_shared<LeafLayout>();
    layout->compute(schema, version, capacity);
    known = {schema.identity(), version, capacity, std::move(layout)};
  }
  return known.layout;
}

uint64_t leafFixedBytes(const RelationSchema& schema, uint32_t version, uint64_t capacity) {
  uint64_t offset = aligned(LeafLayout::kTupleIdsOffset + capacity * sizeof(uint64_t));
  for (const StoredColumn& column : std::span(schema.begin(), schema.columnCount(version))) {
    offset = aligned(offset + capacity * storedWidth(column.kind));
    if (column.hasNulls(version)) offset = aligned(offset + bitmapBytes(capacity));
  }
  return offset;
}

uint32_t leafCapacity(const RelationSchema& schema, uint64_t page_bytes, double variable_bytes) {
  const double string_bytes = variable_bytes + variable_bytes / kGrowthShare;
  const auto fits = [&](uint64_t capacity) {
    return static_cast<double>(leafFixedBytes(schema, schema.version(), capacity)) +
               static_cast<double>(capacity) * string_bytes <=
           static_cast<double>(page_bytes);
  };
  uint64_t low = 1, high = page_bytes / sizeof(uint64_t);
  while (low < high) {
    const uint64_t middle = (low + high + 1) / 2;
    if (fits(middle))
      low = middle;
    else
      high = middle - 1;
  }
  return static_cast<uint32_t>(low);
}

uint64_t variableBytes(const RelationSchema& schema, const Datum* values, const uint8_t* null_flags) {
  uint64_t bytes = 0;
  for (size_t column = 0; column < schema.size(); ++column)
    if (schema[column].kind == StoredKind::String && !null_flags[column]) bytes += outsideBytes(values[column]);
  return bytes;
}

SizeClass leafSizeClass(uint64_t leaf_bytes, uint64_t tuple_bytes) {
  constexpr uint64_t kTupleBytesMax = uint64_t{1} << 30;
  if (tuple_bytes > kTupleBytesMax)
    throw SqlError(sqlstate::kProgramLimitExceeded,
                   fmt::format("row is too big: size {}, maximum size {}", tuple_bytes, kTupleBytesMax));
  if (leaf_bytes > kPageBytesMax)
    throw SqlError(
        sqlstate::kProgramLimitExceeded,
        fmt::format("rows that share a page are too big: size {}, maximum size {}", leaf_bytes, kPageBytesMax));
  SizeClass size_class;
  while (pageBytes(size_class) < leaf_bytes) ++size_class.index;
  return size_class;
}

Leaf::Leaf(std::byte* page, const RelationSchema& schema) : page_(page), schema_(schema) {
  describe();
}

void Leaf::describe() {
  layout_ = leafLayout(schema_, header().schema_version, header().capacity);
  string_columns_ = schema_.stringColumns(columnCount());
}

void Leaf::initialise(std::byte* page, uint64_t page_bytes, const RelationSchema& schema, uint32_t capacity,
                      TupleId first_tuple_id) {
  auto& header = *reinterpret_cast<LeafHeader*>(page);
  CHECK(header.page.type == PageType::RelationLeaf, "R3");
  const uint64_t fixed_end = leafFixedBytes(schema, schema.version(), capacity);
  CHECK(capacity >= 1 && fixed_end <= page_bytes, "R1");
  header.reference_epoch = 0;
  header.first_tuple_id = first_tuple_id;
  header.tuple_count = 0;
  header.capacity = capacity;
  header.fixed_end = static_cast<uint32_t>(fixed_end);
  header.variable_begin = static_cast<uint32_t>(page_bytes);
  header.version_begun = 0;
  header.flagged_count = 0;
  header.schema_version = schema.version();
  header.variable_dead = 0;
}

bool Leaf::isSound(const std::byte* page, uint64_t page_bytes, const RelationSchema& schema) {
  const auto& header = *reinterpret_cast<const LeafHeader*>(page);
  return header.schema_version >= 1 && header.schema_version <= schema.version() &&
         isSoundWith(page, page_bytes, leafLayout(schema, header.schema_version, header.capacity)->fixed_end);
}

bool Leaf::isSoundWith(const std::byte* page, uint64_t page_bytes, uint64_t fixed_bytes) {
  const auto& header = *reinterpret_cast<const LeafHeader*>(page);
  if (header.page.type != PageType::RelationLeaf) return false;
  if (header.tuple_count > header.capacity || header.flagged_count > header.tuple_count) return false;
  if (header.fixed_end > header.variable_begin || header.variable_begin > page_bytes) return false;
  if (header.variable_dead > page_bytes - header.variable_begin) return false;
  return fixed_bytes == header.fixed_end;
}

void Leaf::requireSound(const std::byte* page, uint64_t page_bytes, const RelationSchema& schema) {
  if (isSound(page, page_bytes, schema)) [[likely]]
    return;
  const auto& header = *reinterpret_cast<const LeafHeader*>(page);
  throw SqlError(sqlstate::kDataCorrupted, "page " + std::to_string(header.page.page_id.number()) + " of relation " +
                                               std::to_string(header.page.relation_id.value) +
                                               " does not match the relation's columns");
}

uint32_t Leaf::rowsThatFit(const Datum* values, const uint8_t* null_flags, size_t row_count, uint64_t room,
                           uint64_t& bytes) const {
  const auto slots = static_cast<uint32_t>(std::min<size_t>(header().capacity - header().tuple_count, row_count));
  if (string_columns_.empty()) return slots;
  for (uint32_t row = 0; row < slots; ++row, values += schema_.size(), null_flags += schema_.size()) {
    uint64_t row_bytes = 0;
    for (const uint32_t column : string_columns_)
      if (!null_flags[column]) row_bytes += outsideBytes(values[column]);
    if (bytes + row_bytes > room) return row;
    bytes += row_bytes;
  }
  return slots;
}

uint32_t Leaf::append(TupleId first_id, const Datum* values, const uint8_t* null_flags, size_t row_count,
                      uint64_t page_bytes, uint64_t& variable_bytes_added) {
  if (header().schema_version < schema_.version()) return 0;
  uint64_t bytes = 0;
  const uint64_t room = header().variable_begin - header().fixed_end;
  const uint32_t rows =
      rowsThatFit(values, null_flags, row_count, room - std::min(room, growthRoom(page_bytes)), bytes);
  if (rows == 0) return 0;
  const uint32_t first_row = header().tuple_count;
  ASSERT(first_row == 0 || tupleId(first_row - 1) < first_id, "R2");
  for (uint32_t row = 0; row < rows; ++row) tupleIds()[first_row + row] = first_id.value + row;
  if (rows == 1)
    storeRow(first_row, values, null_flags);
  else
    for (uint32_t column = 0; column < schema_.size(); ++column)
      storeColumn(column, first_row, values + column, null_flags + column, rows);
  changing().tuple_count += rows;
  variable_bytes_added += bytes;
  return rows;
}

/// What storeColumn() does, of one row in all columns.
void Leaf::storeRow(uint32_t row, const Datum* values, const uint8_t* null_flags) {
  for (uint32_t column = 0; column < schema_.size(); ++column) {
    if (schema_[column].kind == StoredKind::String)
      storeColumn(column, row, values + column, null_flags + column, 1);
    else
      ColumnSlots(page_, schema_, layout(), column).store(row, values[column], null_flags[column] != 0);
  }
}

void Leaf::storeColumn(uint32_t column, uint32_t first_row, const Datum* values, const uint8_t* null_flags,
                       uint32_t rows) {
  const StoredKind kind = schema_[column].kind;
  const size_t stride = schema_.size();
  if (kind == StoredKind::String)
    storeStrings(column, first_row, values, null_flags, rows);
  else
    storeSlots(kind, page_ + layout().column_offsets[column] + uint64_t{first_row} * storedWidth(kind), rows,
               [=](uint32_t row, bool& is_null) {
                 is_null = null_flags[row * stride] != 0;
                 return values[row * stride];
               });
  if (layout().null_offsets[column] != 0)
    storeNulls(page_ + layout().null_offsets[column], first_row, rows,
               [=](uint32_t row) { return null_flags[row * stride] != 0; });
}

void Leaf::storeStrings(uint32_t column, uint32_t first_row, const Datum* values, const uint8_t* null_flags,
                        uint32_t rows) {
  Datum* slots = strings(column) + first_row;
  uint64_t variable_begin = header().variable_begin;
  for (uint32_t row = 0; row < rows; ++row, values += schema_.size(), null_flags += schema_.size()) {
    const uint32_t length = outsideBytes(*values);
    if (*null_flags) {
      slots[row] = Datum{};
    } else if (length == 0) {
      slots[row] = *values;
    } else {
      variable_begin -= length;
      std::memcpy(page_ + variable_begin, givenBytes(*values), length);
      slots[row] = Datum{values->lo, storedPlace(variable_begin)};
    }
  }
  CHECK(variable_begin >= header().fixed_end, "R1");
  changing().variable_begin = static_cast<uint32_t>(variable_begin);
}

uint32_t Leaf::betterCapacity(uint64_t page_bytes, uint64_t row_variable_bytes) const {
  // Rows added for less than this share of the leaf do not pay for moving it.
  constexpr uint32_t kGainShare = 32;
  const uint32_t count = header().tuple_count;
  const uint64_t taken_bytes = row_variable_bytes + growthRoom(page_bytes);
  if (taken_bytes > header().variable_begin) return 0;
  const uint64_t room = header().variable_begin - taken_bytes;
  const auto fixed = [this](uint64_t capacity) { return fixedBytes(header().schema_version, capacity); };
  if (fixed(count + 1) > room) return 0;
  const double average =
      static_cast<double>(page_bytes - header().variable_begin + row_variable_bytes) / static_cast<double>(count + 1);
  // The row itself, and as many more of average size as the room left allows.
  uint32_t low = count + 1;
  uint64_t high = count + 1 + room / sizeof(uint64_t);
  while (low < high) {
    const uint64_t middle = (low + high + 1) / 2;
    const double bytes = static_cast<double>(fixed(middle)) + static_cast<double>(middle - count - 1) * average;
    if (bytes <= static_cast<double>(room))
      low = static_cast<uint32_t>(middle);
    else
      high = middle - 1;
  }
  return low - count >= std::max(1u, count / kGainShare) ? low : 0;
}

void Leaf::truncate(TupleId bound, uint64_t page_bytes) {
  const uint32_t kept = lowerBound(bound);
  for (uint32_t row = kept; row < header().tuple_count; ++row)
    if (isDeleted(row)) --changing().flagged_count;
  changing().tuple_count = kept;
  uint64_t variable_begin = page_bytes;
  uint64_t live_bytes = 0;
  for (const uint32_t column : string_columns_) {
    const Datum* slots = strings(column);
    for (uint32_t row = 0; row < kept; ++row) {
      if (outsideBytes(slots[row]) == 0) continue;
      variable_begin = std::min(variable_begin, storedOffset(slots[row]));
      live_bytes += outsideBytes(slots[row]);
    }
  }
  CHECK(variable_begin >= header().variable_begin && live_bytes <= page_bytes - variable_begin, "R5");
  changing().variable_begin = static_cast<uint32_t>(variable_begin);
  changing().variable_dead = static_cast<uint32_t>(page_bytes - variable_begin - live_bytes);
  // An empty leaf begins where the next tuple will.
  if (kept == 0) changing().first_tuple_id = std::min(header().first_tuple_id, bound);
}

uint32_t Leaf::lowerBound(const std::byte* page, TupleId id) {
  const auto* ids = reinterpret_cast<const uint64_t*>(page + LeafLayout::kTupleIdsOffset);
  const uint32_t count = reinterpret_cast<const LeafHeader*>(page)->tuple_count;
  const auto idAt = [ids](uint64_t row) { return ids[row] & tuple_id_flags::kIdMask; };
  if (count == 0) return 0;
  // Ids without gaps, the usual case, lead straight to the row.
  const uint64_t guess = id.value - std::min(id.value, idAt(0));
  if (guess < count && idAt(guess) == id.value) return static_cast<uint32_t>(guess);
  if (idAt(count - 1) < id.value) return count;
  const uint64_t* found = std::lower_bound(ids, ids + count, id.value, [](uint64_t stored, uint64_t wanted) {
    return (stored & tuple_id_flags::kIdMask) < wanted;
  });
  return static_cast<uint32_t>(found - ids);
}

bool Leaf::findLive(TupleId id, uint32_t& row) const {
  row = lowerBound(id);
  return row < header().tuple_count && tupleId(row) == id && !isDeleted(row);
}

bool Leaf::findDeleted(TupleId id, uint32_t& row) const {
  row = lowerBound(id);
  return row < header().tuple_count && tupleId(row) == id && isDeleted(row);
}

void Leaf::enterEpoch(uint64_t epoch) {
  if (header().reference_epoch == epoch) return;
  // Also where there was none: redo may have brought the header without the flags.
  for (uint32_t row = 0; row < header().tuple_count; ++row) tupleIds()[row] &= ~tuple_id_flags::kVirtual;
  changing().reference_epoch = epoch;
}

void Leaf::flagVirtual(uint32_t row, uint32_t count, uint64_t flag) {
  ASSERT(header().reference_epoch != 0, "R6");
  for (uint32_t i = row; i < row + count; ++i) tupleIds()[i] |= flag;
}

bool Leaf::markDeleted(TupleId id) {
  uint32_t row;
  if (!findLive(id, row)) return false;
  flagTuples(changing(), tupleIds(), row, 1, true);
  return true;
}

bool Leaf::unmarkDeleted(TupleId id) {
  uint32_t row;
  if (!findDeleted(id, row)) return false;
  flagTuples(changing(), tupleIds(), row, 1, false);
  return true;
}

Datum readValue(const std::byte* page, const RelationSchema& schema, const LeafLayout& layout, uint32_t column,
                uint32_t row, bool& is_null) {
  is_null = true;
  if (column >= layout.column_offsets.size()) {
    const OwnedValue* missing = schema[column].missing.get();
    is_null = missing == nullptr;
    return is_null ? Datum{} : missing->datum();
  }
  const uint32_t nulls = layout.null_offsets[column];
  if (nulls != 0 && (page[nulls + (row >> 3)] & static_cast<std::byte>(1u << (row & 7))) != std::byte{0}) return {};
  is_null = false;
  const StoredKind kind = schema[column].kind;
  const std::byte* slot = page + layout.column_offsets[column] + uint64_t{row} * storedWidth(kind);
  const auto load = [slot]<typename Stored>(Stored) {
    Stored value;
    std::memcpy(&value, slot, sizeof(value));
    return value;
  };
  switch (kind) {
    case StoredKind::Bool1:
      return {load(uint8_t{}), 0};
    case StoredKind::Int16:
      return {static_cast<uint64_t>(int64_t{load(int16_t{})}), 0};
    case StoredKind::Int32:
      return {static_cast<uint64_t>(int64_t{load(int32_t{})}), 0};
    case StoredKind::Int64:
    case StoredKind::Float64:
      return {load(uint64_t{}), 0};
    case StoredKind::Float32:
      return {std::bit_cast<uint64_t>(static_cast<double>(load(float{}))), 0};
    case StoredKind::Int128:
    case StoredKind::Interval:
      return load(Datum{});
    case StoredKind::String: {
      Datum value = load(Datum{});
      if (outsideBytes(value) != 0) value.hi += reinterpret_cast<uint64_t>(page);
      return value;
    }
  }
  __builtin_unreachable();
}

}  // namespace gnomon::storage
