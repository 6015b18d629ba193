#include <algorithm>
#include <cstring>
#include <functional>

#include "base/string_value.h"
#include "storage/relation/column_slots.h"
#include "storage/relation/leaf.h"
#include "storage/relation/stored_string.h"

/// Changes of tuples in place, and how a leaf makes room for them.
namespace gnomon::storage {

namespace {

uint64_t missingBytesOf(const StoredColumn& column) {
  return column.kind == StoredKind::String && column.missing ? outsideBytes(column.missing->datum()) : 0;
}

/// Whether the value is what rows hold that lie in leaves from before the column.
bool isMissing(const StoredColumn& column, const Datum& value, bool is_null) {
  if (is_null || column.missing == nullptr) return is_null == (column.missing == nullptr);
  const Datum& missing = column.missing->datum();
  if (column.kind == StoredKind::String) return StringValue(value.lo, value.hi) == StringValue(missing.lo, missing.hi);
  return value == missing;
}

}  // namespace

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

uint64_t Leaf::missingBytes(uint32_t version) const {
  uint64_t bytes = 0;
  for (uint32_t column = columnCount(); column < schema_.columnCount(version); ++column)
    bytes += missingBytesOf(schema_[column]);
  return bytes;
}

Leaf::Demand Leaf::demandOf(uint32_t row, const TupleChange& change) const {
  Demand demand{.version = header().schema_version};
  uint64_t bytes_replaced = 0;
  for (size_t i = 0; i < change.columns.size(); ++i) {
    const uint32_t column = change.columns[i];
    CHECK(column < schema_.size() && (i == 0 || change.columns[i - 1] < column), "columns of a change ascend");
    const bool is_null = change.null_flags[i] != 0;
    const bool is_held = column < columnCount();
    const bool is_possible = is_held ? !is_null || layout().null_offsets[column] != 0
                                     : isMissing(schema_[column], change.values[i], is_null);
    if (!is_possible) demand.version = schema_.version();
    if (schema_[column].kind != StoredKind::String) continue;
    const uint32_t before = is_held ? outsideBytes(strings(column)[row]) : 0;
    const uint32_t after = is_null ? 0 : outsideBytes(change.values[i]);
    demand.bytes_dropped += before;
    demand.bytes_added += after;
    if (after > before) demand.bytes_below += after;
    if (!is_held) bytes_replaced += missingBytesOf(schema_[column]);
  }
  // The row itself gets its new values at once.
  if (demand.version != header().schema_version) {
    const uint64_t bytes_missing = header().tuple_count * missingBytes(demand.version) - bytes_replaced;
    demand.bytes_added += bytes_missing;
    demand.bytes_below += bytes_missing;
  }
  return demand;
}

uint64_t Leaf::tupleBytesWith(uint32_t row, const TupleChange& change) const {
  uint64_t bytes = leafFixedBytes(schema_, schema_.version(), 1) + missingBytes(schema_.version());
  for (const uint32_t column : string_columns_) bytes += outsideBytes(strings(column)[row]);
  for (size_t i = 0; i < change.columns.size(); ++i) {
    const uint32_t column = change.columns[i];
    if (schema_[column].kind != StoredKind::String) continue;
    bytes -= column < columnCount() ? outsideBytes(strings(column)[row]) : missingBytesOf(schema_[column]);
    bytes += change.null_flags[i] ? 0 : outsideBytes(change.values[i]);
  }
  return bytes;
}

bool Leaf::needsRoom(const Demand& demand) const {
  return demand.version != header().schema_version || demand.bytes_below > header().variable_begin - header().fixed_end;
}

bool Leaf::isOfSlots(const TupleChange& change) const {
  for (size_t i = 0; i < change.columns.size(); ++i) {
    const uint32_t column = change.columns[i];
    CHECK(column < schema_.size() && (i == 0 || change.columns[i - 1] < column), "columns of a change ascend");
    const bool is_slot = column < columnCount() && schema_[column].kind != StoredKind::String;
    if (!is_slot || (change.null_flags[i] != 0 && layout().null_offsets[column] == 0)) return false;
  }
  return true;
}

std::byte* Leaf::changeSlots(uint32_t row, const TupleChange& change, std::byte* at) {
  CHECK(row < header().tuple_count, "R1");
  for (size_t i = 0; i < change.columns.size(); ++i) {
    const uint32_t column = change.columns[i];
    ColumnSlots(page_, schema_, layout(), column).store(row, change.values[i], change.null_flags[i] != 0);
    if (at != nullptr) at = describeValue(column, row, at);
  }
  return at;
}

LeafUpdate Leaf::update(uint32_t row, const TupleChange& change, const Demand& demand, uint64_t page_bytes,
                        bool takes_tuples) {
  CHECK(row < header().tuple_count, "R1");
  const uint64_t bytes_before = stringBytes(page_bytes);
  LeafUpdate result;
  if (needsRoom(demand)) {
    result.page_bytes_needed = makeRoom(row, change, demand, page_bytes, takes_tuples);
    if (result.page_bytes_needed != 0) return result;
    result.is_rearranged = true;
  }
  for (size_t i = 0; i < change.columns.size(); ++i) {
    const uint32_t column = change.columns[i];
    // In a column that the leaf does not hold the value is there already.
    if (column >= columnCount()) continue;
    if (schema_[column].kind == StoredKind::String)
      changeString(column, row, change.values[i], change.null_flags[i]);
    else
      ColumnSlots(page_, schema_, layout(), column).store(row, change.values[i], change.null_flags[i] != 0);
  }
  result.string_bytes_added = static_cast<int64_t>(stringBytes(page_bytes)) - static_cast<int64_t>(bytes_before);
  return result;
}

uint64_t Leaf::makeRoom(uint32_t row, const TupleChange& change, const Demand& demand, uint64_t page_bytes,
                        bool takes_tuples) {
  const uint32_t count = header().tuple_count;
  const uint32_t version_before = header().schema_version;
  uint32_t version = demand.version;
  // First without moving a string.
  if (fixedBytes(version, count) + demand.bytes_below <= header().variable_begin) {
    const uint64_t room = header().variable_begin - demand.bytes_below;
    changeArrays(version, capacityFor(version, count, room, takes_tuples));
    fillMissing(version_before, 0, count, RowChange{row, &change});
    return 0;
  }
  uint64_t string_bytes = stringBytes(page_bytes) - demand.bytes_dropped + demand.bytes_added;
  const uint64_t needed = fixedBytes(version, count) + string_bytes;
  if (needed > page_bytes) {
    // What the change brings in stays.
    if (version != version_before || !isBegunVersionEnough(row, change)) return needed;
    version = header().version_begun;
    string_bytes -= bytesBehind(schema_.columnCount(version), row, change);
    if (fixedBytes(version, count) + string_bytes > page_bytes) return needed;
  }
  // The scratch memory first: nothing has changed when there is none.
  std::vector<StringPlace> places = stringPlaces();
  for (const uint32_t column : change.columns)
    if (column < columnCount() && schema_[column].kind == StoredKind::String) dropString(strings(column)[row]);
  for (const uint32_t column : string_columns_)
    for (uint32_t other = 0; column >= schema_.columnCount(version) && other < count; ++other)
      dropString(strings(column)[other]);
  packStrings(std::move(places), page_bytes);
  changeArrays(version, capacityFor(version, count, page_bytes - string_bytes, takes_tuples));
  fillMissing(version_before, 0, count, RowChange{row, &change});
  return 0;
}

bool Leaf::changeVersion(uint64_t page_bytes, uint64_t row_variable_bytes) {
  const uint32_t version_before = header().schema_version;
  const uint32_t version = schema_.version();
  const uint32_t count = header().tuple_count;
  const uint64_t string_bytes = stringBytes(page_bytes) + count * missingBytes(version) + row_variable_bytes;
  if (fixedBytes(version, count + 1) + string_bytes > page_bytes) return false;
  packStrings(stringPlaces(), page_bytes);
  changeArrays(version, capacityFor(version, count + 1, page_bytes - string_bytes, true));
  fillMissing(version_before, 0, count);
  return true;
}

/// Whether after the change all rows could lie in a leaf of the version before the last change of it.
bool Leaf::isBegunVersionEnough(uint32_t row, const TupleChange& change) const {
  const uint32_t version = header().version_begun;
  if (version == 0) return false;
  const uint32_t held = schema_.columnCount(version);
  for (uint32_t column = 0; column < columnCount(); ++column) {
    const StoredColumn& stored = schema_[column];
    if (column < held && (layout().null_offsets[column] == 0 || stored.hasNulls(version))) continue;
    const auto fits = [&](const Datum& value, bool is_null) {
      return column < held ? !is_null : isMissing(stored, value, is_null);
    };
    const auto changed = std::ranges::find(change.columns, column);
    for (uint32_t other = 0; other < header().tuple_count; ++other) {
      if (other == row && changed != change.columns.end()) {
        const auto i = static_cast<size_t>(changed - change.columns.begin());
        if (!fits(change.values[i], change.null_flags[i] != 0)) return false;
        continue;
      }
      bool is_null;
      const Datum value = readValue(page_, schema_, layout(), column, other, is_null);
      if (!fits(value, is_null)) return false;
    }
  }
  return true;
}

/// String bytes of all rows after the change in columns from `column_begin` on.
uint64_t Leaf::bytesBehind(uint32_t column_begin, uint32_t row, const TupleChange& change) const {
  uint64_t bytes = 0;
  for (const uint32_t column : string_columns_) {
    if (column < column_begin) continue;
    for (uint32_t other = 0; other < header().tuple_count; ++other) bytes += outsideBytes(strings(column)[other]);
    const auto changed = std::ranges::find(change.columns, column);
    if (changed == change.columns.end()) continue;
    const auto i = static_cast<size_t>(changed - change.columns.begin());
    bytes -= outsideBytes(strings(column)[row]);
    bytes += change.null_flags[i] ? 0 : outsideBytes(change.values[i]);
  }
  return bytes;
}

/// How many slots, at least `slots_min`, when the arrays must end at `room`. All that is left goes to strings, or half
/// of it where new tuples will come: they find slots, and the next change of a string finds room.
uint32_t Leaf::capacityFor(uint32_t version, uint32_t slots_min, uint64_t room, bool takes_tuples) const {
  const uint64_t bytes_min = fixedBytes(version, slots_min);
  CHECK(slots_min >= 1 && bytes_min <= room, "R1");
  if (!takes_tuples) return slots_min;
  const uint64_t limit = bytes_min + (room - bytes_min) / 2;
  uint32_t low = slots_min, high = std::max(slots_min, header().capacity);
  while (low < high) {
    const uint32_t middle = low + (high - low + 1) / 2;
    if (fixedBytes(version, middle) <= limit)
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

void Leaf::changeArrays(uint32_t version, uint32_t capacity) {
  // In steps that each move all arrays in one direction, and none needs more room than the leaf before or after.
  if (version != header().schema_version) {
    moveArrays(header().schema_version, std::min(capacity, header().capacity));
    moveArrays(version, header().capacity);
  }
  moveArrays(version, capacity);
}

std::vector<Leaf::ArrayMove> Leaf::movesTo(const LeafLayout& target, uint32_t version, uint32_t capacity) const {
  std::vector<ArrayMove> moves;
  const uint64_t rows = header().tuple_count;
  const uint32_t kept = std::min(static_cast<uint32_t>(target.column_offsets.size()), columnCount());
  for (uint32_t column = 0; column < kept; ++column)
    moves.push_back(
        {layout().column_offsets[column], target.column_offsets[column], rows * storedWidth(schema_[column].kind)});
  for (uint32_t column = 0; column < kept; ++column)
    if (layout().null_offsets[column] != 0 && target.null_offsets[column] != 0)
      moves.push_back({layout().null_offsets[column], target.null_offsets[column], (rows + 7) / 8});
  // Where arrays move away from the start of the page, the last goes first, so that none is overwritten.
  if (capacity > header().capacity || version > header().schema_version) std::ranges::reverse(moves);
  return moves;
}

/// Values in new columns are zero then, and bits in new bitmaps not set.
void Leaf::moveArrays(uint32_t version, uint32_t capacity) {
  const uint32_t version_before = header().schema_version;
  CHECK(capacity >= header().tuple_count, "R1");
  CHECK(version == version_before || capacity == header().capacity, "R3");
  LeafLayout target;
  target.compute(schema_, version, capacity);
  CHECK(target.fixed_end <= header().variable_begin, "R1");
  const uint64_t rows = header().tuple_count;
  const auto columns = static_cast<uint32_t>(target.column_offsets.size());
  const uint32_t kept = std::min(columns, columnCount());
  for (const ArrayMove& move : movesTo(target, version, capacity))
    std::memmove(page_ + move.to, page_ + move.from, move.bytes);
  for (uint32_t column = 0; column < columns; ++column) {
    if (column >= kept) std::memset(page_ + target.column_offsets[column], 0, rows * storedWidth(schema_[column].kind));
    if (target.null_offsets[column] != 0 && (column >= kept || layout().null_offsets[column] == 0))
      std::memset(page_ + target.null_offsets[column], 0, (rows + 7) / 8);
  }
  if (version != version_before) changing().version_begun = version > version_before ? version_before : 0;
  changing().schema_version = version;
  changing().capacity = capacity;
  changing().fixed_end = static_cast<uint32_t>(target.fixed_end);
  describe();
}

/// Gives rows, which are zero there, the values that they had in the columns added after `version_before`; what is
/// changed itself is left out.
void Leaf::fillMissing(uint32_t version_before, uint32_t first_row, uint32_t rows, RowChange changed) {
  for (uint32_t column = schema_.columnCount(version_before); column < columnCount(); ++column) {
    const OwnedValue* missing = schema_[column].missing.get();
    const Datum value = missing ? missing->datum() : Datum{};
    const uint8_t is_null = missing ? 0 : 1;
    const bool is_changed =
        changed.change && std::ranges::find(changed.change->columns, column) != changed.change->columns.end();
    for (uint32_t row = first_row; row < first_row + rows; ++row)
      if (!is_changed || row != changed.row) storeColumn(column, row, &value, &is_null, 1);
  }
}

}  // namespace gnomon::storage
