#include "sql/algebra/index_expressions.h"

#include <algorithm>
#include <cstddef>

#include "sql/algebra/rewrite.h"

namespace gnomon::sql {
namespace {

/// `renaming`: from the units of the one to those of the other.
bool areAlike(const std::vector<ExpressionPtr>& one, const std::vector<ExpressionPtr>& other,
              const UnitRenaming& renaming) {
  return std::ranges::equal(one, other, [&](const ExpressionPtr& left, const ExpressionPtr& right) {
    const ExpressionPtr renamed = left->clone();
    renameUnits(*renamed, renaming);
    return renamed->type.isSameAs(right->type) && renamed->equals(*right);
  });
}

}  // namespace

bool computeAlike(const IndexExpressions& one, const IndexExpressions& two) {
  if (one.units.size() != two.units.size()) return false;
  UnitRenaming renaming;
  for (size_t i = 0; i < one.units.size(); ++i) renaming[&one.units[i]] = &two.units[i];
  return areAlike(one.parts, two.parts, renaming) && areAlike(one.predicate, two.predicate, renaming);
}

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
