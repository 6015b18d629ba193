#include "codegen/runtime/session_functions.h"

#include <fmt/format.h>

#include <array>
#include <chrono>

#include "base/sql_error.h"
#include "base/time_zone.h"
#include "codegen/runtime/datetime_runtime.h"
#include "sql/types/object_id.h"
#include "sql/types/timestamptz.h"
#include "sql/types/uuid.h"

namespace gnomon::codegen {
namespace {

using Duration = SessionFunctions::Duration;

SessionFunctions& required(SessionFunctions* session) {
  if (session == nullptr) throwNotSupported("a function that asks the session, outside of a statement's rows");
  return *session;
}

constexpr txn::LockMode modeOf(bool is_shared) {
  return is_shared ? txn::LockMode::Share : txn::LockMode::Exclusive;
}

constexpr Duration durationOf(bool of_session) {
  return of_session ? Duration::Session : Duration::Transaction;
}

}  // namespace

int32_t rt::backendPid(SessionFunctions* session) {
  return required(session).processId();
}

bool rt::cancelBackend(SessionFunctions* session, int32_t process) {
  return required(session).cancelBackend(process);
}

bool rt::terminateBackend(SessionFunctions* session, int32_t process, int64_t timeout_ms) {
  return required(session).terminateBackend(process, timeout_ms);
}

void rt::advisoryLock(SessionFunctions* session, uint64_t number, bool is_pair, bool is_shared, bool of_session) {
  required(session).lock({number, is_pair}, modeOf(is_shared), durationOf(of_session));
}

bool rt::advisoryTryLock(SessionFunctions* session, uint64_t number, bool is_pair, bool is_shared, bool of_session) {
  return required(session).tryLock({number, is_pair}, modeOf(is_shared), durationOf(of_session));
}

bool rt::advisoryUnlock(SessionFunctions* session, uint64_t number, bool is_pair, bool is_shared) {
  return required(session).unlock({number, is_pair}, modeOf(is_shared));
}

void rt::advisoryUnlockAll(SessionFunctions* session) {
  required(session).unlockAll();
}

int64_t rt::sequenceOf(SessionFunctions* session, uint64_t name_lo, uint64_t name_hi) {
  return required(session).sequenceOf(StringValue(name_lo, name_hi).view());
}

int64_t rt::nextValue(SessionFunctions* session, int64_t sequence, bool is_identity) {
  return required(session).nextValue(sql::oidOf(sequence), is_identity);
}

int64_t rt::currentValue(SessionFunctions* session, int64_t sequence) {
  return required(session).currentValue(sql::oidOf(sequence));
}

int64_t rt::lastValue(SessionFunctions* session) {
  return required(session).lastValue();
}

int64_t rt::setValue(SessionFunctions* session, int64_t sequence, int64_t value, bool is_called) {
  required(session).setValue(sql::oidOf(sequence), value, is_called);
  return value;
}

double rt::randomNumber(SessionFunctions* session) {
  return required(session).random();
}

int128 rt::generateUuid() {
  return sql::randomUuid();
}

void rt::setRandomSeed(SessionFunctions* session, double seed) {
  required(session).setSeed(seed);
}

StringValue rt::setConfig(SessionFunctions* session, uint64_t name_lo, uint64_t name_hi, uint64_t value_lo,
                          uint64_t value_hi, bool is_local, Arena* arena) {
  const StringValue name(name_lo, name_hi), value(value_lo, value_hi);
  const std::string shown = required(session).setConfig(name.view(), value.view(), is_local);
  return StringValue::refer(arena->copy(shown), StringValue::Storage::Transient);
}

void rt::sleep(SessionFunctions* session, double seconds) {
  required(session).sleep(seconds);
}

void rt::sleepFor(SessionFunctions* session, uint64_t lo, uint64_t hi) {
  sleepUntil(session, addIntervalToUtc(clockTime(), lo, hi));
}

void rt::sleepUntil(SessionFunctions* session, int64_t time) {
  constexpr double kMicrosecondsPerSecond = 1e6;
  required(session).sleep((static_cast<double>(time) - static_cast<double>(clockTime())) / kMicrosecondsPerSecond);
}

int64_t rt::transactionNumber(SessionFunctions* session, bool is_wanted) {
  return required(session).transactionNumber(is_wanted).value_or(kNoTransaction);
}

int64_t rt::transactionTime(SessionFunctions* session) {
  return required(session).transactionTime();
}

int64_t rt::statementTime(SessionFunctions* session) {
  return required(session).statementTime();
}

int64_t rt::clockTime() {
  using namespace std::chrono;
  const auto unix_us = duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
  return unix_us - sql::kUnixToPostgresDays * sql::kMicrosecondsPerDay;
}

StringValue rt::timeOfDay(Arena* arena) {
  static constexpr std::array kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const int64_t now = clockTime();
  const int64_t local = sql::utcToLocal(now);
  const sql::CivilDate date = sql::civilFromDays(sql::timestampDays(local));
  const int64_t time = sql::timestampTimeOfDay(local);
  const int64_t unix_seconds = now / sql::kMicrosecondsPerSecond + int64_t{sql::kUnixToPostgresDays} * 86400;
  const std::string text =
      fmt::format("{} {} {:02} {:02}:{:02}:{:02}.{:06} {} {}",
                  kDays[static_cast<size_t>(sql::dayOfWeek(sql::timestampDays(local)))],
                  kMonths[static_cast<size_t>(date.month - 1)], date.day, time / sql::kMicrosecondsPerHour,
                  time / sql::kMicrosecondsPerMinute % 60, time / sql::kMicrosecondsPerSecond % 60,
                  time % sql::kMicrosecondsPerSecond, date.year, sessionTimeZone().abbreviationAt(unix_seconds));
  return StringValue::refer(arena->copy(text), StringValue::Storage::Transient);
}

}  // namespace gnomon::codegen
