#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sql/catalog/table_entry.h"

namespace gnomon::server {

/// The tables that running statements of one session use, those of portals that stand still included: the session must
/// not change or drop them itself. Threads: the session's.
class TableUses {
 public:
  /// The tables of one statement, as long as it lives.
  class Use {
   public:
    Use() = default;
    Use(TableUses& uses, const std::vector<sql::TablePtr>& tables);
    Use(Use&& other) noexcept : uses_(std::exchange(other.uses_, nullptr)), oids_(std::move(other.oids_)) {}
    Use& operator=(Use&& other) noexcept;
    ~Use() { release(); }
    void release();

   private:
    TableUses* uses_ = nullptr;
    std::vector<uint32_t> oids_;
  };

  /// Failure: 55006 where a statement uses the table; `command` is what would be done to it.
  void requireUnused(const sql::TableEntry& table, std::string_view command) const;

 private:
  std::map<uint32_t, unsigned> counts_;  ///< by table oid
};

}  // namespace gnomon::server
