#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <random>
#include <thread>

#include "base/string_value.h"
#include "storage/tests/test_support.h"
#include "txn/database_storage.h"
#include "txn/local_transaction.h"
#include "txn/tests/visible_rows_walk.h"

/// What snapshots see while statements change a table.
namespace gnomon::txn {
namespace {

using storage::LeafAccess;
using storage::StoredKind;
using storage::testing::kMiB;
using storage::testing::TemporaryDirectory;
using storage::testing::testSeed;

const RelationSchema kSchema = {{StoredKind::Int64, false}, {StoredKind::String, true}, {StoredKind::Int32, false}};
const CancelToken kCalm;

struct Row {
  int64_t number = 0;
  std::optional<std::string> text;
  int32_t count = 0;
  bool operator==(const Row&) const = default;
};
using Rows = std::map<uint64_t, Row>;

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.number << ' ' << row.text.value_or("null").substr(0, 20) << ' ' << row.count;
}

Row rowAt(const LeafAccess& access, uint32_t row, bool has_text = true) {
  Row result;
  const auto at = [&](uint32_t column, uint32_t width) {
    return access.page_base + access.column_offsets[column] + uint64_t{row} * width;
  };
  std::memcpy(&result.number, at(0, 8), 8);
  std::memcpy(&result.count, at(2, 4), 4);
  if (!has_text) return result;
  const auto is_null = (access.page_base[access.null_offsets[1] + row / 8] >> (row % 8) & std::byte{1}) != std::byte{0};
  if (is_null) return result;
  Datum datum;
  std::memcpy(&datum, at(1, 16), 16);
  if (static_cast<uint32_t>(datum.lo) > StringValue::kInlineBytesMax)
    datum.hi += reinterpret_cast<uint64_t>(access.page_base);
  result.text = std::string(StringValue(datum.lo, datum.hi).view());
  return result;
}

bool isFlagged(const LeafAccess& access, uint32_t row) {
  if (access.flagged_count == 0) return false;
  uint64_t id;
  std::memcpy(&id, access.page_base + access.tuple_ids_offset + uint64_t{row} * 8, 8);
  return (id & storage::tuple_id_flags::kDeleted) != 0;
}

/// As a scan of the table finds them. `columns`: as VisibleRows::attach; the text is left out where it is not wanted.
Rows scannedIn(VisibleRows::Order order, Table& table, const Snapshot& snapshot, std::span<const uint32_t> columns) {
  Rows rows;
  storage::RelationScan scan(table.relation(), table.readBound());
  storage::RelationScan::Claim claim;
  storage::LeafView leaf;
  VisibleRows visible;
  uint64_t last = 0;
  const auto add = [&](const VisibleRows::Piece& piece) {
    const storage::LeafGap* gap = piece.access->gaps;
    if (order == VisibleRows::Order::TupleIds) EXPECT_EQ(gap->begin, storage::kNoLeafGap.begin);
    for (uint32_t row = piece.begin; row < piece.end; ++row) {
      if (row == gap->begin) {
        EXPECT_LT(gap->begin, gap->end);
        row = gap++->end - 1;
        EXPECT_LE(row + 1, gap->begin);
        continue;
      }
      if (isFlagged(*piece.access, row)) continue;
      const uint64_t id = VisibleRows::tupleId(*piece.access, row).value;
      EXPECT_TRUE(order == VisibleRows::Order::Any || rows.empty() || id > last) << "in the order of their ids";
      last = id;
      EXPECT_TRUE(rows.emplace(id, rowAt(*piece.access, row, columns.empty())).second) << "once";
    }
  };
  VisibleRows::Piece piece{};
  while (scan.next(claim, leaf)) {
    visible.attach(leaf, table.schema(), snapshot, table.transactions().epochs(), columns, order);
    while (visible.next(piece)) add(piece);
  }
  if (visible.takeGathered(piece)) add(piece);
  EXPECT_FALSE(visible.takeGathered(piece));
  return rows;
}

/// As lookups in an index find neighbours: a row, and those behind it that are seen as they lie there.
Rows foundInRuns(Table& table, const Snapshot& snapshot) {
  Rows rows;
  storage::RelationScan scan(table.relation(), table.readBound());
  storage::RelationScan::Claim claim;
  storage::LeafView leaf;
  VisibleRows visible;
  EpochManager& epochs = table.transactions().epochs();
  while (scan.next(claim, leaf)) {
    const uint32_t leaf_end = leaf.access().row_end;
    for (uint32_t row = leaf.access().row_begin; row < leaf_end; ++row) {
      VisibleRows::Piece piece{};
      if (!visible.attachRow(leaf, row, table.schema(), snapshot, epochs, piece)) continue;
      rows.emplace(leaf.tupleId(row).value, rowAt(*piece.access, piece.begin));
      if (piece.access != &leaf.access()) continue;
      const uint32_t end = visible.endOfRun(leaf, row + 1, leaf_end, snapshot, epochs);
      while (row + 1 < end) {
        ++row;
        if (!isFlagged(leaf.access(), row)) rows.emplace(leaf.tupleId(row).value, rowAt(leaf.access(), row));
      }
    }
  }
  return rows;
}

/// The same in every way.
Rows scanned(Table& table, const Snapshot& snapshot) {
  constexpr std::array<uint32_t, 2> kFixed{0, 2};
  using Order = VisibleRows::Order;
  Rows rows = scannedIn(Order::TupleIds, table, snapshot, {});
  EXPECT_EQ(scannedIn(Order::Any, table, snapshot, {}), rows);
  EXPECT_EQ(foundInRuns(table, snapshot), rows);
  Rows fixed = rows;
  for (auto& [id, row] : fixed) row.text.reset();
  EXPECT_EQ(scannedIn(Order::TupleIds, table, snapshot, kFixed), fixed);
  EXPECT_EQ(scannedIn(Order::Any, table, snapshot, kFixed), fixed);
  return rows;
}

/// As an index lookup finds one.
std::optional<Row> looked(Table& table, const Snapshot& snapshot, uint64_t id) {
  storage::LeafView leaf;
  uint32_t row = 0;
  if (!table.relation().findStored(TupleId{id}, leaf, row)) return std::nullopt;
  VisibleRows visible;
  VisibleRows::Piece piece{};
  if (!visible.attachRow(leaf, row, table.schema(), snapshot, table.transactions().epochs(), piece))
    return std::nullopt;
  return rowAt(*piece.access, piece.begin);
}

class Writer {
 public:
  explicit Writer(Table& table) : statement_(table, kCalm) {}

