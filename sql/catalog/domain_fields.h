#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sql/types/type.h"

namespace gnomon::sql {

/// Whether values of it are rows, or arrays of rows, with fields that are of domains, however deep.
bool hasDomainFields(Type type);

/// Of an array that has to do with the domain (domainOid()) the domain of its elements; 0: none.
uint32_t elementDomain(uint32_t domain);
/// An array in the binary format, which names the type of the elements: those of a domain, as of the type below it, and
/// the other way round. `domain`: as above. What names another type stays as it is.
std::string withoutElementDomain(std::string_view array, uint32_t domain, Type element);
std::string withElementDomain(std::string_view array, uint32_t domain, Type element);

}  // namespace gnomon::sql
