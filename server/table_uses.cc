#include "server/table_uses.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"

namespace gnomon::server {

TableUses::Use::Use(TableUses& uses, const std::vector<sql::TablePtr>& tables) : uses_(&uses), tables_(&tables) {
  uses.oids_.reserve(uses.oids_.size() + tables.size());
  for (const sql::TablePtr& table : tables) uses.oids_.push_back(table->oid);
}

TableUses::Use& TableUses::Use::operator=(Use&& other) noexcept {
  if (this != &other) {
    release();
    uses_ = std::exchange(other.uses_, nullptr);
    tables_ = other.tables_;
  }
  return *this;
}

void TableUses::Use::release() {
  if (!uses_) return;
  std::vector<uint32_t>& oids = uses_->oids_;
  for (const sql::TablePtr& table : *tables_) oids.erase(std::ranges::find(oids, table->oid));
  uses_ = nullptr;
}

void TableUses::requireUnused(const sql::TableEntry& table, std::string_view command) const {
  if (std::ranges::find(oids_, table.oid) != oids_.end())
    throw SqlError(sqlstate::kObjectInUse,
                   fmt::format("cannot {} \"{}\" because it is being used by active queries in this session", command,
                               table.name));
}

}  // namespace gnomon::server
