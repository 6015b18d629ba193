#include "server/table_uses.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"

namespace gnomon::server {

void TableUses::Use::begin(TableUses& uses, const std::vector<sql::TablePtr>& tables) {
  release();
  tables_ = &tables;
  link_ = &uses.first_;
  next_ = uses.first_;
  if (next_) next_->link_ = &next_;
  uses.first_ = this;
}

void TableUses::Use::release() {
  if (!link_) return;
  *link_ = next_;
  if (next_) next_->link_ = link_;
  link_ = nullptr;
}

void TableUses::requireUnused(const sql::TableEntry& table, std::string_view command) const {
  for (const Use* use = first_; use; use = use->next_)
    if (std::ranges::find(*use->tables_, table.oid, &sql::TableEntry::oid) != use->tables_->end())
      throw SqlError(sqlstate::kObjectInUse,
                     fmt::format("cannot {} \"{}\" because it is being used by active queries in this session", command,
                                 table.name));
}

}  // namespace gnomon::server
