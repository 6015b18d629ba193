#include <optional>

#include "codegen/translate/expression_comparison.h"
#include "codegen/translate/expression_nesting.h"
#include "codegen/translate/expression_translator.h"
#include "codegen/translate/expression_values.h"
#include "codegen/translate/value_operations.h"

/// CASE, COALESCE, GREATEST, LEAST and IS [NOT] DISTINCT FROM.
namespace gnomon::codegen {

using sql::Expression;
using sql::FunctionId;
using Kind = sql::Expression::Kind;

/// The condition is better emitted as branches than as a value.
bool ExpressionTranslator::isBranching(const Expression& condition) {
  switch (condition.kind) {
    case Kind::And:
    case Kind::Or:
    case Kind::Not:
    case Kind::IsTrue:
    case Kind::IsNotTrue:
    case Kind::IsFalse:
    case Kind::IsNotFalse:
      return !traits_.of(condition).is_simple;
    default:
      return false;
  }
}

SqlValue ExpressionTranslator::translateCase(const Expression& expression) {
  ir::Builder& builder = context_.builder;
  const auto& children = expression.children;
  const bool is_first_branching = isBranching(*children[0]);
  if (children.size() == 3 && !is_first_branching && traits_.of(*children[1]).is_simple &&
      traits_.of(*children[2]).is_simple) {
    const ir::Value condition = translateTruth(*children[0]);
    const SqlValue if_true = translateAs(*children[1], expression.type);
    return selectValue(context_, condition, if_true, translateAs(*children[2], expression.type));
  }
  const ir::Block done = builder.createBlock();
  ValueMerge merge(context_, expression.type, done);
  // The first condition is evaluated in any case: what it loads stays loaded unless it branches itself.
  const ir::Value first = is_first_branching ? ir::Value{} : translateTruth(*children[0]);
  const Scope::Level level(scope_);
  for (size_t i = 0; i + 1 < children.size(); i += 2) {
    const ir::Block then = builder.createBlock();
    const ir::Block next = builder.createBlock();
    if (i == 0 && first.isValid())
      builder.condBr(first, then, next);
    else
      branch(*children[i], Outcome::True, then, next);
    builder.setBlock(then);
    {
      const Scope::Level inside(scope_);
      merge.branchWith(translateAs(*children[i + 1], expression.type));
    }
    builder.setBlock(next);
  }
  merge.branchWith(translateAs(*children.back(), expression.type));
  return merge.finish();
}

SqlValue ExpressionTranslator::translateCoalesce(const Expression& expression) {
  ir::Builder& builder = context_.builder;
  const auto& children = expression.children;
  SqlValue value = translateAs(*children[0], expression.type);
  if (children.size() == 1 || !value.isNullable()) return value;
  if (children.size() == 2 && traits_.of(*children[1]).is_simple)
    return selectValue(context_, value.is_null, translateAs(*children[1], expression.type),
                       {value.type, value.lo, value.hi, {}});
  const ir::Block done = builder.createBlock();
  ValueMerge merge(context_, expression.type, done);
  const Scope::Level level(scope_);
  for (size_t i = 1; i < children.size() && value.isNullable(); ++i) {
    const ir::Block next = builder.createBlock();
    builder.condBr(value.is_null, next, done);
    merge.addEdge({value.type, value.lo, value.hi, {}});
    builder.setBlock(next);
    value = translateAs(*children[i], expression.type);
  }
  merge.branchWith(value);
  return merge.finish();
}

/// GREATEST and LEAST pass over NULLs.
SqlValue ExpressionTranslator::translateExtreme(const Expression& expression) {
  ir::Builder& builder = context_.builder;
  const FunctionId better = expression.kind == Kind::Greatest ? FunctionId::Greater : FunctionId::Less;
  SqlValue best = translateAs(*expression.children[0], expression.type);
  for (size_t i = 1; i < expression.children.size(); ++i) {
    const SqlValue value = translateAs(*expression.children[i], expression.type);
    const ir::Value is_better = emitComparison(context_, better, value, best);
    ir::Value is_taken = best.isNullable() ? builder.bitOr(best.is_null, is_better) : is_better;
    if (value.isNullable()) is_taken = builder.bitAnd(is_taken, builder.bitNot(value.is_null));
    const SqlValue present{value.type, value.lo, value.hi, {}};
    SqlValue next = selectValue(context_, is_taken, present, {best.type, best.lo, best.hi, {}});
    if (best.isNullable() && value.isNullable()) next.is_null = builder.bitAnd(best.is_null, value.is_null);
    best = next;
  }
  return best;
}

SqlValue ExpressionTranslator::translateDistinct(const Expression& expression) {
  const SqlValue a = translate(*expression.children[0]);
  const SqlValue b = translate(*expression.children[1]);
  const bool is_distinct = expression.kind == Kind::IsDistinct;
  ir::Builder& builder = context_.builder;
  ir::Value same;
  if (isNullConstant(context_, a) || isNullConstant(context_, b))
    same = builder.bitAnd(isNull(context_, a), isNull(context_, b));
  else
    same = notDistinctValues(context_, a, b);
  return {expression.type, is_distinct ? builder.bitNot(same) : same, {}, {}};
}

}  // namespace gnomon::codegen
