#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "storage/tests/test_support.h"
#include "txn/database_storage.h"
#include "txn/referenced_rows.h"
#include "txn/referring_rows.h"
#include "txn/rollback.h"

/// Rows of a parent and a child, and transactions that see to it that every child has its parent.
namespace gnomon::txn {
namespace {

using std::chrono::milliseconds;
using storage::StoredKind;
using storage::testing::kMiB;
using storage::testing::TemporaryDirectory;
using storage::testing::testSeed;

/// A key, and the key of the parent.
const RelationSchema kSchema = {{StoredKind::Int64, false}, {StoredKind::Int64, true}};
const std::vector<storage::KeyPart> kParts = {{StoredKind::Int64, false, false}};
const CancelToken kCalm;

IndexDefinition indexOf(uint32_t column, bool is_unique) {
  IndexDefinition definition;
  definition.columns = {column};
  definition.parts = kParts;
  definition.is_unique = is_unique;
  definition.duplicate = [](const Datum*, const uint8_t*, bool) {
    return SqlError(sqlstate::kUniqueViolation, "there is one");
  };
  return definition;
}

Datum number(int64_t value) {
  return {static_cast<uint64_t>(value), 0};
}

/// A transaction of one statement.
class Session {
 public:
  explicit Session(TransactionManager& manager, bool is_read_committed = true, milliseconds lock_timeout = {})
      : manager_(manager),
        owner_(manager.locks()),
        transaction_(manager.begin(owner_)),
        snapshot_(manager.takeSnapshot()),
        context_{.manager = manager,
                 .transaction = *transaction_,
                 .snapshot = {snapshot_.snapshot().start, transaction_->id(), transaction_->beginCommand()},
                 .patience = {.cancel = kCalm, .lock_timeout = lock_timeout, .deadlock_timeout = milliseconds(5)},
                 .is_read_committed = is_read_committed} {}
  ~Session() {
    if (!transaction_) return;
    rollBack(manager_, *transaction_, nullptr);
    manager_.abandon(std::move(transaction_));
    finish();
  }
  [[nodiscard]] const WriteContext& context() const { return context_; }
  void commit() {
    manager_.commit(std::move(transaction_));
    finish();
  }
  TupleId append(Table& table, int64_t key, int64_t parent) {
    WriteStatement statement(table, context_);
    const Datum values[] = {number(key), number(parent)};
    const uint8_t nulls[2] = {};
    const TupleId id = statement.append(values, nulls);
    statement.finish();
    return id;
  }
  bool remove(Table& table, TupleId id) {
    WriteStatement statement(table, context_);
    statement.setNewest(true);
    const bool is_removed = statement.tryRemove(id);
    statement.finish();
    return is_removed;
  }
  /// Whether a row has the key, which stays then.
  bool refer(Table& table, const std::shared_ptr<TableIndex>& index, int64_t key) {
    std::vector<uint8_t> is_found;
    ReferencedRows(table, index, context_).lock({number(key)}, is_found);
    return is_found.at(0) != 0;
  }
  std::set<uint64_t> find(Table& table, int64_t key) {
    ReferringRows rows(table, {1}, kParts, context_);
    const Datum wanted = number(key);
    if (!rows.hasIndex()) rows.scan({wanted});
    std::vector<TupleId> ids;
    rows.find(&wanted, ids);
    std::set<uint64_t> result;
    for (const TupleId id : ids) result.insert(id.value);
    return result;
  }

 private:
  void finish() {
    snapshot_.release();
    manager_.collect();
  }

  TransactionManager& manager_;
  LockOwner owner_;
  std::shared_ptr<Transaction> transaction_;
  TransactionManager::SnapshotGuard snapshot_;
  const WriteContext context_;
};

class ForeignKeyRows : public ::testing::Test {
 protected:
  ForeignKeyRows() : storage_(DatabaseStorage::open(directory_.path(), {.pool_bytes = 32 * kMiB})) {
    parent_ = storage_->createTable(kSchema);
    child_ = storage_->createTable(kSchema);
    parent_index_ = storage_->createIndex(*parent_, indexOf(0, true), kCalm);
    Session session(manager());
    for (int64_t key = 0; key < 4; ++key) ids_[key] = session.append(*parent_, key, 0);
    session.commit();
  }
  TransactionManager& manager() { return storage_->transactions(); }

