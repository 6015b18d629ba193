#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "sql/catalog/table_entry.h"

namespace gnomon::sql {

/// Where the catalog's entries and the tables' pages are kept. One writer at a time (Catalog sees to that).
class CatalogStore {
 public:
  virtual ~CatalogStore() = default;

  /// Every table, each with its storage.
  virtual std::vector<std::shared_ptr<TableEntry>> load() = 0;
  /// Makes the storage of a new table and records the entry; sets entry.oid and entry.storage.
  /// Failure: 53100, 53200; nothing has changed then.
  virtual void create(TableEntry& entry, const CancelToken& cancel) = 0;
  /// Waits until nobody uses the tables, then removes their entries, all or none, and their pages.
  /// Failure: 57014 while waiting, 53100; nothing has changed then.
  virtual void drop(const std::vector<TablePtr>& tables, const CancelToken& cancel) = 0;
};

}  // namespace gnomon::sql
