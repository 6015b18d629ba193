#pragma once

#include <memory>
#include <vector>

#include "base/cancel.h"
#include "sql/algebra/check_expressions.h"
#include "sql/catalog/row_checker.h"
#include "sql/catalog/table_entry.h"
#include "txn/lock_manager.h"

namespace gnomon::sql {

/// Checks that existing rows must satisfy.
struct ExistingRowsTest {
  const CheckExpressions& checks;
  RowChecker& checker;  ///< of these
};

/// Where the catalog's entries and the tables' pages are kept. create() and drop() are called by one thread at a time.
class CatalogStore {
 public:
  virtual ~CatalogStore() = default;

  /// Every table, each with its storage.
  virtual std::vector<std::shared_ptr<TableEntry>> load() = 0;
  /// Makes the storage of a new table and its indexes and records them; sets the oids and storages.
  /// Failure: 53100, 53200, 57014; nothing has changed then.
  virtual void create(TableEntry& entry, const CancelToken& cancel) = 0;
  /// Builds an index of an existing table and records it; sets its oid and storage. The table is claimed.
  /// Failure: 23505, 54000, 53100, 53200, 57014; nothing has changed then.
  virtual void createIndex(const TableEntry& table, IndexEntry& index, const CancelToken& cancel) = 0;
  /// Removes the entry of an index and its pages. The table is claimed. Failure: 53100, 57014; nothing has changed
  /// then.
  virtual void dropIndex(const TableEntry& table, const IndexEntry& index, const CancelToken& cancel) = 0;
  /// Makes `before` what `after` says: renames, new storage of columns, indexes that have no storage yet, which get it
  /// and their oids; indexes that are not in `after` go. The table is claimed. `test`: null: none. Failure: 23502
  /// when a column that becomes NOT NULL has nulls; 23514, and what its checker raises, when rows do not pass the test;
  /// as createIndex; nothing has changed then.
  virtual void alter(const TableEntry& before, TableEntry& after, const ExistingRowsTest* test,
                     const CancelToken& cancel) = 0;
  /// Waits until nobody else uses the tables; the locker has them alone until he gives back his locks. Threads: any.
  /// Failure: as LockOwner::acquire.
  virtual void claim(const std::vector<TablePtr>& tables, const txn::Locker& locker) = 0;
  /// Empties the tables, which are claimed, all or none. Failure: 53100, 53200; nothing has changed then.
  virtual void truncate(const std::vector<TablePtr>& tables) = 0;
  /// Removes the entries of tables, which are claimed, all or none, and the pages. Failure: 53100, 57014; nothing has
  /// changed then.
  virtual void drop(const std::vector<TablePtr>& tables, const CancelToken& cancel) = 0;
};

}  // namespace gnomon::sql
