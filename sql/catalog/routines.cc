#include "sql/catalog/routines.h"

#include <algorithm>

#include "sql/bind/identifier_text.h"
#include "sql/bind/stored_expression.h"
#include "sql/bind/stored_reference.h"
#include "sql/catalog/user_types.h"
#include "sql/parse/identifier.h"
#include "sql/pg_catalog/facts.h"

namespace gnomon::sql {
std::string_view routineKindName(const RoutineEntry& routine) {
  return routine.form == RoutineEntry::Form::Procedure ? "procedure" : "function";
}

std::string routineSignature(const RoutineEntry& routine) {
  if (routine.generic) return routineSignature(*routine.generic);
  std::string text = quotedIdentifier(routine.name) + "(";
  for (const RoutineEntry::Parameter* input : routine.inputs()) {
    if (!text.ends_with('(')) text += ",";
    text += input->domain != 0 ? shownName(input->type, input->domain) : input->type.baseName();
  }
  return text + ")";
}

std::string shownRoutine(const CatalogView& catalog, const TableEntry& entry) {
  const std::string signature = routineSignature(*entry.routine);
  for (const TablePtr& found : catalog.findRoutines("", entry.routine->name))
    if (found->name == entry.name) {
      if (found->oid == entry.oid) return signature;
      break;
    }
  return quotedIdentifier(entry.schema) + "." + signature;
}

bool isCurrent(const CatalogView& catalog, const TablePtr& entry) {
  const TablePtr found = catalog.findEntry(entry->oid);
  if (found == entry) return true;
  return found && entry->routine && entry->routine->generic && found->routine == entry->routine->generic;
}

bool calls(const std::string& text, const TableEntry& routine) {
  if (!text.contains(schemaOfOid(routine.oid))) return false;
  const StoredExpression stored(text);
  const auto callsIt = [&](const ast::Expression* tree) {
    const std::vector<uint32_t> called = calledRoutines(*tree);
    return std::ranges::find(called, routine.oid) != called.end();
  };
  const auto& trees = stored.trees();
  return std::ranges::any_of(trees, callsIt);
}

std::vector<DependentDefault> defaultsCalling(const CatalogView& catalog, const std::vector<TablePtr>& routines) {
  std::vector<DependentDefault> result;
  std::vector<TablePtr> tables = catalog.entries();
  std::ranges::sort(tables, {}, &TableEntry::oid);
  for (const TablePtr& table : tables)
    for (uint32_t i = 0; i < table->columns.size(); ++i) {
      const ColumnEntry& column = table->columns[i];
      if (column.default_text.empty() || column.identity != Identity::None) continue;
      for (const TablePtr& routine : routines)
        if (calls(column.default_text, *routine)) result.push_back({table, i, routine});
    }
  return result;
}

}  // namespace gnomon::sql
