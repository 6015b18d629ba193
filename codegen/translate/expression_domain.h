#pragma once

#include <cstdint>

#include "codegen/translate/code_context.h"

namespace gnomon::codegen {

/// The value as one of the domain, or as an array of it (domainOid()): tests NOT NULL and the checks of the domain and
/// of those below it, which come first. The emitted code raises 23502 and 23514. Works for a session
/// (sql/catalog/user_types.h).
SqlValue emitDomainCheck(CodeContext& context, const SqlValue& value, uint32_t domain);
/// The value, of which rows have the domains of their fields tested likewise, however deep.
SqlValue emitFieldDomainChecks(CodeContext& context, const SqlValue& value);

}  // namespace gnomon::codegen
