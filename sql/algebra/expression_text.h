#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "sql/algebra/expression.h"

namespace gnomon::sql {

/// Names of units where their own would be ambiguous.
using UnitNames = std::unordered_map<Iu, std::string>;

/// Appends the expression as SQL-like text, operators in parentheses as PostgreSQL's EXPLAIN shows them. Units that
/// `names` does not have go by their own names.
/// Recursion: one frame per level of nesting.
void appendExpression(const Expression& expression, std::string& text, const UnitNames& names = {});

/// A literal as EXPLAIN shows it: 5, 0.06, 'AIR'::text, '1994-01-01'::date, NULL::integer.
std::string literalText(const Value& value);

/// The operator's symbol ("+", "<=") or, for other functions, the name.
std::string_view functionText(FunctionId function);
/// It makes what a date or timestamp stands for beside a timestamp with time zone, and is not written.
bool isComparableMoment(FunctionId function);
/// The function is written between its two arguments.
bool isInfix(FunctionId function);
/// What follows the operand of a test: " IS NULL"; empty for other kinds.
std::string_view testText(Expression::Kind kind);
std::string_view aggregateText(AggregateId function);

}  // namespace gnomon::sql
