#pragma once

#include <span>

#include "codegen/translate/code_context.h"
#include "sql/functions/function_id.h"

/// Dates, timestamps and intervals in generated code. No argument is NULL; results can be (a field of infinity).
namespace gnomon::codegen {

/// An argument or the result is a date, timestamp or interval.
[[nodiscard]] bool isDatetimeArithmetic(const sql::Type& type, std::span<const SqlValue> arguments);
/// Add, Subtract, Multiply, Divide, Negate as PostgreSQL has them among date, timestamp, interval and numbers.
SqlValue emitDatetimeArithmetic(CodeContext& context, sql::FunctionId function, const sql::Type& type,
                                std::span<const SqlValue> arguments);
/// Extract, DatePart, DateTruncate, Age, MakeDate. An unknown field name raises its error when the code runs.
SqlValue emitDatetimeFunction(CodeContext& context, sql::FunctionId function, const sql::Type& type,
                              std::span<const SqlValue> arguments);

}  // namespace gnomon::codegen
