#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <optional>
#include <random>
#include <thread>

#include "base/string_value.h"
#include "storage/index/index_cursor.h"
#include "storage/relation/leaf_view.h"
#include "storage/tests/logged_store.h"
#include "storage/tests/test_support.h"
#include "txn/database_storage.h"
#include "txn/rollback.h"
#include "txn/visible_rows.h"
#include "txn/write_statement.h"

/// Bulk transactions, what others see meanwhile and afterwards, and what is left of them after a crash.
namespace gnomon::txn {
namespace {

using std::chrono::milliseconds;
using storage::StoredKind;
using storage::testing::errorOf;
using storage::testing::kMiB;
using storage::testing::TemporaryDirectory;
using storage::testing::testSeed;

/// A key, a count, a text.
const RelationSchema kSchema = {{StoredKind::Int64, false}, {StoredKind::Int64, false}, {StoredKind::String, false}};
const CancelToken kCalm;

struct Row {
  int64_t count;
  std::string text;
  bool operator==(const Row&) const = default;
};
using Rows = std::map<int64_t, Row>;

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.count << ' ' << row.text.substr(0, 20);
}

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

Datum number(int64_t value) {
  return {static_cast<uint64_t>(value), 0};
}

Datum text(const std::string& value) {
  const StringValue string = StringValue::refer(value, StringValue::Storage::Temporary);
  return {string.lo(), string.hi()};
}

/// The visible tuples: of each its key, row and id.
template <typename Visit>
void forEachSeen(Table& table, const Snapshot& snapshot, Visit&& visit) {
  storage::RelationScan scan(table.relation(), table.readBound());
  storage::RelationScan::Claim claim;
  storage::LeafView leaf;
  VisibleRows visible;
  while (scan.next(claim, leaf)) {
    visible.attach(leaf, table.schema(), snapshot, table.transactions().epochs());
    VisibleRows::Piece piece{};
    while (visible.next(piece)) {
      const storage::LeafAccess& access = *piece.access;
      for (uint32_t row = piece.begin; row < piece.end; ++row) {
        uint64_t stored;
        std::memcpy(&stored, access.page_base + access.tuple_ids_offset + uint64_t{row} * 8, 8);
        // As generated code does it.
        if (access.flagged_count != 0 && (stored & storage::tuple_id_flags::kDeleted) != 0) continue;
        int64_t key;
        Row seen;
        Datum datum;
        std::memcpy(&key, access.page_base + access.column_offsets[0] + uint64_t{row} * 8, 8);
        std::memcpy(&seen.count, access.page_base + access.column_offsets[1] + uint64_t{row} * 8, 8);
        std::memcpy(&datum, access.page_base + access.column_offsets[2] + uint64_t{row} * 16, 16);
        if (static_cast<uint32_t>(datum.lo) > StringValue::kInlineBytesMax)
          datum.hi += reinterpret_cast<uint64_t>(access.page_base);
        seen.text = std::string(StringValue(datum.lo, datum.hi).view());
        visit(key, seen, VisibleRows::tupleId(access, row));
      }
    }
  }
}

Rows scanned(Table& table, const Snapshot& snapshot) {
  Rows rows;
  forEachSeen(table, snapshot, [&](int64_t key, const Row& row, TupleId) {
    EXPECT_TRUE(rows.emplace(key, row).second) << "key " << key << " twice";
  });
  return rows;
}

/// How many tuples the snapshot sees by way of the index's entries, each looked at alone.
size_t countByIndex(Table& table, const Snapshot& snapshot) {
  storage::IndexCursor cursor(table.indexes().front()->tree(), {});
  storage::IndexEntry entry;
  std::vector<TupleId> ids;
  while (cursor.next(entry)) ids.push_back(entry.id);
  size_t count = 0;
  for (const TupleId id : ids) {
    storage::LeafView leaf;
    uint32_t row = 0;
    VisibleRows visible;
    VisibleRows::Piece piece{};
    if (table.relation().findStored(id, leaf, row) &&
        visible.attachRow(leaf, row, table.schema(), snapshot, table.transactions().epochs(), piece))
      ++count;
  }
  return count;
}

/// A transaction of one or several statements, in one session.
class Session {
 public:
  explicit Session(Table& table, milliseconds lock_timeout = milliseconds(0))
      : table_(table),
        manager_(table.transactions()),
        owner_(manager_.locks()),
        patience_{.cancel = kCalm, .lock_timeout = lock_timeout, .deadlock_timeout = milliseconds(5)} {}
  ~Session() { rollBack(); }

