#include "sql/catalog/column_order.h"

#include <algorithm>

#include "base/assert.h"
#include "sql/catalog/partitioning.h"
#include "txn/table.h"

namespace gnomon::sql {

std::vector<uint32_t> columnsInOrder(const TableEntry& table) {
  std::vector<uint32_t> result;
  for (size_t number = 1; number <= columnNumberCount(table); ++number)
    if (const uint32_t column = columnOfNumber(table, number);
        column != kNoColumn && !table.columns[column].isDropped())
      result.push_back(column);
  return result;
}

size_t columnNumberCount(const TableEntry& table) {
  return table.order.empty() ? table.columns.size() : table.order.size();
}

uint32_t columnOfNumber(const TableEntry& table, size_t number) {
  if (number == 0 || number > columnNumberCount(table)) return kNoColumn;
  return table.order.empty() ? static_cast<uint32_t>(number - 1) : table.order[number - 1];
}

uint32_t numberOfColumn(const TableEntry& table, uint32_t column) {
  if (table.order.empty()) return column + 1;
  const auto found = std::ranges::find(table.order, column);
  return found == table.order.end() ? 0 : static_cast<uint32_t>(found - table.order.begin()) + 1;
}

std::vector<int64_t> numbersOfColumns(const TableEntry& table, const std::vector<uint32_t>& columns) {
  std::vector<int64_t> numbers;
  for (const uint32_t column : columns) numbers.push_back(numberOfColumn(table, column));
  return numbers;
}

bool liesAs(const TableEntry& table, const TableEntry& as) {
  const bool has_had_rows = table.storage->readBound().value > 0;
  return std::ranges::equal(as.columns, table.columns, [&](const ColumnEntry& a, const ColumnEntry& b) {
    if (a.name != b.name || !(a.type == b.type)) return false;
    return b.stored.since <= 1 || (!has_had_rows && a.stored.since == b.stored.since);
  });
}

std::vector<TablePtr> tablesToLay(const TablePtr& table, const TableEntry& as) {
  std::vector<TablePtr> tables{table};
  if (table->partitioning)
    for (TablePtr& below : table->partitioning->descendants()) tables.push_back(std::move(below));
  std::erase_if(tables, [&](const TablePtr& each) { return liesAs(*each, as); });
  return tables;
}

std::vector<uint32_t> layColumns(TableEntry& table, const TableEntry& as) {
  const std::vector<ColumnEntry> before = std::move(table.columns);
  std::vector<uint32_t> places(before.size(), kNoColumn);
  table.columns.clear();
  for (uint32_t i = 0; i < as.columns.size(); ++i) {
    if (as.columns[i].isDropped()) {
      table.columns.emplace_back().type = as.columns[i].type;
      continue;
    }
    const auto found = std::ranges::find(before, as.columns[i].name, &ColumnEntry::name);
    CHECK(found != before.end(), "the binder saw the column");
    places[static_cast<size_t>(found - before.begin())] = i;
    table.columns.push_back(*found);
  }
  const auto place = [&places](std::vector<uint32_t>& columns) {
    for (uint32_t& column : columns) column = places[column];
  };
  if (table.order.empty())
    for (uint32_t i = 0; i < before.size(); ++i) table.order.push_back(i);
  for (uint32_t& column : table.order)
    if (column != kNoColumn) column = places[column];
  for (IndexPtr& index : table.indexes) {
    auto placed = std::make_shared<IndexEntry>(*index);
    for (IndexColumn& part : placed->columns)
      if (part.column != IndexColumn::kExpression) part.column = places[part.column];
    place(placed->included);
    index = std::move(placed);
  }
  for (ForeignKeyEntry& key : table.foreign_keys) {
    place(key.columns);
    place(key.set_columns);
    if (key.parent == table.oid) place(key.parent_columns);
  }
  for (TriggerEntry& trigger : table.triggers) place(trigger.columns);
  bool is_as_they_lie = table.order.size() == table.columns.size();
  for (uint32_t i = 0; i < table.order.size(); ++i) is_as_they_lie = is_as_they_lie && table.order[i] == i;
  if (is_as_they_lie) table.order.clear();
  return places;
}

std::vector<uint32_t> orderOfPartition(const TableEntry& table) {
  std::vector<uint32_t> order = columnsInOrder(table);
  bool is_as_they_lie = order.size() == table.columns.size();
  for (uint32_t i = 0; i < order.size(); ++i) is_as_they_lie = is_as_they_lie && order[i] == i;
  if (is_as_they_lie) order.clear();
  return order;
}

}  // namespace gnomon::sql
