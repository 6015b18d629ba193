#pragma once

#include <span>
#include <string_view>

#include "sql/functions/function_registry.h"

namespace gnomon::sql {

/// Every signature of a function that returns a set of rows of one column; empty when there is none. The signature's
/// `function` means nothing: FunctionScan keeps the name.
std::span<const Signature> tableFunctionSignatures(std::string_view name);

}  // namespace gnomon::sql
