#include "codegen/translate/pipeline.h"

#include "codegen/ir/runtime_function.h"

namespace gnomon::codegen {

Pipeline::Pipeline(QueryProgram& query_program, size_t source_slot, const std::string& source_text)
    : program(query_program),
      module_("pipeline" + std::to_string(query_program.steps.size() + 1)),
      function_(module_.addFunction(module_.name(), ir::Type::Void,
                                    {ir::Type::Ptr, ir::Type::Ptr, ir::Type::Ptr, ir::Type::I64, ir::Type::I64})),
      builder(module_, function_),
      context{builder, builder.parameter(0), builder.parameter(1), program.resources},
      data(builder.parameter(2)),
      preheader_(builder.currentBlock()) {
  description.source_slot = source_slot;
  description.text = source_text;
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

void Pipeline::pollCancel() {
  const ir::Value token =
      hoist([&] { return builder.load(ir::Type::Ptr, context.global, offsetof(GlobalState, cancel)); });
  const ir::Value requested = builder.ne(builder.load(ir::Type::I8, token), builder.constI8(0));
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

void Pipeline::finish() {
  builder.retVoid();
  CodeUnit* unit = program.addCode(std::move(module_));
  program.addStep<PipelineStep>(unit, std::move(description));
}

void rt::raiseCancel(const CancelToken* token) {
  token->raise();
}

}  // namespace gnomon::codegen
