#include "codegen/runtime/row_selection.h"

#include <immintrin.h>

#include <bit>
#include <cstring>

#include "codegen/ir/hash.h"

/// The tests of 64 rows with AVX2, which the build does not take for granted, and of one row.
namespace gnomon::codegen {

namespace {

#define GNOMON_AVX2 __attribute__((target("avx2")))

const bool kHasAvx2 = __builtin_cpu_supports("avx2") != 0;

template <typename T>
const T* valuesOf(const char* bytes) {
  return reinterpret_cast<const T*>(bytes);
}

GNOMON_AVX2 __m256i loadAt(const void* address) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(address));
}
GNOMON_AVX2 uint64_t bitsOf32(__m256i lanes) {
  return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(lanes)));
}
GNOMON_AVX2 uint64_t bitsOf64(__m256i lanes) {
  return static_cast<uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(lanes)));
}

/// Bits of the values outside of the bounds.
GNOMON_AVX2 uint64_t outside(const int32_t* values, unsigned count, int32_t low, int32_t high) {
  const __m256i lows = _mm256_set1_epi32(low), highs = _mm256_set1_epi32(high);
  uint64_t bits = 0;
  for (unsigned i = 0; i < count; i += 8) {
    const __m256i lanes = loadAt(values + i);
    bits |= bitsOf32(_mm256_or_si256(_mm256_cmpgt_epi32(lows, lanes), _mm256_cmpgt_epi32(lanes, highs))) << i;
  }
  return bits;
}
GNOMON_AVX2 uint64_t outside(const int64_t* values, unsigned count, int64_t low, int64_t high) {
  const __m256i lows = _mm256_set1_epi64x(low), highs = _mm256_set1_epi64x(high);
  uint64_t bits = 0;
  for (unsigned i = 0; i < count; i += 4) {
    const __m256i lanes = loadAt(values + i);
    bits |= bitsOf64(_mm256_or_si256(_mm256_cmpgt_epi64(lows, lanes), _mm256_cmpgt_epi64(lanes, highs))) << i;
  }
  return bits;
}
/// Lanes of 16 bits have no movemask: two registers of them become one of bytes.
GNOMON_AVX2 uint64_t outside(const int16_t* values, unsigned count, int16_t low, int16_t high) {
  const __m256i lows = _mm256_set1_epi16(low), highs = _mm256_set1_epi16(high);
  uint64_t bits = 0;
  for (unsigned i = 0; i < count; i += 32) {
    const __m256i a = loadAt(values + i), b = loadAt(values + i + 16);
    const __m256i out_a = _mm256_or_si256(_mm256_cmpgt_epi16(lows, a), _mm256_cmpgt_epi16(a, highs));
    const __m256i out_b = _mm256_or_si256(_mm256_cmpgt_epi16(lows, b), _mm256_cmpgt_epi16(b, highs));
    const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(out_a, out_b), 0b11011000);
    bits |= uint64_t{static_cast<uint32_t>(_mm256_movemask_epi8(bytes))} << i;
  }
  return bits;
}

/// Bits of the places where left > right, and where they are equal.
struct Order {
  uint64_t greater, equal;
};

GNOMON_AVX2 Order orderOf(const int32_t* left, const int32_t* right, unsigned count) {
  Order order{0, 0};
  for (unsigned i = 0; i < count; i += 8) {
    const __m256i a = loadAt(left + i), b = loadAt(right + i);
    order.greater |= bitsOf32(_mm256_cmpgt_epi32(a, b)) << i;
    order.equal |= bitsOf32(_mm256_cmpeq_epi32(a, b)) << i;
  }
  return order;
}
GNOMON_AVX2 Order orderOf(const int64_t* left, const int64_t* right, unsigned count) {
  Order order{0, 0};
  for (unsigned i = 0; i < count; i += 4) {
    const __m256i a = loadAt(left + i), b = loadAt(right + i);
    order.greater |= bitsOf64(_mm256_cmpgt_epi64(a, b)) << i;
    order.equal |= bitsOf64(_mm256_cmpeq_epi64(a, b)) << i;
  }
  return order;
}

/// Bits of the rows that have one of the strings.
GNOMON_AVX2 uint64_t found(const ShortStrings::Halves* values, unsigned count, const ShortStrings& strings) {
  uint64_t bits = 0;
  for (unsigned i = 0; i < count; i += 4) {
    const __m256i a = loadAt(values + i), b = loadAt(values + i + 2);
    const __m256i lows = _mm256_unpacklo_epi64(a, b), highs = _mm256_unpackhi_epi64(a, b);
    __m256i any = _mm256_setzero_si256();
    for (size_t k = 0; k < strings.count; ++k) {
      const __m256i lo = _mm256_set1_epi64x(static_cast<int64_t>(strings.values[k].lo));
      const __m256i hi = _mm256_set1_epi64x(static_cast<int64_t>(strings.values[k].hi));
      any = _mm256_or_si256(any, _mm256_and_si256(_mm256_cmpeq_epi64(lows, lo), _mm256_cmpeq_epi64(highs, hi)));
    }
    // The lanes are of rows 0, 2, 1, 3.
    bits |= bitsOf64(_mm256_permute4x64_epi64(any, 0b11011000)) << i;
  }
  return bits;
}

