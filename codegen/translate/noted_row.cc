#include "codegen/translate/noted_row.h"

#include <algorithm>

#include "codegen/executor/execution_state.h"
#include "codegen/translate/check_translator.h"
#include "codegen/translate/value_operations.h"

namespace gnomon::codegen {

namespace {

/// Emits the row as it would have been, for a message; its address.
ir::Value emitFailingRow(Pipeline& pipeline, const RowChange& change, ir::Value list) {
  ir::Builder& b = pipeline.builder;
  CodeContext& context = pipeline.context;
  const auto count = static_cast<int64_t>(change.row.size());
  const ir::Value row = b.call(RUNTIME_FUNCTION(rt::changeFailingRow), {list});
  const ir::Value null_flags = b.ptrAdd(row, b.constI64(count * int64_t{sizeof(txn::Datum)}));
  for (int64_t i = 0; i < count; ++i) {
    const SqlValue part = pipeline.expressions().translate(*change.row[static_cast<size_t>(i)]);
    storeDatum(context, part, row, i * int64_t{sizeof(txn::Datum)});
    storeNullFlag(context, part, null_flags, i);
  }
  return row;
}

/// Emits the error for a NULL in a column that must not have one.
void emitNullCheck(Pipeline& pipeline, const RowChange& change, uint32_t column, const SqlValue& value,
                   ir::Value list) {
  ir::Builder& b = pipeline.builder;
  CodeContext& context = pipeline.context;
  pipeline.emitIf(value.is_null, [&] {
    const ir::Value row = emitFailingRow(pipeline, change, list);
    b.call(RUNTIME_FUNCTION(rt::changeNullViolation),
           {list, b.constI32(static_cast<int32_t>(column)), row,
            b.constI1(context.resources.bytea_output == sql::ByteaOutput::Escape)});
  });
}

/// `values`: of the changed columns.
void emitRowChecks(Pipeline& pipeline, const RowChange& change, const std::vector<SqlValue>& values, ir::Value list) {
  if (change.checks.tested.empty()) return;
  const sql::CheckExpressions& checks = *change.checks.expressions;
  ir::Builder& b = pipeline.builder;
  CodeContext& context = pipeline.context;
  for (const uint32_t check : change.checks.tested)
    for (const uint32_t column : checks.checks[check].columns)
      if (!std::ranges::binary_search(change.columns, column))
        pipeline.scope.bindAlias(&checks.units[column], change.row[column]->iu);
  for (size_t i = 0; i < values.size(); ++i) pipeline.scope.bind(&checks.units[change.columns[i]], values[i]);
  emitChecks(context, pipeline.scope, checks, change.checks.tested, [&](uint32_t check) {
    const ir::Value row = emitFailingRow(pipeline, change, list);
    const ir::Value is_escape = b.constI1(context.resources.bytea_output == sql::ByteaOutput::Escape);
    if (checks.checks[check].is_of_view)
      b.call(RUNTIME_FUNCTION(rt::changeViewViolation),
             {list, keepName(context, checks.checks[check].name), row, is_escape});
    else
      b.call(RUNTIME_FUNCTION(rt::changeCheckViolation),
             {list, b.constI32(static_cast<int32_t>(check)), row, is_escape});
    b.unreachable();
  });
}

}  // namespace

void emitRowChange(Pipeline& pipeline, const RowChange& change, ir::Value tuple_id, size_t list_slot) {
  ir::Builder& b = pipeline.builder;
  CodeContext& context = pipeline.context;
  const ir::Value list = pipeline.hoist([&] { return context.localSlot(list_slot); });
  std::vector<SqlValue> values;
  for (const uint32_t column : change.columns) values.push_back(pipeline.expressions().translate(*change.row[column]));
  for (size_t i = 0; change.is_tested && i < values.size(); ++i)
    if (change.table.columns[change.columns[i]].not_null && values[i].isNullable())
      emitNullCheck(pipeline, change, change.columns[i], values[i], list);
  if (change.is_tested) emitRowChecks(pipeline, change, values, list);
  for (const sql::Iu unit : change.beside) values.push_back(pipeline.scope.get(unit));
  const ir::Value row = b.call(RUNTIME_FUNCTION(rt::changeNextRow), {list});
  const ir::Value arena = context.executionArena();
  b.store(tuple_id, row, 0);
  const auto null_flags = static_cast<int64_t>(ChangeList::valuesOffset(values.size()));
  for (size_t i = 0; i < values.size(); ++i) {
    storeDatum(context, copyValue(context, values[i], arena), row, static_cast<int64_t>(ChangeList::valuesOffset(i)));
    storeNullFlag(context, values[i], row, null_flags + static_cast<int64_t>(i));
  }
}

size_t addChangeList(QueryProgram& program, const sql::TablePtr& table, size_t column_count, bool is_insert) {
  return program.addLocal([table, column_count, is_insert](ExecutionState& state, unsigned) {
    auto made = std::make_unique<ChangeList>(*table, column_count, is_insert, state.context.memory);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
}

void emitRowDeletion(Pipeline& pipeline, ir::Value tuple_id, size_t list_slot) {
  ir::Builder& b = pipeline.builder;
  const ir::Value list = pipeline.hoist([&] { return pipeline.context.localSlot(list_slot); });
  b.store(tuple_id, b.call(RUNTIME_FUNCTION(rt::changeNextRow), {list}), 0);
}

}  // namespace gnomon::codegen
