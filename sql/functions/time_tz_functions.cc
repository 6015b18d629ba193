#include "sql/functions/time_tz_functions.h"

#include <algorithm>
#include <bit>

#include "sql/types/big_numeric.h"
#include "sql/types/calendar.h"
#include "sql/types/datetime_field.h"
#include "sql/types/time_tz.h"

namespace gnomon::sql {
namespace {

using Kind = TypeKind;
using Arguments = std::span<const Value>;

sql::TimeTz timeAt(Arguments arguments, size_t index) {
  return decodeTimeTz(arguments[index].bytes);
}
sql::Interval intervalAt(Arguments arguments, size_t index) {
  return sql::Interval::fromBits(arguments[index].lo, arguments[index].hi);
}
Value held(sql::TimeTz time, Type result) {
  return Value::fromString(result, encodeTimeTz(time));
}

Value addInterval(Arguments arguments, Type result) {
  const size_t time = arguments[0].type.kind == TypeKind::TimeTz ? 0 : 1;
  return held(addIntervalToTimeTz(timeAt(arguments, time), intervalAt(arguments, 1 - time)), result);
}
Value subtractInterval(Arguments arguments, Type result) {
  return held(subtractIntervalFromTimeTz(timeAt(arguments, 0), intervalAt(arguments, 1)), result);
}
/// Where a frame ends that reaches so far from the time: past midnight where it must be, which is only compared. What
/// is further away than any time is as good as the offset.
template <int kSign>
Value limitOfRange(Arguments arguments, Type result) {
  constexpr int64_t kFarAway = 8 * kMicrosecondsPerDay;
  sql::TimeTz limit = timeAt(arguments, 0);
  limit.time += kSign * std::clamp(intervalAt(arguments, 1).microseconds, -kFarAway, kFarAway);
  return held(limit, result);
}
Value addDate(Arguments arguments, Type result) {
  const size_t time = arguments[0].type.kind == TypeKind::TimeTz ? 0 : 1;
  return Value::fromInt(result, addTimeTzToDate(static_cast<int32_t>(arguments[1 - time].lo), timeAt(arguments, time)));
}
Value inNamedZone(Arguments arguments, Type result) {
  return held(timeInZone(std::string_view(arguments[0].bytes), timeAt(arguments, 1)), result);
}
Value inOffsetZone(Arguments arguments, Type result) {
  return held(timeInZone(intervalAt(arguments, 0), timeAt(arguments, 1)), result);
}

/// The field as a number of 10^-scale.
struct ScaledField {
  int64_t value;
  unsigned scale;
};
ScaledField fieldOf(std::string_view name, sql::TimeTz time) {
  const int64_t offset = -int64_t{time.west};
  switch (parseExtractField(name, TypeKind::TimeTz)) {
    case DatetimeField::Microseconds:
      return {time.time % kMicrosecondsPerMinute, 0};
    case DatetimeField::Milliseconds:
      return {time.time % kMicrosecondsPerMinute, 3};
    case DatetimeField::Second:
      return {time.time % kMicrosecondsPerMinute, 6};
    case DatetimeField::Minute:
      return {time.time / kMicrosecondsPerMinute % 60, 0};
    case DatetimeField::Hour:
      return {time.time / kMicrosecondsPerHour, 0};
    case DatetimeField::Zone:
      return {offset, 0};
    case DatetimeField::ZoneHour:
      return {offset / 3600, 0};
    case DatetimeField::ZoneMinute:
      return {offset / 60 % 60, 0};
    default:
      return {time.utc(), 6};
  }
}
Value extractField(Arguments arguments, Type result) {
  const ScaledField field = fieldOf(arguments[0].bytes, timeAt(arguments, 1));
  return Value::fromString(result, BigNumeric(field.value, field.scale).encoded());
}
Value datePart(Arguments arguments, Type result) {
  const ScaledField field = fieldOf(arguments[0].bytes, timeAt(arguments, 1));
  constexpr double kUnits[] = {1, 10, 100, 1e3, 1e4, 1e5, 1e6};
  return {result, false, std::bit_cast<uint64_t>(static_cast<double>(field.value) / kUnits[field.scale]), 0, {}};
}

}  // namespace

void addTimeTzFunctions(std::vector<ValueFunction>& functions) {
  const auto addOperator = [&](std::string_view name, std::vector<TypeKind> arguments, TypeKind result,
                               Value (*answer)(Arguments, Type)) {
    functions.push_back({name, std::move(arguments), result, answer, Volatility::Immutable, true, true});
  };
  addOperator("+", {Kind::TimeTz, Kind::Interval}, Kind::TimeTz, addInterval);
  addOperator("+", {Kind::Interval, Kind::TimeTz}, Kind::TimeTz, addInterval);
  addOperator("-", {Kind::TimeTz, Kind::Interval}, Kind::TimeTz, subtractInterval);
  addOperator("+", {Kind::Date, Kind::TimeTz}, Kind::TimestampTz, addDate);
  addOperator("+", {Kind::TimeTz, Kind::Date}, Kind::TimestampTz, addDate);
  functions.push_back({"$range_below", {Kind::TimeTz, Kind::Interval}, Kind::TimeTz, limitOfRange<-1>});
  functions.push_back({"$range_above", {Kind::TimeTz, Kind::Interval}, Kind::TimeTz, limitOfRange<1>});
  functions.push_back({"timezone", {Kind::Text, Kind::TimeTz}, Kind::TimeTz, inNamedZone, Volatility::Stable});
  functions.push_back({"timezone", {Kind::Interval, Kind::TimeTz}, Kind::TimeTz, inOffsetZone});
  functions.push_back({"extract", {Kind::Text, Kind::TimeTz}, Kind::Numeric, extractField});
  functions.push_back({"date_part", {Kind::Text, Kind::TimeTz}, Kind::Double, datePart});
}

}  // namespace gnomon::sql
