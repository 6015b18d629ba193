#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "sql/algebra/operator.h"
#include "sql/algebra/rewrite.h"
#include "sql/bind/bind_state.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/scope.h"
#include "sql/bind/set_functions.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// Binds one SELECT, VALUES or set operation into the canonical tree: FROM, Selection, Aggregation, Selection (HAVING),
/// Map, Aggregation (DISTINCT), Sort, Limit.
class QueryBinder {
 public:
  struct Column {
    std::string name;
    Iu iu;  ///< null: `literal` is not yet computed
    int32_t position;
    ExpressionPtr literal = nullptr;
  };
  struct Result {
    OperatorPtr tree;
    std::vector<Column> columns;
    std::vector<Output::RowLock> locks;
    ExpressionPtr limit, offset;  ///< where they count rows that could be locked
    std::string_view locking;     ///< with locks: "FOR UPDATE" and so on
  };
  explicit QueryBinder(BindState& state) : state_(state), coercion_(state) {}

  /// `literal_types`: what untyped literals and parameters in the select list become, by column (the target columns of
  /// INSERT); text beyond its end.
  Result bind(const ast::Query& query, std::span<const Type> literal_types = {});
  /// The same for one side of a set operation: literals and parameters without a type are left as they are.
  Result bindOperand(const ast::Query& query);
  /// RETURNING over the rows of `tree`, whose names are those of `scope`. Failure: 42803 for aggregates, and as of a
  /// select list.
  Result bindReturning(const std::vector<ast::SelectItem>& items, OperatorPtr tree, Scope scope);

 private:
  struct Item {
    std::string name;
    ExpressionPtr expression;
    Iu iu = nullptr;  ///< once computed
    int32_t position = -1;
    std::optional<size_t> key = {};  ///< in the aggregation: the one of grouping sets that this item is
  };
  struct SortEntry {
    size_t item;  ///< in items_
    size_t key;   ///< in items_: what the rows are sorted by; the item itself, or its key by a collation
    bool descending;
    bool nulls_first;
  };

  // query_binder.cc
  void bindSelect(const ast::Query& query, std::span<const Type> literal_types);
  void bindItems(const std::vector<ast::SelectItem>& items, std::string_view clause,
                 std::span<const Type> literal_types);
  void addStar(const ast::Expression& star, std::string_view clause);
  [[nodiscard]] std::string columnsText(const std::vector<ScopeColumn>& columns) const;
  [[nodiscard]] const Range& rangeOfStar(const ast::Expression& star) const;
  void bindOrder(const ast::Query& query);
  size_t keyItem(size_t item);
  size_t findSortItem(const ast::Expression& node, bool is_distinct, std::string_view clause);
  void bindDistinctOn(const ast::Query& query);
  void keepFirst();
  /// The select item that an ordinal or an output name stands for; none: -1.
  int64_t findItem(const ast::Expression& node, std::string_view clause) const;
  void bindLimit(const ast::Query& query, Result& result);
  ExpressionPtr bindLimitValue(const ast::Expression& node, std::string_view clause, SubqueryJoins& subqueries);
  void limitByNumber(const ast::Query& query, ExpressionPtr limit, ExpressionPtr offset, SubqueryJoins& subqueries);
  [[nodiscard]] std::vector<SortKey> orderOfRows() const;
  void computeCounts(std::initializer_list<ExpressionPtr*> counts, SubqueryJoins& subqueries);
  void bindValues(const ast::Query& query, std::span<const Type> literal_types);
  void requireEntryCount() const;
  void computeSortKeys();
  void computeItems();
  [[nodiscard]] bool isKeptLiteral(const Expression& expression) const;
  void removeDuplicates();
  void sort();
  Clause clauseOf(std::string_view name, SubqueryJoins& subqueries);
  /// They are written alike, what is volatile too.
  [[nodiscard]] bool isSame(const Expression& one, const Expression& other) const;

  // set_operation_binder.cc
  void bindSetOperation(const ast::Query& query);
  static std::vector<ExpressionPtr> columnsOf(Result& operand);
  void unite(std::vector<Result> operands, std::vector<std::vector<ExpressionPtr>> values, bool is_all);
  void intersect(const ast::Query& query, std::vector<Result> operands, std::vector<std::vector<ExpressionPtr>> values);
  void removeSetDuplicates();
  void addSetColumns(const std::vector<Column>& names, const std::vector<Iu>& units);

  // group_binder.cc
  void bindGroups(const ast::Query& query);
  void attachWindows(const ast::Query& query);
  void readWindowKeys();
  void computeWindowKeys();
  void addGroupKey(const ast::Expression& node);
  void group(ExpressionPtr having);
  /// Puts an expression over the groups: keys become columns, other columns are errors (42803).
  void regroup(ExpressionPtr& expression);
  void regroupSubqueries(const SubqueryJoins& subqueries);
  void readKeysAgain(ExpressionPtr& having);
  void regroupOuter(Expression& expression);
  void regroupDirect(ExpressionPtr& argument);
  /// The key's unit when the expression, which may be a column alone, is a key, or is determined by keys.
  [[nodiscard]] Iu keyOf(const Expression& expression);
  [[nodiscard]] bool isDetermined(Iu column) const;
  // grouping_sets.cc
  void bindGroupingSets(const ast::Query& query);
  void resolveGroupings();
  OperatorPtr groupBySets(std::unique_ptr<Aggregation> aggregation);
  [[nodiscard]] int32_t groupingOf(const std::vector<size_t>& arguments, const std::vector<size_t>* set) const;
  [[noreturn]] void throwUngrouped(const Expression& column, bool is_in_subquery) const;

  template <typename OperatorType>
  OperatorType& push() {
    auto created = std::make_unique<OperatorType>();
    OperatorType& result = *created;
    if (tree_) created->inputs.push_back(std::move(tree_));
    tree_ = std::move(created);
    return result;
  }

  BindState& state_;
  Coercion coercion_;
  OperatorPtr tree_;
  Scope scope_;
  std::vector<Output::RowLock> locks_;
  std::unique_ptr<Aggregation> aggregation_;
  std::vector<size_t> group_keys_;                  ///< of GROUP BY's expressions, in aggregation_->keys
  std::vector<std::vector<size_t>> grouping_sets_;  ///< of keys; empty: there is one, of all of them
  std::vector<GroupingCall> groupings_;
  std::vector<std::vector<size_t>> grouping_arguments_;  ///< of groupings_, as keys
  bool has_grouping_sets_ = false;
  SubqueryJoins subqueries_, having_subqueries_;  ///< over the groups
  SubqueryJoins argument_subqueries_;             ///< of grouping keys and in arguments of aggregates
  RoutineCalls calls_{subqueries_, argument_subqueries_};
  WindowCalls windows_;
  SetCalls sets_;
  UnitSet input_units_;  ///< below the groups
  std::vector<Item> items_;
  size_t visible_items_ = 0;  ///< those after are for ORDER BY only
  std::vector<SortEntry> order_;
  std::vector<size_t> distinct_on_;  ///< in items_
  bool keeps_literals_ = false;
  bool is_set_operation_ = false;
};

}  // namespace gnomon::sql
