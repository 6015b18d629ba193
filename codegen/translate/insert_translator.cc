#include "codegen/executor/execution_state.h"
#include "codegen/runtime/insert_target.h"
#include "codegen/translate/check_translator.h"
#include "codegen/translate/plan_translator.h"
#include "codegen/translate/value_operations.h"

namespace gnomon::codegen {

namespace {

void emitRowChecks(Pipeline& pipeline, const sql::Insert& insert, const std::vector<SqlValue>& values,
                   ir::Value buffer) {
  const sql::CheckExpressions* checks = insert.checks.expressions.get();
  if (checks == nullptr) return;
  ir::Builder& b = pipeline.builder;
  CodeContext& context = pipeline.context;
  for (const sql::InformationUnit& unit : checks->units) pipeline.scope.bind(&unit, values[unit.id]);
  emitChecks(context, pipeline.scope, *checks, insert.checks.tested, [&](uint32_t check) {
    b.call(RUNTIME_FUNCTION(rt::insertCheckViolation),
           {buffer, b.constI32(static_cast<int32_t>(check)),
            b.constI1(context.resources.bytea_output == sql::ByteaOutput::Escape)});
    b.unreachable();
  });
}

void emitRow(Pipeline& pipeline, const sql::Insert& insert, size_t buffer_slot) {
  ir::Builder& b = pipeline.builder;
  CodeContext& context = pipeline.context;
  std::vector<SqlValue> values;
  for (const auto& expression : insert.values) values.push_back(pipeline.expressions().translate(*expression));
  const ir::Value buffer = pipeline.hoist([&] { return context.localSlot(buffer_slot); });
  const ir::Value row = b.call(RUNTIME_FUNCTION(rt::insertNextRow), {buffer});
  const ir::Value arena = b.call(RUNTIME_FUNCTION(rt::insertArena), {buffer});
  const ir::Value datums = b.load(ir::Type::Ptr, row, offsetof(InsertBuffer::Row, values));
  const ir::Value nulls = b.load(ir::Type::Ptr, row, offsetof(InsertBuffer::Row, nulls));
  for (size_t i = 0; i < values.size(); ++i) {
    const auto column = static_cast<int64_t>(i);
    storeDatum(context, copyValue(context, values[i], arena), datums, column * int64_t{sizeof(txn::Datum)});
    storeNullFlag(context, values[i], nulls, column);
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (!insert.table->columns[i].not_null || !values[i].isNullable()) continue;
    const ir::Block violation = b.createBlock("null");
    const ir::Block valid = b.createBlock("");
    b.condBr(values[i].is_null, violation, valid, ir::BranchWeight::Unlikely);
    b.setBlock(violation);
    b.call(RUNTIME_FUNCTION(rt::insertNullViolation),
           {buffer, b.constI32(static_cast<int32_t>(i)),
            b.constI1(context.resources.bytea_output == sql::ByteaOutput::Escape)});
    b.unreachable();
    b.setBlock(valid);
  }
  emitRowChecks(pipeline, insert, values, buffer);
}

}  // namespace

void translateInsert(PlanTranslator& translator, const sql::Insert& insert) {
  QueryProgram& program = translator.program();
  program.is_write = true;
  program.write_target_slot = program.addGlobal([table = insert.table, keys = insert.keys](ExecutionState& state) {
    auto made = std::make_unique<InsertTarget>(table, *state.context.write);
    if (keys) made->setKeys(keys, *state.context.write, state.program->keySettings(), state.context.memory);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  const size_t buffer_slot = program.addLocal([target = program.write_target_slot](ExecutionState& state, unsigned) {
    auto made = std::make_unique<InsertBuffer>(state.globalObject<InsertTarget>(target), state.context.memory);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  UnitSet read;
  for (const auto& expression : insert.values) addUnits(*expression, read);
  translator.produce(*insert.inputs[0], read, [&](Pipeline& pipeline) {
    pipeline.describe("insert into " + insert.table->name);
    pipeline.description.has_insert = true;
    pipeline.description.insert_slot = buffer_slot;
    emitRow(pipeline, insert, buffer_slot);
  });
}

}  // namespace gnomon::codegen
