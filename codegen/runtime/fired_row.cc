#include "codegen/runtime/fired_row.h"

#include "base/sql_error.h"

namespace gnomon::codegen {

void lockFired(txn::WriteStatement& statement, txn::TupleId id) try {
  statement.lock(id, false, true);
} catch (const SqlError& error) {
  constexpr SqlState kModified("27000");
  if (error.state() != kModified) throw;
  throw SqlError(kModified, "tuple to be updated was already modified by an operation triggered by the current command")
      .hint("Consider using an AFTER trigger instead of a BEFORE trigger to propagate changes to other rows.");
}

}  // namespace gnomon::codegen