  uint64_t append(const Row& row) {
    const std::array<Datum, 3> values{Datum{static_cast<uint64_t>(row.number), 0}, textOf(row),
                                      Datum{static_cast<uint64_t>(int64_t{row.count}), 0}};
    const std::array<uint8_t, 3> nulls{0, static_cast<uint8_t>(!row.text), 0};
    return statement_->append(values.data(), nulls.data()).value;
  }
  void update(uint64_t id, const Row& row, std::vector<uint32_t> columns) {
    std::vector<Datum> values;
    std::vector<uint8_t> nulls;
    for (const uint32_t column : columns) {
      values.push_back(column == 0   ? Datum{static_cast<uint64_t>(row.number), 0}
                       : column == 1 ? textOf(row)
                                     : Datum{static_cast<uint64_t>(int64_t{row.count}), 0});
      nulls.push_back(column == 1 && !row.text ? 1 : 0);
    }
    statement_->update(TupleId{id}, {columns, values.data(), nulls.data()});
  }
  void remove(uint64_t id) { statement_->remove(TupleId{id}); }
  void commit() { statement_.commit(); }

 private:
  static Datum textOf(const Row& row) {
    const StringValue value =
        StringValue::refer(row.text ? *row.text : std::string_view(), StringValue::Storage::Temporary);
    return {value.lo(), value.hi()};
  }
  LoneStatement statement_;
};

class Model {
 public:
  explicit Model(uint64_t seed) : random_(seed) {}
  uint64_t below(uint64_t limit) { return random_() % limit; }
  Row row() {
    Row row{static_cast<int64_t>(random_()), std::nullopt, static_cast<int32_t>(random_())};
    if (below(5) != 0)
      row.text = std::string(below(60) == 0 ? below(100000) : below(40), static_cast<char>('a' + below(26)));
    return row;
  }
  /// Changes some rows; commits or not.
  void change(Table& table) {
    Rows after = rows_;
    {
      Writer writer(table);
      std::vector<uint64_t> ids;
      for (const auto& [id, row] : rows_)
        if (below(4) == 0) ids.push_back(id);
      const bool appends_first = below(2) == 0;
      const auto append = [&] {
        for (uint64_t count = below(60); count > 0; --count) {
          const Row fresh = row();
          after[writer.append(fresh)] = fresh;
        }
      };
      if (appends_first) append();
      const uint64_t kind = below(4);
      for (const uint64_t id : ids) {
        if (kind == 0 || (kind == 1 && below(4) == 0)) {
          writer.remove(id);
          after.erase(id);
          continue;
        }
        const Row fresh = row();
        std::vector<uint32_t> columns;
        for (const uint32_t column : {0u, 1u, 2u})
          if (below(2) == 0) columns.push_back(column);
        if (columns.empty()) columns.push_back(1);
        writer.update(id, fresh, columns);
        for (const uint32_t column : columns) {
          if (column == 0) after[id].number = fresh.number;
          if (column == 1) after[id].text = fresh.text;
          if (column == 2) after[id].count = fresh.count;
        }
      }
      if (!appends_first) append();
      if (below(4) == 0) return;
      writer.commit();
    }
    rows_ = std::move(after);
  }
  [[nodiscard]] const Rows& rows() const { return rows_; }

