#pragma once

#include <string>

#include "base/sql_error.h"

namespace gnomon::sql {

/// 23502 for a NULL in a domain, 23514 for a value that its constraint does not let in. `shown`: its name in messages;
/// `domain`: the catalog's entry.
SqlError domainNullViolation(const std::string& shown, uint32_t domain);
SqlError domainCheckViolation(const std::string& shown, uint32_t domain, const std::string& constraint);

}  // namespace gnomon::sql
