#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "sql/algebra/expression.h"

namespace gnomon::sql {

/// What an index with expressions or a predicate computes of a row of its table, as long as none of the columns is NaN
/// that are scaled decimals. Simplified. Immutable.
struct IndexExpressions {
  std::deque<InformationUnit> units;  ///< the table's columns, each with its number as id; all may be NULL
  std::vector<ExpressionPtr> parts;   ///< of the key, plain columns too
  std::vector<std::string> texts;     ///< of the parts, as PostgreSQL writes them in messages
  /// The predicate's conjuncts: a row is in the index when all are TRUE. Empty: every row is.
  std::vector<ExpressionPtr> predicate;
  /// The same for rows where one is NaN; null: none of the columns can be. The parts have the same forms.
  std::shared_ptr<const IndexExpressions> with_nan;
  /// Oids of the routines whose bodies have become parts of them, ascending.
  std::vector<uint32_t> routines;
};

/// Whether both compute the same of each row.
bool computeAlike(const IndexExpressions& one, const IndexExpressions& two);

/// The columns that the units of a table stand for, ascending, without repetition.
std::vector<uint32_t> columnNumbers(const std::vector<Iu>& units);
/// The columns that the expressions and the predicate mention, ascending.
std::vector<uint32_t> mentionedColumns(const IndexExpressions& expressions);

}  // namespace gnomon::sql
