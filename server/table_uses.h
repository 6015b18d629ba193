#pragma once

#include <string_view>
#include <vector>

#include "server/deferred_triggers.h"
#include "sql/catalog/table_entry.h"
#include "txn/deferred_references.h"

namespace gnomon::server {

/// The tables that running statements of one session use, those of portals that stand still included: the session must
/// not change or drop them itself. Threads: the session's.
class TableUses {
 public:
  /// The tables of one statement, from begin() to release() or its own end.
  class Use {
   public:
    Use() = default;
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() { release(); }
    /// `tables` live until it is released.
    void begin(TableUses& uses, const std::vector<sql::TablePtr>& tables);
    void release();

   private:
    friend class TableUses;
    const std::vector<sql::TablePtr>* tables_ = nullptr;
    Use* next_ = nullptr;
    Use** link_ = nullptr;  ///< what points here; null: nothing is used
  };

  /// What foreign keys have put off; it outlives this.
  void setDeferred(const txn::DeferredReferences& deferred, const DeferredTriggers& triggers) {
    deferred_ = &deferred;
    deferred_triggers_ = &triggers;
  }
  /// Failure: 55006 where a statement uses the table, or its rows are still to be looked at; `command` is what would be
  /// done to it.
  void requireUnused(const sql::TableEntry& table, std::string_view command) const;

 private:
  Use* first_ = nullptr;  ///< of a list without order
  const txn::DeferredReferences* deferred_ = nullptr;
  const DeferredTriggers* deferred_triggers_ = nullptr;
};

}  // namespace gnomon::server
