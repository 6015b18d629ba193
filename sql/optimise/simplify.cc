#include "sql/optimise/simplify.h"

#include <algorithm>
#include <unordered_map>

#include "sql/algebra/rewrite.h"
#include "sql/optimise/constant_folding.h"

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

const Type kBoolean = Type::of(TypeKind::Boolean);

ExpressionPtr nullBoolean() {
  return Expression::constant(Value::null(kBoolean));
}

bool isNullConstant(const Expression& expression) {
  return expression.kind == Kind::Constant && expression.value.is_null;
}

bool isFalseConstant(const Expression& expression) {
  return isRejectingConstant(expression) && !expression.value.is_null;
}

bool isNeverNull(const Expression& expression) {
  if (expression.kind == Kind::Column) return !expression.iu->nullable;
  return expression.kind == Kind::Constant && !expression.value.is_null;
}

/// A set of expressions by structure.
class Seen {
 public:
  /// False when an equal expression was added before. The expression must outlive the set.
  bool add(const Expression& expression) {
    const size_t hash = structuralHash(expression);
    if (contains(expression, hash)) return false;
    by_hash_.emplace(hash, &expression);
    return true;
  }
  [[nodiscard]] bool contains(const Expression& expression) const {
    return contains(expression, structuralHash(expression));
  }

 private:
  [[nodiscard]] bool contains(const Expression& expression, size_t hash) const {
    const auto [first, last] = by_hash_.equal_range(hash);
    // Two that answer otherwise each time are not one.
    return std::any_of(first, last, [&](const auto& entry) { return entry.second->equals(expression); }) &&
           !expression.isVolatile();
  }

  std::unordered_multimap<size_t, const Expression*> by_hash_;
};

/// The operands of nested ANDs (or ORs) as one list, in order.
std::vector<ExpressionPtr> flattened(Kind kind, std::vector<ExpressionPtr> operands) {
  std::vector<ExpressionPtr> result;
  std::vector<ExpressionPtr> pending;
  std::ranges::reverse(operands);
  pending = std::move(operands);
  while (!pending.empty()) {
    ExpressionPtr last = std::move(pending.back());
    pending.pop_back();
    if (last->kind != kind) {
      result.push_back(std::move(last));
      continue;
    }
    for (size_t i = last->children.size(); i-- > 0;) pending.push_back(std::move(last->children[i]));
    last->children.clear();
  }
  return result;
}

/// AND or OR of simplified operands that are not of the same kind themselves.
ExpressionPtr makeJunction(Kind kind, std::vector<ExpressionPtr> operands);

/// Takes the conjuncts that every branch has out of the OR. Absorption is a special case: a OR (a AND b) is a.
/// Kleene's logic is a distributive lattice, so both hold with NULLs.
ExpressionPtr extractCommonConjuncts(std::vector<ExpressionPtr> operands) {
  std::vector<std::vector<ExpressionPtr>> branches(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) splitConjunction(std::move(operands[i]), branches[i]);
  std::vector<Seen> sets(branches.size());
  for (size_t i = 0; i < branches.size(); ++i)
    for (const ExpressionPtr& conjunct : branches[i]) sets[i].add(*conjunct);

  std::vector<ExpressionPtr> common;
  for (const ExpressionPtr& candidate : branches[0])
    if (std::ranges::all_of(sets, [&](const Seen& set) { return set.contains(*candidate); }))
      common.push_back(candidate->clone());

  Seen taken;
  for (const ExpressionPtr& conjunct : common) taken.add(*conjunct);
  bool branch_is_empty = false;
  std::vector<ExpressionPtr> rest;
  for (std::vector<ExpressionPtr>& branch : branches) {
    std::erase_if(branch, [&](const ExpressionPtr& conjunct) { return taken.contains(*conjunct); });
    branch_is_empty |= branch.empty();
    rest.push_back(conjunction(std::move(branch)));
  }
  if (common.empty()) return Expression::logic(Kind::Or, std::move(rest));
  if (!branch_is_empty) common.push_back(makeJunction(Kind::Or, flattened(Kind::Or, std::move(rest))));
  return makeJunction(Kind::And, flattened(Kind::And, std::move(common)));
}

