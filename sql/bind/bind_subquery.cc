#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/algebra/rewrite.h"
#include "sql/bind/common_tables.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/query_binder.h"
#include "sql/bind/typed_row.h"

namespace gnomon::sql {
namespace {

std::unique_ptr<Join> joinOf(Join::JoinKind kind, OperatorPtr subquery) {
  auto join = std::make_unique<Join>();
  join->join_kind = kind;
  join->inputs.push_back(std::move(subquery));
  return join;
}

ExpressionPtr resultColumn(const Join& join) {
  return Expression::column(resultOf(join));
}

[[noreturn]] void throwOtherWidth(const ast::Expression& row) {
  throw SqlError(sqlstate::kSyntaxError, "number of columns does not match number of values").position(row.position);
}

}  // namespace

/// "index expressions" is the clause's name in other messages.
SubqueryJoins& ExpressionBinder::subqueriesHere() const {
  SubqueryJoins* const here = in_aggregate_ ? clause_.argument_subqueries : clause_.subqueries;
  if (here) return *here;
  std::string_view name = clause_.name;
  if (name.ends_with("s") && name != "VALUES") name.remove_suffix(1);
  throw SqlError(sqlstate::kFeatureNotSupported, fmt::format("cannot use subquery in {}", name));
}

OperatorPtr ExpressionBinder::bindQuery(const ast::Expression& node, std::vector<Iu>& columns) {
  try {
    subqueriesHere();
  } catch (SqlError& error) {
    throw error.position(node.position);
  }
  state_.outer_levels.push_back({&scope_, &clause_});
  QueryBinder::Result query = QueryBinder(state_).bind(*node.query);
  state_.outer_levels.pop_back();
  shareLocking(state_, query);
  for (const QueryBinder::Column& column : query.columns) columns.push_back(column.iu);
  return std::move(query.tree);
}

ExpressionPtr ExpressionBinder::bindScalarSubquery(const ast::Expression& node) {
  std::vector<Iu> columns;
  OperatorPtr query = bindQuery(node, columns);
  if (columns.size() != 1)
    throw SqlError(sqlstate::kSyntaxError, "subquery must return only one column").position(node.position);
  auto join = joinOf(Join::JoinKind::Single, std::move(query));
  const Iu below = columns.front();
  const Iu above = state_.plan->makeUnit(below->name, below->type, true);
  state_.inherit(above, below);
  state_.origins.erase(above);
  join->null_extended.emplace_back(below, above);
  ExpressionPtr result = resultColumn(*join);
  subqueriesHere().add(std::move(join));
  return result;
}

std::vector<ExpressionPtr> ExpressionBinder::bindRowSubquery(const ast::Expression& node, size_t width,
                                                             int32_t compared_at) {
  std::vector<Iu> columns;
  OperatorPtr query = bindQuery(node, columns);
  if (columns.size() != width && compared_at < 0) throwOtherWidth(node);
  if (columns.size() != width)
    throw SqlError(sqlstate::kSyntaxError,
                   columns.size() > width ? "subquery has too many columns" : "subquery has too few columns")
        .position(compared_at);
  auto join = joinOf(Join::JoinKind::Single, std::move(query));
  Arguments row;
  for (const Iu below : columns) {
    join->null_extended.emplace_back(below, state_.plan->makeUnit(below->name, below->type, true));
    row.push_back(Expression::column(join->null_extended.back().second));
  }
  subqueriesHere().add(std::move(join));
  return row;
}

std::vector<ExpressionPtr> ExpressionBinder::bindAssignedRow(const ast::Expression& node, size_t width) {
  if (node.kind != ast::Expression::Kind::Row) return bindRowSubquery(node, width);
  Arguments row = bindRowItems(node.children);
  if (row.size() != width) throwOtherWidth(node);
  return row;
}

ExpressionPtr ExpressionBinder::bindExists(const ast::Expression& node) {
  std::vector<Iu> columns;
  auto join = joinOf(Join::JoinKind::Mark, bindQuery(node, columns));
  join->mark = state_.plan->makeUnit("exists", Type::of(TypeKind::Boolean), false);
  ExpressionPtr result = resultColumn(*join);
  subqueriesHere().add(std::move(join));
  return result;
}

/// x op ALL (...): for no row x op y is FALSE, or unknown.
ExpressionPtr ExpressionBinder::bindQuantified(const ast::Expression& node) {
  const bool is_typed = node.children.size() == 1 && isTypedRow(*node.children[0]);
  Arguments row = is_typed ? columnsOfRow(*bind(*node.children[0])) : bindRowItems(node.children);
  std::vector<Iu> columns;
  OperatorPtr query = bindQuery(node, columns);
  if (columns.size() != row.size())
    throw SqlError(sqlstate::kSyntaxError,
                   columns.size() > row.size() ? "subquery has too many columns" : "subquery has too few columns")
        .position(node.position);
  Arguments right;
  for (const Iu column : columns) right.push_back(Expression::column(column));
  ExpressionPtr compared = compareRows(node.text, std::move(row), std::move(right), node.position);
  const auto negated = [](ExpressionPtr condition) {
    Arguments operand;
    operand.push_back(std::move(condition));
    return Expression::logic(Expression::Kind::Not, std::move(operand));
  };
  auto join = joinOf(Join::JoinKind::Mark, std::move(query));
  join->compared = node.is_all ? negated(std::move(compared)) : std::move(compared);
  join->mark = state_.plan->makeUnit("any", Type::of(TypeKind::Boolean), join->compared->nullable);
  ExpressionPtr result = resultColumn(*join);
  subqueriesHere().add(std::move(join));
  return node.is_all ? negated(std::move(result)) : std::move(result);
}

}  // namespace gnomon::sql
