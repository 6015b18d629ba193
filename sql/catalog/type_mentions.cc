#include "sql/catalog/type_mentions.h"

#include <fmt/format.h>

#include <algorithm>

#include "sql/bind/stored_expression.h"
#include "sql/catalog/dependent_types.h"
#include "sql/catalog/dependent_views.h"

namespace gnomon::sql {
namespace {

bool isName(const CatalogView& catalog, const ast::TypeName& name, const TableEntry& type) {
  if (name.name != type.name) return false;
  if (!name.schema.empty()) return name.schema == type.schema;
  const TablePtr found = catalog.findType("", name.name);
  return found && found->oid == type.oid;
}

/// Whether the stored text names the type, and reads no column that is of it.
bool outlives(const CatalogView& catalog, const TableEntry& entry, const std::string& text, const TableEntry& type) {
  if (text.empty()) return false;
  const StoredExpression stored(text);
  bool is_named = false, goes_along = false;
  for (const ast::Expression* const tree : stored.trees())
    forEachNode(*tree, [&](const ast::Expression& node) {
      using Kind = ast::Expression::Kind;
      is_named = is_named || (node.kind == Kind::Cast && isName(catalog, node.type, type));
      if (node.kind != Kind::Column || node.names.empty()) return;
      const auto column = std::ranges::find(entry.columns, node.names.back(), &ColumnEntry::name);
      goes_along = goes_along || (column != entry.columns.end() && isOfType(*column, type));
    });
  return is_named && !goes_along;
}

void addMentions(const CatalogView& catalog, const TablePtr& entry, const TablePtr& type,
                 std::vector<TypeMention>& mentions) {
  const auto add = [&](const std::string& text, const auto& what) {
    if (outlives(catalog, *entry, text, *type)) mentions.push_back({entry, type, what()});
  };
  const std::string shown = describe(catalog, *entry);
  for (const ColumnEntry& column : entry->columns)
    if (!isOfType(column, *type) && column.identity == Identity::None)
      add(column.default_text, [&] {
        return column.is_generated ? fmt::format("column {} of {}", column.name, shown)
                                   : fmt::format("default value for column {} of {}", column.name, shown);
      });
  for (const CheckEntry& check : entry->checks)
    add(check.expression, [&] { return fmt::format("constraint {} on {}", check.name, shown); });
  for (const IndexPtr& index : entry->indexes) {
    std::vector<std::string> texts{index->predicate};
    for (const IndexColumn& part : index->columns) texts.push_back(part.expression);
    if (std::ranges::any_of(texts, [&](const std::string& text) { return outlives(catalog, *entry, text, *type); }))
      mentions.push_back({entry, type, "index " + index->name});
  }
  if (!entry->routine || usesType(*entry->routine, *type)) return;
  if (std::ranges::any_of(entry->routine->parameters, [&](const RoutineEntry::Parameter& parameter) {
        return outlives(catalog, *entry, parameter.default_text, *type);
      }))
    mentions.push_back({entry, type, shown});
}

}  // namespace

std::vector<TypeMention> typeMentions(const CatalogView& catalog, const std::vector<TablePtr>& types) {
  std::vector<TablePtr> entries = catalog.entries();
  std::ranges::sort(entries, {}, &TableEntry::oid);
  std::vector<TypeMention> mentions;
  for (const TablePtr& entry : entries)
    if (std::ranges::find(types, entry->oid, [](const TablePtr& each) { return each->oid; }) == types.end())
      for (const TablePtr& type : types) addMentions(catalog, entry, type, mentions);
  return mentions;
}

SqlError mentionsNeed(const CatalogView& catalog, const TableEntry& type, const std::vector<TypeMention>& mentions) {
  std::string detail;
  for (const TypeMention& each : mentions)
    detail +=
        fmt::format("{}{} depends on type {}", detail.empty() ? "" : "\n", each.what, catalog.shownName(*each.type));
  return SqlError(sqlstate::kDependentObjectsStillExist,
                  fmt::format("cannot drop {} because other objects depend on it", describe(catalog, type)))
      .detail(std::move(detail))
      .hint("Use DROP ... CASCADE to drop the dependent objects too.");
}

}  // namespace gnomon::sql
