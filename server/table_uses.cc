#include "server/table_uses.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "txn/table.h"

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
  // Who uses a partitioned table uses its partitions, which have its lock.
  const auto isUsed = [&](const sql::TablePtr& used) {
    return used->oid == table.oid || (used->storage && table.storage && used->storage->lock() == table.storage->lock());
  };
  for (const Use* use = first_; use; use = use->next_)
    if (std::ranges::any_of(*use->tables_, isUsed))
      throw SqlError(sqlstate::kObjectInUse,
                     fmt::format("cannot {} \"{}\" because it is being used by active queries in this session", command,
                                 table.name));
  if ((deferred_ != nullptr && deferred_->isPending(table.oid)) ||
      (deferred_triggers_ != nullptr && deferred_triggers_->isPending(table.oid)))
    throw SqlError(sqlstate::kObjectInUse,
                   fmt::format("cannot {} \"{}\" because it has pending trigger events", command, table.name));
}

}  // namespace gnomon::server
