#include "codegen/executor/execution_state.h"
#include "codegen/runtime/change_target.h"
#include "codegen/translate/noted_row.h"
#include "codegen/translate/plan_translator.h"
#include "codegen/translate/stored_row.h"
#include "sql/algebra/trigger_work.h"

namespace gnomon::codegen {

namespace {

/// What a change of a table is made of.
struct ChangeParts {
  const sql::Operator& op;
  const sql::TablePtr& table;
  const std::vector<uint32_t>& columns;
  const std::shared_ptr<const sql::KeyWork>& keys;
  const std::shared_ptr<const sql::TriggerWork>& triggers;
  const std::vector<sql::TablePtr>& ancestors;
  const std::vector<uint32_t>& moving;
  size_t values_beside = 0;
  bool is_returned = false;
};

/// The target, and the local slot of the lists of its rows.
size_t addTarget(PlanTranslator& translator, const ChangeParts& parts) {
  QueryProgram& program = translator.program();
  if (firesTriggers(parts.triggers.get(), parts.keys.get())) program.addTriggers();
  if (parts.keys) program.looks_at_keys = true;
  const size_t list = addChangeList(program, parts.table, parts.columns.size() + parts.values_beside);
  const size_t target =
      program.addGlobal([table = parts.table, columns = parts.columns, keys = parts.keys, triggers = parts.triggers,
                         ancestors = parts.ancestors, moving = parts.moving, values_beside = parts.values_beside,
                         is_returned = parts.is_returned, list](ExecutionState& state) {
        auto made = std::make_unique<ChangeTarget>(table, *state.context.write, columns, list);
        const bool is_partitioned = table->partitioning != nullptr;
        const ForeignKeySettings settings = state.program->keySettings(state);
        if (is_partitioned || !ancestors.empty())
          made->setPartitions(
              {table, ancestors, is_partitioned ? keys : nullptr, *state.context.write, settings, state.context.memory},
              moving);
        if (keys && !is_partitioned) made->setKeys(keys, *state.context.write, settings, state.context.memory);
        if (triggers) made->setTriggers(triggers, settings, state.context.memory, moving, values_beside, is_returned);
        void* address = made.get();
        return QueryProgram::Made{std::move(made), address};
      });
  translator.addChange(target, parts.op);
  return list;
}

/// The consumer gets the rows as they were written, when all are there, with the units beside them.
void produceWritten(PlanTranslator& translator, const sql::Update& update, const std::vector<sql::Iu>& beside,
                    const Consumer& consumer) {
  QueryProgram& program = translator.program();
  translator.addApplication(nullptr);
  const size_t source = program.addGlobal([](ExecutionState&) {
    auto made = std::make_unique<RowListSource>(true);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  program.addStep<RuntimeStep>(
      "gather written rows", [source, target = program.changes.back().target_slot](ExecutionState& state) {
        state.globalObject<RowListSource>(source).add(state.globalObject<ChangeTarget>(target).writtenRows());
      });
  std::vector<sql::Iu> units = update.written;
  units.insert(units.end(), beside.begin(), beside.end());
  Pipeline pipeline(program, source, "scan written rows");
  ir::Builder& b = pipeline.builder;
  pipeline.forEachRow([&](ir::Value number) {
    const Scope::Level level(pipeline.scope);
    const ir::Value row = b.load(ir::Type::Ptr, b.ptrIndex(pipeline.data, number, 8));
    const auto values_bytes = static_cast<int64_t>(units.size() * sizeof(txn::Datum));
    bindStoredRow(pipeline.context, pipeline.scope, units, row, b.ptrAdd(row, b.constI64(values_bytes)));
    consumer(pipeline);
  });
  pipeline.finish();
}

}  // namespace

void produceUpdate(PlanTranslator& translator, const sql::Update& update, const UnitSet& required,
                   const Consumer& consumer) {
  const bool is_returned = !update.written.empty();
  std::vector<sql::Iu> beside = update.old_row;
  if (is_returned)
    for (const sql::Iu unit : update.inputs[0]->units())
      if (required.contains(unit) && std::ranges::find(beside, unit) == beside.end()) beside.push_back(unit);
  const size_t list = addTarget(translator, {update, update.table, update.columns, update.keys, update.triggers,
                                             update.ancestors, update.moving_columns, beside.size(), is_returned});
  UnitSet read = required;
  if (update.tuple_id != nullptr) read.insert(update.tuple_id);
  read.insert(beside.begin(), beside.end());
  for (const auto& value : update.row)
    if (value) addUnits(*value, read);
  const bool is_tested = !update.triggers || !update.triggers->has_before_rows;
  translator.produce(*update.inputs[0], read, [&](Pipeline& pipeline) {
    pipeline.describe("update of " + update.table->name);
    const ir::Value tuple_id =
        update.tuple_id != nullptr ? pipeline.scope.get(update.tuple_id).lo : pipeline.builder.constI64(0);
    emitRowChange(pipeline, {*update.table, update.columns, update.row, update.checks, beside, is_tested}, tuple_id,
                  list);
    if (!is_returned) consumer(pipeline);
  });
  if (is_returned) produceWritten(translator, update, beside, consumer);
}

void produceDelete(PlanTranslator& translator, const sql::Delete& node, const UnitSet& required,
                   const Consumer& consumer) {
  const size_t list =
      addTarget(translator, {node, node.table, {}, node.keys, node.triggers, {}, {}, node.old_row.size()});
  UnitSet read = required;
  if (node.tuple_id != nullptr) read.insert(node.tuple_id);
  read.insert(node.old_row.begin(), node.old_row.end());
  translator.produce(*node.inputs[0], read, [&](Pipeline& pipeline) {
    pipeline.describe("delete from " + node.table->name);
    if (node.old_row.empty())
      emitRowDeletion(pipeline, pipeline.scope.get(node.tuple_id).lo, list);
    else
      emitRowChange(pipeline, {*node.table, {}, {}, {}, node.old_row, false}, pipeline.builder.constI64(0), list);
    consumer(pipeline);
  });
}

}  // namespace gnomon::codegen
