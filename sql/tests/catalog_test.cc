#include "sql/catalog/catalog.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "sql/bind/binder.h"
#include "sql/bound_statement.h"
#include "sql/catalog/define_alone.h"
#include "txn/database_storage.h"

namespace gnomon::sql {
namespace {

class CatalogTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "gnomon-catalog-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    open();
  }
  void TearDown() override {
    catalog_.reset();
    storage_.reset();
    std::filesystem::remove_all(directory_);
  }
  void open() {
    static constexpr uint64_t kPoolBytes = uint64_t{64} << 20;
    storage_ = txn::DatabaseStorage::open(directory_, {.pool_bytes = kPoolBytes});
    catalog_ = Catalog::open(*storage_, {});
  }
  void reopen() {
    catalog_.reset();
    storage_->checkpointAndClose();
    storage_.reset();
    open();
  }
  template <typename Body>
  Body bindAs(std::string_view text) {
    const auto statements = parse(text);
    BindContext context{*catalog_, {}, false, "alice", "db", "", text};
    return std::get<Body>(bind(statements.at(0), context).body);
  }
  template <typename Define>
  void define(Define&& define) {
    defineAlone(*catalog_, storage_->transactions(), cancel_, define);
  }
  bool create(std::string_view text) {
    bool is_made = false;
    define([&](CatalogTransaction& definitions, const DefinitionContext& context) {
      is_made = definitions.createTable(bindAs<CreateTableStatement>(text), context);
    });
    return is_made;
  }
  void alter(std::string_view text) {
    define([&](CatalogTransaction& definitions, const DefinitionContext& context) {
      definitions.alterTable(bindAs<AlterTableStatement>(text), {}, nullptr, context);
    });
  }
  std::vector<std::string> drop(std::string_view text) {
    std::vector<SqlError> notices;
    define([&](CatalogTransaction& definitions, const DefinitionContext& context) {
      definitions.dropTables(bindAs<DropTableStatement>(text), context, &notices);
    });
    std::vector<std::string> messages;
    for (const SqlError& notice : notices) messages.push_back(notice.message());
    return messages;
  }

  std::filesystem::path directory_;
  std::unique_ptr<txn::DatabaseStorage> storage_;
  std::unique_ptr<Catalog> catalog_;
  CancelToken cancel_;
};

TEST_F(CatalogTest, RemembersTablesAcrossARestart) {
  EXPECT_TRUE(create("create table t (a int not null, n numeric(15,2) default 1.5, v varchar(7), u numeric)"));
  EXPECT_TRUE(create("create table other_table_with_a_long_name (x timestamp default '2020-01-01')"));
  const uint32_t oid = catalog_->find({"public", "t"})->oid;
  EXPECT_GE(oid, 16384u);
  reopen();
  ASSERT_EQ(catalog_->tables().size(), 2u);
  const TablePtr table = catalog_->find({"public", "t"});
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->oid, oid);
  ASSERT_EQ(table->columns.size(), 4u);
  EXPECT_EQ(table->columns[0].name, "a");
  EXPECT_TRUE(table->columns[0].not_null);
  EXPECT_EQ(table->columns[1].type, numericWithModifier(15, 2));
  EXPECT_EQ(table->columns[1].default_text, "1.5");
  EXPECT_EQ(table->columns[2].type, Type::of(TypeKind::Varchar, 11));
  EXPECT_EQ(table->columns[3].type, Type::bigNumeric());
  EXPECT_NE(table->storage, nullptr);
}

TEST_F(CatalogTest, RemembersChecksAcrossARestart) {
  create(R"(create table t (a int constraint z check (a > 0), "B b" text, check (t."B b" <> 'x' or a > 5)))");
  create("create table w (a int check (a < 3))");
  create("create table gone (a int check (a < 3))");
  alter("alter table t rename a to c");
  alter("alter table t add constraint m check (c < 100) not valid");
  drop("drop table gone");
  for (int round = 0; round < 2; ++round) {
    reopen();
    const TablePtr table = catalog_->find({"public", "t"});
    ASSERT_EQ(table->checks.size(), 3u);
    EXPECT_EQ(table->checks[0].name, "m");
    EXPECT_EQ(table->checks[0].expression, "c < 100");
    EXPECT_FALSE(table->checks[0].is_valid);
    EXPECT_EQ(table->checks[1].name, "t_check");
    EXPECT_EQ(table->checks[1].expression, R"("B b" <> 'x' OR c > 5)");
    EXPECT_TRUE(table->checks[1].is_valid);
    EXPECT_EQ(table->checks[2].expression, "c > 0");
    ASSERT_EQ(table->check_expressions->checks.size(), 3u);
    EXPECT_EQ(table->check_expressions->checks[1].name, "t_check");
    EXPECT_EQ(table->check_expressions->checks[1].columns, (std::vector<uint32_t>{0, 1}));
    EXPECT_EQ(catalog_->find({"public", "w"})->checks.size(), 1u);
  }
  alter("alter table t drop constraint m, drop constraint t_check, drop constraint z");
  reopen();
  EXPECT_EQ(catalog_->find({"public", "t"})->checks.size(), 0u);
  EXPECT_EQ(catalog_->find({"public", "t"})->check_expressions, nullptr);
}

TEST_F(CatalogTest, DropsAllOrNone) {
  create("create table t (a int)");
  create("create table w (a int)");
  EXPECT_THROW(drop("drop table t, nope"), SqlError);
  EXPECT_NE(catalog_->find({"public", "t"}), nullptr);
  EXPECT_EQ(drop("drop table if exists t, nope"), std::vector<std::string>{"table \"nope\" does not exist, skipping"});
  EXPECT_EQ(catalog_->find({"public", "t"}), nullptr);
  reopen();
  EXPECT_EQ(catalog_->find({"public", "t"}), nullptr);
  EXPECT_NE(catalog_->find({"public", "w"}), nullptr);
}

TEST_F(CatalogTest, RefusesASecondTableOfTheName) {
  create("create table t (a int)");
  EXPECT_FALSE(create("create table if not exists t (b int)"));
  try {
    create("create table t (b int)");
    FAIL();
  } catch (const SqlError& error) {
    EXPECT_EQ(error.state(), sqlstate::kDuplicateTable);
    EXPECT_EQ(error.message(), "relation \"t\" already exists");
  }
}

TEST_F(CatalogTest, DropWaitsForUsersAndCanBeCancelled) {
  create("create table t (a int)");
  txn::LockOwner user(storage_->transactions().locks());
  user.acquire(catalog_->find({"public", "t"})->storage->lock(), txn::LockMode::AccessShare, {cancel_});
  CancelToken drop_cancel;
  std::thread waiter([&] {
    EXPECT_THROW(defineAlone(*catalog_, storage_->transactions(), drop_cancel,
                             [&](CatalogTransaction& definitions, const DefinitionContext& context) {
                               definitions.dropTables(bindAs<DropTableStatement>("drop table t"), context);
                             }),
                 SqlError);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  // Others go on meanwhile.
  create("create table w (a int)");
  drop_cancel.request(CancelToken::Reason::UserRequest);
  waiter.join();
  EXPECT_NE(catalog_->find({"public", "t"}), nullptr);
  user.releaseAll();
  EXPECT_TRUE(drop("drop table t").empty());
}

}  // namespace
}  // namespace gnomon::sql
