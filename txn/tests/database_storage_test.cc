#include "txn/database_storage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <map>
#include <random>
#include <thread>

#include "storage/index/index_cursor.h"
#include "storage/tests/test_support.h"
#include "txn/local_transaction.h"
#include "txn/visible_rows.h"

namespace gnomon::txn {
namespace {

using storage::DirectoryError;
using storage::RowCursor;
using storage::StoredKind;
using storage::testing::errorOf;
using storage::testing::kMiB;
using storage::testing::TemporaryDirectory;

const RelationSchema kSchema = {{StoredKind::Int64, false}, {StoredKind::Int32, true}};
const CancelToken kCalm;

void appendNumbers(WriteStatement& statement, uint64_t first, uint64_t count) {
  std::vector<Datum> values;
  std::vector<uint8_t> null_flags;
  for (uint64_t number = first; number < first + count; ++number) {
    values.insert(values.end(), {{number, 0}, {number % 1000, 0}});
    null_flags.insert(null_flags.end(), {0, static_cast<uint8_t>(number % 3 == 0)});
  }
  statement.appendBatch(values.data(), null_flags.data(), count);
}

void insert(Table& table, uint64_t first, uint64_t count) {
  LoneStatement statement(table, kCalm);
  appendNumbers(*statement, first, count);
  statement.commit();
}

std::vector<uint64_t> numbers(Table& table) {
  std::vector<uint64_t> result;
  const auto snapshot = table.transactions().takeSnapshot();
  storage::RelationScan scan(table.relation(), table.readBound());
  storage::RelationScan::Claim claim;
  storage::LeafView leaf;
  VisibleRows visible;
  while (scan.next(claim, leaf)) {
    visible.attach(leaf, table.schema(), snapshot.snapshot(), table.transactions().epochs());
    VisibleRows::Piece piece{};
    while (visible.next(piece)) {
      EXPECT_EQ(piece.access, &leaf.access()) << "nothing is updated here";
      for (uint32_t row = piece.begin; row < piece.end; ++row) {
        if (leaf.isDeleted(row)) continue;
        bool is_null = false;
        result.push_back(leaf.value(0, row, is_null).lo);
        (void)leaf.value(1, row, is_null);
        EXPECT_EQ(is_null, result.back() % 3 == 0);
      }
    }
  }
  return result;
}

std::vector<uint64_t> range(uint64_t first, uint64_t end) {
  std::vector<uint64_t> result;
  for (; first < end; ++first) result.push_back(first);
  return result;
}

TEST(WriteStatement, IsSeenAsAWholeAfterCommitAndNotBefore) {
  const TemporaryDirectory directory;
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 16 * kMiB});
  const auto table = storage->createTable(kSchema);
  {
    LoneStatement statement(*table, kCalm);
    appendNumbers(*statement, 0, 10000);
    EXPECT_EQ(statement->appendedCount(), 10000u);
    EXPECT_EQ(numbers(*table), range(0, 0));
    statement.commit();
  }
  EXPECT_EQ(numbers(*table), range(0, 10000));
}

TEST(WriteStatement, WithoutCommitLeavesNothingBehind) {
  const TemporaryDirectory directory;
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 16 * kMiB});
  const auto table = storage->createTable(kSchema);
  insert(*table, 0, 9000);
  const uint64_t used = storage->buffers().usedBytes();
  {
    LoneStatement statement(*table, kCalm);
    appendNumbers(*statement, 5000, 40000);
    statement->remove(TupleId{1});
  }
  EXPECT_EQ(numbers(*table), range(0, 9000));
  EXPECT_EQ(storage->buffers().usedBytes(), used);
  table->relation().audit();
  insert(*table, 9000, 10);
  EXPECT_EQ(numbers(*table), range(0, 9010));
}

TEST(WriteStatement, MoreThanThePoolHoldsIsUndoneAsAWhole) {
  const TemporaryDirectory directory;
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = kMiB});
  const auto table = storage->createTable(kSchema);
  insert(*table, 0, 5000);
  {
    LoneStatement statement(*table, kCalm);
    for (uint64_t batch = 0; batch < 50; ++batch) appendNumbers(*statement, batch, 10000);
    EXPECT_GT(table->relation().leafCount() * storage::kPageBytesMin, 8 * kMiB);
  }
  EXPECT_EQ(numbers(*table), range(0, 5000));
  table->relation().audit();
  insert(*table, 5000, 500000);
  EXPECT_EQ(numbers(*table), range(0, 505000));
  table->relation().audit();
}

