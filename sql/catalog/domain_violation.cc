#include "sql/catalog/domain_violation.h"

#include <fmt/format.h>

namespace gnomon::sql {

SqlError domainNullViolation(const std::string& domain) {
  return SqlError(sqlstate::kNotNullViolation, fmt::format("domain {} does not allow null values", domain));
}

SqlError domainCheckViolation(const std::string& domain, const std::string& constraint) {
  return SqlError(sqlstate::kCheckViolation,
                  fmt::format("value for domain {} violates check constraint \"{}\"", domain, constraint))
      .constraint(constraint);
}

}  // namespace gnomon::sql