  /// As an ordinary writer.
  void begin() {
    transaction_ = manager_.begin(owner_);
    owner_.acquire(manager_.writersLock(), LockMode::RowExclusive, patience_);
  }
  void beginBulk() {
    transaction_ = manager_.begin(owner_);
    manager_.beginBulk(*transaction_, patience_);
  }
  [[nodiscard]] Transaction& transaction() { return *transaction_; }
  [[nodiscard]] LockOwner& owner() { return owner_; }
  [[nodiscard]] const Patience& patience() const { return patience_; }
  Snapshot take(TransactionManager::SnapshotGuard& guard) {
    guard = manager_.takeSnapshot(&owner_);
    Snapshot snapshot = guard.snapshot();
    snapshot.own = transaction_->id();
    snapshot.command = transaction_->beginCommand();
    if (transaction_->bulkEpoch() != 0) snapshot.epoch = transaction_->bulkEpoch() + 1;
    return snapshot;
  }
  template <typename Body>
  void run(Body&& body) {
    TransactionManager::SnapshotGuard guard;
    const WriteContext context{
        .manager = manager_, .transaction = *transaction_, .snapshot = take(guard), .patience = patience_};
    WriteStatement statement(table_, context);
    body(statement, context.snapshot);
    statement.finish();
  }
  void insert(const Rows& rows) {
    run([&](WriteStatement& statement, const Snapshot&) {
      std::vector<Datum> values;
      std::vector<uint8_t> nulls(rows.size() * 3);
      for (const auto& [key, row] : rows) {
        values.push_back(number(key));
        values.push_back(number(row.count));
        values.push_back(text(row.text));
      }
      statement.appendBatch(values.data(), nulls.data(), rows.size());
    });
  }
  /// The rows of these keys get other values, or go where there is none.
  void change(const std::map<int64_t, std::optional<Row>>& changes) {
    run([&](WriteStatement& statement, const Snapshot& snapshot) {
      std::map<TupleId, const std::optional<Row>*> targets;
      forEachSeen(table_, snapshot, [&](int64_t key, const Row&, TupleId id) {
        if (const auto found = changes.find(key); found != changes.end()) targets[id] = &found->second;
      });
      const uint32_t columns[] = {1, 2};
      const uint8_t nulls[] = {0, 0};
      for (const auto& [id, row] : targets) {
        if (!*row) {
          statement.remove(id);
          continue;
        }
        const Datum values[] = {number((*row)->count), text((*row)->text)};
        statement.update(id, {columns, values, nulls});
      }
    });
  }
  void commit() {
    manager_.commit(std::move(transaction_));
    end();
  }
  void rollBack() {
    if (transaction_) {
      txn::rollBack(manager_, *transaction_, nullptr);
      manager_.abandon(std::move(transaction_));
    }
    end();
  }

