#pragma once

#include <map>
#include <memory>

#include "sql/catalog/table_entry.h"
#include "txn/table.h"

namespace gnomon::txn {
struct WriteContext;
}

/// Rows of routines in the catalog.
///
/// Relation 20:  oid (int32; relation 1 has its key, schema and owner), name (string), form (int16: 1 function, 2
///               procedure), language (int16: 1 sql), flags (int32: 1 returns a set, 2 strict, 4 leakproof, 8 security
///               definer; volatility from bit 8: 0 immutable, 1 stable, 2 volatile; parallel from bit 12: 0 unsafe, 1
///               restricted, 2 safe), oid of the result's type or domain (int32), cost (float32), rows (float32), body
///               (string; see StoredBody for those in the manner of the standard)
/// Relation 21:  routine's oid (int32), number from 1 (int16), name (string, null: none), oid of the type or domain
///               (int32), mode (int16: 1 IN, 2 OUT, 3 INOUT, 4 VARIADIC, 5 TABLE), default as SQL (string, null: none)
namespace gnomon::sql {

txn::RelationSchema routinesSchema();
txn::RelationSchema routineParametersSchema();
/// The entry is a routine.
void recordRoutine(const TableEntry& entry, txn::Table& routines, txn::Table& parameters,
                   const txn::WriteContext& context);
/// Makes those of the entries, by oid, routines that are some. Types are there. Failure: XX001.
void loadRoutines(txn::Table& routines, txn::Table& parameters,
                  std::map<uint32_t, std::shared_ptr<TableEntry>>& entries);

}  // namespace gnomon::sql
