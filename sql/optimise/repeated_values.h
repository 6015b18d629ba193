#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "sql/algebra/operator.h"

namespace gnomon::sql {

/// Joins whose right input is a subquery that reads nothing around it.
using ConstantSubqueries = std::unordered_set<const Operator*>;

/// Values of a subquery that are to be computed for each row around it, and for no other. Not those that are computed
/// once whatever the row, as in PostgreSQL: of the subqueries that are `constant`, and of arguments of functions in
/// FROM; nor those that nobody `reads`, by units.
class RepeatedValues {
 public:
  enum class Kind : uint8_t {
    Volatile,        ///< those that may answer otherwise each time, or do something
    VolatileOrRaise  ///< and those that may raise an error
  };
  RepeatedValues(const ConstantSubqueries& constant, const std::unordered_map<Iu, size_t>& reads, Kind kind)
      : constant_(constant), reads_(reads), kind_(kind) {}

  [[nodiscard]] bool areIn(Operator& tree) const;
  /// Makes them read `row`, which tells the rows around from one another: a subquery that is executed for all of them
  /// at once then has values of its own for each.
  void tie(OperatorPtr& tree, Iu row) const;

 private:
  [[nodiscard]] bool isOne(const Expression& expression) const;
  void forEachIn(Operator& op, const std::function<void(ExpressionPtr&)>& visit) const;

  const ConstantSubqueries& constant_;
  const std::unordered_map<Iu, size_t>& reads_;
  const Kind kind_;
};

/// The expression as it was before it was tied.
void untieFromRow(ExpressionPtr& expression, Iu row);

}  // namespace gnomon::sql
