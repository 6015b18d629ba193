#include "sql/types/polymorphic.h"

#include <utility>

namespace gnomon::sql {
namespace {

constexpr std::pair<std::string_view, Polymorphic> kNames[] = {
    {"anyarray", Polymorphic::AnyArray},
    {"anyelement", Polymorphic::AnyElement},
    {"anynonarray", Polymorphic::AnyNonArray},
    {"anyenum", Polymorphic::AnyEnum},
    {"anycompatible", Polymorphic::AnyCompatible},
    {"anycompatiblearray", Polymorphic::AnyCompatibleArray},
    {"anycompatiblenonarray", Polymorphic::AnyCompatibleNonArray},
};

}  // namespace

std::optional<Type> polymorphicNamed(std::string_view name) {
  for (const auto& [known, which] : kNames)
    if (known == name) return polymorphicType(which);
  return std::nullopt;
}

bool polymorphicFromOid(uint32_t oid, Type& type) {
  for (const auto& [name, which] : kNames) {
    if (static_cast<uint32_t>(which) != oid) continue;
    type = polymorphicType(which);
    return true;
  }
  return false;
}

std::string_view polymorphicName(Type type) {
  for (const auto& [name, which] : kNames)
    if (which == polymorphicOf(type)) return name;
  return "polymorphic";
}

}  // namespace gnomon::sql
