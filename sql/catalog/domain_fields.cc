#include "sql/catalog/domain_fields.h"

#include <algorithm>

#include "sql/catalog/user_types.h"

namespace gnomon::sql {

bool hasDomainFields(Type type) {
  if (type.isArray()) return hasDomainFields(type.element());
  if (!type.isRecord() || type.definition() == 0) return false;
  return std::ranges::any_of(recordFields(type.definition()),
                             [](const RecordField& field) { return field.domain != 0 || hasDomainFields(field.type); });
}

}  // namespace gnomon::sql
