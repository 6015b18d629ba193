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
inline constexpr NamedFacts kLanguages[] = {{12, "internal"}};
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

}  // namespace gnomon::sql::pg_catalog
