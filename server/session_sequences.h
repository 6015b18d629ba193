#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "sql/catalog/table_entry.h"
#include "txn/lock_manager.h"
#include "wal/gsn.h"

namespace gnomon::server {

struct SessionContext;

/// The values that a session has taken from sequences: those it holds in advance (CACHE), and the last ones, which no
/// rollback takes back. Threads: the session's. Lifetime: that of the context, which outlives it.
class SessionSequences {
 public:
  explicit SessionSequences(SessionContext& session) : session_(session) {}

  /// The oid of a sequence's name. Failure: as sql::findSequence.
  [[nodiscard]] uint32_t find(std::string_view name) const;
  /// Of the sequence with the oid, which the transaction uses from then on. Failure: 42P01; 25006; 2200H; 22003; 55000;
  /// of waiting as Patience.
  int64_t next(uint32_t oid, bool is_identity);
  int64_t current(uint32_t oid);
  int64_t last();
  void set(uint32_t oid, int64_t value, bool is_called);
  /// What it has taken; it holds none then.
  void forget() {
    known_.clear();
    last_used_ = 0;
  }

 private:
  struct Known {
    sql::TablePtr entry;  ///< as the transaction saw it last
    bool has_value = false;
    int64_t last = 0;       ///< the value that the session took last
    int64_t cached = 0;     ///< the last of those it holds; as last: it holds none
    int64_t increment = 0;  ///< between these
    wal::Gsn logged{0};     ///< of these
  };
  /// Failure: 42501, where who asks has none of the rights.
  void require(const Known& known, sql::Privilege any) const;
  Known& use(uint32_t oid, txn::LockMode mode);
  [[nodiscard]] bool isCurrent(const Known& known) const;

  SessionContext& session_;
  std::unordered_map<uint32_t, Known> known_;
  uint32_t last_used_ = 0;  ///< 0: none
};

}  // namespace gnomon::server
