#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "codegen/executor/query_program.h"
#include "codegen/translate/pipeline.h"
#include "sql/algebra/change_operators.h"
#include "sql/algebra/function_scan.h"
#include "sql/algebra/set_operators.h"
#include "sql/algebra/virtual_scan.h"
#include "sql/algebra/window.h"

namespace gnomon::sql {
struct KeyWork;
struct TriggerWork;
}  // namespace gnomon::sql

namespace gnomon::codegen {

class RowStoreTranslator;
class WriteTarget;
struct StepLoop;

/// Units that somebody above reads.
using UnitSet = std::unordered_set<sql::Iu>;

/// Emits what happens to a row that the operator below has made: its units are in the pipeline's scope. Leaves the
/// builder where the row has been dealt with.
using Consumer = std::function<void(Pipeline&)>;

/// Turns an operator tree into a program: pipelines of generated code and the steps between them.
///
/// Source: data-centric compilation with produce and consume (paper 2, section 3.3 and the work it builds on). Each
/// operator's translation stands in a file of its own; produce() emits an operator's whole input and calls the consumer
/// at the place where a row exists.
class PlanTranslator {
 public:
  PlanTranslator(QueryProgram& program, const OutputFormat& format);
  ~PlanTranslator();

  void translate(const sql::Plan& plan);
  /// Emits `op` so that its units in `required` reach the consumer.
  void produce(const sql::Operator& op, const UnitSet& required, const Consumer& consumer);

  /// The same; where the counter in the slot is exhausted before, nothing of it is executed. What the consumer emits is
  /// not concerned.
  void produceBehind(size_t gate_slot, const sql::Operator& op, const UnitSet& required, const Consumer& consumer);

  /// Makes the scan read from a source that somebody else fills.
  void setSource(const sql::TableScan& scan, size_t slot) { sources_[&scan] = slot; }
  /// That source; nothing: the scan makes its own.
  [[nodiscard]] std::optional<size_t> sourceOf(const sql::TableScan& scan) const {
    const auto found = sources_.find(&scan);
    return found == sources_.end() ? std::nullopt : std::optional(found->second);
  }
  /// Nobody wants more of the scan's rows, unless others turn out not to be seen.
  void noteGoal(const sql::TableScan& scan, size_t rows) { goals_[&scan] = rows; }
  [[nodiscard]] size_t goalOf(const sql::TableScan& scan) const {
    const auto found = goals_.find(&scan);
    return found == goals_.end() ? SIZE_MAX : found->second;
  }
  /// A join above that has no use for a scan's rows whose `unit` is no key in its table, which a step before fills.
  struct JoinFilter {
    sql::Iu unit;
    size_t table_slot;  ///< global: JoinTable
    double share;       ///< of the rows those that have a match, about
  };
  void addFilter(const sql::TableScan& scan, const JoinFilter& filter) { filters_[&scan].push_back(filter); }
  [[nodiscard]] const std::vector<JoinFilter>& filtersOf(const sql::TableScan& scan) { return filters_[&scan]; }
  /// Calls `emit`, which adds steps that depend on the operator's rows alone. Inside a recursion they are executed
  /// once, before its loop, unless the rows are other ones each time.
  void emitOutsideLoop(const sql::Operator& op, const std::function<void()>& emit);
  /// What is emitted belongs to steps that are executed again and again.
  [[nodiscard]] bool isInLoop() const { return !loops_.empty(); }
  /// An operator that changes a table.
  void addChange(size_t target_slot, const sql::Operator& op);
  /// Takes out of what was read of a change's rows those that were not changed.
  using LeaveOut = std::function<void(ExecutionState&, const WriteTarget&)>;
  /// The step that changes what the last change has noted. `leave_out`: null: nothing was read.
  void addApplication(const LeaveOut& leave_out);
  [[nodiscard]] QueryProgram& program() { return program_; }
  [[nodiscard]] const OutputFormat& format() const { return format_; }

 private:
  void produceOperator(const sql::Operator& op, const UnitSet& required, const Consumer& consumer);
  void addCounters();
  /// What follows is the code of a tree whose root is not produced by produce().
  void startRoot(const sql::Operator& root) {
    program_.translated = program_.counted.size();
    program_.counted.push_back(&root);
  }
  /// Emits that the clock's ticks since the last such place were an operator's.
  static void chargeTicks(ir::Builder& b, ir::Value words, size_t number);
  /// The address of the worker's OperatorCounters::words.
  ir::Value counters(Pipeline& pipeline) const;
  void countRow(Pipeline& pipeline, size_t number) const;
  // shared_translator.cc
  void storeShared(const sql::SharedPlan& shared);
  void executeChange(const sql::SharedPlan& shared);
  void applyRoot();
  void produceShared(const sql::SharedScan& scan, const UnitSet& required, const Consumer& consumer);
  // recursion_translator.cc
  void produceRecursion(const sql::Recursion& recursion, const UnitSet& required, const Consumer& consumer);
  void produceWorking(const sql::WorkingScan& scan, const UnitSet& required, const Consumer& consumer);

