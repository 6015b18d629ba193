#include "sql/bind/type_name.h"

#include <fmt/format.h>

#include <charconv>

#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

constexpr std::pair<std::string_view, TypeKind> kKinds[] = {
    {"bool", TypeKind::Boolean},
    {"int2", TypeKind::Smallint},
    {"int4", TypeKind::Integer},
    {"int8", TypeKind::Bigint},
    {"numeric", TypeKind::Numeric},
    {"float4", TypeKind::Real},
    {"float8", TypeKind::Double},
    {"text", TypeKind::Text},
    {"varchar", TypeKind::Varchar},
    {"bpchar", TypeKind::Char},
    {"date", TypeKind::Date},
    {"timestamp", TypeKind::Timestamp},
    {"interval", TypeKind::Interval},
    {"bytea", TypeKind::Bytea},
    {"timestamptz", TypeKind::TimestampTz},
    {"time", TypeKind::Time},
    {"uuid", TypeKind::Uuid},
    {"oid", TypeKind::Oid},
    {"xid", TypeKind::Xid},
    {"name", TypeKind::Name},
    {"char", TypeKind::InternalChar},
    {"regclass", TypeKind::Regclass},
    {"regtype", TypeKind::Regtype},
    {"regproc", TypeKind::Regproc},
    {"regrole", TypeKind::Regrole},
    {"aclitem", TypeKind::AclItem},
    {"int2vector", TypeKind::Int2Vector},
    {"regprocedure", TypeKind::Regprocedure},
    {"regnamespace", TypeKind::Regnamespace},
    {"oidvector", TypeKind::OidVector},
    {"pg_node_tree", TypeKind::NodeTree},
};

/// Types of PostgreSQL that Gnomon has not, with the names its messages give them where they differ.
constexpr std::pair<std::string_view, std::string_view> kMissing[] = {
    {"json", ""},
    {"jsonb", ""},
    {"xml", ""},
    {"money", ""},
    {"inet", ""},
    {"cidr", ""},
    {"macaddr", ""},
    {"macaddr8", ""},
    {"bit", ""},
    {"varbit", "bit varying"},
    {"point", ""},
    {"line", ""},
    {"lseg", ""},
    {"box", ""},
    {"path", ""},
    {"polygon", ""},
    {"circle", ""},
    {"tsvector", ""},
    {"tsquery", ""},
    {"regoper", ""},
    {"regoperator", ""},
    {"regconfig", ""},
    {"regdictionary", ""},
    {"regcollation", ""},
    {"xid8", ""},
    {"cid", ""},
    {"tid", ""},
    {"pg_lsn", ""},
    {"int4range", ""},
    {"int8range", ""},
    {"numrange", ""},
    {"tsrange", ""},
    {"tstzrange", ""},
    {"daterange", ""},
    {"jsonpath", ""},
    {"record", ""},
    {"int4multirange", ""},
    {"int8multirange", ""},
    {"nummultirange", ""},
    {"datemultirange", ""},
    {"tsmultirange", ""},
    {"tstzmultirange", ""},
    {"txid_snapshot", ""},
    {"pg_snapshot", ""},
    {"refcursor", ""},
    {"void", ""},
    {"trigger", ""},
    {"cstring", ""},
    {"unknown", ""},
    {"gtsvector", ""},
    {"any", "\"any\""},
    {"anyelement", ""},
    {"anyarray", ""},
    {"internal", ""},
    {"timetz", "time with time zone"},
};

int modifierValue(const ast::TypeName& name, size_t index) {
  const std::string& text = name.modifiers[index];
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw SqlError(sqlstate::kInvalidTextRepresentation,
                   fmt::format("invalid input syntax for type integer: \"{}\"", text))
        .position(name.position);
  return value;
}

void requireCount(const ast::TypeName& name, size_t count_max) {
  if (name.modifiers.size() > count_max)
    throw SqlError(sqlstate::kInvalidParameterValue, "invalid type modifier").position(name.position);
}

Type stringType(const ast::TypeName& name, TypeKind kind) {
  static constexpr int kLengthMax = 10'485'760;
  static constexpr int kHeaderBytes = 4;
  requireCount(name, 1);
  const int length = modifierValue(name, 0);
  const std::string_view shown = kind == TypeKind::Char ? "char" : "varchar";
  if (length < 1)
    throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("length for type {} must be at least 1", shown))
        .position(name.position);
  if (length > kLengthMax)
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("length for type {} cannot exceed {}", shown, kLengthMax))
        .position(name.position);
  return Type::of(kind, length + kHeaderBytes);
}

