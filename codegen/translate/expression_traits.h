#pragma once

#include <span>
#include <unordered_map>

#include "sql/algebra/expression.h"

namespace gnomon::codegen {

/// How a strict call treats NULL arguments.
enum class NullTreatment : uint8_t {
  Ignore,   ///< computed whatever the arguments are, harmlessly; the flags are joined
  Zero,     ///< may raise an error: NULL arguments are replaced by zeros, for which it does not
  Guarded,  ///< may raise an error or calls a function: only computed when no argument is NULL
};

/// `with_constant`: an argument is a constant.
NullTreatment nullTreatment(sql::FunctionId function, const sql::Type& type, std::span<const sql::Type> arguments,
                            bool with_constant);

/// What the translator asks about an expression before it emits it.
struct ExpressionTrait {
  bool is_constant;  ///< no column, no parameter, nothing of the session
  bool is_simple;    ///< straight-line code that raises no error and calls nothing: not worth a branch
};

/// The traits of expressions, each computed once. Refers to the expressions by address: clear() before they go.
class ExpressionTraits {
 public:
  /// Failure: 54001 for nesting deeper than kDepthMax.
  ExpressionTrait of(const sql::Expression& expression) { return of(expression, 0); }
  void clear() { known_.clear(); }

  static constexpr uint32_t kDepthMax = 10000;
  [[noreturn]] static void throwTooDeep();

 private:
  ExpressionTrait of(const sql::Expression& expression, uint32_t depth);
  std::unordered_map<const sql::Expression*, ExpressionTrait> known_;
};

}  // namespace gnomon::codegen
