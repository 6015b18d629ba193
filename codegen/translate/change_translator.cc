#include <algorithm>

#include "codegen/executor/execution_state.h"
#include "codegen/runtime/change_target.h"
#include "codegen/translate/check_translator.h"
#include "codegen/translate/plan_translator.h"
#include "codegen/translate/value_operations.h"

namespace gnomon::codegen {

namespace {

struct Slots {
  size_t target;  ///< global
  size_t list;    ///< local
};

Slots addTarget(QueryProgram& program, const sql::TablePtr& table, const std::vector<uint32_t>& columns,
                const std::shared_ptr<const sql::KeyWork>& keys) {
  Slots slots{};
  slots.list = program.addLocal([table, count = columns.size()](ExecutionState& state, unsigned) {
    auto made = std::make_unique<ChangeList>(*table, count, state.context.memory);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  slots.target = program.addGlobal([table, columns, keys, list = slots.list](ExecutionState& state) {
    auto made = std::make_unique<ChangeTarget>(table, *state.context.write, columns, list);
    if (keys) made->setKeys(keys, *state.context.write, state.program->keySettings(), state.context.memory);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  program.is_write = true;
  program.write_target_slot = slots.target;
  return slots;
}

/// Emits the row as it would have been, for a message; its address.
ir::Value emitFailingRow(Pipeline& pipeline, const sql::Update& update, ir::Value list) {
  ir::Builder& b = pipeline.builder;
  CodeContext& context = pipeline.context;
  const auto count = static_cast<int64_t>(update.row.size());
  const ir::Value row = b.call(RUNTIME_FUNCTION(rt::changeFailingRow), {list});
  const ir::Value null_flags = b.ptrAdd(row, b.constI64(count * int64_t{sizeof(txn::Datum)}));
  for (int64_t i = 0; i < count; ++i) {
    const SqlValue part = pipeline.expressions().translate(*update.row[static_cast<size_t>(i)]);
    storeDatum(context, part, row, i * int64_t{sizeof(txn::Datum)});
    storeNullFlag(context, part, null_flags, i);
  }
  return row;
}

/// Emits the error for a NULL in a column that must not have one.
void emitNullCheck(Pipeline& pipeline, const sql::Update& update, uint32_t column, const SqlValue& value,
                   ir::Value list) {
  ir::Builder& b = pipeline.builder;
  CodeContext& context = pipeline.context;
  pipeline.emitIf(value.is_null, [&] {
    const ir::Value row = emitFailingRow(pipeline, update, list);
    b.call(RUNTIME_FUNCTION(rt::changeNullViolation),
           {list, b.constI32(static_cast<int32_t>(column)), row,
            b.constI1(context.resources.bytea_output == sql::ByteaOutput::Escape)});
  });
}

/// `values`: of the changed columns.
void emitRowChecks(Pipeline& pipeline, const sql::Update& update, const std::vector<SqlValue>& values, ir::Value list) {
  if (update.checks.tested.empty()) return;
  const sql::CheckExpressions& checks = *update.checks.expressions;
  ir::Builder& b = pipeline.builder;
  CodeContext& context = pipeline.context;
  for (const uint32_t check : update.checks.tested)
    for (const uint32_t column : checks.checks[check].columns)
      if (!std::ranges::binary_search(update.columns, column))
        pipeline.scope.bindAlias(&checks.units[column], update.row[column]->iu);
  for (size_t i = 0; i < values.size(); ++i) pipeline.scope.bind(&checks.units[update.columns[i]], values[i]);
  emitChecks(context, pipeline.scope, checks, update.checks.tested, [&](uint32_t check) {
    const ir::Value row = emitFailingRow(pipeline, update, list);
    b.call(RUNTIME_FUNCTION(rt::changeCheckViolation),
           {list, b.constI32(static_cast<int32_t>(check)), row,
            b.constI1(context.resources.bytea_output == sql::ByteaOutput::Escape)});
    b.unreachable();
  });
}

void emitUpdate(Pipeline& pipeline, const sql::Update& update, size_t list_slot) {
  ir::Builder& b = pipeline.builder;
  CodeContext& context = pipeline.context;
  const ir::Value list = pipeline.hoist([&] { return context.localSlot(list_slot); });
  const SqlValue tuple_id = pipeline.scope.get(update.tuple_id);
  std::vector<SqlValue> values;
  for (const uint32_t column : update.columns) values.push_back(pipeline.expressions().translate(*update.row[column]));
  for (size_t i = 0; i < values.size(); ++i)
    if (update.table->columns[update.columns[i]].not_null && values[i].isNullable())
      emitNullCheck(pipeline, update, update.columns[i], values[i], list);
  emitRowChecks(pipeline, update, values, list);
  const ir::Value row = b.call(RUNTIME_FUNCTION(rt::changeNextRow), {list});
  const ir::Value arena = context.executionArena();
  b.store(tuple_id.lo, row, 0);
  const auto null_flags = static_cast<int64_t>(ChangeList::valuesOffset(values.size()));
  for (size_t i = 0; i < values.size(); ++i) {
    storeDatum(context, copyValue(context, values[i], arena), row, static_cast<int64_t>(ChangeList::valuesOffset(i)));
    storeNullFlag(context, values[i], row, null_flags + static_cast<int64_t>(i));
  }
}

}  // namespace

void produceUpdate(PlanTranslator& translator, const sql::Update& update, const UnitSet& required,
                   const Consumer& consumer) {
  const Slots slots = addTarget(translator.program(), update.table, update.columns, update.keys);
  UnitSet read = required;
  read.insert(update.tuple_id);
  for (const auto& value : update.row)
    if (value) addUnits(*value, read);
  translator.produce(*update.inputs[0], read, [&](Pipeline& pipeline) {
    pipeline.describe("update of " + update.table->name);
    emitUpdate(pipeline, update, slots.list);
    consumer(pipeline);
  });
}

void produceDelete(PlanTranslator& translator, const sql::Delete& node, const UnitSet& required,
                   const Consumer& consumer) {
  const Slots slots = addTarget(translator.program(), node.table, {}, node.keys);
  UnitSet read = required;
  read.insert(node.tuple_id);
  translator.produce(*node.inputs[0], read, [&](Pipeline& pipeline) {
    pipeline.describe("delete from " + node.table->name);
    ir::Builder& b = pipeline.builder;
    const ir::Value list = pipeline.hoist([&] { return pipeline.context.localSlot(slots.list); });
    const SqlValue tuple_id = pipeline.scope.get(node.tuple_id);
    b.store(tuple_id.lo, b.call(RUNTIME_FUNCTION(rt::changeNextRow), {list}), 0);
    consumer(pipeline);
  });
}

}  // namespace gnomon::codegen
