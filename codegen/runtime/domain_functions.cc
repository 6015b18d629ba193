#include "codegen/runtime/domain_functions.h"

#include "sql/catalog/domain_violation.h"

namespace gnomon::codegen::rt {

void domainNullViolation(const std::string* shown, uint32_t domain) {
  throw sql::domainNullViolation(*shown, domain);
}

void domainCheckViolation(const std::string* shown, uint32_t domain, const std::string* constraint) {
  throw sql::domainCheckViolation(*shown, domain, *constraint);
}

}  // namespace gnomon::codegen::rt
