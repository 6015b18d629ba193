#pragma once

#include <utility>
#include <vector>

#include "sql/catalog/table_entry.h"
#include "sql/types/value.h"
#include "storage/index/key.h"
#include "storage/relation/schema.h"

namespace gnomon::sql {

/// The type of a stored oid and modifier, as the binder makes it from its name. One that a user made need not be there
/// yet. Failure: XX001.
Type storedType(uint32_t oid, int32_t typmod);

/// Type::collation of the collation with this name; empty: 0. Failure: XX001.
uint16_t storedCollation(std::string_view name);

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

/// Says of a table's columns what the schema of its relation does. Columns that only the relation has are put behind
/// them, as dropped ones: a transaction added them that was rolled back. Failure: XX001 when others are not alike.
void storeAsIn(const storage::RelationSchema& schema, std::vector<ColumnEntry>& columns);

/// The schema of a table's relation: one stored column per column, dropped ones included.
storage::RelationSchema storedSchema(const std::vector<ColumnEntry>& columns, TableOptions options = {});

}  // namespace gnomon::sql
