#include <algorithm>
#include <cstring>
#include <functional>

#include "storage/relation/leaf.h"
#include "storage/relation/stored_string.h"

/// Changes of tuples in place, and how a leaf makes room for them.
namespace gnomon::storage {

void Leaf::copy(const std::byte* from, uint64_t from_bytes, std::byte* to, uint64_t to_bytes,
                const RelationSchema& schema) {
  const auto& source = *reinterpret_cast<const LeafHeader*>(from);
  const uint64_t string_bytes = from_bytes - source.variable_begin;
  CHECK(source.fixed_end + string_bytes <= to_bytes, "R1");
  std::memcpy(to + sizeof(PageHeader), from + sizeof(PageHeader), source.fixed_end - sizeof(PageHeader));
  std::memcpy(to + to_bytes - string_bytes, from + source.variable_begin, string_bytes);
  Leaf leaf(to, schema);
  leaf.changing().variable_begin = static_cast<uint32_t>(to_bytes - string_bytes);
  for (const uint32_t column : leaf.string_columns_) {
    Datum* slots = leaf.strings(column);
    for (uint32_t row = 0; row < source.tuple_count; ++row)
      if (outsideBytes(slots[row]) != 0) slots[row].hi = storedPlace(storedOffset(slots[row]) + to_bytes - from_bytes);
  }
}

Leaf::Demand Leaf::demandOf(uint32_t row, const TupleChange& change) const {
  Demand demand{.column_count = header().column_count};
  for (size_t i = 0; i < change.columns.size(); ++i) {
    const uint32_t column = change.columns[i];
    CHECK(column < schema_.size() && (i == 0 || change.columns[i - 1] < column), "columns of a change ascend");
    const bool is_null = change.null_flags[i] != 0;
    const bool is_held = column < header().column_count;
    if (!is_held && !is_null) demand.column_count = static_cast<uint32_t>(schema_.size());
    if (schema_[column].kind != StoredKind::String) continue;
    const uint32_t before = is_held ? outsideBytes(strings(column)[row]) : 0;
    const uint32_t after = is_null ? 0 : outsideBytes(change.values[i]);
    demand.bytes_dropped += before;
    demand.bytes_added += after;
    if (after > before) demand.bytes_below += after;
  }
  return demand;
}

uint64_t Leaf::tupleBytesWith(uint32_t row, const TupleChange& change) const {
  const Demand demand = demandOf(row, change);
  uint64_t bytes = leafFixedBytes(schema_, 1) + demand.bytes_added - demand.bytes_dropped;
  for (const uint32_t column : string_columns_) bytes += outsideBytes(strings(column)[row]);
  return bytes;
}

LeafUpdate Leaf::update(uint32_t row, const TupleChange& change, uint64_t page_bytes, bool takes_tuples) {
  CHECK(row < header().tuple_count, "R1");
  const Demand demand = demandOf(row, change);
  LeafUpdate result;
  result.string_bytes_added = static_cast<int64_t>(demand.bytes_added) - static_cast<int64_t>(demand.bytes_dropped);
  if (demand.column_count != header().column_count ||
      demand.bytes_below > header().variable_begin - header().fixed_end) {
    result.page_bytes_needed = makeRoom(row, change, demand, page_bytes, takes_tuples);
    if (result.page_bytes_needed != 0) return result;
    result.is_rearranged = true;
  }
  for (size_t i = 0; i < change.columns.size(); ++i) {
    const uint32_t column = change.columns[i];
    // A column that the leaf does not hold is null already.
    if (column >= header().column_count) continue;
    if (schema_[column].kind == StoredKind::String)
      changeString(column, row, change.values[i], change.null_flags[i]);
    else
      storeColumn(column, row, &change.values[i], &change.null_flags[i], 1);
  }
  return result;
}

uint64_t Leaf::makeRoom(uint32_t row, const TupleChange& change, const Demand& demand, uint64_t page_bytes,
                        bool takes_tuples) {
  const uint32_t count = header().tuple_count;
  uint32_t columns = demand.column_count;
  // First without moving a string.
  if (fixedBytes(columns, count) + demand.bytes_below <= header().variable_begin) {
    const uint64_t room = header().variable_begin - demand.bytes_below;
    changeArrays(columns, capacityFor(columns, count, room, takes_tuples));
    return 0;
  }
  const uint64_t string_bytes = stringBytes(page_bytes) - demand.bytes_dropped + demand.bytes_added;
  const uint64_t needed = fixedBytes(columns, count) + string_bytes;
  if (needed > page_bytes) {
    columns = columnsInUse(row, change, columns);
    if (fixedBytes(columns, count) + string_bytes > page_bytes) return needed;
  }
  // The scratch memory first: nothing has changed when there is none.
  std::vector<StringPlace> places = stringPlaces();
  for (const uint32_t column : change.columns)
    if (column < header().column_count && schema_[column].kind == StoredKind::String) dropString(strings(column)[row]);
  packStrings(std::move(places), page_bytes);
  changeArrays(columns, capacityFor(columns, count, page_bytes - string_bytes, takes_tuples));
  return 0;
}

bool Leaf::addColumns(uint64_t page_bytes, uint64_t row_variable_bytes) {
  const auto columns = static_cast<uint32_t>(schema_.size());
  const uint32_t slots = header().tuple_count + 1;
  const uint64_t string_bytes = stringBytes(page_bytes) + row_variable_bytes;
  if (fixedBytes(columns, slots) + string_bytes > page_bytes) return false;
  packStrings(stringPlaces(), page_bytes);
  changeArrays(columns, capacityFor(columns, slots, page_bytes - string_bytes, true));
  return true;
}

/// The columns up to the last that is not null in every row after the change; never fewer than the leaf began with.
uint32_t Leaf::columnsInUse(uint32_t row, const TupleChange& change, uint32_t column_count) const {
  // What the change brings in stays.
  if (header().columns_begun == 0 || column_count > header().column_count) return column_count;
  const auto isAllNull = [&](uint32_t column) {
    for (size_t i = 0; i < change.columns.size(); ++i)
      if (change.columns[i] == column && !change.null_flags[i]) return false;
    const bool is_changed = std::ranges::find(change.columns, column) != change.columns.end();
    for (uint32_t other = 0; other < header().tuple_count; ++other)
      if (!isNull(column, other) && !(is_changed && other == row)) return false;
    return true;
  };
  while (column_count > header().columns_begun && isAllNull(column_count - 1)) --column_count;
  return column_count;
}

/// How many slots, at least `slots_min`, when the arrays must end at `room`. All that is left goes to strings, or half
/// of it where new tuples will come: they find slots, and the next change of a string finds room.
uint32_t Leaf::capacityFor(uint32_t column_count, uint32_t slots_min, uint64_t room, bool takes_tuples) const {
  const uint64_t bytes_min = fixedBytes(column_count, slots_min);
  CHECK(slots_min >= 1 && bytes_min <= room, "R1");
  if (!takes_tuples) return slots_min;
  const uint64_t limit = bytes_min + (room - bytes_min) / 2;
  uint32_t low = slots_min, high = std::max(slots_min, header().capacity);
  while (low < high) {
    const uint32_t middle = low + (high - low + 1) / 2;
    if (fixedBytes(column_count, middle) <= limit)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

void Leaf::changeString(uint32_t column, uint32_t row, const Datum& value, uint8_t null_flag) {
  Datum& slot = strings(column)[row];
  const uint32_t before = outsideBytes(slot);
  const uint32_t after = null_flag ? 0 : outsideBytes(value);
  if (after == 0 || after > before) {
    dropString(slot);
    storeColumn(column, row, &value, &null_flag, 1);
    return;
  }
  std::memcpy(page_ + storedOffset(slot), givenBytes(value), after);
  slot.lo = value.lo;
  changing().variable_dead += before - after;
}

void Leaf::dropString(Datum& slot) {
  const uint32_t bytes = outsideBytes(slot);
  if (bytes != 0 && storedOffset(slot) == header().variable_begin)
    changing().variable_begin += bytes;
  else
    changing().variable_dead += bytes;
  slot = Datum{};
}

std::vector<Leaf::StringPlace> Leaf::stringPlaces() const {
  std::vector<StringPlace> places;
  for (const uint32_t column : string_columns_) {
    Datum* slots = strings(column);
    for (uint32_t row = 0; row < header().tuple_count; ++row)
      if (outsideBytes(slots[row]) != 0) places.push_back({storedOffset(slots[row]), &slots[row]});
  }
  return places;
}

/// Moves the strings to the end of the page, the last one first: each goes up, over bytes that have gone up before.
/// Strings dropped since the places were taken are left out.
void Leaf::packStrings(std::vector<StringPlace> places, uint64_t page_bytes) {
  std::ranges::sort(places, std::greater{}, &StringPlace::offset);
  uint64_t end = page_bytes;
  for (const StringPlace& place : places) {
    const uint32_t length = outsideBytes(*place.slot);
    if (length == 0) continue;
    CHECK(place.offset + length <= end, "R5");
    end -= length;
    std::memmove(page_ + end, page_ + place.offset, length);
    place.slot->hi = storedPlace(end);
  }
  changing().variable_begin = static_cast<uint32_t>(end);
  changing().variable_dead = 0;
}

void Leaf::changeArrays(uint32_t column_count, uint32_t capacity) {
  // In steps that each move all arrays in one direction, and none needs more room than the leaf before or after.
  if (column_count != header().column_count) {
    moveArrays(header().column_count, std::min(capacity, header().capacity));
    moveArrays(column_count, header().capacity);
  }
  moveArrays(column_count, capacity);
}

void Leaf::moveArrays(uint32_t column_count, uint32_t capacity) {
  const uint32_t count_before = header().column_count;
  CHECK(capacity >= header().tuple_count, "R1");
  CHECK(column_count == count_before || capacity == header().capacity, "R3");
  LeafLayout target;
  target.compute(schema_, column_count, capacity);
  CHECK(target.fixed_end <= header().variable_begin, "R1");
  struct Move {
    uint32_t from, to;
    uint64_t bytes;
  };
  std::vector<Move> moves;
  const uint64_t rows = header().tuple_count;
  const uint32_t kept = std::min(column_count, count_before);
  for (uint32_t column = 0; column < kept; ++column)
    moves.push_back(
        {layout_.column_offsets[column], target.column_offsets[column], rows * storedWidth(schema_[column].kind)});
  for (uint32_t column = 0; column < kept; ++column)
    if (schema_[column].nullable)
      moves.push_back({layout_.null_offsets[column], target.null_offsets[column], (rows + 7) / 8});
  // Where arrays move away from the start of the page, the last goes first, so that none is overwritten.
  if (capacity > header().capacity || column_count > count_before) std::ranges::reverse(moves);
  for (const Move& move : moves) std::memmove(page_ + move.to, page_ + move.from, move.bytes);
  if (column_count > count_before && header().columns_begun == 0) changing().columns_begun = count_before;
  if (column_count == header().columns_begun) changing().columns_begun = 0;
  changing().column_count = column_count;
  changing().capacity = capacity;
  changing().fixed_end = static_cast<uint32_t>(target.fixed_end);
  describe();
  for (uint32_t column = count_before; column < column_count; ++column) clearColumn(column, 0, header().tuple_count);
}

/// Makes rows null. Columns that are added are nullable.
void Leaf::clearColumn(uint32_t column, uint32_t first_row, uint32_t rows) {
  const uint64_t width = storedWidth(schema_[column].kind);
  std::memset(page_ + layout_.column_offsets[column] + first_row * width, 0, rows * width);
  if (!schema_[column].nullable) return;
  std::byte* nulls = page_ + layout_.null_offsets[column];
  for (uint32_t row = first_row; row < first_row + rows; ++row)
    nulls[row >> 3] |= static_cast<std::byte>(1u << (row & 7));
}

}  // namespace gnomon::storage
