#pragma once

#include <optional>

#include "server/portal.h"
#include "server/utility.h"

namespace gnomon::server {

/// Executes PREPARE, DEALLOCATE, DECLARE, CLOSE, LOCK TABLE, DISCARD, LISTEN, UNLISTEN, NOTIFY; none: it is another
/// statement. Failure: SqlError.
std::optional<UtilityResult> runSessionStatement(SessionContext& session, const PortalSource& source);

}  // namespace gnomon::server
