#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

#include "base/string_value.h"
#include "storage/tests/test_support.h"
#include "txn/database_storage.h"
#include "txn/local_transaction.h"
#include "txn/tests/visible_rows_walk.h"

/// Updates that are undone without a look at their versions (VersionChain, C1 to C3).
namespace gnomon::txn {
namespace {

using storage::StoredKind;
using storage::testing::kMiB;
using storage::testing::TemporaryDirectory;
using storage::testing::testSeed;

const RelationSchema kSchema = {{StoredKind::Int64, true}, {StoredKind::Int64, false}, {StoredKind::String, true}};
const CancelToken kCalm;

struct Row {
  std::optional<uint64_t> number;
  uint64_t count = 0;
  std::optional<std::string> text;
  bool operator==(const Row&) const = default;
};
using Rows = std::map<uint64_t, Row>;
using Columns = std::vector<uint32_t>;

void PrintTo(const Row& row, std::ostream* out) {
  *out << (row.number ? std::to_string(*row.number) : "null") << ' ' << row.count << ' ' << row.text.value_or("null");
}

bool has(const Columns& columns, uint32_t column) {
  return columns.empty() || std::ranges::find(columns, column) != columns.end();
}

Row rowAt(const storage::LeafView& leaf, uint32_t row, const Columns& columns) {
  Row result;
  bool is_null = false;
  if (has(columns, 0))
    if (const Datum value = leaf.value(0, row, is_null); !is_null) result.number = value.lo;
  if (has(columns, 1)) result.count = leaf.value(1, row, is_null).lo;
  if (has(columns, 2))
    if (const Datum value = leaf.value(2, row, is_null); !is_null) result.text = StringValue(value.lo, value.hi).view();
  return result;
}

Rows scanned(VisibleRows::Order order, Table& table, const Snapshot& snapshot, const Columns& columns) {
  Rows rows;
  testing::forEachVisibleRow(order, table, snapshot, columns,
                             [&](uint64_t id, const storage::LeafView& view, uint32_t row) {
                               EXPECT_TRUE(rows.emplace(id, rowAt(view, row, columns)).second) << "once";
                             });
  return rows;
}

/// Rows that are not among `others`, or not like there.
Rows without(const Rows& rows, const Rows& others) {
  Rows result;
  for (const auto& [id, row] : rows)
    if (const auto other = others.find(id); other == others.end() || other->second != row) result.emplace(id, row);
  return result;
}

/// In every way that there is: other columns, other orders.
void expectSees(Table& table, const Snapshot& snapshot, const Rows& rows) {
  for (const Columns& columns : {Columns{}, Columns{0}, Columns{1}, Columns{0, 1}, Columns{2}, Columns{0, 2}}) {
    Rows wanted = rows;
    for (auto& [id, row] : wanted) {
      if (!has(columns, 0)) row.number.reset();
      if (!has(columns, 1)) row.count = 0;
      if (!has(columns, 2)) row.text.reset();
    }
    for (const auto order : {VisibleRows::Order::TupleIds, VisibleRows::Order::Any}) {
      const Rows found = scanned(order, table, snapshot, columns);
      // Those that are alike are not printed.
      ASSERT_EQ(without(found, wanted), without(wanted, found));
    }
  }
}

Datum textOf(const Row& row) {
  const StringValue value =
      StringValue::refer(row.text ? *row.text : std::string_view(), StringValue::Storage::Temporary);
  return {value.lo(), value.hi()};
}

void update(WriteStatement& statement, Rows& rows, uint64_t id, const Row& to, const Columns& columns) {
  const std::array<Datum, 3> all{Datum{to.number.value_or(0), 0}, Datum{to.count, 0}, textOf(to)};
  const std::array<uint8_t, 3> all_nulls{static_cast<uint8_t>(!to.number), 0, static_cast<uint8_t>(!to.text)};
  std::vector<Datum> values;
  std::vector<uint8_t> null_flags;
  for (const uint32_t column : columns) {
    values.push_back(all[column]);
    null_flags.push_back(all_nulls[column]);
  }
  statement.update(TupleId{id}, {columns, values.data(), null_flags.data()});
  if (has(columns, 0)) rows[id].number = to.number;
  if (has(columns, 1)) rows[id].count = to.count;
  if (has(columns, 2)) rows[id].text = to.text;
}

class LoneUpdates : public ::testing::Test {
 protected:
  LoneUpdates()
      : storage_(DatabaseStorage::open(directory_.path(), {.pool_bytes = 64 * kMiB})),
        table_(storage_->createTable(kSchema)) {}

