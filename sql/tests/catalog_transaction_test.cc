#include "sql/catalog/catalog_transaction.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "sql/bind/binder.h"
#include "sql/bound_statement.h"
#include "txn/database_storage.h"
#include "txn/rollback.h"
#include "txn/write_statement.h"

namespace gnomon::sql {
namespace {

const CancelToken kCalm;

/// Somebody who defines: a transaction, not yet committed.
class Definer {
 public:
  Definer(Catalog& catalog, txn::TransactionManager& manager)
      : manager_(manager), owner_(manager.locks()), catalog_(catalog), transaction_(manager.begin(owner_)) {}
  ~Definer() {
    if (transaction_) rollBack();
  }
  void execute(std::string_view text) {
    const auto statements = parse(text);
    BindContext binding{catalog_, {}, false, "alice", "db", "", text};
    const BoundStatement bound = bind(statements.at(0), binding);
    const DefinitionContext context{manager_, *transaction_, {kCalm}};
    if (const auto* create = std::get_if<CreateTableStatement>(&bound.body)) {
      catalog_.createTable(*create, context);
    } else if (const auto* drop = std::get_if<DropTableStatement>(&bound.body)) {
      catalog_.dropTables(*drop, context);
    } else if (const auto* index = std::get_if<CreateIndexStatement>(&bound.body)) {
      catalog_.createIndex(*index, context);
    } else if (const auto* dropped = std::get_if<DropIndexStatement>(&bound.body)) {
      catalog_.dropIndexes(*dropped, context);
    } else if (const auto* truncate = std::get_if<TruncateStatement>(&bound.body)) {
      catalog_.truncateTables(*truncate, context);
    } else {
      const auto& alter = std::get<AlterTableStatement>(bound.body);
      std::vector<Value> values;
      for (const ExpressionPtr& value : alter.added_values) values.push_back(Value::null(value->type));
      catalog_.alterTable(alter, values, nullptr, context);
    }
  }
  /// Appends a row of integers.
  void insert(std::string_view table, const std::vector<int64_t>& row) {
    const TablePtr entry = catalog_.find({"public", std::string(table)});
    const auto snapshot = manager_.takeSnapshot();
    const txn::WriteContext context{
        .manager = manager_,
        .transaction = *transaction_,
        .snapshot = {snapshot.snapshot().start, transaction_->id(), transaction_->beginCommand()},
        .patience = {kCalm}};
    txn::WriteStatement statement(*entry->storage, context);
    std::vector<storage::Datum> values;
    std::vector<uint8_t> nulls;
    for (size_t i = 0; i < entry->columns.size(); ++i) {
      values.push_back({i < row.size() ? static_cast<uint64_t>(row[i]) : 0, 0});
      nulls.push_back(i < row.size() ? 0 : 1);
    }
    statement.append(values.data(), nulls.data());
    statement.finish();
  }
  struct Mark {
    const txn::Version* version;
    size_t definitions;
  };
  [[nodiscard]] Mark mark() const { return {transaction_->newest(), catalog_.mark()}; }
  void undoTo(Mark mark) {
    txn::rollBack(manager_, *transaction_, mark.version);
    catalog_.undoTo(mark.definitions);
  }
  void commit() {
    manager_.commit(std::move(transaction_));
    catalog_.commit();
    owner_.releaseAll();
  }
  void rollBack() {
    undoTo({nullptr, 0});
    manager_.abandon(std::move(transaction_));
    owner_.releaseAll();
  }
  [[nodiscard]] const CatalogTransaction& catalog() const { return catalog_; }

