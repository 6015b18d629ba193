#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sql/algebra/operator.h"
#include "sql/algebra/rewrite.h"
#include "sql/bind/scope.h"

namespace gnomon::sql {

/// Subqueries that were met in the expressions of a clause. Each becomes a join on the clause's input, whose rows it
/// neither adds to nor takes from; the expressions read the unit that it adds.
class SubqueryJoins {
 public:
  /// A Single or Mark join whose right input alone is there. Or an Inner one, whose input is a Map: what is computed
  /// for each row.
  void add(std::unique_ptr<Join> join) { joins_.push_back(std::move(join)); }
  [[nodiscard]] bool empty() const { return joins_.empty(); }
  [[nodiscard]] const std::vector<std::unique_ptr<Join>>& joins() const { return joins_; }
  /// The units that they add, from the one of this number on.
  [[nodiscard]] std::vector<Iu> results(size_t first = 0) const;
  [[nodiscard]] bool adds(Iu unit) const;
  /// What they read, which may be what others of them add.
  [[nodiscard]] UnitSet reads() const;
  void rename(const UnitRenaming& renaming);
  /// Those from the one of this number on are asked for only where the conditions are TRUE: elsewhere they are not to
  /// raise errors. They add anything there.
  void guard(
      size_t first, const std::vector<ExpressionPtr>& conditions,
      const std::function<bool(Join&)>& concerns = [](Join&) { return true; });
  /// The input under the joins, in the order in which they were added; none is left.
  OperatorPtr attach(OperatorPtr input);
  /// Moves those that the expression reads, and those that these read, to the end of `other`.
  void moveRead(const Expression& expression, SubqueryJoins& other);
  /// Moves those that read one of the units, or what one of these adds, to the end of `other`.
  void moveReading(UnitSet units, SubqueryJoins& other);
  /// Moves all of them.
  void moveAll(SubqueryJoins& other);
  /// Leaves the first ones.
  void truncate(size_t count) { joins_.resize(count); }
  /// Drops those that add nothing but some of the units, where neither `read` nor another one has any of these.
  void dropUnread(const UnitRenaming& units, UnitSet read);
  template <typename Visit>
  void forEachExpression(Visit&& visit) {
    for (std::unique_ptr<Join>& join : joins_) {
      if (join->compared) visit(join->compared);
      for (ExpressionPtr& condition : join->conditions) visit(condition);
      forEachOperator(join->inputs[0], [&](OperatorPtr& op) { sql::forEachExpression(*op, visit); });
    }
  }

 private:
  std::vector<std::unique_ptr<Join>> joins_;
};

/// Calls of functions whose bodies became subqueries of the clauses over the groups: the same call again, in these or
/// in GROUP BY, is the same value, but where it is volatile. That is the same only as a key: it has units of its own.
class RoutineCalls {
 public:
  /// `home`: the clause's subqueries; `below`: those of GROUP BY.
  RoutineCalls(const SubqueryJoins& home, const SubqueryJoins& below) : home_(home), below_(below) {}
  [[nodiscard]] bool isHome(const SubqueryJoins& joins) const { return &home_ == &joins; }
  /// Null: there is none that `joins` may read.
  [[nodiscard]] const Expression* find(uint32_t routine, const std::vector<ExpressionPtr>& inputs,
                                       const SubqueryJoins& joins) const;
  void add(uint32_t routine, std::vector<ExpressionPtr> inputs, const Expression& value);
  /// Any call, and the units that its subqueries add.
  void note(uint32_t routine, std::vector<ExpressionPtr> inputs, std::vector<Iu> units);
  /// Units of calls that were there before, as those of the first.
  [[nodiscard]] const UnitRenaming& repeated() const { return repeated_; }

 private:
  struct Call {
    uint32_t routine;  ///< oid
    std::vector<ExpressionPtr> inputs;
    ExpressionPtr value;
    std::vector<Iu> units = {};
  };
  static const Call* findIn(const std::vector<Call>& calls, uint32_t routine, const std::vector<ExpressionPtr>& inputs);

  const SubqueryJoins &home_, &below_;
  std::vector<Call> calls_, noted_;
  UnitRenaming repeated_;
};

/// Whether the expression, or a subquery that it reads, reads columns of the scope.
bool readsScope(const Expression& expression, const SubqueryJoins& subqueries, const Scope& scope);

/// One row of no columns.
OperatorPtr oneRow();

/// Literal rows. Those whose expressions read what the subqueries add, or columns of queries around them, are each
/// computed over one row.
OperatorPtr overSubqueries(Plan& plan, std::unique_ptr<Values> values, SubqueryJoins& subqueries);

/// A join whose conditions read what the subqueries add, under what it takes to test them. An inner join's are tested
/// above it; of LEFT JOIN the right side is what matches the left row, which it therefore reads; of FULL JOIN each
/// subquery is joined to the side that it reads. Precondition: no side is extended with NULLs yet; no subquery of a
/// FULL JOIN reads both (sql/bind/full_join_pairs.h).
OperatorPtr placeSubqueries(std::unique_ptr<Join> join, SubqueryJoins& subqueries);

/// The unit that a subquery's join adds.
Iu resultOf(const Join& join);

}  // namespace gnomon::sql
