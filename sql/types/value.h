#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/int128.h"
#include "base/string_value.h"
#include "sql/types/type.h"

namespace gnomon::sql {

/// One SQL value outside generated code: a literal, a default, a parameter.
///
/// Shape: `lo` and `hi` hold the value as generated code does: Bool and integers sign-extended in lo; Int128 in lo and
/// hi; Float32 and Float64 as the bits of a double in lo; Interval microseconds in lo, days | months << 32 in hi.
/// Strings and Big numerics own their bytes in `bytes`; lo and hi are unused.
struct Value {
  Type type;
  bool is_null = true;
  uint64_t lo = 0;
  uint64_t hi = 0;
  std::string bytes;

  static Value null(Type type) { return {type, true, 0, 0, {}}; }
  static Value fromInt(Type type, int64_t number) {
    return {type, false, static_cast<uint64_t>(number), number < 0 ? ~uint64_t{0} : 0, {}};
  }
  static Value fromInt128(Type type, int128 number) {
    return {type, false, static_cast<uint64_t>(number), static_cast<uint64_t>(number >> 64), {}};
  }
  static Value fromString(Type type, std::string_view text) { return {type, false, 0, 0, std::string(text)}; }
  [[nodiscard]] int64_t asInt() const { return static_cast<int64_t>(lo); }
  [[nodiscard]] int128 asInt128() const { return static_cast<int128>((static_cast<uint128>(hi) << 64) | lo); }
};

}  // namespace gnomon::sql
