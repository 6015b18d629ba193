#pragma once

#include "sql/bind/bind_state.h"
#include "sql/parse/ast.h"
#include "sql/statement.h"

namespace gnomon::sql {

/// LIKE table in CREATE TABLE: adds the table's columns. Returns the table. Failure: 42P01, 42809, 42701.
TablePtr addLikeColumns(BindState& state, const ast::TableLike& like, CreateTableStatement& result);
/// When all columns are there: its checks and indexes, as far as they are included. Failure: 42P16, 42710.
void addLikeConstraints(const ast::TableLike& like, const TableEntry& table, CreateTableStatement& result);

}  // namespace gnomon::sql
