#pragma once

#include <memory>

#include "base/memory_account.h"
#include "codegen/backend/execution_policy.h"
#include "sql/algebra/check_expressions.h"
#include "sql/catalog/row_checker.h"
#include "sql/types/bytea.h"

namespace gnomon::codegen {

class SessionFunctions;

/// Compiles checks for rows that are tested one by one: one function that tests all of them, in mode Auto in the VM
/// until so many rows were tested that machine code would have paid for itself. Where the usual form overflows, the
/// unlimited one is compiled and takes over. `bytea_output` is that of casts to text. `memory`, which outlives the
/// checker, pays for intermediate values. `session`: whom functions ask, in whose thread rows are tested then; null:
/// they fail with 0A000. Failure: 0A000, 54001.
std::unique_ptr<sql::RowChecker> compileChecks(const sql::CheckForms& checks, ExecutionPolicy policy,
                                               sql::ByteaOutput bytea_output, MemoryAccount& memory,
                                               SessionFunctions* session = nullptr);

}  // namespace gnomon::codegen
