#pragma once

#include "sql/bind/bind_state.h"
#include "sql/parse/ast.h"
#include "sql/statement.h"

namespace gnomon::sql {

/// ALTER TABLE, its commands in the order in which PostgreSQL takes them: what goes, then what comes.
/// Failure: 42P01, 42703, 42704, 42701, 42P16, 54011 and those of column definitions and keys.
AlterTableStatement bindAlterTable(BindState& state, const ast::AlterTable& alter);

/// ALTER TABLE ... RENAME [COLUMN]. Failure: 42P01, 42703, 42701.
AlterTableStatement bindRename(BindState& state, const ast::Rename& rename);

}  // namespace gnomon::sql
