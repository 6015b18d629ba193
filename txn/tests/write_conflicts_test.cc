#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <optional>
#include <random>
#include <thread>

#include "storage/index/index_cursor.h"
#include "storage/tests/test_support.h"
#include "txn/database_storage.h"
#include "txn/rollback.h"
#include "txn/visible_rows.h"
#include "txn/write_statement.h"

/// Several transactions that change rows of one table at a time.
namespace gnomon::txn {
namespace {

using std::chrono::milliseconds;
using storage::StoredKind;
using storage::testing::errorOf;
using storage::testing::kMiB;
using storage::testing::TemporaryDirectory;
using storage::testing::testSeed;

/// A key, and an amount.
const RelationSchema kSchema = {{StoredKind::Int64, false}, {StoredKind::Int64, false}};
const CancelToken kCalm;

IndexDefinition uniqueKey() {
  IndexDefinition definition;
  definition.columns = {0};
  definition.parts = {{StoredKind::Int64, false, false}};
  definition.is_unique = true;
  definition.duplicate = [](const Datum*, const uint8_t*, bool) {
    return SqlError(sqlstate::kUniqueViolation, "there is one");
  };
  return definition;
}

/// A transaction as a session has it: a snapshot for each statement, or one for all.
class Session {
 public:
  Session(Table& table, bool is_read_committed, milliseconds lock_timeout = milliseconds(0))
      : table_(table),
        manager_(table.transactions()),
        owner_(manager_.locks()),
        is_read_committed_(is_read_committed),
        patience_{.cancel = kCalm, .lock_timeout = lock_timeout, .deadlock_timeout = milliseconds(5)} {
    begin();
  }
  ~Session() { rollBack(); }
  void begin() {
    transaction_ = manager_.begin(owner_);
    snapshot_ = manager_.takeSnapshot();
  }
  /// Runs a statement to its end.
  template <typename Body>
  void run(Body&& body) {
    for (;;) {
      if (is_read_committed_) snapshot_ = manager_.takeSnapshot();
      const WriteContext context{
          .manager = manager_,
          .transaction = *transaction_,
          .snapshot = {snapshot_.snapshot().start, transaction_->id(), transaction_->beginCommand()},
          .patience = patience_,
          .is_read_committed = is_read_committed_};
      try {
        WriteStatement statement(table_, context);
        body(statement, context.snapshot);
        statement.finish();
        return;
      } catch (const StatementRestart&) {
        ++restarts_;
      }
    }
  }
  TupleId append(int64_t key, int64_t amount) {
    TupleId id;
    run([&](WriteStatement& statement, const Snapshot&) {
      const Datum values[] = {{static_cast<uint64_t>(key), 0}, {static_cast<uint64_t>(amount), 0}};
      const uint8_t nulls[2] = {};
      id = statement.append(values, nulls);
    });
    return id;
  }
  /// Adds to the amount, as the statement's snapshot has it. False: it sees no such tuple.
  bool add(TupleId id, int64_t amount) {
    bool found = false;
    run([&](WriteStatement& statement, const Snapshot& snapshot) {
      const std::optional<int64_t> before = look(id, snapshot);
      found = before.has_value();
      if (!found) return;
      const uint32_t column = 1;
      const Datum value{static_cast<uint64_t>(*before + amount), 0};
      const uint8_t is_null = 0;
      statement.update(id, {{&column, 1}, &value, &is_null});
    });
    return found;
  }
  bool remove(TupleId id) {
    bool found = false;
    run([&](WriteStatement& statement, const Snapshot& snapshot) {
      found = look(id, snapshot).has_value();
      if (found) statement.remove(id);
    });
    return found;
  }
  bool lock(TupleId id, bool is_shared, bool may_wait = true) {
    bool locked = false;
    run([&](WriteStatement& statement, const Snapshot&) { locked = statement.lock(id, is_shared, may_wait); });
    return locked;
  }
  std::optional<int64_t> look(TupleId id, const Snapshot& snapshot) {
    storage::LeafView leaf;
    uint32_t row = 0;
    if (!table_.relation().findStored(id, leaf, row)) return std::nullopt;
    VisibleRows visible;
    VisibleRows::Piece piece{};
    if (!visible.attachRow(leaf, row, table_.schema(), snapshot, manager_.epochs(), piece)) return std::nullopt;
    int64_t amount;
    std::memcpy(&amount, piece.access->page_base + piece.access->column_offsets[1] + uint64_t{piece.begin} * 8, 8);
    return amount;
  }
  [[nodiscard]] const Version* savepoint() const { return transaction_->newest(); }
  void rollBackTo(const Version* savepoint) {
    txn::rollBack(manager_, *transaction_, savepoint);
    manager_.locks().noteRollback(transaction_->id());
  }
  void commit() {
    manager_.commit(std::move(transaction_));
    finish();
  }
  void rollBack() {
    if (!transaction_) return;
    txn::rollBack(manager_, *transaction_, nullptr);
    manager_.abandon(std::move(transaction_));
    finish();
  }
  [[nodiscard]] int restarts() const { return restarts_; }

