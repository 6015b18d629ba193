#pragma once

#include <memory>
#include <vector>

#include "base/cancel.h"
#include "sql/algebra/check_expressions.h"
#include "sql/catalog/row_checker.h"
#include "sql/catalog/table_entry.h"

namespace gnomon::sql {

/// Checks that existing rows must satisfy.
struct ExistingRowsTest {
  const CheckExpressions& checks;
  RowChecker& checker;  ///< of these
};

/// Where the catalog's entries and the tables' pages are kept. create() and drop() are called by one thread at a time.
class CatalogStore {
 public:
  /// The exclusive locks of tables that are to be dropped or emptied; nobody else uses them while it lives.
  class Claim {
   public:
    virtual ~Claim() = default;
  };
  virtual ~CatalogStore() = default;

  /// Every table, each with its storage.
  virtual std::vector<std::shared_ptr<TableEntry>> load() = 0;
  /// Makes the storage of a new table and its indexes and records them; sets the oids and storages.
  /// Failure: 53100, 53200, 57014; nothing has changed then.
  virtual void create(TableEntry& entry, const CancelToken& cancel) = 0;
  /// Builds an index of an existing table and records it; sets its oid and storage. `claim` is on the table.
  /// Failure: 23505, 54000, 53100, 53200, 57014; nothing has changed then.
  virtual void createIndex(const TableEntry& table, IndexEntry& index, Claim& claim, const CancelToken& cancel) = 0;
  /// Removes the entry of an index and its pages. `claim` is on the table. Failure: 53100, 57014; nothing has changed
  /// then.
  virtual void dropIndex(const TableEntry& table, const IndexEntry& index, Claim& claim, const CancelToken& cancel) = 0;
  /// Makes `before` what `after` says: renames, new storage of columns, indexes that have no storage yet, which get it
  /// and their oids; indexes that are not in `after` go. `claim` is on the table. `test`: null: none. Failure: 23502
  /// when a column that becomes NOT NULL has nulls; 23514, and what its checker raises, when rows do not pass the test;
  /// as createIndex; nothing has changed then.
  virtual void alter(const TableEntry& before, TableEntry& after, const ExistingRowsTest* test, Claim& claim,
                     const CancelToken& cancel) = 0;
  /// Waits until nobody uses the tables. Threads: any. Failure: 57014; 42P01 when one of them has been dropped.
  virtual std::unique_ptr<Claim> claim(const std::vector<TablePtr>& tables, const CancelToken& cancel) = 0;
  /// Empties the tables, all or none. Failure: 53100, 53200; nothing has changed then.
  virtual void truncate(const std::vector<TablePtr>& tables, std::unique_ptr<Claim> claim) = 0;
  /// Removes the entries, all or none, and the pages. Failure: 53100, 57014; nothing has changed then.
  virtual void drop(const std::vector<TablePtr>& tables, std::unique_ptr<Claim> claim, const CancelToken& cancel) = 0;
};

}  // namespace gnomon::sql
