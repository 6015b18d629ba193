#pragma once

#include "sql/algebra/rewrite.h"
#include "sql/optimise/cardinality.h"
#include "sql/optimise/equivalence.h"
#include "sql/optimise/join_enumeration.h"
#include "sql/optimise/key_matches.h"

namespace gnomon::sql {

/// A maximal group of inner joins: its inputs (already optimised) and every predicate between them. Orders them anew.
///
/// Rows of a set of inputs: the product of their rows, times the share of their combinations that agrees in each class
/// of equal columns (KeyMatches), times the selectivities of the other predicates. A class's domain is the largest
/// number of distinct values among its columns when all were counted, the smallest when some are guessed (a key's
/// column bounds those that refer to it). Two inputs that share several classes (a composite key) are held together by
/// no more than the rows of the smaller table.
class JoinRegion {
 public:
  JoinRegion(std::vector<OperatorPtr> inputs, std::vector<ExpressionPtr> predicates, const Cardinality& cardinality);

  /// The ordered tree, with keys, conditions, build sides and estimated rows set.
  OperatorPtr order();

 private:
  struct Member {
    const Expression* expression;
    size_t relation;
  };
  /// Columns equal to one another, at most one of each input.
  struct Class {
    std::vector<Member> members;
    RelationSet relations = 0;
    double domain = 1;
    std::optional<KeyMatches> matches;
  };
  /// A predicate that is no equality of columns.
  struct Residual {
    ExpressionPtr predicate;
    RelationSet relations = 0;
    RelationSet left = 0, right = 0;  ///< sides of what can be a key, 0: it cannot
    double selectivity = 1;
  };
  /// Two inputs with several classes in common: by how much the classes' product is too small.
  struct CompositeKey {
    size_t one, other;
    double factor;
  };

  [[nodiscard]] RelationSet relationsOf(const Expression& expression) const;
  [[nodiscard]] double baseRows(size_t relation) const;
  void classify(std::vector<ExpressionPtr> predicates);
  void addResidual(ExpressionPtr predicate, RelationSet relations);
  void addClasses();
  void compareKeys();
  [[nodiscard]] KeyColumn keyColumn(const Member& member, double domain) const;
  void addCompositeKeys();
  void filterInput(size_t relation, ExpressionPtr predicate);
  [[nodiscard]] double estimateRows(RelationSet set);
  [[nodiscard]] double compositeFactor(RelationSet set) const;
  [[nodiscard]] JoinGraph graph();
  OperatorPtr build(const JoinTree& tree);
  void addClassKeys(Join& join, RelationSet left, RelationSet right) const;
  void addResiduals(Join& join, RelationSet left, RelationSet right);

  std::vector<OperatorPtr> inputs_;
  std::vector<UnitSet> units_;
  const Cardinality& cardinality_;
  std::vector<ExpressionPtr> equalities_;  ///< what the classes' members point into
  EquivalenceClasses equivalences_;
  std::vector<Class> classes_;
  std::vector<Residual> residuals_;
  std::vector<CompositeKey> composite_keys_;
  std::vector<ExpressionPtr> unit_free_;  ///< predicates that read no unit
  std::unordered_map<RelationSet, double> rows_;
};

}  // namespace gnomon::sql
