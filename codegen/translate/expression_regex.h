#pragma once

#include <span>

#include "codegen/translate/code_context.h"
#include "sql/functions/function_id.h"

namespace gnomon::codegen {

/// RegexMatch .. RegexSubstr (sql::isRegexFunction): a constant pattern is compiled with the program, others are kept
/// by the worker for some time. No argument is NULL.
SqlValue emitRegexFunction(CodeContext& context, sql::FunctionId function, const sql::Type& type,
                           std::span<const SqlValue> arguments);

}  // namespace gnomon::codegen
