#include "sql/catalog/tree_alignment.h"

#include <algorithm>

#include "base/assert.h"
#include "sql/catalog/partitioning.h"
#include "sql/catalog/stored_schema.h"
#include "txn/table.h"

namespace gnomon::sql {

void alignColumns(const std::vector<TableEntry*>& tree) {
  const auto width = [](const TableEntry* table) { return table->columns.size(); };
  const size_t least = width(*std::ranges::min_element(tree, {}, width));
  const std::vector<ColumnEntry> widest = (*std::ranges::max_element(tree, {}, width))->columns;
  if (widest.size() == least) return;
  for (TableEntry* const table : tree) {
    const uint32_t version = storedSchema(table->columns).version() + 1;
    // Nobody is told of them.
    if (table->order.empty())
      for (uint32_t i = 0; i < least; ++i) table->order.push_back(i);
    for (size_t i = least; i < widest.size(); ++i) {
      CHECK(widest[i].isDropped(), "all tables of a tree have the columns that are there");
      if (i == table->columns.size()) {
        ColumnEntry& added = table->columns.emplace_back();
        added.type = widest[i].type;
        added.stored = {storedKind(added.type), true, version, version, nullptr, added.type.may_be_nan != 0};
      }
      storage::StoredColumn& stored = table->columns[i].stored;
      if (stored.nullable) continue;
      stored.nullable = true;
      stored.nullable_since = version;
    }
    storage::RelationSchema schema = storedSchema(table->columns, table->options);
    if (schema.version() == version) table->storage->changeSchema(std::move(schema));
  }
}

std::vector<std::pair<TablePtr, TablePtr>> alignedTree(const TablePtr& root,
                                                       const std::function<TablePtr(uint32_t)>& find) {
  std::vector<std::pair<TablePtr, TablePtr>> changed;
  std::vector<TableEntry*> tree;
  const std::function<TablePtr(const TablePtr&)> copy = [&](const TablePtr& table) -> TablePtr {
    auto made = std::make_shared<TableEntry>(*table);
    tree.push_back(made.get());
    if (table->partitioning) {
      std::vector<TablePtr> partitions;
      for (const TablePtr& each : table->partitioning->partitions())
        if (const TablePtr now = find(each->oid)) partitions.push_back(copy(now));
      made->partitioning = withPartitions(*table->partitioning, std::move(partitions));
    }
    changed.emplace_back(table, made);
    return made;
  };
  copy(root);
  alignColumns(tree);
  return changed;
}

}  // namespace gnomon::sql