#undef GNOMON_AVX2

constexpr uint64_t lowBits(unsigned count) {
  return UINT64_MAX >> (64 - count);
}

/// Values of a vector register, or of two where the code takes two at once: tests take multiples of so many rows.
template <typename T>
constexpr unsigned kStep = sizeof(T) == 2 ? 32 : 32 / sizeof(T);

/// Without vectors: row by row.
template <typename TestRow>
void keepRows(RowSelection& rows, TestRow&& test_row) {
  const auto test_rows = [&](uint64_t first, unsigned count) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < count; ++i) bits |= uint64_t{test_row(first + i)} << i;
    return bits;
  };
  rows.keep(1, test_rows, test_row);
}

template <typename T>
void selectBetween(RowSelection& rows, const char* bytes, int64_t wide_low, int64_t wide_high, bool is_negated) {
  const T* const values = valuesOf<T>(bytes);
  const auto low = static_cast<T>(wide_low), high = static_cast<T>(wide_high);
  const auto test_row = [=](uint64_t row) { return (values[row] >= low && values[row] <= high) != is_negated; };
  if (!kHasAvx2) return keepRows(rows, test_row);
  const uint64_t flip = is_negated ? 0 : UINT64_MAX;
  rows.keep(
      kStep<T>,
      [=, &rows](uint64_t first, unsigned count) {
        rows.fetchAhead(values + first, count * sizeof(T));
        return (outside(values + first, count, low, high) ^ flip) & lowBits(count);
      },
      test_row);
}

template <typename T>
bool holds(ColumnComparison comparison, T left, T right) {
  switch (comparison) {
    case ColumnComparison::Less:
      return left < right;
    case ColumnComparison::LessEqual:
      return left <= right;
    case ColumnComparison::Equal:
      return left == right;
    case ColumnComparison::NotEqual:
      return left != right;
  }
  return false;
}

uint64_t bitsWhere(ColumnComparison comparison, const Order& order) {
  switch (comparison) {
    case ColumnComparison::Less:
      return ~(order.greater | order.equal);
    case ColumnComparison::LessEqual:
      return ~order.greater;
    case ColumnComparison::Equal:
      return order.equal;
    case ColumnComparison::NotEqual:
      return ~order.equal;
  }
  return 0;
}

template <typename T>
void selectCompared(RowSelection& rows, const char* left_bytes, const char* right_bytes, ColumnComparison comparison) {
  const T* const left = valuesOf<T>(left_bytes);
  const T* const right = valuesOf<T>(right_bytes);
  const auto test_row = [=](uint64_t row) { return holds(comparison, left[row], right[row]); };
  if (!kHasAvx2) return keepRows(rows, test_row);
  rows.keep(
      kStep<T>,
      [=, &rows](uint64_t first, unsigned count) {
        rows.fetchAhead(left + first, count * sizeof(T));
        rows.fetchAhead(right + first, count * sizeof(T));
        return bitsWhere(comparison, orderOf(left + first, right + first, count)) & lowBits(count);
      },
      test_row);
}

/// In two passes over 64 rows, so that the misses of the directory overlap.
template <typename T>
void selectJoining(RowSelection& rows, const char* bytes, const JoinTable::Shared& table, int32_t number) {
  RowSelection::Use& use = rows.use(static_cast<size_t>(number));
  if (!use.isWorthwhile()) return;
  const T* const values = valuesOf<T>(bytes);
  const uint64_t* const directory = table.directory;
  const uint64_t shift = table.shift;
  const uint64_t before = rows.count();
  rows.keepOf([=, &rows](uint64_t first, uint64_t bits) {
    rows.fetchAhead(values + first, 64 * sizeof(T));
    uint64_t hashes[64];
    size_t count = 0;
    for (uint64_t rest = bits; rest != 0; rest &= rest - 1) {
      const auto value = static_cast<int64_t>(values[first + static_cast<unsigned>(std::countr_zero(rest))]);
      const uint64_t hash = hash64(kHashSeed, static_cast<uint64_t>(value));
      __builtin_prefetch(directory + (hash >> shift));
      hashes[count++] = hash;
    }
    uint64_t kept = 0;
    const uint64_t* next = hashes;
    for (uint64_t rest = bits; rest != 0; rest &= rest - 1) {
      const uint64_t hash = *next++;
      const uint64_t may_match = directory[hash >> shift] >> (JoinTable::kTagShift + (hash & 15)) & 1;
      kept |= may_match << std::countr_zero(rest);
    }
    return kept;
  });
  use.count(before, rows.count());
}

}  // namespace

