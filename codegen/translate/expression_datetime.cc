#include "codegen/translate/expression_datetime.h"

#include <algorithm>
#include <limits>

#include "base/sql_error.h"
#include "codegen/runtime/datetime_runtime.h"
#include "codegen/runtime/expression_support.h"
#include "codegen/translate/expression_arithmetic.h"
#include "codegen/translate/expression_cast.h"
#include "codegen/translate/expression_values.h"
#include "sql/types/calendar.h"
#include "sql/types/datetime_field.h"

namespace gnomon::codegen {
namespace {

using sql::DatetimeField;
using sql::FunctionId;
using sql::Type;
using sql::TypeKind;
using Arguments = std::span<const SqlValue>;

bool areKinds(Arguments arguments, TypeKind first, TypeKind second) {
  return arguments.size() == 2 && arguments[0].type.kind == first && arguments[1].type.kind == second;
}

/// Small integers widened to the int32 of days; wider ones are no days in PostgreSQL.
ir::Value asDays(CodeContext& context, const SqlValue& integer) {
  return convertValue(context, integer, Type::of(TypeKind::Integer), false).lo;
}

ir::Value asTimestamp(CodeContext& context, const SqlValue& value) {
  return convertValue(context, value, Type::of(TypeKind::Timestamp), false).lo;
}

SqlValue addDatetimes(CodeContext& context, const Type& type, Arguments arguments) {
  ir::Builder& builder = context.builder;
  const SqlValue& a = arguments[0];
  const SqlValue& b = arguments[1];
  if (areKinds(arguments, TypeKind::Interval, TypeKind::Interval))
    return pairResult(context, type, builder.call(RUNTIME_FUNCTION(rt::addIntervals), {a.lo, a.hi, b.lo, b.hi}));
  if (a.type.kind == TypeKind::Date && b.type.isInteger())
    return {type, builder.call(RUNTIME_FUNCTION(rt::addDays), {a.lo, asDays(context, b)}), {}, {}};
  if (areKinds(arguments, TypeKind::Date, TypeKind::Interval))
    return {type, builder.call(RUNTIME_FUNCTION(rt::addIntervalToDate), {a.lo, b.lo, b.hi}), {}, {}};
  if (areKinds(arguments, TypeKind::Timestamp, TypeKind::Interval))
    return {type, builder.call(RUNTIME_FUNCTION(rt::addIntervalToTimestamp), {a.lo, b.lo, b.hi}), {}, {}};
  if (areKinds(arguments, TypeKind::TimestampTz, TypeKind::Interval))
    return {type, builder.call(RUNTIME_FUNCTION(rt::addIntervalToUtc), {a.lo, b.lo, b.hi}), {}, {}};
  if (areKinds(arguments, TypeKind::Time, TypeKind::Interval))
    return {type, builder.call(RUNTIME_FUNCTION(rt::addIntervalToTime), {a.lo, b.lo}), {}, {}};
  if (areKinds(arguments, TypeKind::Date, TypeKind::Time))
    return {type, builder.call(RUNTIME_FUNCTION(rt::addTimeToDate), {a.lo, b.lo}), {}, {}};
  throwNotSupported(describeCall(FunctionId::Add, arguments));
}

SqlValue subtractDatetimes(CodeContext& context, const Type& type, Arguments arguments) {
  ir::Builder& builder = context.builder;
  const SqlValue& a = arguments[0];
  const SqlValue& b = arguments[1];
  if (areKinds(arguments, TypeKind::Interval, TypeKind::Interval))
    return pairResult(context, type, builder.call(RUNTIME_FUNCTION(rt::subtractIntervals), {a.lo, a.hi, b.lo, b.hi}));
  if (a.type.kind == TypeKind::Date && b.type.isInteger())
    return {type, builder.call(RUNTIME_FUNCTION(rt::subtractDays), {a.lo, asDays(context, b)}), {}, {}};
  if (areKinds(arguments, TypeKind::Date, TypeKind::Date) && type.kind == TypeKind::Integer)
    return {type, builder.call(RUNTIME_FUNCTION(rt::subtractDates), {a.lo, b.lo}), {}, {}};
  if (areKinds(arguments, TypeKind::Date, TypeKind::Interval))
    return {type, builder.call(RUNTIME_FUNCTION(rt::subtractIntervalFromDate), {a.lo, b.lo, b.hi}), {}, {}};
  if (areKinds(arguments, TypeKind::Timestamp, TypeKind::Interval))
    return {type, builder.call(RUNTIME_FUNCTION(rt::subtractIntervalFromTimestamp), {a.lo, b.lo, b.hi}), {}, {}};
  if (areKinds(arguments, TypeKind::TimestampTz, TypeKind::Interval))
    return {type, builder.call(RUNTIME_FUNCTION(rt::subtractIntervalFromUtc), {a.lo, b.lo, b.hi}), {}, {}};
  if (areKinds(arguments, TypeKind::Time, TypeKind::Interval))
    return {type, builder.call(RUNTIME_FUNCTION(rt::subtractIntervalFromTime), {a.lo, b.lo}), {}, {}};
  if (areKinds(arguments, TypeKind::Time, TypeKind::Time))
    return {type, builder.sub(a.lo, b.lo), builder.constI64(0), {}};
  if (areKinds(arguments, TypeKind::TimestampTz, TypeKind::TimestampTz))
    return pairResult(context, type, builder.call(RUNTIME_FUNCTION(rt::subtractTimestamps), {a.lo, b.lo}));
  const auto isPoint = [](const SqlValue& v) {
    return v.type.kind == TypeKind::Date || v.type.kind == TypeKind::Timestamp;
  };
  if (isPoint(a) && isPoint(b) && type.kind == TypeKind::Interval)
    return pairResult(
        context, type,
        builder.call(RUNTIME_FUNCTION(rt::subtractTimestamps), {asTimestamp(context, a), asTimestamp(context, b)}));
  throwNotSupported(describeCall(FunctionId::Subtract, arguments));
}

SqlValue scaleInterval(CodeContext& context, FunctionId function, const Type& type, const SqlValue& interval,
                       const SqlValue& number) {
  const ir::Value factor = convertValue(context, number, Type::of(TypeKind::Double), false).lo;
  const RuntimeFunction& scale =
      function == FunctionId::Multiply ? RUNTIME_FUNCTION(rt::multiplyInterval) : RUNTIME_FUNCTION(rt::divideInterval);
  return pairResult(context, type, context.builder.call(scale, {interval.lo, interval.hi, factor}));
}

/// The field's number: a constant, or what a name known only at run time gives.
ir::Value fieldNumber(CodeContext& context, bool is_truncation, const SqlValue& name, TypeKind source) {
  ir::Builder& builder = context.builder;
  StringValue storage;
  if (const auto text = constantText(context, name, storage)) {
    try {
      const DatetimeField field =
          is_truncation ? sql::parseTruncateField(*text, source) : sql::parseExtractField(*text, source);
      return builder.constI32(static_cast<int32_t>(field));
    } catch (const SqlError&) {
      // The name is wrong: the error belongs to the rows that evaluate it.
    }
  }
  const RuntimeFunction& parse =
      is_truncation ? RUNTIME_FUNCTION(rt::parseTruncateField) : RUNTIME_FUNCTION(rt::parseExtractField);
  return builder.call(parse, {name.lo, name.hi, builder.constI32(static_cast<int32_t>(source))});
}

/// I1: the date or timestamp is infinite (its type's minimum or maximum).
ir::Value isInfinite(CodeContext& context, ir::Value value) {
  ir::Builder& builder = context.builder;
  const ir::Type type = builder.typeOf(value);
  const uint128 maximum = (uint128{1} << (bitsOf(type) - 1)) - 1;
  return builder.ult(builder.sub(value, builder.constant(type, maximum)), builder.constant(type, 2));
}

/// Days of a finite date or timestamp (rounded down).
ir::Value daysOf(CodeContext& context, const SqlValue& point) {
  ir::Builder& builder = context.builder;
  if (point.type.kind == TypeKind::Date) return point.lo;
  const ir::Value day = builder.constI64(sql::kMicrosecondsPerDay);
  const ir::Value quotient = builder.sdiv(point.lo, day);
  const ir::Value rest = builder.sub(point.lo, builder.mul(quotient, day));
  const ir::Value is_below = builder.slt(rest, builder.constI64(0));
  return builder.trunc(builder.sub(quotient, builder.zext(is_below, ir::Type::I64)), ir::Type::I32);
}

/// Year, month and day of dates and timestamps have functions of their own; null: the field has none.
const RuntimeFunction* calendarFunction(DatetimeField field) {
  static const RuntimeFunction& year = registerRuntimeFunction("rt::yearOfDate", &rt::yearOfDate, RuntimeEffect::Pure);
  static const RuntimeFunction& month =
      registerRuntimeFunction("rt::monthOfDate", &rt::monthOfDate, RuntimeEffect::Pure);
  static const RuntimeFunction& day = registerRuntimeFunction("rt::dayOfDate", &rt::dayOfDate, RuntimeEffect::Pure);
  switch (field) {
    case DatetimeField::Year:
      return &year;
    case DatetimeField::Month:
      return &month;
    case DatetimeField::Day:
      return &day;
    default:
      return nullptr;
  }
}

SqlValue extractGeneral(CodeContext& context, const Type& type, DatetimeField field, const SqlValue& source) {
  ir::Builder& builder = context.builder;
  const ir::Value number = builder.constI32(static_cast<int32_t>(field));
  if (type.isBig() && source.type.kind != TypeKind::Interval) {
    const RuntimeFunction& extract = source.type.kind == TypeKind::Date ? RUNTIME_FUNCTION(rt::extractGrowingFromDate)
                                     : source.type.kind == TypeKind::TimestampTz
                                         ? RUNTIME_FUNCTION(rt::extractGrowingFromUtc)
                                         : RUNTIME_FUNCTION(rt::extractGrowingFromTimestamp);
    return pairResult(context, type, builder.call(extract, {number, source.lo, context.scratchArena()}));
  }
  const ir::Value flag = builder.allocaBytes(1);
  ir::Value scaled;
  switch (source.type.kind) {
    case TypeKind::Date:
      scaled = builder.call(RUNTIME_FUNCTION(rt::extractFromDate), {number, source.lo, flag});
      break;
    case TypeKind::Timestamp:
      scaled = builder.call(RUNTIME_FUNCTION(rt::extractFromTimestamp), {number, source.lo, flag});
      break;
    case TypeKind::TimestampTz:
      scaled = builder.call(RUNTIME_FUNCTION(rt::extractFromUtc), {number, source.lo, flag});
      break;
    case TypeKind::Time:
      scaled = builder.call(RUNTIME_FUNCTION(rt::extractFromTime), {number, source.lo, flag});
      break;
    default:
      scaled = builder.call(RUNTIME_FUNCTION(rt::extractFromInterval), {number, source.lo, source.hi, flag});
      break;
  }
  Type exact = sql::extractType(field, source.type.kind);
  exact.form = sql::NumericForm::Wide;
  SqlValue result = convertValue(context, {exact, scaled, {}, {}}, type, false);
  result.is_null = builder.load(ir::Type::I1, flag);
  return result;
}

SqlValue extractField(CodeContext& context, const Type& type, Arguments arguments) {
  ir::Builder& builder = context.builder;
  const SqlValue& source = arguments[1];
  const ir::Value number = fieldNumber(context, false, arguments[0], source.type.kind);
  const auto constant = constantInteger(context, number);
  if (!constant) {
    // The call above raises the error of a wrong name; a right one that is not constant has no type.
    StringValue storage;
    if (!constantText(context, arguments[0], storage)) throwNotSupported("extract with a field that is no constant");
    return nullValue(context, type);
  }
  const auto field = static_cast<DatetimeField>(*constant);
  const bool has_calendar = source.type.kind == TypeKind::Date || source.type.kind == TypeKind::Timestamp;
  const RuntimeFunction* calendar = has_calendar ? calendarFunction(field) : nullptr;
  if (calendar == nullptr || type.isBig()) return extractGeneral(context, type, field, source);
  const ir::Block finite = builder.createBlock();
  const ir::Block infinite = builder.createBlock();
  const ir::Block done = builder.createBlock();
  ValueMerge merge(context, type, done);
  builder.condBr(isInfinite(context, source.lo), infinite, finite, ir::BranchWeight::Unlikely);
  builder.setBlock(finite);
  const ir::Value exact = builder.call(*calendar, {daysOf(context, source)});
  merge.branchWith(convertValue(context, {Type::decimal(9, 0), exact, {}, {}}, type, false));
  builder.setBlock(infinite);
  merge.branchWith(extractGeneral(context, type, field, source));
  return merge.finish();
}

SqlValue datePart(CodeContext& context, const Type& type, Arguments arguments) {
  ir::Builder& builder = context.builder;
  const SqlValue& source = arguments[1];
  const bool is_interval = source.type.kind == TypeKind::Interval;
  const bool is_own_kind =
      is_interval || source.type.kind == TypeKind::TimestampTz || source.type.kind == TypeKind::Time;
  const ir::Value field =
      fieldNumber(context, false, arguments[0], is_own_kind ? source.type.kind : TypeKind::Timestamp);
  if (source.type.kind == TypeKind::Time)
    return {type, builder.call(RUNTIME_FUNCTION(rt::datePartOfTime), {field, source.lo}), {}, {}};
  const ir::Value flag = builder.allocaBytes(1);
  if (source.type.kind == TypeKind::TimestampTz) {
    const ir::Value part = builder.call(RUNTIME_FUNCTION(rt::datePartOfUtc), {field, source.lo, flag});
    return {type, part, {}, builder.load(ir::Type::I1, flag)};
  }
  const ir::Value number =
      is_interval
          ? builder.call(RUNTIME_FUNCTION(rt::datePartOfInterval), {field, source.lo, source.hi, flag})
          : builder.call(RUNTIME_FUNCTION(rt::datePartOfTimestamp), {field, asTimestamp(context, source), flag});
  return {type, number, {}, builder.load(ir::Type::I1, flag)};
}

SqlValue truncateDatetime(CodeContext& context, const Type& type, Arguments arguments) {
  ir::Builder& builder = context.builder;
  const SqlValue& source = arguments[1];
  if (arguments[0].type.kind == TypeKind::Interval) {
    const SqlValue& stride = arguments[0];
    return {type,
            builder.call(RUNTIME_FUNCTION(rt::binTimestamp), {stride.lo, stride.hi, source.lo, arguments[2].lo}),
            {},
            {}};
  }
  if (type.kind == TypeKind::Interval && source.type.kind == TypeKind::Interval) {
    const ir::Value field = fieldNumber(context, true, arguments[0], TypeKind::Interval);
    return pairResult(context, type,
                      builder.call(RUNTIME_FUNCTION(rt::truncateInterval), {field, source.lo, source.hi}));
  }
  if (type.kind == TypeKind::TimestampTz) {
    const ir::Value field = fieldNumber(context, true, arguments[0], TypeKind::TimestampTz);
    if (arguments.size() == 2)
      return {type, builder.call(RUNTIME_FUNCTION(rt::truncateUtc), {field, source.lo}), {}, {}};
    const SqlValue& zone = arguments[2];
    return {type, builder.call(RUNTIME_FUNCTION(rt::truncateUtcInZone), {field, source.lo, zone.lo, zone.hi}), {}, {}};
  }
  if (type.kind != TypeKind::Timestamp) throwNotSupported(describeCall(FunctionId::DateTruncate, arguments));
  const ir::Value field = fieldNumber(context, true, arguments[0], TypeKind::Timestamp);
  return {type, builder.call(RUNTIME_FUNCTION(rt::truncateTimestamp), {field, asTimestamp(context, source)}), {}, {}};
}

}  // namespace

bool isDatetimeArithmetic(const Type& type, Arguments arguments) {
  const auto isDatetime = [](TypeKind kind) {
    return kind == TypeKind::Date || kind == TypeKind::Timestamp || kind == TypeKind::TimestampTz ||
           kind == TypeKind::Time || kind == TypeKind::Interval;
  };
  return isDatetime(type.kind) ||
         std::ranges::any_of(arguments, [&](const SqlValue& argument) { return isDatetime(argument.type.kind); });
}

SqlValue emitDatetimeArithmetic(CodeContext& context, FunctionId function, const Type& type, Arguments arguments) {
  if (function == FunctionId::Negate && arguments[0].type.kind == TypeKind::Interval)
    return pairResult(context, type,
                      context.builder.call(RUNTIME_FUNCTION(rt::negateInterval), {arguments[0].lo, arguments[0].hi}));
  if (arguments.size() != 2) throwNotSupported(describeCall(function, arguments));
  const SqlValue& a = arguments[0];
  const SqlValue& b = arguments[1];
  // integer + date and interval + date or timestamp are the same as with the arguments exchanged.
  const bool is_swapped = a.type.isNumber() || areKinds(arguments, TypeKind::Time, TypeKind::Date) ||
                          (a.type.kind == TypeKind::Interval && b.type.kind != TypeKind::Interval);
  const SqlValue exchanged[] = {b, a};
  switch (function) {
    case FunctionId::Add:
      return addDatetimes(context, type, is_swapped ? Arguments(exchanged) : arguments);
    case FunctionId::Subtract:
      return subtractDatetimes(context, type, arguments);
    case FunctionId::Multiply:
      if (a.type.kind == TypeKind::Interval && b.type.isNumber()) return scaleInterval(context, function, type, a, b);
      if (b.type.kind == TypeKind::Interval && a.type.isNumber()) return scaleInterval(context, function, type, b, a);
      break;
    case FunctionId::Divide:
      if (a.type.kind == TypeKind::Interval && b.type.isNumber()) return scaleInterval(context, function, type, a, b);
      break;
    default:
      break;
  }
  throwNotSupported(describeCall(function, arguments));
}

namespace {

SqlValue convertZone(CodeContext& context, const Type& type, Arguments arguments) {
  ir::Builder& builder = context.builder;
  const SqlValue& zone = arguments[0];
  const bool is_offset = zone.type.kind == TypeKind::Interval;
  const RuntimeFunction& convert =
      type.kind == TypeKind::Timestamp
          ? (is_offset ? RUNTIME_FUNCTION(rt::utcToOffset) : RUNTIME_FUNCTION(rt::utcToZone))
          : (is_offset ? RUNTIME_FUNCTION(rt::offsetToUtc) : RUNTIME_FUNCTION(rt::zoneToUtc));
  return {type, builder.call(convert, {zone.lo, zone.hi, arguments[1].lo}), {}, {}};
}

SqlValue isFiniteValue(CodeContext& context, const Type& type, const SqlValue& value) {
  ir::Builder& builder = context.builder;
  if (value.type.kind == TypeKind::Interval) return {type, builder.constI1(true), {}, {}};
  return {type, builder.bitNot(isInfinite(context, value.lo)), {}, {}};
}

/// What came with timestamps with time zone.
SqlValue emitZonedFunction(CodeContext& context, FunctionId function, const Type& type, Arguments arguments) {
  ir::Builder& builder = context.builder;
  const SqlValue& first = arguments[0];
  const auto justify = [&](const RuntimeFunction& runtime) {
    return pairResult(context, type, builder.call(runtime, {first.lo, first.hi}));
  };
  switch (function) {
    case FunctionId::Timezone:
      return convertZone(context, type, arguments);
    case FunctionId::IsFinite:
      return isFiniteValue(context, type, first);
    case FunctionId::ToTimestamp:
      return {type, builder.call(RUNTIME_FUNCTION(rt::utcFromSeconds), {first.lo}), {}, {}};
    case FunctionId::MakeTime:
      return {type,
              builder.call(RUNTIME_FUNCTION(rt::makeTime),
                           {asDays(context, first), asDays(context, arguments[1]), arguments[2].lo}),
              {},
              {}};
    case FunctionId::JustifyDays:
      return justify(RUNTIME_FUNCTION(rt::justifyDays));
    case FunctionId::JustifyHours:
      return justify(RUNTIME_FUNCTION(rt::justifyHours));
    case FunctionId::JustifyInterval:
      return justify(RUNTIME_FUNCTION(rt::justifyInterval));
    default:
      throwNotSupported(describeCall(function, arguments));
  }
}

}  // namespace

SqlValue emitDatetimeFunction(CodeContext& context, FunctionId function, const Type& type, Arguments arguments) {
  ir::Builder& builder = context.builder;
  switch (function) {
    case FunctionId::Extract:
      return extractField(context, type, arguments);
    case FunctionId::DatePart:
      return datePart(context, type, arguments);
    case FunctionId::DateTruncate:
      return truncateDatetime(context, type, arguments);
    case FunctionId::Age:
      if (arguments.size() != 2) throwNotSupported("age of one timestamp");
      if (arguments[0].type.kind == TypeKind::TimestampTz)
        return pairResult(context, type,
                          builder.call(RUNTIME_FUNCTION(rt::ageUtc), {arguments[0].lo, arguments[1].lo}));
      return pairResult(context, type,
                        builder.call(RUNTIME_FUNCTION(rt::ageTimestamps),
                                     {asTimestamp(context, arguments[0]), asTimestamp(context, arguments[1])}));
    case FunctionId::MakeDate:
      return {
          type,
          builder.call(RUNTIME_FUNCTION(rt::makeDate),
                       {asDays(context, arguments[0]), asDays(context, arguments[1]), asDays(context, arguments[2])}),
          {},
          {}};
    default:
      return emitZonedFunction(context, function, type, arguments);
  }
}

}  // namespace gnomon::codegen
