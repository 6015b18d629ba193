#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

/// What is said in PostgreSQL 15's own catalogs, of what Gnomon has of it: numbers and names that clients know.
namespace gnomon::sql::pg_catalog {

/// A relation of schema pg_catalog.
struct RelationFacts {
  uint32_t oid;
  std::string_view name;
  char kind;                 ///< pg_class.relkind
  std::string_view columns;  ///< "name type,name type!,...": `!` is NOT NULL
};
std::span<const RelationFacts> relationFacts();

/// A relation of PostgreSQL's that is not among them. `schema` empty: pg_catalog.
bool isMissingRelation(std::string_view schema, std::string_view name);

struct TypeFacts {
  uint32_t oid;
  uint32_t array;  ///< 0: there are no arrays of it
  std::string_view name;
  int16_t length;
  bool is_by_value;
  char category;
  bool is_preferred;
  char align;
  char storage;
  /// typinput, typoutput, typreceive, typsend, typmodin, typmodout, typanalyze, typsubscript; 0: none
  std::array<uint32_t, 8> functions;
  uint32_t collation;
  uint32_t element;
  char kind;  ///< typtype
};
/// In the order of their oids; those of arrays follow from their elements'.
std::span<const TypeFacts> typeFacts();
/// Null: there is none.
const TypeFacts* findTypeFacts(uint32_t oid);
/// The facts of an array's type.
TypeFacts arrayFacts(const TypeFacts& element);

/// Something of the system that is a name and a number.
struct NamedFacts {
  uint32_t oid;
  std::string_view name;
};
inline constexpr uint32_t kInternalLanguage = 12, kCLanguage = 13, kSqlLanguage = 14, kPlpgsqlLanguageOid = 13563;
inline constexpr NamedFacts kLanguages[] = {
    {kInternalLanguage, "internal"}, {kCLanguage, "c"}, {kSqlLanguage, "sql"}, {kPlpgsqlLanguageOid, "plpgsql"}};
inline constexpr uint32_t kPlpgsqlExtensionOid = 13559;
inline constexpr NamedFacts kTablespaces[] = {{1663, "pg_default"}};

struct ProcedureFacts {
  uint32_t oid;
  std::string_view name;
  char kind;  ///< pg_proc.prokind: f, a (aggregate), w (window function)
  char volatility;
  bool is_strict;
  bool returns_set;
  uint32_t result;
  std::vector<uint32_t> arguments;
};
/// In the order of their names.
const std::vector<ProcedureFacts>& procedureFacts();
/// Null: there is none.
const ProcedureFacts* findProcedureFacts(uint32_t oid);
/// Whether one has the name.
bool hasProcedure(std::string_view name);

struct OperatorFacts {
  uint32_t oid;
  std::string_view name;
  uint32_t left;  ///< 0: there is none
  uint32_t right, result;
};
/// In the order of their oids.
const std::vector<OperatorFacts>& operatorFacts();
/// Null: there is none.
const OperatorFacts* findOperatorFacts(uint32_t oid);

struct OperatorClassFacts {
  uint32_t oid, method;
  std::string_view name;
  uint32_t family, type;
  bool is_default;
};
/// Of btree, hash and gin, in the order of their oids.
const std::vector<OperatorClassFacts>& operatorClassFacts();
/// Of the method. Null: there is none of the name.
const OperatorClassFacts* findOperatorClass(uint32_t method, std::string_view name);

inline constexpr uint32_t kBtreeMethod = 403, kHashMethod = 405, kGinMethod = 2742;

/// Rows that a relation always has. `columns` are separated by blanks; so are the values of a row, which are theirs in
/// text, functions as their oids; underscores are blanks of a text, $ is NULL. Behind each row stands a semicolon.
struct ConstantRows {
  std::string_view relation;
  std::string_view columns;
  std::string_view rows;
};
/// Operators; casts, operator classes and families; aggregates, conversions.
std::span<const ConstantRows> operatorConstants();
std::span<const ConstantRows> accessConstants();
std::span<const ConstantRows> aggregateConstants();
/// Of the relation. Null: it has none.
const ConstantRows* findConstantRows(std::string_view relation);

}  // namespace gnomon::sql::pg_catalog
