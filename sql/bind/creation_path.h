#pragma once

#include <vector>

#include "sql/bind/bind_state.h"

namespace gnomon::sql {

/// Whether an error about the place of a new relation points at its name: PostgreSQL's does so for CREATE TABLE.
enum class PlacePosition : uint8_t { None, Name };

/// Where a new relation of this name gets its place: in the schema that is given, in that of temporary ones, or in the
/// first of the search path that is there. Failure: 3F000, 42P16, 42501.
ObjectPath creationPath(const CatalogView& catalog, const ast::RelationName& name, PlacePosition position);
/// Whether such a place is for temporary relations.
bool isTemporaryPath(const CatalogView& catalog, const ObjectPath& path);

/// The names as they are written, for who looks for them when the statement is executed.
std::vector<ObjectPath> writtenPaths(const std::vector<ast::RelationName>& names);

}  // namespace gnomon::sql
