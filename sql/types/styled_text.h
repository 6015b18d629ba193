#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sql/types/interval.h"

namespace gnomon::sql {

/// Dates and intervals as the settings DateStyle and IntervalStyle ask for, where that is not what is usual. Each
/// writes at `out`, which has the room that the usual form needs, and returns the end. Source: PostgreSQL's datetime.c.

/// Of a finite date.
char* printStyledDate(int32_t date, char* out);
/// What is shown behind a timestamp with time zone.
struct ShownZone {
  int32_t offset;
  std::string_view abbreviation;
};
/// Of a finite timestamp by the clock of its zone.
char* printStyledTimestamp(int64_t local, const std::optional<ShownZone>& zone, char* out);
char* printStyledInterval(Interval interval, char* out);

}  // namespace gnomon::sql
