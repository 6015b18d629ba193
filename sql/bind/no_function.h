#pragma once

#include <span>
#include <string>
#include <vector>

#include "sql/algebra/expression.h"
#include "sql/functions/overload.h"
#include "sql/parse/ast_expression.h"

namespace gnomon::sql {

/// "name(type, ...)", as messages show a call.
std::string describeCall(const std::vector<std::string>& names, std::span<const ExpressionPtr> arguments,
                         std::span<const std::string> argument_names);
/// 42883 or, of several candidates, 42725: no function of this name takes these arguments.
[[noreturn]] void throwNoFunction(const std::vector<std::string>& names, std::span<const ExpressionPtr> arguments,
                                  OverloadOutcome outcome, int32_t position,
                                  std::span<const std::string> argument_names = {});
/// The same of a call of one of the system's functions whose arguments are in the order of the parameters: what was
/// written is told, without the defaults that were put between.
[[noreturn]] void throwNoNamedFunction(const ast::Expression& node, std::span<ExpressionPtr> arranged,
                                       OverloadOutcome outcome);
/// Failure: 42809 when the call of the function, which is neither an aggregate nor a window function, has words that
/// only theirs have: DISTINCT, ORDER BY, FILTER, WITHIN GROUP, OVER, (*).
void refuseAggregateWords(const ast::Expression& node);

}  // namespace gnomon::sql
