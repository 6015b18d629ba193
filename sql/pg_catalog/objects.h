#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sql/catalog/catalog_view.h"
#include "sql/catalog/dependent_keys.h"
#include "sql/catalog/table_entry.h"
#include "sql/pg_catalog/facts.h"

/// The objects of a catalog with numbers as PostgreSQL would give them. Tables, views, sequences and indexes have oids
/// of their own, below 2^30; those of what comes with them are made of these.
namespace gnomon::sql::pg_catalog {

/// The type of a table's rows, and of arrays of them.
constexpr uint32_t rowTypeOid(const TableEntry& table) {
  return table.oid | 0x80000000U;
}
constexpr uint32_t rowArrayOid(const TableEntry& table) {
  return table.oid | 0xC0000000U;
}
/// Of pg_attrdef.
uint32_t defaultOid(const TableEntry& table, uint32_t column);
/// Whether pg_attrdef has it: a column has a DEFAULT that is not NULL, and is no identity column.
bool hasDefault(const ColumnEntry& column);
/// What pg_attrdef says of a column's DEFAULT: expressions of the same text are others in columns of other types.
std::string storedDefault(uint32_t column, const ColumnEntry& entry);
/// The column of such a text; nothing: it is none.
std::optional<uint32_t> columnOfDefault(std::string_view stored);
/// Of pg_rewrite: what makes a view one.
constexpr uint32_t ruleOid(const TableEntry& view) {
  return view.oid | 0x80000000U;
}

struct Constraint {
  uint32_t oid = 0;
  const TableEntry* table = nullptr;
  // One of these.
  const IndexEntry* key = nullptr;
  const CheckEntry* check = nullptr;
  const ForeignKeyEntry* reference = nullptr;

  [[nodiscard]] const std::string& name() const;
};
/// Those of the table, in the order in which it has them.
std::vector<Constraint> constraintsOf(const TableEntry& table);

struct FoundIndex {
  TablePtr table;  ///< null: there is none
  const IndexEntry* index = nullptr;
};
FoundIndex findIndex(const CatalogView& catalog, uint32_t oid);
/// PostgreSQL's names of the parts of an index: the column's, or what the expression would be called as a result.
std::vector<std::string> indexColumnNames(const TableEntry& table, const IndexEntry& index);
/// Whether it has neither sequence nor view.
inline bool isPlainTable(const TableEntry& table) {
  return table.sequence == nullptr && table.view == nullptr && table.type == nullptr;
}

/// What pg_type says of a type that a user made, or of the rows of a table. Its name is the entry's.
TypeFacts userTypeFacts(const TableEntry& entry);
/// What it says of the type of a column, an array's too.
TypeFacts factsOf(Type type);
/// The collation that values of the type have; 0: none.
uint32_t collationOf(Type type);
/// btree's operator class for values of the type.
uint32_t operatorClassOf(Type type);
/// The name of the type with this oid, a table's rows' too, as format_type writes it; "???" where there is none.
/// Nothing: of no modifier in particular, which is something else than there being none (-1).
std::string typeName(const CatalogView& catalog, uint32_t oid, std::optional<int32_t> typmod = std::nullopt);

}  // namespace gnomon::sql::pg_catalog
