#pragma once

#include <string_view>

#include "sql/algebra/expression.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// Whether a part of an array, as a target writes it, is a slice.
bool isSlice(const ast::Expression& part);
/// Failure: 42804 for a type without subscripts.
void requireSubscripts(Type type, int32_t position);
/// Failure: 42804 when the value cannot become what a part of the array column of the name is of.
void requireElement(const Expression& value, Type wanted, std::string_view column, int32_t position);

}  // namespace gnomon::sql
