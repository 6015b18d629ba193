#include "sql/bind/comparable.h"

#include <fmt/format.h>

#include "base/sql_error.h"

namespace gnomon::sql {

void requireEquality(const Type& type, int32_t position) {
  if (type.kind == TypeKind::Void)
    throw SqlError(sqlstate::kUndefinedFunction,
                   fmt::format("could not identify an equality operator for type {}", type.baseName()))
        .position(position);
}

void requireOrdering(const Type& type, int32_t position) {
  if (type.kind == TypeKind::Void)
    throw SqlError(sqlstate::kUndefinedFunction,
                   fmt::format("could not identify an ordering operator for type {}", type.baseName()))
        .hint("Use an explicit ordering operator or modify the query.")
        .position(position);
}

}  // namespace gnomon::sql
