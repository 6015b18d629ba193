#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sql/algebra/expression.h"
#include "sql/catalog/table_entry.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// Where PostgreSQL writes parentheses: where they are needed, or around every operator (pg_get_expr, not pretty).
enum class Parentheses : uint8_t { Needed, All };
/// A part of an index's key as PostgreSQL 15 writes it in messages (pg_get_indexdef, pretty): implicit casts and the
/// types of literals shown, in parentheses unless it looks like a function. `written` is what `part` was bound from.
/// `columns`: those of the table, by the numbers of their units. NULLIF is shown as the CASE that it is bound to.
std::string keyText(const Expression& part, const ast::Expression& written, const std::vector<ColumnEntry>& columns,
                    Parentheses parentheses = Parentheses::Needed);

/// An expression as PostgreSQL's pg_get_expr writes it; besides as keyText. `columns`: null: it reads none.
/// `domain_value`: what is shown as VALUE; null: nothing is.
std::string expressionText(const Expression& expression, const ast::Expression& written, Parentheses parentheses,
                           const std::vector<ColumnEntry>* columns, Iu domain_value = nullptr);

}  // namespace gnomon::sql
