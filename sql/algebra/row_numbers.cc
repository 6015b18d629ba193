#include "sql/algebra/row_numbers.h"

#include <string_view>

#include "sql/algebra/rewrite.h"
#include "sql/functions/value_function.h"

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

std::vector<ExpressionPtr> listOf(ExpressionPtr first, ExpressionPtr second = nullptr) {
  std::vector<ExpressionPtr> list;
  list.push_back(std::move(first));
  if (second) list.push_back(std::move(second));
  return list;
}

ExpressionPtr bigint(int64_t value) {
  return Expression::constant(Value::fromInt(Type::of(TypeKind::Bigint), value));
}

ExpressionPtr compared(FunctionId comparison, ExpressionPtr left, ExpressionPtr right) {
  return Expression::call(comparison, Type::of(TypeKind::Boolean), listOf(std::move(left), std::move(right)));
}

/// 0 where it is NULL.
ExpressionPtr skippedRows(const Expression& offset) {
  if (!offset.nullable) return offset.clone();
  auto result = std::make_unique<Expression>();
  result->kind = Kind::Coalesce;
  result->type = offset.type;
  result->nullable = false;
  result->children = listOf(offset.clone(), bigint(0));
  return result;
}

ExpressionPtr checked(std::string_view function, ExpressionPtr count) {
  if (count->isConstant() && !count->value.is_null && count->value.asInt() >= 0) return count;
  const bool nullable = count->nullable;
  ExpressionPtr call =
      Expression::arrayCall(internalFunction(function, 1), Type::of(TypeKind::Bigint), listOf(std::move(count)));
  call->nullable = nullable;
  return call;
}

}  // namespace

ExpressionPtr checkedLimit(ExpressionPtr count) {
  return checked("$limit", std::move(count));
}

ExpressionPtr checkedOffset(ExpressionPtr count) {
  return checked("$offset", std::move(count));
}

std::vector<ExpressionPtr> limitConditions(Iu number, Iu counted, const Expression* limit, const Expression* offset) {
  std::vector<ExpressionPtr> conditions;
  if (offset) conditions.push_back(compared(FunctionId::Greater, Expression::column(number), skippedRows(*offset)));
  if (!limit) return conditions;
  // No sum of the two: it may be too large.
  ExpressionPtr place = Expression::column(counted);
  if (offset)
    place = Expression::call(FunctionId::Subtract, Type::of(TypeKind::Bigint),
                             listOf(std::move(place), skippedRows(*offset)));
  ExpressionPtr is_within = compared(FunctionId::LessEqual, std::move(place), limit->clone());
  // A row behind the offset may have the rank of one before it.
  if (counted != number && offset) {
    std::vector<ExpressionPtr> both =
        listOf(std::move(is_within), compared(FunctionId::Greater, limit->clone(), bigint(0)));
    is_within = conjunction(std::move(both));
  }
  if (limit->nullable)
    is_within = disjunction(listOf(Expression::logic(Kind::IsNull, listOf(limit->clone())), std::move(is_within)));
  conditions.push_back(std::move(is_within));
  return conditions;
}

}  // namespace gnomon::sql
