#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "codegen/executor/figures_recorder.h"
#include "codegen/executor/morsel_source.h"
#include "codegen/executor/program.h"
#include "codegen/executor/query_program.h"
#include "codegen/runtime/insert_target.h"
#include "codegen/runtime/output_sink.h"
#include "codegen/runtime/spill_area.h"

namespace gnomon::codegen {

/// The memory and structures of one execution.
///
/// Ownership: everything generated code touches but pages and constants. Threads: the session's thread; workers use
/// their own local part while a step runs.
class ExecutionState {
 public:
  ExecutionState(std::shared_ptr<QueryProgram> program, Parameters parameters, const ExecutionContext& context);
  ~ExecutionState();
  /// Lets go of all that belongs to the run that is over; what another one can use stays.
  void park();
  /// Makes structures anew, for steps that are executed again. What others know of them goes with them.
  struct SlotList {
    std::vector<size_t> globals, locals;  ///< ascending
  };
  void renew(const SlotList& slots);
  /// The next run, after park(): what it sees and is given, and then its structures. Failure: as the constructor.
  void begin(Parameters parameters, const txn::Snapshot& snapshot, const txn::WriteContext* write);
  void restart();
  /// A join's build side did not find room: after this step another program goes on.
  void noteSpill(const sql::Join* join) { spilled_join_ = join; }
  /// Goes over to that program, if there was one. What was made for the steps so far stays.
  void followSpill() {
    if (spilled_join_ != nullptr) changeProgram();
  }
  ExecutionState(const ExecutionState&) = delete;
  ExecutionState& operator=(const ExecutionState&) = delete;

  struct Worker {
    Worker(MemoryAccount& memory, size_t slots);
    [[nodiscard]] LocalState* local() { return reinterpret_cast<LocalState*>(memory_block.get()); }
    Arena scratch, arena;
    std::unique_ptr<uint64_t[]> memory_block;
    std::vector<std::unique_ptr<RuntimeObject>> objects;
    Morsel morsel;           ///< of the suspended pipeline
    bool has_begun = false;  ///< the pipeline at hand: it may have left a piece behind
    /// A copy of a leaf, for code that may wait: nobody waits while he holds a page.
    storage::LeafAccess copied_leaf;
    std::vector<std::byte> copied_page;
    /// Source rows given to a call that writes output: a join may make millions of rows of one.
    uint64_t rows_per_call = 1;
    /// Source rows of the pipeline that are done, and that the other workers do not know of.
    uint64_t rows_untold = 0;
  };

  /// Whose workers execute the program's steps: as many as workerCount().
  [[nodiscard]] WorkerPool& pool() { return first_program_->is_serial ? WorkerPool::callerAlone() : context.workers; }
  [[nodiscard]] unsigned workerCount() const { return static_cast<unsigned>(workers.size()); }
  [[nodiscard]] GlobalState* global() { return reinterpret_cast<GlobalState*>(global_block_.get()); }
  template <typename T>
  [[nodiscard]] T& globalObject(size_t slot) {
    return static_cast<T&>(*global_objects_[slot]);
  }
  template <typename T>
  [[nodiscard]] T& localObject(unsigned worker, size_t slot) {
    return static_cast<T&>(*workers[worker]->objects[slot]);
  }
  [[nodiscard]] SpillLimits spillLimits() const;
  /// The first generated code is about to run.
  void noteFirstMorsel() {
    if (first_morsel_us != 0) return;
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    first_morsel_us = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  }

  std::shared_ptr<QueryProgram> program;
  ExecutionContext context;
  std::vector<std::unique_ptr<Worker>> workers;
  uint64_t row_goal = 0;  ///< rows that the caller of run() wants at most; 0: all
  int64_t first_morsel_us = 0;
  StepUses step_uses;  ///< of the step at hand, where they are counted

 private:
  void setParameters(Parameters parameters);
  void makeObjects();
  void dropObjects(size_t globals_kept, size_t locals_kept);
  void changeProgram();

  const std::shared_ptr<QueryProgram> first_program_;
  const sql::Join* spilled_join_ = nullptr;
  std::vector<ParameterSlot> parameter_slots_;
  std::unique_ptr<uint64_t[]> global_block_;
  std::vector<std::unique_ptr<RuntimeObject>> global_objects_;
  bool is_complete_ = false;  ///< all objects are there
};

}  // namespace gnomon::codegen
