/// Elements and slices of arrays: reading them, and copies with others in their place.
#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "codegen/runtime/array_caller.h"

namespace gnomon::codegen {

using sql::ArrayBuilder;
using sql::ArrayDimension;
using sql::ArrayView;
using sql::Type;

void ArrayCaller::subscript() {
  if (anyNull()) return giveNull();
  int32_t subscripts[sql::kArrayDimensionsMax];
  const size_t given = count() - 1;
  if (given > sql::kArrayDimensionsMax) sql::throwTooManyDimensions(given);
  for (size_t i = 0; i < given; ++i) subscripts[i] = integer(i + 1);
  const ArrayView view = array(0);
  const int64_t index = view.find({subscripts, given});
  index < 0 ? giveNull() : giveElement(view, static_cast<size_t>(index));
}

namespace {

/// Whether the subscripts of an element lie within these, one for each dimension.
bool isWithin(const ArrayView& view, size_t index, std::span<const ArrayDimension> kept) {
  const auto dimensions = view.dimensions();
  for (size_t i = dimensions.size(); i-- > 0;) {
    const auto length = static_cast<size_t>(dimensions[i].length);
    const int64_t at = int64_t{dimensions[i].lower} + static_cast<int64_t>(index % length);
    index /= length;
    if (at < kept[i].lower || at > kept[i].upper()) return false;
  }
  return true;
}

}  // namespace

/// The array of the elements whose subscripts lie within `kept`, one for each dimension; its bounds are from 1.
void ArrayCaller::cut(const ArrayView& view, std::span<const ArrayDimension> kept) {
  ArrayBuilder builder(view.element());
  for (size_t index = 0; index < view.size(); ++index)
    if (isWithin(view, index, kept)) builder.addFrom(view, index);
  if (builder.size() == 0) return giveString(builder.finish());
  std::vector<ArrayDimension> result;
  for (const ArrayDimension& dimension : kept) result.push_back({dimension.length, 1});
  giveString(builder.finish(result));
}

void ArrayCaller::slice() {
  const auto isOmitted = [&](size_t index) { return call_.arguments[index].kind == sql::TypeKind::Void; };
  for (size_t i = 0; i < count(); ++i)
    if (isNull(i) && !isOmitted(i)) return giveNull();
  const ArrayView view = array(0);
  const size_t given = (count() - 1) / 2;
  if (given > sql::kArrayDimensionsMax) sql::throwTooManyDimensions(given);
  std::vector<ArrayDimension> kept(view.dimensions().begin(), view.dimensions().end());
  if (kept.size() < given) return giveString(ArrayBuilder(view.element()).finish());
  for (size_t i = 0; i < given; ++i) {
    const int32_t lower = isOmitted(1 + 2 * i) ? kept[i].lower : std::max(kept[i].lower, integer(1 + 2 * i));
    const int32_t upper = isOmitted(2 + 2 * i) ? kept[i].upper() : std::min(kept[i].upper(), integer(2 + 2 * i));
    if (lower > upper) return giveString(ArrayBuilder(view.element()).finish());
    kept[i] = {upper - lower + 1, lower};
  }
  cut(view, kept);
}

/// (array, value, subscript ...): an empty array gets just this element, one of one dimension grows to reach it.
void ArrayCaller::assign() {
  const size_t given = count() - 2;
  if (given > sql::kArrayDimensionsMax) sql::throwTooManyDimensions(given);
  std::vector<int32_t> subscripts;
  for (size_t i = 2; i < count(); ++i) {
    if (isNull(i)) throw SqlError(sqlstate::kNullValueNotAllowed, "array subscript in assignment must not be null");
    subscripts.push_back(integer(i));
  }
  const Type element = call_.result.element();
  ArrayBuilder builder(element);
  const auto addValue = [&] { isNull(1) ? builder.addNull() : builder.add(value(1)); };
  const std::string empty = ArrayBuilder(element).finish();
  const ArrayView view(element, isNull(0) ? rt::transient(empty) : string(0));
  if (view.size() == 0) {
    std::vector<ArrayDimension> dimensions;
    for (const int32_t at : subscripts) dimensions.push_back({1, at});
    addValue();
    return giveString(builder.finish(dimensions));
  }
  if (view.dimensions().size() != given)
    throw SqlError(sqlstate::kArraySubscriptError, "wrong number of array subscripts");
  std::vector<ArrayDimension> dimensions(view.dimensions().begin(), view.dimensions().end());
  int64_t target = view.find(subscripts);
  if (target < 0) {
    if (given != 1) throw SqlError(sqlstate::kArraySubscriptError, "array subscript out of range");
    const int64_t lower = std::min<int64_t>(dimensions[0].lower, subscripts[0]);
    const int64_t upper = std::max<int64_t>(dimensions[0].upper(), subscripts[0]);
    if (upper - lower + 1 > static_cast<int64_t>(sql::kArrayElementsMax)) sql::throwTooManyElements();
    for (int64_t at = lower; at <= upper; ++at) {
      if (at == subscripts[0])
        addValue();
      else if (at < dimensions[0].lower || at > dimensions[0].upper())
        builder.addNull();
      else
        builder.addFrom(view, static_cast<size_t>(at - dimensions[0].lower));
    }
    return giveString(builder.finish(static_cast<int32_t>(lower)));
  }
  for (size_t i = 0; i < view.size(); ++i) static_cast<int64_t>(i) == target ? addValue() : builder.addFrom(view, i);
  giveString(builder.finish(dimensions));
}

namespace {

void requireElements(const ArrayView& source, size_t count) {
  if (source.size() < count) throw SqlError(sqlstate::kArraySubscriptError, "source array too small");
}

[[noreturn]] void throwSizeExceeded() {
  throw SqlError(sqlstate::kProgramLimitExceeded,
                 fmt::format("array size exceeds the maximum allowed ({})", sql::kArrayElementsMax));
}

}  // namespace

/// (array, source, lower, upper ...): elements of the source, in its order, take the places in the slice. An array
/// without elements becomes the slice, one of one dimension grows to reach it.
void ArrayCaller::assignSlice() {
  const auto isOmitted = [&](size_t index) { return call_.arguments[index].kind == sql::TypeKind::Void; };
  const size_t given = (count() - 2) / 2;
  if (given > sql::kArrayDimensionsMax) sql::throwTooManyDimensions(given);
  for (size_t i = 2; i < count(); ++i)
    if (isNull(i) && !isOmitted(i))
      throw SqlError(sqlstate::kNullValueNotAllowed, "array subscript in assignment must not be null");
  const Type element = call_.result.element();
  const std::string empty = ArrayBuilder(element).finish();
  // Of NULL nothing is assigned, but an array that is NULL is one from now on.
  if (isNull(1)) return isNull(0) ? giveString(empty) : giveArgument(0);
  const ArrayView source = array(1);
  const ArrayView view(element, isNull(0) ? rt::transient(empty) : string(0));
  const bool is_empty = view.size() == 0;
  std::vector<ArrayDimension> slice(view.dimensions().begin(), view.dimensions().end());
  if (is_empty) slice.resize(given);
  if (slice.size() < given) throw SqlError(sqlstate::kArraySubscriptError, "wrong number of array subscripts");
  for (size_t i = 0; i < given; ++i) {
    if (is_empty && (isOmitted(2 + 2 * i) || isOmitted(3 + 2 * i)))
      throw SqlError(sqlstate::kArraySubscriptError, "array slice subscript must provide both boundaries")
          .detail("When assigning to a slice of an empty array value, slice boundaries must be fully specified.");
    const int64_t lower = isOmitted(2 + 2 * i) ? slice[i].lower : integer(2 + 2 * i);
    const int64_t upper = isOmitted(3 + 2 * i) ? slice[i].upper() : integer(3 + 2 * i);
    if (!is_empty && lower > upper)
      throw SqlError(sqlstate::kArraySubscriptError, "upper bound cannot be less than lower bound");
    const bool fits = view.dimensions().size() < 2 || (lower >= slice[i].lower && upper <= slice[i].upper());
    if (!fits) throw SqlError(sqlstate::kArraySubscriptError, "array subscript out of range");
    const int64_t length = upper - lower + 1;
    if (length < 0 || length > static_cast<int64_t>(sql::kArrayElementsMax)) throwSizeExceeded();
    slice[i] = {static_cast<int32_t>(length), static_cast<int32_t>(lower)};
  }
  if (is_empty) return assignToEmpty(slice, source);
  if (slice.size() == 1) return assignGrowing(view, slice[0], source);
  requireElements(source, sql::countElements(slice));
  ArrayBuilder builder(view.element());
  size_t taken = 0;
  for (size_t i = 0; i < view.size(); ++i)
    isWithin(view, i, slice) ? builder.addFrom(source, taken++) : builder.addFrom(view, i);
  giveString(builder.finish(view.dimensions()));
}

void ArrayCaller::assignToEmpty(std::span<const ArrayDimension> slice, const ArrayView& source) {
  const bool has_none = std::ranges::any_of(slice, [](const ArrayDimension& side) { return side.length == 0; });
  const size_t count = has_none ? 0 : sql::countElements(slice);
  requireElements(source, count);
  ArrayBuilder builder(source.element());
  for (size_t i = 0; i < count; ++i) builder.addFrom(source, i);
  giveString(has_none ? builder.finish() : builder.finish(slice));
}

/// Of one dimension. What lies between the elements and the slice becomes NULL.
void ArrayCaller::assignGrowing(const ArrayView& view, ArrayDimension slice, const ArrayView& source) {
  const ArrayDimension before = view.dimensions()[0];
  const int64_t lower = std::min(before.lower, slice.lower);
  const int64_t upper = std::max(before.upper(), slice.upper());
  if (upper - lower + 1 > static_cast<int64_t>(sql::kArrayElementsMax)) throwSizeExceeded();
  requireElements(source, static_cast<size_t>(slice.length));
  ArrayBuilder builder(view.element());
  for (int64_t at = lower; at <= upper; ++at) {
    if (at >= slice.lower && at <= slice.upper())
      builder.addFrom(source, static_cast<size_t>(at - slice.lower));
    else if (at >= before.lower && at <= before.upper())
      builder.addFrom(view, static_cast<size_t>(at - before.lower));
    else
      builder.addNull();
  }
  giveString(builder.finish(static_cast<int32_t>(lower)));
}

}  // namespace gnomon::codegen
