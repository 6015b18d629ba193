#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sql/types/type.h"

namespace gnomon::sql {

/// A function that the session executes, because it reads and changes what is stored: those of large objects. Its calls
/// are such of routines (kCallRoutine) with its oid, which is PostgreSQL's. Strict; volatile.
struct HostedFunction {
  uint32_t oid;
  std::string_view name;
  std::vector<TypeKind> arguments;
  TypeKind result;
};
const std::vector<HostedFunction>& hostedFunctions();

/// The comment on a large object, by its oid: what obj_description(oid, 'pg_largeobject') is.
inline constexpr uint32_t kLargeObjectComment = 1;

}  // namespace gnomon::sql
