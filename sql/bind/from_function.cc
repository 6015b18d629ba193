#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/no_function.h"
#include "sql/functions/overload.h"
#include "sql/functions/table_functions.h"

namespace gnomon::sql {
namespace {

constexpr std::string_view kClauseName = "functions in FROM";

/// The signatures, when it is one that returns sets.
std::span<const Signature> setSignatures(const ast::Expression& node) {
  const bool in_catalog = node.names.size() == 1 || (node.names.size() == 2 && node.names[0] == "pg_catalog");
  return in_catalog ? tableFunctionSignatures(node.names.back()) : std::span<const Signature>();
}

void refuseColumns(const Expression& expression, int32_t position) {
  std::vector<Iu> read;
  expression.collectUnits(read);
  if (!read.empty()) throwNotSupported("LATERAL of a function in FROM", position);
}

}  // namespace

std::vector<ExpressionPtr> FromBinder::bindArguments(const ast::Expression& node) {
  const Scope before = scopeBefore();
  ExpressionBinder binder(state_, before, {.name = kClauseName});
  std::vector<ExpressionPtr> arguments;
  for (const ast::ExpressionPtr& child : node.children) {
    arguments.push_back(binder.bind(*child));
    refuseColumns(*arguments.back(), node.position);
  }
  return arguments;
}

FunctionScan::Call FromBinder::bindCall(const ast::Expression& node, const std::string& column) {
  const std::string& name = node.names.back();
  if (node.is_star || node.is_distinct || node.filter)
    throw SqlError(sqlstate::kWrongObjectType, fmt::format("{} specified, but {} is not an aggregate function",
                                                           node.is_star       ? name + "(*)"
                                                           : node.is_distinct ? "DISTINCT"
                                                                              : "FILTER",
                                                           name))
        .position(node.position);
  std::vector<ExpressionPtr> arguments = bindArguments(node);
  std::vector<TypeKind> kinds;
  for (const ExpressionPtr& argument : arguments) kinds.push_back(argument->type.kind);
  const Signature* chosen = nullptr;
  const OverloadOutcome outcome = chooseFunction(setSignatures(node), kinds, chosen);
  if (outcome != OverloadOutcome::Found) throwNoFunction(node.names, arguments, outcome, node.position);
  if (chosen->volatility != Volatility::Immutable) state_.is_immutable = false;
  Coercion coercion(state_);
  for (size_t i = 0; i < arguments.size(); ++i) {
    arguments[i] = coercion.toKind(std::move(arguments[i]), chosen->arguments[i]);
    if (chosen->arguments[i] == TypeKind::Numeric) arguments[i] = coercion.toBig(std::move(arguments[i]));
  }
  return {name, std::move(arguments), state_.plan->makeUnit(column, Type::of(chosen->result), false)};
}

/// A function that returns one row, as the only one.
FromBinder::Result FromBinder::bindScalarFunction(const ast::FromItem& item) {
  const ast::Expression& node = *item.functions.front();
  if (item.functions.size() > 1 || item.has_ordinality)
    throwNotSupported("ROWS FROM and WITH ORDINALITY of functions that return one row", node.position);
  const Scope before = scopeBefore();
  ExpressionBinder binder(state_, before, {.name = kClauseName});
  ExpressionPtr value = binder.coercion().settle(binder.bind(node));
  const std::string& name = node.names.back();
  const Iu unit = state_.plan->makeUnit(item.alias.name.empty() ? name : item.alias.name, value->type, value->nullable);
  auto row = std::make_unique<Values>();
  row->rows.emplace_back();
  auto map = std::make_unique<Map>();
  map->computed.push_back({unit, std::move(value)});
  map->inputs.push_back(std::move(row));
  Result result{std::move(map), scopeOf(item.alias, name, {{unit->name, unit}})};
  nameUnits(result.scope);
  return result;
}

FromBinder::Result FromBinder::bindFunctions(const ast::FromItem& item) {
  const auto isSet = [](const ast::ExpressionPtr& node) { return !setSignatures(*node).empty(); };
  if (!std::ranges::all_of(item.functions, isSet)) return bindScalarFunction(item);
  const std::string& first = item.functions.front()->names.back();
  const bool takes_alias = item.functions.size() == 1 && !item.alias.name.empty();
  auto scan = std::make_unique<FunctionScan>();
  scan->alias = item.alias.name.empty() ? first : item.alias.name;
  std::vector<ScopeColumn> columns;
  for (const ast::ExpressionPtr& node : item.functions) {
    FunctionScan::Call call = bindCall(*node, takes_alias ? item.alias.name : node->names.back());
    // What ends before another one gives NULLs.
    if (item.functions.size() > 1) call.iu = state_.plan->makeUnit(call.iu->name, call.iu->type, true);
    columns.push_back({call.iu->name, call.iu});
    scan->calls.push_back(std::move(call));
  }
  if (item.has_ordinality) {
    scan->ordinality = state_.plan->makeUnit("ordinality", Type::of(TypeKind::Bigint), false);
    columns.push_back({"ordinality", scan->ordinality});
  }
  Result result{std::move(scan), scopeOf(item.alias, first, std::move(columns))};
  nameUnits(result.scope);
  return result;
}

}  // namespace gnomon::sql
