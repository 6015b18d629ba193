#pragma once

#include <cstdint>
#include <string>

namespace gnomon::sql {

/// The SQL types. Unknown is the type of an untyped literal, Void of functions without a value: an empty string,
/// Trigger of functions that triggers call.
/// TimeTz to Tid are held as bytes in the order of their values, Money as a number of cents. Oid to Regrole hold
/// numbers of the catalog's objects, InternalChar ("char") a byte or none, NodeTree (pg_node_tree) an expression as
/// SQL; Int2Vector and OidVector are arrays whose subscripts begin with 0. Enum and Record stand for many types: a
/// Type's typmod says which one (definition()). A Json is its text, a Jsonb as sql/types/jsonb_value.h says, a JsonPath
/// its text in one spelling, a Refcursor the name of a cursor. Polymorphic stands for the pseudo-types that routines
/// take: a Type's typmod is the oid of the one (sql/types/polymorphic.h); no value is of it.
enum class TypeKind : uint8_t {
  Boolean,
  Smallint,
  Integer,
  Bigint,
  Numeric,
  Real,
  Double,
  Text,
  Varchar,
  Char,
  Bytea,
  Date,
  Timestamp,
  TimestampTz,
  Time,
  Interval,
  Uuid,
  Money,
  Oid,
  Xid,
  Regclass,
  Regtype,
  Regproc,
  Regprocedure,
  Regoper,
  Regoperator,
  Regcollation,
  Regnamespace,
  Regrole,
  Name,
  InternalChar,
  NodeTree,
  AclItem,
  Int2Vector,
  OidVector,
  TimeTz,
  Bit,
  VarBit,
  Inet,
  Cidr,
  MacAddr,
  MacAddr8,
  PgLsn,
  Xid8,
  Tid,
  Enum,
  Record,
  Json,
  Jsonb,
  JsonPath,
  Refcursor,
  Unknown,
  Void,
  Trigger,
  Polymorphic,
};

/// The types of arrays have no names of their own: an array's kind is its element's with a bit set.
inline constexpr uint8_t kArrayKindBit = 0x80;
constexpr bool isArrayKind(TypeKind kind) {
  return (static_cast<uint8_t>(kind) & kArrayKindBit) != 0;
}
constexpr TypeKind arrayOf(TypeKind element) {
  return static_cast<TypeKind>(static_cast<uint8_t>(element) | kArrayKindBit);
}
constexpr TypeKind elementOf(TypeKind array) {
  return static_cast<TypeKind>(static_cast<uint8_t>(array) & ~kArrayKindBit);
}

/// How a numeric is held while a statement runs.
///   Small  scaled int64: at most 18 digits
///   Wide   scaled int128: up to 38 digits, arithmetic that may exceed them is checked (DecimalOverflow makes the
///          session plan the statement again with Big alone)
///   Big    any size, with a display scale of its own: an encoded StringValue (sql/types/big_numeric.h)
enum class NumericForm : uint8_t { Small, Wide, Big };

/// How a value of a type is held in registers and in memory.
///   Bool one byte; Int16..Int128 two's complement; Float32 (a double in registers); Float64; String: StringValue
///   (16 bytes), also of Big numerics, arrays and vectors (sql/types/array_value.h) and records
///   (sql/types/record_value.h); Interval: 16 bytes, microseconds (64 bits), days (32), months (32)
/// An enum's is the key of its label (sql/catalog/type_entry.h), an Int64 in the order of its labels.
enum class Physical : uint8_t { Bool, Int16, Int32, Int64, Int128, Float32, Float64, String, Interval };

/// A SQL type with its modifier and, for numerics, the representation chosen by the binder.
///
/// What the client sees is kind and typmod. Small and Wide numerics have a static scale: every value of the expression
/// is displayed with `scale` digits. `precision` bounds the digits (0..39; 39: over 38, checked arithmetic).
/// Units: dates are days since 2000-01-01, timestamps microseconds since 2000-01-01 00:00 (TimestampTz: of
/// UTC), times microseconds since midnight, 24:00 included; as in PostgreSQL INT_MAX, INT64_MAX are infinity and
/// INT_MIN, INT64_MIN -infinity. Of a uuid see sql/types/uuid.h.
struct Type {
  TypeKind kind = TypeKind::Unknown;
  NumericForm form : 2 = NumericForm::Big;
  uint8_t precision : 6 = 0;
  uint16_t scale : 5 = 0;
  /// Of texts, and of arrays of them: by which collation they are ordered (sql/types/collation.h). It says nothing of
  /// how values are held: types that differ in it alone are equal.
  uint16_t collation : 10 = 0;
  /// Of Small and Wide numerics: a value may be NaN, which is the largest one that they hold (decimalNan()). What is
  /// computed from such values is Big; without it none is NaN.
  uint16_t may_be_nan : 1 = 0;
  /// PostgreSQL's atttypmod: varchar/char n + 4, numeric ((p << 16) | s) + 4, none -1; of an array its elements'.
  /// Of enums and records the catalog's entry that defines the type; -1: a record of none, PostgreSQL's type record.
  int32_t typmod = -1;

