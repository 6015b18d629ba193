#pragma once

#include <span>

#include "codegen/translate/code_context.h"
#include "sql/functions/function_id.h"

namespace gnomon::codegen {

/// OutputText .. InitcapIn (sql::isTextFunction). No argument is NULL.
SqlValue emitTextFunction(CodeContext& context, sql::FunctionId function, const sql::Type& type,
                          std::span<const SqlValue> arguments);

}  // namespace gnomon::codegen
