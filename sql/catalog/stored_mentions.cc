#include "sql/catalog/stored_mentions.h"

#include <fmt/format.h>

#include <algorithm>

#include "sql/algebra/index_expressions.h"
#include "sql/bind/identifier_text.h"
#include "sql/bind/stored_expression.h"
#include "sql/bind/stored_reference.h"
#include "sql/catalog/dependent_types.h"
#include "sql/catalog/dependent_views.h"
#include "sql/catalog/partitioning.h"
#include "sql/catalog/routines.h"
#include "sql/catalog/stored_body.h"
#include "sql/catalog/user_types.h"
#include "sql/parse/identifier.h"

namespace gnomon::sql {
namespace {

using Kind = EntryText::Kind;
using NodeKind = ast::Expression::Kind;

/// Whether one of the expressions has such a node.
template <typename Test>
bool anyNode(const std::string& text, const Test& test) {
  bool is_found = false;
  const StoredExpression stored(text);
  for (const ast::Expression* const tree : stored.trees())
    forEachNode(*tree, [&](const ast::Expression& node) { is_found = is_found || test(node); });
  return is_found;
}

bool isColumn(const ast::Expression& node, const ColumnEntry& column) {
  return node.kind == NodeKind::Column && !node.names.empty() && node.names.back() == column.name;
}

bool namesType(const TableEntry& entry, const std::string& text, const TableEntry& type) {
  if (text.contains(schemaOfOid(type.oid)) && anyNode(text, [&](const ast::Expression& node) {
        return node.kind == NodeKind::Cast && oidOf(node.type.schema) == type.oid;
      }))
    return true;
  const bool is_enum = type.type && type.type->form == TypeEntry::Form::Enum;
  return is_enum && text.contains('\'') && std::ranges::any_of(entry.columns, [&](const ColumnEntry& column) {
           return isOfType(column, type) && readsColumn(text, column);
         });
}

}  // namespace

void forEachEntryText(const TableEntry& entry, const std::function<void(const EntryText&)>& visit) {
  for (const ColumnEntry& column : entry.columns)
    if (!column.default_text.empty() && column.identity == Identity::None)
      visit({column.is_generated ? Kind::Generated : Kind::Default, column.default_text, column.name, &column});
  for (const CheckEntry& check : entry.checks) visit({Kind::Check, check.expression, check.name});
  for (const IndexPtr& index : entry.indexes) {
    const auto* const routines = index->expressions ? &index->expressions->routines : nullptr;
    if (!index->predicate.empty()) visit({Kind::Index, index->predicate, index->name, nullptr, routines});
    for (const IndexColumn& part : index->columns)
      if (!part.expression.empty()) visit({Kind::Index, part.expression, index->name, nullptr, routines});
  }
  for (const TriggerEntry& trigger : entry.triggers)
    if (!trigger.condition.empty()) visit({Kind::Trigger, trigger.condition, trigger.name});
  if (entry.partitioning) {
    const PartitionKey& key = entry.partitioning->key();
    const auto* const routines = key.expressions ? &key.expressions->routines : nullptr;
    for (const IndexColumn& part : key.parts)
      if (!part.expression.empty()) visit({Kind::PartitionKey, part.expression, entry.name, nullptr, routines});
  }
  if (!entry.routine) return;
  for (const RoutineEntry::Parameter& parameter : entry.routine->parameters)
    if (!parameter.default_text.empty()) visit({Kind::Parameter, parameter.default_text, entry.name});
}

std::vector<StoredMention> mentionsOf(const CatalogView& catalog, const TablePtr& named) {
  std::vector<StoredMention> mentions;
  for (const TablePtr& entry : catalog.entries()) {
    if (entry->oid == named->oid) continue;
    forEachEntryText(*entry, [&](const EntryText& stored) {
      const bool has_body =
          named->routine && stored.routines != nullptr && std::ranges::binary_search(*stored.routines, named->oid);
      const bool is_one =
          has_body || (named->routine ? calls(stored.text, *named) : namesType(*entry, stored.text, *named));
      if (is_one) mentions.push_back({stored.kind, stored.name, entry});
    });
  }
  return mentions;
}

bool readsColumn(const std::string& text, const ColumnEntry& column) {
  return anyNode(text, [&](const ast::Expression& node) { return isColumn(node, column); });
}

namespace {

/// Whether the text has the field of something in parentheses or brackets.
bool hasField(std::string_view text, const std::string& field) {
  const std::string name = "." + quotedIdentifier(field);
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const bool is_field = at > 0 && (text[at - 1] == ')' || text[at - 1] == ']');
    if (is_field && identifierEnd(text, at + 1) == at + name.size()) return true;
  }
  return false;
}

}  // namespace

std::set<uint32_t> madeOf(const std::vector<TablePtr>& entries, const TableEntry& type) {
  std::set<uint32_t> oids{type.oid};
  for (bool has_grown = true; has_grown;) {
    has_grown = false;
    for (const TablePtr& entry : entries) {
      if (oids.contains(entry->oid)) continue;
      const auto isMadeOf = [&](const TablePtr& other) {
        if (!oids.contains(other->oid)) return false;
        const bool has_column =
            std::ranges::any_of(entry->columns, [&](const ColumnEntry& column) { return isOfType(column, *other); });
        const bool is_above = entry->type && domainOid(entry->type->base_domain) == other->oid;
        return has_column || is_above || (entry->routine && usesType(*entry->routine, *other));
      };
      if (!std::ranges::any_of(entries, isMadeOf)) continue;
      oids.insert(entry->oid);
      has_grown = true;
    }
  }
  return oids;
}

bool mayReadField(const CatalogView& catalog, const TableEntry& type, const std::string& field) {
  const std::vector<TablePtr> entries = catalog.entries();
  std::vector<TablePtr> reading;  // with such a field at all
  for (const TablePtr& entry : entries) {
    const ViewEntry* const query = entry->query();
    bool reads = query != nullptr && hasField(query->query, field);
    if (entry->routine && StoredBody::isOne(*entry->routine)) reads = hasField(entry->routine->body, field);
    forEachEntryText(*entry, [&](const EntryText& stored) { reads = reads || hasField(stored.text, field); });
    if (reads) reading.push_back(entry);
  }
  if (reading.empty()) return false;
  const std::set<uint32_t> oids = madeOf(entries, type);
  return std::ranges::any_of(reading, [&](const TablePtr& entry) {
    if (oids.contains(entry->oid)) return true;
    if (std::ranges::any_of(usesOf(*entry), [&](const ViewEntry::Use& use) { return oids.contains(use.table); }))
      return true;
    bool names = false;
    forEachEntryText(*entry, [&](const EntryText& stored) {
      for (const uint32_t oid : oids) names = names || stored.text.contains(schemaOfOid(oid));
    });
    return names;
  });
}

}  // namespace gnomon::sql