  constexpr bool operator==(const Type& other) const {
    return kind == other.kind && form == other.form && precision == other.precision && scale == other.scale &&
           may_be_nan == other.may_be_nan && typmod == other.typmod;
  }

  static constexpr Type of(TypeKind kind, int32_t typmod = -1) { return {kind, NumericForm::Big, 0, 0, 0, 0, typmod}; }
  /// A numeric of Small or Wide form, as the digits allow; Big when they do not.
  static constexpr Type decimal(unsigned precision, unsigned scale, int32_t typmod = -1) {
    if (scale > kScaleMax) return of(TypeKind::Numeric, typmod);
    const NumericForm form = precision <= kSmallDigitsMax ? NumericForm::Small : NumericForm::Wide;
    const unsigned bounded = precision > kWideDigitsMax ? kWideDigitsMax + 1 : precision;
    return {TypeKind::Numeric, form, static_cast<uint8_t>(bounded), static_cast<uint16_t>(scale), 0, 0, typmod};
  }
  static constexpr Type bigNumeric(int32_t typmod = -1) { return of(TypeKind::Numeric, typmod); }
  /// The enum that this entry of the catalog is.
  static constexpr Type enumOf(uint32_t entry) { return of(TypeKind::Enum, static_cast<int32_t>(entry)); }
  /// The type of the rows of this relation of the catalog; 0: of none.
  static constexpr Type recordOf(uint32_t relation) {
    return of(TypeKind::Record, relation == 0 ? -1 : static_cast<int32_t>(relation));
  }

