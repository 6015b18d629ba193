#pragma once

#include <memory>
#include <vector>

#include "sql/catalog/catalog_store.h"
#include "txn/database_storage.h"

namespace gnomon::sql {

/// The catalog in two relations of the database itself.
///
/// Relation 1, tables:   oid (int32), name (string)
/// Relation 2, columns:  table oid (int32), number from 1 (int16), name (string), type oid (int32), typmod (int32),
///                       not null (bool), default as SQL (string, null: none)
/// Invariants:  R1  every row of columns belongs to a row of tables; numbers are 1 .. n in the order of the rows
///              R2  a table's oid is its relation's id
/// Threads: as CatalogStore.
class SystemRelations final : public CatalogStore {
 public:
  /// Creates the relations in a new directory. Failure: as DatabaseStorage.
  explicit SystemRelations(txn::DatabaseStorage& storage);

  std::vector<std::shared_ptr<TableEntry>> load() override;
  void create(TableEntry& entry, const CancelToken& cancel) override;
  std::unique_ptr<Claim> claim(const std::vector<TablePtr>& tables, const CancelToken& cancel) override;
  void drop(const std::vector<TablePtr>& tables, std::unique_ptr<Claim> claim, const CancelToken& cancel) override;

 private:
  void appendColumns(const TableEntry& entry, const CancelToken& cancel);
  void removeEntries(const std::vector<TablePtr>& tables, const CancelToken& cancel);

  txn::DatabaseStorage& storage_;
  std::shared_ptr<txn::Table> tables_;
  std::shared_ptr<txn::Table> columns_;
};

}  // namespace gnomon::sql
