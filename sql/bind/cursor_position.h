#pragma once

#include <string>

#include "sql/algebra/operator.h"
#include "sql/bind/bind_state.h"

namespace gnomon::sql {

/// Adds to a cursor's query what UPDATE and DELETE WHERE CURRENT OF ask of it: of FOR UPDATE and its kin the tables
/// that are locked; else the table of which it is a simple scan, which may be filtered, limited, or in an index's
/// order. Nothing: there is none.
void addPositions(BindState& state, Output& output);

/// Of WHERE CURRENT OF. A routine's variable of type refcursor says the name.
TableScan::CursorRow bindCursorRow(BindState& state, const std::string& cursor);

}  // namespace gnomon::sql
