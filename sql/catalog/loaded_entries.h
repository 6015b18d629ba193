#pragma once

#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "sql/catalog/catalog_view.h"
#include "sql/catalog/user_types.h"

namespace gnomon::sql {

/// The entries that have been read so far while the catalog is loaded, for what names types of a database.
class LoadedEntries final : public UserTypeSource {
 public:
  LoadedEntries(const std::map<uint32_t, std::shared_ptr<TableEntry>>& entries, uint32_t database)
      : entries_(entries), database_(database) {}
  [[nodiscard]] TablePtr findEntry(uint32_t oid) const override {
    const auto found = entries_.find(oid);
    return found == entries_.end() ? nullptr : found->second;
  }
  [[nodiscard]] TablePtr findType(std::string_view schema, std::string_view name) const override {
    for (const auto& [oid, entry] : entries_)
      if (entry->database == database_ && entry->name == name && !entry->sequence &&
          (schema.empty() || entry->schema == schema))
        return entry;
    return nullptr;
  }

 private:
  const std::map<uint32_t, std::shared_ptr<TableEntry>>& entries_;
  const uint32_t database_;
};

/// The same as a catalog of the database, for what names routines.
class LoadedCatalog final : public CatalogView {
 public:
  LoadedCatalog(const std::map<uint32_t, std::shared_ptr<TableEntry>>& entries, uint32_t database)
      : entries_(entries), database_(database) {}
  [[nodiscard]] TablePtr findEntry(const ObjectPath& path) const override {
    for (const auto& [oid, entry] : entries_)
      if (entry->database == database_ && entry->path() == path) return entry;
    return nullptr;
  }
  [[nodiscard]] TablePtr findEntry(uint32_t oid) const override {
    const auto found = entries_.find(oid);
    return found == entries_.end() ? nullptr : found->second;
  }
  [[nodiscard]] std::vector<TablePtr> entries() const override { return entriesOf(database_); }
  [[nodiscard]] std::vector<TablePtr> entriesOf(uint32_t database) const override {
    std::vector<TablePtr> result;
    for (const auto& [oid, entry] : entries_)
      if (entry->database == database) result.push_back(entry);
    return result;
  }
  [[nodiscard]] std::vector<TablePtr> routinesNamed(std::string_view schema, std::string_view name) const override {
    std::vector<TablePtr> result;
    for (const auto& [oid, entry] : entries_)
      if (entry->database == database_ && entry->routine && entry->routine->name == name && entry->schema == schema)
        result.push_back(entry);
    return result;
  }
  [[nodiscard]] TablePtr findIndexTable(const ObjectPath& /*path*/) const override { return nullptr; }
  [[nodiscard]] VirtualRelationPtr findVirtual(std::string_view /*schema*/, std::string_view /*name*/) const override {
    return nullptr;
  }
  [[nodiscard]] const std::vector<VirtualRelationPtr>& virtualRelations() const override { return no_relations_; }
  [[nodiscard]] std::vector<SchemaPtr> schemas() const override { return {}; }
  [[nodiscard]] SchemaPtr findSchema(std::string_view /*name*/) const override { return nullptr; }
  [[nodiscard]] const SearchPath& searchPath() const override { return no_path_; }
  [[nodiscard]] DatabasePtr database() const override { return nullptr; }
  [[nodiscard]] std::vector<DatabasePtr> databases() const override { return {}; }
  [[nodiscard]] std::vector<RolePtr> roles() const override { return {}; }
  [[nodiscard]] RolePtr findRole(uint32_t /*oid*/) const override { return nullptr; }

 private:
  const std::map<uint32_t, std::shared_ptr<TableEntry>>& entries_;
  const uint32_t database_;
  const std::vector<VirtualRelationPtr> no_relations_;
  const SearchPath no_path_;
};

}  // namespace gnomon::sql