 private:
  std::mt19937_64 random_;
  Rows rows_;
};

struct View {
  TransactionManager::SnapshotGuard guard;
  Rows rows;
};

void expectSeen(Table& table, const View& view, uint64_t seed) {
  ASSERT_EQ(scanned(table, view.guard.snapshot()), view.rows) << "seed " << seed;
  for (uint64_t id = 0; id < table.readBound().value; id += 7) {
    const auto expected = view.rows.find(id);
    const std::optional<Row> found = looked(table, view.guard.snapshot(), id);
    ASSERT_EQ(found, expected == view.rows.end() ? std::nullopt : std::optional(expected->second))
        << "tuple " << id << ", seed " << seed;
  }
}

/// Few pages fit into memory, so that maps become orphans and are adopted again.
TEST(Versions, EverySnapshotSeesWhatItSawFirst) {
  const uint64_t seed = testSeed();
  for (uint64_t round = 0; round < 3; ++round) {
    const TemporaryDirectory directory;
    auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 4 * kMiB});
    const std::shared_ptr<Table> table = storage->createTable(kSchema);
    TransactionManager& transactions = storage->transactions();
    Model model(seed + round);
    std::vector<View> views;
    for (int step = 0; step < 120; ++step) {
      model.change(*table);
      if (model.below(3) == 0) views.push_back({transactions.takeSnapshot(), model.rows()});
      if (model.below(4) == 0 && !views.empty())
        views.erase(views.begin() + static_cast<ptrdiff_t>(model.below(views.size())));
      if (model.below(6) == 0) storage->buffers().evict(kMiB);
      for (const View& view : views)
        if (model.below(3) == 0) expectSeen(*table, view, seed + round);
      const View now{transactions.takeSnapshot(), model.rows()};
      expectSeen(*table, now, seed + round);
      if (HasFatalFailure()) return;
    }
    views.clear();
    transactions.collect();
    EXPECT_EQ(transactions.retainedCount(), 0u);
    storage->checkpointAndClose();
    storage::Findings findings;
    storage.reset();
    storage = DatabaseStorage::openReadOnly(directory.path(), {.pool_bytes = 4 * kMiB});
    const std::shared_ptr<Table> again = storage->openTable(table->id());
    again->relation().check(findings);
    EXPECT_EQ(findings.problems, std::vector<std::string>());
    EXPECT_EQ(scanned(*again, Snapshot{}), model.rows());
  }
}

/// Of a table with one column of fixed width that may be null.
std::map<uint64_t, std::optional<uint64_t>> numbersIn(VisibleRows::Order order, Table& table,
                                                      const Snapshot& snapshot) {
  constexpr std::array<uint32_t, 1> kColumns{0};
  std::map<uint64_t, std::optional<uint64_t>> numbers;
  testing::forEachVisibleRow(
      order, table, snapshot, kColumns, [&](uint64_t id, const storage::LeafView& view, uint32_t row) {
        bool is_null = false;
        const Datum value = view.value(0, row, is_null);
        EXPECT_TRUE(numbers.emplace(id, is_null ? std::nullopt : std::optional(value.lo)).second) << "once";
      });
  return numbers;
}

