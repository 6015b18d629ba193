#include "codegen/runtime/array_caller.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <string>

#include "base/assert.h"
#include "base/sql_error.h"
#include "codegen/runtime/json_functions.h"
#include "codegen/runtime/session_functions.h"
#include "sql/catalog/user_types.h"
#include "sql/functions/value_function.h"
#include "sql/pg_catalog/functions.h"
#include "sql/types/array_text.h"
#include "sql/types/array_value.h"
#include "sql/types/cast.h"
#include "sql/types/object_id.h"
#include "sql/types/text.h"
#include "sql/types/text_io.h"
#include "sql/types/text_list.h"

namespace gnomon::codegen {

using sql::ArrayBuilder;
using sql::ArrayDimension;
using sql::ArrayView;
using sql::FunctionId;
using sql::RegisterPair;
using sql::Type;

namespace {

constexpr SqlState kDataException("22000");

[[noreturn]] void throwIncompatible(const char* detail) {
  throw SqlError(sqlstate::kArraySubscriptError, "cannot concatenate incompatible arrays").detail(detail);
}

[[noreturn]] void throwMismatch() {
  throw SqlError(sqlstate::kArraySubscriptError,
                 "multidimensional arrays must have array expressions with matching dimensions");
}

}  // namespace

void ArrayCaller::make() {
  ArrayBuilder builder(call_.result.element());
  for (size_t i = 0; i < count(); ++i) isNull(i) ? builder.addNull() : builder.add(value(i));
  giveString(builder.finish());
}

void ArrayCaller::makeNested() {
  ArrayBuilder builder(call_.result.element());
  std::vector<ArrayDimension> inner;
  int32_t arrays = 0;
  bool has_empty = false;
  for (size_t i = 0; i < count(); ++i) {
    if (isNull(i)) {
      has_empty = true;
      continue;
    }
    const ArrayView view = array(i);
    if (view.size() == 0) {
      has_empty = true;
      continue;
    }
    if (arrays++ == 0) {
      inner.assign(view.dimensions().begin(), view.dimensions().end());
      if (inner.size() == sql::kArrayDimensionsMax) sql::throwTooManyDimensions(inner.size() + 1);
    } else if (!std::ranges::equal(inner, view.dimensions())) {
      throwMismatch();
    }
    for (size_t element = 0; element < view.size(); ++element) builder.addFrom(view, element);
  }
  if (arrays == 0) return giveString(builder.finish());
  if (has_empty) throwMismatch();
  inner.insert(inner.begin(), {arrays, 1});
  giveString(builder.finish(inner));
}

void ArrayCaller::bound() {
  if (anyNull()) return giveNull();
  const ArrayView view = array(0);
  const int32_t number = integer(1);
  if (number < 1 || number > static_cast<int32_t>(view.dimensions().size())) return giveNull();
  const ArrayDimension& dimension = view.dimensions()[static_cast<size_t>(number) - 1];
  giveInteger(call_.function == FunctionId::ArrayLength  ? dimension.length
              : call_.function == FunctionId::ArrayLower ? dimension.lower
                                                         : dimension.upper());
}

void ArrayCaller::boundsText() {
  if (anyNull()) return giveNull();
  const ArrayView view = array(0);
  if (view.size() == 0) return giveNull();
  std::string text;
  for (const ArrayDimension& dimension : view.dimensions())
    fmt::format_to(std::back_inserter(text), "[{}:{}]", dimension.lower, dimension.upper());
  giveString(text);
}

void ArrayCaller::append(bool at_end) {
  const size_t array_index = at_end ? 0 : 1;
  const size_t value_index = at_end ? 1 : 0;
  ArrayBuilder builder(call_.result.element());
  const auto addValue = [&] { isNull(value_index) ? builder.addNull() : builder.add(value(value_index)); };
  int32_t lower = 1;
  if (!at_end) addValue();
  if (!isNull(array_index)) {
    const ArrayView view = array(array_index);
    if (view.dimensions().size() > 1) throw SqlError(kDataException, "argument must be empty or one-dimensional array");
    if (view.size() > 0) lower = view.dimensions()[0].lower;
    for (size_t i = 0; i < view.size(); ++i) builder.addFrom(view, i);
  }
  if (at_end) addValue();
  giveString(builder.finish(lower));
}

void ArrayCaller::concatenate() {
  if (isNull(0)) return giveArgument(1);
  if (isNull(1)) return giveArgument(0);
  const ArrayView left = array(0);
  const ArrayView right = array(1);
  if (left.size() == 0) return giveArgument(1);
  if (right.size() == 0) return giveArgument(0);
  concatenateInner(left, right);
}

void ArrayCaller::concatenateInner(const ArrayView& left, const ArrayView& right) {
  const auto of_left = left.dimensions();
  const auto of_right = right.dimensions();
  std::vector<ArrayDimension> result;
  if (of_left.size() == of_right.size()) {
    if (!std::ranges::equal(of_left.subspan(1), of_right.subspan(1)))
      throwIncompatible("Arrays with differing element dimensions are not compatible for concatenation.");
    result.assign(of_left.begin(), of_left.end());
    result[0].length += of_right[0].length;
  } else if (of_left.size() + 1 == of_right.size() || of_left.size() == of_right.size() + 1) {
    const bool is_left_outer = of_left.size() > of_right.size();
    const auto outer = is_left_outer ? of_left : of_right;
    if (!std::ranges::equal(outer.subspan(1), is_left_outer ? of_right : of_left))
      throwIncompatible("Arrays with differing dimensions are not compatible for concatenation.");
    result.assign(outer.begin(), outer.end());
    ++result[0].length;
  } else {
    throw SqlError(sqlstate::kArraySubscriptError, "cannot concatenate incompatible arrays")
        .detail(fmt::format("Arrays of {} and {} dimensions are not compatible for concatenation.", of_left.size(),
                            of_right.size()));
  }
  ArrayBuilder builder(call_.result.element());
  for (const ArrayView* view : {&left, &right})
    for (size_t i = 0; i < view->size(); ++i) builder.addFrom(*view, i);
  giveString(builder.finish(result));
}

void ArrayCaller::remove() {
  if (isNull(0)) return giveNull();
  const ArrayView view = array(0);
  if (view.dimensions().size() > 1)
    throw SqlError(sqlstate::kFeatureNotSupported, "removing elements from multidimensional arrays is not supported");
  ArrayBuilder builder(view.element());
  for (size_t i = 0; i < view.size(); ++i)
    if (!isArgument(view, i, 1)) builder.addFrom(view, i);
  giveString(builder.finish(view.size() == 0 ? 1 : view.dimensions()[0].lower));
}

void ArrayCaller::replace() {
  if (isNull(0)) return giveNull();
  const ArrayView view = array(0);
  ArrayBuilder builder(view.element());
  for (size_t i = 0; i < view.size(); ++i) {
    if (!isArgument(view, i, 1))
      builder.addFrom(view, i);
    else
      isNull(2) ? builder.addNull() : builder.add(value(2));
  }
  giveString(builder.finish(view.dimensions()));
}

void ArrayCaller::position() {
  if (isNull(0)) return giveNull();
  const ArrayView view = array(0);
  if (view.dimensions().size() > 1)
    throw SqlError(sqlstate::kFeatureNotSupported,
                   "searching for elements in multidimensional arrays is not supported");
  int64_t from = INT64_MIN;
  if (count() > 2) {
    if (isNull(2)) throw SqlError(sqlstate::kNullValueNotAllowed, "initial position must not be null");
    from = integer(2);
  }
  for (size_t i = 0; i < view.size(); ++i) {
    const int64_t at = int64_t{view.dimensions()[0].lower} + static_cast<int64_t>(i);
    if (at >= from && isArgument(view, i, 1)) return giveInteger(at);
  }
  giveNull();
}

void ArrayCaller::positions() {
  if (isNull(0)) return giveNull();
  const ArrayView view = array(0);
  if (view.dimensions().size() > 1)
    throw SqlError(sqlstate::kFeatureNotSupported,
                   "searching for elements in multidimensional arrays is not supported");
  ArrayBuilder builder(Type::of(sql::TypeKind::Integer));
  for (size_t i = 0; i < view.size(); ++i)
    if (isArgument(view, i, 1))
      builder.add(static_cast<uint64_t>(int64_t{view.dimensions()[0].lower} + static_cast<int64_t>(i)), 0);
  giveString(builder.finish());
}

void ArrayCaller::toText() {
  if (isNull(0) || isNull(1)) return giveNull();
  const ArrayView view = array(0);
  const StringValue delimiter = string(1);
  const bool shows_nulls = count() > 2 && !isNull(2);
  const StringValue null_text = shows_nulls ? string(2) : StringValue();
  std::string text;
  bool is_first = true;
  for (size_t i = 0; i < view.size(); ++i) {
    if (view.isNull(i) && !shows_nulls) continue;
    if (!is_first) text += delimiter.view();
    is_first = false;
    if (view.isNull(i)) {
      text += null_text.view();
    } else {
      const RegisterPair element = view.at(i);
      sql::appendText(view.element(), element.lo, element.hi, text, call_.bytea_output);
    }
  }
  giveString(text);
}

void ArrayCaller::toTextList() {
  const ArrayView view = array(0);
  std::string list;
  for (size_t i = 0; i < view.size(); ++i) {
    if (view.isNull(i)) {
      list += sql::kNullListEntry;
      continue;
    }
    const RegisterPair element = view.at(i);
    std::string text;
    sql::appendText(view.element(), element.lo, element.hi, text, call_.bytea_output);
    list.append(sql::listEntryHead(text)).append(text);
  }
  giveString(list);
}

void ArrayCaller::countNulls(bool of_nulls) {
  const ArrayView view = array(0);
  int64_t nulls = 0;
  for (size_t i = 0; i < view.size(); ++i) nulls += view.isNull(i) ? 1 : 0;
  giveInteger(of_nulls ? nulls : static_cast<int64_t>(view.size()) - nulls);
}

void ArrayCaller::fromText() {
  if (isNull(0)) return giveNull();
  const StringValue whole = string(0);
  std::string_view text = whole.view();
  const StringValue null_value = count() > 2 && !isNull(2) ? string(2) : StringValue();
  const auto null_text = count() > 2 && !isNull(2) ? std::optional<std::string_view>(null_value.view()) : std::nullopt;
  ArrayBuilder builder(Type::of(sql::TypeKind::Text));
  const auto add = [&](std::string_view item) {
    if (item == null_text) return builder.addNull();
    const StringValue value = rt::transient(item);
    builder.add(value.lo(), value.hi());
  };
  if (text.empty()) return giveString(builder.finish());
  if (isNull(1)) {
    while (!text.empty()) {
      const size_t bytes = std::min<size_t>(text.size(), sql::characterBytes(static_cast<unsigned char>(text[0])));
      add(text.substr(0, bytes));
      text.remove_prefix(bytes);
    }
    return giveString(builder.finish());
  }
  const StringValue separator = string(1);
  const std::string_view delimiter = separator.view();
  for (;;) {
    const size_t end = delimiter.empty() ? std::string_view::npos : text.find(delimiter);
    add(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + delimiter.size());
  }
  giveString(builder.finish());
}

std::vector<int32_t> ArrayCaller::integers(size_t index) const {
  const ArrayView view = array(index);
  if (view.dimensions().size() > 1)
    throw SqlError(sqlstate::kArraySubscriptError, "wrong number of array subscripts")
        .detail(index == 1 ? "Dimension array must be one dimensional." : "Low bound array must be one dimensional.");
  std::vector<int32_t> result;
  for (size_t i = 0; i < view.size(); ++i) {
    if (view.isNull(i)) throw SqlError(sqlstate::kNullValueNotAllowed, "dimension values cannot be null");
    result.push_back(static_cast<int32_t>(view.at(i).lo));
  }
  return result;
}

void ArrayCaller::fill() {
  if (isNull(1) || (count() > 2 && isNull(2)))
    throw SqlError(sqlstate::kNullValueNotAllowed, "dimension array or low bound array cannot be null");
  const std::vector<int32_t> lengths = integers(1);
  if (lengths.size() > sql::kArrayDimensionsMax) sql::throwTooManyDimensions(lengths.size());
  std::vector<int32_t> lowers(lengths.size(), 1);
  if (count() > 2) {
    lowers = integers(2);
    if (lowers.size() != lengths.size())
      throw SqlError(sqlstate::kArraySubscriptError, "wrong number of array subscripts")
          .detail("Low bound array has different size than dimensions array.");
  }
  std::vector<ArrayDimension> dimensions;
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] < 0) sql::throwTooManyElements();
    dimensions.push_back({lengths[i], lowers[i]});
  }
  const size_t elements = sql::countElements(dimensions);
  ArrayBuilder builder(call_.result.element());
  for (size_t i = 0; i < elements; ++i) isNull(0) ? builder.addNull() : builder.add(value(0));
  giveString(elements == 0 ? builder.finish() : builder.finish(dimensions));
}

