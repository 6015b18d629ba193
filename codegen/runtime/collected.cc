#include "codegen/runtime/collected.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <new>
#include <vector>

#include "base/sql_error.h"
#include "sql/types/array_value.h"
#include "sql/types/interval.h"

namespace gnomon::codegen {
namespace {

/// PostgreSQL's limit of a value.
constexpr uint64_t kBytesMax = 0x3fffffff;

struct CollectedValue {
  uint64_t lo, hi;
  uint64_t is_null;
};

/// Room for `more` bytes behind the first `length` of the block, which may be null; the block of the state from now on.
CollectedBlock* makeRoom(CollectedBlock* block, uint64_t length, uint64_t more, Arena* arena) {
  constexpr uint64_t kFirstBytes = 64;
  if (block != nullptr && block->used == length && block->capacity - length >= more) return block;
  const uint64_t capacity = std::max(kFirstBytes, std::bit_ceil(length + more));
  auto* const grown = new (arena->allocate(sizeof(CollectedBlock) + capacity)) CollectedBlock{capacity, length, 0, {}};
  if (length > 0) std::memcpy(grown->bytes(), block->bytes(), length);
  return grown;
}

void append(CollectedBlock*& block, uint64_t& length, const char* bytes, uint64_t count, Arena* arena) {
  block = makeRoom(block, length, count, arena);
  if (count > 0) std::memcpy(block->bytes() + length, bytes, count);
  length += count;
  block->used = length;
}

void appendText(CollectedText& state, std::string_view text, Arena* arena) {
  if (state.length + text.size() > kBytesMax)
    throw SqlError(sqlstate::kProgramLimitExceeded, "out of memory")
        .detail("The text of an aggregate would be longer than a value may be.");
  append(state.block, state.length, text.data(), text.size(), arena);
}

void appendValues(CollectedValues& state, const CollectedValue* values, uint64_t count, Arena* arena) {
  if (state.count + count > sql::kArrayElementsMax) sql::throwTooManyElements();
  uint64_t length = state.count * sizeof(CollectedValue);
  append(state.block, length, reinterpret_cast<const char*>(values), count * sizeof(CollectedValue), arena);
  state.count += count;
}

const CollectedValue* valuesOf(const CollectedValues& state) {
  return reinterpret_cast<const CollectedValue*>(state.block->bytes());
}

StringValue keep(CollectedBlock& block, uint64_t count, const std::string& encoded, Arena* arena) {
  const bool is_long = encoded.size() > StringValue::kInlineBytesMax;
  const std::string_view bytes = is_long ? arena->copy(encoded) : std::string_view(encoded);
  block.encoded = StringValue::refer(bytes, StringValue::Storage::Temporary);
  block.encoded_count = count;
  return block.encoded;
}

sql::Type typeOf(uint64_t bits) {
  return std::bit_cast<sql::Type>(bits);
}

/// The sorted values of an ordered set.
class SortedSample {
 public:
  SortedSample(const CollectedSample& state, sql::Type type, bool is_descending) : type_(type) {
    const CollectedValue* const begin = valuesOf(state.values);
    values_.assign(begin, begin + state.values.count);
    std::ranges::sort(values_, [&](const CollectedValue& left, const CollectedValue& right) {
      const int order = compare(left, right);
      return is_descending ? order > 0 : order < 0;
    });
  }

