#pragma once

#include "codegen/translate/code_context.h"

namespace gnomon::codegen {

/// Any value as text, varchar(n) or char(n): the output function's text, then the length. Part of convertValue().
SqlValue convertToText(CodeContext& context, const SqlValue& value, const sql::Type& target, bool is_explicit);
/// A string as any other type: the type's input function. char(n) is read without its trailing blanks where PostgreSQL
/// does.
SqlValue convertFromText(CodeContext& context, const SqlValue& value, const sql::Type& target);

}  // namespace gnomon::codegen