TEST(WriteStatement, RemovesTuples) {
  const TemporaryDirectory directory;
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 16 * kMiB});
  const auto table = storage->createTable(kSchema);
  insert(*table, 0, 10);
  {
    LoneStatement statement(*table, kCalm);
    for (const uint64_t id : {0, 4, 9}) statement->remove(TupleId{id});
    statement.commit();
  }
  EXPECT_EQ(numbers(*table), (std::vector<uint64_t>{1, 2, 3, 5, 6, 7, 8}));
  EXPECT_EQ(table->tupleCountEstimate(), 7u);
}

/// Everything a statement can do, undone.
TEST(WriteStatement, WithoutCommitRestoresWhatItChangedAndRemoved) {
  const TemporaryDirectory directory;
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 16 * kMiB});
  const auto table = storage->createTable(kSchema);
  insert(*table, 0, 3000);
  const auto contents = [&] {
    std::vector<std::array<uint64_t, 3>> result;
    RowCursor cursor(table->relation(), table->readBound());
    while (cursor.next()) result.push_back({cursor.value(0).lo, cursor.value(1).lo, cursor.isNull(1) ? 1u : 0u});
    return result;
  };
  const auto before = contents();
  {
    LoneStatement statement(*table, kCalm);
    const uint32_t both[] = {0, 1};
    for (uint64_t id = 0; id < 3000; id += 3) {
      const Datum values[] = {{id + 100000, 0}, {7, 0}};
      const uint8_t null_flags[] = {0, static_cast<uint8_t>(id % 2)};
      statement->update(TupleId{id}, {both, values, null_flags});
      statement->update(TupleId{id}, {{both, 1}, values, null_flags});
    }
    for (uint64_t id = 1; id < 3000; id += 3) statement->remove(TupleId{id});
    appendNumbers(*statement, 3000, 500);
  }
  EXPECT_EQ(contents(), before);
  EXPECT_EQ(table->tupleCountEstimate(), 3000u);
  table->relation().audit();
}

IndexDefinition numberIndex(bool is_unique) {
  return {.columns = {0},
          .parts = {{StoredKind::Int64}},
          .is_unique = is_unique,
          .duplicate = [](const Datum* values, const uint8_t*, bool is_new) {
            return SqlError(sqlstate::kUniqueViolation, std::to_string(values[0].lo) + (is_new ? " twice" : " again"));
          }};
}

/// What an index leads to: keys and tuples, in key order, tuples that are deleted left out.
std::vector<std::pair<uint64_t, uint64_t>> entries(Table& table, TableIndex& index) {
  std::vector<std::pair<uint64_t, uint64_t>> result;
  storage::IndexCursor cursor(index.tree(), {});
  storage::IndexEntry entry;
  while (cursor.next(entry)) {
    storage::LeafView leaf;
    uint32_t row = 0;
    if (!table.relation().find(entry.id, leaf, row)) continue;
    bool is_null = false;
    result.emplace_back(leaf.value(0, row, is_null).lo, entry.id.value);
  }
  return result;
}

TEST(TableIndex, FollowsItsTable) {
  const TemporaryDirectory directory;
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 16 * kMiB});
  const auto table = storage->createTable(kSchema);
  insert(*table, 10, 5);
  const auto index = storage->createIndex(*table, numberIndex(true), kCalm);
  std::vector<std::pair<uint64_t, uint64_t>> expected = {{10, 0}, {11, 1}, {12, 2}, {13, 3}, {14, 4}};
  EXPECT_EQ(entries(*table, *index), expected);
  insert(*table, 5, 2);
  expected.insert(expected.begin(), {{5, 5}, {6, 6}});
  EXPECT_EQ(entries(*table, *index), expected);

  // A changed key: another tuple. A changed other column: the same.
  const uint32_t first_column[] = {0}, second_column[] = {1};
  const Datum number[] = {{1, 0}};
  const uint8_t not_null[] = {0};
  {
    LoneStatement statement(*table, kCalm);
    statement->update(TupleId{2}, {first_column, number, not_null});
    statement->update(TupleId{3}, {second_column, number, not_null});
    statement->remove(TupleId{5});
    statement.commit();
  }
  expected = {{1, 7}, {6, 6}, {10, 0}, {11, 1}, {13, 3}, {14, 4}};
  EXPECT_EQ(entries(*table, *index), expected);

  // What fails leaves no entry behind, and takes none away.
  EXPECT_EQ(errorOf([&] {
              LoneStatement statement(*table, kCalm);
              statement->remove(TupleId{0});
              const Datum moved[] = {{77, 0}};
              statement->update(TupleId{1}, {first_column, moved, not_null});
              appendNumbers(*statement, 20, 3);
              appendNumbers(*statement, 12, 3);
            }).message(),
            "13 again");
  EXPECT_EQ(entries(*table, *index), expected);
  EXPECT_EQ(index->tree().audit().entries, expected.size());
  table->relation().audit();
}

