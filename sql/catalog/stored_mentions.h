#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/sql_error.h"
#include "sql/catalog/catalog_view.h"

/// Expressions that the catalog keeps, and what they name.
namespace gnomon::sql {

/// An expression that the catalog keeps.
struct EntryText {
  enum class Kind : uint8_t { Default, Generated, Check, Index, Parameter, Trigger };
  Kind kind;
  const std::string& text;
  const std::string& name;              ///< of the column, constraint, index or trigger
  const ColumnEntry* column = nullptr;  ///< whose value it is; null: none
};
/// Calls `visit` for each expression that the entry has.
void forEachEntryText(const TableEntry& entry, const std::function<void(const EntryText&)>& visit);

struct StoredMention {
  EntryText::Kind kind;
  std::string name;  ///< of the column, constraint, index or trigger
  TablePtr entry;    ///< whose it is: a table, domain or routine
  TablePtr named;

  /// "default value for column a of table t", "constraint c on table t", "index i".
  [[nodiscard]] std::string describe(const CatalogView& catalog) const;
};
/// Those that name one of the types, and would be left when it went along with the columns that are of it.
std::vector<StoredMention> typeMentions(const CatalogView& catalog, const std::vector<TablePtr>& types);
/// Those that call one of the routines, but for defaults of columns (sql/catalog/routines.h).
std::vector<StoredMention> routineMentions(const CatalogView& catalog, const std::vector<TablePtr>& routines);
/// Whether an expression or a view may read the field of values of the type, or of values that are made of such: they
/// name it as it was called.
bool mayReadField(const CatalogView& catalog, const TableEntry& type, const std::string& field);
/// 2BP01 for these, when `dropped` were to go.
SqlError mentionsNeed(const CatalogView& catalog, const TableEntry& dropped,
                      const std::vector<StoredMention>& mentions);

}  // namespace gnomon::sql
