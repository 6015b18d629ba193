#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sql/functions/function_registry.h"
#include "sql/types/type.h"

namespace gnomon::sql {

/// PostgreSQL's type categories: their letters in pg_type.typcategory.
enum class TypeCategory : char {
  Array = 'A',
  Boolean = 'B',
  Number = 'N',
  String = 'S',
  DateTime = 'D',
  Timespan = 'T',
  BitString = 'V',
  Network = 'I',
  UserDefined = 'U',
  Enum = 'E',
  Pseudo = 'P',
  Internal = 'Z',
  Unknown = 'X',
};
TypeCategory categoryOf(TypeKind kind);
/// The type its category prefers.
bool isPreferred(TypeKind kind);
/// `from` becomes `to` without being asked; Unknown becomes anything, and anything may be what is polymorphic.
bool coercesImplicitly(TypeKind from, TypeKind to);

enum class OverloadOutcome : uint8_t { Found, None, Ambiguous };

/// Which of the argument lists fits `actual` best, by PostgreSQL's rules ("Functions", "Operators" in its chapter on
/// type conversion). Lists of another length are passed over. `index` is set when Found.
OverloadOutcome chooseOverload(std::span<const std::span<const TypeKind>> candidates, std::span<const TypeKind> actual,
                               size_t& index);

/// The operator's signature for these arguments; with one unknown argument, it is first taken for the other's type.
OverloadOutcome chooseOperator(std::span<const Signature> signatures, std::span<const TypeKind> actual,
                               const Signature*& chosen);
OverloadOutcome chooseFunction(std::span<const Signature> signatures, std::span<const TypeKind> actual,
                               const Signature*& chosen);

}  // namespace gnomon::sql