void ArrayCaller::trim() {
  if (anyNull()) return giveNull();
  const ArrayView view = array(0);
  const int32_t length = view.size() == 0 ? 0 : view.dimensions()[0].length;
  const int32_t number = integer(1);
  if (number < 0 || number > length)
    throw SqlError(sqlstate::kArraySubscriptError,
                   fmt::format("number of elements to trim must be between 0 and {}", length));
  if (number == length) return giveString(ArrayBuilder(view.element()).finish());
  std::vector<ArrayDimension> kept(view.dimensions().begin(), view.dimensions().end());
  kept[0].length -= number;
  cut(view, kept);
}

bool ArrayCaller::contains(const ArrayView& outer, const ArrayView& inner) const {
  const Type element = outer.element();
  for (size_t i = 0; i < inner.size(); ++i) {
    if (inner.isNull(i)) return false;
    bool is_found = false;
    for (size_t j = 0; j < outer.size() && !is_found; ++j)
      is_found = !outer.isNull(j) && sql::compareElements(element, inner.at(i), outer.at(j)) == 0;
    if (!is_found) return false;
  }
  return true;
}

bool ArrayCaller::overlaps(const ArrayView& left, const ArrayView& right) const {
  for (size_t i = 0; i < left.size(); ++i) {
    if (left.isNull(i)) continue;
    for (size_t j = 0; j < right.size(); ++j)
      if (!right.isNull(j) && sql::compareElements(left.element(), left.at(i), right.at(j)) == 0) return true;
  }
  return false;
}

