#include "sql/bind/partition_path.h"

#include <algorithm>

#include "sql/catalog/partitioning.h"
#include "txn/table.h"

namespace gnomon::sql {
namespace {

bool reads(const TableEntry& table, const std::vector<uint32_t>& columns) {
  const std::vector<uint32_t> read = table.partitioning->key().columns();
  return std::ranges::any_of(columns, [&](uint32_t column) { return std::ranges::binary_search(read, column); });
}

/// Whether the leaf wants something of its rows that the table does not.
bool hasOwnConstraints(const TableEntry& table, const TableEntry& leaf) {
  for (size_t i = 0; i < table.columns.size(); ++i)
    if (leaf.columns[i].not_null && !table.columns[i].not_null) return true;
  return leaf.checks.size() != table.checks.size();
}

}  // namespace

std::vector<TablePtr> bindPartitionPath(BindState& state, const TableEntry& table) {
  std::vector<TablePtr> ancestors = ancestorsOf(state.context.catalog, table);
  for (const TablePtr& ancestor : ancestors) state.addTable(ancestor);
  if (table.partitioning)
    for (const TablePtr& leaf : table.partitioning->leaves())
      if (leaf->storage->lock() != table.storage->lock()) state.written.push_back(leaf);
  return ancestors;
}

bool mayMove(const TableEntry& table, std::span<const TablePtr> ancestors, const std::vector<uint32_t>& columns) {
  for (const TablePtr& ancestor : ancestors)
    if (reads(*ancestor, columns)) return true;
  if (!table.partitioning) return false;
  if (reads(table, columns)) return true;
  for (const TablePtr& below : table.partitioning->descendants()) {
    if (below->partitioning && reads(*below, columns)) return true;
    if (!below->partitioning && hasOwnConstraints(table, *below)) return true;
  }
  return false;
}

}  // namespace gnomon::sql
