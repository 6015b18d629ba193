#pragma once

#include <string>
#include <vector>

#include "base/sql_error.h"
#include "sql/catalog/catalog_view.h"

/// Expressions that the catalog keeps and that name types.
namespace gnomon::sql {

struct TypeMention {
  TablePtr entry;    ///< a table, domain or routine
  TablePtr type;     ///< that is named
  std::string what;  ///< "default value for column a of table t", "constraint c on table t", "index i"
};
/// Those that name one of the types, and would be left when it went along with the columns that are of it.
std::vector<TypeMention> typeMentions(const CatalogView& catalog, const std::vector<TablePtr>& types);
/// 2BP01 for these, when `type` were to go.
SqlError mentionsNeed(const CatalogView& catalog, const TableEntry& type, const std::vector<TypeMention>& mentions);

}  // namespace gnomon::sql