TEST(TableIndex, RefusesToBeUniqueOverDuplicates) {
  const TemporaryDirectory directory;
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 16 * kMiB});
  const auto table = storage->createTable(kSchema);
  insert(*table, 0, 1000);
  insert(*table, 500, 1);
  EXPECT_EQ(errorOf([&] { storage->createIndex(*table, numberIndex(true), kCalm); }).message(), "500 twice");
  EXPECT_TRUE(table->indexes().empty());
  const auto index = storage->createIndex(*table, numberIndex(false), kCalm);
  EXPECT_EQ(entries(*table, *index).size(), 1001u);
  storage->dropIndex(*table, index);
  EXPECT_TRUE(table->indexes().empty());
}

TEST(WriteStatement, WaitsForWhoHasTheTupleUntilCancelled) {
  const TemporaryDirectory directory;
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 16 * kMiB});
  const auto table = storage->createTable(kSchema);
  insert(*table, 0, 10);
  LoneStatement first(*table, kCalm);
  first->remove(TupleId{3});
  CancelToken cancel;
  cancel.request(CancelToken::Reason::UserRequest);
  LoneStatement second(*table, cancel);
  second->remove(TupleId{4});
  EXPECT_STREQ(errorOf([&] { second->remove(TupleId{3}); }).state().text(), "57014");
}

// writer a:  append 0..99 commit | append, no commit | append ...
// writer b:       append 0..99 commit | append ...
// reader:    counts what it sees: always whole statements, never fewer than before
TEST(WriteStatement, ReadersSeeWholeStatementsOfConcurrentWriters) {
  const TemporaryDirectory directory;
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 64 * kMiB});
  const auto table = storage->createTable(kSchema);
  std::atomic<int> writers{2};
  std::atomic<uint64_t> committed{0};
  const auto write = [&](uint64_t offset) {
    for (uint64_t round = 0; round < 60; ++round) {
      LoneStatement statement(*table, kCalm);
      for (uint64_t part = 0; part < 4; ++part) appendNumbers(*statement, offset + part * 25, 25);
      if (round % 4 == 3) continue;
      statement.commit();
      committed.fetch_add(1);
    }
    writers.fetch_sub(1);
  };
  std::thread first(write, 0), second(write, 1000);
  size_t seen = 0;
  for (bool is_last = false; !is_last;) {
    is_last = writers.load() == 0;
    const std::vector<uint64_t> rows = numbers(*table);
    ASSERT_GE(rows.size(), seen);
    seen = rows.size();
    ASSERT_EQ(seen % 100, 0u);
    std::map<uint64_t, size_t> counts;
    for (const uint64_t number : rows) ++counts[number];
    for (const auto& [number, count] : counts) ASSERT_EQ(count, counts[number / 1000 * 1000]);
  }
  first.join();
  second.join();
  EXPECT_EQ(seen, committed.load() * 100);
  table->relation().audit();
}

TEST(DatabaseStorage, KeepsTablesAndTheirRowsOverARestart) {
  const TemporaryDirectory directory;
  const uint64_t seed = storage::testing::testSeed();
  std::mt19937_64 random(seed);
  std::map<RelationId, uint64_t> model;
  std::vector<RelationId> dropped;
  {
    const auto storage = DatabaseStorage::open(directory.path() / "data", {.pool_bytes = 64 * kMiB});
    EXPECT_TRUE(storage->isNew());
    insert(*storage->createSystemTable(RelationId{1}, kSchema), 0, 7);
    model[RelationId{1}] = 7;
    storage->checkpointAndClose();
  }
  for (int restart = 0; restart < 4; ++restart) {
    const auto storage = DatabaseStorage::open(directory.path() / "data", {.pool_bytes = 64 * kMiB});
    EXPECT_FALSE(storage->isNew());
    for (const RelationId id : dropped) EXPECT_FALSE(storage->exists(id));
    for (auto& [id, count] : model) {
      if (random() % 3 == 0) continue;  // some stay closed for a whole run
      const auto table = storage->openTable(id);
      EXPECT_EQ(table, storage->openTable(id));
      ASSERT_EQ(numbers(*table), range(0, count));
      EXPECT_EQ(table->tupleCountEstimate(), count);
      const uint64_t more = random() % 6000;
      insert(*table, count, more);
      count += more;
      table->relation().audit();
    }
    for (int fresh = 0; fresh < 3; ++fresh) {
      const auto table = storage->createTable(kSchema);
      EXPECT_GE(table->id().value, kFirstUserRelationId);
      EXPECT_FALSE(model.contains(table->id()));
      const uint64_t count = random() % 20000;
      insert(*table, 0, count);
      model[table->id()] = count;
    }
    const RelationId victim = (restart % 2 ? std::prev(model.end()) : std::next(model.begin()))->first;
    const auto table = storage->openTable(victim);
    storage->dropTable(table);
    model.erase(victim);
    dropped.push_back(victim);
    EXPECT_FALSE(storage->exists(victim));
    EXPECT_STREQ(errorOf([&] { (void)storage->openTable(victim); }).state().text(), "42P01");
    storage->checkpointAndClose();
  }
}

