#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/algebra/rewrite.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/set_functions.h"
#include "sql/bind/type_name.h"
#include "sql/bind/typed_row.h"
#include "sql/types/record_value.h"

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;
using NodeKind = ast::Expression::Kind;

bool isOrder(std::string_view name) {
  return name == "<" || name == "<=" || name == ">" || name == ">=";
}

std::vector<ExpressionPtr> pairOf(ExpressionPtr left, ExpressionPtr right) {
  std::vector<ExpressionPtr> pair;
  pair.push_back(std::move(left));
  pair.push_back(std::move(right));
  return pair;
}

void requireNoSet(const Expression& compared, const SetCalls* sets, int32_t position) {
  if (sets != nullptr && readsAny(compared, sets->units()))
    throw SqlError(sqlstate::kDatatypeMismatch, "row comparison operator must not return a set").position(position);
}

[[noreturn]] void throwUnequalLengths(int32_t position) {
  throw SqlError(sqlstate::kSyntaxError, "unequal number of entries in row expressions").position(position);
}

}  // namespace

bool isTypedRow(const ast::Expression& node) {
  if (node.kind != NodeKind::Cast) return false;
  const ast::Expression& inner = *node.children[0];
  return (inner.kind == NodeKind::Row || isTypedRow(inner)) && resolveTypeName(node.type).domain == 0;
}

std::vector<ExpressionPtr> columnsOfRow(const Expression& row) {
  // Each column is taken of a row of its own.
  if (row.isVolatile()) throwNotSupported("IN with a volatile row", row.position);
  const std::vector<RecordField> fields = recordFields(row.type.definition());
  std::vector<ExpressionPtr> columns;
  for (size_t i = 0; i < fields.size(); ++i) columns.push_back(fieldAt(row.clone(), i, heldInRecord(fields[i].type)));
  return columns;
}

ExpressionPtr ExpressionBinder::compareRows(std::string_view name, Arguments left, Arguments right, int32_t position) {
  if (left.size() != right.size()) throwUnequalLengths(position);
  if (left.empty())
    throw SqlError(sqlstate::kFeatureNotSupported, "cannot compare rows of zero length").position(position);
  const bool is_compared = name == "=" || name == "<>" || isOrder(name);
  if (is_compared && isOrder(name) && left.size() > 1)
    return bindRowOrder(name, std::move(left), std::move(right), position);
  Arguments comparisons;
  for (size_t i = 0; i < left.size(); ++i) {
    ExpressionPtr comparison = bindOperator(name, pairOf(std::move(left[i]), std::move(right[i])), position);
    if (comparison->type.kind != TypeKind::Boolean)
      throw SqlError(
          sqlstate::kDatatypeMismatch,
          fmt::format("row comparison operator must yield type boolean, not type {}", comparison->type.baseName()))
          .position(position);
    requireNoSet(*comparison, clause_.sets, position);
    comparisons.push_back(std::move(comparison));
  }
  if (comparisons.size() == 1) return std::move(comparisons.front());
  if (!is_compared)
    throw SqlError(sqlstate::kFeatureNotSupported,
                   fmt::format("could not determine interpretation of row comparison operator {}", name))
        .hint("Row comparison operators must be associated with btree operator families.")
        .position(position);
  return name == "<>" ? disjunction(std::move(comparisons)) : conjunction(std::move(comparisons));
}

/// The first columns that differ, or are NULL, decide: a1 < b1 OR (a1 = b1 AND (a2 < b2 OR ...)).
ExpressionPtr ExpressionBinder::bindRowOrder(std::string_view name, Arguments left, Arguments right, int32_t position) {
  const std::string_view strict = name.substr(0, 1);
  for (const Arguments* side : {&left, &right})
    for (const ExpressionPtr& value : *side) requireNoSet(*value, clause_.sets, position);
  ExpressionPtr result = bindOperator(name, pairOf(std::move(left.back()), std::move(right.back())), position);
  for (size_t i = left.size() - 1; i-- > 0;) {
    Lets lets;
    left[i] = repeatable(std::move(left[i]), lets);
    right[i] = repeatable(std::move(right[i]), lets);
    ExpressionPtr decides = bindOperator(strict, pairOf(copy(*left[i]), copy(*right[i])), position);
    ExpressionPtr passes_on = bindOperator("=", pairOf(copy(*left[i]), copy(*right[i])), position);
    result = Expression::logic(Kind::And, pairOf(std::move(passes_on), std::move(result)));
    result = Expression::logic(Kind::Or, pairOf(std::move(decides), std::move(result)));
    result = withLets(std::move(result), std::move(lets));
  }
  return result;
}

