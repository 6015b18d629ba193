#include "codegen/translate/pipeline.h"

#include "codegen/executor/code_unit.h"
#include "codegen/ir/runtime_function.h"
#include "codegen/translate/known_row.h"
#include "storage/relation/leaf_view.h"

namespace gnomon::codegen {

Pipeline::Pipeline(QueryProgram& query_program, size_t source_slot, const std::string& source_text)
    : Pipeline(query_program, source_text) {
  description.source_slot = source_slot;
  has_source_ = true;
}

Pipeline::Pipeline(QueryProgram& query_program, const std::string& text)
    : program(query_program),
      module_("pipeline" + std::to_string(query_program.steps.size() + 1)),
      function_(module_.addFunction(module_.name(), ir::Type::Void,
                                    {ir::Type::Ptr, ir::Type::Ptr, ir::Type::Ptr, ir::Type::I64, ir::Type::I64})),
      builder(module_, function_),
      context{builder, builder.parameter(0), builder.parameter(1), program.resources},
      data(builder.parameter(2)),
      preheader_(builder.currentBlock()) {
  description.text = text;
  description.gate_slots = program.gates;
  for (const auto& row : program.known_rows) row->bind(*this);
}

void Pipeline::forEachRow(const std::function<void(ir::Value row)>& body) {
  const ir::Block header = builder.createBlock("row");
  const ir::Block row_block = builder.createBlock("body");
  const ir::Block exit = builder.createBlock("exit");
  builder.setBlock(header);
  const ir::Value row = builder.phi(ir::Type::I64);
  builder.condBr(builder.slt(row, builder.parameter(4)), row_block, exit);
  builder.setBlock(row_block);
  body(row);
  const ir::Value next = builder.add(row, builder.constI64(1));
  builder.addIncoming(row, next, builder.currentBlock());
  builder.br(header);
  builder.setBlock(preheader_);
  builder.addIncoming(row, builder.parameter(3), preheader_);
  builder.br(header);
  builder.setBlock(exit);
}

void Pipeline::once(const std::function<void()>& body) {
  const ir::Block inside = builder.createBlock("body");
  builder.setBlock(inside);
  body();
  const ir::Block end = builder.currentBlock();
  builder.setBlock(preheader_);
  builder.br(inside);
  builder.setBlock(end);
}

void Pipeline::forEachRowBetween(ir::Value gaps, ir::Value selected, const std::function<void(ir::Value row)>& body) {
  using storage::LeafGap;
  const ir::Value end = builder.parameter(4);
  const ir::Block run = builder.createBlock("run");
  const ir::Block header = builder.createBlock("row");
  const ir::Block row_block = builder.createBlock("body");
  const ir::Block run_end = builder.createBlock("run_end");
  const ir::Block gap_block = builder.createBlock("gap");
  const ir::Block exit = builder.createBlock("exit");
  builder.setBlock(run);
  const ir::Value first = builder.phi(ir::Type::I64);
  const ir::Value gap = builder.phi(ir::Type::Ptr);
  const ir::Value gap_begin = builder.zext(builder.load(ir::Type::I32, gap, offsetof(LeafGap, begin)), ir::Type::I64);
  const ir::Value stop = builder.select(builder.slt(gap_begin, end), gap_begin, end);
  builder.br(header);
  builder.setBlock(header);
  const ir::Value row = builder.phi(ir::Type::I64);
  builder.addIncoming(row, first, run);
  builder.condBr(builder.slt(row, stop), row_block, run_end);
  builder.setBlock(row_block);
  ir::Value taken = row;
  if (selected.isValid()) {
    // The next row of the word with a bit, or the first one of the next word.
    const ir::Block none = builder.createBlock("none");
    const ir::Block some = builder.createBlock("some");
    const ir::Block found = builder.createBlock("found");
    const ir::Value word =
        builder.load(ir::Type::I64, builder.ptrIndex(selected, builder.lshr(row, builder.constI64(6)), 8));
    const ir::Value rest = builder.lshr(word, builder.bitAnd(row, builder.constI64(63)));
    builder.condBr(builder.eq(rest, builder.constI64(0)), none, some);
    builder.setBlock(none);
    builder.addIncoming(row, builder.add(builder.bitOr(row, builder.constI64(63)), builder.constI64(1)), none);
    builder.br(header);
    builder.setBlock(some);
    taken = builder.add(row, builder.ctz(rest));
    builder.condBr(builder.slt(taken, stop), found, run_end);
    builder.setBlock(found);
  }
  body(taken);
  const ir::Value next = builder.add(taken, builder.constI64(1));
  builder.addIncoming(row, next, builder.currentBlock());
  builder.br(header);
  builder.setBlock(run_end);
  builder.condBr(builder.slt(stop, end), gap_block, exit);
  builder.setBlock(gap_block);
  const ir::Value behind = builder.zext(builder.load(ir::Type::I32, gap, offsetof(LeafGap, end)), ir::Type::I64);
  const ir::Value next_gap = builder.ptrAdd(gap, builder.constI64(sizeof(LeafGap)));
  builder.addIncoming(first, behind, gap_block);
  builder.addIncoming(gap, next_gap, gap_block);
  builder.br(run);
  builder.setBlock(preheader_);
  builder.addIncoming(first, builder.parameter(3), preheader_);
  builder.addIncoming(gap, gaps, preheader_);
  builder.br(run);
  builder.setBlock(exit);
}

void Pipeline::pollCancel() {
  const ir::Value token =
      hoist([&] { return builder.load(ir::Type::Ptr, context.global, offsetof(GlobalState, cancel)); });
  const ir::Value requested = builder.ne(builder.loadAtomic(token), builder.constI8(0));
  const ir::Block stop = builder.createBlock("cancel");
  const ir::Block go_on = builder.createBlock("");
  builder.condBr(requested, stop, go_on, ir::BranchWeight::Unlikely);
  builder.setBlock(stop);
  builder.call(RUNTIME_FUNCTION(rt::raiseCancel), {token});
  builder.unreachable();
  builder.setBlock(go_on);
}

void Pipeline::emitIf(ir::Value condition, const std::function<void()>& body) {
  const ir::Block inside = builder.createBlock("");
  const ir::Block behind = builder.createBlock("");
  builder.condBr(condition, inside, behind);
  builder.setBlock(inside);
  {
    const Scope::Level level(scope);
    body();
  }
  builder.br(behind);
  builder.setBlock(behind);
}

CodeUnit* Pipeline::finishFunction() {
  for (const auto& emit : at_end_) emit();
  builder.retVoid();
  CodeUnit* const unit = program.addCode(std::move(module_));
  if (test_count > 0) unit->noteTests(passing_share, test_count);
  return unit;
}

void Pipeline::finish() {
  CodeUnit* unit = finishFunction();
  if (has_source_)
    program.addStep<PipelineStep>(unit, std::move(description));
  else
    program.addStep<CallStep>(unit, std::move(description.text), std::move(description.gate_slots));
}

void rt::raiseCancel(const CancelToken* token) {
  token->raise();
}

}  // namespace gnomon::codegen
