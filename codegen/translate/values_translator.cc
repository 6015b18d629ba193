#include <algorithm>

#include "codegen/executor/execution_state.h"
#include "codegen/translate/plan_translator.h"
#include "codegen/translate/tuple_layout.h"
#include "codegen/translate/value_operations.h"
#include "sql/types/text_io.h"

namespace gnomon::codegen {

namespace {

/// Literal rows. A single row is computed in place; many rows are first written to memory by functions of a few rows
/// each (a list may have thousands), then scanned.
class ValuesTranslator {
 public:
  ValuesTranslator(PlanTranslator& translator, const sql::Values& values) : translator_(translator), values_(values) {}

  void produce(const UnitSet& required, const Consumer& consumer) {
    values_.rows.size() == 1 ? produceSingle(consumer) : produceMany(required, consumer);
  }

 private:
  static constexpr size_t kRowsPerFunction = 64;

  void produceSingle(const Consumer& consumer);
  void produceMany(const UnitSet& required, const Consumer& consumer);
  void emitRows(size_t first, size_t end);

  PlanTranslator& translator_;
  const sql::Values& values_;
  TupleLayout layout_{0};
  size_t rows_slot_ = 0;
};

void ValuesTranslator::produceSingle(const Consumer& consumer) {
  Pipeline pipeline(translator_.program(), addCountedSource(translator_.program(), 1), "one row");
  pipeline.forEachRow([&](ir::Value) {
    const Scope::Level level(pipeline.scope);
    for (size_t i = 0; i < values_.columns.size(); ++i)
      pipeline.scope.bindComputed(
          values_.columns[i], [&pipeline, this, i] { return pipeline.expressions().translate(*values_.rows[0][i]); });
    consumer(pipeline);
  });
  pipeline.finish();
}

void ValuesTranslator::emitRows(size_t first, size_t end) {
  Pipeline pipeline(translator_.program(), "compute rows");
  ir::Builder& b = pipeline.builder;
  pipeline.once([&] {
    const ir::Value arena = pipeline.hoist([&] { return pipeline.context.executionArena(); });
    const ir::Value rows = pipeline.hoist([&] { return pipeline.context.globalSlot(rows_slot_); });
    for (size_t row = first; row < end; ++row) {
      const Scope::Level level(pipeline.scope);
      const ir::Value target = b.ptrAdd(rows, static_cast<int64_t>(row * layout_.bytes()));
      for (size_t i = 0; i < values_.columns.size(); ++i) {
        const SqlValue value = pipeline.expressions().translate(*values_.rows[row][i]);
        layout_.store(pipeline.context, i, copyValue(pipeline.context, value, arena), target);
      }
    }
  });
  pipeline.finish();
}

void ValuesTranslator::produceMany(const UnitSet& required, const Consumer& consumer) {
  for (const sql::Iu unit : values_.columns) layout_.addField(unit->type, unit->nullable);
  layout_.finish();
  QueryProgram& program = translator_.program();
  const size_t bytes = std::max<size_t>(values_.rows.size() * layout_.bytes(), 16);
  rows_slot_ = program.addGlobal(
      [bytes](ExecutionState& state) { return QueryProgram::Made{nullptr, state.workers[0]->arena.allocate(bytes)}; });
  for (size_t first = 0; first < values_.rows.size(); first += kRowsPerFunction)
    emitRows(first, std::min(values_.rows.size(), first + kRowsPerFunction));

  Pipeline pipeline(program, addCountedSource(translator_.program(), values_.rows.size()), "scan values");
  ir::Builder& b = pipeline.builder;
  pipeline.forEachRow([&](ir::Value number) {
    const Scope::Level level(pipeline.scope);
    const ir::Value rows = pipeline.hoist([&] { return pipeline.context.globalSlot(rows_slot_); });
    const ir::Value row = b.ptrIndex(rows, number, layout_.bytes());
    for (size_t i = 0; i < values_.columns.size(); ++i)
      if (required.contains(values_.columns[i]))
        pipeline.scope.bindLazy(values_.columns[i],
                                [this, &pipeline, row, i] { return layout_.load(pipeline.context, i, row); });
    consumer(pipeline);
  });
  pipeline.finish();
}

}  // namespace

void produceValues(PlanTranslator& translator, const sql::Values& values, const UnitSet& required,
                   const Consumer& consumer) {
  ValuesTranslator(translator, values).produce(required, consumer);
}

}  // namespace gnomon::codegen
