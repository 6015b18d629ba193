#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/sql_error.h"
#include "sql/catalog/catalog_view.h"
#include "sql/catalog/dependent_views.h"

namespace gnomon::sql {

struct DependentKey;

/// What goes with schemas: what is in them, and what depends on that, told in PostgreSQL's order (that of its
/// findDependentObjects: younger dependents are followed first, and all are told backwards).
class SchemaContents {
 public:
  SchemaContents(const CatalogView& catalog, std::vector<SchemaPtr> schemas);

  [[nodiscard]] bool isEmpty() const { return dependents_.empty(); }
  /// In the schemas, and views elsewhere that read them.
  [[nodiscard]] const std::vector<TablePtr>& tables() const { return tables_; }
  /// 2BP01: they do not go without CASCADE.
  [[nodiscard]] SqlError stillThere() const;
  /// What is said of CASCADE; there is something.
  [[nodiscard]] SqlError cascadeNotice() const;

 private:
  /// Something that is told of.
  struct Dependent {
    std::string what;
    std::string on;  ///< through which it was met
  };
  void visit(const TablePtr& table, const std::string& on);
  void visitKey(const DependentKey& key, const std::string& on);
  void visitDependents(const TablePtr& table);
  [[nodiscard]] bool isInside(const TableEntry& table) const;
  [[nodiscard]] bool isOwned(const TableEntry& table) const;
  [[nodiscard]] std::string listed(const std::string& before, bool names_reason) const;

  const CatalogView& catalog_;
  const std::vector<SchemaPtr> schemas_;
  const std::vector<TablePtr> all_;
  std::vector<TablePtr> tables_;
  std::set<std::pair<uint32_t, uint32_t>> keys_;  ///< that were met: tables and numbers
  std::vector<Dependent> dependents_;
};

}  // namespace gnomon::sql
