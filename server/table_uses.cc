#include "server/table_uses.h"

#include <fmt/format.h>

#include "base/sql_error.h"

namespace gnomon::server {

TableUses::Use::Use(TableUses& uses, const std::vector<sql::TablePtr>& tables) : uses_(&uses) {
  oids_.reserve(tables.size());
  for (const sql::TablePtr& table : tables) {
    ++uses.counts_[table->oid];
    oids_.push_back(table->oid);
  }
}

TableUses::Use& TableUses::Use::operator=(Use&& other) noexcept {
  if (this != &other) {
    release();
    uses_ = std::exchange(other.uses_, nullptr);
    oids_ = std::move(other.oids_);
  }
  return *this;
}

void TableUses::Use::release() {
  if (!uses_) return;
  for (const uint32_t oid : oids_)
    if (--uses_->counts_[oid] == 0) uses_->counts_.erase(oid);
  uses_ = nullptr;
}

void TableUses::requireUnused(const sql::TableEntry& table, std::string_view command) const {
  if (counts_.contains(table.oid))
    throw SqlError(sqlstate::kObjectInUse,
                   fmt::format("cannot {} \"{}\" because it is being used by active queries in this session", command,
                               table.name));
}

}  // namespace gnomon::server
