#include "base/assert.h"
#include "codegen/executor/execution_state.h"
#include "codegen/runtime/row_locks.h"
#include "codegen/runtime/row_store.h"
#include "codegen/translate/row_lock_emitter.h"
#include "codegen/translate/row_store_translator.h"
#include "sql/algebra/set_operators.h"

namespace gnomon::codegen {

namespace {

/// Its rows come in an order that scans keep.
bool isOrdered(const sql::Operator& op) {
  switch (op.kind) {
    case sql::Operator::Kind::Sort:
      return true;
    case sql::Operator::Kind::Output:
    case sql::Operator::Kind::Map:
    case sql::Operator::Kind::Selection:
    case sql::Operator::Kind::Limit:
      return isOrdered(*op.inputs[0]);
    default:
      return false;
  }
}

}  // namespace

void PlanTranslator::addApplication(const LeaveOut& leave_out) {
  program_.addStep<RuntimeStep>("apply changes",
                                [slot = program_.changes.back().target_slot, leave_out](ExecutionState& state) {
                                  auto& target = state.globalObject<WriteTarget>(slot);
                                  target.apply(state);
                                  if (target.hasLeftOut() && leave_out) leave_out(state, target);
                                });
}

void PlanTranslator::applyRoot() {
  if (program_.changes.empty() || !program_.changes.back().is_main || program_.changes.back().is_at_once) return;
  if (!program_.has_output) return addApplication(nullptr);
  addApplication([slot = program_.output_slot](ExecutionState& state, const WriteTarget& target) {
    for (unsigned worker = 0; worker < state.workerCount(); ++worker)
      state.localObject<OutputSink>(worker, slot).shared()->filter([&](uint64_t row) {
        return !target.isLeftOut(state, worker, row);
      });
  });
}

/// A change whose rows nobody reads.
void PlanTranslator::executeChange(const sql::SharedPlan& shared) {
  produce(*shared.root->inputs[0], {}, [](Pipeline&) {});
  addApplication(nullptr);
}

void PlanTranslator::storeShared(const sql::SharedPlan& shared) {
  if (shared.is_change && !shared.is_scanned) return executeChange(shared);
  const auto& output = static_cast<const sql::Output&>(*shared.root);
  UnitSet required;
  std::vector<RowStoreTranslator::Field> fields;
  for (const sql::Output::Column& column : output.columns) {
    required.insert(column.iu);
    fields.push_back({column.iu->type, column.iu->nullable});
  }
  const RowLockEmitter row_locks(*this, output);
  row_locks.require(required);
  // Rows may have to be taken out again.
  const bool may_spill = !shared.is_change && output.locks.empty();
  auto store = std::make_unique<RowStoreTranslator>(*this, fields, may_spill);
  produce(*output.inputs[0], required, [&](Pipeline& pipeline) {
    pipeline.describe("store " + shared.name);
    std::vector<SqlValue> values;
    for (const sql::Output::Column& column : output.columns) values.push_back(pipeline.scope.get(column.iu));
    store->append(pipeline, values);
    row_locks.emit(pipeline);
  });
  if (!output.locks.empty())
    program_.addStep<RuntimeStep>("lock rows", [slot = row_locks.slot(), rows = store->slot()](ExecutionState& state) {
      state.globalObject<RowLocks>(slot).apply(state, [&](unsigned worker, const auto& is_locked) {
        state.globalObject<RowStore>(rows).filter(worker, is_locked);
      });
    });
  if (shared.is_change)
    addApplication([slot = store->slot()](ExecutionState& state, const WriteTarget& target) {
      for (unsigned worker = 0; worker < state.workerCount(); ++worker)
        state.globalObject<RowStore>(slot).filter(worker,
                                                  [&](uint64_t row) { return !target.isLeftOut(state, worker, row); });
    });
  shared_[&shared] = std::move(store);
}

void PlanTranslator::produceShared(const sql::SharedScan& scan, const UnitSet& required, const Consumer& consumer) {
  const auto store = shared_.find(scan.source);
  CHECK(store != shared_.end(), "a shared plan is executed before it is scanned");
  std::vector<std::pair<sql::Iu, size_t>> units;
  for (const sql::SharedScan::Column& column : scan.columns)
    if (required.contains(column.iu)) units.emplace_back(column.iu, column.index);
  store->second->scan(units, "scan " + scan.source->name, isOrdered(*scan.source->root), consumer);
}

}  // namespace gnomon::codegen
