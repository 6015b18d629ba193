#pragma once

#include <cstdint>
#include <string_view>

#include "base/arena.h"
#include "base/string_value.h"
#include "sql/types/interval.h"

/// Runtime functions called by generated code. Arguments are bool, integers, int128, double and pointers; a string (or
/// an encoded big numeric) is its two words lo, hi; results over 12 bytes live in the arena given last, which is the
/// worker's scratch memory: storage Transient, so that rows that keep them copy them. None is called with a NULL.
/// Failures are SqlErrors that pass through the generated frame.
namespace gnomon::codegen::rt {

/// A 16-byte result other than a string: an interval (sql/types/interval.h).
struct Pair {
  uint64_t lo;
  uint64_t hi;
};
static_assert(sizeof(Pair) == 16);

inline Pair toPair(sql::Interval interval) {
  return {interval.lo(), interval.hi()};
}

/// A string for the caller: over 12 bytes it refers to `text`, which lies in the scratch arena.
inline StringValue transient(std::string_view text) {
  return StringValue::refer(text, StringValue::Storage::Transient);
}
/// A part of the string: refers to the same bytes, keeps the storage class.
inline StringValue part(const StringValue& text, std::string_view kept) {
  return StringValue::refer(kept, text.isInline() ? StringValue::Storage::Temporary : text.storage());
}
/// A string for the caller, its bytes copied into the arena when they do not fit the value.
inline StringValue copied(std::string_view text, Arena* arena) {
  return transient(text.size() <= StringValue::kInlineBytesMax ? text : arena->copy(text));
}

}  // namespace gnomon::codegen::rt
