#include "sql/algebra/operator.h"

#include <algorithm>

#include "sql/algebra/change_operators.h"
#include "sql/algebra/function_scan.h"
#include "sql/algebra/set_operators.h"
#include "sql/algebra/virtual_scan.h"
#include "sql/algebra/window.h"

namespace gnomon::sql {
namespace {

void append(std::vector<Iu>& units, const std::vector<Iu>& more) {
  units.insert(units.end(), more.begin(), more.end());
}

template <typename Column>
std::vector<Iu> unitsOf(const std::vector<Column>& columns) {
  std::vector<Iu> result;
  result.reserve(columns.size());
  for (const Column& column : columns) result.push_back(column.iu);
  return result;
}

}  // namespace

std::vector<Iu> TableScan::units() const {
  return unitsOf(columns);
}

std::vector<Iu> VirtualScan::units() const {
  return unitsOf(columns);
}

std::vector<Iu> SharedScan::units() const {
  return unitsOf(columns);
}

std::vector<Iu> WorkingScan::units() const {
  return unitsOf(columns);
}

namespace {

bool readsWorkingRows(const Operator& op, std::vector<const Operator*>& own) {
  if (op.kind == Operator::Kind::WorkingScan)
    return std::ranges::find(own, static_cast<const WorkingScan&>(op).recursion) == own.end();
  if (op.kind == Operator::Kind::Recursion) own.push_back(&op);
  return std::ranges::any_of(op.inputs, [&](const OperatorPtr& input) { return readsWorkingRows(*input, own); });
}

}  // namespace

bool readsWorkingRows(const Operator& root) {
  std::vector<const Operator*> own;
  return readsWorkingRows(root, own);
}

std::vector<Iu> FunctionScan::units() const {
  std::vector<Iu> result;
  for (const Call& call : calls) result.push_back(call.iu);
  if (ordinality) result.push_back(ordinality);
  return result;
}

std::vector<Iu> ProjectSet::units() const {
  std::vector<Iu> result = inputs[0]->units();
  for (const SetCall& call : calls) result.push_back(call.iu);
  if (ordinality) result.push_back(ordinality);
  return result;
}

std::vector<Iu> Window::units() const {
  std::vector<Iu> result = inputs[0]->units();
  append(result, unitsOf(functions));
  return result;
}

std::vector<Iu> Selection::units() const {
  return inputs[0]->units();
}

std::vector<Iu> Map::units() const {
  std::vector<Iu> result = inputs[0]->units();
  for (const Computed& column : computed) result.push_back(column.iu);
  return result;
}

std::vector<Iu> Join::units() const {
  std::vector<Iu> result;
  if (join_kind != JoinKind::FullOuter) result = inputs[0]->units();
  for (const auto& [below, above] : left_extended) result.push_back(above);
  if (join_kind == JoinKind::Inner) append(result, inputs[1]->units());
  for (const auto& [below, above] : null_extended) result.push_back(above);
  if (mark) result.push_back(mark);
  return result;
}

std::vector<Iu> Aggregation::units() const {
  std::vector<Iu> result;
  result.reserve(keys.size() + aggregates.size());
  for (const Key& key : keys) result.push_back(key.iu);
  for (const Aggregate& aggregate : aggregates) result.push_back(aggregate.iu);
  return result;
}

std::vector<Iu> Sort::units() const {
  return inputs[0]->units();
}

std::vector<Iu> Limit::units() const {
  return inputs[0]->units();
}

std::vector<Iu> Values::units() const {
  return columns;
}

std::vector<Iu> Output::units() const {
  return unitsOf(columns);
}

}  // namespace gnomon::sql