  QueryProgram& program_;
  const OutputFormat& format_;
  std::unordered_map<const sql::TableScan*, size_t> sources_;
  std::unordered_map<const sql::TableScan*, size_t> goals_;
  std::unordered_map<const sql::TableScan*, std::vector<JoinFilter>> filters_;
  std::unordered_map<const sql::SharedPlan*, std::unique_ptr<RowStoreTranslator>> shared_;
  /// Of recursions that are being translated: produces some of the working rows' columns, by their numbers.
  using WorkingRows = std::function<void(const std::vector<std::pair<sql::Iu, size_t>>&, const Consumer&)>;
  std::unordered_map<const sql::Recursion*, WorkingRows> recursions_;
  bool is_root_ = false;          ///< the root is being translated
  std::vector<StepLoop*> loops_;  ///< those that are being translated, innermost last
};

/// Whether an execution fires triggers: those of the table that is changed, or of others that foreign keys change.
bool firesTriggers(const sql::TriggerWork* work, const sql::KeyWork* keys);

/// Adds the units an expression reads.
void addUnits(const sql::Expression& expression, UnitSet& units);

void produceScan(PlanTranslator& translator, const sql::TableScan& scan, const UnitSet& required,
                 const Consumer& consumer);
void produceVirtualScan(PlanTranslator& translator, const sql::VirtualScan& scan, const UnitSet& required,
                        const Consumer& consumer);
void produceFunctionScan(PlanTranslator& translator, const sql::FunctionScan& scan, const UnitSet& required,
                         const Consumer& consumer);
void produceProjectSet(PlanTranslator& translator, const sql::ProjectSet& project, const UnitSet& required,
                       const Consumer& consumer);
void produceJoin(PlanTranslator& translator, const sql::Join& join, const UnitSet& required, const Consumer& consumer);
void produceDependent(PlanTranslator& translator, const sql::Join& join, const UnitSet& required,
                      const Consumer& consumer);
void produceAggregation(PlanTranslator& translator, const sql::Aggregation& aggregation, const UnitSet& required,
                        const Consumer& consumer);
void produceWindow(PlanTranslator& translator, const sql::Window& window, const UnitSet& required,
                   const Consumer& consumer);
void produceSort(PlanTranslator& translator, const sql::Sort& sort, const UnitSet& required, const Consumer& consumer);
void produceLimit(PlanTranslator& translator, const sql::Limit& limit, const UnitSet& required,
                  const Consumer& consumer);
void produceGate(PlanTranslator& translator, const sql::Join& gate, const UnitSet& required, const Consumer& consumer);
void produceUnion(PlanTranslator& translator, const sql::Union& node, const UnitSet& required,
                  const Consumer& consumer);
void produceValues(PlanTranslator& translator, const sql::Values& values, const UnitSet& required,
                   const Consumer& consumer);
/// What changes a table calls the consumer with each row, in the order in which it notes the rows; the change is done
/// by a step behind them.
void produceInsert(PlanTranslator& translator, const sql::Insert& insert, const UnitSet& required,
                   const Consumer& consumer);
void produceUpdate(PlanTranslator& translator, const sql::Update& update, const UnitSet& required,
                   const Consumer& consumer);
void produceDelete(PlanTranslator& translator, const sql::Delete& node, const UnitSet& required,
                   const Consumer& consumer);
void produceMerge(PlanTranslator& translator, const sql::Merge& merge, const UnitSet& required,
                  const Consumer& consumer);
void translateOutput(PlanTranslator& translator, const sql::Output& output);

/// A source of `rows` rows without columns; its global slot.
size_t addCountedSource(QueryProgram& program, uint64_t rows);

/// Stores a value, whose string bytes stay, as element `index` of an array of IndexBoundValue.
void storeBoundValue(CodeContext& context, const SqlValue& value, ir::Value array, size_t index);
/// A PartitionedSource, with the steps that choose its leaves, unless a lookup does.
size_t addPartitionedSource(QueryProgram& program, const sql::TableScan& scan, std::vector<uint32_t> columns);

/// A LimitCounter for the expressions (null: none); their values are set before the operator's input runs. Returns its
/// global slot.
size_t addLimitCounter(PlanTranslator& translator, const sql::Expression* limit, const sql::Expression* offset);

}  // namespace gnomon::codegen