ExpressionPtr ExpressionBinder::bindRowOperator(std::string_view name, const ast::Expression& left,
                                                const ast::Expression& right, int32_t position) {
  if (isRow(left) && right.kind == NodeKind::Subquery && right.query->items.size() != 1) {
    Arguments row = bindRowItems(left.children);
    const size_t width = row.size();
    return compareRows(name, std::move(row), bindRowSubquery(right, width, position), position);
  }
  if (!isRow(left) || !isRow(right)) return bindOperator(name, pairOf(bind(left), bind(right)), position);
  return compareRows(name, bindRowItems(left.children), bindRowItems(right.children), position);
}

/// IS NULL: every column is; IS NOT NULL: no column is.
ExpressionPtr ExpressionBinder::bindRowTest(const ast::Expression& node) {
  Arguments tests;
  for (const ast::ExpressionPtr& child : node.children[0]->children) {
    Arguments operand;
    operand.push_back(coercion_.settleAny(bind(*child)));
    tests.push_back(
        Expression::logic(node.kind == NodeKind::IsNull ? Kind::IsNull : Kind::IsNotNull, std::move(operand)));
  }
  return conjunction(std::move(tests));
}

ExpressionPtr ExpressionBinder::bindRowDistinct(const ast::Expression& node) {
  Arguments left = bindRowItems(node.children[0]->children);
  Arguments right = bindRowItems(node.children[1]->children);
  if (left.size() != right.size()) throwUnequalLengths(node.position);
  const bool asks_difference = node.kind == NodeKind::IsDistinct;
  Arguments tests;
  for (size_t i = 0; i < left.size(); ++i) {
    ExpressionPtr equality = bindOperator("=", pairOf(std::move(left[i]), std::move(right[i])), node.position);
    tests.push_back(
        Expression::logic(asks_difference ? Kind::IsDistinct : Kind::IsNotDistinct, std::move(equality->children)));
  }
  return asks_difference ? disjunction(std::move(tests)) : conjunction(std::move(tests));
}

ExpressionPtr ExpressionBinder::bindRowBetween(const ast::Expression& node) {
  const bool is_negated = node.kind == NodeKind::NotBetween || node.kind == NodeKind::NotBetweenSymmetric;
  const auto range = [&](const ast::Expression& low, const ast::Expression& high) {
    const ast::Expression& value = *node.children[0];
    ExpressionPtr from = bindRowOperator(is_negated ? "<" : ">=", value, low, node.position);
    ExpressionPtr to = bindRowOperator(is_negated ? ">" : "<=", value, high, node.position);
    return Expression::logic(is_negated ? Kind::Or : Kind::And, pairOf(std::move(from), std::move(to)));
  };
  ExpressionPtr result = range(*node.children[1], *node.children[2]);
  if (node.kind == NodeKind::Between || node.kind == NodeKind::NotBetween) return result;
  ExpressionPtr mirrored = range(*node.children[2], *node.children[1]);
  return Expression::logic(is_negated ? Kind::And : Kind::Or, pairOf(std::move(result), std::move(mirrored)));
}

ExpressionPtr ExpressionBinder::bindRowIn(const ast::Expression& node) {
  const std::string_view name = node.kind == NodeKind::NotIn ? "<>" : "=";
  const auto hasColumns = [](const ast::Expression& each) { return isRow(each) || isTypedRow(each); };
  const auto columnsOf = [&](const ast::Expression& each) {
    return isRow(each) ? bindRowItems(each.children) : columnsOfRow(*bind(each));
  };
  const ast::Expression& left = *node.children[0];
  Arguments columns;    // of the left side, once they are needed
  ExpressionPtr whole;  // likewise
  Arguments comparisons;
  for (size_t i = 1; i < node.children.size(); ++i) {
    const ast::Expression& right = *node.children[i];
    if (!hasColumns(left) || !hasColumns(right)) {
      if (!whole) whole = bind(left);
      comparisons.push_back(bindOperator(name, pairOf(copy(*whole), bind(right)), node.position));
      continue;
    }
    if (columns.empty()) columns = columnsOf(left);
    Arguments copies;
    for (const ExpressionPtr& column : columns) copies.push_back(copy(*column));
    comparisons.push_back(compareRows(name, std::move(copies), columnsOf(right), node.position));
  }
  return name == "=" ? disjunction(std::move(comparisons)) : conjunction(std::move(comparisons));
}

}  // namespace gnomon::sql
