#include "codegen/translate/row_staging.h"

#include <algorithm>
#include <memory>

#include "codegen/executor/execution_state.h"
#include "codegen/runtime/staged_rows.h"

namespace gnomon::codegen {

namespace {

/// The second part of a pipeline, known once it is emitted.
using StagedCode = std::shared_ptr<CodeUnit*>;

size_t addStagedRows(QueryProgram& program, RowStaging::Table table, uint32_t row_bytes, const StagedCode& code) {
  return program.addLocal([table, row_bytes, code](ExecutionState& state, unsigned worker) {
    auto made = std::make_unique<StagedRows>(state, worker, **code, row_bytes);
    if (table.is_join)
      made->lookIn(state.globalObject<JoinTable>(table.slot).shared());
    else
      made->lookIn(state.localObject<LocalAggregation>(worker, table.slot).shared());
    void* address = made->shared();
    return QueryProgram::Made{std::move(made), address};
  });
}

void emitAppend(Pipeline& pipeline, const TupleLayout& layout, const std::vector<sql::Iu>& units, ir::Value hash,
                ir::Value is_lost, ir::Value staged) {
  ir::Builder& b = pipeline.builder;
  std::vector<SqlValue> values;
  for (const sql::Iu unit : units) values.push_back(pipeline.scope.get(unit));
  const ir::Value row = b.load(ir::Type::Ptr, staged, offsetof(StagedRows::Shared, next));
  b.store(hash, row, 0);
  const ir::Value may_match = b.constU64(StagedRows::kMayMatch);
  b.store(is_lost.isValid() ? b.select(is_lost, b.constU64(0), may_match) : may_match, row, 8);
  for (size_t i = 0; i < units.size(); ++i) layout.store(pipeline.context, i, values[i], row);
  const ir::Value next = b.ptrAdd(row, int64_t{layout.bytes()});
  b.store(next, staged, offsetof(StagedRows::Shared, next));
  const ir::Value end = b.load(ir::Type::Ptr, staged, offsetof(StagedRows::Shared, end));
  const ir::Block full = b.createBlock("full");
  const ir::Block done = b.createBlock("");
  b.condBr(b.eq(next, end), full, done, ir::BranchWeight::Unlikely);
  b.setBlock(full);
  b.call(RUNTIME_FUNCTION(rt::stagedFlush), {staged});
  b.br(done);
  b.setBlock(done);
}

}  // namespace

bool RowStaging::isCheap(const sql::Expression& key) {
  const sql::Expression* inner = &key;
  while (inner->kind == sql::Expression::Kind::Cast) inner = inner->children[0].get();
  return inner->kind == sql::Expression::Kind::Column;
}

std::vector<sql::Iu> RowStaging::unitsOf(const sql::Operator& op, const UnitSet& required) {
  std::vector<sql::Iu> units = op.units();
  std::erase_if(units, [&](sql::Iu unit) { return !required.contains(unit); });
  return units;
}

bool RowStaging::canStage(Pipeline& pipeline, const std::vector<sql::Iu>& units) {
  return std::ranges::all_of(units, [&](sql::Iu unit) { return pipeline.scope.isReadFreely(unit); });
}

void RowStaging::stage(PlanTranslator& translator, Pipeline& pipeline, const std::vector<sql::Iu>& units,
                       ir::Value hash, ir::Value is_lost, Table table,
                       const std::function<void(Pipeline&, ir::Value row)>& body) {
  TupleLayout layout(StagedRows::kRowHeaderBytes);
  for (const sql::Iu unit : units) layout.addField(unit->type, unit->nullable);
  layout.finish();
  // Strings are where they were: whoever keeps one copies it.
  layout.setPassing();
  QueryProgram& program = translator.program();
  const auto code = std::make_shared<CodeUnit*>(nullptr);
  const size_t slot = addStagedRows(program, table, layout.bytes(), code);
  const ir::Value staged = pipeline.hoist([&] { return pipeline.context.localSlot(slot); });
  emitAppend(pipeline, layout, units, hash, is_lost, staged);
  pipeline.atEnd([&pipeline, staged] { pipeline.builder.call(RUNTIME_FUNCTION(rt::stagedFlush), {staged}); });

  Pipeline rest(program, "");
  rest.description = std::move(pipeline.description);
  rest.describe("stage");
  rest.forEachRow([&](ir::Value number) {
    const Scope::Level level(rest.scope);
    const ir::Value row = rest.builder.ptrIndex(rest.data, number, layout.bytes());
    for (size_t i = 0; i < units.size(); ++i)
      rest.scope.bindLazy(units[i], [&rest, &layout, row, i] { return layout.load(rest.context, i, row); });
    body(rest, row);
  });
  pipeline.description = std::move(rest.description);
  *code = rest.finishFunction();
  pipeline.description.staged_units.push_back(*code);
}

}  // namespace gnomon::codegen
