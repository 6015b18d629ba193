#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/sql_error.h"
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
  /// A statement of a routine in SQL that is executed.
  struct SqlCall {
    const std::string& routine;
    size_t statement;           ///< from 1
    const RoutineCall* within;  ///< the routine in PL/pgSQL that it is called in; null: none
    const SqlCall* around;      ///< that of the routine in SQL that it is called in, or of one further out; null: none
  };
  explicit RoutineCalls(SessionContext& session);
  ~RoutineCalls();
  RoutineCalls(const RoutineCalls&) = delete;
  RoutineCalls& operator=(const RoutineCalls&) = delete;

  /// What it returns, as a value of the type: of a set the array of its rows. `arguments`: those of a kCallRoutine
  /// behind the oid. Failure: that of its statements; 42883,
  /// 54001; 0A000 for statements that are neither queries nor changes, and for changes where it is not volatile.
  /// `failure`: where the error of a routine in PL/pgSQL is put; NULL is returned then. Null: it is thrown, which takes
  /// many times longer.
  sql::Value call(uint32_t routine, std::span<const sql::Value> arguments, sql::Type result,
                  std::optional<SqlError>* failure = nullptr);
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
  /// The code of a routine in PL/pgSQL, as text. Failure: that of compiling it.
  std::string codeText(const sql::TablePtr& entry);
  /// Grows with each statement of a body that changes something.
  [[nodiscard]] uint64_t changeCount() const { return change_count_; }

 private:
  struct Prepared;
  /// A polymorphic routine with the types of a call, and what it is executed as.
  struct Instance {
    sql::TablePtr defined, entry;
    std::shared_ptr<Prepared> prepared;
    std::shared_ptr<CompiledRoutine> compiled;
  };
  /// As the catalog has it. Failure: 42883.
  sql::TablePtr entryOf(uint32_t oid);
  sql::TablePtr typedEntry(const sql::TablePtr& entry, std::span<const sql::Value> inputs);
  /// For inputs of these types.
  Instance& instanceOf(const sql::TablePtr& defined, std::span<const sql::Type> inputs);
  /// `entry`: as the catalog has it, or an instance's.
  std::shared_ptr<CompiledRoutine>& compiledPlace(const sql::TablePtr& entry);
  std::shared_ptr<Prepared>& preparedPlace(const sql::TablePtr& entry);
  std::shared_ptr<CompiledRoutine> compiledOf(const sql::TablePtr& entry);
  std::shared_ptr<CompiledRoutine> compiledOf(const sql::TablePtr& entry, const codegen::TriggerCall& call);
  /// The rows that the last statement of a body in SQL gives, where the routine returns something.
  std::vector<ValueRow> runSql(const sql::TablePtr& entry, std::span<const sql::Value> inputs,
                               const std::vector<sql::Type>& listed = {});
  /// `listed`: the types of the columns that the statement lists for a function that returns records.
  sql::Value callInside(const sql::TablePtr& entry, std::span<const sql::Value> arguments,
                        const std::vector<sql::Type>& listed, sql::Type result, std::optional<SqlError>* failure);
  /// `failure`: as call() has it.
  void run(RoutineCall& call, std::span<const sql::Value> inputs, std::optional<SqlError>* failure = nullptr);
  sql::Value callPlpgsql(const sql::TablePtr& entry, std::span<const sql::Value> inputs,
                         const std::vector<sql::Type>& listed, sql::Type result, std::optional<SqlError>* failure);
  std::shared_ptr<Prepared> prepare(const sql::TablePtr& entry);

  /// Found in the committed catalog; counted by the session itself, since references to what is there are counted by
  /// all.
  struct KnownEntry {
    uint64_t catalog_version = 0;
    sql::TablePtr entry;
  };

  SessionContext& session_;
  std::unordered_map<uint32_t, KnownEntry> known_entries_;                            ///< by oid
  std::unordered_map<uint32_t, std::shared_ptr<Prepared>> prepared_;                  ///< by oid
  std::unordered_map<uint32_t, std::shared_ptr<CompiledRoutine>> compiled_;           ///< of PL/pgSQL, by oid
  std::unordered_map<uint32_t, std::shared_ptr<CompiledRoutine>> compiled_triggers_;  ///< by the triggers' oids
  std::unordered_map<uint32_t, std::vector<std::unique_ptr<Instance>>> instances_;    ///< of polymorphic ones, by oid
  RoutineCall* innermost_ = nullptr;  ///< call of a routine in PL/pgSQL; null: none is executed
  const SqlCall* innermost_sql_ = nullptr;
  uint64_t change_count_ = 0;
};

}  // namespace gnomon::server