// early | update of rows in threes | middle | update of rows in fives | late
TEST(Versions, UpdatesToNullAndBackAreUndone) {
  constexpr uint64_t kRows = 3000;
  const TemporaryDirectory directory;
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 64 * kMiB});
  const std::shared_ptr<Table> table = storage->createTable({{StoredKind::Int64, true}});
  std::map<uint64_t, std::optional<uint64_t>> numbers;
  {
    LoneStatement statement(*table, kCalm);
    for (uint64_t i = 0; i < kRows; ++i) {
      if (i % 2 == 0) numbers[i] = i + 1;
      const Datum value{numbers[i].value_or(0), 0};
      const uint8_t null_flag = numbers[i] ? 0 : 1;
      ASSERT_EQ(statement->append(&value, &null_flag).value, i);
    }
    statement.commit();
  }
  std::vector<std::pair<TransactionManager::SnapshotGuard, std::map<uint64_t, std::optional<uint64_t>>>> views;
  views.emplace_back(storage->transactions().takeSnapshot(), numbers);
  for (const uint64_t every : {3, 5}) {
    LoneStatement statement(*table, kCalm);
    for (uint64_t i = 0; i < kRows; i += every) {
      numbers[i] = numbers[i] ? std::nullopt : std::optional(1000 * every + i);
      const uint32_t column = 0;
      const Datum value{numbers[i].value_or(0), 0};
      const uint8_t null_flag = numbers[i] ? 0 : 1;
      statement->update(TupleId{i}, {{&column, 1}, &value, &null_flag});
    }
    statement.commit();
    views.emplace_back(storage->transactions().takeSnapshot(), numbers);
  }
  for (const auto& [guard, expected] : views) {
    EXPECT_EQ(numbersIn(VisibleRows::Order::TupleIds, *table, guard.snapshot()), expected);
    EXPECT_EQ(numbersIn(VisibleRows::Order::Any, *table, guard.snapshot()), expected);
  }
}

// first:   begins               changes row 1              commits
// second:          changes row 0, commits
// early:   a snapshot from before all; middle: after the second's commit; late: after both
TEST(Versions, AreNotLookedAtWhereAllWritersHadEnded) {
  const TemporaryDirectory directory;
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 64 * kMiB});
  const std::shared_ptr<Table> table = storage->createTable(kSchema);
  TransactionManager& transactions = storage->transactions();
  {
    Writer writer(*table);
    for (int i = 0; i < 3; ++i) writer.append({i, std::nullopt, i});
    writer.commit();
  }
  const auto early = transactions.takeSnapshot();
  const Rows before = {{0, {0, std::nullopt, 0}}, {1, {1, std::nullopt, 1}}, {2, {2, std::nullopt, 2}}};
  Rows after = before;
  const auto looksAtVersions = [&](const Snapshot& snapshot) {
    storage::LeafView leaf;
    uint32_t row = 0;
    EXPECT_TRUE(table->relation().findStored(TupleId{0}, leaf, row));
    VisibleRows rows;
    rows.attach(leaf, table->schema(), snapshot, transactions.epochs());
    return rows.hasVersions();
  };
  TransactionManager::SnapshotGuard middle;
  {
    Writer first(*table);
    {
      Writer second(*table);
      after[0].number = 100;
      second.update(0, after[0], {0});
      second.commit();
    }
    middle = transactions.takeSnapshot();
    EXPECT_TRUE(looksAtVersions(middle.snapshot())) << "an older transaction may still change the page";
    EXPECT_EQ(scanned(*table, middle.snapshot()), after);
    first.update(1, {101, std::nullopt, 1}, {0});
    EXPECT_EQ(scanned(*table, middle.snapshot()), after);
    first.commit();
  }
  EXPECT_EQ(scanned(*table, middle.snapshot()), after);
  EXPECT_EQ(scanned(*table, early.snapshot()), before);
  after[1].number = 101;
  {
    Writer undone(*table);
    undone.update(2, {102, std::nullopt, 2}, {0});
  }
  const auto late = transactions.takeSnapshot();
  EXPECT_FALSE(looksAtVersions(late.snapshot()));
  EXPECT_TRUE(looksAtVersions(early.snapshot()));
  EXPECT_EQ(scanned(*table, late.snapshot()), after);
  EXPECT_EQ(scanned(*table, early.snapshot()), before);
}

