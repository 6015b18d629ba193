#pragma once

#include <span>

#include "codegen/translate/code_context.h"
#include "sql/functions/function_id.h"

namespace gnomon::codegen {

/// Overlay .. EncodedLength, and the functions that bytea shares with strings (Concat .. Initcap) when the first
/// argument is one. No argument is NULL.
SqlValue emitByteaFunction(CodeContext& context, sql::FunctionId function, const sql::Type& type,
                           std::span<const SqlValue> arguments);

}  // namespace gnomon::codegen