ExpressionPtr makeJunction(Kind kind, std::vector<ExpressionPtr> operands) {
  const bool is_and = kind == Kind::And;
  std::vector<ExpressionPtr> kept;
  Seen seen;
  for (ExpressionPtr& operand : operands) {
    if (is_and ? isTrueConstant(*operand) : isFalseConstant(*operand)) continue;
    if (is_and ? isFalseConstant(*operand) : isTrueConstant(*operand)) return std::move(operand);
    if (!seen.add(*operand)) continue;
    kept.push_back(std::move(operand));
  }
  if (kept.empty()) return booleanConstant(is_and);
  if (kept.size() == 1) return std::move(kept[0]);
  if (is_and) return Expression::logic(Kind::And, std::move(kept));
  return extractCommonConjuncts(std::move(kept));
}

ExpressionPtr negate(ExpressionPtr operand) {
  switch (operand->kind) {
    case Kind::Constant:
      return operand->value.is_null ? nullBoolean() : booleanConstant(operand->value.lo == 0);
    case Kind::Not:
      return std::move(operand->children[0]);
    case Kind::And:
    case Kind::Or: {
      const Kind dual = operand->kind == Kind::And ? Kind::Or : Kind::And;
      std::vector<ExpressionPtr> operands;
      for (ExpressionPtr& child : operand->children) operands.push_back(negate(std::move(child)));
      return makeJunction(dual, flattened(dual, std::move(operands)));
    }
    case Kind::IsNull:
      operand->kind = Kind::IsNotNull;
      return operand;
    case Kind::IsNotNull:
      operand->kind = Kind::IsNull;
      return operand;
    case Kind::IsTrue:
      operand->kind = Kind::IsNotTrue;
      return operand;
    case Kind::IsNotTrue:
      operand->kind = Kind::IsTrue;
      return operand;
    case Kind::IsFalse:
      operand->kind = Kind::IsNotFalse;
      return operand;
    case Kind::IsNotFalse:
      operand->kind = Kind::IsFalse;
      return operand;
    case Kind::IsDistinct:
      operand->kind = Kind::IsNotDistinct;
      return operand;
    case Kind::IsNotDistinct:
      operand->kind = Kind::IsDistinct;
      return operand;
    default:
      break;
  }
  if (isComparison(*operand)) {
    operand->function = negated(operand->function);
    return operand;
  }
  std::vector<ExpressionPtr> children;
  children.push_back(std::move(operand));
  return Expression::logic(Kind::Not, std::move(children));
}

/// NOT over AND, OR and NOT goes one level down, before the operands are simplified: each level is turned once.
ExpressionPtr withNotMovedDown(ExpressionPtr expression) {
  while (expression->kind == Kind::Not && expression->children[0]->kind == Kind::Not) {
    ExpressionPtr inner = std::move(expression->children[0]->children[0]);
    expression = std::move(inner);
  }
  if (expression->kind != Kind::Not) return expression;
  const Kind inner_kind = expression->children[0]->kind;
  if (inner_kind != Kind::And && inner_kind != Kind::Or) return expression;
  ExpressionPtr result = std::move(expression->children[0]);
  result->kind = inner_kind == Kind::And ? Kind::Or : Kind::And;
  result->children = flattened(inner_kind, std::move(result->children));
  for (ExpressionPtr& child : result->children) {
    std::vector<ExpressionPtr> operand;
    operand.push_back(std::move(child));
    child = Expression::logic(Kind::Not, std::move(operand));
  }
  return result;
}

