#pragma once

#include <cstdint>
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
  /// The tables of one statement, as long as it lives. `tables` live longer.
  class Use {
   public:
    Use() = default;
    Use(TableUses& uses, const std::vector<sql::TablePtr>& tables);
    Use(Use&& other) noexcept : uses_(std::exchange(other.uses_, nullptr)), tables_(other.tables_) {}
    Use& operator=(Use&& other) noexcept;
    ~Use() { release(); }
    void release();

   private:
    TableUses* uses_ = nullptr;
    const std::vector<sql::TablePtr>* tables_ = nullptr;
  };

  /// Failure: 55006 where a statement uses the table; `command` is what would be done to it.
  void requireUnused(const sql::TableEntry& table, std::string_view command) const;

 private:
  std::vector<uint32_t> oids_;  ///< of the tables, once for each statement
};

}  // namespace gnomon::server