/// Distinct values of the columns and what the sample holds, checked against the rows.
void expectStatistics(Table& table, const std::vector<uint64_t>& rows) {
  const auto snapshot = table.statisticsSnapshot();
  ASSERT_NE(snapshot, nullptr);
  // A snapshot serves until 5 % of the rows have changed.
  EXPECT_NEAR(static_cast<double>(snapshot->rowCount()), static_cast<double>(rows.size()),
              0.05 * static_cast<double>(rows.size()));
  const double distinct = snapshot->column(0).distinct_count;
  // Of large tables sketches see some rows only; five standard errors, as it is looked at many times.
  const auto truth = static_cast<double>(rows.size());
  EXPECT_LT(std::max(distinct, truth) / std::min(distinct, truth), rows.size() > 16'384 ? 6 : 1.5);
  EXPECT_NEAR(snapshot->nullFraction(1), 1.0 / 3, 0.05);
  EXPECT_GE(snapshot->sampleSize(), std::min<size_t>(rows.size(), storage::ReservoirSample::kCapacity) / 2);
  for (uint32_t row = 0; row < snapshot->sampleSize(); ++row) {
    const uint64_t number = snapshot->sampleValues(row)[0].lo;
    EXPECT_TRUE(std::ranges::binary_search(rows, number)) << number << " is no row";
    EXPECT_EQ(snapshot->sampleNulls(row)[1] != 0, number % 3 == 0);
  }
}

TEST(TableStatistics, AreKeptOverARestartAndAfterwardsFedOn) {
  const TemporaryDirectory directory;
  RelationId first{0}, second{0};
  {
    const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 16 * kMiB});
    const auto table = storage->createTable(kSchema);
    const auto other = storage->createTable(kSchema);
    first = table->id(), second = other->id();
    insert(*table, 0, 30'000);
    insert(*other, 5, 300);
    expectStatistics(*table, range(0, 30'000));
    storage->checkpointAndClose();
  }
  {
    const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 16 * kMiB});
    const auto table = storage->openTable(first);
    expectStatistics(*table, range(0, 30'000));
    insert(*table, 30'000, 10'000);
    expectStatistics(*table, range(0, 40'000));
    storage->checkpointAndClose();
  }
  // The other table was not opened in between.
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 16 * kMiB});
  expectStatistics(*storage->openTable(first), range(0, 40'000));
  expectStatistics(*storage->openTable(second), range(5, 305));
  storage::Findings findings;
  storage->check(findings);
  EXPECT_TRUE(findings.problems.empty()) << findings.problems.front();
}

TEST(TableStatistics, KeepNothingOfAStatementThatFailed) {
  const TemporaryDirectory directory;
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 64 * kMiB});
  const auto table = storage->createTable(kSchema);
  insert(*table, 0, 2000);
  for (const uint64_t count : {100, 1500, 100'000}) {  // taken out again, and counted anew
    {
      LoneStatement statement(*table, kCalm);
      appendNumbers(*statement, 1'000'000, count);
    }
    expectStatistics(*table, range(0, 2000));
  }
  {
    LoneStatement statement(*table, kCalm);
    for (uint64_t id = 0; id < 1000; ++id) statement->remove(TupleId{id});
  }
  expectStatistics(*table, range(0, 2000));
}

TEST(TableStatistics, FollowDeletesAndUpdatesOfLargeTables) {
  const TemporaryDirectory directory;
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 64 * kMiB});
  const auto table = storage->createTable(kSchema);
  insert(*table, 0, 100'000);
  for (uint64_t first = 0; first < 90'000; first += 10'000) {
    {
      LoneStatement statement(*table, kCalm);
      for (uint64_t id = first; id < first + 10'000; ++id) statement->remove(TupleId{id});
      statement.commit();
    }
    expectStatistics(*table, range(first + 10'000, 100'000));
  }
  LoneStatement statement(*table, kCalm);
  const uint32_t column = 0;
  const uint8_t null_flag = 0;
  for (uint64_t id = 90'000; id < 99'000; ++id) {
    const Datum value{7, 0};
    statement->update(TupleId{id}, {{&column, 1}, &value, &null_flag});
  }
  statement.commit();
  const auto snapshot = table->statisticsSnapshot();
  EXPECT_EQ(snapshot->rowCount(), 10'000u);
  EXPECT_LT(snapshot->column(0).distinct_count, 1600) << "1001 values";
  uint32_t sevens = 0;
  for (uint32_t row = 0; row < snapshot->sampleSize(); ++row) sevens += snapshot->sampleValues(row)[0].lo == 7 ? 1 : 0;
  EXPECT_NEAR(sevens, snapshot->sampleSize() * 0.9, snapshot->sampleSize() * 0.06);
}

TEST(TableStatistics, AreReadWhileAWriterWrites) {
  const TemporaryDirectory directory;
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 64 * kMiB});
  const auto table = storage->createTable(kSchema);
  std::atomic<bool> done{false};
  std::thread reader([&] {
    while (!done) {
      const auto snapshot = table->statisticsSnapshot();
      for (uint32_t row = 0; snapshot && row < snapshot->sampleSize(); ++row)
        EXPECT_LT(snapshot->sampleValues(row)[0].lo, 60'000u);
    }
  });
  for (uint64_t first = 0; first < 60'000; first += 500) insert(*table, first, 500);
  done = true;
  reader.join();
  expectStatistics(*table, range(0, 60'000));
}

TEST(DatabaseStorage, DropGivesTheSpaceBack) {
  const TemporaryDirectory directory;
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 4 * kMiB});
  const uint64_t used = storage->buffers().usedBytes();
  for (int round = 0; round < 10; ++round) {
    const auto table = storage->createTable(kSchema);
    insert(*table, 0, 100000);
    storage->dropTable(table);
    EXPECT_EQ(storage->buffers().usedBytes(), used);
  }
  storage->checkpointAndClose();
  EXPECT_LE(std::filesystem::file_size(directory.path() / "pages.00"), 4 * kMiB);
}

TEST(DatabaseStorage, ADirectoryThatWasNotClosedIsNotOnlyRead) {
  const TemporaryDirectory directory;
  {
    const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = kMiB});
    storage->finishCreation();
  }
  try {
    DatabaseStorage::openReadOnly(directory.path(), {.pool_bytes = kMiB});
    ADD_FAILURE();
  } catch (const DirectoryError& error) {
    EXPECT_EQ(error.reason(), DirectoryError::Reason::Unclean);
  }
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = kMiB});
  EXPECT_FALSE(storage->isNew());
}

