#include "sql/bind/scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "base/sql_error.h"
#include "sql/bind/column_hint.h"

namespace gnomon::sql {
namespace {

[[noreturn]] void throwAmbiguous(std::string_view name, int32_t position) {
  throw SqlError(sqlstate::kAmbiguousColumn, fmt::format("column reference \"{}\" is ambiguous", name))
      .position(position);
}

/// The entry a wrong qualifier probably means; null: none.
const FromEntry* findEntry(const FromLevels& levels, std::string_view name) {
  for (const auto& level : levels | std::views::reverse)
    for (const FromEntry& entry : level)
      if (entry.table_name == name || entry.alias == name) return &entry;
  return nullptr;
}

}  // namespace

bool isSystemColumn(std::string_view name) {
  return name == "ctid" || name == "xmin" || name == "xmax" || name == "cmin" || name == "cmax" || name == "tableoid";
}

void Scope::append(Scope other) {
  for (const Range& added : other.ranges)
    for (const Range& range : ranges)
      if (!added.alias.empty() && added.alias == range.alias)
        throw SqlError(sqlstate::kDuplicateAlias,
                       fmt::format("table name \"{}\" specified more than once", added.alias));
  for (Range& range : other.ranges) ranges.push_back(std::move(range));
  for (ScopeColumn& column : other.columns) columns.push_back(std::move(column));
}

Iu Scope::find(std::string_view name, int32_t position) const {
  Iu found = nullptr;
  for (const ScopeColumn& column : columns) {
    if (column.name != name) continue;
    if (found != nullptr) throwAmbiguous(name, position);
    found = column.iu;
  }
  return found;
}

Iu Scope::findHidden(std::string_view name, int32_t position) const {
  Iu found = nullptr;
  for (const Range& range : ranges)
    for (const ScopeColumn& column : range.hidden) {
      if (column.name != name) continue;
      if (found != nullptr) throwAmbiguous(name, position);
      found = column.iu;
    }
  return found;
}

const Range* Scope::findRange(std::span<const std::string> qualifiers) const {
  const std::string& name = qualifiers.back();
  if (qualifiers.size() > 2) return nullptr;
  for (const Range& range : ranges) {
    if (range.alias != name) continue;
    const bool has_schema = !range.is_aliased && !range.table_name.empty() && range.schema == qualifiers[0];
    if (qualifiers.size() == 1 || has_schema) return &range;
  }
  return nullptr;
}

const Range* Scope::rangeWith(std::string_view name, Iu unit) const {
  for (const Range& range : ranges)
    for (const ScopeColumn& each : range.columns)
      if (each.iu == unit && each.name == name && !range.alias.empty()) return &range;
  return nullptr;
}

const Range& Scope::range(std::span<const std::string> qualifiers, const FromLevels& levels, int32_t position) const {
  if (const Range* found = findRange(qualifiers)) return *found;
  const std::string& name = qualifiers.back();
  if (const FromEntry* entry = findEntry(levels, name)) {
    const bool is_in_reach = entry->alias != name && std::ranges::count(ranges, entry->alias, &Range::alias) > 0;
    throw SqlError(sqlstate::kUndefinedTable,
                   fmt::format("invalid reference to FROM-clause entry for table \"{}\"", name))
        .hint(is_in_reach
                  ? fmt::format("Perhaps you meant to reference the table alias \"{}\".", entry->alias)
                  : fmt::format("There is an entry for table \"{}\", but it cannot be referenced from this part of the "
                                "query.",
                                entry->alias))
        .position(position);
  }
  throw SqlError(sqlstate::kUndefinedTable, fmt::format("missing FROM-clause entry for table \"{}\"", name))
      .position(position);
}

Iu Scope::resolve(std::span<const std::string> names, const FromLevels& levels, int32_t position) const {
  const std::string& name = names.back();
  if (names.size() == 1) {
    if (const Iu found = find(name, position)) return found;
    if (const Iu found = findHidden(name, position)) return found;
    if (isSystemColumn(name) && !ranges.empty()) throwNotSupported(fmt::format("system column \"{}\"", name), position);
    throw SqlError(sqlstate::kUndefinedColumn, fmt::format("column \"{}\" does not exist", name))
        .hint(columnHint(levels, "", name))
        .position(position);
  }
  const Range& source = range(names.first(names.size() - 1), levels, position);
  Iu found = nullptr;
  for (const ScopeColumn& column : source.columns) {
    if (column.name != name) continue;
    if (found != nullptr) throwAmbiguous(name, position);
    found = column.iu;
  }
  if (found != nullptr) return found;
  for (const ScopeColumn& column : source.hidden)
    if (column.name == name) return column.iu;
  if (isSystemColumn(name)) throwNotSupported(fmt::format("system column \"{}\"", name), position);
  throw SqlError(sqlstate::kUndefinedColumn, fmt::format("column {}.{} does not exist", names[names.size() - 2], name))
      .hint(columnHint(levels, names[names.size() - 2], name))
      .position(position);
}

bool Scope::has(Iu unit) const {
  const auto lists = [unit](const std::vector<ScopeColumn>& list) {
    return std::ranges::find(list, unit, &ScopeColumn::iu) != list.end();
  };
  return lists(columns) ||
         std::ranges::any_of(ranges, [&](const Range& range) { return lists(range.columns) || lists(range.hidden); });
}

void Scope::replace(const std::unordered_map<Iu, Iu>& replacements) {
  const auto replaceIn = [&](std::vector<ScopeColumn>& list) {
    for (ScopeColumn& column : list)
      if (const auto found = replacements.find(column.iu); found != replacements.end()) column.iu = found->second;
  };
  for (Range& range : ranges) {
    replaceIn(range.columns);
    replaceIn(range.hidden);
  }
  replaceIn(columns);
}

}  // namespace gnomon::sql
