#pragma once

#include <string>
#include <string_view>

#include "sql/algebra/expression.h"

namespace gnomon::sql {

/// Appends the expression as SQL-like text, operators in parentheses as PostgreSQL's EXPLAIN shows them.
/// Recursion: one frame per level of nesting.
void appendExpression(const Expression& expression, std::string& text);

/// A literal as EXPLAIN shows it: 5, 0.06, 'AIR'::text, '1994-01-01'::date, NULL::integer.
std::string literalText(const Value& value);

/// The operator's symbol ("+", "<=") or, for other functions, the name.
std::string_view functionText(FunctionId function);
/// The function is written between its two arguments.
bool isInfix(FunctionId function);
std::string_view aggregateText(AggregateId function);

}  // namespace gnomon::sql
