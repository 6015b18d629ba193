#include "sql/optimise/column_pruning.h"

#include <ranges>
#include <unordered_map>

#include "sql/algebra/change_operators.h"
#include "sql/algebra/function_scan.h"
#include "sql/algebra/rewrite.h"
#include "sql/algebra/set_operators.h"
#include "sql/algebra/virtual_scan.h"
#include "sql/algebra/window.h"

namespace gnomon::sql {
namespace {

using Kind = Operator::Kind;

/// Adds what the operator itself reads.
void addReads(Operator& op, UnitSet& needed) {
  std::vector<Iu> read;
  forEachExpression(op, [&](ExpressionPtr& expression) { expression->collectUnits(read); });
  needed.insert(read.begin(), read.end());
  forEachNamedUnit(op, [&](Iu& unit) { needed.insert(unit); });
}

void prune(OperatorPtr& op, UnitSet needed);

void pruneInputs(Operator& op, const UnitSet& needed) {
  for (OperatorPtr& input : op.inputs) prune(input, needed);
}

void pruneMap(OperatorPtr& op, UnitSet needed) {
  auto& computed = static_cast<Map&>(*op).computed;
  std::erase_if(computed, [&](const Map::Computed& column) {
    return !needed.contains(column.iu) && !column.expression->isVolatile();
  });
  if (computed.empty()) {
    OperatorPtr input = std::move(op->inputs[0]);
    op = std::move(input);
    return prune(op, std::move(needed));
  }
  addReads(*op, needed);
  pruneInputs(*op, needed);
}

void pruneWindow(OperatorPtr& op, UnitSet needed) {
  auto& functions = static_cast<Window&>(*op).functions;
  std::erase_if(functions, [&](const Window::Function& function) { return !needed.contains(function.iu); });
  if (functions.empty()) {
    OperatorPtr input = std::move(op->inputs[0]);
    op = std::move(input);
    return prune(op, std::move(needed));
  }
  addReads(*op, needed);
  pruneInputs(*op, needed);
}

void pruneJoin(Join& join, UnitSet needed) {
  for (auto* extended : {&join.null_extended, &join.left_extended}) {
    std::erase_if(*extended, [&](const auto& units) { return !needed.contains(units.second); });
    for (const auto& [below, above] : *extended) needed.insert(below);
  }
  addReads(join, needed);
  if (join.is_dependent) needed.merge(freeUnits(*join.inputs[1]));
  pruneInputs(join, needed);
}

void pruneAggregation(OperatorPtr& op, const UnitSet& needed) {
  auto& aggregation = static_cast<Aggregation&>(*op);
  std::erase_if(aggregation.aggregates,
                [&](const Aggregation::Aggregate& aggregate) { return !needed.contains(aggregate.iu); });
  if (aggregation.keys.empty() && aggregation.aggregates.empty()) {
    auto values = std::make_unique<Values>();
    values->estimated_rows = 1;
    values->rows.emplace_back();
    op = std::move(values);
    return;
  }
  UnitSet below;
  addReads(*op, below);
  pruneInputs(*op, below);
}

/// Takes away the columns that nobody needs, with what computes them.
void pruneUnion(Union& node, const UnitSet& needed) {
  for (size_t column = node.columns.size(); column-- > 0;) {
    if (needed.contains(node.columns[column])) continue;
    node.columns.erase(node.columns.begin() + static_cast<std::ptrdiff_t>(column));
    for (auto& values : node.values) values.erase(values.begin() + static_cast<std::ptrdiff_t>(column));
  }
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    UnitSet below;
    std::vector<Iu> read;
    for (const ExpressionPtr& value : node.values[i]) value->collectUnits(read);
    below.insert(read.begin(), read.end());
    prune(node.inputs[i], std::move(below));
  }
}

template <typename Scan>
void pruneScan(Scan& scan, const UnitSet& needed) {
  std::erase_if(scan.columns, [&](const auto& column) { return !needed.contains(column.iu); });
}

void prune(OperatorPtr& op, UnitSet needed) {
  switch (op->kind) {
    case Kind::TableScan: {
      addReads(*op, needed);
      return pruneScan(static_cast<TableScan&>(*op), needed);
    }
    case Kind::VirtualScan:
      return pruneScan(static_cast<VirtualScan&>(*op), needed);
    case Kind::SharedScan:
      return pruneScan(static_cast<SharedScan&>(*op), needed);
    case Kind::WorkingScan:
      return pruneScan(static_cast<WorkingScan&>(*op), needed);
    case Kind::Union:
      return pruneUnion(static_cast<Union&>(*op), needed);
    case Kind::FunctionScan: {
      auto& scan = static_cast<FunctionScan&>(*op);
      if (!needed.contains(scan.ordinality)) scan.ordinality = nullptr;
      return;
    }
    case Kind::ProjectSet: {
      auto& project = static_cast<ProjectSet&>(*op);
      if (!needed.contains(project.ordinality)) project.ordinality = nullptr;
      addReads(*op, needed);
      return pruneInputs(*op, needed);
    }
    case Kind::Map:
      return pruneMap(op, std::move(needed));
    case Kind::Window:
      return pruneWindow(op, std::move(needed));
    case Kind::Join:
      return pruneJoin(static_cast<Join&>(*op), std::move(needed));
    case Kind::Aggregation:
      return pruneAggregation(op, needed);
    case Kind::Output:
      needed.clear();
      addReads(*op, needed);
      return pruneInputs(*op, needed);
    default:
      addReads(*op, needed);
      return pruneInputs(*op, needed);
  }
}

}  // namespace

namespace {

/// The plan keeps the columns that one of its scans needs, under new numbers.
void pruneShared(SharedPlan& shared, const std::vector<SharedScan*>& scans) {
  auto& columns = static_cast<Output&>(*shared.root).columns;
  std::vector<bool> is_needed(columns.size());
  for (const SharedScan* scan : scans)
    for (const SharedScan::Column& column : scan->columns) is_needed[column.index] = true;
  std::vector<size_t> numbers(columns.size());
  std::vector<Output::Column> kept;
  for (size_t i = 0; i < columns.size(); ++i) {
    numbers[i] = kept.size();
    if (is_needed[i]) kept.push_back(std::move(columns[i]));
  }
  columns = std::move(kept);
  for (SharedScan* scan : scans)
    for (SharedScan::Column& column : scan->columns) column.index = numbers[column.index];
  prune(shared.root, {});
}

}  // namespace

void pruneColumns(Plan& plan) {
  std::unordered_map<const SharedPlan*, std::vector<SharedScan*>> scans;
  const auto collect = [&](OperatorPtr& root) {
    forEachOperator(root, [&](OperatorPtr& op) {
      if (op->kind != Kind::SharedScan) return;
      auto& scan = static_cast<SharedScan&>(*op);
      scans[scan.source].push_back(&scan);
    });
  };
  prune(plan.root, {});
  collect(plan.root);
  // Who scans a shared plan stands behind it.
  for (SharedPlan& shared : plan.shared | std::views::reverse) {
    if (!shared.root) continue;
    pruneShared(shared, scans[&shared]);
    collect(shared.root);
  }
}

}  // namespace gnomon::sql
