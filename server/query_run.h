#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/memory_account.h"
#include "server/described_statement.h"
#include "server/planner.h"
#include "server/row_sink.h"
#include "server/session_context.h"
#include "sql/bound_statement.h"
#include "sql/types/value.h"
#include "txn/transaction.h"

namespace gnomon::server {

/// Starts the execution of `work`, or starts it again. What is given outlives the run.
void startWork(SessionContext& session, QueryWork& work, const codegen::OutputFormat& format,
               codegen::Parameters parameters, const txn::Snapshot& snapshot, const txn::WriteContext* write);

/// One execution of a statement with a plan: what it sees, its memory, and where it stands.
///
/// Rules:  Q1  locks are taken before the plan is checked against the catalog, and stay with the transaction
///         Q2  a decimal that leaves 38 digits before any row left for good makes the run start again with
///             numerics of unlimited size; afterwards it is 22003. Likewise an error of a statement with subqueries,
///             with these on demand: it may be one of a subquery whose value nobody wants
///         Q3  a statement that writes, and under READ COMMITTED meets rows that others have changed since it began,
///             starts again with a new snapshot; nothing of it has left for the client
///         Q4  where the plan reads by an index that is newer than the snapshot, the run has one of its own without it
/// Threads: the session's. Failure: SqlError, ConnectionLost; the run is over then and a write has been undone.
class QueryRun {
 public:
  /// Plans (`fresh` as in Planner::compile), locks and starts. `parameters`, if they are values, are of the types the
  /// statement was described with; they, the statement and the format outlive the run.
  /// `seen`: the snapshot of a statement that only reads, held by the caller; null: one of its own.
  QueryRun(SessionContext& session, DescribedStatement& statement, const codegen::OutputFormat& format,
           codegen::Parameters parameters, std::shared_ptr<sql::BoundStatement> fresh,
           const txn::Snapshot* seen = nullptr);
  ~QueryRun() { letGo(); }

  /// Rows that the optimiser expects to be changed, as far as that tells whether a transaction is a large one.
  [[nodiscard]] static double expectedChanges(const sql::BoundStatement& bound);
  /// Whether the error may be one of a value that nobody wants. What the environment, others, the client or constraints
  /// say is none.
  [[nodiscard]] static bool mayBeOfValue(const SqlError& error);

  /// Gives `rows` up to `row_limit` rows (0: all). True: there are none left.
  bool run(uint64_t row_limit, RowSink& rows);
  /// Those of the last run().
  [[nodiscard]] uint64_t sentCount() const { return row_count_; }
  /// Rows that CommandComplete counts: sent by the last run(), or changed.
  [[nodiscard]] uint64_t rowCount() const { return written_count_ != 0 ? written_count_ : row_count_; }
  /// Of framing FirstRow, after a run that gave rows, as Execution::firstRow(): as long as the run lives.
  [[nodiscard]] std::span<const codegen::ParameterSlot> firstRow() const { return work_->execution->firstRow(); }
  /// Until a finished run, where the format is DataRow.
  [[nodiscard]] const sql::BoundStatement& bound() const { return *work_->query->bound; }
  /// As bound().
  [[nodiscard]] const std::shared_ptr<const CompiledQuery>& query() const { return work_->query; }
  /// After a finished run whose format is Counted: what the operators of the bound statement's plan did, and its steps
  /// as text.
  [[nodiscard]] const sql::ExecutionFigures& figures() const { return figures_.value(); }
  [[nodiscard]] const std::string& steps() const { return steps_; }

 private:
  void start(PlanMode mode, std::shared_ptr<sql::BoundStatement> fresh);
  void compileAndLock(PlanMode mode, std::shared_ptr<sql::BoundStatement> fresh);
  void planFor(const txn::Snapshot& snapshot);
  void startExecution(const txn::Snapshot& snapshot);
  /// Whether the execution is worth to be parked.
  [[nodiscard]] bool isParkable() const {
    using Framing = codegen::OutputFormat::Framing;
    return statement_.has_name && (format_.framing == Framing::DataRow || format_.framing == Framing::FirstRow) &&
           mode_.isUsual() && !is_planned_for_snapshot_;
  }
  /// What one of the statement's plan that writes says; empty: it does not.
  [[nodiscard]] std::string_view writingCommand() const;
  bool runInModes(uint64_t row_limit, RowSink& rows);
  bool runAnew(uint64_t row_limit, RowSink& rows);
  bool runOnce(uint64_t row_limit, RowSink& rows);
  void undoRoutines();
  /// The parameters as the plan takes them.
  [[nodiscard]] codegen::Parameters typedParameters();
  void noteFirstMorsel();
  void finish();
  void letGo() noexcept;

  SessionContext& session_;
  DescribedStatement& statement_;
  const codegen::OutputFormat& format_;
  const codegen::Parameters parameters_;
  std::vector<sql::Value> cast_parameters_;  ///< where the plan takes them as others than they were described
  const int64_t text_received_us_;
  txn::TransactionManager::SnapshotGuard snapshot_;
  const txn::Snapshot* const given_snapshot_;
  txn::Snapshot seen_;
  std::optional<txn::WriteContext> write_context_;
  std::unique_ptr<QueryWork> work_;
  TableUses::Use uses_;
  uint64_t row_count_ = 0;
  uint64_t written_count_ = 0;
  std::optional<sql::ExecutionFigures> figures_;
  std::string steps_;
  PlanMode mode_;
  bool is_planned_for_snapshot_ = false;
  bool was_run_ = false;
  bool is_finished_ = false;           ///< and the execution is still there
  SessionTransaction::Mark mark_{};    ///< before the run
  uint64_t routine_changes_ = 0;       ///< likewise
  uint64_t bulk_statement_count_ = 0;  ///< of the transaction, when the statement began
  bool first_morsel_noted_ = false;
};

}  // namespace gnomon::server