  TemporaryDirectory directory_;
  std::unique_ptr<DatabaseStorage> storage_;
  std::shared_ptr<Table> parent_, child_;
  std::shared_ptr<TableIndex> parent_index_;
  std::map<int64_t, TupleId> ids_;  ///< of parents
};

TEST_F(ForeignKeyRows, ARowThatIsReferredToStays) {
  Session child(manager());
  EXPECT_TRUE(child.refer(*parent_, parent_index_, 1));
  EXPECT_FALSE(child.refer(*parent_, parent_index_, 9));
  Session remover(manager(), true, milliseconds(20));
  EXPECT_THROW(remover.remove(*parent_, ids_[1]), SqlError);
  Session other(manager());
  EXPECT_TRUE(other.refer(*parent_, parent_index_, 1)) << "shared";
  EXPECT_TRUE(remover.remove(*parent_, ids_[2]));
}

TEST_F(ForeignKeyRows, RowsThatHaveNotCommittedAreReferredToByTheirOwnTransactionAlone) {
  Session maker(manager());
  maker.append(*parent_, 7, 0);
  EXPECT_TRUE(maker.refer(*parent_, parent_index_, 7));
  Session other(manager());
  EXPECT_FALSE(other.refer(*parent_, parent_index_, 7));
  maker.commit();
  EXPECT_TRUE(other.refer(*parent_, parent_index_, 7));
  Session remover(manager());
  EXPECT_TRUE(remover.remove(*parent_, ids_[3]));
  EXPECT_FALSE(remover.refer(*parent_, parent_index_, 3));
}

//  child            remover
//                   deletes 1
//  looks for 1
//  waits            commits, or rolls back
TEST_F(ForeignKeyRows, WhoIsAboutToDeleteTheRowIsWaitedFor) {
  for (const bool commits : {false, true}) {
    auto remover = std::make_unique<Session>(manager());
    ASSERT_TRUE(remover->remove(*parent_, ids_[1]));
    bool is_found = !commits;
    std::thread waiter([&] {
      Session child(manager());
      is_found = child.refer(*parent_, parent_index_, 1);
    });
    std::this_thread::sleep_for(milliseconds(20));
    if (commits) remover->commit();
    remover.reset();
    waiter.join();
    EXPECT_EQ(is_found, !commits);
  }
}

TEST_F(ForeignKeyRows, UnderRepeatableReadARowThatWasDeletedSinceIsAConflict) {
  Session late(manager(), false);
  Session remover(manager());
  ASSERT_TRUE(remover.remove(*parent_, ids_[1]));
  remover.commit();
  try {
    late.refer(*parent_, parent_index_, 1);
    ADD_FAILURE() << "no error";
  } catch (const SqlError& error) {
    EXPECT_EQ(error.state(), sqlstate::kSerializationFailure);
  }
}

TEST_F(ForeignKeyRows, AnIndexAndAScanFindTheSameRows) {
  std::mt19937_64 random(testSeed());
  const std::shared_ptr<Table> plain = storage_->createTable(kSchema);
  storage_->createIndex(*child_, indexOf(1, false), kCalm);
  std::map<uint64_t, int64_t> committed;  // parents by child
  for (int round = 0; round < 60; ++round) {
    Session session(manager());
    std::map<uint64_t, int64_t> mine = committed;
    for (int change = 0; change < 5; ++change) {
      if (!mine.empty() && random() % 3 == 0) {
        const auto gone = std::next(mine.begin(), static_cast<ptrdiff_t>(random() % mine.size()));
        ASSERT_TRUE(session.remove(*child_, TupleId{gone->first}));
        ASSERT_TRUE(session.remove(*plain, TupleId{gone->first}));
        mine.erase(gone);
      } else {
        const auto parent = static_cast<int64_t>(random() % 4);
        const TupleId id = session.append(*child_, round, parent);
        ASSERT_EQ(session.append(*plain, round, parent), id);
        mine[id.value] = parent;
      }
    }
    Session other(manager());
    for (int64_t key = 0; key < 4; ++key) {
      std::set<uint64_t> expected, expected_by_others;
      for (const auto& [id, parent] : mine)
        if (parent == key) expected.insert(id);
      for (const auto& [id, parent] : committed)
        if (parent == key) expected_by_others.insert(id);
      EXPECT_EQ(session.find(*child_, key), expected);
      EXPECT_EQ(session.find(*plain, key), expected);
      EXPECT_EQ(other.find(*child_, key), expected_by_others);
      EXPECT_EQ(other.find(*plain, key), expected_by_others);
    }
    session.commit();
    committed = mine;
  }
}

// Children come and parents go, each in a transaction: a parent takes its children with it, and no other is there when
// it has gone.
TEST_F(ForeignKeyRows, WhoComesSecondSeesTheFirst) {
  storage_->createIndex(*child_, indexOf(1, false), kCalm);
  constexpr int kRounds = 300;
  std::atomic<int> made{0}, orphans{0};
  uint64_t taken = 0;
  const auto addChildren = [&](int64_t own_key) {
    for (int round = 0; round < kRounds; ++round) {
      Session session(manager());
      session.append(*child_, own_key, round % 4);
      if (!session.refer(*parent_, parent_index_, round % 4)) continue;
      session.commit();
      ++made;
    }
  };
  const auto removeParents = [&] {
    for (int round = 0; round < kRounds; ++round) {
      const int64_t key = round % 4;
      Session session(manager());
      session.remove(*parent_, ids_[key]);
      for (const uint64_t id : session.find(*child_, key)) taken += session.remove(*child_, TupleId{id}) ? 1 : 0;
      session.commit();
      if (!Session(manager()).find(*child_, key).empty()) ++orphans;
      Session again(manager());
      ids_[key] = again.append(*parent_, key, 0);
      again.commit();
    }
  };
  std::thread first(addChildren, 1), second(addChildren, 2), remover(removeParents);
  first.join();
  second.join();
  remover.join();
  EXPECT_GT(made.load(), 0);
  EXPECT_EQ(orphans.load(), 0);
  uint64_t left = 0;
  for (int64_t key = 0; key < 4; ++key) left += Session(manager()).find(*child_, key).size();
  EXPECT_EQ(left + taken, static_cast<uint64_t>(made.load()));
}

}  // namespace
}  // namespace gnomon::txn
