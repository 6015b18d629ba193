#pragma once

#include <cstdint>
#include <string>

#include "sql/algebra/expression.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// Where PostgreSQL writes parentheses: where they are needed, or around every operator (pg_get_expr, not pretty).
enum class Parentheses : uint8_t { Needed, All };
/// A part of an index's key as PostgreSQL 15 writes it in messages (pg_get_indexdef, pretty): implicit casts and the
/// types of literals shown, in parentheses unless it looks like a function. `written` is what `part` was bound from.
/// NULLIF is shown as the CASE that it is bound to.
std::string keyText(const Expression& part, const ast::Expression& written,
                    Parentheses parentheses = Parentheses::Needed);

/// An expression as PostgreSQL's pg_get_expr writes it; besides as keyText. `domain_value`: what is shown as VALUE;
/// null: nothing is.
std::string expressionText(const Expression& expression, const ast::Expression& written, Parentheses parentheses,
                           Iu domain_value = nullptr);

}  // namespace gnomon::sql