TEST(Versions, GoWhenNobodyNeedsThem) {
  const TemporaryDirectory directory;
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 64 * kMiB});
  const std::shared_ptr<Table> table = storage->createTable(kSchema);
  TransactionManager& transactions = storage->transactions();
  {
    Writer writer(*table);
    for (int i = 0; i < 20000; ++i) writer.append({i, "a text of some length", i});
    writer.commit();
  }
  EXPECT_EQ(transactions.retainedCount(), 0u);
  auto old = transactions.takeSnapshot();
  {
    Writer writer(*table);
    for (uint64_t id = 0; id < 20000; id += 2) writer.remove(id);
    writer.commit();
  }
  EXPECT_EQ(transactions.retainedCount(), 1u);
  EXPECT_EQ(scanned(*table, old.snapshot()).size(), 20000u);
  EXPECT_EQ(table->relation().deletedCount(), 10000u) << "somebody still sees them";
  old.release();
  EXPECT_EQ(transactions.retainedCount(), 0u);
  EXPECT_EQ(table->relation().deletedCount(), 0u) << "they were taken out";
  EXPECT_EQ(scanned(*table, transactions.takeSnapshot().snapshot()).size(), 10000u);
  EXPECT_EQ(transactions.versions().orphanCount(), 0u);
}

/// Whoever reads leaves it to the collector.
TEST(Versions, GoBehindTheBackOfWhoReads) {
  const TemporaryDirectory directory;
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 64 * kMiB});
  storage->collectInBackground();
  const std::shared_ptr<Table> table = storage->createTable(kSchema);
  TransactionManager& transactions = storage->transactions();
  {
    Writer writer(*table);
    for (int i = 0; i < 20000; ++i) writer.append({i, "a text of some length", i});
    writer.commit();
  }
  for (uint64_t round = 0; round < 3; ++round) {
    auto old = transactions.takeSnapshot();
    {
      Writer writer(*table);
      for (uint64_t id = round; id < 20000; id += 4) writer.remove(id);
      writer.commit();
    }
    auto newer = transactions.takeSnapshot();
    EXPECT_EQ(scanned(*table, old.snapshot()).size(), 20000u - round * 5000);
    old.release();
    while (transactions.retainedCount() != 0 || table->relation().deletedCount() != 0) std::this_thread::yield();
    EXPECT_EQ(scanned(*table, newer.snapshot()).size(), 15000u - round * 5000);
  }
  storage->checkpointAndClose();
}

/// A session's transaction of one row.
void insertOne(Table& table, LockOwner& owner) {
  TransactionManager& manager = table.transactions();
  std::shared_ptr<Transaction> transaction = manager.begin(owner);
  const auto guard = manager.takeSnapshot();
  Snapshot snapshot = guard.snapshot();
  snapshot.own = transaction->id();
  snapshot.command = transaction->beginCommand();
  const WriteContext context{.manager = manager,
                             .transaction = *transaction,
                             .snapshot = snapshot,
                             .patience = {kCalm},
                             .is_read_committed = false};
  const std::array<Datum, 3> values{};
  const std::array<uint8_t, 3> nulls{0, 1, 0};
  {
    WriteStatement statement(table, context);
    statement.append(values.data(), nulls.data());
    statement.finish();
  }
  manager.commit(std::move(transaction));
}

/// Each collects his own, and what is left of others' goes in the background; who finds much of it takes it all.
TEST(Versions, OfOthersAreLeftToTheCollector) {
  constexpr size_t kOwn = 3, kOthers = 5, kMany = 70;
  const TemporaryDirectory directory;
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 64 * kMiB});
  storage->collectInBackground();
  const std::shared_ptr<Table> table = storage->createTable(kSchema);
  TransactionManager& transactions = storage->transactions();
  LockOwner owner(transactions.locks()), other(transactions.locks());
  {
    const auto old = transactions.takeSnapshot();
    for (size_t i = 0; i < std::max(kOwn, kOthers); ++i) {
      if (i < kOthers) insertOne(*table, other);
      if (i < kOwn) insertOne(*table, owner);
    }
    EXPECT_EQ(transactions.retainedCount(), kOwn + kOthers);
  }
  transactions.collect(&owner);
  EXPECT_LE(transactions.retainedCount(), kOthers);
  while (transactions.retainedCount() != 0) std::this_thread::yield();
  {
    const auto old = transactions.takeSnapshot();
    for (size_t i = 0; i < kMany; ++i) insertOne(*table, other);
    EXPECT_EQ(transactions.retainedCount(), kMany);
  }
  transactions.collect(&owner);
  EXPECT_EQ(transactions.retainedCount(), 0u);
  EXPECT_EQ(scanned(*table, transactions.takeSnapshot().snapshot()).size(), kOwn + kOthers + kMany);
}

