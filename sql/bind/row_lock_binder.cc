#include "sql/bind/row_lock_binder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/full_join_pairs.h"

namespace gnomon::sql {

namespace {

struct FoundScan {
  TableScan* scan;
  bool is_nullable;  ///< below the nullable side of an outer join
};

/// What makes the rows of one side of a FULL JOIN (sql/bind/full_join_pairs.h); null: the operator is something else.
Operator* pairedRows(const Operator& op) {
  if (op.kind != Operator::Kind::SharedScan) return nullptr;
  const SharedPlan& source = *static_cast<const SharedScan&>(op).source;
  return source.name == kPairedRows ? source.root->inputs[0]->inputs[0].get() : nullptr;  // below the numbers
}

/// The scans of tables in the tree whose rows are part of its own.
void collectScans(Operator& op, bool is_nullable, std::vector<FoundScan>& scans) {
  switch (op.kind) {
    case Operator::Kind::TableScan:
      return scans.push_back({&static_cast<TableScan&>(op), is_nullable});
    case Operator::Kind::Join: {
      const auto& join = static_cast<const Join&>(op);
      const bool is_full = join.join_kind == Join::JoinKind::FullOuter;
      collectScans(*op.inputs[0], is_nullable || is_full, scans);
      const bool is_row = join.join_kind == Join::JoinKind::Inner || join.join_kind == Join::JoinKind::LeftOuter;
      if (is_row || is_full) collectScans(*op.inputs[1], is_nullable || join.extendsWithNulls(), scans);
      return;
    }
    case Operator::Kind::Selection:
    case Operator::Kind::Map:
    case Operator::Kind::Sort:
    case Operator::Kind::Limit:
    case Operator::Kind::Window:
    case Operator::Kind::ProjectSet:
      return collectScans(*op.inputs[0], is_nullable, scans);
    case Operator::Kind::SharedScan:
      if (Operator* const rows = pairedRows(op)) collectScans(*rows, is_nullable, scans);
      return;
    case Operator::Kind::Aggregation:
    case Operator::Kind::Union:
      throwNotSupported("FOR UPDATE/SHARE of a derived table with groups or set operations");
    default:
      return;
  }
}

/// The part of the tree that makes the rows of an item of FROM; null: it is not found.
struct FoundItem {
  Operator* rows = nullptr;
  bool is_nullable = false;
};

FoundItem findItem(Operator& op, const Range& range, Iu unit, bool is_nullable) {
  if (&op == range.rows) return {&op, is_nullable};
  switch (op.kind) {
    case Operator::Kind::Join: {
      const auto& join = static_cast<const Join&>(op);
      const auto below = [unit](const std::vector<std::pair<Iu, Iu>>& extended) {
        const auto found = std::ranges::find(extended, unit, &std::pair<Iu, Iu>::second);
        return found == extended.end() ? unit : found->first;
      };
      const bool is_full = join.join_kind == Join::JoinKind::FullOuter;
      const FoundItem left = findItem(*op.inputs[0], range, below(join.left_extended), is_nullable || is_full);
      if (left.rows) return left;
      return findItem(*op.inputs[1], range, below(join.null_extended), is_nullable || join.extendsWithNulls());
    }
    case Operator::Kind::Selection:
    case Operator::Kind::Map:
      return findItem(*op.inputs[0], range, unit, is_nullable);
    case Operator::Kind::SharedScan:
      if (Operator* const rows = range.rows ? pairedRows(op) : nullptr)
        return findItem(*rows, range, unit, is_nullable);
      break;
    default:
      break;
  }
  const std::vector<Iu> units = op.units();
  const bool is_it = range.rows == nullptr && std::ranges::find(units, unit) != units.end();
  return {is_it ? &op : nullptr, is_nullable};
}

void refuse(const ast::Query& query, const char* name) {
  const auto refused = [name](const char* what) {
    throw SqlError(sqlstate::kFeatureNotSupported, fmt::format("{} is not allowed with {}", name, what));
  };
  if (query.is_distinct || !query.distinct_on.empty()) refused("DISTINCT clause");
  if (!query.group_by.empty()) refused("GROUP BY clause");
  if (query.having) refused("HAVING clause");
}

}  // namespace

const char* rowLockName(ast::RowLock::Strength strength) {
  static constexpr const char* kNames[] = {"FOR KEY SHARE", "FOR SHARE", "FOR NO KEY UPDATE", "FOR UPDATE"};
  return kNames[static_cast<size_t>(strength)];
}

std::vector<Output::RowLock> bindRowLocks(BindState& state, const ast::Query& query, Operator& from,
                                          const Scope& scope) {
  std::vector<Output::RowLock> locks;
  const auto lockScan = [&](const FoundScan& found, const ast::RowLock& clause) {
    if (found.scan->table->materialized)
      throw SqlError(sqlstate::kWrongObjectType,
                     fmt::format("cannot lock rows in materialized view \"{}\"", found.scan->table->name));
    if (found.is_nullable)
      throw SqlError(
          sqlstate::kFeatureNotSupported,
          fmt::format("{} cannot be applied to the nullable side of an outer join", rowLockName(clause.strength)));
    state.access.add(found.scan->table, Privilege::Update);
    const bool is_shared =
        clause.strength == ast::RowLock::Strength::KeyShare || clause.strength == ast::RowLock::Strength::Share;
    for (Output::RowLock& known : locks) {
      if (known.scan != found.scan) continue;
      known.is_shared = known.is_shared && is_shared;
      known.policy = std::max(known.policy, clause.policy);
      return;
    }
    Iu unit = state.plan->makeUnit("ctid", Type::of(TypeKind::Bigint), false);
    found.scan->columns.push_back({TableScan::kTupleId, unit});
    locks.push_back({found.scan->table, unit, is_shared, clause.policy, found.scan});
  };
  const auto lockRange = [&](const Range& range, const ast::RowLock& clause) {
    const Iu unit = range.columns.empty() ? nullptr : range.columns[0].iu;
    if (!unit && !range.rows) return;
    const FoundItem item = findItem(from, range, unit, false);
    std::vector<FoundScan> scans;
    if (item.rows) collectScans(*item.rows, item.is_nullable, scans);
    for (const FoundScan& scan : scans) lockScan(scan, clause);
    if (scans.empty() && !clause.tables.empty() && !range.rows &&
        (!item.rows || item.rows->kind != Operator::Kind::VirtualScan))
      throwNotSupported(fmt::format("{} of this item of FROM", rowLockName(clause.strength)));
  };
  for (const ast::RowLock& clause : query.locks) {
    refuse(query, rowLockName(clause.strength));
    if (clause.tables.empty())
      for (const Range& range : scope.ranges) lockRange(range, clause);
    for (const ast::ColumnName& table : clause.tables) {
      const auto named = std::ranges::find(scope.ranges, table.name, &Range::alias);
      if (named == scope.ranges.end())
        throw SqlError(sqlstate::kUndefinedTable, fmt::format("relation \"{}\" in {} clause not found in FROM clause",
                                                              table.name, rowLockName(clause.strength)))
            .position(table.position);
      lockRange(*named, clause);
    }
  }
  return locks;
}

}  // namespace gnomon::sql
