#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/sql_error.h"
#include "sql/bind/collation.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/subquery_guard.h"
#include "sql/bind/typed_row.h"

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;
using NodeKind = ast::Expression::Kind;

std::string_view testName(NodeKind kind) {
  switch (kind) {
    case NodeKind::IsTrue:
      return "IS TRUE";
    case NodeKind::IsNotTrue:
      return "IS NOT TRUE";
    case NodeKind::IsFalse:
      return "IS FALSE";
    case NodeKind::IsNotFalse:
      return "IS NOT FALSE";
    case NodeKind::IsUnknown:
      return "IS UNKNOWN";
    default:
      return "IS NOT UNKNOWN";
  }
}

Kind testKind(NodeKind kind) {
  switch (kind) {
    case NodeKind::IsTrue:
      return Kind::IsTrue;
    case NodeKind::IsNotTrue:
      return Kind::IsNotTrue;
    case NodeKind::IsFalse:
      return Kind::IsFalse;
    case NodeKind::IsNotFalse:
      return Kind::IsNotFalse;
    case NodeKind::IsNull:
    case NodeKind::IsUnknown:
      return Kind::IsNull;
    default:
      return Kind::IsNotNull;
  }
}

template <typename... Parts>
std::vector<ExpressionPtr> listOf(Parts... parts) {
  std::vector<ExpressionPtr> list;
  (list.push_back(std::move(parts)), ...);
  return list;
}

ExpressionPtr negate(ExpressionPtr condition) {
  return Expression::logic(Kind::Not, listOf(std::move(condition)));
}

bool anyNullable(std::span<const ExpressionPtr> expressions) {
  return std::ranges::any_of(expressions, [](const ExpressionPtr& expression) { return expression->nullable; });
}

}  // namespace

ExpressionPtr ExpressionBinder::bindLogic(const ast::Expression& node) {
  const Kind kind = node.kind == NodeKind::And ? Kind::And : node.kind == NodeKind::Or ? Kind::Or : Kind::Not;
  const std::string_view name = kind == Kind::And ? "AND" : kind == Kind::Or ? "OR" : "NOT";
  Arguments operands;
  for (const ast::ExpressionPtr& child : node.children) {
    SubqueryGuard guard(*state_.plan, in_aggregate_ ? clause_.argument_subqueries : clause_.subqueries);
    guard.begin();
    ExpressionPtr operand = bindCondition(*child, name);
    // The first operand that decides is the last one that is computed.
    if (!guard.isEmpty())
      for (const ExpressionPtr& before : operands)
        guard.add(kind == Kind::And ? Kind::IsNotFalse : Kind::IsNotTrue, *before);
    guard.endShortCut(state_.context.subqueries_on_demand);
    operands.push_back(std::move(operand));
  }
  return Expression::logic(kind, std::move(operands));
}

ExpressionPtr ExpressionBinder::bindTest(const ast::Expression& node) {
  const bool is_null_test = node.kind == NodeKind::IsNull || node.kind == NodeKind::IsNotNull;
  if (is_null_test && isRow(*node.children[0])) return bindRowTest(node);
  ExpressionPtr operand = is_null_test ? coercion_.settleAny(bind(*node.children[0]))
                                       : bindCondition(*node.children[0], testName(node.kind));
  if (is_null_test && operand->type.isRecord())
    return Expression::arrayCall(node.kind == NodeKind::IsNull ? FunctionId::RecordIsNull : FunctionId::RecordIsNotNull,
                                 Type::of(TypeKind::Boolean), listOf(std::move(operand)));
  return Expression::logic(testKind(node.kind), listOf(std::move(operand)));
}

ExpressionPtr ExpressionBinder::bindDistinct(const ast::Expression& node) {
  if (isRow(*node.children[0]) && isRow(*node.children[1])) return bindRowDistinct(node);
  ExpressionPtr equality = bindOperator("=", bindAll(node.children), node.position);
  const Kind kind = node.kind == NodeKind::IsDistinct ? Kind::IsDistinct : Kind::IsNotDistinct;
  return Expression::logic(kind, std::move(equality->children));
}

ExpressionPtr ExpressionBinder::bindRange(Expression& value, Expression& low, Expression& high, bool is_negated,
                                          int32_t position) {
  ExpressionPtr from = bindOperator(is_negated ? "<" : ">=", listOf(copy(value), copy(low)), position);
  ExpressionPtr to = bindOperator(is_negated ? ">" : "<=", listOf(copy(value), copy(high)), position);
  return Expression::logic(is_negated ? Kind::Or : Kind::And, listOf(std::move(from), std::move(to)));
}

