#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gnomon::sql {

/// An order of texts, as pg_collation lists it. All are deterministic: texts are equal when their bytes are.
struct Collation {
  uint32_t oid = 0;
  std::string name;
  std::string locale;   ///< of ICU, a language tag; empty: the order of bytes
  std::string version;  ///< of ICU's rules

  [[nodiscard]] bool isByBytes() const { return locale.empty(); }
};

/// A Type::collation is a place in allCollations(): 0 is "default", which is the order of bytes, as are those of libc.
/// Or it says that several were equally near and none was chosen.
inline constexpr uint16_t kDefaultCollation = 0, kFirstOfIcu = 4, kIndeterminateCollation = 1023;

/// PostgreSQL's with its oids: default, C, POSIX, ucs_basic, and "xx-x-icu" for each locale that ICU knows.
std::span<const Collation> allCollations();
std::optional<uint16_t> findCollation(std::string_view name);
/// Of a Type::collation that is not indeterminate.
const Collation& knownCollation(uint16_t number);
/// Whether texts of this Type::collation have an order of ICU.
constexpr bool isOfIcu(uint16_t number) {
  return number >= kFirstOfIcu && number != kIndeterminateCollation;
}

}  // namespace gnomon::sql
