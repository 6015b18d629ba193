#pragma once

#include <string>

namespace gnomon::codegen::rt {

/// Raises 23502 for a NULL in the domain.
void domainNullViolation(const std::string* shown, uint32_t domain);
/// Raises 23514 for a value that the constraint of the domain does not let in.
void domainCheckViolation(const std::string* shown, uint32_t domain, const std::string* constraint);

}  // namespace gnomon::codegen::rt
