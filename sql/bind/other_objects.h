#pragma once

#include "sql/bind/bind_state.h"
#include "sql/maintenance_statement.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// What is said of objects that are not there. Failure: 42704, 42883, 42P01, 3F000 without IF EXISTS; 42809, 2BP01 and
/// 0A000 for what is there, which nobody can drop.
ExtensionStatement bindDropOther(const BindState& state, const ast::DropOther& drop);

}  // namespace gnomon::sql
