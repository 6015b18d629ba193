#pragma once

#include "sql/catalog/catalog_view.h"

namespace gnomon::sql {

/// Failure: 2BP01 where the role owns something, may do something with what others own, or belongs to the system.
void requireNothingOf(const CatalogView& catalog, const RoleEntry& role);

}  // namespace gnomon::sql
