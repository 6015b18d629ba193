#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <thread>

#include "base/string_value.h"
#include "storage/statistics/relation_statistics.h"
#include "storage/tests/row_model.h"
#include "storage/tests/test_support.h"

namespace gnomon::storage {
namespace {

constexpr uint64_t kSeed = 42;

Datum numberDatum(uint64_t value) {
  return {value, 0};
}
Datum textDatum(const std::string& text) {
  const StringValue value = StringValue::refer(text, StringValue::Storage::Temporary);
  return {value.lo(), value.hi()};
}

/// Rows of integers, as a function of the row's number.
class NumberRows {
 public:
  using Value = std::function<std::optional<uint64_t>(uint64_t row, size_t column)>;
  NumberRows(size_t width, Value value) : width_(width), value_(std::move(value)) {}

  void feed(RelationStatistics& statistics, uint64_t first, uint64_t count) {
    constexpr uint64_t kBatch = 300;
    for (uint64_t start = first; start < first + count; start += kBatch) {
      const uint64_t rows = std::min(kBatch, first + count - start);
      fill(start, rows);
      statistics.onInsertBatch(TupleId{start}, values_.data(), nulls_.data(), rows);
    }
  }
  void remove(RelationStatistics& statistics, uint64_t row) {
    fill(row, 1);
    statistics.onDelete(TupleId{row}, values_.data(), nulls_.data());
  }
  /// The row takes the values of another.
  void update(RelationStatistics& statistics, uint64_t row, uint64_t other) {
    fill(row, 1);
    const auto values = values_;
    const auto nulls = nulls_;
    fill(other, 1);
    std::vector<uint32_t> columns(width_);
    std::iota(columns.begin(), columns.end(), 0U);
    statistics.onUpdate(TupleId{row}, columns, values.data(), nulls.data(), values_.data(), nulls_.data());
  }
  /// As it is after update() with these.
  SampleRowBytes sampled(uint64_t other) {
    fill(other, 1);
    return encodeSampleRow(RelationSchema(std::vector(width_, StoredColumn{StoredKind::Int64, true})), values_.data(),
                           nulls_.data());
  }

 private:
  void fill(uint64_t first, uint64_t count) {
    values_.clear();
    nulls_.clear();
    for (uint64_t row = first; row < first + count; ++row)
      for (size_t column = 0; column < width_; ++column) {
        const auto value = value_(row, column);
        values_.push_back(numberDatum(value.value_or(77)));
        nulls_.push_back(value ? 0 : 1);
      }
  }

