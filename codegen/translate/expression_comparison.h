#pragma once

#include "codegen/translate/code_context.h"
#include "sql/functions/function_id.h"

/// Equality and order of two values in generated code, by PostgreSQL's operators.
namespace gnomon::codegen {

[[nodiscard]] bool isComparison(sql::FunctionId function);
/// Equal to GreaterEqual of two values that are not NULL (or hold a NULL's zero). Kinds may differ where PostgreSQL has
/// an operator for both or widens one silently: integers, numerics of any form and scale, floats, date with timestamp,
/// the strings. Numerics of different form may allocate in the scratch arena.
ir::Value emitComparison(CodeContext& context, sql::FunctionId function, const SqlValue& a, const SqlValue& b);
/// The comparison calls no runtime function (or hardly ever): it is worth doing without a branch. `function` is a
/// comparison; `with_constant`: one side is a constant.
[[nodiscard]] bool isInlineComparison(sql::FunctionId function, const sql::Type& a, const sql::Type& b,
                                      bool with_constant);

/// Both values brought to one type by which they compare: the greater of two integer types, a common decimal, double.
struct ComparablePair {
  SqlValue a, b;
};
ComparablePair makeComparable(CodeContext& context, const SqlValue& a, const SqlValue& b);
/// A constant char(n) padded to the width of the other side's type, so that plain equality does. False: `constant` is
/// no constant, or the width is unknown. *never_equal: the constant is longer than the width.
bool padConstant(CodeContext& context, const sql::Type& other, SqlValue& constant, bool& never_equal);

}  // namespace gnomon::codegen
