#include "codegen/runtime/row_selection.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <random>

#include "base/tests/test_support.h"

namespace gnomon::codegen {
namespace {

using testing::testSeed;

/// Values in memory of exactly their size, so that a test that reads further is noticed.
template <typename T>
const char* bytesOf(const std::vector<T>& values) {
  return reinterpret_cast<const char*>(values.data());
}

class RowSelectionTest : public ::testing::Test {
 protected:
  RowSelectionTest() : random_(testSeed()) {}

  uint64_t below(uint64_t bound) { return random_() % bound; }

  /// Few different values, with those at the ends.
  template <typename T>
  T number() {
    switch (below(8)) {
      case 0:
        return std::numeric_limits<T>::min();
      case 1:
        return std::numeric_limits<T>::max();
      default:
        return static_cast<T>(static_cast<int64_t>(below(7)) - 3);
    }
  }
  template <typename T>
  std::vector<T> numbers(size_t count) {
    std::vector<T> result(count);
    for (T& each : result) each = number<T>();
    return result;
  }

  /// Selects random rows of `count`, one test after the other; after each those are left that a loop would leave.
  struct Test {
    std::function<void(RowSelection&)> apply;
    std::function<bool(size_t)> holds;
  };
  void expectSameRows(size_t count, const std::vector<Test>& tests) {
    const size_t begin = count == 0 ? 0 : below(2) * below(count);
    const size_t end = count - below(2) * below(count - begin + 1);
    const uint64_t* words =
        rt::selectRows(&rows_, static_cast<int64_t>(begin), static_cast<int64_t>(end), nullptr, nullptr);
    std::vector<bool> left(end);
    for (size_t row = begin; row < end; ++row) left[row] = true;
    for (const Test& test : tests) {
      test.apply(rows_);
      for (size_t row = begin; row < end; ++row) left[row] = left[row] && test.holds(row);
      for (size_t row = begin / 64 * 64; row < end; ++row)
        ASSERT_EQ((words[row / 64] >> (row % 64) & 1) != 0, left[row])
            << "row " << row << " of " << begin << ".." << end;
    }
  }

  template <typename T>
  using SelectBetween = void (*)(RowSelection*, const char*, int64_t, int64_t, bool);
  template <typename T>
  void testNumbers(SelectBetween<T> select) {
    for (int round = 0; round < 300; ++round) {
      const size_t count = below(400);
      const std::vector<T> first = numbers<T>(count), second = numbers<T>(count);
      std::vector<Test> tests;
      for (const auto* values : {&first, &second}) {
        const T low = number<T>(), high = number<T>();
        const bool is_negated = below(3) == 0;
        tests.push_back({[=](RowSelection& rows) { select(&rows, bytesOf(*values), low, high, is_negated); },
                         [=](size_t row) { return ((*values)[row] >= low && (*values)[row] <= high) != is_negated; }});
      }
      expectSameRows(count, tests);
    }
  }

  template <typename T>
  void testColumns(void (*select)(RowSelection*, const char*, const char*, int32_t)) {
    for (int round = 0; round < 300; ++round) {
      const size_t count = below(400);
      const std::vector<T> left = numbers<T>(count), right = numbers<T>(count);
      const ColumnComparison comparison{static_cast<int32_t>(below(4))};
      const auto holds = [&](size_t row) {
        if (comparison == ColumnComparison::Less) return left[row] < right[row];
        if (comparison == ColumnComparison::LessEqual) return left[row] <= right[row];
        return (left[row] == right[row]) == (comparison == ColumnComparison::Equal);
      };
      expectSameRows(
          count,
          {{[&](RowSelection& rows) { select(&rows, bytesOf(left), bytesOf(right), static_cast<int32_t>(comparison)); },
            holds}});
    }
  }

  std::mt19937_64 random_;
  RowSelection rows_;
};

TEST_F(RowSelectionTest, NumbersBetweenBounds) {
  testNumbers<int16_t>(rt::selectInt16Between);
  testNumbers<int32_t>(rt::selectInt32Between);
  testNumbers<int64_t>(rt::selectInt64Between);
}

TEST_F(RowSelectionTest, ColumnsCompared) {
  testColumns<int32_t>(rt::selectInt32Compared);
  testColumns<int64_t>(rt::selectInt64Compared);
}

TEST_F(RowSelectionTest, ShortStrings) {
  for (int round = 0; round < 300; ++round) {
    const size_t count = below(400);
    const auto half = [&] { return below(3); };
    std::vector<ShortStrings::Halves> values(count);
    for (auto& value : values) value = {half(), half()};
    ShortStrings strings{};
    strings.count = 1 + below(ShortStrings::kCountMax);
    strings.is_negated = below(3) == 0;
    for (size_t i = 0; i < strings.count; ++i) strings.values[i] = {half(), half()};
    const auto holds = [&](size_t row) {
      bool is_found = false;
      for (size_t i = 0; i < strings.count; ++i)
        is_found |= values[row].lo == strings.values[i].lo && values[row].hi == strings.values[i].hi;
      return is_found != strings.is_negated;
    };
    expectSameRows(count,
                   {{[&](RowSelection& rows) { rt::selectShortStrings(&rows, bytesOf(values), &strings); }, holds}});
  }
}

TEST_F(RowSelectionTest, Nulls) {
  for (int round = 0; round < 300; ++round) {
    const size_t count = below(400);
    std::vector<unsigned char> nulls((count + 7) / 8);
    for (auto& byte : nulls) byte = static_cast<unsigned char>(random_());
    expectSameRows(count, {{[](RowSelection& rows) { rt::selectNotNull(&rows, nullptr); }, [](size_t) { return true; }},
                           {[&](RowSelection& rows) { rt::selectNotNull(&rows, bytesOf(nulls)); },
                            [&](size_t row) { return (nulls[row / 8] >> (row % 8) & 1) == 0; }}});
  }
}

}  // namespace
}  // namespace gnomon::codegen