 private:
  void finish() {
    snapshot_.release();
    manager_.collect();
  }

  Table& table_;
  TransactionManager& manager_;
  LockOwner owner_;
  const bool is_read_committed_;
  const Patience patience_;
  std::shared_ptr<Transaction> transaction_;
  TransactionManager::SnapshotGuard snapshot_;
  int restarts_ = 0;
};

class WriteConflicts : public ::testing::Test {
 protected:
  WriteConflicts() : storage_(DatabaseStorage::open(directory_.path(), {.pool_bytes = 32 * kMiB})) {
    table_ = storage_->createTable(kSchema);
    index_ = storage_->createIndex(*table_, uniqueKey(), kCalm);
    Session session(*table_, true);
    for (int64_t key = 0; key < 10; ++key) session.append(key, 100);
    session.commit();
  }
  /// What a transaction that begins now sees of a tuple.
  std::optional<int64_t> now(uint64_t id) {
    Session session(*table_, true);
    return session.look(TupleId{id}, storage_->transactions().takeSnapshot().snapshot());
  }

  TemporaryDirectory directory_;
  std::unique_ptr<DatabaseStorage> storage_;
  std::shared_ptr<Table> table_;
  std::shared_ptr<TableIndex> index_;
};

TEST_F(WriteConflicts, NothingIsTakenOutOfTheIndexesWhileCleaningPauses) {
  const auto hasEntry = [&](TupleId id) {
    storage::IndexCursor cursor(index_->tree(), {});
    storage::IndexEntry entry;
    while (cursor.next(entry))
      if (entry.id == id) return true;
    return false;
  };
  {
    const Table::PauseCleaning paused(*table_);
    std::thread([&] {
      Session session(*table_, true);
      EXPECT_TRUE(session.remove(TupleId{3}));
      session.commit();
    }).join();
    EXPECT_EQ(now(3), std::nullopt);
    EXPECT_TRUE(hasEntry(TupleId{3}));
  }
  EXPECT_FALSE(hasEntry(TupleId{3})) << "left for the end of the pause";
  EXPECT_TRUE(hasEntry(TupleId{4}));
}

TEST_F(WriteConflicts, ALaterStatementStartsAgainOnWhatWasCommitted) {
  Session first(*table_, true), second(*table_, true);
  first.add(TupleId{3}, 5);
  std::atomic<bool> has_snapshot{false};
  std::thread waiting([&] {
    second.run([&](WriteStatement& statement, const Snapshot& snapshot) {
      const Datum value{static_cast<uint64_t>(*second.look(TupleId{3}, snapshot) + 20), 0};
      has_snapshot = true;
      has_snapshot.notify_one();
      const uint32_t column = 1;
      const uint8_t is_null = 0;
      statement.update(TupleId{3}, {{&column, 1}, &value, &is_null});
    });
    EXPECT_EQ(second.restarts(), 1);
    second.commit();
  });
  has_snapshot.wait(false);
  first.commit();
  waiting.join();
  EXPECT_EQ(now(3), 125);
}

TEST_F(WriteConflicts, ARollbackLetsTheOtherGoOn) {
  Session first(*table_, false), second(*table_, false);
  first.add(TupleId{3}, 5);
  first.remove(TupleId{4});
  std::thread waiting([&] {
    EXPECT_TRUE(second.add(TupleId{3}, 20));
    EXPECT_TRUE(second.remove(TupleId{4}));
    EXPECT_EQ(second.restarts(), 0);
    second.commit();
  });
  first.rollBack();
  waiting.join();
  EXPECT_EQ(now(3), 120);
  EXPECT_EQ(now(4), std::nullopt);
}

TEST_F(WriteConflicts, ASnapshotOfTheTransactionMayNotChangeWhatOthersHave) {
  Session first(*table_, false), second(*table_, false);
  first.add(TupleId{3}, 5);
  first.remove(TupleId{4});
  first.commit();
  EXPECT_STREQ(errorOf([&] { second.add(TupleId{3}, 20); }).state().text(), "40001");
  EXPECT_STREQ(errorOf([&] { second.remove(TupleId{4}); }).state().text(), "40001");
  EXPECT_STREQ(errorOf([&] { second.lock(TupleId{3}, true); }).state().text(), "40001");
  EXPECT_TRUE(second.add(TupleId{5}, 1));
  second.commit();
  EXPECT_EQ(now(3), 105);
  EXPECT_EQ(now(5), 101);
}

TEST_F(WriteConflicts, SharedLocksBearOneAnotherAndNothingElse) {
  Session first(*table_, true), second(*table_, true), third(*table_, true, milliseconds(5));
  EXPECT_TRUE(first.lock(TupleId{1}, true));
  EXPECT_TRUE(second.lock(TupleId{1}, true));
  EXPECT_FALSE(third.lock(TupleId{1}, false, false));
  EXPECT_STREQ(errorOf([&] { third.add(TupleId{1}, 1); }).state().text(), "55P03");
  first.commit();
  EXPECT_FALSE(third.lock(TupleId{1}, false, false)) << "the other still has it";
  EXPECT_TRUE(second.add(TupleId{1}, 1)) << "alone with it";
  second.rollBack();
  EXPECT_TRUE(third.lock(TupleId{1}, false, false));
  EXPECT_TRUE(third.remove(TupleId{1}));
  third.commit();
  EXPECT_EQ(now(1), std::nullopt);
  EXPECT_EQ(storage_->transactions().retainedCount(), 0u);
}

TEST_F(WriteConflicts, AKeyBelongsToWhoCommitsIt) {
  Session first(*table_, true), second(*table_, true, milliseconds(5));
  first.append(77, 1);
  first.remove(TupleId{2});
  EXPECT_STREQ(errorOf([&] { second.append(77, 2); }).state().text(), "55P03");
  EXPECT_STREQ(errorOf([&] { second.append(2, 2); }).state().text(), "55P03");
  EXPECT_STREQ(errorOf([&] { second.append(3, 2); }).state().text(), "23505");
  first.commit();
  EXPECT_STREQ(errorOf([&] { second.append(77, 2); }).state().text(), "23505");
  const TupleId id = second.append(2, 5);
  second.commit();
  EXPECT_EQ(now(id.value), 5);
  storage::Findings findings;
  index_->check(table_->relation(), findings);
  EXPECT_EQ(findings.problems, std::vector<std::string>());
}

TEST_F(WriteConflicts, WhatASavepointTakesBackIsFree) {
  Session first(*table_, true), second(*table_, true, milliseconds(2000));
  first.add(TupleId{1}, 1);
  const Version* const savepoint = first.savepoint();
  first.append(50, 1);
  first.add(TupleId{1}, 1);
  first.add(TupleId{6}, 1);
  std::thread waiting([&] {
    EXPECT_TRUE(second.add(TupleId{6}, 10));
    second.append(50, 3);
    second.commit();
  });
  first.rollBackTo(savepoint);
  waiting.join();
  first.commit();
  EXPECT_EQ(now(1), 101);
  EXPECT_EQ(now(6), 110);
}

// Threads move amounts between rows, insert and delete rows with keys that others want too, lock, roll back to
// savepoints and as a whole, at both levels; whoever is a victim begins anew. The sum stays, and every committed
// transfer is there.
TEST_F(WriteConflicts, SumsHoldWhileManyWrite) {
  constexpr int kThreads = 4, kRounds = 150;
  constexpr int64_t kKeys = 40;
  const uint64_t seed = testSeed();
  std::atomic<int64_t> inserted{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      std::mt19937_64 random(seed + static_cast<uint64_t>(thread));
      std::vector<TupleId> own;
      for (int round = 0; round < kRounds; ++round) {
        Session session(*table_, random() % 2 == 0);
        int64_t added = 0;
        std::vector<TupleId> made;
        size_t removed = 0;
        try {
          const int steps = 1 + static_cast<int>(random() % 4);
          for (int step = 0; step < steps; ++step) {
            const Version* const savepoint = session.savepoint();
            const TupleId from{random() % 10}, to{random() % 10};
            const auto amount = static_cast<int64_t>(random() % 7);
            if (random() % 4 == 0) session.lock(from, random() % 2 == 0);
            ASSERT_TRUE(session.add(from, -amount));
            ASSERT_TRUE(session.add(to, amount));
            if (random() % 3 == 0) session.rollBackTo(savepoint);
          }
          if (random() % 2 == 0) {
            made.push_back(session.append(100 + static_cast<int64_t>(random() % kKeys), 1));
            ++added;
          }
          if (!own.empty() && random() % 2 == 0) {
            removed = 1;
            ASSERT_TRUE(session.remove(own.back()));
            --added;
          }
        } catch (const SqlError& error) {
          const std::string state(error.state().text());
          EXPECT_TRUE(state == "40001" || state == "40P01" || state == "23505") << state << ' ' << error.message();
          continue;
        }
        if (random() % 5 == 0) continue;
        session.commit();
        own.resize(own.size() - removed);
        own.insert(own.end(), made.begin(), made.end());
        inserted.fetch_add(added);
      }
    });
  std::atomic<bool> stop{false};
  std::thread reader([&] {
    while (!stop.load()) {
      const auto guard = storage_->transactions().takeSnapshot();
      Session session(*table_, true);
      int64_t sum = 0;
      for (uint64_t id = 0; id < 10; ++id) sum += session.look(TupleId{id}, guard.snapshot()).value_or(0);
      EXPECT_EQ(sum, 1000);
    }
  });
  for (std::thread& thread : threads) thread.join();
  stop = true;
  reader.join();
  int64_t sum = 0, rows = 0;
  const auto guard = storage_->transactions().takeSnapshot();
  Session session(*table_, true);
  for (uint64_t id = 0; id < table_->readBound().value; ++id) {
    const std::optional<int64_t> amount = session.look(TupleId{id}, guard.snapshot());
    if (!amount) continue;
    (id < 10 ? sum : rows) += *amount;
  }
  EXPECT_EQ(sum, 1000);
  EXPECT_EQ(rows, inserted.load());
  table_->relation().audit();
  storage::Findings findings;
  index_->check(table_->relation(), findings);
  EXPECT_EQ(findings.problems, std::vector<std::string>());
}

}  // namespace
}  // namespace gnomon::txn
