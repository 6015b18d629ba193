#pragma once

#include <span>
#include <string>
#include <vector>

#include "sql/algebra/expression.h"
#include "sql/functions/overload.h"

namespace gnomon::sql {

/// "name(type, ...)", as messages show a call.
std::string describeCall(const std::vector<std::string>& names, std::span<const ExpressionPtr> arguments,
                         std::span<const std::string> argument_names);
/// 42883 or, of several candidates, 42725: no function of this name takes these arguments.
[[noreturn]] void throwNoFunction(const std::vector<std::string>& names, std::span<const ExpressionPtr> arguments,
                                  OverloadOutcome outcome, int32_t position,
                                  std::span<const std::string> argument_names = {});

}  // namespace gnomon::sql
