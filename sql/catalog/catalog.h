#pragma once

#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sql/catalog/catalog_store.h"
#include "sql/catalog/catalog_view.h"
#include "sql/catalog/cluster.h"
#include "sql/catalog/database_activity.h"

namespace gnomon::txn {
class DatabaseStorage;
class KeyExpressions;
}  // namespace gnomon::txn

namespace gnomon::sql {

/// Makes the code that computes keys from what an index's definition says. The room that compiles provides it.
using KeyExpressionsCompiler = std::function<std::shared_ptr<const txn::KeyExpressions>(
    const std::shared_ptr<const IndexExpressions>& expressions)>;

class Catalog;

/// What a table was and what it is instead; null: it was not, or is not any more. Or the same of a schema, role or
/// database.
struct TableChange {
  TablePtr before;
  TablePtr after;
  SchemaPtr schema_before = nullptr;
  SchemaPtr schema_after = nullptr;
  RolePtr role_before = nullptr;
  RolePtr role_after = nullptr;
  DatabasePtr database_before = nullptr;
  DatabasePtr database_after = nullptr;
  std::shared_ptr<Catalog> made = nullptr;  ///< of a new database
};

/// The tables and indexes of one database as they are committed. Whoever defines does so in a CatalogTransaction.
/// Threads: any.
class Catalog final : public CatalogView {
 public:
  /// No tables, and none can be made: what expressions that name no table are bound against.
  Catalog();
  /// That of kDatabaseOid over `store`: loads every entry, into the catalogs of all databases, which are the cluster's.
  explicit Catalog(std::unique_ptr<CatalogStore> store);
  /// Of another database, without tables or schemas of its own. `cluster` outlives it.
  Catalog(Cluster& cluster, uint32_t database);
  ~Catalog() override;
  /// The catalog kept in the system relations of `storage`, which it creates in a new directory.
  /// Failure: XX001 when an entry cannot be read.
  static std::unique_ptr<Catalog> open(txn::DatabaseStorage& storage, KeyExpressionsCompiler compiler);

  [[nodiscard]] TablePtr findEntry(const ObjectPath& path) const override;
  [[nodiscard]] TablePtr findEntry(uint32_t oid) const override;
  [[nodiscard]] std::vector<TablePtr> entries() const override;
  [[nodiscard]] std::vector<TablePtr> routinesNamed(std::string_view schema, std::string_view name) const override;
  [[nodiscard]] TablePtr findIndexTable(const ObjectPath& path) const override;
  [[nodiscard]] VirtualRelationPtr findVirtual(std::string_view schema, std::string_view name) const override {
    return cluster_->virtualRelations().find(schema, name);
  }
  [[nodiscard]] const std::vector<VirtualRelationPtr>& virtualRelations() const override {
    return cluster_->virtualRelations().all();
  }
  [[nodiscard]] std::vector<SchemaPtr> schemas() const override;
  [[nodiscard]] SchemaPtr findSchema(std::string_view name) const override;
  using CatalogView::findSchema;
  [[nodiscard]] DatabasePtr database() const override { return cluster_->findDatabase(database_); }
  [[nodiscard]] std::vector<DatabasePtr> databases() const override { return cluster_->databases(); }
  [[nodiscard]] std::vector<TablePtr> entriesOf(uint32_t database) const override;
  [[nodiscard]] std::vector<RolePtr> roles() const override { return cluster_->roles(); }
  [[nodiscard]] RolePtr findRole(uint32_t oid) const override { return cluster_->findRole(oid); }
  using CatalogView::findRole;
  /// That of who has no session: what the setting says before anybody sets it.
  [[nodiscard]] const SearchPath& searchPath() const override;
  /// Before sessions begin.
  void addVirtual(VirtualRelation relation) { cluster_->virtualRelations().add(std::move(relation)); }
  [[nodiscard]] Cluster& cluster() { return *cluster_; }
  [[nodiscard]] const Cluster& cluster() const { return *cluster_; }
  [[nodiscard]] DatabaseActivity& activity() { return activity_; }
  /// Its database.
  [[nodiscard]] uint32_t databaseOid() const { return database_; }
  /// What the store has of this database. Before others see it.
  void adopt(const CatalogStore::Contents& stored);

  /// What happened to tables and schemas, in order, is there for all. The caller has the names, and the tables, alone,
  /// or shares tables with readers, for whom what they are bound to stays good.
  void publish(std::span<const TableChange> changes);
  /// Grows with each publish() in any database, before the locks of its tables are free: who has locked a table and
  /// finds the number that it was when he found the table here finds it still.
  [[nodiscard]] uint64_t version() const { return cluster_->version(); }
  /// Grows with each publish() that has to do with roles, or with what they may do in databases or in schemas: what
  /// was bound before may not be allowed any more.
  [[nodiscard]] uint64_t accessVersion() const { return cluster_->accessVersion(); }
  /// Nobody uses the sequences any more: a clean restart skips none of their values. Those for which there is no room
  /// do.
  void settleSequences() noexcept;
  [[nodiscard]] CatalogStore& store() { return cluster_->store(); }
  /// Held by who gives the name to something, or takes it away, until his transaction ends: what others may do with it
  /// depends on that. Without a schema it is the name of one.
  [[nodiscard]] std::shared_ptr<txn::ObjectLock> nameLock(const ObjectPath& path) {
    return cluster_->nameLock(database_, path);
  }
  /// An oid that no other object of any database has, or has had since the server was started, but for relations.
  [[nodiscard]] uint32_t newOid() { return cluster_->newOid(); }

 private:
  void addSystemSchemas();

  const std::unique_ptr<Cluster> owned_;  ///< null: the cluster is somebody else's
  Cluster* const cluster_;
  const uint32_t database_;
  DatabaseActivity activity_;
  mutable std::shared_mutex mutex_;  ///< guards what follows
  std::map<ObjectPath, TablePtr> tables_;
  std::unordered_map<uint32_t, TablePtr> by_oid_;   ///< the same tables
  std::map<ObjectPath, std::string> index_tables_;  ///< from an index's name to its table's, in its schema
  std::map<std::string, SchemaPtr, std::less<>> schemas_;
};

}  // namespace gnomon::sql
