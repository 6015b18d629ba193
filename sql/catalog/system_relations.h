#pragma once

#include <map>
#include <memory>
#include <vector>

#include "sql/catalog/catalog.h"
#include "sql/catalog/catalog_store.h"
#include "sql/catalog/database_rows.h"
#include "sql/catalog/privilege_rows.h"
#include "sql/catalog/role_rows.h"
#include "txn/database_storage.h"
#include "txn/write_statement.h"

namespace gnomon::sql {

/// The catalog in relations of the database itself.
///
/// Relation 1, tables:   oid (int32), name (string), size class of leaves (int16), relation id (int32), schema's name
///                       (string), owner (int32), oid of the database (int32)
/// Relation 2, columns:  table oid (int32), number from 1 (int16), name (string), type oid (int32), typmod (int32),
///                       not null (bool), default as SQL (string, null: none), identity (int16: 1 BY DEFAULT, 2
///                       ALWAYS), collation's name (string, null: the type's). A dropped column has no name. How
///                       columns are stored is known with the relation.
/// Relations 3 and 4, indexes and their columns:  index_rows.h
/// Relation 6, checks:   table oid (int32), name (string), flags (int16: 1 all rows pass), condition as SQL (string);
///                       flags 4: a storage parameter of the table: its number, and "name=value"; 8: the order of
///                       its columns (column_order.h): the numbers of relation 2, 0 for one that is not there
/// Relation 7, foreign keys:  foreign_key_rows.h
/// Relation 8, sequences:  sequence_rows.h; a sequence is a table besides, of one row
/// Relation 9, views:  view_rows.h; a view is a table besides, without rows
/// Relation 10, schemas:  oid (int32), name (string), comment (string, null: none), owner (int32), oid of the database
///                        (int32); not those of the system
/// Relation 11, comments:  comment_rows.h
/// Relation 12, types that users made:  user_type_rows.h; a type is a
/// table besides, without rows. A column of a domain
///                       has the domain's oid as its type
/// Relations 13 and 14, partition keys and partitions:  partition_rows.h
/// Relations 15 to 17 and 19, roles, what they are members of, their settings and default rights:  role_rows.h
/// Relation 18, rights on objects:  privilege_rows.h
/// Relations 20 and 21, routines and their parameters:  routine_rows.h; a routine is a table besides, without rows
/// Relation 22, triggers:  trigger_rows.h
/// Relations 30 to 32, databases, their settings and rights on them:  database_rows.h
/// Invariants:  R1  every row of columns belongs to a row of tables; numbers are 1 .. n in the order of the rows
///              R2  a relation may have more columns than its table: rolled back ones, at the end
///              R3  the schema of every row of tables is there, in its database, or pg_catalog (system_tables.h)
/// Threads: as CatalogStore.
class SystemRelations final : public CatalogStore {
 public:
  /// Creates the relations in a new directory. Failure: as DatabaseStorage.
  SystemRelations(txn::DatabaseStorage& storage, KeyExpressionsCompiler compiler);

  Contents load() override;
  void claim(const TableEntry& table, txn::LockMode mode, const DefinitionContext& context) override;
  void record(const TableEntry* before, const TableEntry* after, const DefinitionContext& context) override;
  void recordSchema(const SchemaEntry* before, const SchemaEntry* after, const DefinitionContext& context) override;
  void recordDatabase(const DatabaseEntry* before, const DatabaseEntry* after,
                      const DefinitionContext& context) override;
  void recordRole(const RoleEntry* before, const RoleEntry* after, const DefinitionContext& context) override;
  void createStorage(TableEntry& entry, std::shared_ptr<txn::ObjectLock> lock, const CancelToken& cancel) override;
  void dropStorage(const TableEntry& entry) noexcept override;
  void alterStorage(const TableEntry& before, TableEntry& after, const ExistingRowsTest* test, StorageChange& done,
                    const CancelToken& cancel) override;
  TablePtr undoStorage(const TablePtr& before, const StorageChange& done) noexcept override;
  void openIndexes(const StorageChange& done) noexcept override;
  void completeStorage(const TableEntry& before, const StorageChange& done) noexcept override;

 private:
  void createFirstObjects();
  [[nodiscard]] std::vector<SchemaPtr> loadSchemas() const;
  void openTables(const std::map<uint32_t, txn::RelationId>& relations,
                  std::map<uint32_t, std::shared_ptr<TableEntry>>& tables);
  void loadColumns(std::map<uint32_t, std::shared_ptr<TableEntry>>& tables);
  void loadChecks(std::map<uint32_t, std::shared_ptr<TableEntry>>& tables);
  void loadIndexes(std::map<uint32_t, std::shared_ptr<TableEntry>>& tables);
  [[nodiscard]] IndexPtr buildIndex(const TableEntry& table, const IndexEntry& specified, const CancelToken& cancel);
  void removeEntry(const TableEntry& entry, const txn::WriteContext& context);
  void appendEntry(const TableEntry& entry, const txn::WriteContext& context);
  static void setDeferral(const TableEntry& table, const IndexEntry& index);
  [[nodiscard]] txn::IndexDefinition definitionOf(const TableEntry& table, const IndexEntry& index) const;

  txn::DatabaseStorage& storage_;
  const KeyExpressionsCompiler compiler_;
  std::shared_ptr<txn::Table> tables_;
  std::shared_ptr<txn::Table> columns_;
  std::shared_ptr<txn::Table> indexes_;
  std::shared_ptr<txn::Table> index_columns_;
  std::shared_ptr<txn::Table> checks_;
  std::shared_ptr<txn::Table> foreign_keys_;
  std::shared_ptr<txn::Table> sequences_, views_, schemas_, comments_, user_types_, partition_keys_, partitions_;
  std::shared_ptr<txn::Table> triggers_, routines_, routine_parameters_;
  std::unique_ptr<RoleRelations> roles_;
  std::unique_ptr<DatabaseRelations> databases_;
  std::unique_ptr<PrivilegeRelation> privileges_;
};

}  // namespace gnomon::sql
