#pragma once

#include <map>
#include <memory>
#include <string_view>

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

}  // namespace gnomon::sql
