#pragma once

#include "sql/bind/bind_state.h"
#include "sql/parse/ast.h"
#include "sql/statement.h"

namespace gnomon::sql {

/// CREATE EXTENSION: what is built in is there already. Failure: 42710, 42501, 3F000; 22023 for another version; 0A000
/// for what there is not.
ExtensionStatement bindCreateExtension(const BindState& state, const ast::CreateExtension& create);
/// DROP EXTENSION. Failure: 42704, 42501; 0A000 for what is built in or used.
ExtensionStatement bindDropExtension(const BindState& state, const ast::DropExtension& drop);
/// The entry of an extension that the database has, for who owns it. Failure: 42704, 42501, 0A000 for what is built in.
TablePtr requireExtension(const CatalogView& catalog, const std::string& name);

}  // namespace gnomon::sql
