#include "sql/catalog/own_database.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/sql_error.h"
#include "sql/catalog/catalog_session.h"

namespace gnomon::sql {
namespace {

std::span<const std::string> withoutFirst(std::span<const std::string> parts, size_t parts_max, NameKind kind,
                                          int32_t position) {
  if (parts.size() < parts_max) return parts;
  const std::string shown = fmt::format("{}", fmt::join(parts, "."));
  const bool is_relation = kind == NameKind::Relation;
  if (parts.size() > parts_max)
    throw SqlError(sqlstate::kSyntaxError, fmt::format("improper {} name (too many dotted names): {}",
                                                       is_relation ? "relation" : "qualified", shown))
        .position(position);
  const CatalogSession* const session = catalogSession();
  if (session != nullptr && session->catalog.database()->name == parts[0]) return parts.subspan(1);
  throw SqlError(sqlstate::kFeatureNotSupported,
                 is_relation ? fmt::format("cross-database references are not implemented: \"{}\"", shown)
                             : "cross-database references are not implemented: " + shown)
      .position(position);
}

}  // namespace

std::span<const std::string> withoutDatabase(std::span<const std::string> parts, NameKind kind, int32_t position) {
  return withoutFirst(parts, 3, kind, position);
}

std::span<const std::string> withoutDatabaseOfColumn(std::span<const std::string> parts, int32_t position) {
  return withoutFirst(parts, 4, NameKind::Other, position);
}

}  // namespace gnomon::sql
