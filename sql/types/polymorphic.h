#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sql/types/type.h"

namespace gnomon::sql {

/// The pseudo-types that stand for a type which only a call of a routine has, by their oids. Those of the first family
/// stand for one type, its array or a restriction of it; those of the second for what is common to the arguments'.
enum class Polymorphic : uint32_t {
  AnyArray = 2277,
  AnyElement = 2283,
  AnyNonArray = 2776,
  AnyEnum = 3500,
  AnyCompatible = 5077,
  AnyCompatibleArray = 5078,
  AnyCompatibleNonArray = 5079,
};

constexpr Type polymorphicType(Polymorphic which) {
  return Type::of(TypeKind::Polymorphic, static_cast<int32_t>(which));
}
/// Of a type that is one.
constexpr Polymorphic polymorphicOf(Type type) {
  return static_cast<Polymorphic>(type.typmod);
}
/// Whether it stands for arrays.
constexpr bool isPolymorphicArray(Type type) {
  return type.isPolymorphic() &&
         (polymorphicOf(type) == Polymorphic::AnyArray || polymorphicOf(type) == Polymorphic::AnyCompatibleArray);
}
/// Whether it is of the second family.
constexpr bool isPolymorphicCompatible(Type type) {
  return type.isPolymorphic() && polymorphicOf(type) >= Polymorphic::AnyCompatible;
}
/// What the elements of such an array are declared as; of another array its elements' type.
constexpr Type declaredElement(Type array) {
  if (!array.isPolymorphic()) return array.element();
  return polymorphicType(isPolymorphicCompatible(array) ? Polymorphic::AnyCompatible : Polymorphic::AnyElement);
}

/// None: it is no such name.
std::optional<Type> polymorphicNamed(std::string_view name);
bool polymorphicFromOid(uint32_t oid, Type& type);
std::string_view polymorphicName(Type type);

}  // namespace gnomon::sql
