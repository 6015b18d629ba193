#pragma once

#include <memory>

#include "base/memory_account.h"
#include "sql/algebra/check_expressions.h"
#include "sql/catalog/row_checker.h"
#include "sql/types/bytea.h"

namespace gnomon::codegen {

/// Compiles checks for rows that are tested one by one: one function that tests all of them, in the VM as
/// compileKeyExpressions(). Where the usual form overflows, the unlimited one is compiled and takes over.
/// `bytea_output` is that of casts to text. `memory`, which outlives the checker, pays for intermediate values.
/// Failure: 0A000, 54001.
std::unique_ptr<sql::RowChecker> compileChecks(const sql::CheckForms& checks, sql::ByteaOutput bytea_output,
                                               MemoryAccount& memory);

}  // namespace gnomon::codegen