TEST(DatabaseStorage, ADirectoryWhoseCreationWasNotFinishedIsNew) {
  const TemporaryDirectory directory;
  {
    const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = kMiB});
    storage->createTable(kSchema);
  }
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = kMiB});
  EXPECT_TRUE(storage->isNew());
  EXPECT_FALSE(storage->exists(RelationId{kFirstUserRelationId}));
}

TEST(DatabaseStorage, CreationThatFailsCanBeRepeated) {
  const TemporaryDirectory directory;
  EXPECT_STREQ(errorOf([&] { DatabaseStorage::open(directory.path(), {.pool_bytes = 1000}); }).state().text(), "53200");
  // What an attempt that got further leaves behind.
  std::ofstream(directory.path() / "pages.00") << "rubbish";
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = kMiB});
  EXPECT_TRUE(storage->isNew());
  storage->checkpointAndClose();
}

TEST(DatabaseStorage, RelationIdsOfDroppedTablesAreNotUsedAgain) {
  const TemporaryDirectory directory;
  RelationId dropped;
  {
    const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = kMiB});
    const auto table = storage->createTable(kSchema);
    dropped = table->id();
    storage->dropTable(table);
    storage->checkpointAndClose();
  }
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = kMiB});
  EXPECT_GT(storage->createTable(kSchema)->id(), dropped);
}

}  // namespace
}  // namespace gnomon::txn
