#include "sql/algebra/operator.h"

namespace gnomon::sql {
namespace {

void append(std::vector<Iu>& units, const std::vector<Iu>& more) {
  units.insert(units.end(), more.begin(), more.end());
}

}  // namespace

std::vector<Iu> TableScan::units() const {
  std::vector<Iu> result;
  result.reserve(columns.size());
  for (const Column& column : columns) result.push_back(column.iu);
  return result;
}

std::vector<Iu> VirtualScan::units() const {
  std::vector<Iu> result;
  result.reserve(columns.size());
  for (const Column& column : columns) result.push_back(column.iu);
  return result;
}

std::vector<Iu> FunctionScan::units() const {
  std::vector<Iu> result;
  for (const Call& call : calls) result.push_back(call.iu);
  if (ordinality) result.push_back(ordinality);
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
  std::vector<Iu> result = inputs[0]->units();
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
  std::vector<Iu> result;
  result.reserve(columns.size());
  for (const Column& column : columns) result.push_back(column.iu);
  return result;
}

}  // namespace gnomon::sql
