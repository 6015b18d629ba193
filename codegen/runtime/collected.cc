#include "codegen/runtime/collected.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <vector>

#include "base/sql_error.h"
#include "sql/types/array_value.h"

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

}  // namespace rt
}  // namespace gnomon::codegen
