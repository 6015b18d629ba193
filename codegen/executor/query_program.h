#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/executor/code_unit.h"
#include "codegen/executor/program.h"
#include "codegen/executor/step.h"
#include "codegen/runtime/runtime_object.h"
#include "codegen/translate/code_context.h"

namespace gnomon::codegen {

class ExecutionState;
struct ForeignKeySettings;
struct KnownRow;

/// How far a program is the same whether or not a join's rows are spilled: its steps up to the one that builds the
/// join's table, that one included, and the slots that they use.
struct SpillPoint {
  size_t steps, globals, locals;
  bool operator==(const SpillPoint&) const = default;
};

/// A compiled statement: steps, their code, and the runtime structures an execution needs.
class QueryProgram final : public Program {
 public:
  /// Makes a runtime structure and gives the address that generated code gets in its slot.
  struct Made {
    std::unique_ptr<RuntimeObject> object;
    void* address;
  };
  using GlobalFactory = std::function<Made(ExecutionState&)>;
  using LocalFactory = std::function<Made(ExecutionState&, unsigned worker)>;

  [[nodiscard]] std::string describePipelines() const override;
  [[nodiscard]] std::string describeIr() const override;
  [[nodiscard]] bool isPlain() const override { return is_plain; }
  [[nodiscard]] bool gathersRows() const override { return is_plain && gathered_slot && steps.size() == 1; }
  [[nodiscard]] bool looksAtKeys() const override { return looks_at_keys; }
  [[nodiscard]] bool looksAhead() const override {
    return is_plain && has_simple_key && steps.size() == (changes.empty() ? 2 : 3);
  }

  size_t addGlobal(GlobalFactory factory) {
    globals.push_back(std::move(factory));
    return globals.size() - 1;
  }
  size_t addLocal(LocalFactory factory) {
    locals.push_back(std::move(factory));
    return locals.size() - 1;
  }
  /// Takes a finished module.
  CodeUnit* addCode(ir::Module module);
  template <typename StepType, typename... Arguments>
  StepType& addStep(Arguments&&... arguments) {
    auto step = std::make_unique<StepType>(std::forward<Arguments>(arguments)...);
    StepType& result = *step;
    steps.push_back(std::move(step));
    step_owners.push_back(translated);
    return result;
  }

  /// The program for executions in which the build side of `join` did not find room, on top of those joins of which it
  /// is known already: instead of being probed in their pipeline, the rows of the other side are written out, and come
  /// back partition by partition. Compiled when it is first asked for; its slots are this program's up to the point.
  std::shared_ptr<QueryProgram> spilled(const sql::Join* join);

  /// For rows that foreign keys and triggers change.
  [[nodiscard]] ForeignKeySettings keySettings(ExecutionState& state) const;
  /// An execution has a TriggerQueue. Before the structures that use it are added.
  void addTriggers();

  std::shared_ptr<const sql::Plan> plan;
  ExecutionPolicy policy;
  ProgramResources resources;
  std::vector<GlobalFactory> globals;
  std::vector<LocalFactory> locals;
  std::vector<std::unique_ptr<CodeUnit>> units;
  std::vector<std::unique_ptr<Step>> steps;
  OutputFormat format;
  std::set<const sql::Join*> spilled_joins;                       ///< of whose rows it is known that they are
  std::unordered_map<const sql::Join*, SpillPoint> spill_points;  ///< of joins that can spill
  unsigned spilling_operators = 0;                                ///< that share the statement's memory
  bool has_output = false;                                        ///< rows are encoded into output_slot
  std::vector<const sql::Operator*> counted;  ///< framing Counted: operators by the number of their counters
  size_t counters_slot = 0;                   ///< local: OperatorCounters
  std::vector<size_t> gates;                  ///< of the operators around the code that is being made: PipelineStep
  std::vector<std::shared_ptr<const KnownRow>> known_rows;  ///< that the code which is being made may read
  size_t translated = 0;                                    ///< number of the counted operator whose code is being made
  std::vector<size_t> step_owners;                          ///< of each step: the operator that added it
  bool is_serial = false;                                   ///< so little to do that one worker does it all
  bool is_plain = false;                                    ///< isPlain()
  bool is_write = false;
  bool has_row_locks = false;  ///< row_locks_slot: output is held back until its rows are locked
  size_t row_locks_slot = 0;
  /// What changes a table.
  struct Change {
    size_t target_slot;  ///< global: WriteTarget
    const sql::Operator* op;
    bool is_main;             ///< the statement itself; otherwise a query of its WITH
    bool is_at_once = false;  ///< rows are written as they come: there is nothing to apply
  };
  std::vector<Change> changes;           ///< in the order of execution
  std::optional<size_t> gathered_slot;   ///< local: InsertBuffer of one row, which needs no table; none: there is none
  bool looks_at_keys = false;            ///< looksAtKeys()
  bool has_simple_key = false;           ///< what bounds an index is made of parameters without fail
  std::optional<size_t> triggers_slot;   ///< global: TriggerQueue; none: nothing fires
  size_t output_slot = 0;                ///< local: OutputSink
  std::map<size_t, size_t> place_slots;  ///< local: PartitionPlace, by the slots of PartitionedSources

 private:
  std::mutex mutex_;
  std::unordered_map<const sql::Join*, std::shared_ptr<QueryProgram>> variants_;  ///< under mutex_
};

}  // namespace gnomon::codegen
