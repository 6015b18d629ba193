#pragma once

#include "codegen/translate/code_context.h"
#include "codegen/translate/scope.h"
#include "sql/algebra/expression.h"

namespace gnomon::codegen {

/// Emits the code of bound expressions at the builder's current position.
///
/// Errors that depend on the data (overflow, division by zero, bad input of a cast) are raised by the emitted code, and
/// only for rows and branches that SQL evaluates: CASE, COALESCE, AND and OR guard what stands behind them.
class ExpressionTranslator {
 public:
  ExpressionTranslator(CodeContext& context, Scope& scope) : context_(context), scope_(scope) {}

  /// The value; may open new blocks and leaves the builder in the last one.
  SqlValue translate(const sql::Expression& expression);
  /// I1: the condition is TRUE (not FALSE, not NULL).
  ir::Value translateTruth(const sql::Expression& condition);
  /// Branches to `otherwise` unless the condition is TRUE and goes on in a block where it is. What was loaded on the
  /// way stays loaded where it dominates.
  void requireTrue(const sql::Expression& condition, ir::Block otherwise);

 private:
  CodeContext& context_;
  Scope& scope_;
};

}  // namespace gnomon::codegen
