#pragma once

#include <span>

#include "codegen/translate/code_context.h"
#include "sql/functions/function_id.h"

/// Arithmetic and mathematics on numbers in generated code. No argument is NULL (a NULL's zero is possible where
/// evaluationOf() says so).
namespace gnomon::codegen {

/// Add .. Absolute and Ceil .. Logarithm over integers, numerics and floats; `type` is the result's.
SqlValue emitArithmetic(CodeContext& context, sql::FunctionId function, const sql::Type& type,
                        std::span<const SqlValue> arguments);
SqlValue emitIntegerArithmetic(CodeContext& context, sql::FunctionId function, const sql::Type& type,
                               std::span<const SqlValue> arguments);
SqlValue emitFloatArithmetic(CodeContext& context, sql::FunctionId function, const sql::Type& type,
                             std::span<const SqlValue> arguments);
/// Small and Wide results.
SqlValue emitDecimalArithmetic(CodeContext& context, sql::FunctionId function, const sql::Type& type,
                               std::span<const SqlValue> arguments);
SqlValue emitBigArithmetic(CodeContext& context, sql::FunctionId function, const sql::Type& type,
                           std::span<const SqlValue> arguments);

/// "function Add of integer": for messages.
[[nodiscard]] std::string describeCall(sql::FunctionId function, std::span<const SqlValue> arguments);

}  // namespace gnomon::codegen
