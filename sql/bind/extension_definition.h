#pragma once

#include "sql/parse/ast.h"
#include "sql/statement.h"

namespace gnomon::sql {

/// CREATE EXTENSION: what is built in is there already. Failure: 42710; 0A000 for all others.
ExtensionStatement bindCreateExtension(const ast::CreateExtension& create);
/// DROP EXTENSION. Failure: 42704; 0A000 for what is built in.
ExtensionStatement bindDropExtension(const ast::DropExtension& drop);

}  // namespace gnomon::sql