  [[nodiscard]] sql::RegisterPair discrete(double fraction) const {
    const double row = std::ceil(fraction * static_cast<double>(values_.size()));
    return at(row > 1 ? static_cast<size_t>(row) - 1 : 0);
  }
  /// Between two neighbours, of doubles and intervals.
  [[nodiscard]] sql::RegisterPair continuous(double fraction) const {
    const double place = fraction * static_cast<double>(values_.size() - 1);
    const auto below = static_cast<size_t>(std::floor(place));
    const auto above = static_cast<size_t>(std::ceil(place));
    const double part = place - static_cast<double>(below);
    if (below == above) return at(below);
    if (type_.kind == sql::TypeKind::Interval) {
      const sql::Interval low = intervalAt(below);
      const sql::Interval step = sql::multiplyInterval(sql::subtractIntervals(intervalAt(above), low), part);
      const sql::Interval result = sql::addIntervals(step, low);
      return {result.lo(), result.hi()};
    }
    const auto low = std::bit_cast<double>(at(below).lo);
    const auto high = std::bit_cast<double>(at(above).lo);
    return {std::bit_cast<uint64_t>(low + part * (high - low)), 0};
  }
  /// The first of those that are there most often.
  [[nodiscard]] sql::RegisterPair mostFrequent() const {
    size_t best = 0;
    size_t best_count = 0;
    for (size_t begin = 0; begin < values_.size();) {
      size_t end = begin + 1;
      while (end < values_.size() && compare(values_[begin], values_[end]) == 0) ++end;
      if (end - begin > best_count) {
        best = begin;
        best_count = end - begin;
      }
      begin = end;
    }
    return at(best);
  }

 private:
  [[nodiscard]] int compare(const CollectedValue& left, const CollectedValue& right) const {
    return sql::compareElements(type_, {left.lo, left.hi}, {right.lo, right.hi});
  }
  [[nodiscard]] sql::RegisterPair at(size_t index) const { return {values_[index].lo, values_[index].hi}; }
  [[nodiscard]] sql::Interval intervalAt(size_t index) const {
    return sql::Interval::fromBits(values_[index].lo, values_[index].hi);
  }

