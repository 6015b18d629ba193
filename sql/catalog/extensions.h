#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sql/catalog/catalog_view.h"

/// Extensions: sets of functions that are there, and that a database has once it says so.
///
/// One that a database has is an entry of a table without rows (system_tables.h), which is made, dropped and undone as
/// tables are. Its only column is called as the schema of the extension's functions is.
namespace gnomon::sql {

struct Extension {
  std::string name;
  std::string version;
  std::string comment;
};
/// Those that can be created, in the order of their names.
std::span<const Extension> availableExtensions();
/// Null: none of that name.
const Extension* findExtension(std::string_view name);

/// The path of its entry.
ObjectPath extensionPath(std::string_view name);
/// Null: the database has not got it.
TablePtr installedExtension(const CatalogView& catalog, std::string_view name);
/// Those that the database has, in the order of their names.
std::vector<TablePtr> installedExtensions(const CatalogView& catalog);
/// The name, and what is said of it, of an entry of extensionPath().
std::string extensionName(const TableEntry& entry);
const std::string& extensionComment(const TableEntry& entry);
/// Of an entry of extensionPath().
inline const std::string& extensionSchema(const TableEntry& entry) {
  return entry.columns.front().name;
}

}  // namespace gnomon::sql
