#pragma once

#include <string>

#include "base/sql_error.h"

namespace gnomon::sql {

/// 23502 for a NULL in a domain, 23514 for a value that its constraint does not let in.
SqlError domainNullViolation(const std::string& domain);
SqlError domainCheckViolation(const std::string& domain, const std::string& constraint);

}  // namespace gnomon::sql
