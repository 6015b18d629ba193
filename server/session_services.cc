#include "server/session_services.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "base/wait_event.h"
#include "server/portals.h"
#include "server/session_context.h"
#include "server/utility.h"
#include "sql/catalog/roles.h"
#include "sql/functions/extension_functions.h"
#include "sql/types/calendar.h"

namespace gnomon::server {
namespace {

constexpr SqlState kWarning("01000");
/// 2000-01-01, where timestamps begin, since 1970.
constexpr int64_t kEpochUs = sql::kUnixToPostgresDays * sql::kMicrosecondsPerDay;

void warn(const SessionContext& session, const std::string& text) {
  session.notice(SqlError(kWarning, text), Severity::Warning);
}

bool isThere(const SessionContext& session, int32_t process) {
  if (session.server.sessions.contains(process)) return true;
  warn(session, fmt::format("PID {} is not a PostgreSQL backend process", process));
  return false;
}

}  // namespace

void requireMaySignal(const SessionContext& session, int32_t process, bool is_end) {
  std::string user;
  session.server.sessions.forEach([&](int32_t id, const SessionStatus& status) {
    if (id == process) user = status.snapshot().user;
  });
  const sql::CatalogTransaction& catalog = session.transaction.catalog();
  const uint32_t current = catalog.actors().current;
  const sql::RolePtr role = catalog.findRole(user);
  if (isSuperuser(catalog, current)) return;
  if (!role || role->is_superuser)
    throw SqlError(sqlstate::kInsufficientPrivilege, is_end ? "must be a superuser to terminate superuser process"
                                                            : "must be a superuser to cancel superuser query");
  if (hasRightsOf(catalog, current, role->oid) || hasRightsOf(catalog, current, sql::kSignalBackendRole)) return;
  throw SqlError(sqlstate::kInsufficientPrivilege,
                 fmt::format("must be a member of the role whose {} is being {} or member of pg_signal_backend",
                             is_end ? "process" : "query", is_end ? "terminated" : "canceled"));
}

int32_t SessionServices::processId() const {
  return session_.transaction.processId();
}

bool SessionServices::cancelBackend(int32_t process) {
  session_.transaction.putPending();
  if (!isThere(session_, process)) return false;
  requireMaySignal(session_, process, false);
  session_.server.sessions.requestCancel(process);
  return true;
}

bool SessionServices::terminateBackend(int32_t process, int64_t timeout_ms) {
  session_.transaction.putPending();
  constexpr std::chrono::milliseconds kPause{10};
  if (timeout_ms < 0) throw SqlError(sqlstate::kNumericValueOutOfRange, "\"timeout\" must not be negative");
  if (!isThere(session_, process)) return false;
  requireMaySignal(session_, process, true);
  session_.server.sessions.requestTermination(process);
  if (timeout_ms == 0) return true;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  while (session_.server.sessions.contains(process)) {
    session_.interrupts.poll();
    if (std::chrono::steady_clock::now() >= end) {
      warn(session_, fmt::format("backend with PID {} did not terminate within {} milliseconds", process, timeout_ms));
      return false;
    }
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

void SessionServices::lock(txn::AdvisoryKey key, txn::LockMode mode, Duration duration) {
  session_.transaction.putPending();
  key.database = session_.transaction.database()->databaseOid();
  const txn::Locker locker = session_.transaction.locker();
  const auto lock = locker.owner.manager().advisoryLock(key);
  if (duration == Duration::Session)
    locker.owner.acquireForSession(lock, mode, locker.patience);
  else
    locker.owner.acquire(lock, mode, locker.patience);
}

bool SessionServices::tryLock(txn::AdvisoryKey key, txn::LockMode mode, Duration duration) {
  session_.transaction.putPending();
  key.database = session_.transaction.database()->databaseOid();
  txn::LockOwner& owner = session_.transaction.owner();
  const auto lock = owner.manager().advisoryLock(key);
  return duration == Duration::Session ? owner.tryAcquireForSession(lock, mode) : owner.tryAcquire(lock, mode);
}

bool SessionServices::unlock(txn::AdvisoryKey key, txn::LockMode mode) {
  session_.transaction.putPending();
  key.database = session_.transaction.database()->databaseOid();
  if (session_.transaction.owner().releaseOfSession(key, mode)) return true;
  warn(session_, fmt::format("you don't own a lock of type {}", txn::lockModeName(mode)));
  return false;
}

void SessionServices::unlockAll() {
  session_.transaction.putPending();
  session_.transaction.owner().releaseAllOfSession();
}

sql::Value SessionServices::callRoutine(uint32_t routine, std::span<const sql::Value> arguments, sql::Type result) {
  if (routine < sql::kFirstExtensionFunction || routine > sql::kLastExtensionFunction) {
    session_.transaction.putPending();
    return routine >= sql::kFirstUserOid ? routines_.call(routine, arguments, result)
                                         : large_objects_.call(routine, arguments, result);
  }
  if (std::ranges::any_of(arguments, &sql::Value::is_null)) return sql::Value::null(result);
  return sql::extensionFunctions()[routine - sql::kFirstExtensionFunction].answer(arguments, result);
}

std::string SessionServices::setConfig(std::string_view name, std::string_view value, bool is_local) {
  session_.transaction.putPending();
  applySetting(session_, {.name = std::string(name), .value = std::string(value), .is_local = is_local});
  return session_.settings.show(name);
}

int64_t SessionServices::nextValue(uint32_t sequence, bool is_identity) {
  session_.transaction.putPending();
  return sequences_.next(sequence, is_identity);
}

void SessionServices::setValue(uint32_t sequence, int64_t value, bool is_called) {
  session_.transaction.putPending();
  sequences_.set(sequence, value, is_called);
}

void SessionServices::sleep(double seconds) {
  session_.transaction.putPending();
  using Seconds = std::chrono::duration<double>;
  constexpr Seconds kPause = std::chrono::milliseconds(10);
  const WaitScope event(WaitEvent::Sleep);
  const auto begin = std::chrono::steady_clock::now();
  for (;;) {
    session_.interrupts.poll();
    const Seconds left = Seconds(seconds) - (std::chrono::steady_clock::now() - begin);
    // Also of a NaN there is nothing left.
    if (!(left > Seconds::zero())) return;
    std::this_thread::sleep_for(std::min(left, kPause));
  }
}

std::optional<int64_t> SessionServices::transactionNumber(bool is_wanted) {
  return session_.transaction.number(is_wanted);
}

std::optional<uint64_t> SessionServices::currentRow(const sql::TableEntry& target, std::string_view cursor) {
  return server::currentRow(session_.portals, target, cursor);
}

int64_t SessionServices::transactionTime() const {
  return session_.status.transactionBegunUs() - kEpochUs;
}

int64_t SessionServices::statementTime() const {
  return session_.status.queryBegunUs() - kEpochUs;
}

}  // namespace gnomon::server
