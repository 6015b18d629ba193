#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "sql/algebra/operator.h"
#include "sql/bind/coercion.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// rank, dense_rank, percent_rank and cume_dist WITHIN GROUP: what a row that is given would be among those of the
/// group.
bool isHypotheticalAggregate(std::string_view name);

/// Failure: 42883 when there are not as many values as keys.
void requireHypotheticalRow(const ast::Expression& node, std::vector<ExpressionPtr>& asked, std::vector<SortKey>& keys);

/// Which rows stand before the one that is given, and which beside it; each is 1 or NULL. One of `asked` for each key;
/// `direct` says how the rows' expressions read it, once it has the key's type. Failure: 42804.
struct HypotheticalRow {
  ExpressionPtr before;
  ExpressionPtr not_behind;
  ExpressionPtr keys;  ///< of the group's row, as one value: of several, a record
};
HypotheticalRow placeHypotheticalRow(Coercion& coercion, std::span<SortKey> keys, std::span<ExpressionPtr> asked,
                                     const std::function<ExpressionPtr(ExpressionPtr)>& direct);

/// What the aggregate says, in terms of numbers of rows: `count` adds one, of values that are not NULL.
using CountRows = std::function<ExpressionPtr(ExpressionPtr counted, bool is_distinct)>;
ExpressionPtr hypotheticalResult(std::string_view name, const HypotheticalRow& row, const CountRows& count);

}  // namespace gnomon::sql
