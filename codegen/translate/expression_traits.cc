#include "codegen/translate/expression_traits.h"

#include <algorithm>
#include <array>

#include "base/sql_error.h"
#include "base/string_value.h"
#include "codegen/translate/expression_cast.h"
#include "codegen/translate/expression_comparison.h"
#include "sql/bind/check_definition.h"
#include "sql/catalog/domain_fields.h"
#include "sql/functions/value_function.h"
#include "sql/types/datetime_text.h"
#include "sql/types/text.h"

namespace gnomon::codegen {
namespace {

using sql::Expression;
using sql::FunctionId;
using sql::Type;
using Kind = sql::Expression::Kind;

/// A constant that lies within the 16 bytes of a string, also when it is padded to the other side's width.
bool isShortConstant(const Expression& expression, const Type& other) {
  constexpr auto kBytesMax = StringValue::kInlineBytesMax;
  return expression.kind == Kind::Constant && expression.value.bytes.size() <= kBytesMax &&
         (other.kind != sql::TypeKind::Char || sql::characterLimit(other.typmod) <= static_cast<int32_t>(kBytesMax));
}

/// String equality is straight-line code only against a short constant.
bool isSimpleComparison(const Expression& call) {
  const Expression& a = *call.children[0];
  const Expression& b = *call.children[1];
  if (!isInlineComparison(call.function, a.type, b.type, a.isConstant() || b.isConstant())) return false;
  return !a.type.isByteString() || isShortConstant(a, b.type) || isShortConstant(b, a.type);
}

bool isSimpleCall(const Expression& call) {
  if (call.children.size() > 2) return false;
  if (isComparison(call.function)) return isSimpleComparison(call);
  std::array<Type, 2> types;
  for (size_t i = 0; i < call.children.size(); ++i) types[i] = call.children[i]->type;
  return nullTreatment(call.function, call.type, {types.data(), call.children.size()}, false) == NullTreatment::Ignore;
}

bool isSimpleKind(const Expression& expression) {
  switch (expression.kind) {
    case Kind::Constant:
    case Kind::Column:
    case Kind::Parameter:
    case Kind::And:
    case Kind::Or:
    case Kind::Not:
    case Kind::IsNull:
    case Kind::IsNotNull:
    case Kind::IsTrue:
    case Kind::IsNotTrue:
    case Kind::IsFalse:
    case Kind::IsNotFalse:
      return true;
    case Kind::Call:
      return isSimpleCall(expression);
    case Kind::Cast:
      return isInlineCast(expression.children[0]->type, expression.type);
    default:
      return false;
  }
}

bool isDecimalOrInteger(const Type& type) {
  return type.isInteger() || (type.kind == sql::TypeKind::Numeric && !type.isBig());
}

}  // namespace

NullTreatment nullTreatment(FunctionId function, const Type& type, std::span<const Type> arguments,
                            bool with_constant) {
  if (isComparison(function))
    return isInlineComparison(function, arguments[0], arguments[1], with_constant) ? NullTreatment::Ignore
                                                                                   : NullTreatment::Guarded;
  if (sql::isBitFunction(function)) return NullTreatment::Ignore;
  switch (function) {
    case FunctionId::Add:
    case FunctionId::Subtract:
    case FunctionId::Multiply:
    case FunctionId::Negate:
    case FunctionId::Absolute:
      break;
    default:
      return NullTreatment::Guarded;
  }
  if (!std::ranges::all_of(arguments, isDecimalOrInteger)) return NullTreatment::Guarded;
  if (type.isInteger()) return NullTreatment::Zero;
  if (!isDecimalOrInteger(type)) return NullTreatment::Guarded;
  return type.isCheckedDecimal() ? NullTreatment::Zero : NullTreatment::Ignore;
}

void ExpressionTraits::throwTooDeep() {
  throw SqlError(sqlstate::kStatementTooComplex, "stack depth limit exceeded")
      .detail("Expressions may be nested " + std::to_string(kDepthMax) + " levels deep.");
}

ExpressionTrait ExpressionTraits::of(const Expression& expression, uint32_t depth) {
  switch (expression.kind) {
    case Kind::Constant:
      return {true, true};
    case Kind::Column:
    case Kind::Parameter:
      return {false, true};
    default:
      break;
  }
  if (depth > kDepthMax) throwTooDeep();
  if (const auto found = known_.find(&expression); found != known_.end()) return found->second;
  const bool asks_session = (expression.kind == Kind::Call && sql::isSessionFunction(expression.function)) ||
                            (expression.kind == Kind::ArrayCall && expression.function == sql::kCallRoutine);
  const bool names_object =
      expression.kind == Kind::Cast && (expression.type.isRegistered() || expression.children[0]->type.isRegistered());
  const bool asks_catalog = expression.kind == Kind::ArrayCall && sql::isCatalogFunction(expression.function);
  const bool gets_zone = expression.kind == Kind::Cast && expression.type.kind == sql::TypeKind::TimeTz;
  const bool varies = expression.kind == Kind::ArrayCall && sql::isValueFunction(expression.function) &&
                      sql::valueFunction(expression.function).volatility != sql::Volatility::Immutable;
  const bool tests_domain = expression.kind == Kind::ArrayCall && expression.function == sql::FunctionId::CheckDomain &&
                            (expression.children[1]->value.lo == 0 ||
                             sql::domainCallsRoutines(static_cast<uint32_t>(expression.children[1]->value.lo)));
  const bool tests_fields = expression.kind == Kind::Cast && sql::hasDomainFields(expression.type);
  const bool names_moment = expression.kind == Kind::Cast && sql::isDatetime(expression.type.kind) &&
                            expression.children[0]->isConstant() && expression.children[0]->type.isString() &&
                            sql::namesMoment(expression.children[0]->value.bytes);
  const bool shows_object =
      expression.kind == Kind::ArrayCall && sql::isJsonFunction(expression.function) &&
      std::ranges::any_of(expression.children, [](const auto& argument) {
        return argument->type.isArray() ? argument->type.element().isRegistered() : argument->type.isRegistered();
      });
  ExpressionTrait trait{!asks_session && !tests_domain && !tests_fields && !names_object && !names_moment &&
                            !asks_catalog && !varies && !gets_zone && !shows_object,
                        isSimpleKind(expression)};
  for (const auto& child : expression.children) {
    const ExpressionTrait of_child = of(*child, depth + 1);
    trait.is_constant &= of_child.is_constant;
    trait.is_simple &= of_child.is_simple;
  }
  known_.emplace(&expression, trait);
  return trait;
}

}  // namespace gnomon::codegen
