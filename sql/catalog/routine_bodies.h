#pragma once

#include "sql/catalog/catalog_transaction.h"

namespace gnomon::sql {

/// After a definition by which bodies of routines may come to mean something else: indexes whose expressions have such
/// bodies as parts, and now compute something else, are built anew. Failure: 0A000 where they cannot be computed any
/// more, and for keys of partitioned tables, whose rows stay where they are; as CatalogTransaction::reindex.
void followRoutines(CatalogTransaction& catalog, const DefinitionContext& context);

}  // namespace gnomon::sql
