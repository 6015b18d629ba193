#include "sql/catalog/routines.h"

#include <algorithm>

#include "sql/bind/identifier_text.h"
#include "sql/bind/stored_expression.h"
#include "sql/catalog/user_types.h"
#include "sql/parse/identifier.h"
#include "sql/pg_catalog/facts.h"

namespace gnomon::sql {
namespace {

bool calls(const ast::Expression& node, const TableEntry& routine) {
  return node.kind == ast::Expression::Kind::Function && node.names.size() == 2 && node.names[0] == routine.schema &&
         node.names[1] == routine.routine->name;
}

}  // namespace

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

std::string withRoutineSchemas(const CatalogView& catalog, const std::string& expression) {
  constexpr size_t kBefore = std::string_view("SELECT ").size();
  std::vector<std::pair<size_t, std::string>> places;
  const StoredExpression stored(expression);
  forEachNode(stored.tree(), [&](const ast::Expression& node) {
    if (node.kind != ast::Expression::Kind::Function || node.names.size() != 1) return;
    if (pg_catalog::hasProcedure(node.names[0])) return;
    const std::vector<TablePtr> found = catalog.findRoutines("", node.names[0]);
    if (!found.empty())
      places.emplace_back(static_cast<size_t>(node.position) - kBefore, quotedIdentifier(found.front()->schema) + ".");
  });
  std::ranges::sort(places, std::greater<>());
  std::string result = expression;
  for (const auto& [place, schema] : places) result.insert(place, schema);
  return result;
}

std::vector<DependentDefault> defaultsCalling(const CatalogView& catalog, const std::vector<TablePtr>& routines) {
  std::vector<DependentDefault> result;
  std::vector<TablePtr> tables = catalog.entries();
  std::ranges::sort(tables, {}, &TableEntry::oid);
  for (const TablePtr& table : tables)
    for (uint32_t i = 0; i < table->columns.size(); ++i) {
      const ColumnEntry& column = table->columns[i];
      if (column.default_text.empty() || column.identity != Identity::None) continue;
      const StoredExpression stored(column.default_text);
      for (const TablePtr& routine : routines) {
        bool is_called = false;
        forEachNode(stored.tree(),
                    [&](const ast::Expression& node) { is_called = is_called || calls(node, *routine); });
        if (is_called) result.push_back({table, i, routine});
      }
    }
  return result;
}

}  // namespace gnomon::sql
