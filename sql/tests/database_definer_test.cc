#include "sql/catalog/database_definer.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "sql/bind/binder.h"
#include "sql/bound_statement.h"
#include "sql/catalog/define_alone.h"
#include "txn/database_storage.h"
#include "txn/rollback.h"

namespace gnomon::sql {
namespace {

const CancelToken kCalm;

class DatabaseDefinerTest : public testing::Test {
 protected:
  using Names = std::vector<std::string>;

  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "gnomon-databases-XXXXXX").string();
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
  /// In a transaction that commits, or does not.
  template <typename Define>
  void define(Catalog& catalog, bool commits, Define&& define) {
    CatalogTransaction definitions(catalog);
    txn::TransactionManager& manager = storage_->transactions();
    txn::LockOwner owner(manager.locks());
    std::shared_ptr<txn::Transaction> transaction = manager.begin(owner);
    define(definitions, DefinitionContext{manager, *transaction, {kCalm}});
    if (commits) {
      manager.commit(std::move(transaction));
      definitions.commit();
    } else {
      txn::rollBack(manager, *transaction, nullptr);
      definitions.undoTo(0);
      manager.abandon(std::move(transaction));
    }
    owner.releaseAll();
  }
  void create(const std::string& name, bool commits = true, const std::string& from = "template1") {
    define(*catalog_, commits, [&](CatalogTransaction& definitions, const DefinitionContext& context) {
      DatabaseDefiner(definitions, context, [](const auto&) {}).create({.name = name, .from = from});
    });
  }
  void drop(const std::string& name, bool commits = true) {
    define(*catalog_, commits, [&](CatalogTransaction& definitions, const DefinitionContext& context) {
      DatabaseDefiner(definitions, context, [](const auto&) {}).drop({.name = name});
    });
  }
  std::shared_ptr<Catalog> in(const std::string& name) {
    return catalog_->cluster().catalogOf(catalog_->findDatabase(name)->oid);
  }
  void createTable(const std::string& database, std::string_view text) {
    define(*in(database), true, [&](CatalogTransaction& definitions, const DefinitionContext& context) {
      const auto statements = parse(text);
      BindContext binding{definitions, {}, false, "alice", database, "", text};
      const BoundStatement bound = bind(statements.at(0), binding);
      definitions.createTable(std::get<CreateTableStatement>(bound.body), context);
    });
  }
  Names databases() {
    Names names;
    for (const DatabasePtr& each : catalog_->databases()) names.push_back(each->name);
    std::ranges::sort(names);
    return names;
  }
  static Names tables(const Catalog& catalog) {
    Names names;
    for (const TablePtr& each : catalog.tables()) names.push_back(each->path().shown());
    return names;
  }
  void expectSound() {
    storage::Findings findings;
    storage_->check(findings);
    EXPECT_EQ(findings.problems, std::vector<std::string>());
  }

  std::filesystem::path directory_;
  std::unique_ptr<txn::DatabaseStorage> storage_;
  std::unique_ptr<Catalog> catalog_;
};

TEST_F(DatabaseDefinerTest, NamesAndOidsAreLookedForInOneDatabase) {
  create("one");
  createTable("one", "create table t (a int primary key)");
  createTable("postgres", "create table t (a int)");
  const TablePtr there = in("one")->find({"public", "t"}), here = catalog_->find({"public", "t"});
  ASSERT_TRUE(there && here);
  EXPECT_NE(there->oid, here->oid);
  EXPECT_EQ(catalog_->findEntry(there->oid), nullptr);
  EXPECT_EQ(catalog_->findIndexTable({"public", "t_pkey"}), nullptr);
  EXPECT_EQ(in("one")->findIndexTable({"public", "t_pkey"}), there);
  EXPECT_NE(in("one")->findSchema("public")->oid, catalog_->findSchema("public")->oid);
  crash();
  EXPECT_EQ(databases(), (Names{"one", "postgres", "template0", "template1"}));
  EXPECT_EQ(in("one")->find({"public", "t"})->oid, there->oid);
  EXPECT_EQ(tables(*catalog_), Names{"public.t"});
  expectSound();
}

TEST_F(DatabaseDefinerTest, WhatIsNotCommittedWasNever) {
  create("one");
  createTable("one", "create table t (a int primary key)");
  create("two", false, "one");
  EXPECT_EQ(databases(), (Names{"one", "postgres", "template0", "template1"}));
  drop("one", false);
  EXPECT_EQ(tables(*in("one")), Names{"public.t"});
  create("two");
  EXPECT_EQ(tables(*in("two")), Names());
  crash();
  EXPECT_EQ(databases(), (Names{"one", "postgres", "template0", "template1", "two"}));
  EXPECT_EQ(tables(*in("one")), Names{"public.t"});
  expectSound();
}

TEST_F(DatabaseDefinerTest, WhatGoesTakesAllWithIt) {
  create("one");
  createTable("one", "create table t (a int primary key)");
  createTable("one", "create table u (a int references t)");
  create("two", true, "one");
  EXPECT_EQ(tables(*in("two")), (Names{"public.t", "public.u"}));
  const TablePtr child = in("two")->find({"public", "u"}), parent = in("two")->find({"public", "t"});
  ASSERT_EQ(child->foreign_keys.size(), 1U);
  EXPECT_EQ(child->foreign_keys[0].parent, parent->oid);
  EXPECT_EQ(child->foreign_keys[0].parent_index, parent->indexes[0]->oid);
  ASSERT_EQ(parent->referring_keys.size(), 1U);
  EXPECT_EQ(parent->referring_keys[0].table, child->oid);
  const std::shared_ptr<Catalog> gone = in("one");
  drop("one");
  EXPECT_EQ(databases(), (Names{"postgres", "template0", "template1", "two"}));
  EXPECT_EQ(tables(*gone), Names());
  crash();
  EXPECT_EQ(databases(), (Names{"postgres", "template0", "template1", "two"}));
  EXPECT_EQ(in("two")->find({"public", "u"})->foreign_keys[0].parent, parent->oid);
  expectSound();
}

}  // namespace
}  // namespace gnomon::sql
