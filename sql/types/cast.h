#pragma once

#include "sql/types/jsonb_value.h"
#include "sql/types/type.h"
#include "sql/types/value.h"

namespace gnomon::sql {

/// How far PostgreSQL lets one type become another by itself.
enum class CastContext : uint8_t { None, Explicit, Assignment, Implicit };

/// The widest context in which `from` casts to `to` (modifiers aside), text input and output conversions included.
/// Unknown casts implicitly to everything.
CastContext castContext(TypeKind from, TypeKind to);

/// A jsonb as the boolean, or the numeric, that it is. Failure: 22023 when it is none; `target` is the type that is
/// named.
Value jsonbScalar(JsonbView value, Type target);

/// The value as `target` holds it, for constants at bind time. `is_explicit` lets varchar(n) and char(n) truncate.
/// NULL stays NULL. Failure: the conversion's; 42846 when there is no such cast.
Value castValue(const Value& value, Type target, bool is_explicit);

}  // namespace gnomon::sql
