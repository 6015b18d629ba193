#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "sql/algebra/operator.h"
#include "sql/tests/tree_interpreter.h"

namespace gnomon::sql::test {

/// Makes trees as the binder does, and tables for them, from a seed: the same seed gives the same tree again.
class RandomTree {
 public:
  explicit RandomTree(uint64_t seed) : random_(seed) {}

  /// Four tables of three columns: integer not null, integer, bigint.
  Database database();
  /// A tree over them under an Output of all units.
  void fill(Plan& plan);
  /// A boolean expression over the units, at most `depth` deep.
  ExpressionPtr predicate(const std::vector<Iu>& units, int depth);

 private:
  int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random_); }
  bool chance(int percent) { return below(100) < percent; }
  Iu pick(const std::vector<Iu>& units) { return units[static_cast<size_t>(below(static_cast<int>(units.size())))]; }

  ExpressionPtr number(const std::vector<Iu>& units, int depth, TypeKind kind);
  ExpressionPtr columnAs(Iu unit, TypeKind kind);
  ExpressionPtr comparison(const std::vector<Iu>& units, int depth);
  std::vector<ExpressionPtr> predicates(const std::vector<Iu>& units, int percent_more);
  ExpressionPtr equality(const std::vector<Iu>& left, const std::vector<Iu>& right);
  OperatorPtr tree(int depth);
  OperatorPtr scan();
  OperatorPtr join(int depth);
  OperatorPtr selection(OperatorPtr input);
  OperatorPtr map(OperatorPtr input);
  OperatorPtr subquery(OperatorPtr input);
  OperatorPtr aggregation(OperatorPtr input);
  OperatorPtr aggregation(OperatorPtr input, int keys);
  OperatorPtr unite(OperatorPtr first, OperatorPtr second);
  OperatorPtr correlated(OperatorPtr input, const std::vector<Iu>& outer);
  OperatorPtr limit(OperatorPtr input);
  OperatorPtr window(OperatorPtr input);

  std::mt19937_64 random_;
  Plan* plan_ = nullptr;
};

}  // namespace gnomon::sql::test
