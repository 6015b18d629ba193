#pragma once

#include "sql/bind/bind_state.h"
#include "sql/parse/ast.h"

/// ALTER TABLE ... ALTER COLUMN ... TYPE, and what else writes the rows anew.
namespace gnomon::sql {

/// The column as the command makes it; `before`: as the commands before it have left it. Failure: 42704 for the type;
/// those of expressions; 42804 where neither its values nor its default are converted by themselves.
ColumnEntry typeChangeOf(BindState& state, const TableEntry& table, uint32_t column, const ColumnEntry& before,
                         const ast::AlterCommand& command);
/// Nothing else depends on the column's type. Failure: 0A000.
void requireTypeFree(BindState& state, const TableEntry& table, uint32_t column, const ColumnEntry& now,
                     const ast::AlterCommand& command);
/// An INSERT of the rows of BindContext::rewritten, as the commands convert them, into the table as it is now; its new
/// columns get their defaults, or what they are generated as.
OperatorPtr bindRewrite(BindState& state, const ast::AlterTable& alter);
/// The same where the columns have come to lie elsewhere, and the rows are what they were.
OperatorPtr bindLaidRows(BindState& state);

}  // namespace gnomon::sql
