#include "sql/bind/comparable.h"

#include <fmt/format.h>

#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

bool isComparable(const Type& type) {
  const TypeKind kind = type.isArray() ? type.element().kind : type.kind;
  return kind != TypeKind::Void && kind != TypeKind::Trigger && kind != TypeKind::Json && kind != TypeKind::JsonPath &&
         kind != TypeKind::Refcursor;
}

}  // namespace

void requireEquality(const Type& type, int32_t position) {
  if (!isComparable(type))
    throw SqlError(sqlstate::kUndefinedFunction,
                   fmt::format("could not identify an equality operator for type {}", type.baseName()))
        .position(position);
}

void requireIndexable(const Type& type) {
  if (isComparable(type) && type.kind != TypeKind::Unknown) return;
  throw SqlError(sqlstate::kUndefinedObject,
                 fmt::format("data type {} has no default operator class for access method \"btree\"", type.baseName()))
      .hint("You must specify an operator class for the index or define a default operator class for the data type.");
}

void requireComparison(const Type& type) {
  if (isComparable(type)) return;
  throw SqlError(sqlstate::kUndefinedFunction,
                 fmt::format("could not identify a comparison function for type {}", type.baseName()));
}

void requireOrdering(const Type& type, int32_t position) {
  if (!isComparable(type))
    throw SqlError(sqlstate::kUndefinedFunction,
                   fmt::format("could not identify an ordering operator for type {}", type.baseName()))
        .hint("Use an explicit ordering operator or modify the query.")
        .position(position);
}

}  // namespace gnomon::sql
