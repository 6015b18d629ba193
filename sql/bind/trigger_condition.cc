#include "sql/bind/trigger_condition.h"

#include <algorithm>

#include "sql/bind/expression_binder.h"
#include "sql/bind/identifier_text.h"
#include "sql/bind/stored_expression.h"
#include "sql/catalog/column_order.h"
#include "sql/optimise/simplify.h"
#include "sql/parse/identifier.h"

namespace gnomon::sql {
namespace {

constexpr size_t kSelectBytes = std::string_view("SELECT ").size();

void addRow(BindState& state, const TableEntry& table, const char* name, std::deque<InformationUnit>& units,
            Scope& scope) {
  Range range{.alias = name, .table_name = table.name, .columns = {}, .is_aliased = true, .relation = table.oid};
  const size_t first = units.size();
  for (const ColumnEntry& column : table.columns) {
    const Iu unit = &units.emplace_back(static_cast<uint32_t>(units.size()), column.name, column.type, true);
    state.unit_names[unit] = std::string(name) + "." + column.name;
  }
  for (const uint32_t i : columnsInOrder(table)) range.columns.push_back({table.columns[i].name, &units[first + i]});
  Scope row;
  row.columns = range.columns;
  row.ranges.push_back(std::move(range));
  scope.append(std::move(row));
}

}  // namespace

ExpressionPtr bindTriggerCondition(BindState& state, const TableEntry& table, const ast::Expression& node,
                                   std::deque<InformationUnit>& units) {
  Scope scope;
  addRow(state, table, "old", units, scope);
  addRow(state, table, "new", units, scope);
  const bool hidden = std::exchange(state.hides_variables, true);
  ExpressionPtr condition =
      ExpressionBinder(state, scope, {.name = "trigger WHEN conditions"}).bindCondition(node, "WHEN");
  state.hides_variables = hidden;
  return condition;
}

CheckForms triggerConditionForms(BindState& state, const TableEntry& table, const TriggerEntry& trigger) {
  const StoredExpression stored(trigger.condition);
  const auto bindIn = [&](BindContext& context) {
    BindState own(context);
    auto result = std::make_shared<CheckExpressions>();
    std::vector<ExpressionPtr> tested;
    tested.push_back(bindTriggerCondition(own, table, stored.tree(), result->units));
    for (const TablePtr& used : own.tables) state.addTable(used);
    ExpressionPtr is_true = Expression::logic(Expression::Kind::IsTrue, std::move(tested));
    result->checks.push_back({{}, simplifyExpression(std::move(is_true)), {}, false});
    return result;
  };
  BindContext unlimited = state.context;
  unlimited.unlimited_numerics = true;
  return {bindIn(state.context), bindIn(unlimited)};
}

std::string withRenamedRowColumn(const std::string& text, std::string_view from, std::string_view to) {
  std::vector<std::pair<size_t, size_t>> places;  // of the names of the column
  const StoredExpression stored(text);
  forEachNode(stored.tree(), [&](const ast::Expression& node) {
    if (node.kind != ast::Expression::Kind::Column || node.names.size() != 2 || node.names.back() != from) return;
    const size_t begin = identifierEnd(text, static_cast<size_t>(node.position) - kSelectBytes) + 1;
    places.emplace_back(begin, identifierEnd(text, begin));
  });
  std::ranges::sort(places);
  std::string result;
  size_t copied = 0;
  for (const auto& [begin, end] : places) {
    result.append(text, copied, begin - copied).append(quotedIdentifier(std::string(to)));
    copied = end;
  }
  return result.append(text, copied);
}

std::vector<TriggerEntry> triggersNaming(const TableEntry& table, uint32_t column) {
  std::vector<TriggerEntry> result;
  for (const TriggerEntry& trigger : table.triggers) {
    bool is_named = std::ranges::find(trigger.columns, column) != trigger.columns.end();
    if (!trigger.condition.empty())
      forEachNode(StoredExpression(trigger.condition).tree(), [&](const ast::Expression& node) {
        is_named = is_named || (node.kind == ast::Expression::Kind::Column && node.names.size() == 2 &&
                                node.names.back() == table.columns[column].name);
      });
    if (is_named) result.push_back(trigger);
  }
  return result;
}

}  // namespace gnomon::sql
