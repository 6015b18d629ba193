#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/algebra/rewrite.h"
#include "sql/algebra/set_operators.h"
#include "sql/algebra/window.h"
#include "sql/bind/collation.h"
#include "sql/bind/common_tables.h"
#include "sql/bind/comparable.h"
#include "sql/bind/query_binder.h"
#include "sql/bind/row_lock_binder.h"
#include "sql/types/collation.h"

namespace gnomon::sql {
namespace {

using SetOperation = ast::Query::SetOperation;

std::string_view nameOf(SetOperation operation) {
  return operation == SetOperation::Union ? "UNION" : operation == SetOperation::Intersect ? "INTERSECT" : "EXCEPT";
}

/// The values are the tree's columns, in order, and nothing besides.
bool areColumns(const std::vector<ExpressionPtr>& values, const std::vector<Iu>& units) {
  return std::ranges::equal(values, units, [](const ExpressionPtr& value, Iu unit) {
    return value->kind == Expression::Kind::Column && value->iu == unit;
  });
}

/// An operator below a set operation whose duplicates are removed above it anyway.
Operator* withoutOwnDistinct(Operator& op, const std::vector<ExpressionPtr>& values) {
  if (op.kind != Operator::Kind::Aggregation || !areColumns(values, op.units())) return &op;
  const auto& distinct = static_cast<const Aggregation&>(op);
  const bool is_plain =
      distinct.aggregates.empty() && std::ranges::all_of(distinct.keys, [](const Aggregation::Key& key) {
        return key.expression->kind == Expression::Kind::Column;
      });
  return is_plain && op.inputs[0]->kind == Operator::Kind::Union ? op.inputs[0].get() : &op;
}

/// Adds an operand to a union: the inputs of one that it is itself, where its columns are taken as they are.
void addOperand(Union& all, OperatorPtr tree, std::vector<ExpressionPtr> values, bool is_all) {
  Operator* const below = is_all ? tree.get() : withoutOwnDistinct(*tree, values);
  if (below->kind != Operator::Kind::Union || (below == tree.get() && !areColumns(values, below->units()))) {
    all.inputs.push_back(std::move(tree));
    all.values.push_back(std::move(values));
    return;
  }
  auto& inner = static_cast<Union&>(*below);
  std::ranges::move(inner.inputs, std::back_inserter(all.inputs));
  std::ranges::move(inner.values, std::back_inserter(all.values));
}

/// The values as units of the tree, which computes those that are none.
std::vector<Iu> computed(Plan& plan, OperatorPtr& tree, std::vector<ExpressionPtr> values) {
  const std::vector<Iu> below = tree->units();
  auto map = std::make_unique<Map>();
  std::vector<Iu> units;
  for (ExpressionPtr& value : values) {
    if (value->kind == Expression::Kind::Column && std::ranges::find(below, value->iu) != below.end()) {
      units.push_back(value->iu);
      continue;
    }
    units.push_back(plan.makeUnit("column", value->type, value->nullable));
    map->computed.push_back({units.back(), std::move(value)});
  }
  if (map->computed.empty()) return units;
  map->inputs.push_back(std::move(tree));
  tree = std::move(map);
  return units;
}

/// Numbers the rows that are equal in the units, from 1.
Iu numberCopies(Plan& plan, OperatorPtr& tree, const std::vector<Iu>& units) {
  auto window = std::make_unique<Window>();
  for (const Iu unit : units) window->partition.push_back(Expression::column(unit));
  const Iu number = plan.makeUnit("row_number", Type::of(TypeKind::Bigint), false);
  window->functions.push_back({number, WindowFunctionId::RowNumber, {}, {}, {}});
  window->inputs.push_back(std::move(tree));
  tree = std::move(window);
  return number;
}

ExpressionPtr notDistinct(Iu left, Iu right) {
  std::vector<ExpressionPtr> sides;
  sides.push_back(Expression::column(left));
  sides.push_back(Expression::column(right));
  if (!left->nullable && !right->nullable)
    return Expression::call(FunctionId::Equal, Type::of(TypeKind::Boolean), std::move(sides));
  return Expression::logic(Expression::Kind::IsNotDistinct, std::move(sides));
}

/// Rows without columns are all equal: so are those of one constant.
void addConstants(std::vector<QueryBinder::Result>& operands, std::vector<std::vector<ExpressionPtr>>& values) {
  for (size_t side = 0; side < operands.size(); ++side) {
    operands[side].columns.push_back({"one", nullptr, -1});
    values[side].push_back(Expression::constant(Value::fromInt(Type::of(TypeKind::Integer), 1)));
  }
}

}  // namespace

std::vector<ExpressionPtr> QueryBinder::columnsOf(Result& operand) {
  std::vector<ExpressionPtr> columns;
  for (Column& column : operand.columns) {
    columns.push_back(column.literal ? std::move(column.literal) : Expression::column(column.iu));
    if (columns.back()->position < 0) columns.back()->position = column.position;
  }
  return columns;
}

void QueryBinder::addSetColumns(const std::vector<Column>& names, const std::vector<Iu>& units) {
  for (size_t i = 0; i < units.size(); ++i) {
    scope_.columns.push_back({names[i].name, units[i]});
    items_.push_back({names[i].name, Expression::column(units[i]), units[i], names[i].position});
  }
}

/// Source: SQL:1999, 7.12; types as PostgreSQL finds them, pair by pair from the innermost operation on.
void QueryBinder::bindSetOperation(const ast::Query& query) {
  const std::string_view name = nameOf(query.set_operation);
  if (!query.locks.empty())
    throw SqlError(sqlstate::kFeatureNotSupported, fmt::format("{} is not allowed with UNION/INTERSECT/EXCEPT",
                                                               rowLockName(query.locks.front().strength)));
  keeps_literals_ = false;
  is_set_operation_ = true;
  aggregation_ = std::make_unique<Aggregation>();
  std::vector<Result> operands;
  for (const ast::Query* operand : {query.left.get(), query.right.get()}) {
    // Which copies stay is known once there are no more of them.
    const bool is_barred =
        query.set_operation != SetOperation::Union &&
        (query.is_all || (operand == query.right.get() && query.set_operation == SetOperation::Except));
    const RecursionBarrier barrier(state_, is_barred ? name : "");
    operands.push_back(QueryBinder(state_).bindOperand(*operand));
    if (!operands.back().locks.empty())
      throw SqlError(sqlstate::kFeatureNotSupported, fmt::format("{} is not allowed with UNION/INTERSECT/EXCEPT",
                                                                 rowLockName(operand->locks.front().strength)));
  }
  std::vector<std::vector<ExpressionPtr>> values;
  for (Result& operand : operands) values.push_back(columnsOf(operand));
  if (values[0].size() != values[1].size())
    throw SqlError(sqlstate::kSyntaxError, fmt::format("each {} query must have the same number of columns", name))
        .position(values[1].empty() ? -1 : leftmostPosition(*values[1].front()));
  const bool has_columns = !values[0].empty();
  if (!has_columns) addConstants(operands, values);
  const bool is_union = query.set_operation == SetOperation::Union;
  for (size_t i = 0; i < values[0].size(); ++i) {
    ExpressionPtr* const pair[] = {&values[0][i], &values[1][i]};
    const uint16_t left = state_.has_collations ? derivedCollation(*values[0][i]).collation : 0;
    const uint16_t right = state_.has_collations ? derivedCollation(*values[1][i]).collation : 0;
    const Type type = coercion_.unify(pair, name);
    const bool compares = !is_union || !query.is_all;
    if (compares && type.collation == kIndeterminateCollation) raiseImplicitMismatch(left, right, *values[1][i]);
    if (compares) requireEquality(type, leftmostPosition(*values[0][i]));
  }
  is_union ? unite(std::move(operands), std::move(values), query.is_all)
           : intersect(query, std::move(operands), std::move(values));
  if (!has_columns) {
    items_.clear();
    scope_.columns.clear();
  }
  visible_items_ = items_.size();
  bindOrder(query);
  computeItems();
  sort();
}

void QueryBinder::unite(std::vector<Result> operands, std::vector<std::vector<ExpressionPtr>> values, bool is_all) {
  const std::vector<Column>& names = operands.front().columns;
  auto all = std::make_unique<Union>();
  std::vector<Iu> units;
  for (size_t i = 0; i < names.size(); ++i) {
    const bool is_nullable = values[0][i]->nullable || values[1][i]->nullable;
    units.push_back(state_.plan->makeUnit(names[i].name, values[0][i]->type, is_nullable));
  }
  for (size_t side = 0; side < operands.size(); ++side)
    addOperand(*all, std::move(operands[side].tree), std::move(values[side]), is_all);
  all->columns = units;
  tree_ = std::move(all);
  addSetColumns(names, units);
  if (!is_all) removeSetDuplicates();
}

/// INTERSECT keeps left rows with an equal one on the right, EXCEPT those without; each once. With ALL a row's copies
/// are told apart by their numbers: the n-th one on the left meets the n-th one on the right.
void QueryBinder::intersect(const ast::Query& query, std::vector<Result> operands,
                            std::vector<std::vector<ExpressionPtr>> values) {
  const bool is_intersection = query.set_operation == SetOperation::Intersect;
  auto join = std::make_unique<Join>();
  join->join_kind = is_intersection ? Join::JoinKind::Semi : Join::JoinKind::Anti;
  std::vector<std::vector<Iu>> units;
  for (size_t side = 0; side < operands.size(); ++side) {
    units.push_back(computed(*state_.plan, operands[side].tree, std::move(values[side])));
    if (query.is_all) units.back().push_back(numberCopies(*state_.plan, operands[side].tree, units.back()));
    join->inputs.push_back(std::move(operands[side].tree));
  }
  for (size_t i = 0; i < units[0].size(); ++i) join->conditions.push_back(notDistinct(units[0][i], units[1][i]));
  const UnitSet left = unitSet(*join->inputs[0]);
  const UnitSet free = freeUnits(*join->inputs[1]);
  join->is_dependent = std::ranges::any_of(free, [&](Iu unit) { return left.contains(unit); });
  tree_ = std::move(join);
  if (query.is_all) units[0].pop_back();
  addSetColumns(operands.front().columns, units[0]);
  if (!query.is_all) removeSetDuplicates();
}

void QueryBinder::removeSetDuplicates() {
  removeDuplicates();
  for (size_t i = 0; i < items_.size(); ++i) {
    items_[i].expression = Expression::column(items_[i].iu);
    scope_.columns[i].iu = items_[i].iu;
  }
}

}  // namespace gnomon::sql
