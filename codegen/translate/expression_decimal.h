#pragma once

#include "codegen/translate/code_context.h"

/// Scaled decimals in generated code: changes of form and scale, without rounding.
namespace gnomon::codegen {

/// The scaled integer of an integer, Small or Wide decimal as I128.
ir::Value decimalBits(CodeContext& context, const SqlValue& value);
/// An integer as a decimal of scale 0 that holds its whole range.
SqlValue integerAsDecimal(CodeContext& context, const SqlValue& integer);
[[nodiscard]] sql::Type integerDecimalType(const sql::Type& integer);
/// Any numeric or integer as Big, its scale kept as display scale. Allocates in the scratch arena.
SqlValue toBig(CodeContext& context, const SqlValue& value);
/// A decimal at target's scale (not below its own) and in target's form. The number fits target but for checked types,
/// where DecimalOverflow is raised.
SqlValue raiseDecimal(CodeContext& context, const SqlValue& value, const sql::Type& target);
/// The smallest decimal type that holds both exactly; Big when 38 digits do not do, or what may be NaN would change its
/// scale or form.
[[nodiscard]] sql::Type commonDecimal(const sql::Type& a, const sql::Type& b);
/// A decimal's integer means the same in both types, NaN included.
[[nodiscard]] bool keepsBits(const sql::Type& from, const sql::Type& to);
/// Every number of `from` at `to`'s scale is within to's precision.
[[nodiscard]] bool fitsDecimal(const sql::Type& from, const sql::Type& to);
/// 10^exponent as a constant of the IR type I64 (exponent up to 18) or I128.
ir::Value powerOfTen(CodeContext& context, ir::Type type, unsigned exponent);
/// The value divided by 10^digits, rounded half away from zero; Small only, digits 1..18.
ir::Value dropDigits(CodeContext& context, ir::Value value, unsigned digits);

}  // namespace gnomon::codegen
