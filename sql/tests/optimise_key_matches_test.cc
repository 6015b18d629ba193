#include "sql/optimise/key_matches.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "storage/statistics/relation_statistics.h"

namespace gnomon::sql {
namespace {

constexpr uint32_t kDomain = 2000;

/// A table of one integer column and those of its rows that a filter passes.
struct Keys {
  std::vector<uint32_t> values;
  std::vector<bool> passes;

  void add(uint32_t value, bool pass = true) {
    values.push_back(value);
    passes.push_back(pass);
  }
  [[nodiscard]] KeyColumn column(size_t relation) const {
    storage::RelationStatistics statistics(
        storage::RelationSchema{storage::StoredColumn{storage::StoredKind::Int32, false}}, 7 + relation);
    for (size_t row = 0; row < values.size(); ++row) {
      const storage::Datum value{values[row], 0};
      const uint8_t null = 0;
      statistics.onInsertBatch(storage::TupleId{row}, &value, &null, 1);
    }
    auto rows = std::make_shared<SampledRows>();
    rows->snapshot = statistics.snapshot();
    for (uint32_t i = 0; i < rows->snapshot->sampleSize(); ++i) {
      rows->passes.push_back(passes[rows->snapshot->sampleId(i).value]);
      rows->passing += rows->passes.back();
    }
    KeyColumn key;
    key.relation = relation;
    key.table_rows = static_cast<double>(values.size());
    key.distinct_values = rows->snapshot->column(0).distinct_count;
    key.rows = std::move(rows);
    return key;
  }
};

Keys wholeKey() {
  Keys keys;
  for (uint32_t value = 0; value < kDomain; ++value) keys.add(value);
  return keys;
}

/// The low values have most of the rows.
Keys skewed(uint64_t seed) {
  std::mt19937_64 random(seed);
  Keys keys;
  for (size_t row = 0; row < 20'000; ++row) {
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    keys.add(static_cast<uint32_t>(kDomain * unit * unit * unit));
  }
  return keys;
}

double trueShare(const std::vector<Keys>& tables) {
  std::vector<double> agreeing(kDomain, 1);
  double all = 1;
  for (const Keys& table : tables) {
    std::vector<double> count(kDomain);
    double passing = 0;
    for (size_t row = 0; row < table.values.size(); ++row) {
      if (!table.passes[row]) continue;
      count[table.values[row]] += 1;
      passing += 1;
    }
    for (uint32_t value = 0; value < kDomain; ++value) agreeing[value] *= count[value];
    all *= passing;
  }
  double pairs = 0;
  for (const double each : agreeing) pairs += each;
  return pairs / all;
}

/// How far the estimate for all tables is from the truth.
double errorOf(const std::vector<Keys>& tables) {
  std::vector<KeyColumn> columns;
  for (size_t i = 0; i < tables.size(); ++i) columns.push_back(tables[i].column(i));
  KeyMatches matches(columns, kDomain);
  const double ratio = matches.share((RelationSet{1} << tables.size()) - 1) / trueShare(tables);
  return std::max(ratio, 1 / ratio);
}

TEST(KeyMatches, OfAKeyAndWhatRefersToItAreOneOfTheDomain) {
  EXPECT_LE(errorOf({wholeKey(), skewed(1)}), 1.01);
}

TEST(KeyMatches, OfSkewedColumnsAreMoreThanEvenlySpreadOnesWouldHave) {
  EXPECT_GE(trueShare({skewed(1), skewed(2)}) * kDomain, 5) << "or the test shows nothing";
  EXPECT_LE(errorOf({skewed(1), skewed(2)}), 1.3);
  EXPECT_LE(errorOf({skewed(1), skewed(2), skewed(3)}), 2);
  EXPECT_LE(errorOf({skewed(1), wholeKey(), skewed(3)}), 1.3);
}

TEST(KeyMatches, OfFiltersThatPassTheSameValuesAreMore) {
  Keys few = wholeKey();
  Keys many;
  for (uint32_t row = 0; row < 20'000; ++row) many.add(row % kDomain, row % kDomain < 200);
  for (uint32_t value = 0; value < kDomain; ++value) few.passes[value] = value < 200;
  EXPECT_LE(errorOf({few, many}), 2);
  for (uint32_t value = 0; value < kDomain; ++value) few.passes[value] = value >= 1000;
  KeyColumn columns[] = {few.column(0), many.column(1)};
  EXPECT_LE(KeyMatches(columns, kDomain).share(3) * kDomain, 0.3) << "none agrees";
}

TEST(KeyMatches, OfColumnsWithoutASampleAreEvenlySpread) {
  KeyColumn columns[3];
  for (size_t i = 0; i < 3; ++i) columns[i].relation = i;
  KeyMatches matches(columns, kDomain);
  EXPECT_DOUBLE_EQ(matches.share(1), 1);
  EXPECT_DOUBLE_EQ(matches.share(5), 1.0 / kDomain);
  EXPECT_DOUBLE_EQ(matches.share(7), 1.0 / kDomain / kDomain);
}

}  // namespace
}  // namespace gnomon::sql
