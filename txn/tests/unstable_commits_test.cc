#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "storage/tests/test_support.h"
#include "txn/database_storage.h"
#include "txn/local_transaction.h"
#include "txn/tests/visible_rows_walk.h"

/// Commits that are seen before they are stable, and who sees them. The log is synced only by those who wait for it.
namespace gnomon::txn {
namespace {

using storage::StoredKind;
using storage::testing::kMiB;
using storage::testing::TemporaryDirectory;
using storage::testing::testSeed;

constexpr size_t kAccounts = 3;
constexpr std::array<uint32_t, 1> kValue{0};
const RelationSchema kSchema = {{StoredKind::Int64, false}};
const CancelToken kCalm;

using Values = std::array<int64_t, kAccounts>;

class UnstableCommitsTest : public ::testing::Test {
 protected:
  UnstableCommitsTest() {
    LoneStatement statement(*table_, kCalm);
    const uint8_t null_flag = 0;
    for (TupleId& id : ids_) {
      const Datum zero{};
      id = statement->append(&zero, &null_flag);
    }
    statement.commit();
  }

  [[nodiscard]] TransactionManager& manager() { return storage_->transactions(); }

  Values seenBy(const Snapshot& snapshot) {
    Values values{};
    forEachVisibleRow(VisibleRows::Order::Any, snapshot, [&](uint64_t id, int64_t value) {
      for (size_t i = 0; i < kAccounts; ++i)
        if (ids_[i].value == id) values[i] = value;
    });
    return values;
  }
  Values latest() { return seenBy(manager().takeSnapshot().snapshot()); }
  /// What is seen by who only reads, and has seen nothing yet.
  Values stable() {
    const auto guard = manager().takeStableSnapshot(nullptr, 0);
    return seenBy(guard->snapshot());
  }

  static void update(const WriteContext& context, Table& table, TupleId id, int64_t value) {
    WriteStatement statement(table, context);
    const Datum datum{.lo = static_cast<uint64_t>(value)};
    const uint8_t null_flag = 0;
    ASSERT_TRUE(statement.update(id, {kValue, &datum, &null_flag}).value == id.value);
    statement.finish();
  }
  Committed set(size_t account, int64_t value, CommitWait wait) {
    LocalTransaction transaction(manager(), kCalm);
    update(transaction.context(), *table_, ids_[account], value);
    return transaction.commit(wait);
  }

  TemporaryDirectory directory_;
  const std::unique_ptr<DatabaseStorage> storage_ = DatabaseStorage::open(
      directory_.path(), {.pool_bytes = 3 * kMiB},
      {.wal = {.segment_bytes = kMiB, .logs_max = 1, .flush_interval = std::chrono::hours(1), .on_fatal = nullptr},
       .log_bytes_max = 8 * kMiB});
  const std::shared_ptr<Table> table_ = storage_->createTable(kSchema);
  std::array<TupleId, kAccounts> ids_;

