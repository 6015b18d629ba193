#include "sql/catalog/domain_violation.h"

#include <fmt/format.h>

#include "sql/catalog/user_types.h"

namespace gnomon::sql {

namespace {

SqlError of(SqlError error, uint32_t domain) {
  if (const TablePtr entry = findTypeEntry(domain)) error.table(entry->schema, "").datatype(entry->name);
  return error;
}

}  // namespace

SqlError domainNullViolation(const std::string& shown, uint32_t domain) {
  return of(SqlError(sqlstate::kNotNullViolation, fmt::format("domain {} does not allow null values", shown)), domain);
}

SqlError domainCheckViolation(const std::string& shown, uint32_t domain, const std::string& constraint) {
  return of(SqlError(sqlstate::kCheckViolation,
                     fmt::format("value for domain {} violates check constraint \"{}\"", shown, constraint)),
            domain)
      .constraint(constraint);
}

}  // namespace gnomon::sql
