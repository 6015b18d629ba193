#include "sql/types/array_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/types/array_overwrite.h"
#include "sql/types/big_numeric.h"
#include "sql/types/cast.h"
#include "sql/types/floating.h"
#include "sql/types/hash.h"
#include "sql/types/interval.h"
#include "sql/types/jsonb_value.h"
#include "sql/types/packed_value.h"
#include "sql/types/record_value.h"
#include "sql/types/text.h"

namespace gnomon::sql {
namespace {

constexpr size_t kHeaderBytes = 4;
constexpr size_t kDimensionBytes = 8;

template <typename Number>
Number load(const char* bytes) {
  Number number;
  std::memcpy(&number, bytes, sizeof(number));
  return number;
}

template <typename Number>
void append(Number number, std::string& out) {
  out.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

uint64_t doubleBits(double number) {
  return std::bit_cast<uint64_t>(number);
}

template <typename Integer>
int compareIntegers(Integer left, Integer right) {
  return left < right ? -1 : left > right ? 1 : 0;
}

int128 wideOf(RegisterPair value) {
  return static_cast<int128>(uint128{value.hi} << 64 | value.lo);
}

int compareTexts(std::string_view left, std::string_view right) {
  return left.compare(right);
}

}  // namespace

void throwTooManyDimensions(size_t count) {
  throw SqlError(
      sqlstate::kProgramLimitExceeded,
      fmt::format("number of array dimensions ({}) exceeds the maximum allowed ({})", count, kArrayDimensionsMax));
}

void throwTooManyElements() {
  throw SqlError(sqlstate::kProgramLimitExceeded,
                 fmt::format("array size exceeds the maximum allowed ({})", kArrayElementsMax));
}

size_t countElements(std::span<const ArrayDimension> dimensions) {
  if (dimensions.empty()) return 0;
  size_t count = 1;
  for (const ArrayDimension& dimension : dimensions) {
    count *= static_cast<size_t>(dimension.length);
    if (count > kArrayElementsMax) throwTooManyElements();
  }
  for (const ArrayDimension& dimension : dimensions)
    if (int64_t{dimension.lower} + dimension.length > INT32_MAX)
      throw SqlError(sqlstate::kProgramLimitExceeded,
                     fmt::format("array lower bound is too large: {}", dimension.lower));
  return count;
}

ArrayView::ArrayView(Type element, StringValue array) : element_(element), array_(array) {
  const char* bytes = array_.view().data();
  dimension_count_ = load<uint32_t>(bytes);
  bytes += kHeaderBytes;
  if (dimension_count_ == 0) return;
  count_ = 1;
  for (size_t i = 0; i < dimension_count_; ++i, bytes += kDimensionBytes) {
    dimensions_[i] = {load<int32_t>(bytes), load<int32_t>(bytes + 4)};
    count_ *= static_cast<size_t>(dimensions_[i].length);
  }
  const bool has_nulls = *bytes++ != 0;
  if (has_nulls) {
    nulls_ = bytes;
    bytes += (count_ + 7) / 8;
  }
  elements_ = bytes;
}

namespace {

/// Of `count` elements that begin at `elements`.
RegisterPair loadAt(Type element, const StringValue& array, const char* elements, size_t count, size_t index) {
  // Most are integers.
  const Physical physical = element.physical();
  if (physical == Physical::Int32)
    return {static_cast<uint64_t>(int64_t{load<int32_t>(elements + index * sizeof(int32_t))}), 0};
  if (physical != Physical::String) return loadPacked(element, elements + index * packedWidth(element));
  const auto end = load<uint32_t>(elements + 4 * index);
  const uint32_t begin = index == 0 ? 0 : load<uint32_t>(elements + 4 * (index - 1));
  const auto storage = array.isInline() ? StringValue::Storage::Temporary : array.storage();
  const StringValue text = StringValue::refer({elements + 4 * count + begin, end - begin}, storage);
  return {text.lo(), text.hi()};
}

/// Where an element is.
struct Place {
  const char* elements;
  size_t count;  ///< of elements
  size_t index;
};

/// False: it is NULL, or there is none.
inline bool findPlace(const StringValue& array, int32_t subscript, Place& place) {
  // Without room for an element.
  if (array.isInline()) return false;
  const char* bytes = array.view().data();
  if (load<uint32_t>(bytes) != 1) return false;
  bytes += kHeaderBytes;
  const auto length = load<int32_t>(bytes);
  const int64_t index = int64_t{subscript} - load<int32_t>(bytes + 4);
  if (index < 0 || index >= length) return false;
  bytes += kDimensionBytes;
  place = {bytes + 1, static_cast<size_t>(length), static_cast<size_t>(index)};
  if (*bytes != 0) {
    if (hasBit(bytes + 1, place.index)) return false;
    place.elements += (place.count + 7) / 8;
  }
  return true;
}

static_assert(kHeaderBytes + kDimensionBytes + 1 > StringValue::kInlineBytesMax);

}  // namespace

RegisterPair ArrayView::at(size_t index) const {
  return loadAt(element_, array_, elements_, count_, index);
}

bool loadElement(Type element, StringValue array, int32_t subscript, RegisterPair& value) {
  Place place{};
  if (!findPlace(array, subscript, place)) return false;
  value = loadAt(element, array, place.elements, place.count, place.index);
  return true;
}

std::optional<uint32_t> findInt32Element(StringValue array, int32_t subscript) {
  Place place{};
  if (!findPlace(array, subscript, place)) return std::nullopt;
  return load<uint32_t>(place.elements + place.index * sizeof(uint32_t));
}

int64_t ArrayView::find(std::span<const int32_t> subscripts) const {
  if (subscripts.size() != dimension_count_ || dimension_count_ == 0) return -1;
  size_t index = 0;
  for (size_t i = 0; i < dimension_count_; ++i) {
    const ArrayDimension& dimension = dimensions_[i];
    const int64_t offset = int64_t{subscripts[i]} - dimension.lower;
    if (offset < 0 || offset >= dimension.length) return -1;
    index = index * static_cast<size_t>(dimension.length) + static_cast<size_t>(offset);
  }
  return static_cast<int64_t>(index);
}

bool overwriteElement(Type element, std::span<char> array, std::span<const int32_t> subscripts, RegisterPair value) {
  const size_t width = packedWidth(element);
  if (width == 0) return false;
  const ArrayView view(element, StringValue::refer({array.data(), array.size()}, StringValue::Storage::Temporary));
  const int64_t index = view.find(subscripts);
  if (index < 0) return false;
  char* place = array.data() + kHeaderBytes + kDimensionBytes * view.dimensions().size() + 1;
  if (view.hasNulls()) {
    place[index / 8] = static_cast<char>(static_cast<uint8_t>(place[index / 8]) & ~(1U << (index % 8)));
    place += (view.size() + 7) / 8;
  }
  std::string packed;
  appendPacked(element, value, packed);
  std::memcpy(place + static_cast<size_t>(index) * width, packed.data(), width);
  return true;
}

namespace {

/// What stands before the elements, and before what says which are NULL.
void appendHead(std::span<const ArrayDimension> dimensions, bool has_nulls, std::string& out) {
  append(static_cast<uint32_t>(dimensions.size()), out);
  if (dimensions.empty()) return;
  for (const ArrayDimension& dimension : dimensions) {
    append(dimension.length, out);
    append(dimension.lower, out);
  }
  out += static_cast<char>(has_nulls ? 1 : 0);
}

}  // namespace

std::optional<std::string> arrayOfMessage(std::span<const ArrayDimension> dimensions, std::string_view elements) {
  struct Element {
    uint32_t length, value;  ///< big endian
  };
  const size_t count = countElements(dimensions);
  if (dimensions.empty() || elements.size() != count * sizeof(Element)) return std::nullopt;
  std::string out;
  out.reserve(kHeaderBytes + kDimensionBytes * dimensions.size() + 1 + count * sizeof(int32_t));
  appendHead(dimensions, false, out);
  for (size_t i = 0; i < count; ++i) {
    Element element;
    std::memcpy(&element, elements.data() + i * sizeof(element), sizeof(element));
    if (std::byteswap(element.length) != sizeof(int32_t)) return std::nullopt;
    append(static_cast<int32_t>(std::byteswap(element.value)), out);
  }
  return out;
}

void ArrayBuilder::add(uint64_t lo, uint64_t hi) {
  if (values_.size() > kArrayBytesMax) throwTooManyElements();
  if (width_ == 0) {
    const StringValue text(lo, hi);
    values_ += text.view();
    ends_.push_back(static_cast<uint32_t>(values_.size()));
  } else {
    appendPacked(element_, {lo, hi}, values_);
  }
  ++count_;
}

void ArrayBuilder::addNull() {
  if (values_.size() > kArrayBytesMax) throwTooManyElements();
  nulls_.push_back(count_);
  if (width_ == 0)
    ends_.push_back(static_cast<uint32_t>(values_.size()));
  else
    values_.append(width_, '\0');
  ++count_;
}

std::string ArrayBuilder::finish(int32_t lower) const {
  if (count_ == 0) return finish(std::span<const ArrayDimension>());
  const ArrayDimension dimension{static_cast<int32_t>(count_), lower};
  return finish({&dimension, 1});
}

std::string ArrayBuilder::finish(std::span<const ArrayDimension> dimensions) const {
  const size_t expected = countElements(dimensions);
  CHECK(expected == count_, "an array of as many elements as its dimensions have");
  std::string out;
  out.reserve(kHeaderBytes + kDimensionBytes * dimensions.size() + 1 + count_ / 8 + 1 + 4 * ends_.size() +
              values_.size());
  appendHead(dimensions, !nulls_.empty(), out);
  if (!nulls_.empty()) {
    const size_t offset = out.size();
    out.append((count_ + 7) / 8, '\0');
    for (const size_t index : nulls_) out[offset + index / 8] |= static_cast<char>(1 << (index % 8));
  }
  out.append(reinterpret_cast<const char*>(ends_.data()), 4 * ends_.size());
  out += values_;
  return out;
}

int compareElements(Type type, RegisterPair left, RegisterPair right) {
  switch (type.physical()) {
    case Physical::Bool:
    case Physical::Int16:
    case Physical::Int32:
    case Physical::Int64:
      return compareIntegers(static_cast<int64_t>(left.lo), static_cast<int64_t>(right.lo));
    case Physical::Int128:
      return compareIntegers(wideOf(left), wideOf(right));
    case Physical::Float32:
    case Physical::Float64:
      return compareDouble(std::bit_cast<double>(left.lo), std::bit_cast<double>(right.lo));
    case Physical::Interval:
      return compareIntervals(Interval::fromBits(left.lo, left.hi), Interval::fromBits(right.lo, right.hi));
    default:
      break;
  }
  const StringValue left_text(left.lo, left.hi);
  const StringValue right_text(right.lo, right.hi);
  if (type.isArray()) return compareArrays(type.element(), left_text, right_text);
  if (type.isRecord()) return compareRecords(left_text, right_text);
  if (type.kind == TypeKind::Numeric) return compareEncodedNumerics(left_text.view(), right_text.view());
  if (type.kind == TypeKind::Jsonb) return compareJsonb(JsonbView(left_text.view()), JsonbView(right_text.view()));
  if (type.kind == TypeKind::Char) return compareTexts(trimBlanks(left_text.view()), trimBlanks(right_text.view()));
  return compareTexts(left_text.view(), right_text.view());
}

int compareArrays(Type element, StringValue left, StringValue right) {
  const ArrayView a(element, left);
  const ArrayView b(element, right);
  const size_t shorter = std::min(a.size(), b.size());
  for (size_t i = 0; i < shorter; ++i) {
    if (a.isNull(i) || b.isNull(i)) {
      if (a.isNull(i) && b.isNull(i)) continue;
      return a.isNull(i) ? 1 : -1;
    }
    if (const int order = compareElements(element, a.at(i), b.at(i)); order != 0) return order;
  }
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  const auto of_a = a.dimensions();
  const auto of_b = b.dimensions();
  if (of_a.size() != of_b.size()) return of_a.size() < of_b.size() ? -1 : 1;
  for (size_t i = 0; i < of_a.size(); ++i)
    if (of_a[i].length != of_b[i].length) return of_a[i].length < of_b[i].length ? -1 : 1;
  for (size_t i = 0; i < of_a.size(); ++i)
    if (of_a[i].lower != of_b[i].lower) return of_a[i].lower < of_b[i].lower ? -1 : 1;
  return 0;
}

uint64_t hashElement(Type type, RegisterPair value) {
  switch (type.physical()) {
    case Physical::Bool:
    case Physical::Int16:
    case Physical::Int32:
    case Physical::Int64:
      return mixHash(value.lo);
    case Physical::Int128:
      return combineHash(mixHash(value.lo), value.hi);
    case Physical::Float32:
    case Physical::Float64: {
      const auto number = std::bit_cast<double>(value.lo);
      constexpr uint64_t kNaNHash = 0x6e616e6e616e6e61;
      return number != number ? kNaNHash : mixHash(doubleBits(number + 0.0));
    }
    case Physical::Interval:
      return hashInterval(Interval::fromBits(value.lo, value.hi));
    default:
      break;
  }
  const StringValue text(value.lo, value.hi);
  if (type.isArray()) return hashArray(type.element(), text);
  if (type.isRecord()) return hashRecord(text);
  if (type.kind == TypeKind::Numeric) return hashEncodedNumeric(text.view());
  if (type.kind == TypeKind::Jsonb) return hashJsonb(JsonbView(text.view()));
  return hashBytes(type.kind == TypeKind::Char ? trimBlanks(text.view()) : text.view());
}

uint64_t hashArray(Type element, StringValue array) {
  constexpr uint64_t kNullHash = 0x6e756c6c6e756c6c;
  const ArrayView view(element, array);
  uint64_t hash = mixHash(view.size());
  for (size_t i = 0; i < view.size(); ++i)
    hash = combineHash(hash, view.isNull(i) ? kNullHash : hashElement(element, view.at(i)));
  return hash;
}

std::string castArray(Type from, StringValue array, Type to, bool is_explicit) {
  const ArrayView view(from, array);
  ArrayBuilder builder(to);
  for (size_t i = 0; i < view.size(); ++i) {
    const RegisterPair value = view.at(i);
    view.isNull(i) ? builder.addNull()
                   : builder.add(castValue(fromRegisters(from, value.lo, value.hi), to, is_explicit));
  }
  return builder.finish(view.dimensions());
}

}  // namespace gnomon::sql
