#include <cmath>
#include <cstring>
#include <memory>
#include <set>
#include <thread>

#include "storage/statistics/reservoir_sample.h"
#include "storage/tests/test_support.h"

namespace gnomon::storage {
namespace {

/// A row that consists of its id.
SampleRowBytes bytesOf(uint64_t id) {
  SampleRowBytes bytes(sizeof(id));
  std::memcpy(bytes.data(), &id, sizeof(id));
  return bytes;
}

void insertRows(ReservoirSample& sample, ReservoirSample::Cursor& cursor, uint64_t first, uint64_t count) {
  sample.insert(cursor, TupleId{first}, count, [first](uint64_t index) { return bytesOf(first + index); });
}

/// Counts into which of equally large ranges of ids the samples of all runs fall.
class Uniformity {
 public:
  Uniformity(uint64_t id_count, size_t cells) : id_count_(id_count), counts_(cells) {}
  void add(const ReservoirSample& sample) {
    for (const auto& row : sample.rows()) add(row.id.value);
  }
  void add(uint64_t id) { ++counts_[id * counts_.size() / id_count_]; }
  /// Distance of chi-square from what uniform samples give on average, in standard deviations. Positive: less uniform.
  [[nodiscard]] double deviation() const {
    double total = 0, chi_square = 0;
    for (const double count : counts_) total += count;
    const double expected = total / static_cast<double>(counts_.size());
    for (const double count : counts_) chi_square += (count - expected) * (count - expected) / expected;
    const auto freedom = static_cast<double>(counts_.size() - 1);
    return (chi_square - freedom) / std::sqrt(2 * freedom);
  }

