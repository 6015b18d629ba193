#include "sql/bind/collation_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/sql_error.h"

namespace gnomon::sql {

void requireCollation(std::span<const std::string> names, int32_t position) {
  constexpr std::string_view kByBytes[] = {"default", "C", "POSIX", "ucs_basic"};
  const std::string& name = names.back();
  const bool in_catalog = names.size() == 1 || (names.size() == 2 && names[0] == "pg_catalog");
  if (in_catalog && std::ranges::find(kByBytes, name) != std::end(kByBytes)) return;
  if (in_catalog && (name.ends_with("-x-icu") || name == "unicode"))
    throwNotSupported(fmt::format("collation \"{}\"", name), position);
  throw SqlError(sqlstate::kUndefinedObject,
                 fmt::format("collation \"{}\" for encoding \"UTF8\" does not exist", fmt::join(names, ".")))
      .position(position);
}

bool isCollatable(Type type) {
  if (type.isArray()) type = type.element();
  return type.isString() && type.kind != TypeKind::InternalChar;
}

}  // namespace gnomon::sql
