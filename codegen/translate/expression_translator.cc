#include "codegen/translate/expression_translator.h"

#include <array>
#include <utility>
#include <vector>

#include "base/sql_error.h"
#include "codegen/translate/expression_arithmetic.h"
#include "codegen/translate/expression_array.h"
#include "codegen/translate/expression_bytea.h"
#include "codegen/translate/expression_cast.h"
#include "codegen/translate/expression_comparison.h"
#include "codegen/translate/expression_constant.h"
#include "codegen/translate/expression_datetime.h"
#include "codegen/translate/expression_domain.h"
#include "codegen/translate/expression_mathematics.h"
#include "codegen/translate/expression_nesting.h"
#include "codegen/translate/expression_regex.h"
#include "codegen/translate/expression_session.h"
#include "codegen/translate/expression_string.h"
#include "codegen/translate/expression_text_function.h"
#include "codegen/translate/expression_values.h"
#include "codegen/translate/value_operations.h"

namespace gnomon::codegen {
namespace {

using sql::Expression;
using sql::FunctionId;
using sql::Type;
using Kind = sql::Expression::Kind;

/// The builder folds these over constants by itself, so that a function of their own would be wasted.
bool isFoldedByBuilder(const Expression& expression) {
  if (expression.kind != Kind::Call || isPairType(expression.type) || expression.children.size() > 2) return false;
  std::array<Type, 2> types;
  for (size_t i = 0; i < expression.children.size(); ++i) {
    types[i] = expression.children[i]->type;
    if (isPairType(types[i])) return false;
  }
  return nullTreatment(expression.function, expression.type, {types.data(), expression.children.size()}, true) !=
         NullTreatment::Guarded;
}

SqlValue emitFunction(CodeContext& context, FunctionId function, const Type& type, std::span<const SqlValue> values) {
  if (sql::isSessionFunction(function)) return emitSessionFunction(context, function, type, values);
  if (isComparison(function)) return {type, emitComparison(context, function, values[0], values[1]), {}, {}};
  if (function >= FunctionId::Concat && function <= FunctionId::Initcap)
    return values[0].type.kind == sql::TypeKind::Bytea ? emitByteaFunction(context, function, type, values)
                                                       : emitStringFunction(context, function, type, values);
  if (function >= FunctionId::Overlay && function <= FunctionId::EncodedLength)
    return emitByteaFunction(context, function, type, values);
  if (sql::isTextFunction(function)) return emitTextFunction(context, function, type, values);
  if (sql::isRegexFunction(function)) return emitRegexFunction(context, function, type, values);
  if (sql::isNumberFunction(function)) return emitNumberFunction(context, function, type, values);
  if (function >= FunctionId::Extract) return emitDatetimeFunction(context, function, type, values);
  if (isDatetimeArithmetic(type, values)) return emitDatetimeArithmetic(context, function, type, values);
  return emitArithmetic(context, function, type, values);
}

}  // namespace

bool ExpressionTranslator::isEvaluatedNow(const Expression& expression) {
  return constants_ == Constants::Evaluated && !isFoldedByBuilder(expression) && traits_.of(expression).is_constant;
}

SqlValue ExpressionTranslator::translate(const Expression& expression) {
  switch (expression.kind) {
    case Kind::Constant:
      return constantValue(context_, expression.value);
    case Kind::Column:
      return scope_.get(expression.iu);
    case Kind::Parameter:
      return parameterValue(context_, expression.type, expression.parameter);
    default:
      break;
  }
  const Nesting nesting(*this);
  if (!isEvaluatedNow(expression)) {
    SqlValue value = translateKind(expression);
    value.is_durable = false;  // it may lie in the scratch arena
    return value;
  }
  if (const auto value = evaluateConstant(context_, expression)) return constantValue(context_, *value);
  // It raises an error: so do the rows that evaluate it. Its parts are not tried again.
  return ExpressionTranslator(context_, scope_, Constants::InPlace).translateKind(expression);
}

SqlValue ExpressionTranslator::translateKind(const Expression& expression) {
  switch (expression.kind) {
    case Kind::Call:
      return translateCall(expression);
    case Kind::Cast:
      return translateCast(expression);
    case Kind::And:
    case Kind::Or:
      return translateConnective(expression);
    case Kind::Not:
      return translateNot(expression);
    case Kind::IsNull:
    case Kind::IsNotNull:
    case Kind::IsTrue:
    case Kind::IsNotTrue:
    case Kind::IsFalse:
    case Kind::IsNotFalse:
      return translateTest(expression);
    case Kind::IsDistinct:
    case Kind::IsNotDistinct:
      return translateDistinct(expression);
    case Kind::Case:
      return translateCase(expression);
    case Kind::Coalesce:
      return translateCoalesce(expression);
    case Kind::Greatest:
    case Kind::Least:
      return translateExtreme(expression);
    case Kind::InList:
      return translateInList(expression);
    case Kind::ArrayCall:
      return translateArrayCall(expression);
    case Kind::AnyOf:
    case Kind::AllOf:
      return translateAnyOf(expression);
    case Kind::Let:
      return translateLet(expression);
    default:
      throwNotSupported("this expression", expression.position);
  }
}

SqlValue ExpressionTranslator::translateCall(const Expression& expression) {
  std::vector<SqlValue> arguments;
  arguments.reserve(expression.children.size());
  for (const auto& child : expression.children) arguments.push_back(translate(*child));
  return emitCall(expression, arguments);
}

SqlValue ExpressionTranslator::translateArrayCall(const Expression& expression) {
  if (expression.function == FunctionId::CheckDomain) {
    const SqlValue value = translate(*expression.children[0]);
    const auto domain = static_cast<uint32_t>(expression.children[1]->value.lo);
    return domain == 0 ? emitFieldDomainChecks(context_, value) : emitDomainCheck(context_, value, domain);
  }
  std::vector<SqlValue> arguments;
  arguments.reserve(expression.children.size());
  for (const auto& child : expression.children) arguments.push_back(translate(*child));
  return emitArrayCall(context_, expression.function, expression.type, arguments);
}

SqlValue ExpressionTranslator::translateLet(const Expression& expression) {
  const Scope::Binding binding(scope_, expression.iu, translateAs(*expression.children[0], expression.iu->type));
  return translateAs(*expression.children[1], expression.type);
}

SqlValue ExpressionTranslator::translateAnyOf(const Expression& expression) {
  SqlValue value = translate(*expression.children[0]);
  SqlValue array = translate(*expression.children[1]);
  if (isNullConstant(context_, array)) return nullValue(context_, expression.type);
  const ir::Value value_null = std::exchange(value.is_null, {});
  const ir::Value array_null = std::exchange(array.is_null, {});
  return emitUnlessNull(context_, array_null, expression.type, [&] {
    const auto decide = [&] {
      return emitAnyOf(context_, expression, value, array, [&](const SqlValue& element) {
        return emitFunction(context_, expression.function, expression.type, std::array{value, element});
      });
    };
    if (!value_null.isValid()) return decide();
    // NULL op ANY (array) is NULL unless there is no element.
    SqlValue result = emitUnlessNull(context_, value_null, expression.type, decide);
    ir::Builder& b = context_.builder;
    const ir::Value is_empty = b.eq(emitArraySize(context_, array), b.constI64(0));
    result.is_null = b.bitAnd(b.bitNot(is_empty), isNull(context_, result));
    result.lo = b.select(is_empty, b.constI1(expression.kind == Kind::AllOf), result.lo);
    return result;
  });
}

SqlValue ExpressionTranslator::emitCall(const Expression& expression, std::span<SqlValue> arguments) {
  ir::Builder& builder = context_.builder;
  std::vector<Type> types;
  ir::Value null;
  bool with_constant = false;
  for (const SqlValue& argument : arguments) {
    types.push_back(argument.type);
    with_constant |= builder.isConstant(argument.lo);
    null = anyNull(context_, {null, argument.is_null});
    if (isNullConstant(context_, argument)) return nullValue(context_, expression.type);
  }
  const FunctionId function = expression.function;
  const NullTreatment treatment = nullTreatment(function, expression.type, types, with_constant);
  if (treatment == NullTreatment::Zero && null.isValid())
    for (SqlValue& argument : arguments)
      argument.lo = builder.select(null, builder.zero(builder.typeOf(argument.lo)), argument.lo);
  for (SqlValue& argument : arguments) argument.is_null = {};
  const auto emit = [&] {
    SqlValue result = emitFunction(context_, function, expression.type, arguments);
    result.type = expression.type;
    return result;
  };
  if (treatment == NullTreatment::Guarded) return emitUnlessNull(context_, null, expression.type, emit);
  SqlValue result = emit();
  result.is_null = null;
  return result;
}

SqlValue ExpressionTranslator::translateCast(const Expression& expression) {
  SqlValue input = translate(*expression.children[0]);
  if (isInlineCast(input.type, expression.type) || isNullConstant(context_, input))
    return convertValue(context_, input, expression.type, expression.is_explicit);
  const ir::Value null = std::exchange(input.is_null, {});
  return emitUnlessNull(context_, null, expression.type,
                        [&] { return convertValue(context_, input, expression.type, expression.is_explicit); });
}

SqlValue ExpressionTranslator::translateAs(const Expression& child, const Type& type) {
  SqlValue value = translate(child);
  if (isNullConstant(context_, value)) return nullValue(context_, type);
  if (value.type.isString() && type.isString()) return retyped(value, type);
  if (value.type.kind == type.kind && type.kind != sql::TypeKind::Numeric) return retyped(value, type);
  // Numerics of one type for PostgreSQL may differ in form and scale; a declared type's modifier is not applied here.
  const ir::Value null = std::exchange(value.is_null, {});
  return emitUnlessNull(context_, null, type, [&] {
    Type plain = type;
    plain.typmod = -1;
    return retyped(convertValue(context_, value, plain, false), type);
  });
}

}  // namespace gnomon::codegen
