#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_value.h"
#include "sql/types/packed_value.h"
#include "sql/types/text_io.h"
#include "sql/types/type.h"

namespace gnomon::sql {

/// Arrays are strings with this layout, all numbers as the machine has them, nothing aligned:
///   4 bytes          number of dimensions, 0 to 6; 0: an array without elements
///   8 a dimension    length (at least 1), lower bound
///   then, for `count`, the product of the lengths:
///   1                1 when elements are NULL
///   (count + 7) / 8  only then: bit i % 8 of byte i / 8 is set when element i is NULL
///   elements         of fixed size: packed (sql/types/packed_value.h); a NULL's are zero
///                    strings (Big numerics too): `count` 4-byte offsets of their ends behind the last of these, bytes
/// Invariant: one array has one encoding, but equal elements may differ in bytes (numerics, floats, intervals, char).
struct ArrayDimension {
  int32_t length = 0;
  int32_t lower = 1;

  bool operator==(const ArrayDimension&) const = default;
  /// The last subscript.
  [[nodiscard]] int32_t upper() const { return static_cast<int32_t>(int64_t{lower} + length - 1); }
};

/// The most elements, as in PostgreSQL.
inline constexpr size_t kArrayElementsMax = 134'217'727;
inline constexpr size_t kArrayDimensionsMax = 6;
/// Bytes of elements at which no other is added: a value of up to 1 GB may follow them.
inline constexpr size_t kArrayBytesMax = 0x3fffffff;
/// The number of elements. Failure: 54000 over kArrayElementsMax, subscripts that are no integers.
size_t countElements(std::span<const ArrayDimension> dimensions);
[[noreturn]] void throwTooManyDimensions(size_t count);
[[noreturn]] void throwTooManyElements();

/// Whether the bit is set in the bytes that begin there.
[[nodiscard]] inline bool hasBit(const char* bits, size_t index) {
  return ((static_cast<uint8_t>(bits[index / 8]) >> (index % 8)) & 1) != 0;
}

/// Reads an array; the bytes must live as long. A copy of the value may hold the bytes of a short array.
class ArrayView {
 public:
  /// `element`: the elements' type.
  ArrayView(Type element, StringValue array);
  ArrayView(Type element, uint64_t lo, uint64_t hi) : ArrayView(element, StringValue(lo, hi)) {}
  ArrayView(const ArrayView&) = delete;
  ArrayView& operator=(const ArrayView&) = delete;

  [[nodiscard]] Type element() const { return element_; }
  [[nodiscard]] std::span<const ArrayDimension> dimensions() const { return {dimensions_.data(), dimension_count_}; }
  [[nodiscard]] size_t size() const { return count_; }
  [[nodiscard]] bool hasNulls() const { return nulls_ != nullptr; }
  [[nodiscard]] bool isNull(size_t index) const { return nulls_ != nullptr && hasBit(nulls_, index); }
  /// As registers hold it; strings refer to the array's bytes, with its storage class. Zero for a NULL.
  [[nodiscard]] RegisterPair at(size_t index) const;
  /// Where the element with these subscripts is, one for each dimension; -1: there is none.
  [[nodiscard]] int64_t find(std::span<const int32_t> subscripts) const;

 private:
  const Type element_;
  const StringValue array_;
  const char* nulls_ = nullptr;
  const char* elements_ = nullptr;
  std::array<ArrayDimension, kArrayDimensionsMax> dimensions_;
  size_t dimension_count_ = 0;
  size_t count_ = 0;
};

/// The element of an array with one dimension that has this subscript, as ArrayView::at(). False: it is NULL, or there
/// is none.
bool loadElement(Type element, StringValue array, int32_t subscript, RegisterPair& value);

/// The same of an array of integers with four bytes: its bits, or none.
std::optional<uint32_t> findInt32Element(StringValue array, int32_t subscript);

/// Collects elements and encodes the array.
class ArrayBuilder {
 public:
  explicit ArrayBuilder(Type element) : element_(element), width_(packedWidth(element)) {}

  /// So many elements are to come, at most.
  void reserve(size_t count) { values_.reserve(count * width_); }
  void add(uint64_t lo, uint64_t hi);
  void add(RegisterPair value) { add(value.lo, value.hi); }
  void addNull();
  /// Element `index` of the array, which may be NULL.
  void addFrom(const ArrayView& array, size_t index) { array.isNull(index) ? addNull() : add(array.at(index)); }
  void add(const Value& value) { value.is_null ? addNull() : add(toRegisters(value)); }
  [[nodiscard]] size_t size() const { return count_; }
  /// One dimension from `lower` on; without elements none.
  [[nodiscard]] std::string finish(int32_t lower = 1) const;
  /// As many elements as the dimensions have. Failure: 54000.
  [[nodiscard]] std::string finish(std::span<const ArrayDimension> dimensions) const;

 private:
  const Type element_;
  const size_t width_;
  size_t count_ = 0;
  std::string values_;
  std::vector<uint32_t> ends_;  ///< of strings
  std::vector<size_t> nulls_;
};

/// An array of integers as messages have its elements: four bytes, behind their length. None: it is not that.
std::optional<std::string> arrayOfMessage(std::span<const ArrayDimension> dimensions, std::string_view elements);

/// In SQL's order of the element's type, NULLs last and equal; then the shorter, fewer dimensions, lower bounds.
int compareArrays(Type element, StringValue left, StringValue right);
/// The values of one type, not NULL.
int compareElements(Type type, RegisterPair left, RegisterPair right);
/// Equal for equal values.
uint64_t hashElement(Type type, RegisterPair value);
uint64_t hashArray(Type element, StringValue array);

/// The array with each element cast. Failure: the cast's.
std::string castArray(Type from, StringValue array, Type to, bool is_explicit);

}  // namespace gnomon::sql
