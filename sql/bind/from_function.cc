#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/result_name.h"
#include "sql/bind/set_functions.h"

namespace gnomon::sql {
namespace {

constexpr std::string_view kClauseName = "functions in FROM";

bool readsColumns(const SetCall& call) {
  std::vector<Iu> read;
  for (const ExpressionPtr& argument : call.arguments) argument->collectUnits(read);
  return !read.empty();
}

OperatorPtr oneRow() {
  auto row = std::make_unique<Values>();
  row->rows.emplace_back();
  return row;
}

}  // namespace

std::vector<SetCall> FromBinder::bindCalls(const ast::Expression& node, const std::string& column) {
  const Scope before = scopeBefore();
  ExpressionBinder binder(state_, before, {.name = kClauseName});
  std::vector<ExpressionPtr> arguments;
  for (const ast::ExpressionPtr& child : node.children) arguments.push_back(binder.bind(*child));
  return bindSetCalls(state_, node, std::move(arguments), column, true);
}

/// A function that returns one row, as the only one.
FromBinder::Result FromBinder::bindScalarFunction(const ast::FromItem& item) {
  const ast::Expression& node = *item.functions.front();
  if (item.functions.size() > 1 || item.has_ordinality)
    throwNotSupported("ROWS FROM and WITH ORDINALITY of functions that return one row", node.position);
  const Scope before = scopeBefore();
  ExpressionBinder binder(state_, before, {.name = kClauseName});
  ExpressionPtr value = binder.coercion().settle(binder.bind(node));
  const std::string name = resultName(node);
  const Iu unit = state_.plan->makeUnit(item.alias.name.empty() ? name : item.alias.name, value->type, value->nullable);
  auto map = std::make_unique<Map>();
  map->computed.push_back({unit, std::move(value)});
  map->inputs.push_back(oneRow());
  Result result{std::move(map), scopeOf(item.alias, name, {{unit->name, unit}})};
  nameUnits(result.scope);
  return result;
}

/// Series that read nothing are made by the scan of a source of their own; all others for each row that they read, or
/// for a row without columns.
FromBinder::Result FromBinder::bindFunctions(const ast::FromItem& item) {
  if (isJsonRecord(item)) return bindJsonRecord(item);
  if (!item.function_columns.empty()) throwNotSupported("column definition lists", item.functions.front()->position);
  if (!std::ranges::all_of(item.functions, [](const ast::ExpressionPtr& node) { return isSetFunction(*node); }))
    return bindScalarFunction(item);
  const std::string& first = item.functions.front()->names.back();
  std::vector<SetCall> calls;
  for (const ast::ExpressionPtr& node : item.functions) {
    const bool takes_alias = item.functions.size() == 1 && node->children.size() == 1 && !item.alias.name.empty();
    const bool is_series = item.functions.size() == 1 && first != "unnest" && !item.alias.name.empty();
    for (SetCall& call : bindCalls(*node, takes_alias || is_series ? item.alias.name : node->names.back()))
      calls.push_back(std::move(call));
  }
  std::vector<ScopeColumn> columns;
  for (SetCall& call : calls) {
    // What ends before another one gives NULLs.
    if (calls.size() > 1) call.iu = state_.plan->makeUnit(call.iu->name, call.iu->type, true);
    columns.push_back({call.iu->name, call.iu});
  }
  Iu ordinality = nullptr;
  if (item.has_ordinality) {
    ordinality = state_.plan->makeUnit("ordinality", Type::of(TypeKind::Bigint), false);
    columns.push_back({"ordinality", ordinality});
  }
  const bool is_scan =
      std::ranges::none_of(calls, [](const SetCall& call) { return call.isUnnest() || readsColumns(call); });
  OperatorPtr tree;
  if (is_scan) {
    auto scan = std::make_unique<FunctionScan>();
    scan->alias = item.alias.name.empty() ? first : item.alias.name;
    scan->calls = std::move(calls);
    scan->ordinality = ordinality;
    tree = std::move(scan);
  } else {
    auto project = std::make_unique<ProjectSet>();
    project->calls = std::move(calls);
    project->ordinality = ordinality;
    project->inputs.push_back(oneRow());
    tree = std::move(project);
  }
  const Iu only = columns.front().iu;
  Result result{std::move(tree), scopeOf(item.alias, first, std::move(columns))};
  nameUnits(result.scope);
  // The alias of a row of one value is the value.
  Range& range = result.scope.ranges.back();
  if (range.columns.size() == 1 && isValueSet(*item.functions.front())) range.hidden.push_back({range.alias, only});
  return result;
}

}  // namespace gnomon::sql
