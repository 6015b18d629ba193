#pragma once

#include "sql/catalog/catalog_view.h"
#include "sql/catalog/cluster.h"

namespace gnomon::sql {

/// Failure: 2BP01 where the role owns something, may do something with what others own, or belongs to the system.
/// `cluster`: of which the catalog is.
void requireNothingOf(const CatalogView& catalog, const RoleEntry& role, const Cluster& cluster);

}  // namespace gnomon::sql