/// The number of thresholds, which are in order, that are not above the value.
void ArrayCaller::bucket() {
  if (anyNull()) return giveNull();
  const ArrayView view = array(1);
  if (view.dimensions().size() > 1)
    throw SqlError(sqlstate::kArraySubscriptError, "thresholds must be one-dimensional array");
  if (view.hasNulls()) throw SqlError(sqlstate::kNullValueNotAllowed, "thresholds array must not contain NULLs");
  size_t low = 0;
  size_t high = view.size();
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (sql::compareElements(view.element(), value(0), view.at(middle)) < 0)
      high = middle;
    else
      low = middle + 1;
  }
  giveInteger(static_cast<int64_t>(low));
}

void ArrayCaller::run() {
  switch (call_.function) {
    case FunctionId::MakeRecord:
      return makeRecord();
    case FunctionId::RecordField:
      return recordField();
    case FunctionId::RecordAssign:
      return recordAssign();
    case FunctionId::RecordIsNull:
      return recordTest(true);
    case FunctionId::RecordIsNotNull:
      return recordTest(false);
    case FunctionId::RetypeRecord:
      return retypeRecord();
    case FunctionId::EnumFirst:
    case FunctionId::EnumLast:
      return enumBound();
    case FunctionId::EnumRange:
      return enumRange();
    case FunctionId::MakeArray:
      return make();
    case FunctionId::MakeNestedArray:
      return makeNested();
    case FunctionId::ArraySubscript:
      return subscript();
    case FunctionId::ArraySlice:
      return slice();
    case FunctionId::ArrayAssign:
      return call_.arguments[1].isArray() ? assignSlice() : assign();
    case FunctionId::ArrayLength:
    case FunctionId::ArrayLower:
    case FunctionId::ArrayUpper:
      return bound();
    case FunctionId::ArrayDimensions:
      if (anyNull() || array(0).size() == 0) return giveNull();
      return giveInteger(static_cast<int64_t>(array(0).dimensions().size()));
    case FunctionId::ArrayBounds:
      return boundsText();
    case FunctionId::ArrayCardinality:
      return anyNull() ? giveNull() : giveInteger(static_cast<int64_t>(array(0).size()));
    case FunctionId::ArrayAppend:
      return append(true);
    case FunctionId::ArrayPrepend:
      return append(false);
    case FunctionId::ArrayConcatenate:
      return concatenate();
    case FunctionId::ArrayRemove:
      return remove();
    case FunctionId::ArrayReplace:
      return replace();
    case FunctionId::ArrayPosition:
      return position();
    case FunctionId::ArrayPositions:
      return positions();
    case FunctionId::ArrayToText:
      return toText();
    case FunctionId::TextToArray:
      return fromText();
    case FunctionId::ArrayFill:
      return fill();
    case FunctionId::ArrayTrim:
      return trim();
    case FunctionId::ArrayContains:
      return anyNull() ? giveNull() : giveInteger(contains(array(0), array(1)) ? 1 : 0);
    case FunctionId::ArrayContainedBy:
      return anyNull() ? giveNull() : giveInteger(contains(array(1), array(0)) ? 1 : 0);
    case FunctionId::ArrayOverlaps:
      return anyNull() ? giveNull() : giveInteger(overlaps(array(0), array(1)) ? 1 : 0);
    case FunctionId::ArrayBucket:
      return bucket();
    case FunctionId::ArrayToTextList:
      return anyNull() ? giveNull() : toTextList();
    case FunctionId::ArrayCountNulls:
    case FunctionId::ArrayCountNonNulls:
      return anyNull() ? giveNull() : countNulls(call_.function == FunctionId::ArrayCountNulls);
    default:
      CHECK(false, "a function of arrays");
  }
}