ExpressionPtr ExpressionBinder::bindBetween(const ast::Expression& node) {
  const bool is_negated = node.kind == NodeKind::NotBetween || node.kind == NodeKind::NotBetweenSymmetric;
  if (std::ranges::any_of(node.children, [](const ast::ExpressionPtr& child) { return isRow(*child); }))
    return bindRowBetween(node);
  Arguments operands = bindAll(node.children);
  ExpressionPtr range = bindRange(*operands[0], *operands[1], *operands[2], is_negated, node.position);
  if (node.kind == NodeKind::Between || node.kind == NodeKind::NotBetween) return range;
  ExpressionPtr mirrored = bindRange(*operands[0], *operands[2], *operands[1], is_negated, node.position);
  return Expression::logic(is_negated ? Kind::And : Kind::Or, listOf(std::move(range), std::move(mirrored)));
}

ExpressionPtr ExpressionBinder::bindIn(const ast::Expression& node) {
  if (std::ranges::any_of(node.children, [](const ast::ExpressionPtr& child) { return isRow(*child); }))
    return bindRowIn(node);
  const bool is_negated = node.kind == NodeKind::NotIn;
  const std::string_view name = is_negated ? "<>" : "=";
  Arguments operands = bindAll(node.children);
  ExpressionPtr value = std::move(operands[0]);
  // Literals are compared in one type, as PostgreSQL's = ANY(array); items with columns each for itself.
  struct Item {
    ExpressionPtr value;
    bool is_row;  ///< a typed one
  };
  std::vector<Item> literals, others;
  const auto isTyped = [&](size_t number) { return isTypedRow(*node.children[number]); };
  for (size_t i = 1; i < operands.size(); ++i) {
    std::vector<Iu> units;
    operands[i]->collectUnits(units);
    (units.empty() ? literals : others).push_back({std::move(operands[i]), isTyped(i)});
  }
  std::vector<const Expression*> views{value.get()};
  for (const Item& literal : literals) views.push_back(literal.value.get());
  const bool fits = literals.size() > 1 && coercion_.commonKind(views, "") != TypeKind::Unknown;
  if (!fits) {
    std::ranges::move(others, std::back_inserter(literals));
    others = std::exchange(literals, {});
  }
  Arguments parts, listed;
  for (Item& literal : literals) listed.push_back(std::move(literal.value));
  if (!listed.empty()) parts.push_back(bindInList(copy(*value), std::move(listed), is_negated, node.position));
  const bool is_row = isTyped(0);
  for (Item& other : others)
    parts.push_back(is_row && other.is_row
                        ? compareRows(name, columnsOfRow(*value), columnsOfRow(*other.value), node.position)
                        : bindOperator(name, listOf(copy(*value), std::move(other.value)), node.position));
  if (parts.size() == 1) return std::move(parts[0]);
  return Expression::logic(is_negated ? Kind::And : Kind::Or, std::move(parts));
}

ExpressionPtr ExpressionBinder::bindInList(ExpressionPtr value, Arguments items, bool is_negated, int32_t position) {
  std::vector<const Expression*> views{value.get()};
  for (const ExpressionPtr& item : items) views.push_back(item.get());
  const WantedKind wanted = coercion_.commonType(views, "IN");
  for (ExpressionPtr& item : items)
    if (Coercion::isPossible(*item, wanted, CastContext::Implicit)) item = coercion_.toKind(std::move(item), wanted);
  // The operator says in which kind value and items meet.
  ExpressionPtr equality = bindOperator("=", listOf(std::move(value), copy(*items[0])), position);
  auto list = std::make_unique<Expression>();
  list->kind = Kind::InList;
  list->type = Type::of(TypeKind::Boolean);
  list->position = position;
  const WantedKind meeting_kind = equality->children[1]->type;
  list->children.push_back(std::move(equality->children[0]));
  for (ExpressionPtr& item : items) list->children.push_back(coercion_.toKind(std::move(item), meeting_kind));
  coercion_.alignBig(list->children);
  list->nullable = anyNullable(list->children);
  return is_negated ? negate(std::move(list)) : std::move(list);
}