void RowSelection::Use::count(uint64_t tested, uint64_t kept) {
  constexpr uint64_t kTestedMin = 8192;
  tested_ += tested;
  kept_ += kept;
  if (tested_ < kTestedMin) return;
  is_worthwhile_ = kept_ < tested_ / 2;
  tested_ = kept_ = 0;
}

uint64_t RowSelection::count() const {
  uint64_t count = 0;
  for (uint64_t first = begin_ / 64 * 64; first < end_; first += 64)
    count += static_cast<uint64_t>(std::popcount(words_[first / 64]));
  return count;
}

void RowSelection::reset(uint64_t begin, uint64_t end, const char* page, const char* page_ahead) {
  ahead_ = page_ahead == nullptr ? 0 : reinterpret_cast<uint64_t>(page_ahead) - reinterpret_cast<uint64_t>(page);
  begin_ = begin;
  end_ = std::max(begin, end);
  const uint64_t count = (end_ + 63) / 64;
  if (words_.size() < count) words_.resize(count);
  for (uint64_t word = begin / 64; word < count; ++word) words_[word] = UINT64_MAX;
  if (begin % 64 != 0) words_[begin / 64] &= UINT64_MAX << (begin % 64);
  if (end_ % 64 != 0) words_[count - 1] &= ~(UINT64_MAX << (end_ % 64));
}

const uint64_t* rt::selectRows(RowSelection* rows, int64_t begin, int64_t end, const char* page,
                               const char* page_ahead) {
  rows->reset(static_cast<uint64_t>(begin), static_cast<uint64_t>(end), page, page_ahead);
  return rows->words();
}

void rt::selectNotNull(RowSelection* rows, const char* nulls) {
  if (nulls == nullptr) return;
  const auto test_row = [=](uint64_t row) {
    return (static_cast<unsigned>(static_cast<unsigned char>(nulls[row / 8])) >> (row % 8) & 1) == 0;
  };
  rows->keep(
      8,
      [=](uint64_t first, unsigned count) {
        uint64_t word = 0;
        std::memcpy(&word, nulls + first / 8, count / 8);
        return ~word & lowBits(count);
      },
      test_row);
}

void rt::selectInt16Between(RowSelection* rows, const char* values, int64_t low, int64_t high, bool is_negated) {
  selectBetween<int16_t>(*rows, values, low, high, is_negated);
}
void rt::selectInt32Between(RowSelection* rows, const char* values, int64_t low, int64_t high, bool is_negated) {
  selectBetween<int32_t>(*rows, values, low, high, is_negated);
}
void rt::selectInt64Between(RowSelection* rows, const char* values, int64_t low, int64_t high, bool is_negated) {
  selectBetween<int64_t>(*rows, values, low, high, is_negated);
}

void rt::selectInt32Compared(RowSelection* rows, const char* left, const char* right, int32_t comparison) {
  selectCompared<int32_t>(*rows, left, right, ColumnComparison{comparison});
}
void rt::selectInt64Compared(RowSelection* rows, const char* left, const char* right, int32_t comparison) {
  selectCompared<int64_t>(*rows, left, right, ColumnComparison{comparison});
}

void rt::selectInt16Joining(RowSelection* rows, const char* values, const JoinTable::Shared* table, int32_t number) {
  selectJoining<int16_t>(*rows, values, *table, number);
}
void rt::selectInt32Joining(RowSelection* rows, const char* values, const JoinTable::Shared* table, int32_t number) {
  selectJoining<int32_t>(*rows, values, *table, number);
}
void rt::selectInt64Joining(RowSelection* rows, const char* values, const JoinTable::Shared* table, int32_t number) {
  selectJoining<int64_t>(*rows, values, *table, number);
}

void rt::selectShortStrings(RowSelection* rows, const char* bytes, const ShortStrings* strings) {
  const auto* const values = valuesOf<ShortStrings::Halves>(bytes);
  const auto test_row = [=](uint64_t row) {
    bool is_found = false;
    for (size_t k = 0; k < strings->count; ++k)
      is_found |= values[row].lo == strings->values[k].lo && values[row].hi == strings->values[k].hi;
    return is_found != strings->is_negated;
  };
  if (!kHasAvx2) return keepRows(*rows, test_row);
  const uint64_t flip = strings->is_negated ? UINT64_MAX : 0;
  rows->keep(
      kStep<int64_t>,
      [=](uint64_t first, unsigned count) { return (found(values + first, count, *strings) ^ flip) & lowBits(count); },
      test_row);
}

}  // namespace gnomon::codegen
