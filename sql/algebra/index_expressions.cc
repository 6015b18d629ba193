#include "sql/algebra/index_expressions.h"

#include <algorithm>

namespace gnomon::sql {

std::vector<uint32_t> columnNumbers(const std::vector<Iu>& units) {
  std::vector<uint32_t> columns;
  for (const Iu unit : units) columns.push_back(unit->id);
  std::ranges::sort(columns);
  const auto repeated = std::ranges::unique(columns);
  columns.erase(repeated.begin(), repeated.end());
  return columns;
}

std::vector<uint32_t> mentionedColumns(const IndexExpressions& expressions) {
  std::vector<Iu> units;
  for (const auto* list : {&expressions.parts, &expressions.predicate})
    for (const ExpressionPtr& expression : *list) expression->collectUnits(units);
  return columnNumbers(units);
}

}  // namespace gnomon::sql
