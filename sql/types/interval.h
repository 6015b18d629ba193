#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/int128.h"

namespace gnomon::sql {

/// An interval, as PostgreSQL's: the three parts are kept apart.
/// Layout, as in registers and on pages: lo microseconds; hi days (low 32 bits) | months (high 32 bits).
struct Interval {
  int64_t microseconds = 0;
  int32_t days = 0;
  int32_t months = 0;

  static Interval fromBits(uint64_t lo, uint64_t hi) {
    return {static_cast<int64_t>(lo), static_cast<int32_t>(hi), static_cast<int32_t>(hi >> 32)};
  }
  [[nodiscard]] uint64_t lo() const { return static_cast<uint64_t>(microseconds); }
  [[nodiscard]] uint64_t hi() const {
    return uint64_t{static_cast<uint32_t>(days)} | (uint64_t{static_cast<uint32_t>(months)} << 32);
  }
  /// The length with months of 30 days and days of 24 hours: what comparison and hashing go by.
  [[nodiscard]] int128 span() const;
};
static_assert(sizeof(Interval) == 16);

/// Interval from text: "1 year 2 mons 3 days 04:05:06.7", "1-2", ISO 8601 "P1Y2M3DT4H", "... ago". `typmod` carries the
/// field range and precision of `interval day to second(3)`; a bare number counts the range's last field.
/// Failure: 22007, 22008, 22015 as PostgreSQL.
Interval parseInterval(std::string_view text, int32_t typmod = -1);
/// Cuts an interval to the fields and precision of `typmod`.
Interval fitInterval(Interval interval, int32_t typmod);
/// Writes IntervalStyle postgres at `out` (room for kIntervalTextBytesMax bytes) and returns the end.
char* printInterval(Interval interval, char* out);
inline constexpr size_t kIntervalTextBytesMax = 96;

/// Failure of the arithmetic: 22008 "interval out of range"; 22012.
Interval addIntervals(Interval left, Interval right);
Interval subtractIntervals(Interval left, Interval right);
Interval negateInterval(Interval interval);
Interval multiplyInterval(Interval interval, double factor);
Interval divideInterval(Interval interval, double divisor);
/// Months out of days, days out of hours; both.
Interval justifyDays(Interval interval);
Interval justifyHours(Interval interval);
Interval justifyInterval(Interval interval);

int compareIntervals(Interval left, Interval right);
uint64_t hashInterval(Interval interval);

}  // namespace gnomon::sql
