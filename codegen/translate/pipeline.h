#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codegen/executor/pipeline_step.h"
#include "codegen/translate/code_context.h"
#include "codegen/translate/expression_translator.h"
#include "codegen/translate/scope.h"

namespace gnomon::codegen {

/// One pipeline while its function is emitted: void(global, local, data, begin, end).
///
/// The source's translator emits the loop; the operators' consumers emit what happens to a row, inside it. finish()
/// closes the function and appends the step to the program.
class Pipeline {
 public:
  Pipeline(QueryProgram& program, size_t source_slot, const std::string& source_text);
  /// A function that is called once, without rows: once() emits it.
  Pipeline(QueryProgram& program, const std::string& text);

  /// Emits the loop over [begin, end): body(row number) is called once, with the builder inside the loop; the body ends
  /// in a block that falls through to the next row.
  void forEachRow(const std::function<void(ir::Value row)>& body);
  /// Emits `body` where other pipelines have their loop.
  void once(const std::function<void()>& body);
  /// As forEachRow(), but for rows in gaps: `gaps`, which was hoisted, is the address of the first storage::LeafGap.
  /// `selected`: words with a bit for each row that is wanted (RowSelection); invalid: all are.
  void forEachRowBetween(ir::Value gaps, ir::Value selected, const std::function<void(ir::Value row)>& body);
  /// Emits something before the loop, whatever the current position. It must not open blocks.
  template <typename Emit>
  auto hoist(Emit&& emit) {
    const ir::Block here = builder.currentBlock();
    builder.setBlock(preheader_);
    auto result = emit();
    builder.setBlock(here);
    return result;
  }
  [[nodiscard]] ExpressionTranslator expressions() { return {context, scope}; }
  /// Emits a look at the cancel token.
  void pollCancel();
  /// Branches to a fresh block when `condition` holds, emits `body` there, and goes on behind. Loads inside are
  /// forgotten.
  void emitIf(ir::Value condition, const std::function<void()>& body);
  /// Adds an operator to the step's text.
  void describe(const std::string& text) { description.text += " -> " + text; }
  /// `emit` is called in finish(), where the function returns; not where a row makes it throw.
  void atEnd(std::function<void()> emit) { at_end_.push_back(std::move(emit)); }
  void finish();
  /// As finish(), but no step calls the function, which was emitted by once().
  CodeUnit* finishFunction();

  QueryProgram& program;
  PipelineStep::Description description;
  size_t test_count = 0;     ///< of whole columns, before the loop (ScanFilter)
  double passing_share = 1;  ///< of the rows those that pass them, about
  bool has_clock = false;    ///< its operators' ticks are counted, from the function's beginning

 private:
  ir::Module module_;
  ir::FunctionId function_;

 public:
  ir::Builder builder;
  CodeContext context;
  Scope scope;
  const ir::Value data;

 private:
  ir::Block preheader_;
  std::vector<std::function<void()>> at_end_;
  bool has_source_ = false;
};

namespace rt {
[[noreturn]] void raiseCancel(const CancelToken* token);
}  // namespace rt

}  // namespace gnomon::codegen
