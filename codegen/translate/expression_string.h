#pragma once

#include <span>

#include "codegen/translate/code_context.h"
#include "sql/functions/function_id.h"

/// String functions and LIKE in generated code. No argument is NULL.
namespace gnomon::codegen {

/// Concat .. Initcap. char(n) arguments count without their trailing blanks where PostgreSQL casts them to text.
SqlValue emitStringFunction(CodeContext& context, sql::FunctionId function, const sql::Type& type,
                            std::span<const SqlValue> arguments);
/// Like and ILike: a constant pattern is taken apart once; its fixed first bytes are compared in line.
SqlValue emitLike(CodeContext& context, sql::FunctionId function, const sql::Type& type,
                  std::span<const SqlValue> arguments);

}  // namespace gnomon::codegen
