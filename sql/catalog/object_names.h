#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sql/types/type.h"

/// The names of the catalog's objects, as regclass and its kin have them.
/// They are those of the session that this thread works for (sql/catalog/catalog_session.h).
namespace gnomon::sql {

/// As the type shows the object, not 0; its number where there is none.
std::string objectName(TypeKind kind, uint32_t oid);
/// The object of this name. Failure: 42P01, 42704, 42883, 42725, 3F000: there is none; 42602; 0A000 without a session.
uint32_t findObject(TypeKind kind, std::string_view text);

}  // namespace gnomon::sql
