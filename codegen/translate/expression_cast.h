#pragma once

#include "codegen/translate/code_context.h"

namespace gnomon::codegen {

/// The value as another type holds it, by PostgreSQL's cast: conversion, then the target's modifier. The value is not
/// NULL, or (with a null flag, which is kept) a NULL's zero. `is_explicit` lets varchar(n) and char(n) truncate.
/// Failure: at run time the cast's errors; 0A000 when translating where PostgreSQL has no such cast.
SqlValue convertValue(CodeContext& context, const SqlValue& value, const sql::Type& target, bool is_explicit);

/// The cast cannot fail and calls no runtime function.
[[nodiscard]] bool isInlineCast(const sql::Type& from, const sql::Type& to);

}  // namespace gnomon::codegen
