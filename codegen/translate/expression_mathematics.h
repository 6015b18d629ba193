#pragma once

#include <span>

#include "codegen/translate/code_context.h"
#include "sql/functions/function_id.h"

namespace gnomon::codegen {

/// BitAnd .. TrimScale (sql::isNumberFunction). No argument is NULL, but of bit operators, which compute anything then.
SqlValue emitNumberFunction(CodeContext& context, sql::FunctionId function, const sql::Type& type,
                            std::span<const SqlValue> arguments);

}  // namespace gnomon::codegen
