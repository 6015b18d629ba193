#include "sql/catalog/sequences.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/sql_error.h"
#include "sql/bind/object_literal.h"
#include "sql/bind/sequence_reference.h"
#include "sql/catalog/dependent_keys.h"
#include "sql/catalog/dependent_views.h"
#include "sql/catalog/object_path.h"
#include "txn/sequence.h"

namespace gnomon::sql {
namespace {

std::optional<uint32_t> readOid(std::string_view text) {
  uint32_t oid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), oid);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return oid;
}

[[noreturn]] void raiseNoSequence(const std::string& name) {
  throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is not a sequence", name));
}

}  // namespace

std::vector<ColumnEntry> sequenceColumns() {
  std::vector<ColumnEntry> columns;
  for (const auto& [name, kind] :
       {std::pair{"last_value", TypeKind::Bigint}, {"log_cnt", TypeKind::Bigint}, {"is_called", TypeKind::Boolean}}) {
    ColumnEntry& column = columns.emplace_back();
    column.name = name;
    column.type = Type::of(kind);
    column.not_null = true;
  }
  return columns;
}

TablePtr findNamedSequence(const CatalogView& catalog, const ObjectPath& path) {
  FoundRelation found = catalog.findRelation(path);
  if (!found) return nullptr;
  if (found.stored() == nullptr || found.table->sequence == nullptr) raiseNoSequence(path.name);
  return found.table;
}

TablePtr findSequence(const CatalogView& catalog, std::string_view text) {
  const std::optional<uint32_t> held = oidOfLiteral(text);
  if (const auto oid = held ? held : readOid(text)) {
    TablePtr found = findTable(catalog, *oid);
    if (found == nullptr)
      throw SqlError(sqlstate::kUndefinedTable, fmt::format("relation with OID {} does not exist", *oid));
    if (found->sequence == nullptr) raiseNoSequence(found->name);
    return found;
  }
  const ObjectPath path = readObjectPath(text);
  TablePtr found = findNamedSequence(catalog, path);
  if (found == nullptr) raiseNoRelation(catalog, path);
  return found;
}

std::vector<TablePtr> ownedSequences(const CatalogView& catalog, uint32_t table, std::optional<uint32_t> column) {
  std::vector<TablePtr> result;
  for (TablePtr& each : catalog.tables())
    if (each->sequence && each->sequence->owner == table && (!column || each->sequence->owner_column == *column))
      result.push_back(std::move(each));
  std::ranges::sort(result, {}, &TableEntry::oid);
  return result;
}

std::string DependentDefault::describe(const CatalogView& catalog) const {
  return fmt::format("default value for column {} of table {}", table->columns[column].name, catalog.shownName(*table));
}

std::vector<DependentDefault> dependentDefaults(const CatalogView& catalog, const std::vector<TablePtr>& sequences) {
  std::vector<DependentDefault> result;
  if (sequences.empty()) return result;
  std::vector<TablePtr> tables = catalog.tables();
  std::ranges::sort(tables, {}, &TableEntry::oid);
  for (const TablePtr& table : tables) {
    for (uint32_t i = 0; i < table->columns.size(); ++i) {
      const ColumnEntry& column = table->columns[i];
      if (column.identity != Identity::None) continue;
      const std::vector<uint32_t> named = namedSequences(column.default_text);
      for (const TablePtr& sequence : sequences)
        if (std::ranges::find(named, sequence->oid) != named.end()) result.push_back({table, i, sequence});
    }
  }
  return result;
}

SqlError defaultsExist(const CatalogView& catalog, std::string_view what, const std::vector<DependentDefault>& defaults,
                       std::string others) {
  std::string detail = std::move(others);
  for (const DependentDefault& each : defaults)
    detail += fmt::format("{}{} depends on {}", detail.empty() ? "" : "\n", each.describe(catalog),
                          describe(catalog, *each.needed));
  return SqlError(sqlstate::kDependentObjectsStillExist,
                  fmt::format("cannot drop {} because other objects depend on it", what))
      .detail(std::move(detail))
      .hint("Use DROP ... CASCADE to drop the dependent objects too.");
}

VirtualRelation sequenceView(const TablePtr& sequence) {
  VirtualRelation view;
  view.oid = sequence->oid;
  view.schema = sequence->schema;
  view.name = sequence->name;
  view.columns = sequence->columns;
  view.rows = [counter = sequence->sequence->counter] {
    const txn::SequenceState state = counter->state();
    const Type bigint = Type::of(TypeKind::Bigint);
    return VirtualRows{{Value::fromInt(bigint, state.last_value), Value::fromInt(bigint, state.log_count),
                        Value::fromInt(Type::of(TypeKind::Boolean), state.is_called ? 1 : 0)}};
  };
  return view;
}

}  // namespace gnomon::sql