/// The result of a test (IS NULL, IS TRUE, ...) on a constant.
bool testHolds(Kind test, const Value& value) {
  const bool is_true = !value.is_null && value.lo != 0;
  const bool is_false = !value.is_null && value.lo == 0;
  switch (test) {
    case Kind::IsNull:
      return value.is_null;
    case Kind::IsNotNull:
      return !value.is_null;
    case Kind::IsTrue:
      return is_true;
    case Kind::IsNotTrue:
      return !is_true;
    case Kind::IsFalse:
      return is_false;
    default:
      return !is_false;
  }
}

ExpressionPtr simplifyTest(ExpressionPtr test) {
  const Expression& operand = *test->children[0];
  if (operand.kind == Kind::Constant) return booleanConstant(testHolds(test->kind, operand.value));
  if (test->kind == Kind::IsNull && isNeverNull(operand)) return booleanConstant(false);
  if (test->kind == Kind::IsNotNull && isNeverNull(operand)) return booleanConstant(true);
  return test;
}

ExpressionPtr simplifyDistinct(ExpressionPtr test) {
  if (isNullConstant(*test->children[0])) std::swap(test->children[0], test->children[1]);
  if (!isNullConstant(*test->children[1])) return test;
  std::vector<ExpressionPtr> operand;
  operand.push_back(std::move(test->children[0]));
  const Kind kind = test->kind == Kind::IsDistinct ? Kind::IsNotNull : Kind::IsNull;
  return simplifyTest(Expression::logic(kind, std::move(operand)));
}

/// `expression` in the type of the expression it takes the place of.
ExpressionPtr inType(ExpressionPtr expression, Type type) {
  if (expression->type == type) return expression;
  if (isNullConstant(*expression)) return Expression::constant(Value::null(type));
  return Expression::cast(std::move(expression), type, false);
}

ExpressionPtr simplifyCase(ExpressionPtr expression) {
  std::vector<ExpressionPtr> kept;
  std::vector<ExpressionPtr>& children = expression->children;
  ExpressionPtr otherwise = std::move(children.back());
  for (size_t i = 0; i + 1 < children.size(); i += 2) {
    if (isRejectingConstant(*children[i])) continue;
    if (isTrueConstant(*children[i])) {
      otherwise = std::move(children[i + 1]);
      break;
    }
    kept.push_back(std::move(children[i]));
    kept.push_back(std::move(children[i + 1]));
  }
  if (kept.empty()) return inType(std::move(otherwise), expression->type);
  kept.push_back(inType(std::move(otherwise), expression->type));
  expression->children = std::move(kept);
  return expression;
}

ExpressionPtr simplifyCoalesce(ExpressionPtr expression) {
  std::vector<ExpressionPtr> kept;
  for (ExpressionPtr& child : expression->children) {
    if (isNullConstant(*child)) continue;
    const bool ends = isNeverNull(*child);
    kept.push_back(std::move(child));
    if (ends) break;
  }
  if (kept.empty()) return Expression::constant(Value::null(expression->type));
  if (kept.size() == 1) return inType(std::move(kept[0]), expression->type);
  expression->children = std::move(kept);
  return expression;
}

ExpressionPtr simplifyInList(ExpressionPtr expression) {
  if (isNullConstant(*expression->children[0])) return nullBoolean();
  if (expression->children.size() != 2) return expression;
  auto equality = Expression::call(FunctionId::Equal, kBoolean, std::move(expression->children));
  equality->position = expression->position;
  return simplifyExpression(std::move(equality));
}

/// b = TRUE as b, b <> TRUE as NOT b.
ExpressionPtr simplifyBooleanComparison(ExpressionPtr call) {
  const Expression& right = *call->children[1];
  const bool is_equal = call->function == FunctionId::Equal;
  if (right.kind != Kind::Constant || right.type.kind != TypeKind::Boolean || right.value.is_null) return call;
  if (!is_equal && call->function != FunctionId::NotEqual) return call;
  const bool keeps = is_equal == (right.value.lo != 0);
  ExpressionPtr operand = std::move(call->children[0]);
  return keeps ? std::move(operand) : negate(std::move(operand));
}

