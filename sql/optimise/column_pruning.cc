#include "sql/optimise/column_pruning.h"

#include "sql/algebra/rewrite.h"

namespace gnomon::sql {
namespace {

using Kind = Operator::Kind;

/// Adds what the operator itself reads.
void addReads(Operator& op, UnitSet& needed) {
  std::vector<Iu> read;
  forEachExpression(op, [&](ExpressionPtr& expression) { expression->collectUnits(read); });
  needed.insert(read.begin(), read.end());
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

void pruneJoin(Join& join, UnitSet needed) {
  std::erase_if(join.null_extended, [&](const auto& units) { return !needed.contains(units.second); });
  for (const auto& [below, above] : join.null_extended) needed.insert(below);
  addReads(join, needed);
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

void prune(OperatorPtr& op, UnitSet needed) {
  switch (op->kind) {
    case Kind::TableScan: {
      addReads(*op, needed);
      std::erase_if(static_cast<TableScan&>(*op).columns,
                    [&](const TableScan::Column& column) { return !needed.contains(column.iu); });
      return;
    }
    case Kind::VirtualScan:
      std::erase_if(static_cast<VirtualScan&>(*op).columns,
                    [&](const VirtualScan::Column& column) { return !needed.contains(column.iu); });
      return;
    case Kind::FunctionScan: {
      auto& scan = static_cast<FunctionScan&>(*op);
      if (!needed.contains(scan.ordinality)) scan.ordinality = nullptr;
      return;
    }
    case Kind::Map:
      return pruneMap(op, std::move(needed));
    case Kind::Join:
      return pruneJoin(static_cast<Join&>(*op), std::move(needed));
    case Kind::Aggregation:
      return pruneAggregation(op, needed);
    case Kind::Update:
      addReads(*op, needed);
      needed.insert(static_cast<Update&>(*op).tuple_id);
      return pruneInputs(*op, needed);
    case Kind::Delete:
      needed.insert(static_cast<Delete&>(*op).tuple_id);
      return pruneInputs(*op, needed);
    case Kind::Output: {
      UnitSet read;
      for (const Output::Column& column : static_cast<Output&>(*op).columns) read.insert(column.iu);
      for (const Output::RowLock& lock : static_cast<Output&>(*op).locks) read.insert(lock.tuple_id);
      return pruneInputs(*op, read);
    }
    default:
      addReads(*op, needed);
      return pruneInputs(*op, needed);
  }
}

}  // namespace

void pruneColumns(Plan& plan) {
  prune(plan.root, {});
}

}  // namespace gnomon::sql
