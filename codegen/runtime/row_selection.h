#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "codegen/runtime/join_table.h"
#include "codegen/runtime/runtime_object.h"

namespace gnomon::codegen {

/// The rows of a piece of a leaf that passed the tests so far: bit i % 64 of word i / 64 for row i, from the word of
/// the first row on. One worker's.
///
/// A test looks at a column, up to 64 rows at a time, so that the processor's vector units do it; generated code then
/// goes through the rows that are left. A test takes no more than rows out, and only of words that still have some.
/// Source: departure from paper 1, where generated code tests each row; the idea is that of Data Blocks (Lang et al.,
/// "Data Blocks: hybrid OLTP and OLAP on compressed storage"). Threads: one.
class RowSelection final : public RuntimeObject {
 public:
  /// Selects all rows from `begin` to below `end` of the leaf in `page`. `page_ahead`: whose values are fetched while
  /// those of this one are looked at; null: none.
  void reset(uint64_t begin, uint64_t end, const char* page, const char* page_ahead);
  /// Fetches what lies at the same place in the page ahead. A leaf has less of a column than it takes the processor to
  /// notice that it is read in order.
  void fetchAhead(const void* values, size_t bytes) const {
    if (ahead_ == 0) return;
    const uint64_t begin = reinterpret_cast<uint64_t>(values) + ahead_;
    for (uint64_t line = 0; line < bytes; line += 64) __builtin_prefetch(reinterpret_cast<const void*>(begin + line));
  }
  [[nodiscard]] const uint64_t* words() const { return words_.data(); }

  /// How many rows a test has seen and kept: one that takes hardly any out is left off.
  class Use {
   public:
    [[nodiscard]] bool isWorthwhile() const { return is_worthwhile_; }
    void count(uint64_t tested, uint64_t kept);

   private:
    uint64_t tested_ = 0;
    uint64_t kept_ = 0;
    bool is_worthwhile_ = true;
  };
  Use& use(size_t number) {
    if (uses_.size() <= number) uses_.resize(number + 1);
    return uses_[number];
  }
  [[nodiscard]] uint64_t count() const;
  /// `test(first row, bits)` gives those of the bits that are kept.
  template <typename Test>
  void keepOf(Test&& test) {
    for (uint64_t first = begin_ / 64 * 64; first < end_; first += 64)
      if (uint64_t& word = words_[first / 64]; word != 0) word = test(first, word);
  }

  /// `test_rows(first, count)` gives the bits of up to 64 rows, `count` a multiple of `step`; `test_row(row)` tells of
  /// one.
  template <typename TestRows, typename TestRow>
  void keep(unsigned step, TestRows&& test_rows, TestRow&& test_row) {
    for (uint64_t first = begin_ / 64 * 64; first < end_; first += 64) {
      uint64_t& word = words_[first / 64];
      if (word == 0) continue;
      const auto count = static_cast<unsigned>(std::min<uint64_t>(end_ - first, 64));
      const unsigned together = first < begin_ ? 0 : count / step * step;
      uint64_t passed = together == 0 ? 0 : test_rows(first, together);
      for (unsigned i = together; i < count; ++i) passed |= uint64_t{(word >> i & 1) != 0 && test_row(first + i)} << i;
      word &= passed;
    }
  }

 private:
  uint64_t begin_ = 0;
  uint64_t end_ = 0;
  uint64_t ahead_ = 0;  ///< from an address in the page to that in the page ahead, modulo 2^64; 0: there is none
  std::vector<uint64_t> words_;
  std::vector<Use> uses_;
};

/// Strings of up to 12 bytes, as they stand in their 16 bytes, for one of which a column is searched.
struct ShortStrings {
  static constexpr size_t kCountMax = 8;
  struct Halves {
    uint64_t lo, hi;
  };
  std::array<Halves, kCountMax> values;
  size_t count = 0;
  bool is_negated = false;  ///< the rows that have none of them
};

/// What two columns of one type are compared by.
enum class ColumnComparison : int32_t { Less, LessEqual, Equal, NotEqual };

namespace rt {
/// RowSelection::reset(); the words.
const uint64_t* selectRows(RowSelection* rows, int64_t begin, int64_t end, const char* page, const char* page_ahead);
/// Keeps those whose bit in `nulls` is 0; null: there is no NULL.
void selectNotNull(RowSelection* rows, const char* nulls);
/// Keeps those with low <= value <= high, or with `is_negated` the others. The bounds are numbers of the type.
void selectInt16Between(RowSelection* rows, const char* values, int64_t low, int64_t high, bool is_negated);
void selectInt32Between(RowSelection* rows, const char* values, int64_t low, int64_t high, bool is_negated);
void selectInt64Between(RowSelection* rows, const char* values, int64_t low, int64_t high, bool is_negated);
/// Keeps those where the comparison of the left with the right value holds. `comparison`: a ColumnComparison.
void selectInt32Compared(RowSelection* rows, const char* left, const char* right, int32_t comparison);
void selectInt64Compared(RowSelection* rows, const char* left, const char* right, int32_t comparison);
/// Keeps those whose value may be the only key of a row in the table, as long as enough of them go. `number`: of the
/// test among those of its scan.
void selectInt16Joining(RowSelection* rows, const char* values, const JoinTable::Shared* table, int32_t number);
void selectInt32Joining(RowSelection* rows, const char* values, const JoinTable::Shared* table, int32_t number);
void selectInt64Joining(RowSelection* rows, const char* values, const JoinTable::Shared* table, int32_t number);
/// `values`: StringValues; those that are long equal none.
void selectShortStrings(RowSelection* rows, const char* values, const ShortStrings* strings);
}  // namespace rt

}  // namespace gnomon::codegen