TEST(Versions, VacuumTakesOutWhatEverybodySeesAsDeletedHoweverLittle) {
  const TemporaryDirectory directory;
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 64 * kMiB});
  const std::shared_ptr<Table> table = storage->createTable(kSchema);
  TransactionManager& transactions = storage->transactions();
  {
    Writer writer(*table);
    for (int i = 0; i < 100; ++i) writer.append({i, "a text of some length", i});
    writer.commit();
  }
  auto old = transactions.takeSnapshot();
  {
    Writer writer(*table);
    for (uint64_t id = 0; id < 10; ++id) writer.remove(id);
    writer.commit();
  }
  EXPECT_EQ(table->vacuum(), 0u) << "somebody still sees them";
  EXPECT_EQ(table->relation().deletedCount(), 10u);
  EXPECT_EQ(scanned(*table, old.snapshot()).size(), 100u);
  old.release();
  EXPECT_EQ(table->relation().deletedCount(), 10u) << "too few to be taken out by the way";
  EXPECT_EQ(table->vacuum(), 10u);
  EXPECT_EQ(table->relation().deletedCount(), 0u);
  EXPECT_EQ(scanned(*table, transactions.takeSnapshot().snapshot()).size(), 90u);
  EXPECT_EQ(table->vacuum(), 0u);
}

TEST(Versions, WithoutMemoryForThemNothingStaysAppended) {
  const TemporaryDirectory directory;
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 64 * kMiB});
  const std::shared_ptr<Table> table = storage->createTable(kSchema);
  // The first portion that a transaction takes.
  constexpr uint64_t kBytes = 512;
  VersionMemory& memory = storage->transactions().versionMemory();
  memory.setLimit(kBytes);
  const std::array<Datum, 3> values{};
  const std::array<uint8_t, 3> nulls{0, 1, 0};
  {
    const LocalTransaction transaction(storage->transactions(), kCalm);
    WriteStatement statement(*table, transaction.context());
    const SqlError error = storage::testing::errorOf([&] {
      for (int i = 0; i < 100'000; ++i) statement.append(values.data(), nulls.data());
    });
    EXPECT_STREQ(error.state().text(), "53200");
    EXPECT_EQ(table->relation().leafCount(), kBytes / (sizeof(Version) + sizeof(VersionChain)) + 1)
        << "a version for each";
  }
  storage->transactions().epochs().collect();
  EXPECT_EQ(memory.usedBytes(), 0u);
  EXPECT_EQ(table->relation().tupleCount(), 0u);
  storage::Findings findings;
  table->relation().check(findings);
  EXPECT_EQ(findings.problems, std::vector<std::string>());
  EXPECT_EQ(scanned(*table, storage->transactions().takeSnapshot().snapshot()), Rows());
}

TEST(Versions, ADroppedTableForgetsItsDeletions) {
  const TemporaryDirectory directory;
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 64 * kMiB});
  const std::shared_ptr<Table> table = storage->createTable(kSchema);
  auto old = storage->transactions().takeSnapshot();
  {
    Writer writer(*table);
    for (int i = 0; i < 3000; ++i) writer.append({i, std::nullopt, i});
    writer.commit();
  }
  {
    Writer writer(*table);
    for (uint64_t id = 0; id < 3000; ++id) writer.remove(id);
    writer.commit();
  }
  storage->dropTable(table);
  // Its pages are another's now.
  const std::shared_ptr<Table> other = storage->createTable(kSchema);
  Rows expected;
  {
    Writer writer(*other);
    for (int i = 0; i < 3000; ++i) expected[writer.append({i, "new", -i})] = {i, "new", -i};
    writer.commit();
  }
  old.release();
  EXPECT_EQ(storage->transactions().retainedCount(), 0u);
  EXPECT_EQ(scanned(*other, storage->transactions().takeSnapshot().snapshot()), expected);
}

