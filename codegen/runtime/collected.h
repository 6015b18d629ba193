#pragma once

#include <cstdint>

#include "base/arena.h"
#include "base/string_value.h"
#include "codegen/executor/state.h"

namespace gnomon::codegen {

/// The states of string_agg and array_agg. Zeroed: of no row.
///
/// What is collected lies in a block of the arena, which states that began alike may share: one that has all that the
/// block holds adds to it in place, another one moves to a block of its own. So states may be copied as bytes.
/// Threads: all states that share a block are used by one thread at a time.
struct CollectedBlock {
  uint64_t capacity;  ///< bytes behind this
  uint64_t used;
  uint64_t encoded_count;  ///< the values that `encoded` was made of; 0: none
  StringValue encoded;
  char* bytes() { return reinterpret_cast<char*>(this + 1); }
};

struct CollectedText {
  CollectedBlock* block;  ///< first the delimiter of the first text, then the texts with theirs between them
  uint64_t length;
  uint64_t delimiter;  ///< bytes of the first one
};

struct CollectedValues {
  CollectedBlock* block;  ///< CollectedValue in their order
  uint64_t count;
};

/// Of ordered sets.
struct CollectedSample {
  CollectedValues values;                               ///< none is NULL
  uint64_t fraction_lo, fraction_hi, is_fraction_null;  ///< of the last row
};

enum class OrderedSet : uint8_t { Continuous, Discrete, Mode };

namespace rt {

/// Failure: 54000 when the text gets longer than a string may be.
void collectText(CollectedText* state, uint64_t lo, uint64_t hi, uint64_t delimiter_lo, uint64_t delimiter_hi,
                 Arena* arena);
void mergeTexts(CollectedText* state, const CollectedText* from, Arena* arena);
/// The text, of a state that is not empty; it lives as long as the arena.
StringValue collectedText(const CollectedText* state);

/// Types as their bits. A string is copied.
void collectValue(CollectedValues* state, uint64_t type, uint64_t lo, uint64_t hi, bool is_null, Arena* arena);
void mergeValues(CollectedValues* state, const CollectedValues* from, Arena* arena);
/// The array of a state that is not empty, in the arena.
StringValue collectedArray(const CollectedValues* state, uint64_t element_type, Arena* arena);
/// Of arrays: one with a dimension more. Failure: 22004, 2202E.
StringValue concatenatedArrays(const CollectedValues* state, uint64_t element_type, Arena* arena);

/// The fraction: a double, or an array of them; of a mode nothing.
void collectSample(CollectedSample* state, uint64_t type, uint64_t lo, uint64_t hi, uint64_t fraction_lo,
                   uint64_t fraction_hi, bool is_fraction_null, bool is_list, Arena* arena);
void mergeSamples(CollectedSample* state, const CollectedSample* from, Arena* arena);
/// The value of a state that is not empty, or the array of values. Failure: 22003 for a fraction beyond 0 and 1.
void orderedSet(const CollectedSample* state, OrderedSet function, uint64_t type, bool is_list, bool is_descending,
                ParameterSlot* result, Arena* arena);

}  // namespace rt
}  // namespace gnomon::codegen
