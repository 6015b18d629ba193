#include "sql/tests/random_tree.h"

#include <algorithm>
#include <utility>

#include "sql/algebra/rewrite.h"
#include "sql/algebra/set_operators.h"
#include "sql/algebra/window.h"

namespace gnomon::sql::test {
namespace {

using Kind = Expression::Kind;

const Type kBoolean = Type::of(TypeKind::Boolean);
constexpr int kTables = 4;

ExpressionPtr literal(TypeKind kind, int64_t value) {
  return Expression::constant(Value::fromInt(Type::of(kind), value));
}

template <typename... Children>
std::vector<ExpressionPtr> list(Children... children) {
  std::vector<ExpressionPtr> result;
  (result.push_back(std::move(children)), ...);
  return result;
}

TablePtr makeTable(int number) {
  auto table = std::make_shared<TableEntry>();
  table->name = "t" + std::to_string(number);
  table->columns = {{"a", Type::of(TypeKind::Integer), true, ""},
                    {"b", Type::of(TypeKind::Integer), false, ""},
                    {"c", Type::of(TypeKind::Bigint), false, ""}};
  return table;
}

}  // namespace

Database RandomTree::database() {
  Database result;
  for (int i = 0; i < kTables; ++i) {
    std::vector<Tuple>& rows = result["t" + std::to_string(i)];
    for (int count = chance(3) ? 0 : 3 + below(5); count > 0; --count) {
      Tuple row{below(3)};
      for (int column = 1; column < 3; ++column) row.push_back(chance(25) ? Number() : Number(below(3)));
      rows.push_back(std::move(row));
    }
  }
  return result;
}

ExpressionPtr RandomTree::columnAs(Iu unit, TypeKind kind) {
  ExpressionPtr column = Expression::column(unit);
  if (unit->type.kind == kind) return column;
  return Expression::cast(std::move(column), Type::of(kind), false);
}

ExpressionPtr RandomTree::number(const std::vector<Iu>& units, int depth, TypeKind kind) {
  const int choice = below(10);
  if (units.empty() || choice < 1)
    return chance(5) ? Expression::constant(Value::null(Type::of(kind))) : literal(kind, below(3));
  if (depth <= 0 || choice < 7) {
    const Iu unit = pick(units);
    if (unit->type.kind == TypeKind::Integer || unit->type.kind == kind) return columnAs(unit, kind);
    return literal(kind, below(3));
  }
  if (choice == 7)
    return Expression::call(chance(50) ? FunctionId::Add : FunctionId::Multiply, Type::of(kind),
                            list(number(units, depth - 1, kind), number(units, depth - 1, kind)));
  auto result = std::make_unique<Expression>();
  result->type = Type::of(kind);
  if (choice == 8) {
    result->kind = Kind::Coalesce;
    result->children = list(number(units, depth - 1, kind), number(units, depth - 1, kind));
    result->nullable = result->children[0]->nullable && result->children[1]->nullable;
  } else {
    result->kind = Kind::Case;
    result->children =
        list(predicate(units, depth - 1), number(units, depth - 1, kind), number(units, depth - 1, kind));
    result->nullable = result->children[1]->nullable || result->children[2]->nullable;
  }
  return result;
}

ExpressionPtr RandomTree::comparison(const std::vector<Iu>& units, int depth) {
  const TypeKind kind = chance(70) ? TypeKind::Integer : TypeKind::Bigint;
  constexpr FunctionId kFunctions[] = {FunctionId::Equal,        FunctionId::Equal,     FunctionId::NotEqual,
                                       FunctionId::LessEqual,    FunctionId::LessEqual, FunctionId::GreaterEqual,
                                       FunctionId::GreaterEqual, FunctionId::Less};
  return Expression::call(kFunctions[below(8)], kBoolean, list(number(units, depth, kind), number(units, depth, kind)));
}

ExpressionPtr RandomTree::predicate(const std::vector<Iu>& units, int depth) {
  const int choice = below(20);
  if (depth <= 0 || choice < 8) return comparison(units, depth - 1);
  if (choice < 13) {
    const Kind kind = chance(30) ? Kind::And : Kind::Or;
    std::vector<ExpressionPtr> children;
    for (int count = 2 + below(2); count > 0; --count) children.push_back(predicate(units, depth - 1));
    return Expression::logic(kind, std::move(children));
  }
  constexpr Kind kTests[] = {Kind::IsTrue, Kind::IsNotTrue, Kind::IsFalse, Kind::IsNotFalse, Kind::IsNull};
  if (choice == 13) return Expression::logic(kTests[below(5)], list(predicate(units, depth - 1)));
  if (choice == 14) return Expression::logic(Kind::Not, list(predicate(units, depth - 1)));
  if (choice == 15 && chance(20)) return literal(TypeKind::Boolean, below(2));
  if (choice == 15 || choice == 16)
    return chance(5) ? Expression::constant(Value::null(kBoolean)) : comparison(units, depth - 1);
  const TypeKind kind = TypeKind::Integer;
  if (choice == 17)
    return Expression::logic(chance(50) ? Kind::IsNull : Kind::IsNotNull, list(number(units, depth - 1, kind)));
  if (choice == 18)
    return Expression::logic(chance(50) ? Kind::IsDistinct : Kind::IsNotDistinct,
                             list(number(units, depth - 1, kind), number(units, depth - 1, kind)));
  auto in_list = Expression::logic(Kind::InList, list(number(units, depth - 1, kind), literal(kind, below(3))));
  if (chance(60)) in_list->children.push_back(literal(kind, below(3)));
  return in_list;
}

std::vector<ExpressionPtr> RandomTree::predicates(const std::vector<Iu>& units, int percent_more) {
  std::vector<ExpressionPtr> result;
  do {
    result.push_back(predicate(units, 2));
  } while (chance(percent_more));
  return result;
}

OperatorPtr RandomTree::scan() {
  auto result = std::make_unique<TableScan>();
  result->table = makeTable(below(kTables));
  result->alias = result->table->name;
  for (uint32_t i = 0; i < 3; ++i) {
    const ColumnEntry& column = result->table->columns[i];
    const Iu unit = plan_->makeUnit(result->table->name + "." + column.name, column.type, !column.not_null);
    result->columns.push_back({i, unit});
  }
  return result;
}

ExpressionPtr RandomTree::equality(const std::vector<Iu>& left, const std::vector<Iu>& right) {
  const Iu one = pick(left);
  const Iu other = pick(right);
  const TypeKind kind = one->type.kind == TypeKind::Integer ? other->type.kind : one->type.kind;
  return Expression::call(FunctionId::Equal, kBoolean, list(columnAs(one, kind), columnAs(other, kind)));
}

OperatorPtr RandomTree::join(int depth) {
  auto result = std::make_unique<Join>();
  result->inputs.push_back(tree(depth - 1));
  result->inputs.push_back(tree(depth - 1 - below(2)));
  const std::vector<Iu> left = result->inputs[0]->units();
  const std::vector<Iu> right = result->inputs[1]->units();
  std::vector<Iu> both = left;
  both.insert(both.end(), right.begin(), right.end());
  if (chance(70)) result->conditions.push_back(equality(left, right));
  if (chance(25))
    for (ExpressionPtr& predicate : predicates(both, 10)) result->conditions.push_back(std::move(predicate));
  if (chance(60)) return result;
  result->join_kind = chance(30) ? Join::JoinKind::FullOuter : Join::JoinKind::LeftOuter;
  if (result->join_kind == Join::JoinKind::FullOuter)
    for (const Iu unit : left)
      result->left_extended.emplace_back(unit, plan_->makeUnit(unit->name + "'", unit->type, true));
  for (const Iu unit : right)
    result->null_extended.emplace_back(unit, plan_->makeUnit(unit->name + "'", unit->type, true));
  return result;
}

/// All rows of both, with a column or two.
OperatorPtr RandomTree::unite(OperatorPtr first, OperatorPtr second) {
  auto result = std::make_unique<Union>();
  const std::vector<Iu> inputs[] = {first->units(), second->units()};
  result->values.resize(2);
  for (int count = 1 + below(2); count > 0; --count) {
    bool is_nullable = false;
    for (size_t i = 0; i < 2; ++i) {
      result->values[i].push_back(number(inputs[i], 1, TypeKind::Integer));
      is_nullable = is_nullable || result->values[i].back()->nullable;
    }
    result->columns.push_back(plan_->makeUnit("u", Type::of(TypeKind::Integer), is_nullable));
  }
  result->inputs.push_back(std::move(first));
  result->inputs.push_back(std::move(second));
  return result;
}

/// Over the input, something that reads the outer units.
OperatorPtr RandomTree::correlated(OperatorPtr input, const std::vector<Iu>& outer) {
  const std::vector<Iu> local = input->units();
  std::vector<Iu> both = outer;
  both.insert(both.end(), local.begin(), local.end());
  auto result = std::make_unique<Selection>();
  result->conditions.push_back(chance(60) ? equality(outer, local) : comparison(both, 1));
  if (chance(20)) result->conditions.push_back(equality(outer, local));
  result->inputs.push_back(std::move(input));
  const int choice = below(14);
  if (choice == 12) return limit(std::move(result));
  if (choice == 13) return window(std::move(result));
  if (choice == 0) return aggregation(std::move(result), below(2));
  if (choice == 1) return unite(std::move(result), tree(below(2)));
  if (choice == 2) return map(std::move(result));
  if (choice > 4) return result;
  // One side of a join.
  auto joined = std::make_unique<Join>();
  OperatorPtr other = scan();
  const std::vector<Iu> others = other->units();
  joined->conditions.push_back(equality(local, others));
  joined->inputs.push_back(std::move(result));
  joined->inputs.push_back(std::move(other));
  if (choice == 3) std::swap(joined->inputs[0], joined->inputs[1]);
  if (chance(60)) return joined;
  joined->join_kind = Join::JoinKind::LeftOuter;
  for (const Iu unit : joined->inputs[1]->units())
    joined->null_extended.emplace_back(unit, plan_->makeUnit(unit->name + "'", unit->type, true));
  return joined;
}

/// A join as the binder makes it of a subquery: its tree, over which conditions of its own may read the rows around.
OperatorPtr RandomTree::subquery(OperatorPtr input) {
  auto result = std::make_unique<Join>();
  const std::vector<Iu> left = input->units();
  OperatorPtr right = tree(below(2));
  if (chance(60)) {
    right = correlated(std::move(right), left);
    if (chance(30)) right = selection(std::move(right));
  }
  const bool is_value = chance(40);
  const bool is_group = is_value ? chance(80) : chance(15);
  if (is_group) right = aggregation(std::move(right), is_value || chance(50) ? 0 : 1);
  const std::vector<Iu> units = right->units();
  const UnitSet free = freeUnits(*right);
  result->is_dependent = std::ranges::any_of(left, [&](Iu unit) { return free.contains(unit); });
  result->inputs.push_back(std::move(input));
  result->inputs.push_back(std::move(right));
  if (chance(20)) {
    // LATERAL.
    if (chance(50)) return result;
    result->join_kind = Join::JoinKind::LeftOuter;
    for (const Iu unit : units)
      result->null_extended.emplace_back(unit, plan_->makeUnit(unit->name + "'", unit->type, true));
    return result;
  }
  if (is_value) {
    result->join_kind = Join::JoinKind::Single;
    const Iu unit = pick(units);
    result->null_extended.emplace_back(unit, plan_->makeUnit(unit->name + "'", unit->type, true));
    return result;
  }
  result->join_kind = Join::JoinKind::Mark;
  if (chance(60)) {
    result->compared = chance(75) ? equality(left, units) : comparison(units, 1);
    if (chance(20)) result->compared = Expression::logic(Kind::Not, list(std::move(result->compared)));
  }
  result->mark = plan_->makeUnit("mark", kBoolean, result->compared && result->compared->nullable);
  if (chance(25)) return result;
  const Iu mark = result->mark;
  auto asked = std::make_unique<Selection>();
  ExpressionPtr condition = Expression::column(mark);
  asked->conditions.push_back(chance(50) ? std::move(condition)
                                         : Expression::logic(Kind::Not, list(std::move(condition))));
  asked->inputs.push_back(std::move(result));
  return asked;
}

OperatorPtr RandomTree::selection(OperatorPtr input) {
  auto result = std::make_unique<Selection>();
  const std::vector<Iu> units = input->units();
  if (chance(15)) result->conditions.push_back(equality(units, units));
  for (ExpressionPtr& predicate : predicates(units, 15)) result->conditions.push_back(std::move(predicate));
  result->inputs.push_back(std::move(input));
  return result;
}

OperatorPtr RandomTree::map(OperatorPtr input) {
  auto result = std::make_unique<Map>();
  const std::vector<Iu> units = input->units();
  for (int count = 1 + below(2); count > 0; --count) {
    const TypeKind kind = chance(70) ? TypeKind::Integer : TypeKind::Bigint;
    ExpressionPtr value = number(units, 2, kind);
    result->computed.push_back({plan_->makeUnit("m", value->type, value->nullable), std::move(value)});
  }
  result->inputs.push_back(std::move(input));
  return result;
}

OperatorPtr RandomTree::aggregation(OperatorPtr input) {
  return aggregation(std::move(input), below(3));
}

OperatorPtr RandomTree::aggregation(OperatorPtr input, int keys) {
  auto result = std::make_unique<Aggregation>();
  const std::vector<Iu> units = input->units();
  for (int count = keys; count > 0; --count) {
    ExpressionPtr key = number(units, 1, TypeKind::Integer);
    result->keys.push_back({plan_->makeUnit("k", key->type, key->nullable), std::move(key)});
  }
  const ExpressionPtr argument = number(units, 2, TypeKind::Integer);
  constexpr AggregateId kFunctions[] = {AggregateId::CountRows, AggregateId::Count, AggregateId::Sum,
                                        AggregateId::Minimum, AggregateId::Maximum};
  for (int count = 1 + below(3); count > 0; --count) {
    const AggregateId function = kFunctions[below(5)];
    const bool is_extreme = function == AggregateId::Minimum || function == AggregateId::Maximum;
    const bool has_argument = function != AggregateId::CountRows;
    ExpressionPtr own = chance(50) ? argument->clone() : number(units, 1, TypeKind::Integer);
    const bool is_count = function == AggregateId::Count || !has_argument;
    const bool nullable = !is_count && (own->nullable || result->keys.empty());
    const Iu unit = plan_->makeUnit("g", Type::of(is_extreme ? TypeKind::Integer : TypeKind::Bigint), nullable);
    result->aggregates.push_back({unit, function, has_argument ? std::move(own) : nullptr, has_argument && chance(30)});
  }
  result->inputs.push_back(std::move(input));
  return result;
}

/// Ordered by every unit, so that the rows kept are definite.
OperatorPtr RandomTree::limit(OperatorPtr input) {
  auto sort = std::make_unique<Sort>();
  for (const Iu unit : input->units()) sort->keys.push_back({Expression::column(unit), chance(50), chance(50)});
  sort->inputs.push_back(std::move(input));
  if (chance(30)) return sort;
  OperatorPtr below_limit = std::move(sort);
  if (chance(30)) below_limit = map(std::move(below_limit));
  auto result = std::make_unique<Limit>();
  result->limit = literal(TypeKind::Bigint, chance(5) ? 0 : 1 + below(6));
  if (chance(30)) result->offset = literal(TypeKind::Bigint, below(2));
  result->inputs.push_back(std::move(below_limit));
  return result;
}

/// Functions that are the same for all peers, or an order that tells all rows apart that are not equal.
OperatorPtr RandomTree::window(OperatorPtr input) {
  auto result = std::make_unique<Window>();
  const std::vector<Iu> units = input->units();
  const bool is_total = chance(30);
  for (int count = below(3); count > 0; --count) result->partition.push_back(number(units, 1, TypeKind::Integer));
  if (is_total)
    for (const Iu unit : units) result->order.push_back({Expression::column(unit), chance(50), chance(50)});
  else
    for (int count = below(3); count > 0; --count)
      result->order.push_back({number(units, 1, TypeKind::Integer), chance(50), chance(50)});
  const Type bigint = Type::of(TypeKind::Bigint);
  const auto ranking = is_total ? WindowFunctionId::RowNumber : WindowFunctionId::Rank;
  result->functions.push_back({plan_->makeUnit("w", bigint, false), ranking, {}, {}, {}});
  ExpressionPtr argument = number(units, 1, TypeKind::Integer);
  const AggregateId function = chance(50) ? AggregateId::Sum : AggregateId::Count;
  const Iu sum = plan_->makeUnit("w", bigint, function == AggregateId::Sum);
  result->functions.push_back({sum, WindowFunctionId::Aggregate, {}, {sum, function, std::move(argument)}, {}});
  result->inputs.push_back(std::move(input));
  return result;
}

OperatorPtr RandomTree::tree(int depth) {
  if (depth <= 0) return scan();
  const int choice = below(25);
  if (choice == 24) return window(tree(depth - 1));
  if (choice >= 20) return subquery(tree(depth - 1));
  if (choice < 9) return join(depth);
  if (choice < 14) return selection(tree(depth - (chance(50) ? 1 : 0)));
  if (choice < 16) return map(tree(depth - 1));
  if (choice < 18) return aggregation(tree(depth - 1));
  if (choice < 19) return chance(40) ? limit(tree(depth - 1)) : unite(tree(depth - 1), tree(depth - 1));
  return scan();
}

void RandomTree::fill(Plan& plan) {
  plan_ = &plan;
  auto output = std::make_unique<Output>();
  OperatorPtr body = tree(3);
  output->inputs.push_back(chance(60) ? selection(std::move(body)) : std::move(body));
  for (const Iu unit : output->inputs[0]->units())
    if (chance(80)) output->columns.push_back({unit->name, unit});
  plan.root = std::move(output);
}

}  // namespace gnomon::sql::test
