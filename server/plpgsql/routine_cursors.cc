#include <fmt/format.h>

#include "server/plpgsql/routine_call.h"
#include "server/portals.h"

/// Cursors, and what ends transactions.
namespace gnomon::server {

using namespace sql::plpgsql;

void RoutineCall::executeKind(const Open& /*open*/) {
  throwNotSupported("OPEN of a cursor in PL/pgSQL");
}

void RoutineCall::executeKind(const Fetch& /*fetch*/) {
  throwNotSupported("FETCH in PL/pgSQL");
}

void RoutineCall::executeKind(const Close& /*close*/) {
  throwNotSupported("CLOSE in PL/pgSQL");
}

int32_t RoutineCall::loopOverCursor(const ForCursor& /*loop*/, uint32_t /*body*/) {
  throwNotSupported("FOR over a cursor in PL/pgSQL");
}

void RoutineCall::executeKind(const Call& call) {
  throwNotSupported(call.is_do ? "DO in PL/pgSQL" : "CALL in PL/pgSQL");
}

void RoutineCall::executeKind(const EndTransaction& /*end*/) {
  throwNotSupported("COMMIT and ROLLBACK in PL/pgSQL");
}

}  // namespace gnomon::server
