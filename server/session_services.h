#pragma once

#include "codegen/runtime/session_functions.h"
#include "server/large_objects.h"
#include "server/random_numbers.h"
#include "server/routine_calls.h"
#include "server/session_sequences.h"
#include "server/trigger_calls.h"

namespace gnomon::server {

struct SessionContext;

/// The functions that ask a session. Threads: the session's. Lifetime: that of the context, which outlives it.
class SessionServices final : public codegen::SessionFunctions {
 public:
  explicit SessionServices(SessionContext& session)
      : session_(session), sequences_(session), routines_(session), triggers_(session), large_objects_(session) {}

  /// For as long as it lives, a statement is executed that sees this.
  class Seeing {
   public:
    Seeing(SessionServices& services, const txn::Snapshot& snapshot)
        : services_(services), before_(std::exchange(services.seen_, &snapshot)) {}
    ~Seeing() { services_.seen_ = before_; }
    Seeing(const Seeing&) = delete;
    Seeing& operator=(const Seeing&) = delete;

   private:
    SessionServices& services_;
    const txn::Snapshot* const before_;
  };
  /// What the statement at hand sees; null: none is executed.
  [[nodiscard]] const txn::Snapshot* seen() const { return seen_; }

  // What no rollback undoes, or others may see, comes behind rows that are pending.
  [[nodiscard]] int32_t processId() const override;
  bool cancelBackend(int32_t process) override;
  bool terminateBackend(int32_t process, int64_t timeout_ms) override;
  void lock(txn::AdvisoryKey key, txn::LockMode mode, Duration duration) override;
  bool tryLock(txn::AdvisoryKey key, txn::LockMode mode, Duration duration) override;
  bool unlock(txn::AdvisoryKey key, txn::LockMode mode) override;
  void unlockAll() override;
  uint32_t sequenceOf(std::string_view name) override { return sequences_.find(name); }
  int64_t nextValue(uint32_t sequence, bool is_identity) override;
  int64_t currentValue(uint32_t sequence) override { return sequences_.current(sequence); }
  int64_t lastValue() override { return sequences_.last(); }
  void setValue(uint32_t sequence, int64_t value, bool is_called) override;
  /// Those held in advance, and the last ones.
  void forgetSequences() { sequences_.forget(); }
  double random() override { return random_.next(); }
  void setSeed(double seed) override { random_.seed(seed); }

  sql::Value callRoutine(uint32_t routine, std::span<const sql::Value> arguments, sql::Type result) override;
  std::optional<uint64_t> currentRow(const sql::TableEntry& target, std::string_view cursor) override;
  [[nodiscard]] RoutineCalls& routines() { return routines_; }
  [[nodiscard]] const RoutineCalls& routines() const { return routines_; }
  [[nodiscard]] TriggerCalls& triggers() { return triggers_; }
  [[nodiscard]] const TriggerCalls& triggers() const { return triggers_; }
  [[nodiscard]] LargeObjects& largeObjects() { return large_objects_; }
  [[nodiscard]] const LargeObjects& largeObjects() const { return large_objects_; }
  /// Grows with whatever calls of routines and functions change.
  [[nodiscard]] uint64_t routineChangeCount() const { return routines_.changeCount() + large_objects_.changeCount(); }

  std::string setConfig(std::string_view name, std::string_view value, bool is_local) override;
  void sleep(double seconds) override;
  std::optional<int64_t> transactionNumber(bool is_wanted) override;
  [[nodiscard]] int64_t transactionTime() const override;
  [[nodiscard]] int64_t statementTime() const override;

 private:
  SessionContext& session_;
  SessionSequences sequences_;
  RoutineCalls routines_;
  TriggerCalls triggers_;
  LargeObjects large_objects_;
  RandomNumbers random_;
  const txn::Snapshot* seen_ = nullptr;
};

/// Whether who asks may end a session, or what it does. Failure: 42501.
void requireMaySignal(const SessionContext& session, int32_t process, bool is_end);

}  // namespace gnomon::server