  const sql::Type type_;
  std::vector<CollectedValue> values_;
};

double checkedFraction(uint64_t bits) {
  const auto fraction = std::bit_cast<double>(bits);
  if (fraction >= 0 && fraction <= 1) return fraction;
  throw SqlError(sqlstate::kNumericValueOutOfRange,
                 fmt::format("percentile value {:g} is not between 0 and 1", fraction));
}

}  // namespace

namespace rt {

void collectText(CollectedText* state, uint64_t lo, uint64_t hi, uint64_t delimiter_lo, uint64_t delimiter_hi,
                 Arena* arena) {
  const StringValue delimiter(delimiter_lo, delimiter_hi);
  const StringValue text(lo, hi);
  if (state->block == nullptr) state->delimiter = delimiter.length();
  appendText(*state, delimiter.view(), arena);
  appendText(*state, text.view(), arena);
}

void mergeTexts(CollectedText* state, const CollectedText* from, Arena* arena) {
  if (from->block == nullptr) return;
  if (state->block == nullptr) {
    *state = *from;
    return;
  }
  appendText(*state, {from->block->bytes(), from->length}, arena);
}

StringValue collectedText(const CollectedText* state) {
  return StringValue::refer({state->block->bytes() + state->delimiter, state->length - state->delimiter},
                            StringValue::Storage::Temporary);
}

void collectValue(CollectedValues* state, uint64_t type, uint64_t lo, uint64_t hi, bool is_null, Arena* arena) {
  CollectedValue value{lo, hi, is_null ? uint64_t{1} : 0};
  if (!is_null && typeOf(type).physical() == sql::Physical::String) {
    const StringValue text(lo, hi);
    if (!text.isInline() && text.storage() == StringValue::Storage::Transient) {
      const StringValue copy = StringValue::refer(arena->copy(text.view()), StringValue::Storage::Temporary);
      value.lo = copy.lo();
      value.hi = copy.hi();
    }
  }
  appendValues(*state, &value, 1, arena);
}

void mergeValues(CollectedValues* state, const CollectedValues* from, Arena* arena) {
  if (from->block == nullptr) return;
  if (state->block == nullptr) {
    *state = *from;
    return;
  }
  appendValues(*state, valuesOf(*from), from->count, arena);
}

StringValue collectedArray(const CollectedValues* state, uint64_t element_type, Arena* arena) {
  CollectedBlock& block = *state->block;
  if (block.encoded_count == state->count) return block.encoded;
  sql::ArrayBuilder builder(typeOf(element_type));
  const CollectedValue* const values = valuesOf(*state);
  for (uint64_t i = 0; i < state->count; ++i)
    values[i].is_null != 0 ? builder.addNull() : builder.add(values[i].lo, values[i].hi);
  return keep(block, state->count, builder.finish(), arena);
}

StringValue concatenatedArrays(const CollectedValues* state, uint64_t element_type, Arena* arena) {
  CollectedBlock& block = *state->block;
  if (block.encoded_count == state->count) return block.encoded;
  sql::ArrayBuilder builder(typeOf(element_type));
  std::vector<sql::ArrayDimension> inner;
  const CollectedValue* const values = valuesOf(*state);
  for (uint64_t i = 0; i < state->count; ++i) {
    if (values[i].is_null != 0) throw SqlError(sqlstate::kNullValueNotAllowed, "cannot accumulate null arrays");
    const sql::ArrayView array(typeOf(element_type), values[i].lo, values[i].hi);
    if (array.size() == 0) throw SqlError(sqlstate::kArraySubscriptError, "cannot accumulate empty arrays");
    if (i == 0) {
      inner.assign(array.dimensions().begin(), array.dimensions().end());
      if (inner.size() == sql::kArrayDimensionsMax) sql::throwTooManyDimensions(inner.size() + 1);
    } else if (!std::ranges::equal(inner, array.dimensions())) {
      throw SqlError(sqlstate::kArraySubscriptError, "cannot accumulate arrays of different dimensionality");
    }
    for (size_t element = 0; element < array.size(); ++element) builder.addFrom(array, element);
  }
  inner.insert(inner.begin(), {static_cast<int32_t>(state->count), 1});
  return keep(block, state->count, builder.finish(inner), arena);
}

void collectSample(CollectedSample* state, uint64_t type, uint64_t lo, uint64_t hi, uint64_t fraction_lo,
                   uint64_t fraction_hi, bool is_fraction_null, bool is_list, Arena* arena) {
  if (state->values.block == nullptr) {
    state->fraction_lo = fraction_lo;
    state->fraction_hi = fraction_hi;
    state->is_fraction_null = is_fraction_null ? 1 : 0;
    if (is_list && !is_fraction_null) {
      const StringValue given(fraction_lo, fraction_hi);
      const StringValue kept = StringValue::refer(given.isInline() ? given.view() : arena->copy(given.view()),
                                                  StringValue::Storage::Temporary);
      state->fraction_lo = kept.lo();
      state->fraction_hi = kept.hi();
    }
  }
  collectValue(&state->values, type, lo, hi, false, arena);
}

void mergeSamples(CollectedSample* state, const CollectedSample* from, Arena* arena) {
  if (from->values.block == nullptr) return;
  if (state->values.block == nullptr)
    *state = *from;
  else
    mergeValues(&state->values, &from->values, arena);
}

void orderedSet(const CollectedSample* state, OrderedSet function, uint64_t type, bool is_list, bool is_descending,
                ParameterSlot* result, Arena* arena) {
  *result = {0, 0, 1, 0};
  if (state->is_fraction_null != 0) return;
  const sql::Type value_type = typeOf(type);
  const auto give = [&](sql::RegisterPair value) { *result = {value.lo, value.hi, 0, 0}; };
  if (!is_list && function != OrderedSet::Mode) checkedFraction(state->fraction_lo);
  const SortedSample sample(*state, value_type, is_descending);
  if (function == OrderedSet::Mode) return give(sample.mostFrequent());
  const auto percentile = [&](double fraction) {
    return function == OrderedSet::Continuous ? sample.continuous(fraction) : sample.discrete(fraction);
  };
  if (!is_list) return give(percentile(checkedFraction(state->fraction_lo)));
  const sql::ArrayView fractions(sql::Type::of(sql::TypeKind::Double), state->fraction_lo, state->fraction_hi);
  sql::ArrayBuilder builder(value_type);
  for (size_t i = 0; i < fractions.size(); ++i)
    fractions.isNull(i) ? builder.addNull() : builder.add(percentile(checkedFraction(fractions.at(i).lo)));
  const std::string encoded = builder.finish(fractions.dimensions());
  const StringValue array = StringValue::refer(
      encoded.size() > StringValue::kInlineBytesMax ? arena->copy(encoded) : std::string_view(encoded),
      StringValue::Storage::Temporary);
  give({array.lo(), array.hi()});
}

}  // namespace rt
}  // namespace gnomon::codegen
