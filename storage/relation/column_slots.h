#pragma once

#include <bit>
#include <cstdint>

#include "storage/relation/leaf.h"

namespace gnomon::storage {

template <typename Stored>
Stored toStored(const Datum& datum) {
  return static_cast<Stored>(datum.lo);
}
template <>
inline float toStored<float>(const Datum& datum) {
  return static_cast<float>(std::bit_cast<double>(datum.lo));
}
template <>
inline Datum toStored<Datum>(const Datum& datum) {
  return datum;
}

/// Stores values of any kind but strings in an array of a leaf: `value_at(row, is_null)` says which. The slot of a null
/// is zero (R4).
template <typename ValueAt>
void storeSlots(StoredKind kind, std::byte* slots, uint32_t rows, const ValueAt& value_at) {
  const auto store = [&]<typename Stored>(Stored) {
    auto* const target = reinterpret_cast<Stored*>(slots);
    for (uint32_t row = 0; row < rows; ++row) {
      bool is_null = false;
      const Datum value = value_at(row, is_null);
      target[row] = is_null ? Stored{} : toStored<Stored>(value);
    }
  };
  switch (kind) {
    case StoredKind::Bool1:
      return store(uint8_t{});
    case StoredKind::Int16:
      return store(uint16_t{});
    case StoredKind::Int32:
      return store(uint32_t{});
    case StoredKind::Int64:
    case StoredKind::Float64:
      return store(uint64_t{});
    case StoredKind::Float32:
      return store(float{});
    case StoredKind::Int128:
    case StoredKind::Interval:
      return store(Datum{});
    case StoredKind::String:
      break;
  }
  __builtin_unreachable();
}

/// The same for a bitmap of nulls, of rows from `first_row` on: `is_null_at(row)`, counted from there.
template <typename IsNullAt>
void storeNulls(std::byte* bitmap, uint32_t first_row, uint32_t rows, const IsNullAt& is_null_at) {
  for (uint32_t i = 0; i < rows; ++i) {
    const uint32_t row = first_row + i;
    const auto bit = static_cast<std::byte>(1u << (row & 7));
    if (is_null_at(i))
      bitmap[row >> 3] |= bit;
    else
      bitmap[row >> 3] &= ~bit;
  }
}

/// Values are words of 64 bits.
inline bool isWord(StoredKind kind) {
  return kind == StoredKind::Int64 || kind == StoredKind::Float64;
}

/// Where the values of a column, which are no strings, lie in a leaf that holds the column, and that nobody else reads
/// meanwhile.
struct ColumnSlots {
  ColumnSlots() = default;
  ColumnSlots(std::byte* page, const RelationSchema& schema, const LeafLayout& layout, uint32_t number)
      : values(page + layout.column_offsets[number]),
        nulls(layout.null_offsets[number] == 0 ? nullptr : page + layout.null_offsets[number]),
        column(number),
        kind(schema[number].kind) {}

  void storeWord(uint32_t row, uint64_t value, bool is_null) const {
    reinterpret_cast<uint64_t*>(values)[row] = is_null ? 0 : value;
    if (nulls) storeNulls(nulls, row, 1, [=](uint32_t) { return is_null; });
  }
  void store(uint32_t row, const Datum& value, bool is_null) const {
    if (isWord(kind)) return storeWord(row, value.lo, is_null);
    storeSlots(kind, values + row * storedWidth(kind), 1, [&](uint32_t, bool& is_null_there) {
      is_null_there = is_null;
      return value;
    });
    if (nulls) storeNulls(nulls, row, 1, [=](uint32_t) { return is_null; });
  }

  std::byte* values;
  std::byte* nulls;  ///< null: the column has none
  uint32_t column;
  StoredKind kind;
};

}  // namespace gnomon::storage