ExpressionPtr simplifyCall(ExpressionPtr call) {
  if (std::ranges::any_of(call->children, [](const ExpressionPtr& child) { return isNullConstant(*child); }))
    return Expression::constant(Value::null(call->type));
  if (auto value = foldCall(*call)) return Expression::constant(std::move(*value));
  if (!isComparison(*call)) return call;
  normaliseComparison(*call);
  if (auto value = foldCall(*call)) return Expression::constant(std::move(*value));
  return simplifyBooleanComparison(std::move(call));
}

ExpressionPtr simplifyCast(ExpressionPtr cast) {
  if (auto value = foldCast(*cast)) return Expression::constant(std::move(*value));
  return cast;
}

ExpressionPtr simplifyNode(ExpressionPtr node) {
  switch (node->kind) {
    case Kind::And:
    case Kind::Or: {
      const Kind kind = node->kind;
      return makeJunction(kind, flattened(kind, std::move(node->children)));
    }
    case Kind::Not:
      return negate(std::move(node->children[0]));
    case Kind::IsNull:
    case Kind::IsNotNull:
    case Kind::IsTrue:
    case Kind::IsNotTrue:
    case Kind::IsFalse:
    case Kind::IsNotFalse:
      return simplifyTest(std::move(node));
    case Kind::IsDistinct:
    case Kind::IsNotDistinct:
      return simplifyDistinct(std::move(node));
    case Kind::Case:
      return simplifyCase(std::move(node));
    case Kind::Coalesce:
      return simplifyCoalesce(std::move(node));
    case Kind::InList:
      return simplifyInList(std::move(node));
    case Kind::Call:
      return simplifyCall(std::move(node));
    case Kind::Cast:
      return simplifyCast(std::move(node));
    default:
      return node;
  }
}

void simplifyOperator(OperatorPtr& op) {
  switch (op->kind) {
    case Operator::Kind::TableScan: {
      auto& filters = static_cast<TableScan&>(*op).filters;
      filters = simplifyConditions(std::move(filters));
      return;
    }
    case Operator::Kind::Join: {
      auto& conditions = static_cast<Join&>(*op).conditions;
      conditions = simplifyConditions(std::move(conditions));
      return;
    }
    case Operator::Kind::Selection: {
      auto& conditions = static_cast<Selection&>(*op).conditions;
      conditions = simplifyConditions(std::move(conditions));
      if (!conditions.empty()) return;
      OperatorPtr input = std::move(op->inputs[0]);
      op = std::move(input);
      return;
    }
    default:
      forEachExpression(*op, [](ExpressionPtr& expression) { expression = simplifyExpression(std::move(expression)); });
  }
}

}  // namespace

ExpressionPtr simplifyExpression(ExpressionPtr expression) {
  const int32_t position = expression->position;
  expression = withNotMovedDown(std::move(expression));
  // Chains are opened first: a long one written as nested binary ANDs costs no recursion.
  if (expression->kind == Kind::And || expression->kind == Kind::Or)
    expression->children = flattened(expression->kind, std::move(expression->children));
  for (ExpressionPtr& child : expression->children) child = simplifyExpression(std::move(child));
  ExpressionPtr result = simplifyNode(std::move(expression));
  if (result->position < 0) result->position = position;
  return result;
}

std::vector<ExpressionPtr> simplifyConditions(std::vector<ExpressionPtr> conditions) {
  if (conditions.empty()) return conditions;
  std::vector<ExpressionPtr> result;
  splitConjunction(simplifyExpression(conjunction(std::move(conditions))), result);
  std::erase_if(result, [](const ExpressionPtr& condition) { return isTrueConstant(*condition); });
  if (std::ranges::any_of(result, [](const ExpressionPtr& condition) { return isRejectingConstant(*condition); })) {
    result.clear();
    result.push_back(booleanConstant(false));
  }
  return result;
}

void simplify(Plan& plan) {
  forEachOperator(plan, simplifyOperator);
}

}  // namespace gnomon::sql
