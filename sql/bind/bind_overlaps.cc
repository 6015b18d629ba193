#include <array>
#include <span>

#include "sql/bind/expression_binder.h"
#include "sql/bind/no_function.h"
#include "sql/functions/overload.h"

/// (a, b) OVERLAPS (c, d), in terms of comparisons.
namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

const Type kBoolean = Type::of(TypeKind::Boolean);

/// Both ends of both periods; the second of each may be its length.
using Periods = std::array<TypeKind, 4>;
constexpr Periods periodsOf(TypeKind point, bool first_has_length, bool second_has_length) {
  return {point, first_has_length ? TypeKind::Interval : point, point, second_has_length ? TypeKind::Interval : point};
}
constexpr Periods kPeriods[] = {
    periodsOf(TypeKind::TimestampTz, false, false), periodsOf(TypeKind::TimestampTz, true, true),
    periodsOf(TypeKind::TimestampTz, false, true),  periodsOf(TypeKind::TimestampTz, true, false),
    periodsOf(TypeKind::Timestamp, false, false),   periodsOf(TypeKind::Timestamp, true, true),
    periodsOf(TypeKind::Timestamp, false, true),    periodsOf(TypeKind::Timestamp, true, false),
    periodsOf(TypeKind::Time, false, false),        periodsOf(TypeKind::Time, true, true),
    periodsOf(TypeKind::Time, false, true),         periodsOf(TypeKind::Time, true, false),
    periodsOf(TypeKind::TimeTz, false, false),
};

std::vector<ExpressionPtr> listOf(ExpressionPtr first, ExpressionPtr second) {
  std::vector<ExpressionPtr> list;
  list.push_back(std::move(first));
  list.push_back(std::move(second));
  return list;
}

/// CASE WHEN ... THEN ... END of these arms, NULL otherwise.
ExpressionPtr caseOf(const Type& type, std::vector<ExpressionPtr> arms) {
  auto result = std::make_unique<Expression>();
  result->kind = Kind::Case;
  result->type = type;
  result->nullable = true;
  result->children = std::move(arms);
  result->children.push_back(Expression::constant(Value::null(type)));
  return result;
}

}  // namespace

ExpressionPtr ExpressionBinder::compare(std::string_view name, const Expression& left, const Expression& right,
                                        int32_t position) {
  return bindOperator(name, listOf(copy(left), copy(right)), position);
}

/// A period begins at the lesser of its ends that are not NULL and is without an end when one of them is NULL. The
/// later one must begin before the earlier one ends; whether a missing end matters is known from the other comparison,
/// which is false or NULL.
ExpressionPtr ExpressionBinder::bindOverlaps(const ast::Expression& node, Arguments arguments) {
  const int32_t position = node.position;
  std::vector<TypeKind> kinds;
  for (const ExpressionPtr& argument : arguments) kinds.push_back(argument->type.kind);
  std::vector<std::span<const TypeKind>> candidates(std::begin(kPeriods), std::end(kPeriods));
  size_t chosen = 0;
  const OverloadOutcome outcome = chooseOverload(candidates, kinds, chosen);
  if (outcome != OverloadOutcome::Found) throwNoFunction(node.names, arguments, outcome, position);
  ExpressionPtr begin[2], end[2];
  Lets lets;
  for (size_t i = 0; i < 2; ++i) {
    const Type point = Type::of(kPeriods[chosen][0]);
    ExpressionPtr first = coercion_.toKind(std::move(arguments[2 * i]), kPeriods[chosen][2 * i]);
    ExpressionPtr second = coercion_.toKind(std::move(arguments[2 * i + 1]), kPeriods[chosen][2 * i + 1]);
    first = repeatable(std::move(first), lets);
    second = repeatable(std::move(second), lets);
    if (second->type.kind == TypeKind::Interval)
      second = bindOperator("+", listOf(copy(*first), std::move(second)), position);
    Arguments arms = listOf(compare("<=", *first, *second, position), copy(*second));
    arms.push_back(compare(">", *first, *second, position));
    arms.push_back(copy(*first));
    end[i] = caseOf(point, std::move(arms));
    begin[i] = std::make_unique<Expression>();
    begin[i]->kind = Kind::Least;
    begin[i]->type = point;
    begin[i]->nullable = first->nullable && second->nullable;
    begin[i]->children = listOf(std::move(first), std::move(second));
  }
  const auto laterBegins = [&](size_t later, size_t earlier) {
    return Expression::logic(Kind::Or, listOf(compare("<", *begin[later], *end[earlier], position),
                                              compare(">", *begin[later], *end[later], position)));
  };
  Arguments arms = listOf(compare(">", *begin[0], *begin[1], position), laterBegins(0, 1));
  arms.push_back(compare("<", *begin[0], *begin[1], position));
  arms.push_back(laterBegins(1, 0));
  arms.push_back(compare("=", *begin[0], *begin[1], position));
  arms.push_back(Expression::logic(
      Kind::And, listOf(compare("<=", *begin[0], *end[0], position), compare("<=", *begin[1], *end[1], position))));
  ExpressionPtr result = caseOf(kBoolean, std::move(arms));
  result->position = position;
  return withLets(std::move(result), std::move(lets));
}

}  // namespace gnomon::sql
