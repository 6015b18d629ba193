#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/arena.h"
#include "base/int128.h"
#include "base/string_value.h"
#include "sql/types/value.h"
#include "txn/lock_manager.h"

namespace gnomon::sql {
struct TableEntry;
}

namespace gnomon::codegen {

/// What functions ask of the session that executes the statement. Threads: the session's. Failure: as said there.
class SessionFunctions {
 public:
  enum class Duration : uint8_t { Session, Transaction };

  virtual ~SessionFunctions() = default;
  [[nodiscard]] virtual int32_t processId() const = 0;
  /// False, and a warning to the client: there is no such process.
  virtual bool cancelBackend(int32_t process) = 0;
  /// Waits up to so many milliseconds for its end; 0: does not. False, and a warning: it has not ended by then, or
  /// there is no such process. Failure: 22023 for a negative time.
  virtual bool terminateBackend(int32_t process, int64_t timeout_ms) = 0;
  /// Failure: as Patience says.
  virtual void lock(txn::AdvisoryKey key, txn::LockMode mode, Duration duration) = 0;
  virtual bool tryLock(txn::AdvisoryKey key, txn::LockMode mode, Duration duration) = 0;
  /// False, and a warning: the session has not taken it.
  virtual bool unlock(txn::AdvisoryKey key, txn::LockMode mode) = 0;
  virtual void unlockAll() = 0;
  /// The oid of a sequence's name, as regclass reads it. Failure: 42P01, 42602, 42809.
  virtual uint32_t sequenceOf(std::string_view name) = 0;
  /// Of the sequence with the oid. Failure: 42501, 42P01; 25006, 2200H; 55000 for a value that the session has not
  /// taken. `is_identity`: it is what an identity column gets, so nobody asks for rights on the sequence.
  virtual int64_t nextValue(uint32_t sequence, bool is_identity) = 0;
  virtual int64_t currentValue(uint32_t sequence) = 0;
  virtual int64_t lastValue() = 0;
  virtual void setValue(uint32_t sequence, int64_t value, bool is_called) = 0;
  /// Of [0, 1), from a generator of the session's own.
  virtual double random() = 0;
  /// Failure: 22023 outside of [-1, 1].
  virtual void setSeed(double seed) = 0;
  /// What SET does, and what SHOW answers then. Failure: theirs.
  virtual std::string setConfig(std::string_view name, std::string_view value, bool is_local) = 0;
  /// Failure: 57014 and what else ends a statement that waits.
  virtual void sleep(double seconds) = 0;
  /// What clients know the session's transaction by. One that has changed nothing has no number, unless it `is_wanted`.
  virtual std::optional<int64_t> transactionNumber(bool is_wanted) = 0;
  /// What a routine that a user made returns, as a value of the type: of a set the array of its rows. Failure: the
  /// routine's.
  virtual sql::Value callRoutine(uint32_t routine, std::span<const sql::Value> arguments, sql::Type result) = 0;
  /// The row of `target`, or of a partition of it, where the session's cursor stands, as TableScan::kTupleId; none: it
  /// stands in another partition. Failure: 34000; 24000 where it stands nowhere or is no simple scan of the table.
  virtual std::optional<uint64_t> currentRow(const sql::TableEntry& target, std::string_view cursor) = 0;
  /// When the transaction, or what the client sent last, began: a timestamp with time zone. Threads: any.
  [[nodiscard]] virtual int64_t transactionTime() const = 0;
  [[nodiscard]] virtual int64_t statementTime() const = 0;
};

/// As generated code calls them. `session` null: 0A000.
namespace rt {
int32_t backendPid(SessionFunctions* session);
bool cancelBackend(SessionFunctions* session, int32_t process);
bool terminateBackend(SessionFunctions* session, int32_t process, int64_t timeout_ms);
/// `is_pair`: the number is two of 32 bits.
void advisoryLock(SessionFunctions* session, uint64_t number, bool is_pair, bool is_shared, bool of_session);
bool advisoryTryLock(SessionFunctions* session, uint64_t number, bool is_pair, bool is_shared, bool of_session);
bool advisoryUnlock(SessionFunctions* session, uint64_t number, bool is_pair, bool is_shared);
void advisoryUnlockAll(SessionFunctions* session);
/// The oid of a sequence by its name, a string's two words.
int64_t sequenceOf(SessionFunctions* session, uint64_t name_lo, uint64_t name_hi);
int64_t nextValue(SessionFunctions* session, int64_t sequence, bool is_identity);
int64_t currentValue(SessionFunctions* session, int64_t sequence);
int64_t lastValue(SessionFunctions* session);
/// Returns the value.
int64_t setValue(SessionFunctions* session, int64_t sequence, int64_t value, bool is_called);
int128 generateUuid();
double randomNumber(SessionFunctions* session);
void setRandomSeed(SessionFunctions* session, double seed);
StringValue setConfig(SessionFunctions* session, uint64_t name_lo, uint64_t name_hi, uint64_t value_lo,
                      uint64_t value_hi, bool is_local, Arena* arena);
/// Times as registers hold them.
void sleep(SessionFunctions* session, double seconds);
void sleepFor(SessionFunctions* session, uint64_t lo, uint64_t hi);
void sleepUntil(SessionFunctions* session, int64_t time);
int64_t transactionNumber(SessionFunctions* session, bool is_wanted);
inline constexpr int64_t kNoTransaction = -1;
int64_t transactionTime(SessionFunctions* session);
int64_t statementTime(SessionFunctions* session);
/// Now; as a text in the session's zone.
int64_t clockTime();
StringValue timeOfDay(Arena* arena);
}  // namespace rt

}  // namespace gnomon::codegen