 private:
  void end() {
    owner_.releaseAll();
    manager_.collect();
  }
  Table& table_;
  TransactionManager& manager_;
  LockOwner owner_;
  const Patience patience_;
  std::shared_ptr<Transaction> transaction_;
};

Rows manyRows(int64_t first, int64_t count) {
  Rows rows;
  for (int64_t key = first; key < first + count; ++key)
    rows[key] = {key * 3, std::string(static_cast<size_t>(key % 30), 'x')};
  return rows;
}

std::map<int64_t, std::optional<Row>> changesOf(const Rows& rows, int64_t step, bool deletes) {
  std::map<int64_t, std::optional<Row>> changes;
  for (const auto& [key, row] : rows)
    if (key % step == 0) changes[key] = deletes ? std::nullopt : std::optional(Row{row.count + 1, row.text + "y"});
  return changes;
}

Rows changed(Rows rows, const std::map<int64_t, std::optional<Row>>& changes) {
  for (const auto& [key, row] : changes) {
    if (row)
      rows[key] = *row;
    else
      rows.erase(key);
  }
  return rows;
}

void expectSound(DatabaseStorage& storage) {
  storage::Findings findings;
  storage.check(findings);
  EXPECT_EQ(findings.problems, std::vector<std::string>());
}

/// Rows that an ordinary transaction appended, in a directory of its own.
class Bulk : public ::testing::Test {
 protected:
  Bulk() {
    storage_ = DatabaseStorage::open(directory_->path(), {.pool_bytes = 64 * kMiB});
    storage_->finishCreation();
    table_ = storage_->createTable(kSchema);
    storage_->createIndex(*table_, uniqueKey(), kCalm);
    Session session(*table_);
    session.begin();
    session.insert(before_);
    session.commit();
  }
  void TearDown() override {
    if (storage_) expectSound(*storage_);
  }
  /// Without a shutdown. `active`: has a transaction that is not finished.
  void crash(std::unique_ptr<Session> active = nullptr) {
    const RelationId id = table_->id();
    const RelationId index_id = table_->indexes().front()->id();
    // What is on disk now.
    auto copy = std::make_unique<TemporaryDirectory>();
    storage::testing::copyCrashed(storage_->buffers(), directory_->path(), copy->path());
    active.reset();
    table_.reset();
    storage_.reset();
    directory_ = std::move(copy);
    storage_ = DatabaseStorage::open(directory_->path(), {.pool_bytes = 64 * kMiB});
    table_ = storage_->openTable(id);
    storage_->openIndex(*table_, index_id, uniqueKey());
    storage_->dropUnclaimed();
  }
  [[nodiscard]] TransactionManager& manager() { return storage_->transactions(); }
  Rows seenNow() {
    const auto guard = manager().takeSnapshot();
    const Rows rows = scanned(*table_, guard.snapshot());
    EXPECT_EQ(countByIndex(*table_, guard.snapshot()), rows.size());
    return rows;
  }
  void expectSeen(const TransactionManager::SnapshotGuard& guard, const Rows& rows) {
    EXPECT_EQ(scanned(*table_, guard.snapshot()), rows);
    EXPECT_EQ(countByIndex(*table_, guard.snapshot()), rows.size());
  }