 private:
  uint64_t id_count_;
  std::vector<double> counts_;
};

TEST(ReservoirSample, HoldsEveryRowOfASmallRelation) {
  ReservoirSample sample(1);
  ReservoirSample::Cursor cursor;
  insertRows(sample, cursor, 0, 700);
  insertRows(sample, cursor, 700, 324);
  std::set<uint64_t> ids;
  for (const auto& row : sample.rows()) {
    ids.insert(row.id.value);
    EXPECT_EQ(row.bytes, bytesOf(row.id.value));
  }
  EXPECT_EQ(ids.size(), 1024u);
}

TEST(ReservoirSample, ChoosesEveryRowAlikeWhateverTheBatches) {
  for (const uint64_t batch : {1, 7, 512, 20'000}) {
    Uniformity uniformity(20'000, 100);
    for (uint64_t seed = 1; seed <= 30; ++seed) {
      ReservoirSample sample(seed);
      ReservoirSample::Cursor cursor;
      for (uint64_t first = 0; first < 20'000; first += batch)
        insertRows(sample, cursor, first, std::min(batch, 20'000 - first));
      ASSERT_EQ(sample.size(), ReservoirSample::kCapacity);
      uniformity.add(sample);
    }
    EXPECT_LT(std::fabs(uniformity.deviation()), 4) << batch;
  }
}

// Two writers by turns, each with its own skips; the second starts late.
TEST(ReservoirSample, ChoosesEveryRowAlikeWithSeveralCursors) {
  Uniformity uniformity(40'000, 50);
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    ReservoirSample sample(seed);
    ReservoirSample::Cursor cursors[4];
    for (uint64_t first = 0; first < 40'000; first += 100)
      insertRows(sample, cursors[first < 10'000 ? 0 : first / 100 % 4], first, 100);
    uniformity.add(sample);
  }
  EXPECT_LT(std::fabs(uniformity.deviation()), 4);
}

// Half of the rows go, as many others come: of all that are left, none may be more likely than another.
TEST(ReservoirSample, StaysUniformThroughDeletes) {
  Uniformity uniformity(20'000, 100);
  double deleted_share = 0;
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    ReservoirSample sample(seed);
    ReservoirSample::Cursor cursor;
    insertRows(sample, cursor, 0, 20'000);
    for (uint64_t id = 0; id < 20'000; id += 2) sample.remove(TupleId{id});
    deleted_share += 1 - sample.size() / 1024.0;
    for (uint64_t id = 20'000; id < 36'000; id += 100) insertRows(sample, cursor, id, 100);
    // Ids that are left, in order: the odd ones below 20,000, then all others. The last 6,000 came without a vacancy.
    for (const auto& row : sample.rows()) {
      const uint64_t id = row.id.value;
      if (id < 20'000) ASSERT_EQ(id % 2, 1u);
      const uint64_t place = id < 20'000 ? id / 2 : id - 10'000;
      if (place < 20'000) uniformity.add(place);
    }
    EXPECT_EQ(sample.size(), ReservoirSample::kCapacity);
  }
  EXPECT_NEAR(deleted_share / 30, 0.5, 0.02);
  EXPECT_LT(std::fabs(uniformity.deviation()), 4);
}

TEST(ReservoirSample, UpdatesAndDropsSampledRows) {
  ReservoirSample sample(1);
  ReservoirSample::Cursor cursor;
  insertRows(sample, cursor, 0, 1000);
  sample.noteUpdate(TupleId{5});
  sample.noteUpdate(TupleId{5000});
  sample.noteUpdate(TupleId{7});
  sample.noteUpdate(TupleId{9});
  sample.remove(TupleId{7});
  std::vector<uint64_t> read;
  const auto readRow = [&](TupleId id) {
    read.push_back(id.value);
    return id.value == 9 ? std::nullopt : std::optional(bytesOf(12345));
  };
  sample.refresh(readRow);
  EXPECT_EQ(read, (std::vector<uint64_t>{5, 9})) << "those that have changed and are sampled";
  sample.refresh(readRow);
  EXPECT_EQ(read.size(), 2u) << "each once";
  for (uint64_t id = 990; id < 1000; ++id) sample.remove(TupleId{id});
  EXPECT_EQ(sample.size(), 989u);
  for (const auto& row : sample.rows()) {
    EXPECT_NE(row.id.value, 7u);
    EXPECT_LT(row.id.value, 990u);
    EXPECT_EQ(row.bytes, bytesOf(row.id.value == 5 ? 12345 : row.id.value));
  }
  insertRows(sample, cursor, 990, 11);
  EXPECT_EQ(sample.size(), 1000u);
  sample.clear();
  EXPECT_EQ(sample.size(), 0u);
  insertRows(sample, cursor, 0, 10);
  EXPECT_EQ(sample.size(), 10u);
}

TEST(ReservoirSample, GoesOnUniformlyAfterItWasWrittenAndRead) {
  Uniformity uniformity(20'000, 50);
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    ReservoirSample sample(seed);
    ReservoirSample::Cursor cursor;
    insertRows(sample, cursor, 0, 10'000);
    std::vector<std::byte> bytes;
    ByteWriter out(bytes);
    sample.write(out);
    ReservoirSample copy(seed + 100);
    ByteReader in(bytes);
    copy.read(in);
    EXPECT_EQ(in.remaining(), 0u);
    ReservoirSample::Cursor later;
    insertRows(copy, later, 10'000, 10'000);
    uniformity.add(copy);
  }
  EXPECT_LT(std::fabs(uniformity.deviation()), 4);
}

//   writer 0..3   insert own rows | remove every third | update every fifth
//   reader        copies of the rows, each row whole
TEST(ReservoirSample, ServesConcurrentWritersAndReaders) {
  constexpr uint64_t kWriters = 4, kRows = 30'000;
  ReservoirSample sample(9);
  std::atomic<bool> done{false};
  const auto readRow = [](TupleId id) { return std::optional(bytesOf(~id.value)); };
  std::thread reader([&] {
    for (; !done.load(); sample.refresh(readRow))
      for (const auto& row : sample.rows())
        ASSERT_TRUE(row.bytes == bytesOf(row.id.value) || row.bytes == bytesOf(~row.id.value));
  });
  std::vector<std::thread> writers;
  for (uint64_t writer = 0; writer < kWriters; ++writer)
    writers.emplace_back([&, writer] {
      ReservoirSample::Cursor cursor;
      const uint64_t start = writer * kRows;
      for (uint64_t first = start; first < start + kRows; first += 60) {
        insertRows(sample, cursor, first, 60);
        for (uint64_t id = first; id < first + 60; id += 3) sample.remove(TupleId{id});
        for (uint64_t id = first + 1; id < first + 60; id += 15) sample.noteUpdate(TupleId{id});
      }
    });
  for (std::thread& writer : writers) writer.join();
  done = true;
  reader.join();
  sample.refresh(readRow);

  Uniformity uniformity(kWriters * kRows, kWriters);
  std::set<uint64_t> ids;
  for (const auto& row : sample.rows()) {
    const uint64_t id = row.id.value;
    ids.insert(id);
    EXPECT_NE(id % 3, 0u) << "a removed row";
    EXPECT_EQ(row.bytes, bytesOf(id % 15 == 1 ? ~id : id));
    uniformity.add(id);
  }
  EXPECT_EQ(ids.size(), sample.size());
  EXPECT_GT(sample.size(), 600u);
  EXPECT_LT(uniformity.deviation(), 8) << "writers are about equally represented";
}

}  // namespace
}  // namespace gnomon::storage
