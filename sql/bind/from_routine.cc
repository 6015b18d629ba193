#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/algebra/rewrite.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/routine_body.h"
#include "sql/bind/routine_call.h"
#include "sql/bind/set_functions.h"
#include "sql/bind/stored_reference.h"
#include "sql/bind/stored_text.h"
#include "sql/bind/type_name.h"
#include "sql/pg_catalog/facts.h"
#include "sql/types/record_value.h"

/// Functions that users made, in FROM.
namespace gnomon::sql {
/// Whether it is a call of a function that a user made, and whose columns have names of their own.
bool FromBinder::isRoutine(const ast::Expression& node) const {
  if (node.kind != ast::Expression::Kind::Function || node.names.size() > 2) return false;
  if (node.names.size() == 1 && pg_catalog::hasProcedure(node.names[0])) return false;
  const auto returnsRows = [](const TablePtr& entry) {
    return entry->routine->returns_set || entry->routine->result.isRecord() || !entry->routine->outputs().empty();
  };
  if (const std::optional<uint32_t> oid = node.names.size() == 2 ? oidOf(node.names[0]) : std::nullopt) {
    const TablePtr entry = state_.context.catalog.findEntry(*oid);
    return entry && entry->routine && returnsRows(entry);
  }
  const std::string& schema = node.names.size() == 2 ? node.names[0] : std::string();
  return std::ranges::any_of(state_.context.catalog.findRoutines(schema, node.names.back()), returnsRows);
}

/// Columns that the call itself says, for a function that returns records. Failure: 42601, 42804.
std::vector<RoutineColumn> FromBinder::columnsOfCall(const ast::FunctionItem& function, const RoutineEntry& routine) {
  std::vector<RoutineColumn> columns = routineColumns(routine);
  if (!columns.empty()) {
    if (function.columns.empty()) return columns;
    throw SqlError(sqlstate::kSyntaxError, routine.outputs().empty()
                                               ? "a column definition list is only allowed for functions returning "
                                                 "\"record\""
                                               : "a column definition list is redundant for a function with OUT "
                                                 "parameters")
        .position(function.columns.front().position);
  }
  if (function.columns.empty())
    throw SqlError(sqlstate::kSyntaxError, "a column definition list is required for functions returning \"record\"")
        .position(function.call->position);
  for (const ast::FunctionColumn& column : function.columns) {
    const NamedType named = resolveTypeName(column.type);
    noteStoredType(state_, column.type, named);
    columns.push_back({column.name, named.type, named.domain});
  }
  requireNoTwin(function.columns);
  return columns;
}

/// Failure: 42701.
void FromBinder::requireNoTwin(const std::vector<ast::FunctionColumn>& columns) {
  for (auto column = columns.begin(); column != columns.end(); ++column)
    if (std::find_if(columns.begin(), column, [&](const auto& before) { return before.name == column->name; }) !=
        column)
      throw SqlError(sqlstate::kDuplicateColumn,
                     fmt::format("column name \"{}\" specified more than once", column->name));
}

/// Those that the call says, and no others. Failure: 0A000 for domains: a call does not say that it has tested them.
std::vector<Type> FromBinder::listedTypes(const ast::FunctionItem& function) {
  std::vector<Type> types;
  for (const ast::FunctionColumn& column : function.columns) {
    const NamedType named = resolveTypeName(column.type);
    noteStoredType(state_, column.type, named);
    if (named.domain != 0) throwNotSupported("a domain in a column definition list", column.type.position);
    types.push_back(named.type);
  }
  return types;
}

/// The rows of a body that becomes a part of the statement, joined to `left`, a row of its arguments; null: they are
/// all at hand. Without a tree: it is to be computed anew for each call, and `left` is still there.
RoutineBody::Rows FromBinder::inlineInFrom(const RoutineCall& call, const std::vector<ExpressionPtr>& inputs,
                                           const std::vector<RoutineColumn>& columns, OperatorPtr& left) {
  const RoutineEntry& routine = *call.entry->routine;
  RoutineBody body(*call.entry);
  if (!body.isQuery(state_) || (routine.volatility == Volatility::Volatile && state_.changes_rows)) return {};
  std::vector<ExpressionPtr> shown;
  for (const ExpressionPtr& input : inputs) shown.push_back(input->clone());
  ExpressionPtr condition = routine.is_strict ? noneIsNull(inputs) : nullptr;
  RoutineBody::Rows rows = body.bindRows(state_, std::move(shown), columns, !routine.returns_set);
  if (!rows.tree) return {};
  if (condition) {
    auto selection = std::make_unique<Selection>();
    selection->conditions.push_back(std::move(condition));
    selection->inputs.push_back(std::move(rows.tree));
    rows.tree = std::move(selection);
  }
  // A function that returns no set gives one row, if need be of NULLs.
  if (routine.returns_set && !left) return rows;
  auto join = std::make_unique<Join>();
  join->join_kind = routine.returns_set ? Join::JoinKind::Inner : Join::JoinKind::LeftOuter;
  if (!left) left = oneRow();
  const UnitSet units = unitSet(*left);
  join->is_dependent = std::ranges::any_of(freeUnits(*rows.tree), [&](Iu unit) { return units.contains(unit); });
  join->inputs.push_back(std::move(left));
  join->inputs.push_back(std::move(rows.tree));
  for (Iu& unit : rows.units) {
    if (routine.returns_set) break;
    join->null_extended.emplace_back(unit, state_.plan->makeUnit(unit->name, unit->type, true));
    unit = join->null_extended.back().second;
  }
  rows.tree = std::move(join);
  return rows;
}

/// The rows of a call that the session executes, over a row of its arguments.
RoutineBody::Rows FromBinder::callInFrom(ExpressionPtr value, bool returns_set,
                                         const std::vector<RoutineColumn>& columns, OperatorPtr left) {
  const Type row = returns_set ? value->type.element() : value->type;
  const Iu unit = state_.plan->makeUnit("row", row, true);
  OperatorPtr tree;
  if (returns_set) {
    auto project = std::make_unique<ProjectSet>();
    SetCall set{"unnest", {}, unit};
    set.arguments.push_back(std::move(value));
    project->calls.push_back(std::move(set));
    tree = std::move(project);
  } else {
    auto map = std::make_unique<Map>();
    map->computed.push_back({unit, std::move(value)});
    tree = std::move(map);
  }
  tree->inputs.push_back(std::move(left));
  RoutineBody::Rows rows{std::move(tree), {unit}};
  if (!row.isRecord()) return rows;
  rows.units.clear();
  auto fields = std::make_unique<Map>();
  for (size_t i = 0; i < columns.size(); ++i) {
    const Type type = heldInRecord(columns[i].type);
    rows.units.push_back(state_.plan->makeUnit(columns[i].name, type, true));
    fields->computed.push_back({rows.units.back(), fieldAt(Expression::column(unit), i, type)});
  }
  fields->inputs.push_back(std::move(rows.tree));
  rows.tree = std::move(fields);
  return rows;
}

FromBinder::Result FromBinder::bindRoutine(const ast::FromItem& item) {
  const ast::FunctionItem& function = item.functions.front();
  const Scope before = scopeBefore();
  SubqueryJoins subqueries;
  const Clause clause{.name = kFunctionsInFrom, .subqueries = &subqueries};
  ExpressionBinder binder(state_, before, clause);
  RoutineCall call;
  std::vector<ExpressionPtr> inputs = binder.bindRoutineInputs(*function.call, call);
  const RoutineEntry& routine = *call.entry->routine;
  const std::vector<RoutineColumn> columns = columnsOfCall(function, routine);
  // What is not simple is computed in a row before the body's rows.
  auto map = std::make_unique<Map>();
  for (ExpressionPtr& input : inputs) {
    if (isSimpleArgument(*input)) continue;
    const Iu unit = state_.plan->makeUnit("argument", input->type, input->nullable);
    map->computed.push_back({unit, std::move(input)});
    input = Expression::column(unit);
  }
  OperatorPtr left;
  if (!subqueries.empty() || !map->computed.empty()) left = subqueries.attach(oneRow());
  if (!map->computed.empty()) {
    map->inputs.push_back(std::move(left));
    left = std::move(map);
  }
  RoutineBody::Rows rows = inlineInFrom(call, inputs, columns, left);
  if (!rows.tree)
    rows = callInFrom(binder.callRoutine(call, std::move(inputs), listedTypes(function)), routine.returns_set, columns,
                      left ? std::move(left) : oneRow());
  std::vector<ScopeColumn> named;
  const bool takes_alias = columns.size() == 1 && !routine.result.isRecord() && routine.outputs().empty();
  // As it is called here: a stored query goes on calling it so when it gets another name.
  const std::string& name = function.call->names.back();
  for (size_t i = 0; i < columns.size(); ++i)
    named.push_back({!takes_alias ? columns[i].name : item.alias.name.empty() ? name : item.alias.name, rows.units[i]});
  Result result{std::move(rows.tree), scopeOf(item.alias, name, std::move(named))};
  nameUnits(result.scope);
  return result;
}

}  // namespace gnomon::sql