const VersionChain* chainOf(Table& table, uint64_t id) {
  storage::LeafView leaf;
  uint32_t row = 0;
  if (!table.relation().findStored(TupleId{id}, leaf, row)) return nullptr;
  const auto* const map = static_cast<const VersionMap*>(leaf.frame().version_map.load());
  return map ? map->find(TupleId{id}) : nullptr;
}

/// However often a row is changed while old snapshots are held: its versions are pruned where no snapshot tells them
/// apart.
TEST(Versions, OfARowAreNotManyMoreThanSnapshots) {
  constexpr uint64_t kRows = 3;
  constexpr size_t kViewsMax = 5;
  const uint64_t seed = testSeed();
  std::mt19937_64 random(seed);
  const TemporaryDirectory directory;
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 64 * kMiB});
  const std::shared_ptr<Table> table = storage->createTable(kSchema);
  TransactionManager& transactions = storage->transactions();
  Rows rows;
  {
    Writer writer(*table);
    for (uint64_t i = 0; i < kRows; ++i) {
      const Row row{static_cast<int64_t>(i), "a text of some length", 0};
      rows[writer.append(row)] = row;
    }
    writer.commit();
  }
  std::vector<uint64_t> ids;
  for (const auto& [id, row] : rows) ids.push_back(id);
  std::vector<View> views;
  views.push_back({transactions.takeSnapshot(), rows});
  const std::vector<std::vector<uint32_t>> choices = {{0}, {1}, {2}, {0, 2}, {1, 2}};
  for (int step = 0; step < 20000; ++step) {
    const uint64_t id = ids[random() % kRows];
    const std::vector<uint32_t>& columns = choices[random() % (id == ids[0] ? 1 : choices.size())];
    const bool is_kept = random() % 8 != 0;
    Row row = rows[id];
    for (const uint32_t column : columns) {
      if (column == 0) row.number = static_cast<int64_t>(random());
      if (column == 1) row.text = std::string(random() % 40, 'y');
      if (column == 2) row.count = step;
    }
    Writer writer(*table);
    writer.update(id, row, columns);
    if (is_kept) {
      writer.commit();
      rows[id] = row;
    }
    if (random() % 100 == 0) {
      if (views.size() == kViewsMax)
        views.erase(views.begin() + 1 + static_cast<ptrdiff_t>(random() % (kViewsMax - 1)));
      views.push_back({transactions.takeSnapshot(), rows});
      for (const View& view : views) expectSeen(*table, view, seed);
      if (HasFatalFailure()) return;
    }
    transactions.collectPruned();
  }
  for (const View& view : views) expectSeen(*table, view, seed);
  for (const uint64_t id : ids) {
    const VersionChain* const chain = chainOf(*table, id);
    ASSERT_NE(chain, nullptr);
    // Those of the first few updates have too few columns to be pruned.
    EXPECT_LE(chain->length(), 2 * (kViewsMax + VersionChain::kLong + 4)) << "seed " << seed;
  }
  EXPECT_LT(transactions.retainedCount(), 2000u);
  EXPECT_LT(transactions.versionMemory().usedBytes(), 2 * kMiB);
  views.clear();
  EXPECT_EQ(transactions.retainedCount(), 0u);
  EXPECT_EQ(scanned(*table, transactions.takeSnapshot().snapshot()), rows) << "seed " << seed;
}