 private:
  template <typename Visit>
  void forEachVisibleRow(VisibleRows::Order order, const Snapshot& snapshot, Visit&& visit) {
    testing::forEachVisibleRow(
        order, *table_, snapshot, {}, [&](uint64_t id, const storage::LeafView& view, uint32_t row) {
          int64_t value = 0;
          std::memcpy(&value, view.access().page_base + view.access().column_offsets[0] + uint64_t{row} * sizeof(value),
                      sizeof(value));
          visit(id, value);
        });
  }
};

TEST_F(UnstableCommitsTest, AreSeenByThoseWhoWaitForThem) {
  EXPECT_FALSE(manager().hasUnstable());
  const auto first = set(0, 1, CommitWait::Elsewhere);
  const auto second = set(1, 2, CommitWait::Elsewhere);
  EXPECT_TRUE(manager().hasUnstable());
  EXPECT_FALSE(manager().isStable(first.ticket));
  EXPECT_EQ(latest(), (Values{1, 2, 0}));
  EXPECT_EQ(stable(), (Values{0, 0, 0}));
  // Who has seen one of them sees it again, or nothing.
  EXPECT_FALSE(manager().takeStableSnapshot(nullptr, first.at));
  manager().waitForStable(manager().unstable());
  EXPECT_TRUE(manager().isStable(first.ticket));
  EXPECT_TRUE(manager().isStable(second.ticket));
  EXPECT_FALSE(manager().hasUnstable());
  EXPECT_TRUE(manager().unstable().isEmpty());
  EXPECT_EQ(stable(), (Values{1, 2, 0}));
}

TEST_F(UnstableCommitsTest, AreWaitedForWithWhatFollows) {
  const auto first = set(0, 1, CommitWait::Elsewhere);
  // It is seen once the one before is.
  const auto second = set(1, 2, CommitWait::Never);
  EXPECT_FALSE(manager().isStable(second.ticket));
  EXPECT_EQ(stable(), (Values{0, 0, 0}));
  const auto third = set(2, 3, CommitWait::Here);
  EXPECT_TRUE(manager().isStable(first.ticket));
  EXPECT_TRUE(manager().isStable(second.ticket));
  EXPECT_TRUE(third.ticket.isEmpty());
  EXPECT_EQ(stable(), (Values{1, 2, 3}));
}

TEST_F(UnstableCommitsTest, AreNobodysWithoutALog) {
  TransactionManager without;
  LockOwner owner(without.locks());
  EXPECT_TRUE(without.commit(without.begin(owner), CommitWait::Elsewhere).ticket.isEmpty());
  EXPECT_FALSE(without.hasUnstable());
}

TEST_F(UnstableCommitsTest, KeepWhatWasBeforeThem) {
  set(0, 5, CommitWait::Here);
  // Chains that are pruned, and transactions that are collected with every end.
  const auto held = manager().takeSnapshot();
  for (int64_t value = 6; value < 1000; ++value) {
    set(0, value, CommitWait::Elsewhere);
    ASSERT_EQ(stable(), (Values{5, 0, 0}));
    ASSERT_EQ(latest(), (Values{value, 0, 0}));
  }
  EXPECT_EQ(seenBy(held.snapshot()), (Values{5, 0, 0}));
  manager().waitForStable(manager().unstable());
  EXPECT_EQ(stable(), (Values{999, 0, 0}));
}

TEST_F(UnstableCommitsTest, AreLeftToTheCollectorOnceTheyAreStable) {
  for (int64_t value = 1; value <= 10; ++value) set(0, value, CommitWait::Elsewhere);
  EXPECT_EQ(manager().retainedCount(), 10u);
  manager().waitForStable(manager().unstable());
  EXPECT_EQ(manager().retainedCount(), 0u);
}

TEST_F(UnstableCommitsTest, DoNotStopBulkTransactions) {
  for (int round = 1; round <= 3; ++round) {
    set(0, round, CommitWait::Elsewhere);
    LockOwner owner(manager().locks());
    const Patience patience{kCalm};
    auto transaction = manager().begin(owner);
    manager().beginBulk(*transaction, patience);
    {
      const auto guard = manager().takeSnapshot(&owner);
      Snapshot snapshot = guard.snapshot();
      snapshot.own = transaction->id();
      snapshot.command = transaction->beginCommand();
      snapshot.epoch = transaction->bulkEpoch() + 1;
      const WriteContext context{.manager = manager(),
                                 .transaction = *transaction,
                                 .snapshot = snapshot,
                                 .patience = patience,
                                 .is_read_committed = true};
      WriteStatement statement(*table_, context);
      const Datum value{.lo = 7};
      const uint8_t null_flag = 0;
      statement.appendBatch(&value, &null_flag, 1);
      statement.finish();
    }
    const auto committed = manager().commit(std::move(transaction), CommitWait::Elsewhere);
    EXPECT_TRUE(committed.ticket.isEmpty());
    EXPECT_FALSE(manager().hasUnstable());
    owner.releaseAll();
    EXPECT_EQ(stable(), (Values{round, 0, 0}));
  }
}

/// Each writer counts in a row of its own. What any reader is told is stable by then.
TEST_F(UnstableCommitsTest, AreNotToldBeforeTheyAreStable) {
  constexpr int64_t kLast = 400;
  std::array<std::array<wal::CommitTicket, kLast + 1>, kAccounts> tickets;
  std::array<std::atomic<int64_t>, kAccounts> ticketed{};
  std::atomic<size_t> writing{kAccounts};
  const auto isStable = [&](size_t account, int64_t value) {
    // The writer may still be about to note its ticket.
    while (ticketed[account].load() < value) std::this_thread::yield();
    return manager().isStable(tickets[account][static_cast<size_t>(value)]);
  };
  std::vector<std::thread> threads;
  for (size_t account = 0; account < kAccounts; ++account)
    threads.emplace_back([&, account] {
      std::mt19937_64 random(testSeed() + account);
      for (int64_t value = 1; value <= kLast; ++value) {
        const auto wait = random() % 8 == 0 ? CommitWait::Here : CommitWait::Elsewhere;
        const auto committed = set(account, value, wait);
        tickets[account][static_cast<size_t>(value)] = committed.ticket;
        ticketed[account].store(value);
        if (random() % 4 == 0) manager().waitForStable(committed.ticket);
      }
      --writing;
    });
  for (const bool is_reading : {true, false})
    threads.emplace_back([&, is_reading] {
      Values before{};
      Timestamp seen = 0;
      while (writing > 0) {
        auto guard = manager().takeSnapshot();
        wal::CommitTicket ticket;
        if (manager().hasUnstable()) {
          std::optional<TransactionManager::SnapshotGuard> stable;
          if (is_reading) stable = manager().takeStableSnapshot(nullptr, seen);
          if (stable)
            guard = std::move(*stable);
          else
            ticket = manager().unstable();
        }
        ASSERT_GE(guard.snapshot().start, seen);
        seen = guard.snapshot().start;
        const Values values = seenBy(guard.snapshot());
        guard.release();
        manager().waitForStable(ticket);
        for (size_t account = 0; account < kAccounts; ++account) {
          ASSERT_GE(values[account], before[account]);
          ASSERT_TRUE(isStable(account, values[account]));
        }
        before = values;
      }
    });
  for (std::thread& thread : threads) thread.join();
  manager().waitForStable(manager().unstable());
  EXPECT_EQ(stable(), (Values{kLast, kLast, kLast}));
}

}  // namespace
}  // namespace gnomon::txn
