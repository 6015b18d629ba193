#include "sql/bind/type_name.h"

#include <fmt/format.h>

#include <charconv>

#include "base/sql_error.h"
#include "sql/bind/collation.h"
#include "sql/bind/stored_reference.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/user_types.h"
#include "sql/types/polymorphic.h"

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
    {"timetz", TypeKind::TimeTz},
    {"bit", TypeKind::Bit},
    {"varbit", TypeKind::VarBit},
    {"inet", TypeKind::Inet},
    {"cidr", TypeKind::Cidr},
    {"macaddr", TypeKind::MacAddr},
    {"macaddr8", TypeKind::MacAddr8},
    {"pg_lsn", TypeKind::PgLsn},
    {"money", TypeKind::Money},
    {"xid8", TypeKind::Xid8},
    {"tid", TypeKind::Tid},
    {"regoper", TypeKind::Regoper},
    {"regoperator", TypeKind::Regoperator},
    {"regcollation", TypeKind::Regcollation},
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
    {"record", TypeKind::Record},
    {"json", TypeKind::Json},
    {"jsonb", TypeKind::Jsonb},
    {"jsonpath", TypeKind::JsonPath},
    {"refcursor", TypeKind::Refcursor},
};

/// Types of PostgreSQL that Gnomon has not, with the names its messages give them where they differ.
constexpr std::pair<std::string_view, std::string_view> kMissing[] = {
    {"xml", ""},
    {"point", ""},
    {"line", ""},
    {"lseg", ""},
    {"box", ""},
    {"path", ""},
    {"polygon", ""},
    {"circle", ""},
    {"tsvector", ""},
    {"tsquery", ""},
    {"regconfig", ""},
    {"regdictionary", ""},
    {"cid", ""},
    {"int4range", ""},
    {"int8range", ""},
    {"numrange", ""},
    {"tsrange", ""},
    {"tstzrange", ""},
    {"daterange", ""},
    {"jsonpath", ""},
    {"int4multirange", ""},
    {"int8multirange", ""},
    {"nummultirange", ""},
    {"datemultirange", ""},
    {"tsmultirange", ""},
    {"tstzmultirange", ""},
    {"txid_snapshot", ""},
    {"pg_snapshot", ""},
    {"void", ""},
    {"trigger", ""},
    {"event_trigger", ""},
    {"cstring", ""},
    {"unknown", ""},
    {"gtsvector", ""},
    {"any", "\"any\""},
    {"anyelement", ""},
    {"anyarray", ""},
    {"anynonarray", ""},
    {"anyenum", ""},
    {"anycompatible", ""},
    {"anycompatiblearray", ""},
    {"anycompatiblenonarray", ""},
    {"anyrange", ""},
    {"anymultirange", ""},
    {"anycompatiblerange", ""},
    {"anycompatiblemultirange", ""},
    {"internal", ""},
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

/// bit(n) and bit varying(n).
Type bitType(const ast::TypeName& name, TypeKind kind) {
  static constexpr int kLengthMax = 83'886'080;
  requireCount(name, 1);
  const int length = modifierValue(name, 0);
  const std::string_view shown = kind == TypeKind::Bit ? "bit" : "varbit";
  if (length < 1)
    throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("length for type {} must be at least 1", shown))
        .position(name.position);
  if (length > kLengthMax)
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("length for type {} cannot exceed {}", shown, kLengthMax))
        .position(name.position);
  return Type::of(kind, length);
}

/// timestamp and time, with or without time zone, with a precision.
Type pointType(const ast::TypeName& name, TypeKind kind) {
  static constexpr int kPrecisionMax = 6;
  requireCount(name, 1);
  const int precision = modifierValue(name, 0);
  const bool is_time = kind == TypeKind::Time || kind == TypeKind::TimeTz;
  const bool has_zone = kind == TypeKind::TimestampTz || kind == TypeKind::TimeTz;
  if (precision < 0)
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("{}({}){} precision must not be negative", is_time ? "TIME" : "TIMESTAMP", precision,
                               has_zone ? " WITH TIME ZONE" : ""))
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
    case TypeKind::TimeTz:
      return pointType(name, kind);
    case TypeKind::Bit:
    case TypeKind::VarBit:
      return bitType(name, kind);
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

