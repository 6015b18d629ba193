#pragma once

#include "sql/bind/bind_state.h"
#include "sql/parse/ast.h"
#include "sql/table_statement.h"

/// ALTER TABLE ... ALTER COLUMN ... TYPE, and what else writes the rows anew.
namespace gnomon::sql {

/// Gives a column of the statement's table another type: its rows, and those of its partitions, are written anew behind
/// the catalog's change (bindRewrite). `is_alone`: ONLY. Failure: 42704 for the type; those of expressions; 42804 where
/// neither its values nor its default are converted by themselves; 42P16 for what partitions share; 0A000 where
/// something else depends on the type.
void changeType(BindState& state, AlterTableStatement& result, uint32_t column, const ast::AlterCommand& command,
                bool is_alone);
/// An INSERT of the rows of BindContext::rewritten, which is the statement's table or a partition of it, as the
/// commands convert them, into the table as it is now; its new columns get their defaults, or what they are generated
/// as.
OperatorPtr bindRewrite(BindState& state, const ast::AlterTable& alter);
/// The same where the columns have come to lie elsewhere, and the rows are what they were.
OperatorPtr bindLaidRows(BindState& state);

}  // namespace gnomon::sql
