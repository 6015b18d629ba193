#pragma once

#include <optional>

#include "codegen/translate/code_context.h"
#include "sql/algebra/expression.h"
#include "sql/types/value.h"

namespace gnomon::codegen {

/// The value of an expression without columns and parameters, computed at once by emitting it into a function of its
/// own and running that in the VM. Nothing when it raises an error: then the error is left to the rows that evaluate
/// it. What the code refers to (patterns) is kept in the context's resources.
std::optional<sql::Value> evaluateConstant(CodeContext& context, const sql::Expression& expression);

}  // namespace gnomon::codegen
