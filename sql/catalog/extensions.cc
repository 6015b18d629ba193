#include "sql/catalog/extensions.h"

#include <algorithm>

namespace gnomon::sql {
namespace {

constexpr std::string_view kPrefix = "extension ";

}  // namespace

std::span<const Extension> availableExtensions() {
  static const std::vector<Extension> extensions{
      {"pgcrypto", "1.3", "cryptographic functions"},
      {"uuid-ossp", "1.1", "generate universally unique identifiers (UUIDs)"}};
  return extensions;
}

const Extension* findExtension(std::string_view name) {
  const auto extensions = availableExtensions();
  const auto found = std::ranges::find(extensions, name, &Extension::name);
  return found == extensions.end() ? nullptr : &*found;
}

ObjectPath extensionPath(std::string_view name) {
  return {std::string(kCatalogSchema), std::string(kPrefix).append(name)};
}

TablePtr installedExtension(const CatalogView& catalog, std::string_view name) {
  return catalog.findEntry(extensionPath(name));
}

std::vector<TablePtr> installedExtensions(const CatalogView& catalog) {
  std::vector<TablePtr> result;
  for (const Extension& each : availableExtensions())
    if (TablePtr entry = installedExtension(catalog, each.name)) result.push_back(std::move(entry));
  return result;
}

std::string extensionName(const TableEntry& entry) {
  return entry.name.substr(kPrefix.size());
}

const std::string& extensionComment(const TableEntry& entry) {
  const Extension* const extension = findExtension(extensionName(entry));
  return entry.comment.empty() && extension != nullptr ? extension->comment : entry.comment;
}

}  // namespace gnomon::sql
