#pragma once

#include <vector>

#include "sql/catalog/table_entry.h"
#include "storage/relation/schema.h"

namespace gnomon::sql {

/// How values of a type lie in a leaf.
storage::StoredKind storedKind(Type type);

/// The schema of a table's relation: one stored column per column.
storage::RelationSchema storedSchema(const std::vector<ColumnEntry>& columns);

}  // namespace gnomon::sql
