#pragma once

#include <map>
#include <memory>
#include <vector>

#include "sql/catalog/catalog.h"
#include "sql/catalog/catalog_store.h"
#include "txn/database_storage.h"
#include "txn/local_transaction.h"

namespace gnomon::sql {

/// The catalog in relations of the database itself.
///
/// Relation 1, tables:   oid (int32), name (string)
/// Relation 2, columns:  table oid (int32), number from 1 (int16), name (string), type oid (int32), typmod (int32),
///                       not null (bool), default as SQL (string, null: none); how it is stored: since (int32),
///                       nullable (bool), nullable since (int32), missing (string, null: NULL; bytes of a text, or both
///                       words). A dropped column has no name.
/// Relation 3, indexes:  oid (int32), table oid (int32), name (string), flags (int16: 1 unique, 2 primary,
///                       4 constraint), predicate as SQL (string, null: none)
/// Relation 4, index columns:  index oid (int32), number from 1 (int16), table's column number (int16, 0: an
///                       expression), flags (int16: 1 descending, 2 nulls first), expression as SQL (string, null:
///                       none)
/// Relation 6, checks:   table oid (int32), name (string), flags (int16: 1 all rows pass), condition as SQL (string)
/// Invariants:  R1  every row of columns belongs to a row of tables; numbers are 1 .. n in the order of the rows
///              R2  a table's oid is its relation's id
/// Threads: as CatalogStore.
class SystemRelations final : public CatalogStore {
 public:
  /// Creates the relations in a new directory. Failure: as DatabaseStorage.
  SystemRelations(txn::DatabaseStorage& storage, KeyExpressionsCompiler compiler);

  std::vector<std::shared_ptr<TableEntry>> load() override;
  void create(TableEntry& entry, const CancelToken& cancel) override;
  void createIndex(const TableEntry& table, IndexEntry& index, const CancelToken& cancel) override;
  void dropIndex(const TableEntry& table, const IndexEntry& index, const CancelToken& cancel) override;
  void alter(const TableEntry& before, TableEntry& after, const ExistingRowsTest* test,
             const CancelToken& cancel) override;
  void claim(const std::vector<TablePtr>& tables, const txn::Locker& locker) override;
  void truncate(const std::vector<TablePtr>& tables) override;
  void drop(const std::vector<TablePtr>& tables, const CancelToken& cancel) override;

 private:
  void loadChecks(std::map<uint32_t, std::shared_ptr<TableEntry>>& tables);
  void loadIndexes(std::map<uint32_t, std::shared_ptr<TableEntry>>& tables);
  void buildIndex(const TableEntry& table, IndexEntry& index, const CancelToken& cancel);
  /// What changes beside a table's own rows.
  struct EntryChange {
    bool is_new = false;  ///< the table has no rows yet
    std::vector<uint32_t> removed_indexes;
    std::vector<IndexPtr> added_indexes;
  };
  void writeEntries(const TableEntry& entry, const EntryChange& change, const CancelToken& cancel);
  static void appendTable(const TableEntry& entry, txn::WriteStatement& tables);
  static void appendColumns(const TableEntry& entry, txn::WriteStatement& columns);
  static void appendChecks(const TableEntry& entry, txn::WriteStatement& checks);
  static void appendIndex(const TableEntry& table, const IndexEntry& index, txn::WriteStatement& indexes,
                          txn::WriteStatement& parts);
  void removeEntries(const std::vector<TablePtr>& tables, const CancelToken& cancel);
  void removeIndexEntries(const std::vector<uint32_t>& oids, const txn::LocalTransaction& transaction);

  [[nodiscard]] txn::IndexDefinition definitionOf(const TableEntry& table, const IndexEntry& index) const;

  txn::DatabaseStorage& storage_;
  const KeyExpressionsCompiler compiler_;
  std::shared_ptr<txn::Table> tables_;
  std::shared_ptr<txn::Table> columns_;
  std::shared_ptr<txn::Table> indexes_;
  std::shared_ptr<txn::Table> index_columns_;
  std::shared_ptr<txn::Table> checks_;
};

}  // namespace gnomon::sql
