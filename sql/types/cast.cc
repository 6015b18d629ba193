#include "sql/types/cast.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "base/sql_error.h"
#include "sql/catalog/acl_text.h"
#include "sql/types/array_value.h"
#include "sql/types/big_numeric.h"
#include "sql/types/bit_string.h"
#include "sql/types/date.h"
#include "sql/types/decimal.h"
#include "sql/types/interval.h"
#include "sql/types/json_parser.h"
#include "sql/types/money.h"
#include "sql/types/network_address.h"
#include "sql/types/object_id.h"
#include "sql/types/text.h"
#include "sql/types/text_io.h"
#include "sql/types/time.h"
#include "sql/types/time_tz.h"
#include "sql/types/timestamp.h"
#include "sql/types/timestamptz.h"
#include "sql/types/transaction_number.h"

namespace gnomon::sql {
namespace {

double doubleOf(const Value& value) {
  return std::bit_cast<double>(value.lo);
}

Value holdDouble(Type type, double number) {
  return {type, false, std::bit_cast<uint64_t>(number), 0, {}};
}

[[noreturn]] void throwOutOfRange(Type target) {
  throw SqlError(sqlstate::kNumericValueOutOfRange, fmt::format("{} out of range", target.baseName()));
}

BigNumeric numericOf(const Value& value) {
  if (value.type.kind == TypeKind::Money) return BigNumeric(int128{value.asInt()}, 2);
  if (value.type.isInteger()) return BigNumeric(value.asInt());
  if (value.type.kind == TypeKind::Real) return BigNumeric::fromReal(static_cast<float>(doubleOf(value)));
  if (value.type.kind == TypeKind::Double) return BigNumeric::fromDouble(doubleOf(value));
  if (value.type.form == NumericForm::Big) return BigNumeric::decode(value.bytes);
  const int128 scaled = value.type.form == NumericForm::Small ? value.asInt() : value.asInt128();
  return unscaledDecimal(value.type, scaled);
}

Value holdInteger(Type type, int64_t number) {
  const bool fits = type.kind == TypeKind::Bigint ||
                    (type.kind == TypeKind::Integer && number == static_cast<int32_t>(number)) ||
                    (type.kind == TypeKind::Smallint && number == static_cast<int16_t>(number));
  if (!fits) throwOutOfRange(type);
  return Value::fromInt(type, number);
}

Value toInteger(const Value& value, Type target) {
  if (value.type.isOid()) {
    // An integer of the same bits.
    const int64_t number = value.asInt();
    return Value::fromInt(target, target.kind == TypeKind::Integer ? static_cast<int32_t>(number) : number);
  }
  if (value.type.isInteger()) return holdInteger(target, value.asInt());
  if (value.type.kind == TypeKind::Boolean) return holdInteger(target, value.asInt());
  if (value.type.isFloat()) {
    const double number = std::nearbyint(doubleOf(value));
    if (!(number >= -0x1p63 && number < 0x1p63)) throwOutOfRange(target);
    return holdInteger(target, static_cast<int64_t>(number));
  }
  const BigNumeric number = numericOf(value);
  if (!number.isFinite())
    throw SqlError(sqlstate::kFeatureNotSupported,
                   fmt::format("cannot convert {} to {}", number.isNaN() ? "NaN" : "infinity", target.baseName()));
  int64_t whole;
  if (!number.toInt64(whole)) throwOutOfRange(target);
  return holdInteger(target, whole);
}

Value toReal(const Value& value, Type target) {
  if (value.type.isInteger()) return holdDouble(target, static_cast<double>(static_cast<float>(value.asInt())));
  if (value.type.kind == TypeKind::Numeric) {
    // By way of text: rounded once.
    std::string text;
    numericOf(value).appendText(text);
    return parseText(target, text);
  }
  const double number = doubleOf(value);
  const auto narrow = static_cast<float>(number);
  if (std::isinf(narrow) && !std::isinf(number))
    throw SqlError(sqlstate::kNumericValueOutOfRange, "value out of range: overflow");
  if (narrow == 0 && number != 0) throw SqlError(sqlstate::kNumericValueOutOfRange, "value out of range: underflow");
  return holdDouble(target, static_cast<double>(narrow));
}

Value toDouble(const Value& value, Type target) {
  if (value.type.isInteger()) return holdDouble(target, static_cast<double>(value.asInt()));
  if (value.type.isFloat()) return holdDouble(target, doubleOf(value));
  return holdDouble(target, numericOf(value).toDouble());
}

/// What a cast to text shows: blanks after char(n) do not count, booleans are spelled out.
std::string shownText(const Value& value) {
  if (value.type.kind == TypeKind::Boolean) return value.lo ? "true" : "false";
  if (value.type.kind == TypeKind::Char) return std::string(trimBlanks(value.bytes));
  // With the number of its network's bits even if all are.
  if (value.type.kind == TypeKind::Inet) return NetworkAddress::decode(value.bytes).text(true);
  return toText(value);
}

Value toString(const Value& value, Type target, bool is_explicit) {
  if (target.kind == TypeKind::Char) {
    const std::string text = value.type.isString() ? value.bytes : shownText(value);
    const PaddedText fitted = fitChar(text, target.typmod, is_explicit);
    Value result = Value::fromString(target, fitted.kept);
    result.bytes.append(fitted.blanks, ' ');
    return result;
  }
  if (target.kind == TypeKind::InternalChar && value.type.kind == TypeKind::Integer) {
    const auto byte = static_cast<int8_t>(value.asInt());
    if (byte != value.asInt()) throw SqlError(sqlstate::kNumericValueOutOfRange, "\"char\" out of range");
    return Value::fromString(target, byte == 0 ? std::string() : std::string(1, static_cast<char>(byte)));
  }
  const std::string text = shownText(value);
  if (target.kind == TypeKind::Name) return Value::fromString(target, fitName(text));
  if (target.kind == TypeKind::InternalChar) return Value::fromString(target, parseInternalChar(text));
  if (target.kind == TypeKind::AclItem && value.type.kind != TypeKind::AclItem)
    return Value::fromString(target, canonicalAclItem(text));
  if (target.kind == TypeKind::Varchar) return Value::fromString(target, fitVarchar(text, target.typmod, is_explicit));
  return Value::fromString(target, text);
}

int64_t dateOf(const Value& value) {
  if (value.type.kind == TypeKind::Timestamp) return timestampToDate(value.asInt());
  return value.type.kind == TypeKind::TimestampTz ? utcToDate(value.asInt()) : value.asInt();
}

int64_t timestampOf(const Value& value) {
  if (value.type.kind == TypeKind::Date) return dateToTimestamp(static_cast<int32_t>(value.lo));
  return value.type.kind == TypeKind::TimestampTz ? utcToLocal(value.asInt()) : value.asInt();
}

int64_t utcOf(const Value& value) {
  if (value.type.kind == TypeKind::Date) return dateToUtc(static_cast<int32_t>(value.lo));
  return value.type.kind == TypeKind::Timestamp ? localToUtc(value.asInt()) : value.asInt();
}

/// NULL of an infinite timestamp.
Value toTime(const Value& value, Type target) {
  if (value.type.kind == TypeKind::Interval)
    return Value::fromInt(target, fitTime(intervalToTime(Interval::fromBits(value.lo, value.hi)), target.typmod));
  if (value.type.kind == TypeKind::Time) return Value::fromInt(target, fitTime(value.asInt(), target.typmod));
  if (!isFiniteTimestamp(value.asInt())) return Value::null(target);
  return Value::fromInt(target, fitTime(timestampTimeOfDay(timestampOf(value)), target.typmod));
}

Value toDatetime(const Value& value, Type target) {
  if (target.kind == TypeKind::Date) return Value::fromInt(target, dateOf(value));
  const int64_t timestamp = target.kind == TypeKind::Timestamp ? timestampOf(value) : utcOf(value);
  return Value::fromInt(target, fitTimestamp(timestamp, target.typmod));
}

TimeTz timeTzOf(const Value& value) {
  if (value.type.kind == TypeKind::Time) return timeInSession(value.asInt());
  return value.type.kind == TypeKind::TimestampTz ? timeOfMoment(value.asInt()) : decodeTimeTz(value.bytes);
}

/// Between types that are held as ordered bytes, and from and to others. NULL of an infinite timestamp.
Value castOrdered(const Value& value, Type target, bool is_explicit) {
  const TypeKind from = value.type.kind;
  if (target.kind == TypeKind::Time)
    return Value::fromInt(target, fitTime(decodeTimeTz(value.bytes).time, target.typmod));
  if (target.kind == TypeKind::TimeTz) {
    if (from == TypeKind::TimestampTz && !isFiniteTimestamp(value.asInt())) return Value::null(target);
    TimeTz time = timeTzOf(value);
    time.time = fitTime(time.time, target.typmod);
    return Value::fromString(target, encodeTimeTz(time));
  }
  if (target.isInteger()) {
    const int width = target.kind == TypeKind::Integer ? 32 : 64;
    return Value::fromInt(target, BitString::decode(value.bytes).toInteger(width));
  }
  if (value.type.isInteger()) {
    const int width = from == TypeKind::Integer ? 32 : 64;
    return Value::fromString(target, BitString::ofInteger(value.asInt(), width, target.typmod).encoded());
  }
  if (target.isBitString())
    return Value::fromString(target, BitString::decode(value.bytes).fitted(target, is_explicit).encoded());
  if (target.kind == TypeKind::Cidr)
    return Value::fromString(target, NetworkAddress::decode(value.bytes).withHostBits(false).encoded());
  if (target.kind == TypeKind::MacAddr && from == TypeKind::MacAddr8)
    return Value::fromString(target, shortMacAddress(value.bytes));
  if (target.kind == TypeKind::MacAddr8 && from == TypeKind::MacAddr)
    return Value::fromString(target, longMacAddress(value.bytes));
  return Value::fromString(target, value.bytes);
}

Value fromJson(const Value& value, Type target) {
  if (target.kind == TypeKind::Jsonb) return Value::fromString(target, parseJsonb(value.bytes));
  if (target.kind == TypeKind::Json) return Value::fromString(target, toText(value));
  return castValue(jsonbScalar(JsonbView(value.bytes), target), target, true);
}

CastContext datetimeCastContext(TypeKind from, TypeKind to) {
  const auto isTimestamp = [](TypeKind kind) { return kind == TypeKind::Timestamp || kind == TypeKind::TimestampTz; };
  if (from == TypeKind::Date && isTimestamp(to)) return CastContext::Implicit;
  if (from == TypeKind::Timestamp && to == TypeKind::TimestampTz) return CastContext::Implicit;
  if (from == TypeKind::Time && (to == TypeKind::Interval || to == TypeKind::TimeTz)) return CastContext::Implicit;
  if (from == TypeKind::TimeTz && to == TypeKind::Time) return CastContext::Assignment;
  if (from == TypeKind::TimestampTz && to == TypeKind::TimeTz) return CastContext::Assignment;
  if (from == TypeKind::Interval && to == TypeKind::Time) return CastContext::Assignment;
  if (isTimestamp(from) && (to == TypeKind::Date || to == TypeKind::Time || isTimestamp(to)))
    return CastContext::Assignment;
  return CastContext::None;
}

/// Between bit strings, network addresses and what becomes them.
CastContext orderedCastContext(TypeKind from, TypeKind to) {
  const auto isInteger = [](TypeKind kind) { return kind == TypeKind::Integer || kind == TypeKind::Bigint; };
  if ((from == TypeKind::Bit && to == TypeKind::VarBit) || (from == TypeKind::VarBit && to == TypeKind::Bit))
    return CastContext::Implicit;
  if ((isInteger(from) && to == TypeKind::Bit) || (from == TypeKind::Bit && isInteger(to)))
    return CastContext::Explicit;
  if (from == TypeKind::Xid8 && to == TypeKind::Xid) return CastContext::Explicit;
  if (from == TypeKind::Cidr && to == TypeKind::Inet) return CastContext::Implicit;
  if (from == TypeKind::Inet && to == TypeKind::Cidr) return CastContext::Assignment;
  const bool is_address = (from == TypeKind::MacAddr && to == TypeKind::MacAddr8) ||
                          (from == TypeKind::MacAddr8 && to == TypeKind::MacAddr);
  return is_address ? CastContext::Implicit : datetimeCastContext(from, to);
}

/// What is said of the catalog's own types; of others nothing.
std::optional<CastContext> catalogCastContext(Type source, Type target) {
  const TypeKind from = source.kind, to = target.kind;
  const bool is_number = source.isInteger() || target.isInteger();
  if (source.isOid() && target.isOid()) {
    const bool is_procedure = from == TypeKind::Regproc && to == TypeKind::Regprocedure;
    const bool is_name = from == TypeKind::Regprocedure && to == TypeKind::Regproc;
    const bool is_operator = (from == TypeKind::Regoper && to == TypeKind::Regoperator) ||
                             (from == TypeKind::Regoperator && to == TypeKind::Regoper);
    const bool is_plain =
        (from == TypeKind::Oid && to != TypeKind::Xid) || (to == TypeKind::Oid && from != TypeKind::Xid);
    return is_plain || is_procedure || is_name || is_operator ? CastContext::Implicit : CastContext::None;
  }
  if (is_number && (source.isOid() || target.isOid())) {
    if (from == TypeKind::Xid || to == TypeKind::Xid) return CastContext::None;
    if (source.isInteger()) return CastContext::Implicit;
    return to == TypeKind::Smallint ? CastContext::None : CastContext::Assignment;
  }
  if (to == TypeKind::Regclass && (from == TypeKind::Text || from == TypeKind::Varchar)) return CastContext::Implicit;
  if (from == TypeKind::InternalChar && to == TypeKind::Integer) return CastContext::Explicit;
  if (from == TypeKind::Integer && to == TypeKind::InternalChar) return CastContext::Explicit;
  const auto isPlain = [](TypeKind kind) {
    return kind == TypeKind::Text || kind == TypeKind::Varchar || kind == TypeKind::Char;
  };
  if (to == TypeKind::Name && isPlain(from)) return CastContext::Implicit;
  if (to == TypeKind::InternalChar) {
    if (isPlain(from)) return CastContext::Assignment;
    return from == TypeKind::Name ? CastContext::Explicit : CastContext::None;
  }
  if (to == TypeKind::NodeTree) return CastContext::None;
  if (to == TypeKind::AclItem) return source.isString() ? CastContext::Explicit : CastContext::None;
  const bool is_internal = from == TypeKind::Name || from == TypeKind::InternalChar || from == TypeKind::NodeTree;
  if (is_internal && to == TypeKind::Text) return CastContext::Implicit;
  if (from == TypeKind::Name && isPlain(to)) return CastContext::Assignment;
  if (is_internal && isPlain(to)) return CastContext::Assignment;
  if ((from == TypeKind::InternalChar || from == TypeKind::NodeTree) && !target.isString()) return CastContext::None;
  if (source.isVector()) {
    if (to == source.vectorArray().kind) return CastContext::Implicit;
    if (isArrayKind(to)) return CastContext::Explicit;
  }
  if (from == TypeKind::AclItem && isPlain(to)) return CastContext::Assignment;
  return std::nullopt;
}

constexpr int numberRank(TypeKind kind) {
  switch (kind) {
    case TypeKind::Smallint:
      return 1;
    case TypeKind::Integer:
      return 2;
    case TypeKind::Bigint:
      return 3;
    case TypeKind::Numeric:
      return 4;
    case TypeKind::Real:
      return 5;
    case TypeKind::Double:
      return 6;
    default:
      return 0;
  }
}

}  // namespace

CastContext castContext(TypeKind from, TypeKind to) {
  const Type source = Type::of(from);
  const Type target = Type::of(to);
  if (from == to || from == TypeKind::Unknown) return CastContext::Implicit;
  if (to == TypeKind::Unknown || to == TypeKind::Void || to == TypeKind::Trigger || source.isPolymorphic() ||
      target.isPolymorphic())
    return CastContext::None;
  if (const auto known = catalogCastContext(source, target)) return *known;
  if (source.isString() && target.isString()) return CastContext::Implicit;
  // As their elements; an element that becomes a text only by assignment does so in arrays too.
  if (isArrayKind(from) && isArrayKind(to)) return castContext(elementOf(from), elementOf(to));
  // Conversions through text: to a string by assignment, from a string when asked for.
  if (target.isString()) return CastContext::Assignment;
  if (source.isString()) return CastContext::Explicit;
  if (source.isNumber() && target.isNumber())
    return numberRank(from) < numberRank(to) ? CastContext::Implicit : CastContext::Assignment;
  // Of a jsonb that is one.
  if (from == TypeKind::Jsonb && (target.isNumber() || to == TypeKind::Boolean)) return CastContext::Explicit;
  if ((from == TypeKind::Json && to == TypeKind::Jsonb) || (from == TypeKind::Jsonb && to == TypeKind::Json))
    return CastContext::Assignment;
  if (to == TypeKind::Money && (from == TypeKind::Integer || from == TypeKind::Bigint || from == TypeKind::Numeric))
    return CastContext::Assignment;
  if (from == TypeKind::Money) return to == TypeKind::Numeric ? CastContext::Assignment : CastContext::None;
  const bool is_boolean_integer =
      (from == TypeKind::Boolean && to == TypeKind::Integer) || (from == TypeKind::Integer && to == TypeKind::Boolean);
  if (is_boolean_integer) return CastContext::Explicit;
  return orderedCastContext(from, to);
}

Value jsonbScalar(JsonbView value, Type target) {
  constexpr const char* kNames[] = {"null", "string", "numeric", "boolean", "array", "object"};
  const bool is_boolean = target.kind == TypeKind::Boolean;
  if (value.kind() != (is_boolean ? JsonKind::Boolean : JsonKind::Number))
    throw SqlError(
        sqlstate::kInvalidParameterValue,
        fmt::format("cannot cast jsonb {} to type {}", kNames[static_cast<size_t>(value.kind())], target.baseName()));
  if (is_boolean) return Value::fromInt(target, value.boolean() ? 1 : 0);
  return Value::fromString(Type::bigNumeric(), value.payload());
}

Value castValue(const Value& value, Type target, bool is_explicit) {
  if (castContext(value.type.kind, target.kind) == CastContext::None)
    throw SqlError(sqlstate::kCannotCoerce,
                   fmt::format("cannot cast type {} to {}", value.type.baseName(), target.baseName()));
  if (value.is_null) return Value::null(target);
  if (target.isString()) return toString(value, target, is_explicit);
  if (value.type.kind == TypeKind::InternalChar && target.kind == TypeKind::Integer)
    return Value::fromInt(target, value.bytes.empty() ? 0 : static_cast<signed char>(value.bytes[0]));
  if (value.type.isString()) {
    // Blanks after char(n) mean nothing to other types, but are bytes of a bytea, and no part of an address.
    const bool is_trimmed =
        value.type.kind == TypeKind::Char && target.kind != TypeKind::Bytea && !target.isOrderedBytes();
    return parseText(target, is_trimmed ? trimBlanks(value.bytes) : value.bytes);
  }
  if (target.isOid()) {
    if (value.type.kind == TypeKind::Xid8)
      return Value::fromInt(target, static_cast<uint32_t>(decodeTransactionNumber(value.bytes)));
    if (value.type.isOid()) return Value::fromInt(target, value.asInt());
    const bool is_wide = value.type.kind == TypeKind::Bigint;
    return Value::fromInt(target, is_wide ? oidOf(value.asInt()) : static_cast<uint32_t>(value.asInt()));
  }
  if (value.type.isVector()) {
    Value array = Value::fromString(value.type.vectorArray(), value.bytes);
    return array.type.kind == target.kind ? array : castValue(array, target, is_explicit);
  }
  if (value.type.kind == TypeKind::Json || value.type.kind == TypeKind::Jsonb) return fromJson(value, target);
  if (target.isArray()) {
    const RegisterPair array = toRegisters(value);
    return Value::fromString(
        target, castArray(value.type.element(), StringValue(array.lo, array.hi), target.element(), is_explicit));
  }
  if (value.type.isOrderedBytes() || target.isOrderedBytes()) return castOrdered(value, target, is_explicit);
  switch (target.kind) {
    case TypeKind::Boolean:
      return Value::fromInt(target, value.lo != 0);
    case TypeKind::Smallint:
    case TypeKind::Integer:
    case TypeKind::Bigint:
      return toInteger(value, target);
    case TypeKind::Numeric:
      return numericValue(target, numericOf(value));
    case TypeKind::Money:
      return Value::fromInt(target, value.type.kind == TypeKind::Money ? value.asInt() : moneyOf(numericOf(value)));
    case TypeKind::Real:
      return toReal(value, target);
    case TypeKind::Double:
      return toDouble(value, target);
    case TypeKind::Date:
    case TypeKind::Timestamp:
    case TypeKind::TimestampTz:
      return toDatetime(value, target);
    case TypeKind::Time:
      return toTime(value, target);
    case TypeKind::Interval: {
      const Interval given =
          value.type.kind == TypeKind::Time ? Interval{value.asInt(), 0, 0} : Interval::fromBits(value.lo, value.hi);
      const Interval interval = fitInterval(given, target.typmod);
      return {target, false, interval.lo(), interval.hi(), {}};
    }
    default:
      break;
  }
  return value;
}

}  // namespace gnomon::sql
