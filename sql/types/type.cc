#include "sql/types/type.h"

#include <fmt/format.h>

#include <array>

#include "sql/catalog/user_types.h"
#include "sql/types/decimal.h"
#include "sql/types/polymorphic.h"

namespace gnomon::sql {
namespace {

struct KindRow {
  TypeKind kind;
  uint32_t oid;
  uint32_t array_oid;
  int16_t wire_length;
  Physical physical;
  const char* name;
};

/// In the order of TypeKind. Numeric's physical type depends on its form.
constexpr std::array kKindRows{
    KindRow{TypeKind::Boolean, 16, 1000, 1, Physical::Bool, "boolean"},
    KindRow{TypeKind::Smallint, 21, 1005, 2, Physical::Int16, "smallint"},
    KindRow{TypeKind::Integer, 23, 1007, 4, Physical::Int32, "integer"},
    KindRow{TypeKind::Bigint, 20, 1016, 8, Physical::Int64, "bigint"},
    KindRow{TypeKind::Numeric, 1700, 1231, -1, Physical::String, "numeric"},
    KindRow{TypeKind::Real, 700, 1021, 4, Physical::Float32, "real"},
    KindRow{TypeKind::Double, 701, 1022, 8, Physical::Float64, "double precision"},
    KindRow{TypeKind::Text, 25, 1009, -1, Physical::String, "text"},
    KindRow{TypeKind::Varchar, 1043, 1015, -1, Physical::String, "character varying"},
    KindRow{TypeKind::Char, 1042, 1014, -1, Physical::String, "character"},
    KindRow{TypeKind::Bytea, 17, 1001, -1, Physical::String, "bytea"},
    KindRow{TypeKind::Date, 1082, 1182, 4, Physical::Int32, "date"},
    KindRow{TypeKind::Timestamp, 1114, 1115, 8, Physical::Int64, "timestamp without time zone"},
    KindRow{TypeKind::TimestampTz, 1184, 1185, 8, Physical::Int64, "timestamp with time zone"},
    KindRow{TypeKind::Time, 1083, 1183, 8, Physical::Int64, "time without time zone"},
    KindRow{TypeKind::Interval, 1186, 1187, 16, Physical::Interval, "interval"},
    KindRow{TypeKind::Uuid, 2950, 2951, 16, Physical::Int128, "uuid"},
    KindRow{TypeKind::Money, 790, 791, 8, Physical::Int64, "money"},
    KindRow{TypeKind::Oid, 26, 1028, 4, Physical::Int64, "oid"},
    KindRow{TypeKind::Xid, 28, 1011, 4, Physical::Int64, "xid"},
    KindRow{TypeKind::Regclass, 2205, 2210, 4, Physical::Int64, "regclass"},
    KindRow{TypeKind::Regtype, 2206, 2211, 4, Physical::Int64, "regtype"},
    KindRow{TypeKind::Regproc, 24, 1008, 4, Physical::Int64, "regproc"},
    KindRow{TypeKind::Regprocedure, 2202, 2207, 4, Physical::Int64, "regprocedure"},
    KindRow{TypeKind::Regoper, 2203, 2208, 4, Physical::Int64, "regoper"},
    KindRow{TypeKind::Regoperator, 2204, 2209, 4, Physical::Int64, "regoperator"},
    KindRow{TypeKind::Regcollation, 4191, 4192, 4, Physical::Int64, "regcollation"},
    KindRow{TypeKind::Regnamespace, 4089, 4090, 4, Physical::Int64, "regnamespace"},
    KindRow{TypeKind::Regrole, 4096, 4097, 4, Physical::Int64, "regrole"},
    KindRow{TypeKind::Name, 19, 1003, 64, Physical::String, "name"},
    KindRow{TypeKind::InternalChar, 18, 1002, 1, Physical::String, "\"char\""},
    KindRow{TypeKind::NodeTree, 194, 0, -1, Physical::String, "pg_node_tree"},
    KindRow{TypeKind::AclItem, 1033, 1034, 12, Physical::String, "aclitem"},
    KindRow{TypeKind::Int2Vector, 22, 1006, -1, Physical::String, "int2vector"},
    KindRow{TypeKind::OidVector, 30, 1013, -1, Physical::String, "oidvector"},
    KindRow{TypeKind::TimeTz, 1266, 1270, 12, Physical::String, "time with time zone"},
    KindRow{TypeKind::Bit, 1560, 1561, -1, Physical::String, "bit"},
    KindRow{TypeKind::VarBit, 1562, 1563, -1, Physical::String, "bit varying"},
    KindRow{TypeKind::Inet, 869, 1041, -1, Physical::String, "inet"},
    KindRow{TypeKind::Cidr, 650, 651, -1, Physical::String, "cidr"},
    KindRow{TypeKind::MacAddr, 829, 1040, 6, Physical::String, "macaddr"},
    KindRow{TypeKind::MacAddr8, 774, 775, 8, Physical::String, "macaddr8"},
    KindRow{TypeKind::PgLsn, 3220, 3221, 8, Physical::String, "pg_lsn"},
    KindRow{TypeKind::Xid8, 5069, 271, 8, Physical::String, "xid8"},
    KindRow{TypeKind::Tid, 27, 1010, 6, Physical::String, "tid"},
    KindRow{TypeKind::Enum, 0, 0, 4, Physical::Int64, "enum"},
    KindRow{TypeKind::Record, 2249, 2287, -1, Physical::String, "record"},
    KindRow{TypeKind::Json, 114, 199, -1, Physical::String, "json"},
    KindRow{TypeKind::Jsonb, 3802, 3807, -1, Physical::String, "jsonb"},
    KindRow{TypeKind::JsonPath, 4072, 4073, -1, Physical::String, "jsonpath"},
    KindRow{TypeKind::Refcursor, 1790, 2201, -1, Physical::String, "refcursor"},
    KindRow{TypeKind::Unknown, 705, 0, -2, Physical::String, "unknown"},
    KindRow{TypeKind::Void, 2278, 0, 4, Physical::String, "void"},
    KindRow{TypeKind::Trigger, 2279, 0, 4, Physical::String, "trigger"},
    KindRow{TypeKind::Polymorphic, 0, 0, 4, Physical::String, "polymorphic"},
};

constexpr bool rowsInOrder() {
  for (size_t index = 0; index < kKindRows.size(); ++index)
    if (static_cast<size_t>(kKindRows[index].kind) != index) return false;
  return true;
}
static_assert(rowsInOrder());

const KindRow& rowOf(TypeKind kind) {
  return kKindRows[static_cast<size_t>(elementOf(kind))];
}

constexpr int32_t kIntervalFullPrecision = 0xffff;
constexpr int32_t kIntervalFullRange = 0x7fff;

/// The field range of an interval's modifier, as format_type spells it; bits as PostgreSQL's INTERVAL_MASK.
const char* intervalRangeName(int32_t range) {
  constexpr int32_t kMonth = 1 << 1, kYear = 1 << 2, kDay = 1 << 3, kHour = 1 << 10, kMinute = 1 << 11,
                    kSecond = 1 << 12;
  switch (range) {
    case kYear:
      return " year";
    case kMonth:
      return " month";
    case kDay:
      return " day";
    case kHour:
      return " hour";
    case kMinute:
      return " minute";
    case kSecond:
      return " second";
    case kYear | kMonth:
      return " year to month";
    case kDay | kHour:
      return " day to hour";
    case kDay | kHour | kMinute:
      return " day to minute";
    case kDay | kHour | kMinute | kSecond:
      return " day to second";
    case kHour | kMinute:
      return " hour to minute";
    case kHour | kMinute | kSecond:
      return " hour to second";
    case kMinute | kSecond:
      return " minute to second";
    default:
      return "";
  }
}

std::string intervalName(int32_t typmod) {
  std::string name = "interval";
  const int32_t range = (typmod >> 16) & kIntervalFullRange;
  const int32_t precision = typmod & kIntervalFullPrecision;
  if (range != kIntervalFullRange) name += intervalRangeName(range);
  if (precision != kIntervalFullPrecision) name += fmt::format("({})", precision);
  return name;
}

}  // namespace

Physical Type::physical() const {
  if (kind == TypeKind::Numeric && form == NumericForm::Small) return Physical::Int64;
  if (kind == TypeKind::Numeric && form == NumericForm::Wide) return Physical::Int128;
  if (isArray()) return Physical::String;
  return rowOf(kind).physical;
}

uint32_t Type::oid() const {
  if (isPolymorphic()) return static_cast<uint32_t>(typmod);
  if (isDefined() && definition() != 0) {
    const uint32_t own = definition() | (elementOf(kind) == TypeKind::Record ? kRowTypeBit : 0);
    return own | (isArray() ? kArrayTypeBit : 0);
  }
  return isArray() ? rowOf(kind).array_oid : rowOf(kind).oid;
}

int16_t Type::wireLength() const {
  return isArray() ? -1 : rowOf(kind).wire_length;
}

std::string Type::baseName() const {
  if (isPolymorphic()) return std::string(polymorphicName(*this));
  if (isDefined() && definition() != 0) return userTypeName(definition()) + (isArray() ? "[]" : "");
  return isArray() ? std::string(rowOf(kind).name) + "[]" : rowOf(kind).name;
}

std::string Type::name() const {
  if (isArray()) return element().name() + "[]";
  // A char without length is bpchar: plain "character" means character(1).
  if (kind == TypeKind::Char && typmod < 0) return "bpchar";
  if (typmod < 0 || isDefined()) return baseName();
  switch (kind) {
    case TypeKind::Numeric:
      return fmt::format("numeric({},{})", modifierPrecision(typmod), modifierScale(typmod));
    case TypeKind::Varchar:
    case TypeKind::Char:
      return fmt::format("{}({})", baseName(), typmod - 4);
    case TypeKind::Timestamp:
      return fmt::format("timestamp({}) without time zone", typmod);
    case TypeKind::TimestampTz:
      return fmt::format("timestamp({}) with time zone", typmod);
    case TypeKind::Time:
      return fmt::format("time({}) without time zone", typmod);
    case TypeKind::TimeTz:
      return fmt::format("time({}) with time zone", typmod);
    case TypeKind::Bit:
    case TypeKind::VarBit:
      return fmt::format("{}({})", baseName(), typmod);
    case TypeKind::Interval:
      return intervalName(typmod);
    default:
      return baseName();
  }
}

bool typeFromOid(uint32_t oid, Type& type) {
  for (const KindRow& row : kKindRows) {
    if (row.kind == TypeKind::Polymorphic) continue;
    if (row.oid != oid && (row.array_oid != oid || oid == 0)) continue;
    type = Type::of(row.oid == oid ? row.kind : arrayOf(row.kind));
    return true;
  }
  return false;
}

Type numericWithModifier(int precision, int scale) {
  const int32_t typmod = numericModifier(precision, scale);
  const bool is_static = scale >= 0 && scale <= precision && precision <= static_cast<int>(Type::kWideDigitsMax);
  if (!is_static) return Type::bigNumeric(typmod);
  return Type::decimal(static_cast<unsigned>(precision), static_cast<unsigned>(scale), typmod).withNan(true);
}

}  // namespace gnomon::sql
