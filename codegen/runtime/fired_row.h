#pragma once

#include "txn/write_statement.h"

namespace gnomon::codegen {

/// Locks a row that is going to be changed between its triggers, until it is. Failure: as WriteStatement::lock, 27000
/// as of an update.
void lockFired(txn::WriteStatement& statement, txn::TupleId id);

}  // namespace gnomon::codegen
