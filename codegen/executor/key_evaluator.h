#pragma once

#include <memory>

#include "sql/algebra/index_expressions.h"
#include "txn/key_expressions.h"

namespace gnomon::codegen {

class SessionFunctions;

/// Compiles what an index computes of a row: one function that tests the predicate and, where it is TRUE, stores the
/// parts of the key. It stays in the VM: a row is one call, and most of its time goes into the functions it calls.
/// What evaluate() raises besides the expressions' own errors: 22003 where a numeric would need more than 38 digits.
/// Failure: 0A000, 54001.
std::shared_ptr<const txn::KeyExpressions> compileKeyExpressions(
    const std::shared_ptr<const sql::IndexExpressions>& expressions);

/// The same of what is computed in a session's thread: `session` is whom functions ask; null: they fail with 0A000.
std::shared_ptr<const txn::KeyExpressions> compileRowExpressions(
    const std::shared_ptr<const sql::IndexExpressions>& expressions, SessionFunctions* session);

}  // namespace gnomon::codegen