  void fill(uint64_t count) {
    LoneStatement statement(*table_, kCalm);
    for (uint64_t id = 0; id < count; ++id) {
      Row row{std::nullopt, id * 10, std::nullopt};
      if (id % 3 != 0) row.number = id;
      if (id % 4 != 0) row.text = id % 2 == 0 ? "text" : "a text that is too long to lie in its slot";
      const std::array<Datum, 3> values{Datum{row.number.value_or(0), 0}, Datum{row.count, 0}, textOf(row)};
      const std::array<uint8_t, 3> null_flags{static_cast<uint8_t>(!row.number), 0, static_cast<uint8_t>(!row.text)};
      ASSERT_EQ(statement->append(values.data(), null_flags.data()).value, id);
      rows_[id] = row;
    }
    statement.commit();
    manager().collect();
  }
  TransactionManager& manager() { return storage_->transactions(); }
  /// Nobody looks at the version for the snapshot.
  bool isLone(uint64_t id, const Snapshot& snapshot) {
    storage::LeafView leaf;
    uint32_t row = 0;
    EXPECT_TRUE(table_->relation().findStored(TupleId{id}, leaf, row));
    const auto* const map = static_cast<const VersionMap*>(leaf.frame().version_map.load());
    const VersionChain* const chain = map ? map->find(TupleId{id}) : nullptr;
    return chain && chain->newest() && chain->loneUpdateFor(snapshot);
  }
  /// The transaction's next statement.
  static WriteContext nextOf(const LocalTransaction& transaction) {
    WriteContext context = transaction.context();
    context.snapshot.command = context.transaction.beginCommand();
    return context;
  }

