#pragma once

#include <span>

#include "codegen/translate/code_context.h"
#include "sql/functions/function_id.h"

namespace gnomon::codegen {

/// What is asked of the session (sql::isSessionFunction). No argument is NULL.
SqlValue emitSessionFunction(CodeContext& context, sql::FunctionId function, const sql::Type& type,
                             std::span<const SqlValue> arguments);

}  // namespace gnomon::codegen
