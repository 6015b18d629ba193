#include "server/routine_scope.h"

#include <ranges>

#include "server/utility.h"

namespace gnomon::server {

RoutineScope::RoutineScope(SessionContext& session, const sql::TableEntry& entry)
    : session_(session),
      definer_before_(session.transaction.catalog().definer()),
      version_before_(session.settings.version()) {
  session_.transaction.putPending();
  session_.transaction.enterRoutine();
  try {
    if (entry.routine->is_security_definer) session_.transaction.setDefiner(entry.owner);
    apply(*entry.routine);
  } catch (...) {
    leave();
    throw;
  }
}

RoutineScope::~RoutineScope() {
  leave();
}

void RoutineScope::apply(const sql::RoutineEntry& routine) {
  if (routine.settings.empty()) return;
  for (const auto& [name, value] : routine.settings) {
    // Who acts is said by several.
    const bool is_actor = name == "role" || name == "session_authorization";
    if (is_actor)
      for (const char* const each : {"role", "session_authorization", "is_superuser"})
        kept_.push_back(session_.transaction.keepSetting(each));
    else
      kept_.push_back(session_.transaction.keepSetting(name));
    applySetting(session_, {.name = name, .value = value, .is_local = true});
  }
  version_inside_ = session_.settings.version();
  session_.transaction.seeSettings();
}

void RoutineScope::leave() noexcept {
  const bool has_changed = session_.settings.version() != version_inside_;
  for (const SessionTransaction::KeptSetting& each : kept_ | std::views::reverse)
    session_.transaction.putBackSetting(each);
  if (!kept_.empty() && !has_changed) session_.settings.returnTo(version_before_);
  if (!kept_.empty()) session_.transaction.seeSettings();
  if (session_.transaction.catalog().definer() != definer_before_) session_.transaction.setDefiner(definer_before_);
  session_.transaction.leaveRoutine();
}

}  // namespace gnomon::server
