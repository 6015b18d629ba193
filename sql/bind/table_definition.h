#pragma once

#include "sql/bind/bind_state.h"
#include "sql/parse/ast.h"
#include "sql/statement.h"

namespace gnomon::sql {

/// CREATE TABLE with its types resolved and its defaults checked. Whether the name is taken is seen when it is
/// executed. Failure: 42701, 54011, 3F000; the types' and the defaults' errors.
CreateTableStatement bindCreateTable(BindState& state, const ast::CreateTable& create);

/// Tables are in schema public. Failure: 3F000, 0A000.
void requirePublic(const ast::RelationName& name);

DropTableStatement bindDropTable(const ast::DropTable& drop);

DropIndexStatement bindDropIndex(const ast::DropIndex& drop);

}  // namespace gnomon::sql