// readers:    each sees the same sum as long as it likes
// two writers: move amounts between few rows, each between its own
TEST(Versions, ArePrunedUnderReaders) {
  constexpr int64_t kRows = 6;
  const uint64_t seed = testSeed();
  const TemporaryDirectory directory;
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 16 * kMiB});
  storage->collectInBackground();
  const std::shared_ptr<Table> table = storage->createTable(kSchema);
  TransactionManager& transactions = storage->transactions();
  std::vector<uint64_t> ids;
  {
    Writer writer(*table);
    for (int64_t i = 0; i < kRows; ++i) ids.push_back(writer.append({100, "a text of some length", 0}));
    writer.commit();
  }
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> wrong{0};
  std::vector<std::thread> threads;
  for (int reader = 0; reader < 2; ++reader) {
    threads.emplace_back([&, reader] {
      std::mt19937_64 random(seed + 10 + static_cast<uint64_t>(reader));
      while (!stop.load()) {
        const auto guard = transactions.takeSnapshot();
        const Rows first = scanned(*table, guard.snapshot());
        int64_t sum = 0;
        for (const auto& [id, row] : first) sum += row.number;
        if (sum != kRows * 100) wrong.fetch_add(1);
        for (uint64_t again = random() % 20; again != 0; --again)
          if (scanned(*table, guard.snapshot()) != first) wrong.fetch_add(1);
      }
    });
  }
  for (size_t half = 0; half < 2; ++half) {
    threads.emplace_back([&, half] {
      std::mt19937_64 random(seed + half);
      std::vector<Row> rows(kRows / 2, Row{100, "a text of some length", 0});
      for (int32_t step = 0; step < 3000; ++step) {
        const size_t from = random() % rows.size();
        const size_t to = (from + 1) % rows.size();
        const auto amount = static_cast<int64_t>(random() % 10);
        rows[from].number -= amount;
        rows[to].number += amount;
        rows[to].count = step;
        Writer writer(*table);
        writer.update(ids[half * rows.size() + from], rows[from], {0});
        writer.update(ids[half * rows.size() + to], rows[to], {0, 2});
        writer.commit();
      }
    });
  }
  threads[2].join();
  threads[3].join();
  stop = true;
  threads[0].join();
  threads[1].join();
  EXPECT_EQ(wrong.load(), 0u) << "seed " << seed;
  storage->checkpointAndClose();
}

// writer:   moves amounts between rows, deletes and appends some, gives some statements up
// readers:  the sum over all rows is always the same, and what a snapshot sees stays the same
// pool:     smaller than the table: pages with versions come and go
TEST(Versions, ReadersSeeWholeStatementsWhileOthersWrite) {
  constexpr int64_t kRows = 5000;
  constexpr int64_t kAmount = 100;
  const uint64_t seed = testSeed();
  const TemporaryDirectory directory;
  const auto storage = DatabaseStorage::open(directory.path(), {.pool_bytes = 8 * kMiB});
  storage->collectInBackground();
  const std::shared_ptr<Table> table = storage->createTable(kSchema);
  TransactionManager& transactions = storage->transactions();
  Rows rows;
  {
    Writer writer(*table);
    for (int64_t i = 0; i < kRows; ++i) {
      const Row row{kAmount, std::string(2500, 'x'), 1};
      rows[writer.append(row)] = row;
    }
    writer.commit();
  }
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> reads{0}, wrong{0};
  std::vector<std::thread> readers;
  for (int reader = 0; reader < 2; ++reader) {
    readers.emplace_back([&] {
      while (!stop.load()) {
        const auto guard = transactions.takeSnapshot();
        const Rows first = scanned(*table, guard.snapshot());
        int64_t sum = 0;
        for (const auto& [id, row] : first) sum += row.number;
        if (sum != kRows * kAmount) wrong.fetch_add(1);
        if (scanned(*table, guard.snapshot()) != first) wrong.fetch_add(1);
        reads.fetch_add(1);
      }
    });
  }
  std::mt19937_64 random(seed);
  for (int step = 0; step < 150; ++step) {
    Rows after = rows;
    {
      Writer writer(*table);
      std::vector<uint64_t> ids;
      for (const auto& [id, row] : rows)
        if (random() % 20 == 0) ids.push_back(id);
      int64_t carried = 0;
      for (size_t i = 0; i + 1 < ids.size(); ++i) {
        Row& row = after[ids[i]];
        const auto moved = static_cast<int64_t>(random() % 50);
        if (random() % 3 == 0) {
          carried += row.number;
          writer.remove(ids[i]);
          after.erase(ids[i]);
          continue;
        }
        row.number -= moved;
        carried += moved;
        row.text = std::string(1500 + random() % 1500, 'y');
        writer.update(ids[i], row, {0, 1});
      }
      const Row rest{carried, std::string(2000, 'r'), 1};
      after[writer.append(rest)] = rest;
      for (int i = 0; i < 20; ++i) {
        const Row empty{0, std::string(2000, 'z'), 0};
        after[writer.append(empty)] = empty;
      }
      if (random() % 4 == 0) continue;
      writer.commit();
    }
    rows = std::move(after);
  }
  while (reads.load() < 4 && wrong.load() == 0) std::this_thread::yield();
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong.load(), 0u) << "seed " << seed;
  EXPECT_EQ(scanned(*table, transactions.takeSnapshot().snapshot()), rows) << "seed " << seed;
}

}  // namespace
}  // namespace gnomon::txn