  std::unique_ptr<TemporaryDirectory> directory_ = std::make_unique<TemporaryDirectory>();
  const Rows before_ = manyRows(0, 3000);
  std::unique_ptr<DatabaseStorage> storage_;
  std::shared_ptr<Table> table_;
};

TEST_F(Bulk, ReadersKeepTheirSnapshotWhileItWritesAndAfterwards) {
  const auto old = manager().takeSnapshot();
  const uint64_t version_bytes = manager().versionMemory().usedBytes();
  const size_t map_count = manager().versions().mapCount();
  Session bulk(*table_);
  bulk.beginBulk();
  bulk.insert(manyRows(10000, 2000));
  const auto updates = changesOf(before_, 3, false);
  bulk.change(updates);
  const auto deletions = changesOf(before_, 7, true);
  bulk.change(deletions);
  Rows after = before_;
  after.merge(manyRows(10000, 2000));
  after = changed(changed(std::move(after), updates), deletions);
  {
    TransactionManager::SnapshotGuard guard;
    const Snapshot own = bulk.take(guard);
    EXPECT_EQ(scanned(*table_, own), after);
    EXPECT_EQ(countByIndex(*table_, own), after.size());
  }
  const auto during = manager().takeSnapshot();
  expectSeen(old, before_);
  expectSeen(during, before_);
  EXPECT_EQ(manager().versionMemory().usedBytes(), version_bytes);
  EXPECT_EQ(manager().versions().mapCount(), map_count);
  bulk.commit();
  EXPECT_EQ(manager().versionMemory().usedBytes(), version_bytes);
  expectSeen(old, before_);
  expectSeen(during, before_);
  EXPECT_EQ(seenNow(), after);
}

TEST_F(Bulk, OrdinaryWritersBehindItMakeVersionsOfItsTuples) {
  auto old = manager().takeSnapshot();
  Session bulk(*table_);
  bulk.beginBulk();
  const auto updates = changesOf(before_, 2, false);
  bulk.change(updates);
  bulk.insert(manyRows(20000, 500));
  bulk.commit();
  Rows middle = changed(before_, updates);
  middle.merge(manyRows(20000, 500));
  const auto between = manager().takeSnapshot();
  Session session(*table_);
  session.begin();
  const auto more = changesOf(middle, 5, false);
  session.change(more);
  const auto fewer = changesOf(middle, 11, true);
  session.change(fewer);
  session.insert(manyRows(30000, 100));
  expectSeen(old, before_);
  expectSeen(between, middle);
  session.commit();
  Rows after = changed(changed(middle, more), fewer);
  after.merge(manyRows(30000, 100));
  expectSeen(old, before_);
  expectSeen(between, middle);
  EXPECT_EQ(seenNow(), after);
  old.release();
  expectSeen(between, middle);
  EXPECT_EQ(seenNow(), after);
}

TEST_F(Bulk, RollsBackWhatItDid) {
  const auto old = manager().takeSnapshot();
  {
    Session bulk(*table_);
    bulk.beginBulk();
    bulk.insert(manyRows(10000, 2000));
    bulk.change(changesOf(before_, 3, false));
    bulk.change(changesOf(manyRows(10000, 2000), 2, true));
    bulk.change(changesOf(before_, 2, true));
    bulk.rollBack();
  }
  expectSeen(old, before_);
  EXPECT_EQ(seenNow(), before_);
  EXPECT_EQ(table_->tupleCountEstimate(), before_.size());
  // A key that it had is free again, and its epoch is over.
  Session bulk(*table_);
  bulk.beginBulk();
  bulk.insert(manyRows(10000, 100));
  expectSeen(old, before_);
  bulk.commit();
  expectSeen(old, before_);
  Rows after = before_;
  after.merge(manyRows(10000, 100));
  EXPECT_EQ(seenNow(), after);
}

TEST_F(Bulk, StatementThatFailsTakesAllOfItBack) {
  Session bulk(*table_);
  bulk.beginBulk();
  bulk.insert(manyRows(10000, 100));
  EXPECT_EQ(errorOf([&] { bulk.insert({{20000, {1, "a"}}, {17, {1, "b"}}}); }).state(), sqlstate::kUniqueViolation);
  EXPECT_EQ(seenNow(), before_);
  bulk.rollBack();
  EXPECT_EQ(seenNow(), before_);
}

/// What a transaction did before it became a bulk operation has versions, and goes with it either way.
TEST_F(Bulk, MayBeginInTheMiddleOfATransaction) {
  const auto old = manager().takeSnapshot();
  Rows after = before_;
  for (const bool commits : {false, true}) {
    Session session(*table_);
    session.begin();
    session.insert(manyRows(10000, 700));
    ASSERT_TRUE(manager().tryBeginBulk(session.transaction()));
    session.insert(manyRows(20000, 700));
    expectSeen(old, before_);
    EXPECT_EQ(seenNow(), before_);
    if (commits)
      session.commit();
    else
      session.rollBack();
    expectSeen(old, before_);
  }
  after.merge(manyRows(10000, 700));
  after.merge(manyRows(20000, 700));
  EXPECT_EQ(seenNow(), after);
}

TEST_F(Bulk, AfterACrashIsThereAsAWholeOrNotAtAll) {
  {
    Session bulk(*table_);
    bulk.beginBulk();
    bulk.insert(manyRows(10000, 2000));
    bulk.change(changesOf(before_, 3, false));
    storage_->checkpoint();
    bulk.change(changesOf(before_, 7, true));
    bulk.commit();
  }
  Rows after = changed(before_, changesOf(before_, 3, false));
  after.merge(manyRows(10000, 2000));
  after = changed(std::move(after), changesOf(before_, 7, true));
  crash();
  EXPECT_EQ(seenNow(), after);
  // Another one in the same pages, which is not finished when the server dies; its pages are on disk.
  const Rows old = after;
  {
    auto session = std::make_unique<Session>(*table_);
    session->beginBulk();
    session->change(changesOf(after, 2, false));
    session->insert(manyRows(40000, 1000));
    storage_->checkpoint();
    session->change(changesOf(after, 5, true));
    storage_->buffers().log().flush();
    crash(std::move(session));
  }
  EXPECT_EQ(seenNow(), old);
  // Flags of former epochs mean nothing to the next one.
  Session bulk(*table_);
  bulk.beginBulk();
  const auto snapshot = manager().takeSnapshot();
  bulk.change(changesOf(old, 4, false));
  expectSeen(snapshot, old);
  bulk.commit();
  expectSeen(snapshot, old);
  EXPECT_EQ(seenNow(), changed(old, changesOf(old, 4, false)));
}

TEST_F(Bulk, HasItsEpochToItselfAlsoAfterARestart) {
  uint64_t last = 0;
  for (int start = 0; start < 3; ++start) {
    for (int i = 0; i < 70; ++i) {
      Session bulk(*table_);
      bulk.beginBulk();
      EXPECT_GT(bulk.transaction().bulkEpoch(), last);
      last = bulk.transaction().bulkEpoch();
      if (i % 2 == 0) bulk.commit();
    }
    crash();
  }
}

TEST_F(Bulk, DeletedTuplesLeaveIndexAndRelationOnceNobodySeesThem) {
  auto old = manager().takeSnapshot();
  {
    Session bulk(*table_);
    bulk.beginBulk();
    bulk.change(changesOf(before_, 2, true));
    bulk.commit();
  }
  const auto entries = [&] {
    storage::IndexCursor cursor(table_->indexes().front()->tree(), {});
    storage::IndexEntry entry;
    size_t count = 0;
    while (cursor.next(entry)) ++count;
    return count;
  };
  EXPECT_EQ(entries(), 3000u);
  EXPECT_EQ(table_->relation().deletedCount(), 1500u);
  old.release();
  EXPECT_EQ(entries(), 1500u);
  EXPECT_EQ(table_->relation().deletedCount(), 0u);
  EXPECT_EQ(seenNow(), changed(before_, changesOf(before_, 2, true)));
}

TEST_F(Bulk, IsTheOnlyWriter) {
  Session bulk(*table_);
  bulk.beginBulk();
  Session writer(*table_, milliseconds(20));
  EXPECT_EQ(errorOf([&] { writer.begin(); }).state(), sqlstate::kLockNotAvailable);
  writer.rollBack();
  Session other(*table_, milliseconds(20));
  EXPECT_EQ(errorOf([&] { other.beginBulk(); }).state(), sqlstate::kLockNotAvailable);
  other.rollBack();
  bulk.commit();
  writer.begin();
  Session third(*table_);
  third.begin();
  EXPECT_FALSE(manager().tryBeginBulk(third.transaction()));
  writer.rollBack();
  EXPECT_TRUE(manager().tryBeginBulk(third.transaction()));
}

TEST_F(Bulk, NextOneWaitsUntilEverybodySeesTheLastOneAndWritersDoNot) {
  auto old = manager().takeSnapshot();
  {
    Session bulk(*table_);
    bulk.beginBulk();
    bulk.insert(manyRows(10000, 10));
    bulk.commit();
  }
  Session impatient(*table_, milliseconds(20));
  EXPECT_EQ(errorOf([&] { impatient.beginBulk(); }).state(), sqlstate::kLockNotAvailable);
  impatient.rollBack();
  std::atomic<bool> has_begun{false};
  std::thread waiting([&] {
    Session next(*table_);
    next.beginBulk();
    has_begun = true;
    next.insert(manyRows(20000, 10));
    next.commit();
  });
  {
    Session writer(*table_);
    writer.begin();
    writer.insert(manyRows(30000, 10));
    writer.commit();
  }
  EXPECT_FALSE(has_begun);
  expectSeen(old, before_);
  old.release();
  waiting.join();
  Rows after = before_;
  for (const int64_t first : {10000, 20000, 30000}) after.merge(manyRows(first, 10));
  EXPECT_EQ(seenNow(), after);
}

TEST_F(Bulk, WaitForAReaderWhoWaitsForItIsADeadlock) {
  const auto lock = std::make_shared<ObjectLock>(77);
  Session reader(*table_);
  Session bulk(*table_);
  LockOwner& reader_owner = reader.owner();
  auto old = manager().takeSnapshot(&reader_owner);
  {
    Session first(*table_);
    first.beginBulk();
    first.insert(manyRows(10000, 10));
    first.commit();
  }
  bulk.owner().acquire(lock, LockMode::AccessExclusive, bulk.patience());
  std::atomic<bool> is_victim{false};
  std::thread waiting([&] {
    try {
      reader_owner.acquire(lock, LockMode::AccessShare, reader.patience());
    } catch (const SqlError& error) {
      is_victim = error.state() == sqlstate::kDeadlockDetected;
    }
    old.release();
    reader_owner.releaseAll();
  });
  bool is_other_victim = false;
  try {
    bulk.beginBulk();
  } catch (const SqlError& error) {
    is_other_victim = error.state() == sqlstate::kDeadlockDetected;
  }
  bulk.rollBack();
  waiting.join();
  EXPECT_TRUE(is_victim || is_other_victim);
}

TEST_F(Bulk, SessionWithAnOlderSnapshotOfItsOwnIsRefused) {
  Session session(*table_);
  const auto old = manager().takeSnapshot(&session.owner());
  {
    Session bulk(*table_);
    bulk.beginBulk();
    bulk.commit();
  }
  EXPECT_EQ(errorOf([&] { session.beginBulk(); }).state(), sqlstate::kSerializationFailure);
}

TEST_F(Bulk, WriterWithAnOlderSnapshotCannotChangeWhatItDeleted) {
  Session session(*table_);
  session.begin();
  TransactionManager::SnapshotGuard guard;
  const WriteContext context{.manager = manager(),
                             .transaction = session.transaction(),
                             .snapshot = session.take(guard),
                             .patience = session.patience(),
                             .is_read_committed = false};
  session.owner().releaseAll();
  {
    Session bulk(*table_);
    bulk.beginBulk();
    bulk.change({{5, Row{1, "new"}}});
    bulk.commit();
  }
  EXPECT_EQ(errorOf([&] {
              WriteStatement statement(*table_, context);
              statement.remove(TupleId{5});
            }).state(),
            sqlstate::kSerializationFailure);
}

TEST_F(Bulk, NeedsNoVersionMemoryWhereAnOrdinaryTransactionExceedsIt) {
  manager().versionMemory().setLimit(kMiB);
  const auto changes = changesOf(before_, 1, false);
  const auto fill = [&](Session& session) {
    for (int i = 0; i < 4; ++i) session.change(changes);
  };
  {
    Session session(*table_);
    session.begin();
    const SqlError error = errorOf([&] { fill(session); });
    EXPECT_EQ(error.state(), sqlstate::kOutOfMemory);
    EXPECT_TRUE(error.hint().contains("SET TRANSACTION BULK WRITE")) << error.hint();
  }
  EXPECT_EQ(seenNow(), before_);
  manager().epochs().collect();
  EXPECT_EQ(manager().versionMemory().usedBytes(), 0u);
  Session bulk(*table_);
  bulk.beginBulk();
  fill(bulk);
  EXPECT_EQ(manager().versionMemory().usedBytes(), 0u);
  bulk.commit();
  EXPECT_EQ(seenNow(), changed(before_, changes));
}

/// Ordinary and bulk transactions at random, some of them rolled back, with snapshots kept for a while; pages come and
/// go, and now and then the server dies.
TEST_F(Bulk, EverySnapshotSeesWhatItSawFirst) {
  const uint64_t seed = testSeed();
  std::mt19937_64 random(seed);
  const auto below = [&](uint64_t limit) { return random() % limit; };
  struct View {
    TransactionManager::SnapshotGuard guard;
    Rows rows;
  };
  std::vector<View> views;
  Rows now = before_;
  int64_t next_key = 100000;
  for (int step = 0; step < 80 && !HasFailure(); ++step) {
    const bool wants_bulk = below(2) == 0;
    {
      Session session(*table_);
      session.begin();
      const bool is_bulk = wants_bulk && manager().tryBeginBulk(session.transaction());
      Rows after = now;
      for (uint64_t statements = 1 + below(3); statements > 0; --statements) {
        if (below(3) == 0) {
          const Rows more = manyRows(next_key, static_cast<int64_t>(1 + below(is_bulk ? 1500 : 50)));
          next_key += static_cast<int64_t>(more.size());
          session.insert(more);
          after.insert(more.begin(), more.end());
          continue;
        }
        const auto step_width = static_cast<int64_t>(2 + below(is_bulk ? 10 : 60));
        auto changes = changesOf(after, step_width, below(3) == 0);
        if (below(4) == 0)
          for (auto& [key, row] : changes)
            if (row) row->text = std::string(below(3000), 'z');
        session.change(changes);
        after = changed(std::move(after), changes);
      }
      if (below(3) != 0) {
        session.commit();
        now = std::move(after);
      }
    }
    if (below(3) == 0) views.push_back({manager().takeSnapshot(), now});
    if (below(3) == 0 && !views.empty()) views.erase(views.begin() + static_cast<ptrdiff_t>(below(views.size())));
    if (below(6) == 0) storage_->buffers().evict(4 * kMiB);
    if (below(25) == 0) {
      views.clear();
      crash();
    }
    for (const View& view : views) expectSeen(view.guard, view.rows);
    EXPECT_EQ(seenNow(), now) << "seed " << seed << ", step " << step;
  }
}

/// The bulk writer and those who read beside it, for ThreadSanitizer.
TEST_F(Bulk, ReadersInOtherThreadsSeeAllOfItOrNothing) {
  std::atomic<bool> is_over{false};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i)
    readers.emplace_back([&] {
      while (!is_over) {
        const auto guard = manager().takeSnapshot();
        int64_t sum = 0;
        size_t count = 0;
        forEachSeen(*table_, guard.snapshot(), [&](int64_t key, const Row& row, TupleId) {
          sum += row.count - key * 3;
          ++count;
        });
        EXPECT_EQ(sum % static_cast<int64_t>(before_.size()), 0);
        EXPECT_EQ(count, before_.size());
      }
    });
  Rows now = before_;
  for (int round = 0; round < 6; ++round) {
    Session bulk(*table_);
    bulk.beginBulk();
    std::map<int64_t, std::optional<Row>> changes;
    for (const auto& [key, row] : now) changes[key] = Row{row.count + 1, row.text};
    bulk.change(changes);
    if (round % 3 == 2) {
      bulk.rollBack();
      continue;
    }
    bulk.commit();
    now = changed(std::move(now), changes);
  }
  is_over = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(seenNow(), now);
}

}  // namespace
}  // namespace gnomon::txn