  /// Arithmetic in this type may leave its range: it must be checked.
  [[nodiscard]] constexpr bool isCheckedDecimal() const {
    return kind == TypeKind::Numeric && precision > kWideDigitsMax;
  }
  [[nodiscard]] constexpr bool isString() const {
    return kind == TypeKind::Text || kind == TypeKind::Varchar || kind == TypeKind::Char || kind == TypeKind::Unknown ||
           (kind >= TypeKind::Name && kind <= TypeKind::AclItem);
  }
  /// The number of an object of the catalog.
  [[nodiscard]] constexpr bool isOid() const { return kind >= TypeKind::Oid && kind <= TypeKind::Regrole; }
  /// Such a number that is read and shown as the object's name.
  [[nodiscard]] constexpr bool isRegistered() const { return kind >= TypeKind::Regclass && kind <= TypeKind::Regrole; }
  /// An int2vector or oidvector: held as an array.
  [[nodiscard]] constexpr bool isVector() const { return kind == TypeKind::Int2Vector || kind == TypeKind::OidVector; }
  /// Held as bytes that compare and hash as the values do: sql/types/time_tz.h, bit_string.h, network_address.h,
  /// transaction_number.h, tuple_place.h.
  [[nodiscard]] constexpr bool isOrderedBytes() const { return kind >= TypeKind::TimeTz && kind <= TypeKind::Tid; }
  [[nodiscard]] constexpr bool isBitString() const { return kind == TypeKind::Bit || kind == TypeKind::VarBit; }
  /// A sequence of bytes that compares and hashes by them: a string, a bytea, or another value held so.
  [[nodiscard]] constexpr bool isByteString() const {
    return isString() || kind == TypeKind::Bytea || isOrderedBytes();
  }
  [[nodiscard]] constexpr bool isInteger() const {
    return kind == TypeKind::Smallint || kind == TypeKind::Integer || kind == TypeKind::Bigint;
  }
  [[nodiscard]] constexpr bool isFloat() const { return kind == TypeKind::Real || kind == TypeKind::Double; }
  [[nodiscard]] constexpr bool isNumber() const { return isInteger() || isFloat() || kind == TypeKind::Numeric; }
  [[nodiscard]] constexpr bool isArray() const { return isArrayKind(kind); }
  [[nodiscard]] constexpr Type collatedBy(uint16_t order) const {
    Type type = *this;
    type.collation = order & 0x3FF;
    return type;
  }
  /// The same where no value is NaN, or where one may be.
  [[nodiscard]] constexpr Type withNan(bool may_be) const {
    Type type = *this;
    type.may_be_nan = may_be && isFixedNumeric() ? 1 : 0;
    return type;
  }
  /// A scaled integer.
  [[nodiscard]] constexpr bool isFixedNumeric() const { return kind == TypeKind::Numeric && form != NumericForm::Big; }
  /// Of an array; its numerics are Big.
  [[nodiscard]] constexpr Type element() const { return of(elementOf(kind), typmod).collatedBy(collation); }
  /// The array that a vector is held as.
  [[nodiscard]] constexpr Type vectorArray() const {
    return of(arrayOf(kind == TypeKind::Int2Vector ? TypeKind::Smallint : TypeKind::Oid));
  }
  /// The array of such values.
  [[nodiscard]] constexpr Type array() const { return of(arrayOf(kind), typmod).collatedBy(collation); }
  [[nodiscard]] constexpr bool isEnum() const { return kind == TypeKind::Enum; }
  [[nodiscard]] constexpr bool isRecord() const { return kind == TypeKind::Record; }
  [[nodiscard]] constexpr bool isPolymorphic() const { return kind == TypeKind::Polymorphic; }
  /// An enum or a record, or an array of them: another typmod is another type.
  [[nodiscard]] constexpr bool isDefined() const {
    return elementOf(kind) == TypeKind::Enum || elementOf(kind) == TypeKind::Record;
  }
  /// The oid of the catalog's entry that defines such a type; 0: none does.
  [[nodiscard]] constexpr uint32_t definition() const { return typmod < 0 ? 0 : static_cast<uint32_t>(typmod); }
  /// Whether values of both are of one type, modifiers aside.
  [[nodiscard]] constexpr bool isSameAs(const Type& other) const {
    return kind == other.kind && ((!isDefined() && !isPolymorphic()) || typmod == other.typmod);
  }
  /// A value of several parts, which are compared by what they are: an array or a record.
  [[nodiscard]] constexpr bool isComposed() const { return isArray() || isRecord(); }
  [[nodiscard]] constexpr bool isBig() const { return kind == TypeKind::Numeric && form == NumericForm::Big; }
  [[nodiscard]] Physical physical() const;
  /// PostgreSQL's atttypmod and pg_type.oid and typlen.
  [[nodiscard]] constexpr int32_t modifier() const { return isDefined() || isPolymorphic() ? -1 : typmod; }
  [[nodiscard]] uint32_t oid() const;
  [[nodiscard]] int16_t wireLength() const;
  /// As format_type shows it: "integer", "numeric(15,2)", "character varying(10)", "timestamp without time zone".
  [[nodiscard]] std::string name() const;
  /// The name without modifier.
  [[nodiscard]] std::string baseName() const;

  static constexpr unsigned kSmallDigitsMax = 18;
  static constexpr unsigned kWideDigitsMax = 38;
  static constexpr unsigned kScaleMax = 30;
};
/// Generated code hands types to functions as 64 bits.
static_assert(sizeof(Type) == sizeof(uint64_t));

/// The oids of types that users make follow from those of the catalog's entries: an enum's and a domain's is its
/// entry's; that of a relation's rows has the first of these bits set besides, that of an array the second.
inline constexpr uint32_t kRowTypeBit = 0x8000'0000;
inline constexpr uint32_t kArrayTypeBit = 0x4000'0000;

/// The type with PostgreSQL's oid; Unknown (705) is the type of a parameter left open. False when there is none: types
/// that users make are not looked at (sql/catalog/user_types.h).
bool typeFromOid(uint32_t oid, Type& type);

/// numeric(precision, scale) as a column or cast target: Small or Wide where it fits, which may be NaN, Big otherwise.
Type numericWithModifier(int precision, int scale);

}  // namespace gnomon::sql
