#pragma once

#include <optional>

#include "sql/algebra/rewrite.h"

namespace gnomon::sql {

/// Classes of expressions that are equal in every row that passes: from conjuncts a = b over columns, or columns cast
/// to a wider type, of one kind. Equality is transitive, so any two members of a class are equal (and not NULL).
class EquivalenceClasses {
 public:
  using Class = std::vector<const Expression*>;

  /// Takes the conjunct in when it is an equality of two members-to-be. The expression must outlive this object.
  bool add(const Expression& conjunct);
  /// The classes, in the order in which their first members came.
  [[nodiscard]] std::vector<Class> classes() const;
  /// The class an equal expression is in.
  [[nodiscard]] std::optional<size_t> find(const Expression& expression) const;

 private:
  size_t memberOf(const Expression& expression);

  std::vector<const Expression*> members_;
  std::vector<size_t> class_of_;  ///< by member; the smallest member's number
  std::unordered_multimap<size_t, size_t> by_hash_;
};

/// The two types are compared by value and equality between them is transitive.
bool comparableAlike(Type left, Type right);

/// Predicates that follow from the conjuncts and compare a member of a class with constants: a = b AND b = 5 gives
/// a = 5; likewise for ranges and lists. Only new ones are returned.
std::vector<ExpressionPtr> derivePredicates(const std::vector<ExpressionPtr>& conjuncts);

/// What an OR says about the units alone: (a = 1 AND b = 2) OR (a = 3 AND b = 4) says a = 1 OR a = 3 about a. Null when
/// it says nothing.
ExpressionPtr impliedByDisjunction(const Expression& disjunction, const UnitSet& units);

}  // namespace gnomon::sql
