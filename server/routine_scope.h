#pragma once

#include <cstdint>
#include <vector>

#include "server/session_context.h"
#include "sql/catalog/table_entry.h"

namespace gnomon::server {

/// What SECURITY DEFINER and SET make of the session while a call of a routine is executed. At its end, also by an
/// error, it is what it was, but for settings that were changed meanwhile for longer than a transaction lasts.
///
/// Threads: the session's; calls are nested.
class RoutineScope {
 public:
  /// Failure: that of SET; 42501 for a role in a routine with SECURITY DEFINER.
  RoutineScope(SessionContext& session, const sql::TableEntry& entry);
  ~RoutineScope();
  RoutineScope(const RoutineScope&) = delete;
  RoutineScope& operator=(const RoutineScope&) = delete;

 private:
  void apply(const sql::RoutineEntry& routine);
  void leave() noexcept;

  SessionContext& session_;
  const uint32_t definer_before_;
  const uint64_t version_before_;  ///< of the settings
  uint64_t version_inside_ = 0;
  std::vector<SessionTransaction::KeptSetting> kept_;
};

}  // namespace gnomon::server
