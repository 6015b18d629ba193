#pragma once

#include <span>

#include "codegen/translate/code_context.h"
#include "codegen/translate/expression_traits.h"
#include "codegen/translate/scope.h"
#include "sql/algebra/expression.h"

namespace gnomon::codegen {

/// Emits the code of bound expressions at the builder's current position.
///
/// Errors that depend on the data (overflow, division by zero, bad input of a cast) are raised by the emitted code, and
/// only for rows and branches that SQL evaluates: CASE, COALESCE, AND and OR guard what stands behind them.
/// Subexpressions without columns and parameters are computed while translating, unless they raise an error.
/// Failure: 0A000 for what cannot be computed; 54001 for nesting deeper than ExpressionTraits::kDepthMax.
class ExpressionTranslator {
 public:
  /// What becomes of constant subexpressions.
  enum class Constants : uint8_t {
    Evaluated,  ///< computed while translating
    InPlace,    ///< emitted like all others
  };
  ExpressionTranslator(CodeContext& context, Scope& scope, Constants constants = Constants::Evaluated)
      : context_(context), scope_(scope), constants_(constants) {}

  /// The value; may open new blocks and leaves the builder in the last one.
  SqlValue translate(const sql::Expression& expression);
  /// I1: the condition is TRUE (not FALSE, not NULL).
  ir::Value translateTruth(const sql::Expression& condition);
  /// Branches to `otherwise` unless all conditions are TRUE and goes on in a block where they are. What was loaded on
  /// the way stays loaded where it dominates.
  void requireAll(std::span<const sql::Expression* const> conditions, ir::Block otherwise);
  void requireAll(std::span<const sql::ExpressionPtr> conditions, ir::Block otherwise);
  /// Ends the current block: to `if_false` when the condition is FALSE (not TRUE, not NULL). As requireAll.
  void branchIfFalse(const sql::Expression& condition, ir::Block if_false, ir::Block otherwise) {
    branch(condition, Outcome::False, if_false, otherwise);
  }

 private:
  /// Counts the nesting of translate() and branch().
  class Nesting;
  /// Which outcome of a condition a branch asks for; NULL is neither.
  enum class Outcome : uint8_t { True, False };

  SqlValue translateKind(const sql::Expression& expression);
  SqlValue translateCall(const sql::Expression& expression);
  SqlValue emitCall(const sql::Expression& expression, std::span<SqlValue> arguments);
  SqlValue translateCast(const sql::Expression& expression);
  SqlValue translateNot(const sql::Expression& expression);
  SqlValue translateTest(const sql::Expression& expression);
  SqlValue translateDistinct(const sql::Expression& expression);
  SqlValue translateConnective(const sql::Expression& expression);
  SqlValue connectStraight(const std::vector<const sql::Expression*>& operands, size_t& next, bool is_and);
  SqlValue translateCase(const sql::Expression& expression);
  SqlValue translateCoalesce(const sql::Expression& expression);
  SqlValue translateExtreme(const sql::Expression& expression);
  SqlValue translateInList(const sql::Expression& expression);
  SqlValue translateArrayCall(const sql::Expression& expression);
  SqlValue translateAnyOf(const sql::Expression& expression);
  SqlValue translateLet(const sql::Expression& expression);

  /// Ends the current block: to `yes` when the condition has the outcome, to `no` when it has not. What is loaded in
  /// conditional parts is forgotten.
  void branch(const sql::Expression& condition, Outcome outcome, ir::Block yes, ir::Block no);
  void branchConnective(const sql::Expression& condition, Outcome outcome, ir::Block yes, ir::Block no);
  void branchTest(const sql::Expression& condition, Outcome outcome, ir::Block yes, ir::Block no);

  /// The child as a value of `type` (a NULL literal of whatever type; numerics of another form or scale).
  SqlValue translateAs(const sql::Expression& child, const sql::Type& type);
  /// Straight-line code that raises no error and calls nothing, whatever has to be loaded for it.
  bool isStraight(const sql::Expression& expression);
  bool isEvaluatedNow(const sql::Expression& expression);
  bool isBranching(const sql::Expression& condition);

  CodeContext& context_;
  Scope& scope_;
  Constants constants_;
  ExpressionTraits traits_;
  uint32_t depth_ = 0;

  friend class Nesting;
};

}  // namespace gnomon::codegen
