#pragma once

#include <vector>

#include "sql/catalog/catalog_view.h"
#include "sql/plpgsql/routine_catalog.h"

namespace gnomon::sql::plpgsql {

/// Types and relations as the catalog has them, for the session that the thread works for.
///
/// A refcursor is held as a text. Failure: also 0A000 for types that Gnomon has not.
class CatalogTypes final : public RoutineCatalog {
 public:
  explicit CatalogTypes(const CatalogView& catalog) : catalog_(catalog) {}

  VariableType typeOf(const ast::TypeName& name) override;
  std::optional<VariableType> columnType(std::string_view schema, std::string_view relation,
                                         std::string_view column) override;
  VariableType rowType(std::string_view schema, std::string_view relation) override;
  void requireCollation(std::span<const std::string> names) override;

  /// What the answers are taken from: they are good while these are the catalog's.
  [[nodiscard]] const std::vector<TablePtr>& used() const { return used_; }

 private:
  void use(const TablePtr& entry);
  /// A table, view, sequence, index or composite type.
  [[nodiscard]] FoundRelation findRelation(std::string_view schema, std::string_view name) const;

  const CatalogView& catalog_;
  std::vector<TablePtr> used_;
};

/// A variable of a type that the catalog has. `domain`: of the catalog, over the type; 0: none.
VariableType variableOf(Type type, uint32_t domain = 0);

}  // namespace gnomon::sql::plpgsql