 private:
  txn::TransactionManager& manager_;
  txn::LockOwner owner_;
  CatalogTransaction catalog_;
  std::shared_ptr<txn::Transaction> transaction_;
};

class CatalogTransactionTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "gnomon-catalog-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    open();
  }
  void TearDown() override {
    close();
    std::filesystem::remove_all(directory_);
  }
  void open() {
    storage_ = txn::DatabaseStorage::open(directory_, {.pool_bytes = uint64_t{64} << 20});
    catalog_ = Catalog::open(*storage_, {});
    storage_->dropUnclaimed();
  }
  void close() {
    catalog_.reset();
    storage_.reset();
  }
  void crash() {
    close();
    open();
  }
  void reopen() {
    catalog_.reset();
    storage_->checkpointAndClose();
    close();
    open();
  }
  Definer definer() { return {*catalog_, storage_->transactions()}; }
  void run(const std::vector<std::string_view>& texts) {
    Definer alone = definer();
    for (const std::string_view text : texts) alone.execute(text);
    alone.commit();
  }
  /// Rows as texts, the columns that are not dropped, nulls as "-".
  std::vector<std::string> rows(std::string_view name) {
    const TablePtr table = catalog_->find({"public", std::string(name)});
    std::vector<std::string> result;
    storage::RowCursor row(table->storage->relation(), table->storage->readBound());
    while (row.next()) {
      std::string text;
      for (uint32_t i = 0; i < table->columns.size(); ++i) {
        if (table->columns[i].isDropped()) continue;
        text += (text.empty() ? "" : " ") + (row.isNull(i) ? "-" : std::to_string(row.value(i).lo));
      }
      result.push_back(text);
    }
    return result;
  }
  static std::vector<std::string> names(const CatalogView& view) {
    std::vector<std::string> result;
    for (const TablePtr& table : view.tables()) {
      result.push_back(table->name);
      for (const IndexPtr& index : table->indexes) result.push_back(index->name);
    }
    return result;
  }
  void expectSound() {
    storage::Findings findings;
    storage_->check(findings);
    EXPECT_EQ(findings.problems, std::vector<std::string>());
  }

  using Names = std::vector<std::string>;
  std::filesystem::path directory_;
  std::unique_ptr<txn::DatabaseStorage> storage_;
  std::unique_ptr<Catalog> catalog_;
};

TEST_F(CatalogTransactionTest, OthersSeeWhatIsCommitted) {
  run({"create table old (a int primary key)"});
  Definer one = definer();
  one.execute("create table t (a int, b int)");
  one.execute("create index on t (b)");
  one.execute("alter table old rename to older");
  EXPECT_EQ(names(one.catalog()), (Names{"older", "old_pkey", "t", "t_b_idx"}));
  EXPECT_EQ(one.catalog().findIndexTable({"public", "old_pkey"})->name, "older");
  EXPECT_EQ(one.catalog().find({"public", "old"}), nullptr);
  EXPECT_EQ(names(*catalog_), (Names{"old", "old_pkey"}));
  EXPECT_EQ(catalog_->findIndexTable({"public", "t_b_idx"}), nullptr);
  one.commit();
  EXPECT_EQ(names(*catalog_), (Names{"older", "old_pkey", "t", "t_b_idx"}));
  reopen();
  EXPECT_EQ(names(*catalog_), (Names{"older", "old_pkey", "t", "t_b_idx"}));
  expectSound();
}

TEST_F(CatalogTransactionTest, UndoesDefinitionsLastFirst) {
  run({"create table t (a int primary key, b int)", "create index t_b on t (b)"});
  {
    Definer one = definer();
    for (int i = 0; i < 5; ++i) one.insert("t", {i, i});
    one.commit();
  }
  const TablePtr before = catalog_->find({"public", "t"});
  Definer one = definer();
  one.insert("t", {10, 10});
  const Definer::Mark first = one.mark();
  one.execute("drop index t_b");
  one.insert("t", {11, 11});
  const Definer::Mark second = one.mark();
  one.execute("truncate t");
  one.insert("t", {0, 0});
  one.execute("create unique index t_x on t (b, a)");
  one.execute("drop table t");
  one.execute("create table t (z int)");
  one.execute("create table t_b (z int)");
  one.undoTo(second);
  EXPECT_EQ(names(one.catalog()), (Names{"t", "t_pkey"}));
  EXPECT_EQ(rows("t"), (Names{"0 0", "1 1", "2 2", "3 3", "4 4", "10 10", "11 11"}));
  one.undoTo(first);
  EXPECT_EQ(one.catalog().find({"public", "t"}), before);
  EXPECT_EQ(names(one.catalog()), (Names{"t", "t_pkey", "t_b"}));
  one.rollBack();
  EXPECT_EQ(catalog_->find({"public", "t"}), before);
  EXPECT_EQ(rows("t"), (Names{"0 0", "1 1", "2 2", "3 3", "4 4"}));
  expectSound();
  reopen();
  EXPECT_EQ(names(*catalog_), (Names{"t", "t_pkey", "t_b"}));
  expectSound();
}

TEST_F(CatalogTransactionTest, GivesPagesBack) {
  run({"create table t (a int primary key, b int)"});
  const auto pagesInUse = [&] {
    storage::Findings findings;
    storage_->check(findings);
    return findings.pages.size();
  };
  {
    Definer settle = definer();
    settle.execute("create table x (a int primary key)");
    settle.execute("drop table x");
    settle.commit();
  }
  const size_t pages = pagesInUse();
  for (const bool is_committed : {false, true}) {
    Definer one = definer();
    one.execute("create table x (a int primary key)");
    one.execute("create index on x (a)");
    one.execute("truncate x");
    one.execute("truncate t");
    one.execute("create index t_b on t (b)");
    one.execute("drop table x");
    one.execute("drop index t_b");
    if (is_committed)
      one.commit();
    else
      one.rollBack();
    EXPECT_EQ(pagesInUse(), pages) << is_committed;
    expectSound();
  }
}

