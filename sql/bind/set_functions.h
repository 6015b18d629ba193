#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sql/algebra/function_scan.h"
#include "sql/algebra/rewrite.h"
#include "sql/bind/bind_state.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// The name of the clause that arguments of functions in FROM stand in.
inline constexpr std::string_view kFunctionsInFrom = "functions in FROM";

/// Whether it names a function that returns sets.
bool isSetFunction(const ast::Expression& node);

/// Of a function whose rows have several columns: one that is never NULL.
size_t presentColumn(const ast::Expression& node);
/// Whether the only column of such a function has a name of its own, so that an alias means the column, too.
bool isValueSet(const ast::Expression& node);

/// The call of a function that returns sets, in terms of generate_series and unnest; its column gets this name. Of
/// rows, and of unnest of several arrays, which is possible in FROM alone: one call for each column. Failure: 42883,
/// 42725, 42804.
std::vector<SetCall> bindSetCalls(BindState& state, const ast::Expression& node, std::vector<ExpressionPtr> arguments,
                                  const std::string& column, bool is_in_from);

/// The sets that were met in the expressions of a SELECT, which are made side by side for each row; those in
/// arguments of others come first.
class SetCalls {
 public:
  /// The column of the call's values.
  Iu add(SetCall call);
  [[nodiscard]] bool empty() const { return calls_.empty(); }
  [[nodiscard]] UnitSet units() const;
  void forEachExpression(const std::function<void(ExpressionPtr&)>& visit);
  /// The input under operators for those calls of which `is_wanted` says so and those that they read, which are left
  /// out from now on.
  OperatorPtr attach(OperatorPtr input, const std::function<bool(Iu)>& is_wanted);

 private:
  std::vector<SetCall> calls_;
};

}  // namespace gnomon::sql
