#pragma once

#include <memory>
#include <vector>

#include "base/cancel.h"
#include "sql/catalog/table_entry.h"

namespace gnomon::sql {

/// Where the catalog's entries and the tables' pages are kept. create() and drop() are called by one thread at a time.
class CatalogStore {
 public:
  /// The exclusive locks of tables that are to be dropped; nobody else uses them while it lives.
  class Claim {
   public:
    virtual ~Claim() = default;
  };
  virtual ~CatalogStore() = default;

  /// Every table, each with its storage.
  virtual std::vector<std::shared_ptr<TableEntry>> load() = 0;
  /// Makes the storage of a new table and records the entry; sets entry.oid and entry.storage.
  /// Failure: 53100, 53200, 57014; nothing has changed then.
  virtual void create(TableEntry& entry, const CancelToken& cancel) = 0;
  /// Waits until nobody uses the tables. Threads: any. Failure: 57014; 42P01 when one of them has been dropped.
  virtual std::unique_ptr<Claim> claim(const std::vector<TablePtr>& tables, const CancelToken& cancel) = 0;
  /// Removes the entries, all or none, and the pages. Failure: 53100, 57014; nothing has changed then.
  virtual void drop(const std::vector<TablePtr>& tables, std::unique_ptr<Claim> claim, const CancelToken& cancel) = 0;
};

}  // namespace gnomon::sql
