#include "sql/types/text_io.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/sql_error.h"
#include "base/string_value.h"
#include "sql/catalog/acl_text.h"
#include "sql/catalog/user_types.h"
#include "sql/types/array_text.h"
#include "sql/types/big_numeric.h"
#include "sql/types/boolean.h"
#include "sql/types/bytea.h"
#include "sql/types/date.h"
#include "sql/types/decimal.h"
#include "sql/types/floating.h"
#include "sql/types/integer.h"
#include "sql/types/interval.h"
#include "sql/types/json_parser.h"
#include "sql/types/json_path.h"
#include "sql/types/json_text.h"
#include "sql/types/money.h"
#include "sql/types/object_id.h"
#include "sql/types/ordered_bytes.h"
#include "sql/types/record_value.h"
#include "sql/types/text.h"
#include "sql/types/time.h"
#include "sql/types/timestamp.h"
#include "sql/types/timestamptz.h"
#include "sql/types/uuid.h"

namespace gnomon::sql {
namespace {

Value fromDouble(Type type, double number) {
  return {type, false, std::bit_cast<uint64_t>(number), 0, {}};
}

Value fromInterval(Type type, Interval interval) {
  return {type, false, interval.lo(), interval.hi(), {}};
}

Value padded(Type type, std::string_view text, bool is_explicit) {
  const PaddedText fitted = fitChar(text, type.typmod, is_explicit);
  Value value = Value::fromString(type, fitted.kept);
  value.bytes.append(fitted.blanks, ' ');
  return value;
}

Value parseByteaValue(Type type, std::string_view text) {
  Value value = Value::fromString(type, {});
  value.bytes.resize(byteaBytesMax(text));
  value.bytes.resize(static_cast<size_t>(parseBytea(text, value.bytes.data()) - value.bytes.data()));
  return value;
}

void appendByteaText(const StringValue& bytes, ByteaOutput output, std::string& out) {
  const size_t offset = out.size();
  out.resize(offset + byteaTextBytes(bytes.view(), output));
  printBytea(bytes.view(), output, out.data() + offset);
}

Value parseNumeric(Type type, std::string_view text) {
  if (type.form == NumericForm::Big)
    return Value::fromString(type, BigNumeric::parse(text).withModifier(type.typmod).encoded());
  const unsigned precision = std::min<unsigned>(type.precision, Type::kWideDigitsMax);
  const int128 scaled = type.form == NumericForm::Small ? parseSmallDecimal(text, precision, type.scale)
                                                        : parseWideDecimal(text, precision, type.scale);
  return Value::fromInt128(type.withNan(scaled == decimalNan(precision)), scaled);
}

StringValue stringOf(uint64_t lo, uint64_t hi) {
  return {lo, hi};
}

int128 wideOf(uint64_t lo, uint64_t hi) {
  return static_cast<int128>((static_cast<uint128>(hi) << 64) | lo);
}

template <typename Unsigned>
Unsigned loadBigEndian(const char* bytes) {
  Unsigned number = 0;
  for (size_t index = 0; index < sizeof(Unsigned); ++index)
    number = static_cast<Unsigned>((uint64_t{number} << 8) | static_cast<unsigned char>(bytes[index]));
  return number;
}

template <typename Unsigned>
void storeBigEndian(Unsigned number, std::string& out) {
  for (size_t shift = sizeof(Unsigned) * 8; shift > 0; shift -= 8)
    out += static_cast<char>(static_cast<uint64_t>(number) >> (shift - 8));
}

[[noreturn]] void throwIncorrectFormat(unsigned parameter) {
  throw SqlError(sqlstate::kInvalidBinaryRepresentation,
                 fmt::format("incorrect binary data format in bind parameter {}", parameter));
}

/// A value of fixed size: fewer bytes are a broken message, more a wrong format.
void checkSize(std::string_view bytes, size_t wanted, unsigned parameter) {
  if (bytes.size() < wanted) throw SqlError(sqlstate::kProtocolViolation, "insufficient data left in message");
  if (bytes.size() > wanted) throwIncorrectFormat(parameter);
}

Value parseNumericBinary(Type type, std::string_view bytes, unsigned parameter) {
  if (bytes.size() >= 2) {
    const size_t wanted = 8 + size_t{loadBigEndian<uint16_t>(bytes.data())} * 2;
    checkSize(bytes, wanted, parameter);
  }
  return numericValue(type, BigNumeric::parseBinary(bytes));
}

Value parseDateBinary(Type type, int32_t date) {
  if (isFiniteDate(date) && (date < kDateMin || date >= kDateEnd))
    throw SqlError(sqlstate::kDatetimeFieldOverflow, "date out of range");
  return Value::fromInt(type, date);
}

Value parseTimestampBinary(Type type, int64_t timestamp) {
  if (isFiniteTimestamp(timestamp) && (timestamp < kTimestampMin || timestamp >= kTimestampEnd))
    throw SqlError(sqlstate::kDatetimeFieldOverflow, "timestamp out of range");
  return Value::fromInt(type, fitTimestamp(timestamp, type.typmod));
}

Value parseTimeBinary(Type type, int64_t time) {
  if (!isTimeOfDay(time)) throw SqlError(sqlstate::kDatetimeFieldOverflow, "time out of range");
  return Value::fromInt(type, fitTime(time, type.typmod));
}

Value parseTextBinary(Type type, std::string_view bytes) {
  checkUtf8(bytes);
  return parseText(type, bytes);
}

void appendNumericText(Type type, uint64_t lo, uint64_t hi, std::string& out) {
  if (type.form == NumericForm::Big) return BigNumeric::decode(stringOf(lo, hi).view()).appendText(out);
  const int128 wide = wideOf(lo, hi);
  if (isNan(type, type.form == NumericForm::Small ? static_cast<int64_t>(lo) : wide))
    return BigNumeric(BigNumeric::Kind::NaN).appendText(out);
  char buffer[kDecimalTextBytesMax];
  char* const end = type.form == NumericForm::Small ? printSmallDecimal(static_cast<int64_t>(lo), type.scale, buffer)
                                                    : printWideDecimal(wide, type.scale, buffer);
  out.append(buffer, end);
}

void appendNumericBinary(Type type, uint64_t lo, uint64_t hi, std::string& out) {
  if (type.form == NumericForm::Big) return BigNumeric::decode(stringOf(lo, hi).view()).appendBinary(out);
  const int128 wide = wideOf(lo, hi);
  const int128 number = type.form == NumericForm::Small ? static_cast<int64_t>(lo) : wide;
  if (isNan(type, number)) return BigNumeric(BigNumeric::Kind::NaN).appendBinary(out);
  char buffer[kDecimalBinaryBytesMax];
  out.append(buffer, writeDecimalBinary(number, type.scale, buffer));
}

}  // namespace

Value numericValue(Type type, const BigNumeric& number) {
  if (type.form == NumericForm::Big) return Value::fromString(type, number.withModifier(type.typmod).encoded());
  const unsigned precision = std::min<unsigned>(type.precision, Type::kWideDigitsMax);
  return Value::fromInt128(type.withNan(number.isNaN()), numericToDecimal(number, precision, type.scale));
}

Value parseText(Type type, std::string_view text) {
  if (type.isArray()) return Value::fromString(type, parseArrayText(type.element(), text));
  switch (type.kind) {
    case TypeKind::Boolean:
      return Value::fromInt(type, parseBoolean(text));
    case TypeKind::Smallint:
      return Value::fromInt(type, parseSmallint(text));
    case TypeKind::Integer:
      return Value::fromInt(type, parseInteger(text));
    case TypeKind::Bigint:
      return Value::fromInt(type, parseBigint(text));
    case TypeKind::Numeric:
      return parseNumeric(type, text);
    case TypeKind::Real:
      return fromDouble(type, static_cast<double>(parseReal(text)));
    case TypeKind::Double:
      return fromDouble(type, parseDouble(text));
    case TypeKind::Varchar:
      return Value::fromString(type, fitVarchar(text, type.typmod, false));
    case TypeKind::Char:
      return padded(type, text, false);
    case TypeKind::Date:
      return Value::fromInt(type, parseDate(text));
    case TypeKind::Timestamp:
      return Value::fromInt(type, parseTimestamp(text, type.typmod));
    case TypeKind::TimestampTz:
      return Value::fromInt(type, parseTimestampTz(text, type.typmod));
    case TypeKind::Time:
      return Value::fromInt(type, parseTime(text, type.typmod));
    case TypeKind::Interval:
      return fromInterval(type, parseInterval(text, type.typmod));
    case TypeKind::Uuid:
      return Value::fromInt128(type, parseUuid(text));
    case TypeKind::Money:
      return Value::fromInt(type, parseMoney(text));
    case TypeKind::Bytea:
      return parseByteaValue(type, text);
    case TypeKind::Oid:
    case TypeKind::Xid:
    case TypeKind::Regclass:
    case TypeKind::Regtype:
    case TypeKind::Regproc:
    case TypeKind::Regprocedure:
    case TypeKind::Regoper:
    case TypeKind::Regoperator:
    case TypeKind::Regcollation:
    case TypeKind::Regnamespace:
    case TypeKind::Regrole:
      return Value::fromInt(type, parseObject(type.kind, text));
    case TypeKind::Name:
      return Value::fromString(type, fitName(text));
    case TypeKind::InternalChar:
      return Value::fromString(type, parseInternalChar(text));
    case TypeKind::Int2Vector:
    case TypeKind::OidVector:
      return Value::fromString(type, parseVectorText(type, text));
    case TypeKind::TimeTz:
    case TypeKind::Bit:
    case TypeKind::VarBit:
    case TypeKind::Inet:
    case TypeKind::Cidr:
    case TypeKind::MacAddr:
    case TypeKind::MacAddr8:
    case TypeKind::PgLsn:
    case TypeKind::Xid8:
    case TypeKind::Tid:
      return Value::fromString(type, parseOrderedBytes(type, text));
    case TypeKind::Json:
      checkJson(text);
      break;
    case TypeKind::Jsonb:
      return Value::fromString(type, parseJsonb(text));
    case TypeKind::JsonPath:
      return Value::fromString(type, JsonPath::parse(text).text());
    case TypeKind::AclItem:
      return Value::fromString(type, canonicalAclItem(text));
    case TypeKind::NodeTree:
      throw SqlError(sqlstate::kFeatureNotSupported, fmt::format("cannot accept a value of type {}", type.baseName()));
    case TypeKind::Enum:
      return Value::fromInt(type, parseEnum(type.definition(), text));
    case TypeKind::Record:
      return Value::fromString(type, parseRecordText(type, text));
    case TypeKind::Text:
    case TypeKind::Refcursor:
    case TypeKind::Unknown:
    case TypeKind::Void:
    case TypeKind::Trigger:
    case TypeKind::Polymorphic:
      break;
  }
  return Value::fromString(type, text);
}

void appendText(Type type, uint64_t lo, uint64_t hi, std::string& out, ByteaOutput bytea_output) {
  if (type.isArray()) return appendArrayText(type.element(), stringOf(lo, hi), out, bytea_output);
  char buffer[kIntervalTextBytesMax];
  switch (type.kind) {
    case TypeKind::Boolean:
      out += (lo & 1) ? 't' : 'f';
      return;
    case TypeKind::Smallint:
    case TypeKind::Integer:
    case TypeKind::Bigint:
      out.append(buffer, printInteger(static_cast<int64_t>(lo), buffer));
      return;
    case TypeKind::Numeric:
      appendNumericText(type, lo, hi, out);
      return;
    case TypeKind::Real:
      out.append(buffer, printReal(static_cast<float>(std::bit_cast<double>(lo)), buffer));
      return;
    case TypeKind::Double:
      out.append(buffer, printDouble(std::bit_cast<double>(lo), buffer));
      return;
    case TypeKind::Date:
      out.append(buffer, printDate(static_cast<int32_t>(lo), buffer));
      return;
    case TypeKind::Timestamp:
      out.append(buffer, printTimestamp(static_cast<int64_t>(lo), buffer));
      return;
    case TypeKind::TimestampTz:
      out.append(buffer, printTimestampTz(static_cast<int64_t>(lo), buffer));
      return;
    case TypeKind::Time:
      out.append(buffer, printTime(static_cast<int64_t>(lo), buffer));
      return;
    case TypeKind::Interval:
      out.append(buffer, printInterval(Interval::fromBits(lo, hi), buffer));
      return;
    case TypeKind::Uuid:
      out.append(buffer, printUuid(wideOf(lo, hi), buffer));
      return;
    case TypeKind::Money:
      appendMoneyText(static_cast<int64_t>(lo), out);
      return;
    case TypeKind::Bytea:
      appendByteaText(stringOf(lo, hi), bytea_output, out);
      return;
    case TypeKind::Oid:
    case TypeKind::Xid:
    case TypeKind::Regclass:
    case TypeKind::Regtype:
    case TypeKind::Regproc:
    case TypeKind::Regprocedure:
    case TypeKind::Regoper:
    case TypeKind::Regoperator:
    case TypeKind::Regcollation:
    case TypeKind::Regnamespace:
    case TypeKind::Regrole:
      appendObjectText(type.kind, static_cast<uint32_t>(lo), out);
      return;
    case TypeKind::Int2Vector:
    case TypeKind::OidVector:
      appendVectorText(type, stringOf(lo, hi), out);
      return;
    case TypeKind::TimeTz:
    case TypeKind::Bit:
    case TypeKind::VarBit:
    case TypeKind::Inet:
    case TypeKind::Cidr:
    case TypeKind::MacAddr:
    case TypeKind::MacAddr8:
    case TypeKind::PgLsn:
    case TypeKind::Xid8:
    case TypeKind::Tid: {
      const StringValue bytes = stringOf(lo, hi);
      return appendOrderedBytesText(type, bytes.view(), out);
    }
    case TypeKind::Jsonb: {
      const StringValue bytes = stringOf(lo, hi);
      return appendJsonbText(JsonbView(bytes.view()), out);
    }
    case TypeKind::InternalChar: {
      const StringValue byte = stringOf(lo, hi);
      return appendInternalCharText(byte.view(), out);
    }
    case TypeKind::Enum:
      return appendEnumText(type.definition(), static_cast<int64_t>(lo), out);
    case TypeKind::Record:
      return appendRecordText(stringOf(lo, hi), out, bytea_output);
    case TypeKind::Name:
    case TypeKind::NodeTree:
    case TypeKind::AclItem:
    case TypeKind::Text:
    case TypeKind::Varchar:
    case TypeKind::Char:
    case TypeKind::Refcursor:
    case TypeKind::Unknown:
    case TypeKind::Void:
    case TypeKind::Trigger:
    case TypeKind::Polymorphic:
    case TypeKind::Json:
    case TypeKind::JsonPath:
      break;
  }
  const StringValue text = stringOf(lo, hi);
  out += text.view();
}

void appendText(const Value& value, std::string& out) {
  const RegisterPair registers = toRegisters(value);
  appendText(value.type, registers.lo, registers.hi, out);
}

std::string toText(const Value& value) {
  std::string text;
  appendText(value, text);
  return text;
}

Value parseBinary(Type type, std::string_view bytes, unsigned parameter) {
  if (type.isArray()) return {type, false, 0, 0, parseArrayBinary(type.element(), bytes, parameter)};
  if (type.isVector()) return Value::fromString(type, parseArrayBinary(type.vectorArray().element(), bytes, parameter));
  if (type.isRecord()) return Value::fromString(type, parseRecordBinary(type, bytes, parameter));
  const int16_t length = type.wireLength();
  if (length > 0 && !type.isString() && !type.isEnum()) checkSize(bytes, static_cast<size_t>(length), parameter);
  const char* const data = bytes.data();
  switch (type.kind) {
    case TypeKind::Boolean:
      return Value::fromInt(type, data[0] != 0);
    case TypeKind::Smallint:
      return Value::fromInt(type, static_cast<int16_t>(loadBigEndian<uint16_t>(data)));
    case TypeKind::Integer:
      return Value::fromInt(type, static_cast<int32_t>(loadBigEndian<uint32_t>(data)));
    case TypeKind::Bigint:
    case TypeKind::Money:
      return Value::fromInt(type, static_cast<int64_t>(loadBigEndian<uint64_t>(data)));
    case TypeKind::Numeric:
      return parseNumericBinary(type, bytes, parameter);
    case TypeKind::Real:
      return fromDouble(type, static_cast<double>(std::bit_cast<float>(loadBigEndian<uint32_t>(data))));
    case TypeKind::Double:
      return fromDouble(type, std::bit_cast<double>(loadBigEndian<uint64_t>(data)));
    case TypeKind::Date:
      return parseDateBinary(type, static_cast<int32_t>(loadBigEndian<uint32_t>(data)));
    case TypeKind::Time:
      return parseTimeBinary(type, static_cast<int64_t>(loadBigEndian<uint64_t>(data)));
    case TypeKind::Timestamp:
    case TypeKind::TimestampTz:
      return parseTimestampBinary(type, static_cast<int64_t>(loadBigEndian<uint64_t>(data)));
    case TypeKind::Interval:
      return fromInterval(type, fitInterval({static_cast<int64_t>(loadBigEndian<uint64_t>(data)),
                                             static_cast<int32_t>(loadBigEndian<uint32_t>(data + 8)),
                                             static_cast<int32_t>(loadBigEndian<uint32_t>(data + 12))},
                                            type.typmod));
    case TypeKind::Uuid:
      return Value::fromInt128(type, uuidFromBytes(data));
    case TypeKind::Bytea:
      return Value::fromString(type, bytes);
    case TypeKind::Jsonb:
    case TypeKind::JsonPath:
      return parseTextBinary(type, jsonWireText(bytes, type.baseName()));
    case TypeKind::Oid:
    case TypeKind::Xid:
    case TypeKind::Regclass:
    case TypeKind::Regtype:
    case TypeKind::Regproc:
    case TypeKind::Regprocedure:
    case TypeKind::Regoper:
    case TypeKind::Regoperator:
    case TypeKind::Regcollation:
    case TypeKind::Regnamespace:
    case TypeKind::Regrole:
      return Value::fromInt(type, loadBigEndian<uint32_t>(data));
    case TypeKind::TimeTz:
    case TypeKind::Bit:
    case TypeKind::VarBit:
    case TypeKind::Inet:
    case TypeKind::Cidr:
    case TypeKind::MacAddr:
    case TypeKind::MacAddr8:
    case TypeKind::PgLsn:
    case TypeKind::Xid8:
    case TypeKind::Tid:
      return Value::fromString(type, parseOrderedBytesBinary(type, bytes, parameter));
    case TypeKind::InternalChar:
      checkSize(bytes, 1, parameter);
      return Value::fromString(type, data[0] == 0 ? std::string_view() : bytes);
    case TypeKind::Enum:
    case TypeKind::Record:
    case TypeKind::Name:
    case TypeKind::NodeTree:
    case TypeKind::AclItem:
    case TypeKind::Int2Vector:
    case TypeKind::OidVector:
    case TypeKind::Json:
    case TypeKind::Text:
    case TypeKind::Varchar:
    case TypeKind::Char:
    case TypeKind::Refcursor:
    case TypeKind::Unknown:
    case TypeKind::Void:
    case TypeKind::Trigger:
    case TypeKind::Polymorphic:
      break;
  }
  return parseTextBinary(type, bytes);
}

void appendBinary(Type type, uint64_t lo, uint64_t hi, std::string& out) {
  if (type.isArray()) return appendArrayBinary(type.element(), stringOf(lo, hi), out);
  if (type.isVector()) return appendVectorBinary(type, stringOf(lo, hi), out);
  switch (type.kind) {
    case TypeKind::Boolean:
      out += static_cast<char>(lo & 1);
      return;
    case TypeKind::Smallint:
      storeBigEndian(static_cast<uint16_t>(lo), out);
      return;
    case TypeKind::Integer:
    case TypeKind::Date:
    case TypeKind::Oid:
    case TypeKind::Xid:
    case TypeKind::Regclass:
    case TypeKind::Regtype:
    case TypeKind::Regproc:
    case TypeKind::Regprocedure:
    case TypeKind::Regoper:
    case TypeKind::Regoperator:
    case TypeKind::Regcollation:
    case TypeKind::Regnamespace:
    case TypeKind::Regrole:
      storeBigEndian(static_cast<uint32_t>(lo), out);
      return;
    case TypeKind::Real:
      storeBigEndian(std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(lo))), out);
      return;
    case TypeKind::Bigint:
    case TypeKind::Money:
    case TypeKind::Double:
    case TypeKind::Timestamp:
    case TypeKind::TimestampTz:
    case TypeKind::Time:
      storeBigEndian(lo, out);
      return;
    case TypeKind::Numeric:
      appendNumericBinary(type, lo, hi, out);
      return;
    case TypeKind::Interval:
      storeBigEndian(lo, out);
      storeBigEndian(static_cast<uint32_t>(hi), out);
      storeBigEndian(static_cast<uint32_t>(hi >> 32), out);
      return;
    case TypeKind::Uuid: {
      char bytes[kUuidBytes];
      uuidToBytes(wideOf(lo, hi), bytes);
      out.append(bytes, sizeof(bytes));
      return;
    }
    case TypeKind::TimeTz:
    case TypeKind::Bit:
    case TypeKind::VarBit:
    case TypeKind::Inet:
    case TypeKind::Cidr:
    case TypeKind::MacAddr:
    case TypeKind::MacAddr8:
    case TypeKind::PgLsn:
    case TypeKind::Xid8:
    case TypeKind::Tid: {
      const StringValue bytes = stringOf(lo, hi);
      return appendOrderedBytesBinary(type, bytes.view(), out);
    }
    case TypeKind::InternalChar: {
      // Of none a zero.
      const StringValue byte = stringOf(lo, hi);
      out += byte.view().empty() ? '\0' : byte.view().front();
      return;
    }
    case TypeKind::Enum:
      return appendEnumText(type.definition(), static_cast<int64_t>(lo), out);
    case TypeKind::Record:
      return appendRecordBinary(stringOf(lo, hi), out);
    case TypeKind::Jsonb:
    case TypeKind::JsonPath:
      out += kJsonWireVersion;
      return appendText(type, lo, hi, out);
    case TypeKind::AclItem:
      throw SqlError(sqlstate::kUndefinedFunction, "no binary output function available for type aclitem");
    case TypeKind::Name:
    case TypeKind::NodeTree:
    case TypeKind::Int2Vector:
    case TypeKind::OidVector:
    case TypeKind::Bytea:
    case TypeKind::Json:
    case TypeKind::Text:
    case TypeKind::Varchar:
    case TypeKind::Char:
    case TypeKind::Refcursor:
    case TypeKind::Unknown:
    case TypeKind::Void:
    case TypeKind::Trigger:
    case TypeKind::Polymorphic:
      break;
  }
  const StringValue text = stringOf(lo, hi);
  out += text.view();
}

void appendBinary(const Value& value, std::string& out) {
  const RegisterPair registers = toRegisters(value);
  appendBinary(value.type, registers.lo, registers.hi, out);
}

RegisterPair toRegisters(const Value& value) {
  if (value.type.physical() != Physical::String) return {value.lo, value.hi};
  const StringValue text = StringValue::refer(value.bytes, StringValue::Storage::Persistent);
  return {text.lo(), text.hi()};
}

Value fromRegisters(Type type, uint64_t lo, uint64_t hi) {
  if (type.physical() != Physical::String) return {type, false, lo, hi, {}};
  const StringValue text = stringOf(lo, hi);
  return Value::fromString(type, text.view());
}

}  // namespace gnomon::sql