TEST_F(CatalogTransactionTest, ColumnsThatNobodyUsedLeaveNothingBehind) {
  run({"create table t (a int)"});
  {
    Definer one = definer();
    one.insert("t", {1});
    one.commit();
  }
  for (int i = 0; i < 50; ++i) {
    Definer one = definer();
    one.execute("alter table t add column b int, alter column a drop not null");
    one.rollBack();
  }
  EXPECT_EQ(catalog_->find({"public", "t"})->columns.size(), 1u);
  EXPECT_EQ(catalog_->find({"public", "t"})->storage->schema().size(), 1u);
}

TEST_F(CatalogTransactionTest, ColumnsThatWereWrittenStayAsDroppedOnes) {
  run({"create table t (a int)"});
  {
    Definer one = definer();
    one.insert("t", {1});
    one.execute("alter table t add column b int");
    one.insert("t", {2, 3});
    const Definer::Mark mark = one.mark();
    one.execute("alter table t add column c int");
    one.insert("t", {4, 5, 6});
    one.undoTo(mark);
    EXPECT_EQ(one.catalog().find({"public", "t"})->columns.size(), 3u);
    EXPECT_TRUE(one.catalog().find({"public", "t"})->columns[2].isDropped());
    one.insert("t", {7, 8});
    one.commit();
  }
  const Names expected{"1 -", "2 3", "7 8"};
  EXPECT_EQ(rows("t"), expected);
  reopen();
  EXPECT_EQ(rows("t"), expected);
  EXPECT_EQ(catalog_->find({"public", "t"})->columns.size(), 3u);
  run({"alter table t add column d int"});
  EXPECT_EQ(rows("t"), (Names{"1 - -", "2 3 -", "7 8 -"}));
  reopen();
  EXPECT_EQ(rows("t"), (Names{"1 - -", "2 3 -", "7 8 -"}));
  expectSound();
}

TEST_F(CatalogTransactionTest, ACrashUndoesWhatWasNotCommitted) {
  run({"create table t (a int primary key)", "create table gone (a int)", "create table kept (a int)"});
  {
    Definer one = definer();
    one.insert("t", {1});
    one.insert("gone", {2});
    one.insert("kept", {3});
    one.commit();
  }
  run({"drop table gone", "truncate kept"});
  {
    Definer one = definer();
    one.execute("alter table t add column b int");
    one.insert("t", {2, 3});
    one.execute("create index t_b on t (b)");
    one.execute("drop table kept");
    one.execute("create table fresh (a int)");
    one.insert("fresh", {1});
    storage_->buffers().log().wal().flushAll();
    // What the process forgets.
    std::filesystem::path copy = directory_;
    copy += "-copy";
    std::filesystem::copy(directory_, copy, std::filesystem::copy_options::recursive);
    one.rollBack();
    close();
    std::filesystem::remove_all(directory_);
    std::filesystem::rename(copy, directory_);
  }
  open();
  EXPECT_EQ(names(*catalog_), (Names{"kept", "t", "t_pkey"}));
  EXPECT_EQ(rows("t"), Names{"1"});
  EXPECT_EQ(rows("kept"), Names{});
  expectSound();
  run({"alter table t add column c int"});
  EXPECT_EQ(rows("t"), Names{"1 -"});
  crash();
  EXPECT_EQ(rows("t"), Names{"1 -"});
  expectSound();
}

TEST_F(CatalogTransactionTest, WhoGivesTheSameNameWaits) {
  for (const bool is_committed : {true, false}) {
    Definer one = definer();
    one.execute("create table t (a int)");
    std::string outcome;
    std::thread other([&] {
      Definer two = definer();
      try {
        two.execute("create table t (b int)");
        two.commit();
        outcome = "made";
      } catch (const SqlError& error) {
        outcome = error.state().text();
      }
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    if (is_committed)
      one.commit();
    else
      one.rollBack();
    other.join();
    EXPECT_EQ(outcome, is_committed ? "42P07" : "made");
    EXPECT_EQ(catalog_->find({"public", "t"})->columns[0].name, is_committed ? "a" : "b");
    run({"drop table t"});
  }
}

}  // namespace
}  // namespace gnomon::sql
