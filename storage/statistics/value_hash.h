#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/string_value.h"
#include "storage/relation/schema.h"
#include "storage/statistics/random.h"

namespace gnomon::storage {

/// Hashes of values for statistics: equal values of a kind have equal hashes, also in other relations and after a
/// restart (they are kept in samples and sketches). Departure from SQL equality: numerics and intervals that are equal
/// but written differently differ. Inline, because a writer hashes every value.
namespace value_hash {

/// The hash of a null, where nulls are compared as values (grouping); sketches never see it.
inline constexpr uint64_t kNull = 0x589965cc75374cc3ULL;

// Odd, with about as many ones as zeros (from wyhash).
inline constexpr uint64_t kLowSalt = 0xa0761d6478bd642fULL;
inline constexpr uint64_t kHighSalt = 0xe7037ed1a0b428dbULL;
inline constexpr uint64_t kLastSalt = 0x8ebc6af09c88c6e3ULL;

/// One folded product would do for random words, but misjudges patterns such as multiples of powers of two.
inline uint64_t ofWords(uint64_t lo, uint64_t hi) {
  return foldedProduct(foldedProduct(lo ^ kLowSalt, hi ^ kHighSalt) ^ kLastSalt, kHighSalt);
}

/// One pattern of bits for both zeros and for all NaNs, which SQL takes for equal.
inline uint64_t ofFloat(uint64_t bits) {
  const double value = std::bit_cast<double>(bits);
  return ofWords(value != value ? 0x7ff8000000000000ULL : std::bit_cast<uint64_t>(value + 0.0), 0);
}

inline constexpr uint64_t kMediumBytesMax = 48;

/// A text of 13 to 48 bytes by 6 overlapping loads and without a branch: the lengths of a column's texts vary, and
/// branches on them cost more than the hash.
inline uint64_t ofMediumText(const char* text, uint64_t length) {
  const auto word = [text](uint64_t offset) {
    uint64_t bytes;
    std::memcpy(&bytes, text + offset, sizeof(bytes));
    return bytes;
  };
  const uint64_t last = length - 8;
  const uint64_t step = (last + 4) * 205 >> 10;  // a fifth, rounded up, at most 8
  const uint64_t first = foldedProduct(word(0) ^ kLowSalt, word(step) ^ kHighSalt);
  const uint64_t second = foldedProduct(word(2 * step) ^ kHighSalt, word(last - 2 * step) ^ kLastSalt);
  const uint64_t third = foldedProduct(word(last - step) ^ kLastSalt, word(last) ^ kLowSalt);
  return foldedProduct(first ^ second ^ kHighSalt, third + length);
}

uint64_t ofLongText(const char* text, uint64_t length);

inline uint64_t ofText(const Datum& value) {
  const StringValue text(value.lo, value.hi);
  // Unused inline bytes are zero (V1): the two words are the value.
  if (text.isInline()) return ofWords(value.lo, value.hi);
  if (text.length() <= kMediumBytesMax) return ofMediumText(text.view().data(), text.length());
  return ofLongText(text.view().data(), text.length());
}

/// Hashes one column of some rows, values[row * columns_per_row], and calls consume(index in rows, hash).
template <typename Consume>
void forEach(StoredKind kind, const Datum* values, size_t columns_per_row, std::span<const uint32_t> rows,
             Consume consume) {
  const auto each = [&](auto hash) {
    for (size_t index = 0; index < rows.size(); ++index) consume(index, hash(values[rows[index] * columns_per_row]));
  };
  switch (kind) {
    case StoredKind::Bool1:
    case StoredKind::Int16:
    case StoredKind::Int32:
    case StoredKind::Int64:
      return each([](const Datum& value) { return ofWords(value.lo, 0); });
    case StoredKind::Int128:
    case StoredKind::Interval:
      return each([](const Datum& value) { return ofWords(value.lo, value.hi); });
    case StoredKind::Float32:
    case StoredKind::Float64:
      return each([](const Datum& value) { return ofFloat(value.lo); });
    case StoredKind::String:
      return each(ofText);
  }
}

uint64_t of(StoredKind kind, const Datum& value);

/// The hash of a combination of values, grown one by one.
inline uint64_t combine(uint64_t combined, uint64_t next) {
  return foldedProduct(combined ^ kLowSalt, next ^ kHighSalt) + kLastSalt;
}

}  // namespace value_hash
}  // namespace gnomon::storage
