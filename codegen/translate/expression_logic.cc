#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "codegen/translate/expression_nesting.h"
#include "codegen/translate/expression_translator.h"
#include "codegen/translate/expression_values.h"

/// AND, OR, NOT, the tests IS [NOT] NULL, TRUE, FALSE, and conditions as branches.
namespace gnomon::codegen {
namespace {

using sql::Expression;
using Kind = sql::Expression::Kind;

/// The operands of a chain of ANDs (ORs), however it is nested, in order.
std::vector<const Expression*> flattened(const Expression& expression) {
  std::vector<const Expression*> operands;
  std::vector<const Expression*> open{&expression};
  while (!open.empty()) {
    const Expression* top = open.back();
    open.pop_back();
    if (top->kind != expression.kind) {
      operands.push_back(top);
      continue;
    }
    for (size_t i = top->children.size(); i-- > 0;) open.push_back(top->children[i].get());
  }
  return operands;
}

/// Both sides evaluated. AND: TRUE when both are, FALSE when one is, else NULL; OR with the truth values exchanged.
SqlValue connect(CodeContext& context, bool is_and, const SqlValue& a, const SqlValue& b) {
  ir::Builder& builder = context.builder;
  if (!a.isNullable() && !b.isNullable())
    return {a.type, is_and ? builder.bitAnd(a.lo, b.lo) : builder.bitOr(a.lo, b.lo), {}, {}};
  const ir::Value any_null = anyNull(context, {a.is_null, b.is_null});
  if (is_and) {
    const ir::Value is_true = builder.bitAnd(isTrue(context, a), isTrue(context, b));
    const ir::Value is_false = builder.bitOr(isFalse(context, a), isFalse(context, b));
    return {a.type, is_true, {}, builder.bitAnd(any_null, builder.bitNot(is_false))};
  }
  const ir::Value is_true = builder.bitOr(isTrue(context, a), isTrue(context, b));
  return {a.type, is_true, {}, builder.bitAnd(any_null, builder.bitNot(is_true))};
}

bool isEquality(const Expression& expression) {
  return expression.kind == Kind::Call && expression.function == sql::FunctionId::Equal;
}

}  // namespace

/// The operands from `next` on that follow each other and are simple, or the one that is not.
SqlValue ExpressionTranslator::connectStraight(const std::vector<const Expression*>& operands, size_t& next,
                                               bool is_and) {
  const bool is_straight = isStraight(*operands[next]);
  SqlValue value = translate(*operands[next++]);
  while (is_straight && next < operands.size() && isStraight(*operands[next]))
    value = connect(context_, is_and, value, translate(*operands[next++]));
  return value;
}

SqlValue ExpressionTranslator::translateConnective(const Expression& expression) {
  ir::Builder& builder = context_.builder;
  const bool is_and = expression.kind == Kind::And;
  const std::vector<const Expression*> operands = flattened(expression);
  size_t next = 0;
  SqlValue value = connectStraight(operands, next, is_and);
  if (next == operands.size()) return value;

  const Scope::Level level(scope_);
  const ir::Block done = builder.createBlock();
  ValueMerge merge(context_, expression.type, done);
  ir::Value null_before;
  while (next < operands.size()) {
    const ir::Block more = builder.createBlock();
    const ir::Value is_decided = is_and ? isFalse(context_, value) : isTrue(context_, value);
    builder.condBr(is_decided, done, more);
    merge.addEdge({expression.type, builder.constI1(!is_and), {}, {}});
    builder.setBlock(more);
    null_before = anyNull(context_, {null_before, value.is_null});
    value = connectStraight(operands, next, is_and);
  }
  // What came before is TRUE (FALSE for OR) or NULL.
  merge.branchWith(connect(context_, is_and, {expression.type, builder.constI1(is_and), {}, null_before}, value));
  return merge.finish();
}

SqlValue ExpressionTranslator::translateNot(const Expression& expression) {
  SqlValue value = translate(*expression.children[0]);
  value.lo = context_.builder.bitNot(value.lo);
  return value;
}

SqlValue ExpressionTranslator::translateTest(const Expression& expression) {
  ir::Builder& builder = context_.builder;
  const SqlValue value = translate(*expression.children[0]);
  ir::Value result;
  switch (expression.kind) {
    case Kind::IsNull:
      result = isNull(context_, value);
      break;
    case Kind::IsNotNull:
      result = builder.bitNot(isNull(context_, value));
      break;
    case Kind::IsTrue:
      result = isTrue(context_, value);
      break;
    case Kind::IsNotTrue:
      result = builder.bitNot(isTrue(context_, value));
      break;
    case Kind::IsFalse:
      result = isFalse(context_, value);
      break;
    default:
      result = builder.bitNot(isFalse(context_, value));
      break;
  }
  return {expression.type, result, {}, {}};
}

ir::Value ExpressionTranslator::translateTruth(const Expression& condition) {
  const Nesting nesting(*this);
  return isTrue(context_, translate(condition));
}

bool ExpressionTranslator::isStraight(const Expression& expression) {
  if (!traits_.of(expression).is_simple) return false;
  std::vector<sql::Iu> units;
  expression.collectUnits(units);
  return std::ranges::all_of(units, [&](sql::Iu unit) { return scope_.isReadFreely(unit); });
}

void ExpressionTranslator::requireAll(std::span<const sql::ExpressionPtr> conditions, ir::Block otherwise) {
  std::vector<const Expression*> all;
  for (const sql::ExpressionPtr& condition : conditions) all.push_back(condition.get());
  requireAll(all, otherwise);
}

void ExpressionTranslator::requireAll(std::span<const Expression* const> conditions, ir::Block otherwise) {
  const Nesting nesting(*this);
  ir::Builder& builder = context_.builder;
  std::vector<const Expression*> conjuncts;
  for (const Expression* const condition : conditions) {
    if (condition->kind == Kind::And && !isEvaluatedNow(*condition))
      std::ranges::copy(flattened(*condition), std::back_inserter(conjuncts));
    else
      conjuncts.push_back(condition);
  }
  for (size_t next = 0; next < conjuncts.size();) {
    const ir::Block passed = builder.createBlock();
    const Expression* conjunct = conjuncts[next++];
    if (!isStraight(*conjunct)) {
      branch(*conjunct, Outcome::True, passed, otherwise);
    } else {
      // One branch for a run of cheap tests is predicted better than one for each. An equality leaves so few rows that
      // what follows is worth its own.
      ir::Value holds = isTrue(context_, translate(*conjunct));
      while (next < conjuncts.size() && !isEquality(*conjunct) && isStraight(*conjuncts[next])) {
        conjunct = conjuncts[next++];
        holds = builder.bitAnd(holds, isTrue(context_, translate(*conjunct)));
      }
      builder.condBr(holds, passed, otherwise);
    }
    builder.setBlock(passed);
  }
}

void ExpressionTranslator::branch(const Expression& condition, Outcome outcome, ir::Block yes, ir::Block no) {
  const Nesting nesting(*this);
  if (!isEvaluatedNow(condition)) {
    switch (condition.kind) {
      case Kind::Not: {
        const Outcome inner = outcome == Outcome::True ? Outcome::False : Outcome::True;
        branch(*condition.children[0], inner, yes, no);
        return;
      }
      case Kind::IsTrue:
      case Kind::IsNotTrue:
      case Kind::IsFalse:
      case Kind::IsNotFalse:
        branchTest(condition, outcome, yes, no);
        return;
      case Kind::And:
      case Kind::Or:
        if (!isStraight(condition)) {
          branchConnective(condition, outcome, yes, no);
          return;
        }
        break;
      default:
        break;
    }
  }
  const SqlValue value = translate(condition);
  const ir::Value holds = outcome == Outcome::True ? isTrue(context_, value) : isFalse(context_, value);
  context_.builder.condBr(holds, yes, no);
}

/// IS TRUE and its kin are never NULL, so that their being false is the other way around.
void ExpressionTranslator::branchTest(const Expression& condition, Outcome outcome, ir::Block yes, ir::Block no) {
  const bool asks_true = condition.kind == Kind::IsTrue || condition.kind == Kind::IsNotTrue;
  const bool is_negated = condition.kind == Kind::IsNotTrue || condition.kind == Kind::IsNotFalse;
  if (is_negated != (outcome == Outcome::False)) std::swap(yes, no);
  branch(*condition.children[0], asks_true ? Outcome::True : Outcome::False, yes, no);
}

/// AND is TRUE when all operands are and FALSE when one is; OR is TRUE when one is and FALSE when all are.
void ExpressionTranslator::branchConnective(const Expression& condition, Outcome outcome, ir::Block yes, ir::Block no) {
  ir::Builder& builder = context_.builder;
  const bool needs_all = (condition.kind == Kind::And) == (outcome == Outcome::True);
  const std::vector<const Expression*> operands = flattened(condition);
  const Scope::Level level(scope_);
  for (size_t i = 0; i + 1 < operands.size(); ++i) {
    const ir::Block next = builder.createBlock();
    if (needs_all)
      branch(*operands[i], outcome, next, no);
    else
      branch(*operands[i], outcome, yes, next);
    builder.setBlock(next);
  }
  branch(*operands.back(), outcome, yes, no);
}

}  // namespace gnomon::codegen
