#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "sql/catalog/catalog_view.h"

/// Expressions that the catalog keeps, and what they name.
namespace gnomon::sql {

/// An expression that the catalog keeps.
struct EntryText {
  enum class Kind : uint8_t { Default, Generated, Check, Index, Parameter, Trigger, PartitionKey };
  Kind kind;
  const std::string& text;
  const std::string& name;              ///< of the column, constraint, index or trigger, else of the entry
  const ColumnEntry* column = nullptr;  ///< whose value it is; null: none
  /// Oids of the routines whose bodies have become parts of it; null: none can.
  const std::vector<uint32_t>* routines = nullptr;
};
/// Calls `visit` for each expression that the entry has.
void forEachEntryText(const TableEntry& entry, const std::function<void(const EntryText&)>& visit);

struct StoredMention {
  EntryText::Kind kind;
  std::string name;  ///< of the column, constraint, index or trigger
  TablePtr entry;    ///< whose it is: a table, domain or routine
};
/// Those that name the type, or call the routine. One that compares a column of an enum with a text names the enum.
std::vector<StoredMention> mentionsOf(const CatalogView& catalog, const TablePtr& named);
/// Whether the stored expressions, with commas between them, read the column.
bool readsColumn(const std::string& text, const ColumnEntry& column);
/// Oids of the type, of what is made of such values, and of routines that take or return them. `entries`: all there
/// are.
std::set<uint32_t> madeOf(const std::vector<TablePtr>& entries, const TableEntry& type);
/// Whether an expression or a view may read the field of values of the type, or of values that are made of such: they
/// name it as it was called.
bool mayReadField(const CatalogView& catalog, const TableEntry& type, const std::string& field);

}  // namespace gnomon::sql
