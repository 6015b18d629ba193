#include <algorithm>
#include <functional>
#include <iterator>

#include "base/sql_error.h"
#include "sql/parse/tree_reader.h"

namespace gnomon::sql {
namespace {

/// Numbers of grouping expressions.
using Set = std::vector<size_t>;
using Sets = std::vector<Set>;

constexpr size_t kSetsMax = 4096;
constexpr size_t kCubeElementsMax = 12;

[[noreturn]] void throwTooMany(int32_t position) {
  throw SqlError(sqlstate::kStatementTooComplex, "too many grouping sets present (maximum 4096)").position(position);
}

Set united(const Set& one, const Set& other) {
  Set result = one;
  for (const size_t number : other)
    if (std::ranges::find(result, number) == result.end()) result.push_back(number);
  return result;
}

/// Each of the one with each of the other.
Sets product(const Sets& one, const Sets& other, int32_t position) {
  if (one.size() * other.size() > kSetsMax) throwTooMany(position);
  Sets result;
  for (const Set& left : one)
    for (const Set& right : other) result.push_back(united(left, right));
  return result;
}

/// Reads the items of GROUP BY: their expressions, and the sets that each stands for.
class GroupingReader {
 public:
  using ReadExpression = std::function<ast::ExpressionPtr(const PgQuery__Node*)>;
  GroupingReader(std::vector<ast::ExpressionPtr>& expressions, ReadExpression read)
      : expressions_(expressions), read_(std::move(read)) {}

  Sets setsOf(const PgQuery__Node& node) {
    if (node.node_case != PG_QUERY__NODE__NODE_GROUPING_SET) return {elementOf(node)};
    const PgQuery__GroupingSet& set = *node.grouping_set;
    switch (set.kind) {
      case PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_EMPTY:
        return {{}};
      case PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_ROLLUP:
        return rollUp(elementsOf(set));
      case PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_CUBE:
        return cube(elementsOf(set), set.location);
      default: {
        Sets sets;
        for (size_t i = 0; i < set.n_content; ++i) std::ranges::move(setsOf(*set.content[i]), std::back_inserter(sets));
        if (sets.size() > kSetsMax) throwTooMany(set.location);
        return sets;
      }
    }
  }

 private:
  /// An expression, or several in parentheses.
  Set elementOf(const PgQuery__Node& node) {
    if (node.node_case != PG_QUERY__NODE__NODE_ROW_EXPR ||
        node.row_expr->row_format != PG_QUERY__COERCION_FORM__COERCE_IMPLICIT_CAST) {
      expressions_.push_back(read_(&node));
      return {expressions_.size() - 1};
    }
    Set set;
    for (size_t i = 0; i < node.row_expr->n_args; ++i)
      std::ranges::move(elementOf(*node.row_expr->args[i]), std::back_inserter(set));
    return set;
  }
  Sets elementsOf(const PgQuery__GroupingSet& set) {
    Sets elements;
    for (size_t i = 0; i < set.n_content; ++i) elements.push_back(elementOf(*set.content[i]));
    return elements;
  }
  static Sets rollUp(const Sets& elements) {
    Sets sets{{}};
    for (const Set& element : elements) sets.push_back(united(sets.back(), element));
    std::ranges::reverse(sets);
    return sets;
  }
  static Sets cube(const Sets& elements, int32_t position) {
    if (elements.size() > kCubeElementsMax)
      throw SqlError(sqlstate::kTooManyColumns, "CUBE is limited to 12 elements").position(position);
    Sets sets;
    for (size_t mask = size_t{1} << elements.size(); mask-- > 0;) {
      Set set;
      for (size_t i = 0; i < elements.size(); ++i)
        if ((mask >> (elements.size() - 1 - i) & 1) != 0) set = united(set, elements[i]);
      sets.push_back(std::move(set));
    }
    return sets;
  }

  std::vector<ast::ExpressionPtr>& expressions_;
  const ReadExpression read_;
};

}  // namespace

void TreeReader::readGroupBy(const PgQuery__SelectStmt& node, ast::Query& query) {
  GroupingReader reader(query.group_by, [this](const PgQuery__Node* each) { return readExpression(each); });
  Sets sets{{}};
  bool has_sets = false;
  for (size_t i = 0; i < node.n_group_clause; ++i) {
    const PgQuery__Node& item = *node.group_clause[i];
    has_sets = has_sets || item.node_case == PG_QUERY__NODE__NODE_GROUPING_SET;
    sets = product(sets, reader.setsOf(item), -1);
  }
  if (!has_sets) return;
  query.grouping_sets = std::move(sets);
  query.groups_distinctly = node.group_distinct;
}

}  // namespace gnomon::sql
