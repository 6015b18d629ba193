#include "sql/catalog/stored_nan.h"

#include <algorithm>

#include "sql/catalog/partitioning.h"
#include "txn/table.h"

namespace gnomon::sql {

std::vector<std::shared_ptr<txn::Table>> storagesOf(const TableEntry& table) {
  if (!table.partitioning) return {table.storage};
  std::vector<std::shared_ptr<txn::Table>> storages;
  for (const TablePtr& leaf : table.partitioning->leaves()) storages.push_back(leaf->storage);
  return storages;
}

bool holdsNan(const TableEntry& table) {
  const auto mayBeNan = [](const ColumnEntry& column) { return column.type.may_be_nan != 0; };
  if (std::ranges::none_of(table.columns, mayBeNan)) return false;
  return std::ranges::any_of(storagesOf(table), [](const auto& storage) { return storage && storage->holdsNan(); });
}

}  // namespace gnomon::sql
