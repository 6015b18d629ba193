#include "codegen/executor/execution_state.h"
#include "codegen/runtime/change_target.h"
#include "codegen/translate/noted_row.h"
#include "codegen/translate/plan_translator.h"

namespace gnomon::codegen {

namespace {

/// The target, and the local slot of the lists of its rows.
size_t addTarget(PlanTranslator& translator, const sql::Operator& op, const sql::TablePtr& table,
                 const std::vector<uint32_t>& columns, const std::shared_ptr<const sql::KeyWork>& keys,
                 const std::vector<sql::TablePtr>& ancestors, const std::vector<uint32_t>& moving) {
  QueryProgram& program = translator.program();
  const size_t list = addChangeList(program, table, columns.size());
  const size_t target = program.addGlobal([table, columns, keys, list, ancestors, moving](ExecutionState& state) {
    auto made = std::make_unique<ChangeTarget>(table, *state.context.write, columns, list);
    const bool is_partitioned = table->partitioning != nullptr;
    if (is_partitioned || !moving.empty())
      made->setPartitions({table, ancestors, is_partitioned ? keys : nullptr, *state.context.write,
                           state.program->keySettings(), state.context.memory},
                          moving);
    if (keys && !is_partitioned)
      made->setKeys(keys, *state.context.write, state.program->keySettings(), state.context.memory);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  translator.addChange(target, op);
  return list;
}

}  // namespace

void produceUpdate(PlanTranslator& translator, const sql::Update& update, const UnitSet& required,
                   const Consumer& consumer) {
  const size_t list =
      addTarget(translator, update, update.table, update.columns, update.keys, update.ancestors, update.moving_columns);
  UnitSet read = required;
  read.insert(update.tuple_id);
  for (const auto& value : update.row)
    if (value) addUnits(*value, read);
  translator.produce(*update.inputs[0], read, [&](Pipeline& pipeline) {
    pipeline.describe("update of " + update.table->name);
    const ir::Value tuple_id = pipeline.scope.get(update.tuple_id).lo;
    emitRowChange(pipeline, {*update.table, update.columns, update.row, update.checks}, tuple_id, list);
    consumer(pipeline);
  });
}

void produceDelete(PlanTranslator& translator, const sql::Delete& node, const UnitSet& required,
                   const Consumer& consumer) {
  const size_t list = addTarget(translator, node, node.table, {}, node.keys, {}, {});
  UnitSet read = required;
  read.insert(node.tuple_id);
  translator.produce(*node.inputs[0], read, [&](Pipeline& pipeline) {
    pipeline.describe("delete from " + node.table->name);
    emitRowDeletion(pipeline, pipeline.scope.get(node.tuple_id).lo, list);
    consumer(pipeline);
  });
}

}  // namespace gnomon::codegen
