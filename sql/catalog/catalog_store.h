#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/cancel.h"
#include "sql/algebra/check_expressions.h"
#include "sql/catalog/role_entry.h"
#include "sql/catalog/row_checker.h"
#include "sql/catalog/schema_entry.h"
#include "sql/catalog/table_entry.h"
#include "txn/lock_manager.h"
#include "txn/table.h"

namespace gnomon::txn {
struct WriteContext;
}

namespace gnomon::sql {

/// Checks that existing rows must satisfy.
struct ExistingRowsTest {
  const CheckExpressions& checks;
  RowChecker& checker;  ///< of these
};

/// Whose transaction a definition is a part of, and how long he waits. The transaction's owner takes the locks.
struct DefinitionContext {
  txn::TransactionManager& manager;
  txn::Transaction& transaction;
  txn::Patience patience;

  [[nodiscard]] txn::Locker locker() const { return {transaction.owner(), patience}; }
  /// For a statement of the transaction that sees whatever others have committed before `latest`, which is held.
  [[nodiscard]] txn::WriteContext writeContext(const txn::Snapshot& latest) const;
};

/// What has been done to a table's storage, to be taken back or completed.
struct StorageChange {
  std::optional<txn::Table::SchemaMark> schema;  ///< before it was changed; none: it was not
  std::vector<IndexPtr> made;
  std::vector<IndexPtr> retired;  ///< their storage is still there
};

/// Where the catalog's entries and the tables' pages are kept. Entries are rows of the definer's transaction, and share
/// its fate by themselves; what happens to storage happens at once, and is taken back by whoever rolls back, or
/// completed after commit. What a crash leaves in between is dropped at the next start. Threads: any; whoever changes a
/// table has it alone, or shares it with readers where he only adds indexes.
class CatalogStore {
 public:
  virtual ~CatalogStore() = default;

  struct Contents {
    std::vector<SchemaPtr> schemas;
    std::vector<std::shared_ptr<TableEntry>> tables;
    std::vector<RolePtr> roles = {};          ///< none: the first ones
    std::vector<DatabasePtr> databases = {};  ///< none: the first ones
  };
  /// Every schema and every table, each with its storage.
  virtual Contents load() = 0;
  /// Waits until nobody else uses the table in a way that the mode does not let him, until the definer gives back his
  /// locks. Failure: as LockOwner::acquire.
  virtual void claim(const TableEntry& table, txn::LockMode mode, const DefinitionContext& context) = 0;
  /// Writes the rows of a table and its indexes in the place of those there are. Null: it is new; it goes. Of temporary
  /// ones there are none. Failure: 53100, 57014; the transaction is to be rolled back then.
  virtual void record(const TableEntry* before, const TableEntry* after, const DefinitionContext& context) = 0;
  /// The same of a schema.
  virtual void recordSchema(const SchemaEntry* before, const SchemaEntry* after, const DefinitionContext& context) = 0;

  /// The same of a role.
  virtual void recordRole(const RoleEntry* before, const RoleEntry* after, const DefinitionContext& context) = 0;

  /// The same of a database.
  virtual void recordDatabase(const DatabaseEntry* before, const DatabaseEntry* after,
                              const DefinitionContext& context) = 0;

  /// Makes an empty table with its indexes, or a sequence that begins as its entry says; sets oids that are not set,
  /// and storages. `lock`: of the table whose rows are to be in it; null: a new one. Failure: 53100, 53200, 57014;
  /// nothing has changed then.
  virtual void createStorage(TableEntry& entry, std::shared_ptr<txn::ObjectLock> lock, const CancelToken& cancel) = 0;
  /// Frees a table's storage. Nobody will look at it again, or wait for it.
  virtual void dropStorage(const TableEntry& entry) noexcept = 0;
  /// Makes the storage what `after` says: new columns, indexes that have no storage yet, which get it and their oids;
  /// indexes that are not in `after` are retired. `test`: null: none. `done`: what has been done, also when it fails.
  /// Failure: 23502 when a column that becomes NOT NULL has nulls; 23514, and what its checker raises, when rows do not
  /// pass the test; 23505, 54000, 53100, 53200, 57014.
  virtual void alterStorage(const TableEntry& before, TableEntry& after, const ExistingRowsTest* test,
                            StorageChange& done, const CancelToken& cancel) = 0;
  /// Takes that back. Returns the entry for the storage as it is now: where the newer columns are in use they stay, as
  /// dropped ones. Later changes have been taken back.
  virtual TablePtr undoStorage(const TablePtr& before, const StorageChange& done) noexcept = 0;
  /// The transaction has committed, and nobody has seen its entries yet: indexes that it made are for the snapshots
  /// from now on.
  virtual void openIndexes(const StorageChange& done) noexcept = 0;
  /// Others see its entries: retired indexes go.
  virtual void completeStorage(const TableEntry& before, const StorageChange& done) noexcept = 0;
};

}  // namespace gnomon::sql