  size_t width_;
  Value value_;
  std::vector<Datum> values_;
  std::vector<uint8_t> nulls_;
};

RelationSchema numberSchema(size_t width) {
  return RelationSchema(std::vector(width, StoredColumn{StoredKind::Int64, true}));
}
uint64_t scrambled(uint64_t row) {
  return RandomWords(row).next();
}
/// By how much the larger of two numbers exceeds the smaller, as a factor.
double factor(double left, double right) {
  return std::max(left, right) / std::min(left, right);
}
double groups(RelationStatistics& statistics, std::vector<uint32_t> columns) {
  return statistics.snapshot()->groupCount(columns);
}

TEST(RelationStatistics, KnowsASmallRelationExactly) {
  RelationStatistics statistics(numberSchema(3), kSeed);
  NumberRows rows(3, [](uint64_t row, size_t column) -> std::optional<uint64_t> {
    if (column == 1 && row % 4 == 0) return std::nullopt;
    return column == 0 ? row : row % (column == 1 ? 10 : 6);
  });
  rows.feed(statistics, 0, 1000);
  const auto snapshot = statistics.snapshot();
  EXPECT_EQ(snapshot->rowCount(), 1000u);
  EXPECT_TRUE(snapshot->sampleIsComplete());
  EXPECT_EQ(snapshot->column(0).distinct_count, 1000);
  EXPECT_EQ(snapshot->column(1).distinct_count, 10);
  EXPECT_EQ(snapshot->column(1).null_count, 250u);
  EXPECT_EQ(snapshot->nullFraction(1), 0.25);
  const uint32_t pair[] = {1, 2};
  std::set<std::pair<int, int>> truth;
  for (int row = 0; row < 1000; ++row) truth.insert({row % 4 == 0 ? -1 : row % 10, row % 6});
  EXPECT_EQ(snapshot->groupCount(pair), static_cast<double>(truth.size()));
  EXPECT_EQ(snapshot->groupCount({}), 1);
}

TEST(RelationStatistics, EstimatesColumnsOfManyRows) {
  RelationStatistics statistics(numberSchema(4), kSeed);
  NumberRows rows(4, [](uint64_t row, size_t column) -> std::optional<uint64_t> {
    switch (column) {
      case 0:
        return row;
      case 1:
        return scrambled(row) % 5;
      case 2:
        return static_cast<uint64_t>(1000 / (1 + scrambled(row) % 1000));  // skewed, 62 values
      default:
        return row % 10 == 0 ? std::optional(row) : std::nullopt;
    }
  });
  rows.feed(statistics, 0, 100'000);
  const auto snapshot = statistics.snapshot();
  EXPECT_LT(factor(snapshot->column(0).distinct_count, 100'000), 1.3);
  EXPECT_NEAR(snapshot->column(1).distinct_count, 5, 0.5);
  EXPECT_LT(factor(snapshot->column(2).distinct_count, 62), 1.3);
  EXPECT_EQ(snapshot->column(3).null_count, 90'000u);
  EXPECT_LT(factor(snapshot->column(3).distinct_count, 10'000), 1.3);
}

TEST(RelationStatistics, CombinesColumnsByTheirDependence) {
  RelationStatistics statistics(numberSchema(6), kSeed);
  NumberRows rows(6, [](uint64_t row, size_t column) -> std::optional<uint64_t> {
    const uint64_t random = scrambled(row);
    switch (column) {
      case 0:
        return random % 1000;
      case 1:
        return random % 1000 / 10;  // follows from 0
      case 2:
        return (random >> 32) % 1000;  // independent of 0
      case 3:
        return (random >> 20) % 7;  // independent of 0
      case 4:
        return row / 4;  // with 5: a key
      default:
        return row % 4;
    }
  });
  rows.feed(statistics, 0, 200'000);
  EXPECT_LT(factor(groups(statistics, {0, 1}), 1000), 1.4);
  EXPECT_LT(factor(groups(statistics, {0, 3}), 7000), 1.5);
  EXPECT_LT(factor(groups(statistics, {1, 3}), 700), 1.4);
  EXPECT_LT(factor(groups(statistics, {0, 1, 3}), 7000), 1.6);
  EXPECT_LT(factor(groups(statistics, {0, 2}), 181'000), 2);
  EXPECT_LT(factor(groups(statistics, {4, 5}), 200'000), 3);
}

TEST(RelationStatistics, FollowsDeletesAndUpdates) {
  RelationStatistics statistics(numberSchema(2), kSeed);
  NumberRows rows(2, [](uint64_t row, size_t column) -> std::optional<uint64_t> {
    if (column == 1) return row % 3 == 0 ? std::nullopt : std::optional(row % 50);
    return row;
  });
  rows.feed(statistics, 0, 15'000);
  for (uint64_t row = 0; row < 13'500; ++row) rows.remove(statistics, row);
  for (uint64_t row = 13'500; row < 14'250; ++row) rows.update(statistics, row, 14'999);
  std::set<uint64_t> read;
  const auto snapshot = statistics.snapshot([&](TupleId id) {
    read.insert(id.value);
    return rows.sampled(14'999);
  });
  for (const uint64_t id : read) EXPECT_TRUE(id >= 13'500 && id < 14'250) << "it has changed";
  EXPECT_FALSE(read.empty());
  EXPECT_EQ(snapshot->rowCount(), 1500u);
  EXPECT_EQ(snapshot->column(1).null_count, 250u);
  EXPECT_LT(factor(snapshot->column(0).distinct_count, 750), 2);
  EXPECT_LT(factor(snapshot->column(1).distinct_count, 50), 1.6) << "known from a sample of 100 rows";
  EXPECT_NEAR(snapshot->sampleSize(), 102, 40);
  EXPECT_TRUE(snapshot->sampleIsThin());
  for (uint32_t row = 0; row < snapshot->sampleSize(); ++row) {
    const uint64_t id = snapshot->sampleId(row).value;
    EXPECT_EQ(snapshot->sampleValues(row)[0].lo, id < 14'250 ? 14'999 : id);
  }

  for (uint64_t row = 13'500; row < 15'000; ++row) rows.remove(statistics, row);
  rows.feed(statistics, 100'000, 900);
  EXPECT_TRUE(statistics.snapshot()->sampleIsComplete()) << "an emptied relation starts anew";
  EXPECT_EQ(groups(statistics, {0}), 900);
}

TEST(RelationStatistics, InfersDistinctValuesFromAShareOfTheRows) {
  RelationStatistics statistics(numberSchema(6), kSeed);
  NumberRows rows(6, [](uint64_t row, size_t column) -> std::optional<uint64_t> {
    switch (column) {
      case 0:
        return row;
      case 1:
        return row / 4;  // neighbours
      case 2:
        return scrambled(row) % 20'000;
      case 3:
        return scrambled(row) % 2 == 0 ? 7 : row;  // one value has half of the rows
      case 4:
        return row % 3 == 0 ? std::nullopt : std::optional(row % 1000);
      default:
        return row % 7;
    }
  });
  rows.feed(statistics, 0, 600'000);
  const auto snapshot = statistics.snapshot();
  const double truth[] = {600'000, 150'000, 20'000, 300'000, 1000, 7};
  for (uint32_t column = 0; column < 6; ++column)
    EXPECT_LT(factor(snapshot->column(column).distinct_count, truth[column]), 1.6) << "column " << column;
  EXPECT_NEAR(snapshot->nullFraction(4), 1.0 / 3, 0.02);
}

TEST(RelationStatistics, RefreshesItsSnapshotAfterFivePercent) {
  RelationStatistics statistics(numberSchema(1), kSeed);
  NumberRows rows(1, [](uint64_t row, size_t) { return row; });
  rows.feed(statistics, 0, 10'000);
  const auto first = statistics.snapshot();
  rows.feed(statistics, 10'000, 500);
  EXPECT_EQ(statistics.snapshot(), first);
  rows.feed(statistics, 10'500, 1);
  const auto second = statistics.snapshot();
  EXPECT_EQ(second->rowCount(), 10'501u);
  EXPECT_EQ(first->rowCount(), 10'000u);
}

TEST(RelationStatistics, SamplesValuesOfEveryKind) {
  const RelationSchema& schema = testing::everyKindSchema();
  RelationStatistics statistics(schema, kSeed);
  testing::RowGenerator generator(schema, kSeed);
  std::map<uint64_t, testing::ModelRow> model;
  for (uint64_t id = 0; id < 3000; ++id) {
    const auto& row = model[id] = generator.row(id % 10 == 0 ? 400 : 30);
    testing::Batch batch;
    batch.add(row);
    statistics.onInsertBatch(TupleId{id}, batch.values.data(), batch.null_flags.data(), 1);
  }
  const auto snapshot = statistics.snapshot();
  ASSERT_EQ(snapshot->sampleSize(), 1024u);
  unsigned cut_count = 0;
  for (uint32_t row = 0; row < snapshot->sampleSize(); ++row)
    for (uint32_t column = 0; column < schema.size(); ++column) {
      testing::ModelValue expected = model.at(snapshot->sampleId(row).value)[column];
      const bool is_cut = expected.text.size() > kSampleTextBytesMax;
      cut_count += is_cut ? 1 : 0;
      expected.text.resize(std::min<size_t>(expected.text.size(), kSampleTextBytesMax));
      EXPECT_EQ(testing::fromDatum(schema[column], snapshot->sampleValues(row)[column],
                                   snapshot->sampleNulls(row)[column] != 0),
                expected);
      EXPECT_EQ(snapshot->sampleIsCut(row, column), is_cut);
    }
  EXPECT_GT(cut_count, 10u);
}

TEST(RelationStatistics, TellsLongTextsWithOneBeginningApart) {
  RelationStatistics statistics({{StoredKind::String, false}}, kSeed);
  const uint8_t not_null = 0;
  for (unsigned i = 0; i < 600; ++i) {
    const std::string text = std::string(300, 'x') + std::to_string(i % 200);
    const Datum value = textDatum(text);
    statistics.onInsertBatch(TupleId{i}, &value, &not_null, 1);
  }
  EXPECT_EQ(groups(statistics, {0}), 200);
}

TEST(RelationStatistics, TakesEqualFloatsForOneValue) {
  RelationStatistics statistics({{StoredKind::Float64, false}}, kSeed);
  const uint8_t not_null[4] = {};
  const Datum values[] = {{std::bit_cast<uint64_t>(0.0), 1},
                          {std::bit_cast<uint64_t>(-0.0), 2},
                          {std::bit_cast<uint64_t>(std::nan("")), 3},
                          {std::bit_cast<uint64_t>(-std::nan("1")), 4}};
  statistics.onInsertBatch(TupleId{0}, values, not_null, 4);
  EXPECT_EQ(groups(statistics, {0}), 2);
}

TEST(RelationStatistics, AddsColumns) {
  RelationStatistics statistics(numberSchema(2), kSeed);
  NumberRows rows(2, [](uint64_t row, size_t column) { return column ? row % 8 : row; });
  rows.feed(statistics, 0, 5000);
  const std::string text = "a default of over twelve bytes";
  std::vector<StoredColumn> columns(2, StoredColumn{StoredKind::Int64, true});
  columns.push_back({StoredKind::String, false, 2, 1, std::make_shared<const OwnedValue>(text)});
  columns.push_back({StoredKind::Int32, true, 2, 2});
  statistics.changeSchema(RelationSchema(columns));
  const auto snapshot = statistics.snapshot();
  ASSERT_EQ(snapshot->schema().size(), 4u);
  EXPECT_NEAR(snapshot->column(1).distinct_count, 8, 0.5);
  EXPECT_NEAR(snapshot->column(2).distinct_count, 1, 0.1);
  EXPECT_EQ(snapshot->column(3).null_count, 5000u);
  for (uint32_t row = 0; row < snapshot->sampleSize(); ++row) {
    const Datum* values = snapshot->sampleValues(row);
    EXPECT_EQ(values[1].lo, snapshot->sampleId(row).value % 8);
    EXPECT_EQ(StringValue(values[2].lo, values[2].hi).view(), text);
    EXPECT_TRUE(snapshot->sampleNulls(row)[3]);
  }
}

std::unique_ptr<RelationStatistics> mixedStatistics() {
  const RelationSchema& schema = testing::everyKindSchema();
  auto statistics = std::make_unique<RelationStatistics>(schema, kSeed);
  testing::RowGenerator generator(schema, kSeed);
  for (uint64_t id = 0; id < 2000; ++id) {
    const testing::ModelRow row = generator.row(40);
    testing::Batch batch;
    batch.add(row);
    statistics->onInsertBatch(TupleId{id}, batch.values.data(), batch.null_flags.data(), 1);
    if (id % 7 == 0) statistics->onDelete(TupleId{id}, batch.values.data(), batch.null_flags.data());
  }
  return statistics;
}

TEST(RelationStatistics, ReadsWhatItWrote) {
  const auto statistics = mixedStatistics();
  const auto bytes = statistics->serialise();
  RelationStatistics copy(testing::everyKindSchema(), bytes, 7);
  EXPECT_EQ(copy.serialise(), bytes);
  const auto before = statistics->snapshot(), after = copy.snapshot();
  EXPECT_EQ(after->rowCount(), before->rowCount());
  for (uint32_t column = 0; column < before->schema().size(); ++column) {
    EXPECT_EQ(after->column(column).null_count, before->column(column).null_count);
    EXPECT_EQ(after->column(column).distinct_count, before->column(column).distinct_count);
  }
}

TEST(RelationStatistics, RefusesDamagedBytes) {
  const auto bytes = mixedStatistics()->serialise();
  const auto refuses = [](const RelationSchema& schema, std::span<const std::byte> damaged) {
    return testing::errorOf([&] { RelationStatistics(schema, damaged); }).state() == sqlstate::kDataCorrupted;
  };
  RandomWords random(kSeed);
  for (unsigned round = 0; round < 200; ++round) {
    auto damaged = bytes;
    damaged[random.nextBelow(bytes.size())] ^= static_cast<std::byte>(1 + random.nextBelow(255));
    EXPECT_TRUE(refuses(testing::everyKindSchema(), damaged));
    EXPECT_TRUE(refuses(testing::everyKindSchema(), std::span(bytes).first(random.nextBelow(bytes.size()))));
  }
  std::vector<StoredColumn> other(testing::everyKindSchema().begin(), testing::everyKindSchema().end());
  other[0].kind = StoredKind::Int64;
  EXPECT_TRUE(refuses(RelationSchema(other), bytes));
  other.pop_back();
  EXPECT_TRUE(refuses(RelationSchema(other), bytes));
}

//   writer 0..3   insert own rows | delete every second | update every tenth
//   reader        snapshots and serialised copies, each of them whole
TEST(RelationStatistics, ServesConcurrentWritersAndReaders) {
  constexpr uint64_t kWriters = 4, kRows = 20'000;
  RelationStatistics statistics(numberSchema(3), kSeed);
  const auto value = [](uint64_t row, size_t column) -> std::optional<uint64_t> {
    if (column == 0) return row;
    if (column == 1) return row % 4 == 1 ? std::nullopt : std::optional(row % 100);
    return row / 10;
  };
  std::atomic<bool> done{false};
  std::thread reader([&] {
    NumberRows rows(3, value);
    const auto read = [&](TupleId id) { return rows.sampled(id.value + 4); };
    while (!done.load()) {
      const auto snapshot = statistics.snapshot(read);
      for (uint32_t row = 0; row < snapshot->sampleSize(); ++row)
        ASSERT_EQ(snapshot->sampleValues(row)[0].lo / 10, snapshot->sampleValues(row)[2].lo);
      RelationStatistics copy(numberSchema(3), statistics.serialise(read));
      std::this_thread::yield();
    }
  });
  std::vector<std::thread> writers;
  for (uint64_t writer = 0; writer < kWriters; ++writer)
    writers.emplace_back([&, writer] {
      NumberRows rows(3, value);
      const uint64_t start = writer * kRows;
      rows.feed(statistics, start, kRows);
      for (uint64_t row = start; row < start + kRows; row += 2) rows.remove(statistics, row);
      for (uint64_t row = start + 1; row < start + kRows; row += 10) rows.update(statistics, row, row + 4);
    });
  for (std::thread& writer : writers) writer.join();
  done = true;
  reader.join();

  std::set<uint64_t> values[3];
  uint64_t nulls = 0, count = 0;
  for (uint64_t row = 1; row < kWriters * kRows; row += 2) {
    const uint64_t source = row % 10 == 1 ? row + 4 : row;
    ++count;
    nulls += value(source, 1) ? 0 : 1;
    for (size_t column = 0; column < 3; ++column)
      if (value(source, column)) values[column].insert(*value(source, column));
  }
  NumberRows rows(3, value);
  const auto bytes = statistics.serialise([&](TupleId id) { return rows.sampled(id.value + 4); });
  const auto snapshot = RelationStatistics(numberSchema(3), bytes).snapshot();
  EXPECT_EQ(snapshot->rowCount(), count);
  EXPECT_NEAR(static_cast<double>(snapshot->column(1).null_count), static_cast<double>(nulls),
              0.05 * static_cast<double>(nulls));
  for (uint32_t column = 0; column < 3; ++column)
    EXPECT_LT(factor(snapshot->column(column).distinct_count, static_cast<double>(values[column].size())), 2) << column;
  EXPECT_GT(snapshot->sampleSize(), 400u) << "half of it, where no rows came after the deletes";
}

}  // namespace
}  // namespace gnomon::storage
