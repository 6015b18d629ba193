#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sql/functions/picture.h"
#include "sql/types/type.h"

namespace gnomon::sql {

/// What the method datetime() makes of a string.
struct JsonPathDatetime {
  TypeKind kind = TypeKind::Date;  ///< or Time, TimeTz, Timestamp, TimestampTz
  int64_t local = 0;  ///< by the zone's clock: microseconds since midnight, or since 2000-01-01; of a date days
  int32_t west = 0;   ///< seconds; of those with a zone
};

/// A date, a time or both, with an offset or not, in the forms of ISO 8601. Nothing: it is none of these.
std::optional<JsonPathDatetime> readJsonPathDatetime(std::string_view text);
/// As a template of the SQL standard's says, which decides the kind too. Failure: 22007, 22008, 22009, 0A000.
JsonPathDatetime readJsonPathDatetime(std::string_view text, const std::vector<PictureNode>& picture);
/// In ISO 8601, as a value of JSON has it.
std::string jsonPathDatetimeText(const JsonPathDatetime& value);
/// The type's name, as type() tells it.
std::string_view jsonPathDatetimeName(TypeKind kind);
/// Nothing: they cannot be compared. `has_zone`: of two of which one has a zone the other is one of the session's.
/// Failure: 0A000 for such two without it.
std::optional<int> compareJsonPathDatetimes(const JsonPathDatetime& left, const JsonPathDatetime& right, bool has_zone);

}  // namespace gnomon::sql