namespace {

Type typeOf(uint64_t bits) {
  static_assert(sizeof(Type) == sizeof(uint64_t));
  return std::bit_cast<Type>(bits);
}

void store(const sql::Value& value, ParameterSlot& slot, Arena* arena) {
  if (value.is_null) {
    slot = {0, 0, 1, 0};
  } else if (value.type.physical() == sql::Physical::String) {
    const StringValue string = rt::copied(value.bytes, arena);
    slot = {string.lo(), string.hi(), 0, 0};
  } else {
    slot = {value.lo, value.hi, 0, 0};
  }
}

std::vector<sql::Value> valuesOf(const ArrayCall& call, const ParameterSlot* slots) {
  std::vector<sql::Value> arguments;
  arguments.reserve(call.arguments.size());
  for (size_t i = 0; i < call.arguments.size(); ++i)
    arguments.push_back(slots[i].is_null != 0 ? sql::Value::null(call.arguments[i])
                                              : sql::fromRegisters(call.arguments[i], slots[i].lo, slots[i].hi));
  return arguments;
}

/// A function of the catalog, or one over values.
void callWithValues(const ArrayCall& call, ParameterSlot* slots, Arena* arena) {
  const std::vector<sql::Value> arguments = valuesOf(call, slots);
  const sql::Value answer = sql::isValueFunction(call.function)
                                ? sql::callValueFunction(call.function, arguments)
                                : sql::pg_catalog::callCatalogFunction(call.function, arguments);
  store(answer, slots[0], arena);
}

}  // namespace

