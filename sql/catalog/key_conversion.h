#pragma once

#include "base/arena.h"
#include "sql/types/type.h"
#include "storage/relation/schema.h"

namespace gnomon::sql {

/// Whether a column may refer to one of another type.
enum class KeyTypes : uint8_t { Comparable, Unsupported, Incomparable };
/// As PostgreSQL, which wants an equality that an index has, or a child's type that becomes the parent's by itself.
KeyTypes compareKeyTypes(Type child, Type parent);

/// Finds the value of a type that is equal to a value of another, for the columns of foreign keys. Threads: any.
class KeyConversion {
 public:
  KeyConversion(Type from, Type to);

  /// False: no value is equal. `to` may refer to `memory`.
  bool convert(const storage::Datum& from, storage::Datum& to, Arena& memory) const;
  /// The value as the column holds it that is given it: as in an assignment. Failure: the conversion's.
  storage::Datum assign(const storage::Datum& from, Arena& memory) const;

 private:
  enum class Kind : uint8_t { Same, Integer, Cast };
  Type from_, to_;
  Kind kind_;
};

}  // namespace gnomon::sql
