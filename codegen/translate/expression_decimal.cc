#include "codegen/translate/expression_decimal.h"

#include <algorithm>

#include "base/sql_error.h"
#include "codegen/runtime/numeric_runtime.h"
#include "codegen/translate/expression_array.h"
#include "codegen/translate/expression_values.h"
#include "sql/types/decimal.h"

namespace gnomon::codegen {
namespace {

using sql::NumericForm;
using sql::Type;

int integerDigits(const Type& type) {
  return int{type.precision} - int{type.scale};
}

SqlValue inForm(CodeContext& context, const SqlValue& value, const Type& target) {
  const ir::Type wanted = irTypeOf(target);
  const ir::Type held = context.builder.typeOf(value.lo);
  SqlValue result = retyped(value, target);
  if (bitsOf(wanted) > bitsOf(held)) result.lo = context.builder.sext(value.lo, wanted);
  if (bitsOf(wanted) < bitsOf(held)) result.lo = context.builder.trunc(value.lo, wanted);
  return result;
}

}  // namespace

ir::Value decimalBits(CodeContext& context, const SqlValue& value) {
  if (context.builder.typeOf(value.lo) == ir::Type::I128) return value.lo;
  return context.builder.sext(value.lo, ir::Type::I128);
}

Type integerDecimalType(const Type& integer) {
  switch (integer.kind) {
    case sql::TypeKind::Smallint:
      return Type::decimal(5, 0);
    case sql::TypeKind::Integer:
      return Type::decimal(10, 0);
    default:
      return Type::decimal(19, 0);
  }
}

SqlValue integerAsDecimal(CodeContext& context, const SqlValue& integer) {
  return inForm(context, integer, integerDecimalType(integer.type));
}

SqlValue toBig(CodeContext& context, const SqlValue& value) {
  if (value.type.isBig()) return value;
  const unsigned scale = value.type.isInteger() ? 0 : value.type.scale;
  const ir::Value big =
      value.type.may_be_nan != 0
          ? context.builder.call(
                RUNTIME_FUNCTION(rt::unscaledDecimal),
                {typeConstant(context, value.type), decimalBits(context, value), context.scratchArena()})
          : context.builder.call(RUNTIME_FUNCTION(rt::decimalToNumeric),
                                 {decimalBits(context, value), context.builder.constI32(static_cast<int32_t>(scale)),
                                  context.scratchArena()});
  SqlValue result = pairResult(context, Type::bigNumeric(), big);
  result.is_null = value.is_null;
  return result;
}

ir::Value powerOfTen(CodeContext& context, ir::Type type, unsigned exponent) {
  return context.builder.constant(type, static_cast<uint128>(sql::powerOfTen(exponent)));
}

SqlValue raiseDecimal(CodeContext& context, const SqlValue& value, const Type& target) {
  ir::Builder& builder = context.builder;
  if (value.type.scale > target.scale) throwNotSupported("arithmetic that loses digits after the decimal point");
  const unsigned digits = unsigned{target.scale} - value.type.scale;
  if (digits == 0) return inForm(context, value, target);
  const bool from_small = value.type.form == NumericForm::Small;
  SqlValue result = retyped(value, target);
  if (target.form == NumericForm::Small) {
    result.lo = builder.mul(inForm(context, value, target).lo, powerOfTen(context, ir::Type::I64, digits));
  } else if (from_small && digits <= Type::kSmallDigitsMax) {
    result.lo = builder.mulWide(value.lo, powerOfTen(context, ir::Type::I64, digits));
  } else if (target.isCheckedDecimal()) {
    result.lo = builder.mulTrap(decimalBits(context, value), powerOfTen(context, ir::Type::I128, digits),
                                TrapCode::DecimalOverflow);
  } else {
    result.lo = builder.mul(decimalBits(context, value), powerOfTen(context, ir::Type::I128, digits));
  }
  return result;
}

namespace {

/// NaN is the largest number of a form, and of none other when that is multiplied.
bool keepsNan(const Type& from, const Type& to) {
  return from.may_be_nan == 0 || (from.form == to.form && from.scale == to.scale);
}

/// The numeric type that holds both; NaN does not count.
Type commonOfNumbers(const Type& a, const Type& b) {
  if (a.isBig() || b.isBig()) return Type::bigNumeric();
  const unsigned scale = std::max(a.scale, b.scale);
  if (a.scale == b.scale) return Type::decimal(std::max(a.precision, b.precision), scale);
  const int digits = std::max(integerDigits(a), integerDigits(b)) + static_cast<int>(scale);
  if (a.isCheckedDecimal() || b.isCheckedDecimal() || digits > static_cast<int>(Type::kWideDigitsMax))
    return Type::bigNumeric();
  return Type::decimal(static_cast<unsigned>(digits), scale);
}

}  // namespace

Type commonDecimal(const Type& a, const Type& b) {
  const Type common = commonOfNumbers(a, b);
  if (!keepsNan(a, common) || !keepsNan(b, common)) return Type::bigNumeric();
  return common.withNan(a.may_be_nan != 0 || b.may_be_nan != 0);
}

bool keepsBits(const Type& from, const Type& to) {
  return from.isFixedNumeric() && to.isFixedNumeric() && from.form == to.form && from.scale == to.scale &&
         from.precision <= to.precision && from.may_be_nan <= to.may_be_nan;
}

bool fitsDecimal(const Type& from, const Type& to) {
  if (from.isCheckedDecimal()) return to.isCheckedDecimal() && from.scale == to.scale;
  // Rounding digits off may carry into a new one.
  const int carry = from.scale > to.scale ? 1 : 0;
  return integerDigits(from) + carry <= integerDigits(to);
}

ir::Value dropDigits(CodeContext& context, ir::Value value, unsigned digits) {
  ir::Builder& builder = context.builder;
  const ir::Type type = builder.typeOf(value);
  const ir::Value half = builder.constant(type, static_cast<uint128>(sql::powerOfTen(digits) / 2));
  const ir::Value is_negative = builder.slt(value, builder.zero(type));
  const ir::Value rounded = builder.select(is_negative, builder.sub(value, half), builder.add(value, half));
  return builder.sdiv(rounded, powerOfTen(context, type, digits));
}

}  // namespace gnomon::codegen
