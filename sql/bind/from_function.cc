#include <algorithm>
#include <utility>

#include "base/sql_error.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/result_name.h"
#include "sql/bind/set_functions.h"

namespace gnomon::sql {
namespace {

bool readsColumns(const SetCall& call) {
  std::vector<Iu> read;
  for (const ExpressionPtr& argument : call.arguments) argument->collectUnits(read);
  return !read.empty();
}

}  // namespace

struct FromBinder::FunctionRows {
  std::vector<SetCall> calls;
  std::vector<ScopeColumn> columns;
  /// Functions that return one row: the values, and what they are called above where other rows may have more.
  std::vector<Map::Computed> values, first_values;
  SubqueryJoins subqueries;
  Iu ordinality = nullptr;
};

void FromBinder::bindCalls(const ast::FromItem& item, const ast::Expression& node, FunctionRows& rows) {
  const bool is_only = item.functions.size() == 1 && !item.alias.name.empty();
  const bool takes_alias = is_only && (node.children.size() == 1 || node.names.back() != "unnest");
  const Scope before = scopeBefore();
  const Clause clause{.name = kFunctionsInFrom, .subqueries = &rows.subqueries};
  ExpressionBinder binder(state_, before, clause);
  std::vector<ExpressionPtr> arguments;
  for (const ast::ExpressionPtr& child : node.children) arguments.push_back(binder.bind(*child));
  const std::string& column = takes_alias ? item.alias.name : node.names.back();
  for (SetCall& call : bindSetCalls(state_, node, std::move(arguments), column, true)) {
    rows.columns.push_back({call.iu->name, call.iu});
    rows.calls.push_back(std::move(call));
  }
}

/// A function that returns one row, or what the grammar takes for one.
void FromBinder::bindScalarFunction(const ast::FromItem& item, const ast::Expression& node, FunctionRows& rows) {
  const Scope before = scopeBefore();
  const Clause clause{.name = kFunctionsInFrom, .subqueries = &rows.subqueries};
  ExpressionBinder binder(state_, before, clause);
  ExpressionPtr value = binder.coercion().settle(binder.bind(node));
  const std::string name = item.functions.size() == 1 && !item.alias.name.empty() ? item.alias.name : resultName(node);
  const Iu unit = state_.plan->makeUnit(name, value->type, value->nullable);
  rows.columns.push_back({name, unit});
  rows.values.push_back({unit, std::move(value)});
}

/// What ends before another one gives NULLs.
void FromBinder::endWithNulls(FunctionRows& rows) {
  if (rows.columns.size() < 2 || rows.calls.empty()) return;
  const auto rename = [&](Iu from, Iu to) { std::ranges::find(rows.columns, from, &ScopeColumn::iu)->iu = to; };
  for (SetCall& call : rows.calls) {
    const Iu unit = state_.plan->makeUnit(call.iu->name, call.iu->type, true);
    rename(std::exchange(call.iu, unit), unit);
  }
  if (rows.values.empty()) return;
  // A row that is always there is the first one.
  std::vector<ExpressionPtr> bounds;
  for (int i = 0; i < 3; ++i) bounds.push_back(Expression::constant(Value::fromInt(Type::of(TypeKind::Integer), 1)));
  const Iu first = state_.plan->makeUnit("first", Type::of(TypeKind::Integer), true);
  rows.calls.push_back({"generate_series", std::move(bounds), first});
  for (const Map::Computed& value : rows.values) {
    std::vector<ExpressionPtr> tested;
    tested.push_back(Expression::column(first));
    const ExpressionPtr is_first = Expression::logic(Expression::Kind::IsNotNull, std::move(tested));
    const Iu unit = state_.plan->makeUnit(value.iu->name, value.iu->type, true);
    rename(value.iu, unit);
    rows.first_values.push_back({unit, whereTrue(Expression::column(value.iu), is_first.get())});
  }
}

/// Series that read nothing are made by the scan of a source of their own; all others for each row that they read, or
/// for a row without columns.
OperatorPtr FromBinder::treeOf(FunctionRows rows, const std::string& name) {
  const auto computed = [](std::vector<Map::Computed> columns, OperatorPtr input) -> OperatorPtr {
    if (columns.empty()) return input;
    auto map = std::make_unique<Map>();
    map->computed = std::move(columns);
    map->inputs.push_back(std::move(input));
    return map;
  };
  const bool is_scan =
      rows.values.empty() && rows.subqueries.empty() &&
      std::ranges::none_of(rows.calls, [](const SetCall& call) { return call.isUnnest() || readsColumns(call); });
  if (is_scan) {
    auto scan = std::make_unique<FunctionScan>();
    scan->alias = name;
    scan->calls = std::move(rows.calls);
    scan->ordinality = rows.ordinality;
    return scan;
  }
  if (rows.calls.empty() && rows.ordinality)
    rows.values.push_back({rows.ordinality, Expression::constant(Value::fromInt(rows.ordinality->type, 1))});
  OperatorPtr tree = computed(std::move(rows.values), rows.subqueries.attach(oneRow()));
  if (rows.calls.empty()) return tree;
  auto project = std::make_unique<ProjectSet>();
  project->calls = std::move(rows.calls);
  project->ordinality = rows.ordinality;
  project->inputs.push_back(std::move(tree));
  return computed(std::move(rows.first_values), std::move(project));
}

/// What such functions return is what a relation of the catalog has.
VirtualRelationPtr FromBinder::relationOfFunction(const ast::FromItem& item) const {
  using FunctionRelation = std::pair<std::string_view, std::string_view>;
  static constexpr FunctionRelation kFunctions[] = {{"pg_show_all_settings", "pg_settings"},
                                                    {"pg_timezone_names", "pg_timezone_names"},
                                                    {"pg_timezone_abbrevs", "pg_timezone_abbrevs"},
                                                    {"pg_lock_status", "pg_locks"},
                                                    {"pg_cursor", "pg_cursors"},
                                                    {"pg_prepared_statement", "pg_prepared_statements"}};
  const ast::Expression& node = *item.functions.front();
  const bool is_plain = item.functions.size() == 1 && !item.has_ordinality && item.function_columns.empty() &&
                        node.kind == ast::Expression::Kind::Function && node.children.empty();
  if (!is_plain || (node.names.size() > 1 && node.names[0] != "pg_catalog")) return nullptr;
  const auto* const found = std::ranges::find(kFunctions, node.names.back(), &FunctionRelation::first);
  if (found == std::end(kFunctions)) return nullptr;
  return state_.context.catalog.findVirtual("pg_catalog", found->second);
}

FromBinder::Result FromBinder::bindRelationFunction(VirtualRelationPtr relation, const ast::FromItem& item) {
  const std::string& name = item.functions.front()->names.back();
  auto scan = std::make_unique<VirtualScan>();
  scan->alias = item.alias.name.empty() ? name : item.alias.name;
  std::vector<ScopeColumn> columns;
  for (uint32_t i = 0; i < relation->columns.size(); ++i) {
    const Iu unit = state_.plan->makeUnit(relation->columns[i].name, relation->columns[i].type, true);
    scan->columns.push_back({i, unit});
    columns.push_back({unit->name, unit});
  }
  scan->relation = std::move(relation);
  Result result{std::move(scan), scopeOf(item.alias, name, std::move(columns))};
  nameUnits(result.scope);
  return result;
}

FromBinder::Result FromBinder::bindFunctions(const ast::FromItem& item) {
  if (isRoutine(item)) return bindRoutine(item);
  if (VirtualRelationPtr relation = relationOfFunction(item)) return bindRelationFunction(std::move(relation), item);
  if (isJsonRecord(item)) return bindJsonRecord(item);
  if (!item.function_columns.empty()) throwNotSupported("column definition lists", item.functions.front()->position);
  const std::string name = resultName(*item.functions.front());
  FunctionRows rows;
  for (const ast::ExpressionPtr& node : item.functions) {
    if (isSetFunction(*node))
      bindCalls(item, *node, rows);
    else
      bindScalarFunction(item, *node, rows);
  }
  endWithNulls(rows);
  if (item.has_ordinality) {
    rows.ordinality = state_.plan->makeUnit("ordinality", Type::of(TypeKind::Bigint), false);
    rows.columns.push_back({"ordinality", rows.ordinality});
  }
  std::vector<ScopeColumn> columns = rows.columns;
  const Iu only = columns.front().iu;
  OperatorPtr tree = treeOf(std::move(rows), item.alias.name.empty() ? name : item.alias.name);
  Result result{std::move(tree), scopeOf(item.alias, name, std::move(columns))};
  nameUnits(result.scope);
  // The alias of a row of one value is the value.
  Range& range = result.scope.ranges.back();
  const bool is_value_set = isSetFunction(*item.functions.front()) && isValueSet(*item.functions.front());
  if (range.columns.size() == 1 && is_value_set) range.hidden.push_back({range.alias, only});
  return result;
}

}  // namespace gnomon::sql
