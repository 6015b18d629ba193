#pragma once

#include "sql/parse/ast_definition.h"

namespace gnomon::sql {

/// The value of an option that is on or off, which is on where none is said. Failure: 42601.
bool booleanOption(const ast::Option& option);
/// The text with ASCII letters in lower case.
std::string loweredOption(std::string text);

}  // namespace gnomon::sql
