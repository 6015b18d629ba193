#include "sql/optimise/index_shape.h"

#include <algorithm>

#include "sql/algebra/index_expressions.h"
#include "sql/algebra/rewrite.h"
#include "sql/optimise/implication.h"
#include "sql/optimise/simplify.h"

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

ExpressionPtr columnExpression(const TableScan& scan, uint32_t column) {
  const auto found = std::ranges::find(scan.columns, column, &TableScan::Column::index);
  return found == scan.columns.end() ? nullptr : Expression::column(found->iu);
}

/// Puts the index's expressions in terms of the scan.
class Translation {
 public:
  Translation(const IndexExpressions& expressions, const TableScan& scan) {
    columns_.reserve(expressions.units.size());
    for (const InformationUnit& unit : expressions.units) {
      ExpressionPtr column = columnExpression(scan, unit.id);
      if (column == nullptr) continue;
      substitution_.add(&unit, *column);
      known_.insert(&unit);
      columns_.push_back(std::move(column));
    }
  }
  /// Null: not all of its columns are read.
  [[nodiscard]] ExpressionPtr apply(const Expression& expression) const {
    if (!readsOnly(expression, known_)) return nullptr;
    ExpressionPtr result = expression.clone();
    substitution_.apply(result);
    return simplifyExpression(std::move(result));
  }

 private:
  std::vector<ExpressionPtr> columns_;
  Substitution substitution_;
  UnitSet known_;
};

/// False: the filters may let a row pass that is not in the index.
bool addExpressions(IndexShape& shape, const TableScan& scan) {
  const IndexExpressions& expressions = *shape.index->expressions;
  const Translation translation(expressions, scan);
  for (const ExpressionPtr& condition : expressions.predicate) {
    ExpressionPtr claim = translation.apply(*condition);
    if (claim == nullptr || !implies(scan.filters, *claim)) return false;
    shape.predicate.push_back(std::move(claim));
  }
  for (const ExpressionPtr& part : expressions.parts) shape.parts.push_back(translation.apply(*part));
  return true;
}

/// The expression under a cast to a wider integer type, or the expression itself.
const Expression* withoutWidening(const Expression& expression) {
  if (expression.kind != Kind::Cast || !expression.type.isInteger()) return &expression;
  const Expression& input = *expression.children[0];
  return input.type.isInteger() && input.type.kind < expression.type.kind ? &input : &expression;
}

}  // namespace

bool IndexShape::isPart(size_t part, const Expression& expression) const {
  return parts[part] != nullptr && withoutWidening(*parts[part])->equals(*withoutWidening(expression));
}

namespace {

std::vector<IndexShape> shapesOf(const TableScan& scan, const TableStatistics& statistics, bool are_inverted) {
  std::vector<IndexShape> shapes;
  for (const IndexPtr& index : scan.table->indexes) {
    if (!index->is_valid || (index->method == IndexMethod::Gin) != are_inverted) continue;
    if (!statistics.isUsable(*index)) continue;
    IndexShape shape{index, {}, {}};
    if (index->expressions) {
      if (!addExpressions(shape, scan)) continue;
    } else {
      for (const IndexColumn& part : index->columns) shape.parts.push_back(columnExpression(scan, part.column));
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

}  // namespace

std::vector<IndexShape> usableIndexes(const TableScan& scan, const TableStatistics& statistics) {
  return shapesOf(scan, statistics, false);
}

std::vector<IndexShape> usableInvertedIndexes(const TableScan& scan, const TableStatistics& statistics) {
  return shapesOf(scan, statistics, true);
}

IndexShape partitionShape(const TableScan& scan, const PartitionKey& key) {
  auto index = std::make_shared<IndexEntry>();
  index->columns = key.parts;
  index->expressions = key.expressions;
  IndexShape shape{index, {}, {}};
  if (index->expressions)
    addExpressions(shape, scan);
  else
    for (const IndexColumn& part : key.parts) shape.parts.push_back(columnExpression(scan, part.column));
  return shape;
}

}  // namespace gnomon::sql