  const TemporaryDirectory directory_;
  const std::unique_ptr<DatabaseStorage> storage_;
  const std::shared_ptr<Table> table_;
  Rows rows_;  ///< what has committed
};

// early | one column of each row: number to null and back, count, short and long texts | late
TEST_F(LoneUpdates, OfEachColumnAreUndoneForWhoIsOlder) {
  constexpr uint64_t kRows = 3000;
  fill(kRows);
  const auto early = manager().takeSnapshot();
  const Rows before = rows_;
  {
    LoneStatement statement(*table_, kCalm);
    for (uint64_t id = 0; id < kRows; id += 5) {
      const Row& row = rows_[id];
      const Row to{row.number ? std::nullopt : std::optional(id + 1), id + 2,
                   row.text ? std::nullopt : std::optional("new")};
      update(*statement, rows_, id, to, {static_cast<uint32_t>(id / 5 % 3)});
    }
    statement.commit();
  }
  const auto late = manager().takeSnapshot();
  EXPECT_TRUE(isLone(0, early.snapshot()));
  EXPECT_TRUE(isLone(5, early.snapshot()));
  EXPECT_FALSE(isLone(25, early.snapshot())) << "the text that was there does not lie in the chain";
  EXPECT_FALSE(isLone(0, late.snapshot()));
  expectSees(*table_, early.snapshot(), before);
  expectSees(*table_, late.snapshot(), rows_);
}

// early | of eight leaves and more: few rows, all, all but some of which one is deleted, each with two versions, few
TEST_F(LoneUpdates, OfManyLeavesAreFoundOnceEach) {
  constexpr uint64_t kRows = 20'000;
  fill(kRows);
  ASSERT_GE(table_->relation().leafCount(), 8u);
  const auto early = manager().takeSnapshot();
  const Rows before = rows_;
  const auto change = [&](uint64_t begin, uint64_t end, uint64_t step, uint32_t column) {
    LoneStatement statement(*table_, kCalm);
    for (uint64_t id = begin; id < end; id += step)
      update(*statement, rows_, id, {id % 7 == 0 ? std::nullopt : std::optional(id * 3), id * 5, "x"}, {column});
    statement.commit();
  };
  change(0, 4000, 10, 0);
  expectSees(*table_, early.snapshot(), before);
  change(4000, 12'000, 1, 0);
  expectSees(*table_, early.snapshot(), before);
  {
    LoneStatement statement(*table_, kCalm);
    statement->remove(TupleId{6001});
    rows_.erase(6001);
    statement.commit();
  }
  change(12'000, 14'000, 1, 1);
  expectSees(*table_, early.snapshot(), before);
  change(12'000, 14'000, 2, 0);
  change(14'000, kRows, 9, 0);
  change(14'000, kRows, 11, 1);
  expectSees(*table_, early.snapshot(), before);
  expectSees(*table_, manager().takeSnapshot().snapshot(), rows_);
}

// writer:  begins       changes row 1                           commits
// reader:         early               beside  (both are older)          late
TEST_F(LoneUpdates, AreLookedAtWhereTheWriterMayHaveCommitted) {
  fill(10);
  Rows after = rows_;
  TransactionManager::SnapshotGuard early, beside;
  {
    LocalTransaction transaction(manager(), kCalm);
    // It ends in between, so the writer's id is published.
    LoneStatement(*table_, kCalm).commit();
    early = manager().takeSnapshot();
    WriteStatement statement(*table_, transaction.context());
    update(statement, after, 1, {77, 0, std::nullopt}, {0});
    beside = manager().takeSnapshot();
    EXPECT_FALSE(isLone(1, early.snapshot()));
    expectSees(*table_, early.snapshot(), rows_);
    statement.finish();
    transaction.commit();
  }
  const auto late = manager().takeSnapshot();
  expectSees(*table_, early.snapshot(), rows_);
  expectSees(*table_, beside.snapshot(), rows_);
  expectSees(*table_, late.snapshot(), after);
}

// transaction:  changes rows 1, 2 | row 1 again, row 3: undone | rows 1, 3 | ends
// seen by itself, by each of its statements, and by who is older
TEST_F(LoneUpdates, OfTheOwnTransactionAreSeenByItsLaterStatements) {
  fill(10);
  for (const bool commits : {false, true}) {
    const auto early = manager().takeSnapshot();
    {
      LocalTransaction transaction(manager(), kCalm);
      const Snapshot first = transaction.context().snapshot;
      Rows second_rows = rows_;
      {
        WriteStatement statement(*table_, transaction.context());
        update(statement, second_rows, 1, {111, 0, std::nullopt}, {0});
        update(statement, second_rows, 2, {std::nullopt, 222, std::nullopt}, {1});
        statement.finish();
      }
      EXPECT_TRUE(isLone(1, early.snapshot()));
      EXPECT_FALSE(isLone(1, first)) << "its own";
      const WriteContext second = nextOf(transaction);
      {
        Rows undone = second_rows;
        WriteStatement statement(*table_, second);
        update(statement, undone, 1, {112, 0, std::nullopt}, {0});
        update(statement, undone, 3, {333, 0, std::nullopt}, {0});
        EXPECT_FALSE(isLone(1, early.snapshot())) << "there are two";
        EXPECT_TRUE(isLone(3, early.snapshot()));
        expectSees(*table_, early.snapshot(), rows_);
        expectSees(*table_, first, rows_);
        expectSees(*table_, second.snapshot, second_rows);
      }
      EXPECT_FALSE(isLone(1, early.snapshot())) << "one is left, which is looked for";
      EXPECT_FALSE(isLone(3, early.snapshot()));
      expectSees(*table_, early.snapshot(), rows_);
      expectSees(*table_, second.snapshot, second_rows);
      const WriteContext third = nextOf(transaction);
      Rows last_rows = second_rows;
      {
        WriteStatement statement(*table_, third);
        update(statement, last_rows, 1, {std::nullopt, 0, "again"}, {0, 2});
        update(statement, last_rows, 3, {334, 0, std::nullopt}, {0});
        statement.finish();
      }
      EXPECT_TRUE(isLone(3, early.snapshot()));
      expectSees(*table_, early.snapshot(), rows_);
      expectSees(*table_, first, rows_);
      expectSees(*table_, second.snapshot, second_rows);
      expectSees(*table_, third.snapshot, second_rows);
      expectSees(*table_, nextOf(transaction).snapshot, last_rows);
      if (commits) {
        transaction.commit();
        expectSees(*table_, early.snapshot(), rows_);
        expectSees(*table_, manager().takeSnapshot().snapshot(), last_rows);
        return;
      }
    }
    expectSees(*table_, early.snapshot(), rows_);
    expectSees(*table_, manager().takeSnapshot().snapshot(), rows_);
  }
}

// oldest | row 1 to 100 | middle | row 1 to 101 | late    then the oldest goes, then the middle one
TEST_F(LoneUpdates, AreNotTakenForThoseThatOldersWere) {
  fill(10);
  std::deque<std::pair<TransactionManager::SnapshotGuard, Rows>> views;
  for (uint64_t number = 100; number < 103; ++number) {
    views.emplace_back(manager().takeSnapshot(), rows_);
    LoneStatement statement(*table_, kCalm);
    update(*statement, rows_, 1, {number, 0, std::nullopt}, {0});
    statement.commit();
  }
  views.emplace_back(manager().takeSnapshot(), rows_);
  while (!views.empty()) {
    for (const auto& [guard, rows] : views) {
      EXPECT_FALSE(isLone(1, guard.snapshot()));
      expectSees(*table_, guard.snapshot(), rows);
    }
    views.pop_front();
    manager().collect();
  }
  const auto early = manager().takeSnapshot();
  const Rows before = rows_;
  LoneStatement statement(*table_, kCalm);
  update(*statement, rows_, 1, {200, 0, std::nullopt}, {0});
  EXPECT_TRUE(isLone(1, early.snapshot())) << "the chain had been empty";
  expectSees(*table_, early.snapshot(), before);
  statement.commit();
  expectSees(*table_, early.snapshot(), before);
}

// writers:    change rows of their own, in statements that are undone or not; roll back; commit
// readers:    take snapshots of what has committed, and scan each again and again
// collector:  takes out what nobody needs
TEST_F(LoneUpdates, LookAlikeToEachSnapshotWhileOthersWrite) {
  constexpr uint64_t kRows = 200;
  constexpr uint64_t kWriters = 2;
  constexpr int kReaders = 2;
  constexpr int kTransactions = 60;
  const uint64_t seed = testSeed();
  fill(kRows);
  storage_->collectInBackground();
  std::mutex mutex;
  std::atomic<uint64_t> writing{kWriters};
  const auto write = [&](uint64_t number) {
    std::mt19937_64 random(seed + number);
    const std::vector<Columns> choices{{0}, {0}, {1}, {1}, {2}, {0, 1}, {0, 2}};
    for (int i = 0; i < kTransactions; ++i) {
      LocalTransaction transaction(manager(), kCalm);
      Rows mine;
      {
        const std::scoped_lock lock(mutex);
        mine = rows_;
      }
      for (uint64_t statements = random() % 3 + 1; statements > 0; --statements) {
        Rows changed = mine;
        const WriteContext context = nextOf(transaction);
        WriteStatement statement(*table_, context);
        // A few rows are changed again and again.
        const uint64_t step = random() % 2 == 0 ? kWriters : 20 * kWriters;
        for (uint64_t id = number; id < kRows; id += step * (1 + random() % 8)) {
          Row to{std::nullopt, random(), std::nullopt};
          if (random() % 4 != 0) to.number = random();
          if (random() % 4 != 0) to.text = std::string(random() % 30, static_cast<char>('a' + random() % 26));
          update(statement, changed, id, to, choices[random() % choices.size()]);
        }
        if (random() % 4 == 0) continue;
        statement.finish();
        mine = changed;
      }
      if (random() % 4 == 0) continue;
      const std::scoped_lock lock(mutex);
      transaction.commit(CommitWait::Never);
      for (uint64_t id = number; id < kRows; id += kWriters) rows_[id] = mine[id];
    }
    --writing;
  };
  const auto read = [&](uint64_t number) {
    std::mt19937_64 random(seed + number);
    std::deque<std::pair<TransactionManager::SnapshotGuard, Rows>> views;
    while (writing > 0 && !HasFatalFailure()) {
      {
        const std::scoped_lock lock(mutex);
        views.emplace_back(manager().takeSnapshot(), rows_);
      }
      for (const auto& [guard, rows] : views) expectSees(*table_, guard.snapshot(), rows);
      if (views.size() > 3) views.erase(views.begin() + static_cast<ptrdiff_t>(random() % views.size()));
    }
  };
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < kWriters; ++i) threads.emplace_back(write, i);
  for (uint64_t i = 0; i < kReaders; ++i) threads.emplace_back(read, kWriters + i);
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(HasFailure()) << "seed " << seed;
  expectSees(*table_, manager().takeSnapshot().snapshot(), rows_);
}

}  // namespace
}  // namespace gnomon::txn
