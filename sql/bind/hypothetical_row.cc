#include "sql/bind/hypothetical_row.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/no_function.h"

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

const Type kBoolean = Type::of(TypeKind::Boolean);

std::vector<ExpressionPtr> listOf(ExpressionPtr first, ExpressionPtr second) {
  std::vector<ExpressionPtr> list;
  list.push_back(std::move(first));
  list.push_back(std::move(second));
  return list;
}
ExpressionPtr both(ExpressionPtr first, ExpressionPtr second) {
  return Expression::logic(Kind::And, listOf(std::move(first), std::move(second)));
}
ExpressionPtr either(ExpressionPtr first, ExpressionPtr second) {
  return Expression::logic(Kind::Or, listOf(std::move(first), std::move(second)));
}
ExpressionPtr test(Kind kind, const Expression& value) {
  std::vector<ExpressionPtr> operand;
  operand.push_back(value.clone());
  return Expression::logic(kind, std::move(operand));
}

ExpressionPtr choose(ExpressionPtr condition, ExpressionPtr then, ExpressionPtr otherwise) {
  auto result = std::make_unique<Expression>();
  result->kind = Kind::Case;
  result->type = then->type;
  result->children = listOf(std::move(condition), std::move(then));
  result->children.push_back(std::move(otherwise));
  return result;
}
ExpressionPtr number(TypeKind kind, int64_t value) {
  return Expression::constant(Value::fromInt(Type::of(kind), value));
}
/// 1 where the condition holds, or else NULL.
ExpressionPtr oneWhere(ExpressionPtr condition) {
  return choose(std::move(condition), number(TypeKind::Integer, 1),
                Expression::constant(Value::null(Type::of(TypeKind::Integer))));
}
ExpressionPtr plus(ExpressionPtr left, ExpressionPtr right) {
  return Expression::call(FunctionId::Add, Type::of(TypeKind::Bigint), listOf(std::move(left), std::move(right)));
}
ExpressionPtr quotient(ExpressionPtr left, ExpressionPtr right) {
  const Type real = Type::of(TypeKind::Double);
  return Expression::call(
      FunctionId::Divide, real,
      listOf(Expression::cast(std::move(left), real, true), Expression::cast(std::move(right), real, true)));
}

ExpressionPtr isBefore(const SortKey& key, const Expression& asked) {
  const Expression& value = *key.expression;
  const FunctionId comparison = key.descending ? FunctionId::Greater : FunctionId::Less;
  ExpressionPtr by_value = Expression::call(comparison, kBoolean, listOf(value.clone(), asked.clone()));
  ExpressionPtr by_null = key.nulls_first ? both(test(Kind::IsNull, value), test(Kind::IsNotNull, asked))
                                          : both(test(Kind::IsNotNull, value), test(Kind::IsNull, asked));
  return either(std::move(by_value), std::move(by_null));
}

ExpressionPtr asOneValue(Coercion& coercion, std::span<const SortKey> keys) {
  if (keys.size() == 1) return keys[0].expression->clone();
  std::vector<ExpressionPtr> fields;
  fields.push_back(Expression::constant(Value::null(Type::of(TypeKind::Text))));
  for (const SortKey& key : keys) {
    ExpressionPtr value = key.expression->clone();
    fields.push_back(value->type.kind == TypeKind::Numeric ? coercion.toBig(std::move(value)) : std::move(value));
  }
  return Expression::arrayCall(FunctionId::MakeRecord, Type::recordOf(0), std::move(fields));
}

}  // namespace

bool isHypotheticalAggregate(std::string_view name) {
  constexpr std::string_view kNames[] = {"rank", "dense_rank", "percent_rank", "cume_dist"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

HypotheticalRow placeHypotheticalRow(Coercion& coercion, std::span<SortKey> keys, std::span<ExpressionPtr> asked,
                                     const std::function<ExpressionPtr(ExpressionPtr)>& direct) {
  ExpressionPtr before, same;
  for (size_t i = 0; i < keys.size(); ++i) {
    ExpressionPtr* const pair[] = {&keys[i].expression, &asked[i]};
    coercion.unify(pair, "WITHIN GROUP");
    asked[i] = direct(std::move(asked[i]));
  }
  // From the last key to the first: before by this key, or the same by it and before by the next ones.
  for (size_t i = keys.size(); i > 0; --i) {
    const SortKey& key = keys[i - 1];
    const Expression& value = *asked[i - 1];
    ExpressionPtr is_before = isBefore(key, value);
    ExpressionPtr is_same = Expression::logic(Kind::IsNotDistinct, listOf(key.expression->clone(), value.clone()));
    before = before ? either(std::move(is_before), both(is_same->clone(), std::move(before))) : std::move(is_before);
    same = same ? both(std::move(is_same), std::move(same)) : std::move(is_same);
  }
  HypotheticalRow row;
  row.not_behind = oneWhere(either(before->clone(), std::move(same)));
  row.before = oneWhere(std::move(before));
  row.keys = asOneValue(coercion, keys);
  return row;
}

void requireHypotheticalRow(const ast::Expression& node, std::vector<ExpressionPtr>& asked,
                            std::vector<SortKey>& keys) {
  const size_t asked_count = asked.size(), key_count = keys.size();
  if (asked_count != key_count) {
    for (SortKey& key : keys) asked.push_back(std::move(key.expression));
    try {
      throwNoFunction(node.names, asked, OverloadOutcome::None, node.position);
    } catch (SqlError& error) {
      throw error.hint(
          fmt::format("To use the hypothetical-set aggregate {}, the number of hypothetical direct arguments (here {}) "
                      "must match the number of ordering columns (here {}).",
                      node.names.back(), asked_count, key_count));
    }
  }
}

ExpressionPtr hypotheticalResult(std::string_view name, const HypotheticalRow& row, const CountRows& count) {
  if (name == "rank") return plus(count(row.before->clone(), false), number(TypeKind::Bigint, 1));
  if (name == "dense_rank") {
    // Each value before the row once, and NULL if it stands before it.
    const Expression& value = *row.keys;
    ExpressionPtr each =
        choose(test(Kind::IsNotNull, *row.before), value.clone(), Expression::constant(Value::null(value.type)));
    if (!value.nullable) return plus(count(std::move(each), true), number(TypeKind::Bigint, 1));
    ExpressionPtr is_null = oneWhere(both(test(Kind::IsNotNull, *row.before), test(Kind::IsNull, value)));
    ExpressionPtr has_null = Expression::call(FunctionId::Greater, kBoolean,
                                              listOf(count(std::move(is_null), false), number(TypeKind::Bigint, 0)));
    return plus(count(std::move(each), true),
                choose(std::move(has_null), number(TypeKind::Bigint, 2), number(TypeKind::Bigint, 1)));
  }
  ExpressionPtr rows = count(number(TypeKind::Integer, 1), false);
  if (name == "cume_dist")
    return quotient(plus(count(row.not_behind->clone(), false), number(TypeKind::Bigint, 1)),
                    plus(std::move(rows), number(TypeKind::Bigint, 1)));
  // percent_rank, of no rows 0.
  ExpressionPtr is_empty =
      Expression::call(FunctionId::Equal, kBoolean, listOf(rows->clone(), number(TypeKind::Bigint, 0)));
  return quotient(count(row.before->clone(), false),
                  choose(std::move(is_empty), number(TypeKind::Bigint, 1), std::move(rows)));
}

}  // namespace gnomon::sql
