#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "codegen/runtime/trigger_queue.h"
#include "server/value_rows.h"
#include "sql/catalog/table_entry.h"
#include "sql/types/value.h"

namespace gnomon::server {

struct SessionContext;
class CompiledRoutine;
class RoutineCall;

/// Executes the routines whose bodies are no part of the statements that call them: the statements of the body one
/// after the other, in the transaction of the caller, with the arguments as their parameters. What they are bound and
/// compiled to is kept from call to call, as that of prepared statements is.
///
/// Rules:  each statement sees what those before it have done, and under READ COMMITTED what others have committed
///         meanwhile; the statement that calls does not. Threads: the session's. Lifetime: the session's.
class RoutineCalls {
 public:
  explicit RoutineCalls(SessionContext& session);
  ~RoutineCalls();
  RoutineCalls(const RoutineCalls&) = delete;
  RoutineCalls& operator=(const RoutineCalls&) = delete;

  /// What it returns, as a value of the type: of a set the array of its rows. Failure: that of its statements; 42883,
  /// 54001; 0A000 for statements that are neither queries nor changes, and for changes where it is not volatile.
  sql::Value call(uint32_t routine, std::span<const sql::Value> arguments, sql::Type result);
  /// CALL: the values of the parameters that give something back. `is_atomic`: it may not end the transaction.
  ValueRow callProcedure(const sql::TablePtr& entry, std::span<const sql::Value> inputs, bool is_atomic);
  /// The function of a trigger: the row that it returns, a value for each column that is there; none: NULL.
  std::optional<ValueRow> callTrigger(const codegen::TriggerCall& call);
  /// The rows of the trigger that is being called: those of a transition table. Null: it has none.
  [[nodiscard]] const codegen::TriggerCall* trigger() const;
  /// DO.
  void runBlock(const std::string& body, bool is_atomic);
  /// Where the routines in PL/pgSQL are that are executed, innermost first, as the context of a notice says it.
  [[nodiscard]] std::string contextLines() const;
  /// Grows with each statement of a body that changes something.
  [[nodiscard]] uint64_t changeCount() const { return change_count_; }

 private:
  struct Prepared;
  std::shared_ptr<CompiledRoutine> compiledOf(const sql::TablePtr& entry);
  std::shared_ptr<CompiledRoutine> compiledOf(const sql::TablePtr& entry, const codegen::TriggerCall& call);
  void run(RoutineCall& call, std::span<const sql::Value> inputs);
  sql::Value callPlpgsql(const sql::TablePtr& entry, std::span<const sql::Value> inputs, sql::Type result);
  std::shared_ptr<Prepared> prepare(const sql::TablePtr& entry);

  SessionContext& session_;
  std::unordered_map<uint32_t, std::shared_ptr<Prepared>> prepared_;                  ///< by oid
  std::unordered_map<uint32_t, std::shared_ptr<CompiledRoutine>> compiled_;           ///< of PL/pgSQL, by oid
  std::unordered_map<uint32_t, std::shared_ptr<CompiledRoutine>> compiled_triggers_;  ///< by the triggers' oids
  RoutineCall* innermost_ = nullptr;  ///< call of a routine in PL/pgSQL; null: none is executed
  uint64_t change_count_ = 0;
};

}  // namespace gnomon::server
