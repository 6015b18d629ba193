#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sql/types/interval.h"

namespace gnomon::sql {

/// A time of day with the offset of its zone. It is held as 12 bytes that are ordered as the values are:
///   8 bytes  the time of UTC in microseconds (between -1 and 2 days), big-endian with the sign bit flipped
///   4 bytes  the offset, seconds west of UTC, in the same way
struct TimeTz {
  int64_t time = 0;  ///< microseconds since midnight by the zone's clock, 24:00 included
  int32_t west = 0;  ///< seconds

  [[nodiscard]] int64_t utc() const { return time + int64_t{west} * 1'000'000; }
};
inline constexpr size_t kTimeTzBytes = 12;
std::string encodeTimeTz(TimeTz time);
TimeTz decodeTimeTz(std::string_view bytes);

/// From text; without a zone it is the session's, today or on the day that stands before the time. Failure: 22007,
/// 22008, 22009, 22023.
TimeTz parseTimeTz(std::string_view text, int32_t typmod = -1);
/// Writes hh:mm:ss[.ffffff]+hh[:mm[:ss]] at `out` (room for kTimeTzTextBytesMax bytes) and returns the end.
char* printTimeTz(TimeTz time, char* out);
inline constexpr size_t kTimeTzTextBytesMax = 40;

/// What the session's clock shows, with its offset: of a time today, of a moment then.
TimeTz timeInSession(int64_t time);
TimeTz timeOfMoment(int64_t utc);
/// The same time in another zone, by its name or offset. Failure: 22023.
TimeTz timeInZone(std::string_view zone, TimeTz time);
TimeTz timeInZone(Interval zone, TimeTz time);
TimeTz addIntervalToTimeTz(TimeTz time, Interval interval);
TimeTz subtractIntervalFromTimeTz(TimeTz time, Interval interval);
/// Failure: 22008 "timestamp out of range".
int64_t addTimeTzToDate(int32_t date, TimeTz time);

}  // namespace gnomon::sql
