#include "sql/catalog/stored_mentions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sql/bind/identifier_text.h"
#include "sql/bind/stored_expression.h"
#include "sql/bind/stored_reference.h"
#include "sql/catalog/dependent_types.h"
#include "sql/catalog/dependent_views.h"
#include "sql/catalog/routines.h"
#include "sql/catalog/user_types.h"
#include "sql/parse/identifier.h"

namespace gnomon::sql {
namespace {

/// Whether the stored text names the type, and reads no column that is of it.
bool outlives(const TableEntry& entry, const std::string& text, const TableEntry& type) {
  if (!text.contains(schemaOfOid(type.oid))) return false;
  const StoredExpression stored(text);
  bool is_named = false, goes_along = false;
  for (const ast::Expression* const tree : stored.trees())
    forEachNode(*tree, [&](const ast::Expression& node) {
      using NodeKind = ast::Expression::Kind;
      is_named = is_named || (node.kind == NodeKind::Cast && oidOf(node.type.schema) == type.oid);
      if (node.kind != NodeKind::Column || node.names.empty()) return;
      const auto column = std::ranges::find(entry.columns, node.names.back(), &ColumnEntry::name);
      goes_along = goes_along || (column != entry.columns.end() && isOfType(*column, type));
    });
  return is_named && !goes_along;
}

using Kind = EntryText::Kind;

/// `isOne(entry, named, text)`: whether the text mentions it.
template <typename IsOne>
std::vector<StoredMention> mentionsOf(const CatalogView& catalog, const std::vector<TablePtr>& named,
                                      const IsOne& isOne) {
  std::vector<TablePtr> entries = catalog.entries();
  std::ranges::sort(entries, {}, &TableEntry::oid);
  std::vector<StoredMention> mentions;
  for (const TablePtr& entry : entries) {
    if (std::ranges::find(named, entry->oid, [](const TablePtr& each) { return each->oid; }) != named.end()) continue;
    for (const TablePtr& each : named)
      forEachEntryText(*entry, [&](const EntryText& stored) {
        if (!isOne(*entry, *each, stored)) return;
        const bool is_known = !mentions.empty() && mentions.back().entry == entry &&
                              mentions.back().kind == stored.kind && mentions.back().name == stored.name;
        if (!is_known) mentions.push_back({stored.kind, stored.name, entry, each});
      });
  }
  return mentions;
}

}  // namespace

void forEachEntryText(const TableEntry& entry, const std::function<void(const EntryText&)>& visit) {
  for (const ColumnEntry& column : entry.columns)
    if (!column.default_text.empty() && column.identity == Identity::None)
      visit({column.is_generated ? Kind::Generated : Kind::Default, column.default_text, column.name, &column});
  for (const CheckEntry& check : entry.checks) visit({Kind::Check, check.expression, check.name});
  for (const IndexPtr& index : entry.indexes) {
    if (!index->predicate.empty()) visit({Kind::Index, index->predicate, index->name});
    for (const IndexColumn& part : index->columns)
      if (!part.expression.empty()) visit({Kind::Index, part.expression, index->name});
  }
  for (const TriggerEntry& trigger : entry.triggers)
    if (!trigger.condition.empty()) visit({Kind::Trigger, trigger.condition, trigger.name});
  if (!entry.routine) return;
  for (const RoutineEntry::Parameter& parameter : entry.routine->parameters)
    if (!parameter.default_text.empty()) visit({Kind::Parameter, parameter.default_text, entry.name});
}

std::string StoredMention::describe(const CatalogView& catalog) const {
  const std::string owner = gnomon::sql::describe(catalog, *entry);
  switch (kind) {
    case Kind::Default:
      return fmt::format("default value for column {} of {}", name, owner);
    case Kind::Generated:
      return fmt::format("column {} of {}", name, owner);
    case Kind::Check:
      return entry->type ? "constraint " + name : fmt::format("constraint {} on {}", name, owner);
    case Kind::Index:
      return "index " + name;
    case Kind::Trigger:
      return fmt::format("trigger {} on {}", name, owner);
    case Kind::Parameter:
      break;
  }
  return owner;
}

std::vector<StoredMention> typeMentions(const CatalogView& catalog, const std::vector<TablePtr>& types) {
  return mentionsOf(catalog, types, [](const TableEntry& entry, const TableEntry& type, const EntryText& stored) {
    const bool goes_along = (stored.column != nullptr && isOfType(*stored.column, type)) ||
                            (entry.routine && usesType(*entry.routine, type));
    return !goes_along && outlives(entry, stored.text, type);
  });
}

std::vector<StoredMention> routineMentions(const CatalogView& catalog, const std::vector<TablePtr>& routines) {
  return mentionsOf(catalog, routines, [](const TableEntry&, const TableEntry& routine, const EntryText& stored) {
    return stored.kind != Kind::Default && calls(stored.text, routine);
  });
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

/// Oids of the type, of what is made of such values, and of routines that take or return them.
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

}  // namespace

bool mayReadField(const CatalogView& catalog, const TableEntry& type, const std::string& field) {
  const std::vector<TablePtr> entries = catalog.entries();
  std::vector<TablePtr> reading;  // with such a field at all
  for (const TablePtr& entry : entries) {
    const ViewEntry* const query = entry->query();
    bool reads = query != nullptr && hasField(query->query, field);
    forEachEntryText(*entry, [&](const EntryText& stored) { reads = reads || hasField(stored.text, field); });
    if (reads) reading.push_back(entry);
  }
  if (reading.empty()) return false;
  const std::set<uint32_t> oids = madeOf(entries, type);
  return std::ranges::any_of(reading, [&](const TablePtr& entry) {
    if (oids.contains(entry->oid)) return true;
    if (const ViewEntry* const query = entry->query())
      return std::ranges::any_of(query->uses, [&](const ViewEntry::Use& use) { return oids.contains(use.table); });
    bool names = false;
    forEachEntryText(*entry, [&](const EntryText& stored) {
      for (const uint32_t oid : oids) names = names || stored.text.contains(schemaOfOid(oid));
    });
    return names;
  });
}

SqlError mentionsNeed(const CatalogView& catalog, const TableEntry& dropped,
                      const std::vector<StoredMention>& mentions) {
  std::string detail;
  for (const StoredMention& each : mentions)
    detail +=
        fmt::format("{}{} depends on {}", detail.empty() ? "" : "\n", each.describe(catalog),
                    each.named->routine ? describe(catalog, *each.named) : "type " + catalog.shownName(*each.named));
  return SqlError(sqlstate::kDependentObjectsStillExist,
                  fmt::format("cannot drop {} because other objects depend on it", describe(catalog, dropped)))
      .detail(std::move(detail))
      .hint("Use DROP ... CASCADE to drop the dependent objects too.");
}

}  // namespace gnomon::sql
