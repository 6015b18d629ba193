#pragma once

#include <utility>
#include <vector>

#include "sql/catalog/table_entry.h"
#include "sql/types/value.h"
#include "storage/index/key.h"
#include "storage/relation/schema.h"

namespace gnomon::sql {

/// How values of a type lie in a leaf.
storage::StoredKind storedKind(Type type);

/// How values of a type stand in a key.
storage::KeyPart keyPart(Type type, bool descending, bool nulls_first);

/// Says of a new table's columns how they are stored.
void storeNewColumns(std::vector<ColumnEntry>& columns);

/// Says the same of a table's columns after ALTER TABLE, those added behind the others. `values[i]`: what existing rows
/// hold in added column i. No leaf needs to be rewritten.
void storeChangedColumns(const std::vector<ColumnEntry>& before, std::vector<ColumnEntry>& after,
                         const std::vector<Value>& values);

/// The schema of a table's relation: one stored column per column, dropped ones included.
storage::RelationSchema storedSchema(const std::vector<ColumnEntry>& columns, TableOptions options = {});

}  // namespace gnomon::sql
