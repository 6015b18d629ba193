#pragma once

#include <functional>

#include "server/session_context.h"
#include "sql/statement.h"
#include "txn/deferred_references.h"

namespace gnomon::server {

/// Looks up the references that foreign keys have put off, those of keys that are wanted. Failure: 23503; as a
/// statement that locks rows.
void requireDeferred(SessionContext& session, const std::function<bool(const txn::DeferredReferences::Key&)>& isWanted);
/// SET CONSTRAINTS. Failure: as requireDeferred(), where constraints become immediate.
void setConstraints(SessionContext& session, const sql::SetConstraintsStatement& statement);

}  // namespace gnomon::server
