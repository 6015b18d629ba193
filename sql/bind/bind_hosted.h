#pragma once

#include <string_view>
#include <vector>

#include "sql/bind/bind_state.h"
#include "sql/bind/coercion.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// A call of a function that the session executes (sql/functions/hosted_functions.h); null: there is none for these
/// arguments, which are as they were then.
ExpressionPtr bindHostedFunction(BindState& state, Coercion& coercion, std::string_view name,
                                 std::vector<ExpressionPtr>& arguments, int32_t position);
/// A call of a function of an extension that the database has; null: likewise. Failure: 0A000 for one that PostgreSQL
/// alone has, and in what is stored with a table.
ExpressionPtr bindExtensionFunction(BindState& state, Coercion& coercion, std::string_view clause,
                                    const ast::Expression& node, std::vector<ExpressionPtr>& arguments);

}  // namespace gnomon::sql
