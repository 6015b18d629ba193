#include "codegen/executor/execution_state.h"
#include "codegen/runtime/insert_target.h"
#include "codegen/translate/check_translator.h"
#include "codegen/translate/plan_translator.h"
#include "codegen/translate/stored_row.h"
#include "codegen/translate/value_operations.h"
#include "sql/algebra/trigger_work.h"

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
    const ir::Value is_escape = b.constI1(context.resources.bytea_output == sql::ByteaOutput::Escape);
    if (checks->checks[check].is_of_view)
      b.call(RUNTIME_FUNCTION(rt::insertViewViolation),
             {buffer, keepName(context, checks->checks[check].name), is_escape});
    else
      b.call(RUNTIME_FUNCTION(rt::insertCheckViolation), {buffer, b.constI32(static_cast<int32_t>(check)), is_escape});
    b.unreachable();
  });
}

void emitRow(Pipeline& pipeline, const sql::Insert& insert, size_t buffer_slot) {
  ir::Builder& b = pipeline.builder;
  CodeContext& context = pipeline.context;
  std::vector<SqlValue> values;
  for (const auto* expressions : {&insert.values, &insert.beside})
    for (const auto& expression : *expressions) values.push_back(pipeline.expressions().translate(*expression));
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
  if (insert.table->partitioning) b.call(RUNTIME_FUNCTION(rt::insertRoute), {buffer});
  // What triggers may change is tested behind them.
  const bool is_tested = !insert.triggers || !insert.triggers->has_before_rows;
  for (size_t i = 0; is_tested && i < insert.values.size(); ++i) {
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
  if (!is_tested) return;
  emitRowChecks(pipeline, insert, values, buffer);
  if (!insert.table->partitioning && insert.table->partition)
    b.call(RUNTIME_FUNCTION(rt::insertRequirePlace), {buffer});
}

/// Of expressions alone.
bool isOneRow(const sql::Operator& input) {
  if (input.kind == sql::Operator::Kind::Map) return isOneRow(*input.inputs[0]);
  return input.kind == sql::Operator::Kind::Values && static_cast<const sql::Values&>(input).rows.size() == 1;
}

/// Whether rows have more to do with the table than being put into it and its indexes.
bool needsItsTable(const sql::Insert& insert) {
  const auto is_deferrable = [](const sql::IndexPtr& index) { return index->is_deferrable; };
  return insert.keys || insert.conflict || insert.triggers || insert.table->partitioning || insert.table->partition ||
         insert.isReadAsWritten() || std::ranges::any_of(insert.table->indexes, is_deferrable);
}

/// The function that says what becomes of the row that stands in the way; null: nothing.
CodeUnit* emitConflictUpdate(QueryProgram& program, const sql::Insert::Conflict& conflict) {
  using Call = ConflictResolver::UpdateCall;
  if (!conflict.is_update) return nullptr;
  Pipeline pipeline(program, "update on conflict");
  ir::Builder& b = pipeline.builder;
  const auto address = [&](size_t member) {
    return b.load(ir::Type::Ptr, pipeline.data, static_cast<int64_t>(member));
  };
  pipeline.once([&] {
    const Scope::Level level(pipeline.scope);
    bindStoredRow(pipeline.context, pipeline.scope, conflict.excluded, address(offsetof(Call, excluded)),
                  address(offsetof(Call, excluded_nulls)));
    bindStoredRow(pipeline.context, pipeline.scope, conflict.existing, address(offsetof(Call, existing)),
                  address(offsetof(Call, existing_nulls)));
    const ir::Value changed = address(offsetof(Call, changed));
    const ir::Value changed_nulls = address(offsetof(Call, changed_nulls));
    ir::Value is_wanted = b.constI1(true);
    if (conflict.condition) {
      const SqlValue condition = pipeline.expressions().translate(*conflict.condition);
      is_wanted = condition.isNullable() ? b.bitAnd(condition.lo, b.bitNot(condition.is_null)) : condition.lo;
    }
    pipeline.emitIf(is_wanted, [&] {
      for (size_t i = 0; i < conflict.values.size(); ++i) {
        const SqlValue value = pipeline.expressions().translate(*conflict.values[i]);
        const auto column = static_cast<int64_t>(i);
        storeDatum(pipeline.context, value, changed, column * int64_t{sizeof(txn::Datum)});
        storeNullFlag(pipeline.context, value, changed_nulls, column);
      }
      b.store(b.constI8(1), pipeline.data, offsetof(Call, is_wanted));
    });
  });
  return pipeline.finishFunction();
}

/// The consumer gets the rows as they were written, when all are there.
void produceWritten(PlanTranslator& translator, const sql::Insert& insert, const Consumer& consumer) {
  QueryProgram& program = translator.program();
  const size_t source = program.addGlobal([](ExecutionState&) {
    auto made = std::make_unique<RowListSource>(true);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  program.addStep<RuntimeStep>(
      "gather written rows", [source, target = program.changes.back().target_slot](ExecutionState& state) {
        for (const std::vector<char*>* rows : state.globalObject<InsertTarget>(target).writtenRows())
          state.globalObject<RowListSource>(source).add(*rows);
      });
  Pipeline pipeline(program, source, "scan written rows");
  ir::Builder& b = pipeline.builder;
  pipeline.forEachRow([&](ir::Value number) {
    const Scope::Level level(pipeline.scope);
    const ir::Value row = b.load(ir::Type::Ptr, b.ptrIndex(pipeline.data, number, 8));
    const auto values_bytes = static_cast<int64_t>(insert.written.size() * sizeof(txn::Datum));
    bindStoredRow(pipeline.context, pipeline.scope, insert.written, row, b.ptrAdd(row, b.constI64(values_bytes)));
    consumer(pipeline);
  });
  pipeline.finish();
}

}  // namespace

void produceInsert(PlanTranslator& translator, const sql::Insert& insert, const UnitSet& required,
                   const Consumer& consumer) {
  QueryProgram& program = translator.program();
  const sql::Insert::Conflict* const conflict = insert.conflict.get();
  const CodeUnit* const update = conflict ? emitConflictUpdate(program, *conflict) : nullptr;
  if (firesTriggers(insert.triggers.get(), insert.keys.get())) program.addTriggers();
  if (insert.keys) program.looks_at_keys = true;
  const size_t target_slot = program.addGlobal([&insert, conflict, update](ExecutionState& state) {
    auto made = std::make_unique<InsertTarget>(insert.table, state.context.write);
    const ForeignKeySettings settings = state.program->keySettings(state);
    const bool is_partitioned = insert.table->partitioning != nullptr;
    made->setValuesBeside(insert.beside.size());
    if (is_partitioned || insert.table->partition)
      made->setPartitions({insert.table, insert.ancestors, is_partitioned ? insert.keys : nullptr, *state.context.write,
                           settings, state.context.memory, insert.beside.size()});
    if (insert.keys && !is_partitioned)
      made->setKeys(insert.keys, *state.context.write, settings, state.context.memory);
    if (conflict)
      made->setConflict({*conflict, update, *state.global(), state.context.cancel, state.context.memory, settings,
                         !insert.written.empty(), insert.beside.size()});
    if (insert.triggers) made->setTriggers(insert.triggers, settings, state.context.memory, !insert.written.empty());
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  translator.addChange(target_slot, insert);
  program.changes.back().is_at_once = !insert.triggers;
  const size_t buffer_slot = program.addLocal([target = target_slot](ExecutionState& state, unsigned worker) {
    auto made = std::make_unique<InsertBuffer>(state.globalObject<InsertTarget>(target), state.context.memory,
                                               *state.workers[worker]->local());
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  if (isOneRow(*insert.inputs[0]) && !needsItsTable(insert)) program.gathered_slot = buffer_slot;
  const bool is_read_as_written = insert.isReadAsWritten();
  UnitSet read;
  if (!is_read_as_written) read = required;
  for (const auto* expressions : {&insert.values, &insert.beside})
    for (const auto& expression : *expressions) addUnits(*expression, read);
  translator.produce(*insert.inputs[0], read, [&](Pipeline& pipeline) {
    pipeline.describe("insert into " + insert.table->name);
    pipeline.description.has_insert = true;
    pipeline.description.insert_slot = buffer_slot;
    emitRow(pipeline, insert, buffer_slot);
    if (!is_read_as_written) consumer(pipeline);
  });
  if (insert.written.empty()) return;
  if (insert.triggers) translator.addApplication(nullptr);
  produceWritten(translator, insert, consumer);
}

}  // namespace gnomon::codegen
