#include "sql/catalog/domain_fields.h"

#include <algorithm>

#include "sql/catalog/user_types.h"
#include "sql/types/binary_reader.h"

namespace gnomon::sql {

bool hasDomainFields(Type type) {
  if (type.isArray()) return hasDomainFields(type.element());
  if (!type.isRecord() || type.definition() == 0) return false;
  return std::ranges::any_of(recordFields(type.definition()),
                             [](const RecordField& field) { return field.domain != 0 || hasDomainFields(field.type); });
}

uint32_t elementDomain(uint32_t domain) {
  while (domain != 0 && !isDomainArray(domain)) {
    const TablePtr entry = findTypeEntry(domain);
    domain = entry ? entry->type->base_domain : 0;
  }
  return domainOid(domain);
}

namespace {

/// Behind the number of dimensions and the flags.
constexpr size_t kElementOid = 8;

std::string withElementOid(std::string_view array, uint32_t from, uint32_t to) {
  std::string before, behind;
  appendBigEndian(static_cast<int32_t>(from), before);
  appendBigEndian(static_cast<int32_t>(to), behind);
  std::string result(array);
  if (array.substr(std::min(kElementOid, array.size())).starts_with(before))
    result.replace(kElementOid, behind.size(), behind);
  return result;
}

}  // namespace

std::string withoutElementDomain(std::string_view array, uint32_t domain, Type element) {
  const uint32_t of_elements = elementDomain(domain);
  return of_elements == 0 ? std::string(array) : withElementOid(array, of_elements, element.oid());
}

std::string withElementDomain(std::string_view array, uint32_t domain, Type element) {
  const uint32_t of_elements = elementDomain(domain);
  return of_elements == 0 ? std::string(array) : withElementOid(array, element.oid(), of_elements);
}

}  // namespace gnomon::sql