Type numericType(const ast::TypeName& name) {
  static constexpr int kPrecisionMax = 1000;
  if (name.modifiers.size() > 2)
    throw SqlError(sqlstate::kInvalidParameterValue, "invalid NUMERIC type modifier").position(name.position);
  const int precision = modifierValue(name, 0);
  const int scale = name.modifiers.size() > 1 ? modifierValue(name, 1) : 0;
  if (precision < 1 || precision > kPrecisionMax)
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("NUMERIC precision {} must be between 1 and {}", precision, kPrecisionMax))
        .position(name.position);
  if (scale < -kPrecisionMax || scale > kPrecisionMax)
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("NUMERIC scale {} must be between -{} and {}", scale, kPrecisionMax, kPrecisionMax))
        .position(name.position);
  return numericWithModifier(precision, scale);
}

/// interval with fields and precision: the modifier is (fields << 16) | precision.
Type intervalType(const ast::TypeName& name) {
  static constexpr int kPrecisionMax = 6;
  static constexpr int kFullPrecision = 0xffff;
  requireCount(name, 2);
  const int fields = modifierValue(name, 0);
  int precision = kFullPrecision;
  if (name.modifiers.size() > 1) {
    precision = modifierValue(name, 1);
    if (precision < 0)
      throw SqlError(sqlstate::kInvalidParameterValue,
                     fmt::format("INTERVAL({}) precision must not be negative", precision))
          .position(name.position);
    precision = std::min(precision, kPrecisionMax);
  }
  return Type::of(TypeKind::Interval, (fields << 16) | precision);
}

/// timestamp, timestamptz and time with a precision.
Type pointType(const ast::TypeName& name, TypeKind kind) {
  static constexpr int kPrecisionMax = 6;
  requireCount(name, 1);
  const int precision = modifierValue(name, 0);
  if (precision < 0)
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("{}({}){} precision must not be negative", kind == TypeKind::Time ? "TIME" : "TIMESTAMP",
                               precision, kind == TypeKind::TimestampTz ? " WITH TIME ZONE" : ""))
        .position(name.position);
  return Type::of(kind, std::min(precision, kPrecisionMax));
}

Type withModifiers(const ast::TypeName& name, TypeKind kind) {
  switch (kind) {
    case TypeKind::Numeric:
      return numericType(name);
    case TypeKind::Varchar:
    case TypeKind::Char:
      return stringType(name, kind);
    case TypeKind::Interval:
      return intervalType(name);
    case TypeKind::Timestamp:
    case TypeKind::TimestampTz:
    case TypeKind::Time:
      return pointType(name, kind);
    default:
      throw SqlError(sqlstate::kSyntaxError, fmt::format("type modifier is not allowed for type \"{}\"", name.name))
          .position(name.position);
  }
}

}  // namespace

std::optional<TypeKind> findTypeKind(std::string_view catalog_name) {
  // The catalog's name of an array's type begins with an underscore.
  const bool is_array = catalog_name.starts_with('_');
  for (const auto& [name, kind] : kKinds)
    if (name == catalog_name.substr(is_array ? 1 : 0)) return is_array ? arrayOf(kind) : kind;
  return std::nullopt;
}

Type resolveTypeName(const ast::TypeName& name) {
  const bool in_catalog = name.schema.empty() || name.schema == "pg_catalog";
  const auto kind = in_catalog ? findTypeKind(name.name) : std::nullopt;
  if (kind) {
    const Type type = name.modifiers.empty() ? Type::of(*kind) : withModifiers(name, *kind);
    return name.is_array ? type.array() : type;
  }
  if (in_catalog)
    for (const auto& [missing, shown] : kMissing)
      if (missing == name.name)
        throwNotSupported(fmt::format("type \"{}{}\"", shown.empty() ? missing : shown, name.is_array ? "[]" : ""),
                          name.position);
  if (!name.schema.empty() && name.schema != "pg_catalog" && name.schema != "public")
    throw SqlError(sqlstate::kInvalidSchemaName, fmt::format("schema \"{}\" does not exist", name.schema))
        .position(name.position);
  const std::string qualified = name.schema.empty() ? name.name : name.schema + "." + name.name;
  throw SqlError(sqlstate::kUndefinedObject,
                 fmt::format("type \"{}{}\" does not exist", qualified, name.is_array ? "[]" : ""))
      .position(name.position);
}

}  // namespace gnomon::sql
