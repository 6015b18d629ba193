#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/strong_id.h"
#include "storage/page.h"

namespace gnomon::storage {

/// How a column's values lie in a leaf.
///
/// kind      bytes   Datum
/// Bool1         1   lo 0 or 1
/// Int16..64  2/4/8  lo sign-extended
/// Int128       16   lo, hi
/// Float32       4   lo holds the bits of the value as IEEE double
/// Float64       8   lo holds the bits
/// String       16   StringValue; the bytes of a text over 12 bytes lie in the leaf's variable part
/// Interval     16   lo microseconds; hi days (low 32 bits) | months (high 32 bits)
enum class StoredKind : uint8_t {
  Bool1 = 0,
  Int16 = 1,
  Int32 = 2,
  Int64 = 3,
  Int128 = 4,
  Float32 = 5,
  Float64 = 6,
  String = 7,
  Interval = 8
};

/// Bytes of one value in a column's array.
constexpr uint32_t storedWidth(StoredKind kind) {
  constexpr uint32_t kWidths[] = {1, 2, 4, 8, 16, 4, 8, 16, 16};
  return kWidths[static_cast<uint8_t>(kind)];
}

/// The value bits as generated code holds them (see StoredKind).
struct Datum {
  uint64_t lo = 0;
  uint64_t hi = 0;
  bool operator==(const Datum&) const = default;
};
static_assert(sizeof(Datum) == 16);

/// Whether an integer is the greatest of its kind, Int64 or Int128.
constexpr bool isGreatest(StoredKind kind, const Datum& value) {
  if (kind == StoredKind::Int64) return value.lo == uint64_t{INT64_MAX};
  return value.lo == UINT64_MAX && value.hi == uint64_t{INT64_MAX};
}

/// A value that keeps its own bytes. Immutable, and stays in its place: generated code knows the address.
class OwnedValue {
 public:
  OwnedValue(StoredKind kind, Datum datum);
  explicit OwnedValue(std::string text);
  OwnedValue(const OwnedValue&) = delete;
  OwnedValue& operator=(const OwnedValue&) = delete;
  [[nodiscard]] const Datum& datum() const { return datum_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  /// As it would lie in a leaf; but a text over 12 bytes has its address here.
  [[nodiscard]] const Datum& stored() const { return stored_; }

 private:
  std::string text_;
  Datum datum_;
  Datum stored_;
};

/// Schemas have versions, 1 the first. Every leaf says under which one its arrays lie: columns that are newer are not
/// in it, and null bitmaps that are newer neither (no value of that column is null there). So a change of the schema
/// touches no leaf.
struct StoredColumn {
  StoredKind kind;
  bool nullable;
  uint32_t since = 1;           ///< the version that added it
  uint32_t nullable_since = 1;  ///< the version from which on leaves have its null bitmap, when it is nullable
  /// What rows hold in leaves from before; null: NULL.
  std::shared_ptr<const OwnedValue> missing = nullptr;
  /// Scaled decimals: the greatest integer of the kind, Int64 or Int128, stands for NaN.
  bool greatest_is_nan = false;

  [[nodiscard]] bool hasNulls(uint32_t version) const { return nullable && nullable_since <= version; }
};

/// The columns of a relation, those added later last, and the size of its new leaves.
class RelationSchema {
 public:
  RelationSchema() = default;
  RelationSchema(std::initializer_list<StoredColumn> columns) : RelationSchema(std::vector<StoredColumn>(columns)) {}
  explicit RelationSchema(std::vector<StoredColumn> columns, std::optional<SizeClass> leaf_class = SizeClass{});

  [[nodiscard]] size_t size() const { return columns_.size(); }
  [[nodiscard]] const StoredColumn& operator[](size_t index) const { return columns_[index]; }
  [[nodiscard]] auto begin() const { return columns_.begin(); }
  [[nodiscard]] auto end() const { return columns_.end(); }
  /// Of leaves that are filled by appending, but for the first: large ones make scans faster, small ones changes of few
  /// tuples. Leaves of any other class stand beside them. None: leaves grow with the relation.
  [[nodiscard]] std::optional<SizeClass> leafClass() const { return leaf_class_; }
  /// The newest version.
  [[nodiscard]] uint32_t version() const { return version_; }
  /// The same for copies alone, as long as the process lives.
  [[nodiscard]] uint64_t identity() const { return identity_; }
  /// The number of columns under a version.
  [[nodiscard]] uint32_t columnCount(uint32_t version) const;
  /// Those whose greatest value is NaN, ascending.
  [[nodiscard]] std::span<const uint32_t> nanColumns() const { return nan_columns_; }
  /// A value of one of these was, or may have been, NaN. That is no part of the schema's identity.
  [[nodiscard]] bool holdsNan() const { return holds_nan_; }
  void noteNan() { holds_nan_ = true; }
  /// Those of strings among the first columns, ascending.
  [[nodiscard]] std::span<const uint32_t> stringColumns(uint32_t column_count) const {
    size_t count = string_columns_.size();
    while (count > 0 && string_columns_[count - 1] >= column_count) --count;
    return {string_columns_.data(), count};
  }

 private:
  std::vector<StoredColumn> columns_;
  std::vector<uint32_t> string_columns_;
  std::vector<uint32_t> nan_columns_;
  uint32_t version_ = 1;
  uint64_t identity_ = 0;  ///< of the schema without columns
  bool holds_nan_ = false;
  std::optional<SizeClass> leaf_class_ = SizeClass{};
};

/// New values for some columns of a tuple: values[i] and null_flags[i] (non-zero: null) for columns[i]; ascending.
struct TupleChange {
  std::span<const uint32_t> columns;
  const Datum* values;
  const uint8_t* null_flags;
};

/// Identifies a tuple of a relation for its life. Ids grow in the order of insertion, starting from 0.
/// Shape: 61 bits; as stored in a leaf the three bits above are flags (TupleIdFlags).
using TupleId = StrongId<struct TupleIdTag>;

/// A change of a tuple.
struct RowUpdate {
  TupleId id;
  TupleChange change;
};

/// The stored tuple id: flags in the high bits.
namespace tuple_id_flags {
inline constexpr uint64_t kDeleted = uint64_t{1} << 63;
inline constexpr uint64_t kVirtuallyCreated = uint64_t{1} << 62;  ///< created in the page's reference epoch
inline constexpr uint64_t kVirtuallyDeleted = uint64_t{1} << 61;  ///< deleted in it; never without kDeleted
inline constexpr uint64_t kVirtual = kVirtuallyCreated | kVirtuallyDeleted;
inline constexpr uint64_t kIdMask = kVirtuallyDeleted - 1;
}  // namespace tuple_id_flags

}  // namespace gnomon::storage
