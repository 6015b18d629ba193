#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "codegen/translate/code_context.h"
#include "codegen/translate/scope.h"
#include "sql/algebra/check_expressions.h"

namespace gnomon::codegen {

/// The address of a name that a message may need.
ir::Value keepName(CodeContext& context, const std::string& name);

/// Emits the tests of a row against checks, of which `tested` are looked at, one after the other, and goes on where
/// none is FALSE. The units of their conditions are bound in `scope`. `violated(check)` emits what happens to a row
/// that breaks the check, in a block of its own, which it ends.
void emitChecks(CodeContext& context, Scope& scope, const sql::CheckExpressions& checks,
                std::span<const uint32_t> tested, const std::function<void(uint32_t check)>& violated);

}  // namespace gnomon::codegen