ExpressionPtr ExpressionBinder::bindCase(const ast::Expression& node) {
  const std::string_view around = std::exchange(choice_, "CASE");
  const bool was_conditional = is_conditional_;
  ExpressionPtr argument = node.children[0] ? coercion_.settle(bind(*node.children[0])) : nullptr;
  Lets lets;
  if (argument && node.children.size() > 4) argument = repeatable(std::move(argument), lets);
  auto result = std::make_unique<Expression>();
  result->kind = Kind::Case;
  SubqueryGuard guard(*state_.plan, in_aggregate_ ? clause_.argument_subqueries : clause_.subqueries);
  for (size_t i = 1; i + 1 < node.children.size(); i += 2) {
    const ast::Expression& when = *node.children[i];
    guard.begin();
    result->children.push_back(argument
                                   ? bindOperator("=", listOf(copy(*argument), bind(when)), node.when_positions[i / 2])
                                   : bindCondition(when, "CASE/WHEN"));
    guard.end();
    is_conditional_ = true;
    guard.add(Kind::IsTrue, *result->children.back());
    guard.begin();
    result->children.push_back(bind(*node.children[i + 1]));
    guard.end();
    guard.replaceLast(Kind::IsNotTrue);
  }
  guard.begin();
  result->children.push_back(node.children.back() ? bind(*node.children.back())
                                                  : Expression::constant(Value::null(Type::of(TypeKind::Unknown))));
  guard.end();
  choice_ = around;
  is_conditional_ = was_conditional;
  // The type is sought from ELSE on, as PostgreSQL does; its message names ELSE's type first.
  std::vector<ExpressionPtr*> branches{&result->children.back()};
  for (size_t i = 1; i + 1 < result->children.size(); i += 2) branches.push_back(&result->children[i]);
  result->type = coercion_.unify(branches, "CASE");
  result->nullable = std::ranges::any_of(branches, [](ExpressionPtr* branch) { return (*branch)->nullable; });
  return withLets(std::move(result), std::move(lets));
}

ExpressionPtr ExpressionBinder::bindNullIf(const ast::Expression& node) {
  Arguments operands = bindAll(node.children);
  Lets lets;
  operands[0] = repeatable(std::move(operands[0]), lets);
  ExpressionPtr equality = bindOperator("=", listOf(copy(*operands[0]), std::move(operands[1])), node.position);
  // The value is the left operand as the operator takes it, before both sides were brought to one kind.
  const TypeKind compared = equality->children[0]->type.kind;
  coercion_.refresh(*operands[0]);
  const bool widened = operands[0]->type.isInteger() && (compared == TypeKind::Integer || compared == TypeKind::Bigint);
  const TypeKind kind = operands[0]->type.kind;
  const bool relabelled = kind == TypeKind::Real || kind == TypeKind::Date || kind == TypeKind::Timestamp;
  ExpressionPtr value = widened || relabelled ? std::move(operands[0]) : copy(*equality->children[0]);
  if (value->type.kind == TypeKind::Varchar) value = coercion_.toKind(std::move(value), TypeKind::Text);
  auto result = std::make_unique<Expression>();
  result->kind = Kind::Case;
  result->type = value->type;
  ExpressionPtr null = Expression::constant(Value::null(value->type));
  result->children = listOf(std::move(equality), std::move(null), std::move(value));
  result->position = node.position;
  return withLets(std::move(result), std::move(lets));
}

ExpressionPtr ExpressionBinder::bindChoice(const ast::Expression& node) {
  auto result = std::make_unique<Expression>();
  const bool is_coalesce = node.kind == NodeKind::Coalesce;
  result->kind = is_coalesce ? Kind::Coalesce : node.kind == NodeKind::Greatest ? Kind::Greatest : Kind::Least;
  const std::string_view around = choice_;
  const bool was_conditional = is_conditional_;
  if (is_coalesce) choice_ = "COALESCE";
  SubqueryGuard guard(*state_.plan, in_aggregate_ ? clause_.argument_subqueries : clause_.subqueries);
  for (const ast::ExpressionPtr& child : node.children) {
    guard.begin();
    result->children.push_back(bind(*child));
    guard.end();
    if (!is_coalesce) continue;
    is_conditional_ = true;
    if (!result->children.back()->type.isRecord()) guard.add(Kind::IsNull, *result->children.back());
  }
  choice_ = around;
  is_conditional_ = was_conditional;
  std::vector<ExpressionPtr*> branches;
  for (ExpressionPtr& child : result->children) branches.push_back(&child);
  const std::string_view name = is_coalesce ? "COALESCE" : node.kind == NodeKind::Greatest ? "GREATEST" : "LEAST";
  result->type = coercion_.unify(branches, name);
  // NULLs are passed over: NULL comes out only when every one of them is NULL.
  result->nullable = std::ranges::all_of(result->children, [](const ExpressionPtr& child) { return child->nullable; });
  const uint16_t collation = is_coalesce ? 0 : icuCollation(result->children.front(), node.position);
  if (collation == 0) return result;
  const Type type = std::exchange(result->type, Type::of(TypeKind::Bytea));
  for (ExpressionPtr& child : result->children) child = orderKey(std::move(child), collation);
  return textOfKey(std::move(result), type);
}

}  // namespace gnomon::sql