namespace {

bool hasSchema(const std::string& name) {
  const CatalogSession* const session = catalogSession();
  return session != nullptr ? session->catalog.findSchema(session->catalog.searchPath().actual(name)) != nullptr
                            : name == "public";
}

NamedType definedType(const ast::TypeName& name, const TableEntry& entry) {
  if (!name.modifiers.empty())
    throw SqlError(sqlstate::kSyntaxError, fmt::format("type modifier is not allowed for type \"{}\"", name.name))
        .position(name.position);
  const bool is_domain = entry.type && entry.type->form == TypeEntry::Form::Domain;
  const Type type = typeOfEntry(entry);
  if (!name.is_array) return {type, is_domain ? entry.oid : 0};
  if (type.isArray()) throwNotSupported("arrays of domains over arrays", name.position);
  return {type.array(), is_domain ? entry.oid | kArrayTypeBit : 0};
}

/// Without its collation.
NamedType resolvePlainName(const ast::TypeName& name) {
  const bool in_catalog = name.schema.empty() || name.schema == "pg_catalog";
  const auto kind = in_catalog ? findTypeKind(name.name) : std::nullopt;
  if (kind) {
    const Type type = name.modifiers.empty() ? Type::of(*kind) : withModifiers(name, *kind);
    return {name.is_array ? type.array() : type};
  }
  if (in_catalog)
    for (const auto& [missing, shown] : kMissing)
      if (missing == name.name)
        throwNotSupported(fmt::format("type \"{}{}\"", shown.empty() ? missing : shown, name.is_array ? "[]" : ""),
                          name.position);
  const std::optional<uint32_t> oid = oidOf(name.schema);
  if (const TablePtr entry = oid ? findTypeEntry(*oid) : findTypeEntry(name.schema, name.name))
    return definedType(name, *entry);
  if (!name.schema.empty() && name.schema != "pg_catalog" && !hasSchema(name.schema))
    throw SqlError(sqlstate::kInvalidSchemaName, fmt::format("schema \"{}\" does not exist", name.schema))
        .position(name.position);
  const std::string qualified = name.schema.empty() ? name.name : name.schema + "." + name.name;
  throw SqlError(sqlstate::kUndefinedObject,
                 fmt::format("type \"{}{}\" does not exist", qualified, name.is_array ? "[]" : ""))
      .position(name.position);
}

}  // namespace

NamedType resolveTypeName(const ast::TypeName& name) {
  NamedType result = resolvePlainName(name);
  if (name.collation.empty()) return result;
  const uint16_t collation = resolveCollation(name.collation, name.collation_position);
  requireCollatable(result.type, name.collation_position);
  result.type.collation = collation;
  return result;
}

NamedType resolveRoutineTypeName(const ast::TypeName& name) {
  const bool in_catalog = name.schema.empty() || name.schema == "pg_catalog";
  if (!in_catalog) return resolveTypeName(name);
  const std::optional<Type> polymorphic = polymorphicNamed(name.name);
  if (name.is_array) {
    if (!polymorphic) return resolveTypeName(name);
    throw SqlError(sqlstate::kUndefinedObject, fmt::format("type \"{}[]\" does not exist", name.name))
        .position(name.position);
  }
  if (polymorphic) return {*polymorphic};
  if (name.name == "record") return {Type::recordOf(0)};
  if (name.name == "void") return {Type::of(TypeKind::Void)};
  if (name.name == "trigger") return {Type::of(TypeKind::Trigger)};
  return resolveTypeName(name);
}

}  // namespace gnomon::sql
