#include <numeric>

#include "codegen/executor/execution_state.h"
#include "codegen/runtime/merge_target.h"
#include "codegen/translate/noted_row.h"
#include "codegen/translate/plan_translator.h"
#include "sql/algebra/trigger_work.h"

namespace gnomon::codegen {

namespace {

using What = sql::Merge::Action::What;

std::vector<MergeTarget::Action> addLists(QueryProgram& program, const sql::Merge& merge) {
  std::vector<MergeTarget::Action> actions;
  for (const sql::Merge::Action& action : merge.actions) {
    MergeTarget::Action added{action.what, action.columns, 0, action.moving_columns};
    if (action.what == What::Insert) {
      added.columns.resize(merge.table->columns.size());
      std::iota(added.columns.begin(), added.columns.end(), 0);
    }
    added.list_slot =
        addChangeList(program, merge.table, added.columns.size(), added.what == sql::Merge::Action::What::Insert);
    actions.push_back(std::move(added));
  }
  return actions;
}

/// Emits the choice of the action for a row, and what that action notes.
class MergeEmitter {
 public:
  MergeEmitter(Pipeline& pipeline, const sql::Merge& merge, const std::vector<MergeTarget::Action>& targets)
      : pipeline_(pipeline),
        b_(pipeline.builder),
        merge_(merge),
        targets_(targets),
        tuple_id_(pipeline.scope.get(merge.tuple_id)) {}

  void emit() {
    const ir::Block done = b_.createBlock("");
    for (size_t i = 0; i < merge_.actions.size(); ++i) {
      const ir::Block taken = b_.createBlock("action");
      const ir::Block next = b_.createBlock("");
      const Scope::Level level(pipeline_.scope);
      emitChoice(merge_.actions[i], taken, next);
      b_.setBlock(taken);
      emitAction(i);
      b_.br(done);
      b_.setBlock(next);
    }
    b_.br(done);
    b_.setBlock(done);
  }

 private:
  /// Goes on in `taken` or in `next`.
  void emitChoice(const sql::Merge::Action& action, ir::Block taken, ir::Block next) {
    const ir::Value is_null = tuple_id_.isNullable() ? tuple_id_.is_null : b_.constI1(false);
    const ir::Value is_wanted = action.is_matched ? b_.bitNot(is_null) : is_null;
    if (!action.condition) {
      b_.condBr(is_wanted, taken, next);
      return;
    }
    const ir::Block test = b_.createBlock("");
    b_.condBr(is_wanted, test, next);
    b_.setBlock(test);
    const SqlValue condition = pipeline_.expressions().translate(*action.condition);
    const ir::Value is_true =
        condition.isNullable() ? b_.bitAnd(condition.lo, b_.bitNot(condition.is_null)) : condition.lo;
    b_.condBr(is_true, taken, next);
  }
  void emitAction(size_t number) {
    const sql::Merge::Action& action = merge_.actions[number];
    const MergeTarget::Action& target = targets_[number];
    if (action.what == What::Nothing) return;
    if (action.what == What::Delete) return emitRowDeletion(pipeline_, tuple_id_.lo, target.list_slot);
    const ir::Value id = action.what == What::Insert ? b_.constI64(0) : tuple_id_.lo;
    const bool is_tested = !merge_.triggers || !merge_.triggers->has_before_rows;
    emitRowChange(pipeline_, {*merge_.table, target.columns, action.row, action.checks, {}, is_tested}, id,
                  target.list_slot);
  }

  Pipeline& pipeline_;
  ir::Builder& b_;
  const sql::Merge& merge_;
  const std::vector<MergeTarget::Action>& targets_;
  const SqlValue tuple_id_;
};

}  // namespace

void produceMerge(PlanTranslator& translator, const sql::Merge& merge, const UnitSet& required,
                  const Consumer& consumer) {
  QueryProgram& program = translator.program();
  const std::vector<MergeTarget::Action> actions = addLists(program, merge);
  if (firesTriggers(merge.triggers.get(), merge.keys.get())) program.addTriggers();
  const size_t target = program.addGlobal([&merge, actions](ExecutionState& state) {
    auto made = std::make_unique<MergeTarget>(merge.table, *state.context.write, actions);
    const bool is_partitioned = merge.table->partitioning != nullptr;
    const ForeignKeySettings settings = state.program->keySettings(state);
    if (is_partitioned || merge.table->partition)
      made->setPartitions({merge.table, merge.ancestors, is_partitioned ? merge.keys : nullptr, *state.context.write,
                           settings, state.context.memory});
    if (merge.keys && !is_partitioned) made->setKeys(merge.keys, *state.context.write, settings, state.context.memory);
    if (merge.triggers) made->setTriggers(merge.triggers, settings, state.context.memory);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  translator.addChange(target, merge);
  UnitSet read = required;
  read.insert(merge.tuple_id);
  for (const sql::Merge::Action& action : merge.actions) {
    if (action.condition) addUnits(*action.condition, read);
    for (const auto& value : action.row) addUnits(*value, read);
  }
  translator.produce(*merge.inputs[0], read, [&](Pipeline& pipeline) {
    pipeline.describe("merge into " + merge.table->name);
    MergeEmitter(pipeline, merge, actions).emit();
    consumer(pipeline);
  });
}

}  // namespace gnomon::codegen