namespace rt {

void callArrayFunction(const ArrayCall* call, ParameterSlot* slots, Arena* arena) {
  if (sql::isJsonFunction(call->function)) return callJsonFunction(*call, slots, arena);
  if (call->function >= sql::kFirstCatalogFunction) return callWithValues(*call, slots, arena);
  ArrayCaller(*call, slots, arena).run();
}

void callRoutine(SessionFunctions* session, const ArrayCall* call, ParameterSlot* slots, Arena* arena) {
  if (session == nullptr) throwNotSupported("a call of a function that users made, outside of a statement's rows");
  const std::vector<sql::Value> arguments = valuesOf(*call, slots);
  const auto routine = static_cast<uint32_t>(arguments.front().lo);
  store(session->callRoutine(routine, std::span(arguments).subspan(1), call->result), slots[0], arena);
}

int32_t compareComposed(uint64_t type, uint64_t left_lo, uint64_t left_hi, uint64_t right_lo, uint64_t right_hi) {
  return sql::compareElements(typeOf(type), {left_lo, left_hi}, {right_lo, right_hi});
}

uint64_t hashComposed(uint64_t type, uint64_t lo, uint64_t hi) {
  return sql::hashElement(typeOf(type), {lo, hi});
}

StringValue parseComposed(uint64_t type, uint64_t lo, uint64_t hi, Arena* arena) {
  const StringValue text(lo, hi);
  return copied(sql::parseText(typeOf(type), text.view()).bytes, arena);
}

int64_t parseEnum(uint32_t type, uint64_t lo, uint64_t hi) {
  const StringValue text(lo, hi);
  return sql::parseEnum(type, text.view());
}

int64_t parseObject(uint64_t type, uint64_t lo, uint64_t hi) {
  const StringValue text(lo, hi);
  return sql::parseObject(typeOf(type).kind, text.view());
}

int64_t bigintToOid(int64_t number) {
  return sql::oidOf(number);
}

StringValue parseVector(uint64_t type, uint64_t lo, uint64_t hi, Arena* arena) {
  const StringValue text(lo, hi);
  return copied(sql::parseVectorText(typeOf(type), text.view()), arena);
}

StringValue anyToText(uint64_t type, uint64_t lo, uint64_t hi, bool is_escape, Arena* arena) {
  std::string text;
  sql::appendText(typeOf(type), lo, hi, text, is_escape ? sql::ByteaOutput::Escape : sql::ByteaOutput::Hex);
  return copied(text, arena);
}

void castAny(uint64_t from, uint64_t to, bool is_explicit, ParameterSlot* slot, Arena* arena) {
  const sql::Value value = sql::fromRegisters(typeOf(from), slot->lo, slot->hi);
  store(sql::castValue(value, typeOf(to), is_explicit), *slot, arena);
}

StringValue parseAny(uint64_t type, uint64_t lo, uint64_t hi, Arena* arena) {
  const StringValue text_of_value(lo, hi);
  std::string text = sql::parseText(typeOf(type), text_of_value.view()).bytes;
  return copied(text, arena);
}

StringValue castArray(uint64_t from, uint64_t to, bool is_explicit, uint64_t lo, uint64_t hi, Arena* arena) {
  return copied(sql::castArray(typeOf(from), {lo, hi}, typeOf(to), is_explicit), arena);
}

uint64_t arraySize(uint64_t lo, uint64_t hi) {
  return ArrayView(Type::of(sql::TypeKind::Text), lo, hi).size();
}

void arraySubscript(uint64_t element_type, uint64_t lo, uint64_t hi, int32_t subscript, ParameterSlot* slot) {
  RegisterPair value{};
  if (sql::loadElement(typeOf(element_type), {lo, hi}, subscript, value))
    *slot = {value.lo, value.hi, 0, 0};
  else
    *slot = {0, 0, 1, 0};
}

uint64_t int32Subscript(uint64_t lo, uint64_t hi, int32_t subscript) {
  const std::optional<uint32_t> bits = sql::findInt32Element(StringValue(lo, hi), subscript);
  return bits ? *bits : kNoElement;
}

void arrayElement(uint64_t element_type, uint64_t lo, uint64_t hi, uint64_t index, ParameterSlot* slot) {
  const ArrayView view(typeOf(element_type), lo, hi);
  if (view.isNull(index)) {
    *slot = {0, 0, 1, 0};
    return;
  }
  const RegisterPair value = view.at(index);
  *slot = {value.lo, value.hi, 0, 0};
}

int32_t compareWithElements(uint64_t element_type, uint32_t function, bool is_any, uint64_t value_lo, uint64_t value_hi,
                            uint64_t array_lo, uint64_t array_hi) {
  const Type element = typeOf(element_type);
  const ArrayView view(element, array_lo, array_hi);
  const auto holds = [function](int order) {
    switch (static_cast<FunctionId>(function)) {
      case FunctionId::Equal:
        return order == 0;
      case FunctionId::NotEqual:
        return order != 0;
      case FunctionId::Less:
        return order < 0;
      case FunctionId::LessEqual:
        return order <= 0;
      case FunctionId::Greater:
        return order > 0;
      default:
        return order >= 0;
    }
  };
  for (size_t i = 0; i < view.size(); ++i) {
    if (view.isNull(i)) continue;
    if (holds(sql::compareElements(element, {value_lo, value_hi}, view.at(i))) == is_any) return is_any ? 1 : 0;
  }
  if (view.hasNulls()) return 2;
  return is_any ? 0 : 1;
}

}  // namespace rt
}  // namespace gnomon::codegen
