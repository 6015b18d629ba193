#include "codegen/runtime/domain_functions.h"

#include "sql/catalog/domain_violation.h"

namespace gnomon::codegen::rt {

void domainNullViolation(const std::string* domain) {
  throw sql::domainNullViolation(*domain);
}

void domainCheckViolation(const std::string* domain, const std::string* constraint) {
  throw sql::domainCheckViolation(*domain, *constraint);
}

}  // namespace gnomon::codegen::rt
