#include "codegen/translate/row_store_translator.h"

#include "codegen/executor/execution_state.h"
#include "codegen/runtime/row_store.h"
#include "codegen/translate/value_operations.h"

namespace gnomon::codegen {

RowStoreTranslator::RowStoreTranslator(PlanTranslator& translator, const std::vector<Field>& fields, bool may_spill)
    : translator_(translator) {
  for (const Field& field : fields) layout_.addField(field.type, field.is_nullable);
  layout_.finish();
  spill_ = SpillSlots::add(translator, layout_, may_spill && layout_.bytes() == rowBytes());
  QueryProgram& program = translator.program();
  store_slot_ = program.addGlobal([row_bytes = rowBytes()](ExecutionState& state) {
    auto made = std::make_unique<RowStore>(state.workerCount(), row_bytes, state.context.memory);
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  buffer_slot_ = program.addLocal([slot = store_slot_, spill = spill_](ExecutionState& state, unsigned worker) {
    if (spill.can_spill) state.globalObject<RowStore>(slot).spillTo(worker, *spill.area(state, worker));
    return QueryProgram::Made{nullptr, &state.globalObject<RowStore>(slot).buffer(worker)};
  });
}

void RowStoreTranslator::append(Pipeline& pipeline, const std::vector<SqlValue>& values) const {
  const ir::Value buffer = pipeline.hoist([&] { return pipeline.context.localSlot(buffer_slot_); });
  const ir::Value arena = pipeline.hoist([&] { return pipeline.context.localSlot(spill_.arena_slot); });
  // The strings are copied behind the append, which may empty the arena.
  const ir::Value row = appendRow(pipeline, buffer, rowBytes());
  for (size_t i = 0; i < values.size(); ++i)
    layout_.store(pipeline.context, i, copyValue(pipeline.context, values[i], arena), row);
}

RowStoreTranslator::Scan RowStoreTranslator::scan(const std::vector<std::pair<sql::Iu, size_t>>& units,
                                                  const std::string& text, bool is_ordered,
                                                  const Consumer& consumer) const {
  QueryProgram& program = translator_.program();
  const size_t source = program.addGlobal([slot = store_slot_, is_ordered](ExecutionState& state) {
    auto made = std::make_unique<RowStoreSource>(state.globalObject<RowStore>(slot), is_ordered, state.workerCount());
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  Pipeline pipeline(program, source, text);
  pipeline.forEachRow([&](ir::Value number) {
    const Scope::Level level(pipeline.scope);
    const ir::Value row = pipeline.builder.ptrIndex(pipeline.data, number, rowBytes());
    for (const auto& [unit, field] : units)
      pipeline.scope.bindLazy(
          unit, [this, &pipeline, row, number_of = field] { return layout_.load(pipeline.context, number_of, row); });
    consumer(pipeline);
  });
  Scan result{source, pipeline.description.limit_slots};
  pipeline.finish();
  return result;
}

ir::Value appendRow(Pipeline& pipeline, ir::Value buffer, uint32_t row_bytes) {
  ir::Builder& b = pipeline.builder;
  const ir::Value next = b.load(ir::Type::Ptr, buffer, offsetof(RowBuffer, next));
  const ir::Value after = b.ptrAdd(next, int64_t{row_bytes});
  const ir::Value end = b.load(ir::Type::Ptr, buffer, offsetof(RowBuffer, end));
  const ir::Block grow = b.createBlock("");
  const ir::Block fits = b.createBlock("");
  const ir::Block done = b.createBlock("");
  b.condBr(b.icmp(ir::IntPredicate::Ugt, after, end), grow, fits, ir::BranchWeight::Unlikely);
  b.setBlock(grow);
  const ir::Value grown = b.call(RUNTIME_FUNCTION(rt::rowBufferGrow), {buffer});
  b.br(done);
  b.setBlock(fits);
  b.store(after, buffer, offsetof(RowBuffer, next));
  b.br(done);
  b.setBlock(done);
  return b.phi(ir::Type::Ptr, {{grown, grow}, {next, fits}});
}

}  // namespace gnomon::codegen
