#pragma once

#include <memory>
#include <optional>
#include <span>

#include "server/query_run.h"

namespace gnomon::server {

/// Those of the plan, which there is.
const PlanTraits& knownTraits(KeptPlan& kept);

/// A run of a kept plan whose program is plain (codegen::Program::isPlain), and of whose rows the first is wanted: what
/// QueryRun does for such a plan, without what it cannot need.
///
/// Rules: Q1 and Q3 of QueryRun. Whatever else there may be to do, another mode included, is QueryRun's: begin() and
/// run() tell the caller to make one.
/// Threads: the session's. Failure: as QueryRun.
class PlainRun {
 public:
  /// The statement and the format outlive it.
  PlainRun(SessionContext& session, DescribedStatement& statement, const codegen::OutputFormat& format)
      : session_(session), statement_(statement), format_(format) {}
  PlainRun(const PlainRun&) = delete;
  PlainRun& operator=(const PlainRun&) = delete;
  ~PlainRun() {
    if (is_finished_) session_.parked.put(std::move(work_), statement_.kept.parked_place);
  }

  /// Locks and starts. `parameters` outlive the run. False: nothing was done that QueryRun would not do.
  bool begin(std::span<const codegen::ParameterSlot> parameters);
  /// Counts up to `row_limit` rows (0: all). False: what it did is undone.
  bool run(uint64_t row_limit);
  /// After begin(), as Execution::lookAhead(), where the plan looks ahead.
  [[nodiscard]] bool looksAhead() const { return statement_.kept.traits.looks_ahead; }
  void lookAhead(std::span<codegen::ParameterSlot> parameters, size_t counter) {
    work_->execution->lookAhead(parameters, counter);
  }
  /// After a run: the error that it has failed with, which was not thrown. What it did is undone when this goes.
  [[nodiscard]] std::optional<SqlError>& refusal() { return work_->refusal; }
  /// After a run that did not.
  [[nodiscard]] uint64_t sentCount() const { return work_->execution->rowCount(); }
  [[nodiscard]] uint64_t rowCount() const {
    const uint64_t written = work_->execution->writtenCount();
    return written != 0 ? written : sentCount();
  }
  /// As Execution::firstRow().
  [[nodiscard]] std::span<const codegen::ParameterSlot> firstRow() const { return work_->execution->firstRow(); }
  [[nodiscard]] const std::shared_ptr<const CompiledQuery>& query() const { return work_->query; }
  [[nodiscard]] bool isWriting() const { return statement_.kept.traits.is_writing; }

 private:
  bool start();
  bool runOnce(uint64_t row_limit);

  SessionContext& session_;
  DescribedStatement& statement_;
  const codegen::OutputFormat& format_;
  std::span<const codegen::ParameterSlot> parameters_;
  txn::TransactionManager::SnapshotGuard snapshot_;
  std::optional<txn::WriteContext> write_context_;
  std::unique_ptr<QueryWork> work_;
  bool is_finished_ = false;
};

}  // namespace gnomon::server
