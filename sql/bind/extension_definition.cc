#include "sql/bind/extension_definition.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/catalog/access.h"
#include "sql/catalog/extensions.h"
#include "sql/catalog/roles.h"
#include "sql/functions/extension_functions.h"

namespace gnomon::sql {
namespace {

/// The one that every database has.
constexpr std::string_view kBuiltIn = "plpgsql";
constexpr SqlState kSuccess("00000");

std::string missing(const std::string& name) {
  return fmt::format("extension \"{}\" does not exist", name);
}

SchemaPtr schemaFor(const CatalogView& catalog, const std::string& given) {
  if (!given.empty()) {
    SchemaPtr schema = catalog.findSchema(catalog.searchPath().actual(given));
    if (!schema) raiseNoSchema(given);
    return schema;
  }
  SchemaPtr schema = catalog.creationSchema();
  if (!schema) throw SqlError(sqlstate::kInvalidSchemaName, "no schema has been selected to create in");
  return schema;
}

CreateTableStatement entryOf(const Extension& extension, const std::string& schema) {
  CreateTableStatement statement;
  statement.path = extensionPath(extension.name);
  ColumnEntry& column = statement.columns.emplace_back();
  column.name = schema;
  column.type = Type::of(TypeKind::Integer);
  return statement;
}

bool namesAny(const std::string& text, std::string_view extension) {
  return std::ranges::any_of(extensionFunctions(), [&](const ExtensionFunction& function) {
    return function.extension == extension && text.find(function.name) != std::string::npos;
  });
}

/// Whether what is stored of the entry may call one of the extension's functions.
bool mayUse(const TableEntry& entry, std::string_view extension) {
  const auto names = [&](const std::string& text) { return namesAny(text, extension); };
  return std::ranges::any_of(entry.columns, names, &ColumnEntry::default_text) ||
         std::ranges::any_of(entry.checks, names, &CheckEntry::expression) ||
         (entry.query() != nullptr && names(entry.query()->query)) ||
         std::ranges::any_of(entry.indexes, [&](const IndexPtr& index) {
           return names(index->predicate) || std::ranges::any_of(index->columns, names, &IndexColumn::expression);
         });
}

}  // namespace

TablePtr requireExtension(const CatalogView& catalog, const std::string& name) {
  if (name == kBuiltIn) throwNotSupported("changing extension plpgsql");
  TablePtr entry = installedExtension(catalog, name);
  if (!entry) throw SqlError(sqlstate::kUndefinedObject, missing(name));
  if (!hasRightsOf(catalog, catalog.actors().current, entry->owner))
    throw SqlError(sqlstate::kInsufficientPrivilege, fmt::format("must be owner of extension {}", name));
  return entry;
}

ExtensionStatement bindCreateExtension(const BindState& state, const ast::CreateExtension& create) {
  const CatalogView& catalog = state.context.catalog;
  ExtensionStatement result;
  if (create.name == kBuiltIn || installedExtension(catalog, create.name)) {
    const std::string text = fmt::format("extension \"{}\" already exists", create.name);
    if (!create.if_not_exists) throw SqlError(sqlstate::kDuplicateObject, text);
    result.notices.emplace_back(sqlstate::kDuplicateObject, text + ", skipping");
    return result;
  }
  const Extension* const extension = findExtension(create.name);
  if (extension == nullptr)
    throw SqlError(sqlstate::kFeatureNotSupported, fmt::format("extension \"{}\" is not available", create.name));
  if (!create.version.empty() && create.version != extension->version)
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("extension \"{}\" has no installation script nor update path for version \"{}\"",
                               create.name, create.version));
  const SchemaPtr schema = schemaFor(catalog, create.schema);
  if (rightsOnDatabase(catalog, catalog.actors().current, Privilege::Create) == Privilege::None)
    throw SqlError(sqlstate::kInsufficientPrivilege,
                   fmt::format("permission denied to create extension \"{}\"", create.name))
        .hint("Must have CREATE privilege on current database to create this extension.");
  result.made = entryOf(*extension, schema->name);
  return result;
}

ExtensionStatement bindDropExtension(const BindState& state, const ast::DropExtension& drop) {
  const CatalogView& catalog = state.context.catalog;
  ExtensionStatement result;
  for (const std::string& name : drop.names) {
    if (name == kBuiltIn) throwNotSupported(fmt::format("DROP EXTENSION {}", name));
    if (!installedExtension(catalog, name)) {
      if (!drop.if_exists) throw SqlError(sqlstate::kUndefinedObject, missing(name));
      result.notices.emplace_back(kSuccess, missing(name) + ", skipping");
      continue;
    }
    result.dropped.push_back(requireExtension(catalog, name));
    const std::vector<TablePtr> entries = catalog.entries();
    if (std::ranges::none_of(entries, [&](const TablePtr& entry) { return mayUse(*entry, name); })) continue;
    if (drop.is_cascade) throwNotSupported("DROP EXTENSION ... CASCADE of one whose functions are called");
    throw SqlError(sqlstate::kDependentObjectsStillExist,
                   fmt::format("cannot drop extension {} because other objects depend on it", name))
        .hint("Use DROP ... CASCADE to drop the dependent objects too.");
  }
  return result;
}

}  // namespace gnomon::sql
