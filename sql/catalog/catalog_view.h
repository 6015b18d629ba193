#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sql/catalog/object_path.h"
#include "sql/catalog/role_entry.h"
#include "sql/catalog/schema_entry.h"
#include "sql/catalog/search_path.h"
#include "sql/catalog/table_entry.h"
#include "sql/catalog/virtual_relation.h"

namespace gnomon::sql {

/// What the name of a relation stands for; nothing: none of its members.
struct FoundRelation {
  TablePtr table;             ///< a table, view or sequence, or the table of `index`
  IndexPtr index;             ///< null: no index
  VirtualRelationPtr system;  ///< a relation of pg_catalog or information_schema

  explicit operator bool() const { return table || system; }
  [[nodiscard]] uint32_t oid() const { return system ? system->oid : index ? index->oid : table->oid; }
  /// Null for an index.
  [[nodiscard]] TablePtr stored() const { return index ? nullptr : table; }
};

/// The schemas of a database that there are for somebody, and the tables, indexes and types in them; and what all
/// databases share: themselves, and roles.
///
/// Invariants:  C1  what is handed out is immutable
///              C2  names are unique in their schema: tables, indexes and virtual relations together
class CatalogView {
 public:
  CatalogView() = default;
  CatalogView(const CatalogView&) = delete;
  CatalogView& operator=(const CatalogView&) = delete;
  virtual ~CatalogView() = default;

  /// The table, view, sequence or type with this name in this schema, or the routine with this key; null: none.
  [[nodiscard]] virtual TablePtr findEntry(const ObjectPath& path) const = 0;
  /// The one with this oid; null: none.
  [[nodiscard]] virtual TablePtr findEntry(uint32_t oid) const = 0;
  /// All of them in the order of their schemas and names.
  [[nodiscard]] virtual std::vector<TablePtr> entries() const = 0;
  /// The same without types and routines.
  [[nodiscard]] TablePtr find(const ObjectPath& path) const;
  [[nodiscard]] std::vector<TablePtr> tables() const;
  /// Only the types.
  [[nodiscard]] std::vector<TablePtr> types() const;
  /// Only the routines.
  [[nodiscard]] std::vector<TablePtr> routines() const;
  /// Those with this name in this schema, procedures among them.
  [[nodiscard]] virtual std::vector<TablePtr> routinesNamed(std::string_view schema, std::string_view name) const = 0;
  /// Those that a name means, the sooner found ones first; `schema` empty: those of the whole search path.
  [[nodiscard]] std::vector<TablePtr> findRoutines(std::string_view schema, std::string_view name) const;
  /// What the name of a type means, or of what has rows of that type; `schema` empty: what the search path finds first.
  [[nodiscard]] TablePtr findType(std::string_view schema, std::string_view name) const;
  /// The table that has an index of this name, in the schema of both; null: none.
  [[nodiscard]] virtual TablePtr findIndexTable(const ObjectPath& path) const = 0;
  /// The virtual relation with this name; null: none.
  [[nodiscard]] virtual VirtualRelationPtr findVirtual(std::string_view schema, std::string_view name) const = 0;
  [[nodiscard]] virtual const std::vector<VirtualRelationPtr>& virtualRelations() const = 0;
  /// All schemas in the order of their names, the system's among them.
  [[nodiscard]] virtual std::vector<SchemaPtr> schemas() const = 0;
  /// Null: none. Temporary ones have the name that others know them by.
  [[nodiscard]] virtual SchemaPtr findSchema(std::string_view name) const = 0;
  /// Where names without a schema are looked for.
  [[nodiscard]] virtual const SearchPath& searchPath() const = 0;
  /// That whose schemas these are.
  [[nodiscard]] virtual DatabasePtr database() const = 0;
  /// All of the server, in the order of their oids.
  [[nodiscard]] virtual std::vector<DatabasePtr> databases() const = 0;
  /// Null: none.
  [[nodiscard]] DatabasePtr findDatabase(std::string_view name) const;
  /// What is in one of them, as it is committed where it is another one; none where it is not there.
  [[nodiscard]] virtual std::vector<TablePtr> entriesOf(uint32_t database) const = 0;
  /// All roles in the order of their oids.
  [[nodiscard]] virtual std::vector<RolePtr> roles() const = 0;
  /// Null: none.
  [[nodiscard]] virtual RolePtr findRole(uint32_t oid) const = 0;
  [[nodiscard]] RolePtr findRole(std::string_view name) const;
  /// Who asks. Without a session the first superuser.
  [[nodiscard]] virtual Actors actors() const { return {}; }
  /// Whether the label was added to an enum by this transaction, which has not ended.
  [[nodiscard]] virtual bool isNewLabel(uint32_t /*oid*/) const { return false; }

  /// What a name means; `schema` empty: what the search path finds first.
  [[nodiscard]] FoundRelation findRelation(std::string_view schema, std::string_view name) const;
  [[nodiscard]] FoundRelation findRelation(const ObjectPath& path) const {
    return findRelation(path.schema, path.name);
  }
  [[nodiscard]] SchemaPtr findSchema(uint32_t oid) const;
  /// The first schema of the search path that is there: it gets what is created without one. Null: none.
  [[nodiscard]] SchemaPtr creationSchema() const;
  /// Whether the name means what has it in its schema without the schema being said.
  [[nodiscard]] bool isVisible(const ObjectPath& path) const;
  /// As messages name it: in quotes where they are needed, with its schema where the search path does not find it.
  [[nodiscard]] std::string shownName(const ObjectPath& path) const;
  [[nodiscard]] std::string shownName(const TableEntry& table) const { return shownName(table.path()); }

  /// Whether a table, index, type or virtual relation has the name.
  [[nodiscard]] bool isTaken(const ObjectPath& path) const;
  /// Whether a table of the schema other than `except` has a constraint of this name.
  [[nodiscard]] bool hasConstraint(const ObjectPath& path, const TableEntry* except) const;
};

/// Whether the table has a CHECK constraint or a FOREIGN KEY of this name.
bool hasCheckOrForeignKey(const TableEntry& table, std::string_view name);

/// 3D000.
[[noreturn]] void raiseNoDatabase(std::string_view name);
/// 3F000.
[[noreturn]] void raiseNoSchema(std::string_view schema, int32_t position = -1);
/// What is said of a relation that a statement names and that is not there: 3F000 where its schema is not, else 42P01.
[[noreturn]] void raiseNoRelation(const CatalogView& catalog, const ObjectPath& path);

}  // namespace gnomon::sql
