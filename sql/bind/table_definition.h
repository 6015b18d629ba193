#pragma once

#include "sql/bind/bind_state.h"
#include "sql/parse/ast.h"
#include "sql/statement.h"

namespace gnomon::sql {

/// CREATE TABLE with its types resolved and its defaults checked. Whether the name is taken is seen when it is
/// executed. Failure: 42701, 54011, 3F000; the types' and the defaults' errors.
CreateTableStatement bindCreateTable(BindState& state, const ast::CreateTable& create);

DropTableStatement bindDropTable(const ast::DropTable& drop);

/// Failure: 42P01, 42703, 54011; 0A000 for a column whose type has no order that keys can have.
CreateIndexStatement bindCreateIndex(BindState& state, const ast::CreateIndex& create);
DropIndexStatement bindDropIndex(const ast::DropIndex& drop);

}  // namespace gnomon::sql
