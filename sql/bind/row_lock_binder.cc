#include "sql/bind/row_lock_binder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"

namespace gnomon::sql {

namespace {

struct FoundScan {
  TableScan* scan = nullptr;
  bool is_stored = true;     ///< false: a system view
  bool is_nullable = false;  ///< below the nullable side of an outer join
};

/// The scan below joins alone that makes a unit.
FoundScan findScan(Operator& op, Iu unit, bool is_nullable) {
  switch (op.kind) {
    case Operator::Kind::TableScan: {
      auto& scan = static_cast<TableScan&>(op);
      const bool is_it = std::ranges::find(scan.columns, unit, &TableScan::Column::iu) != scan.columns.end();
      return {is_it ? &scan : nullptr, true, is_nullable};
    }
    case Operator::Kind::FunctionScan:
    case Operator::Kind::VirtualScan: {
      const std::vector<Iu> units = op.units();
      return {nullptr, std::ranges::find(units, unit) == units.end(), is_nullable};
    }
    case Operator::Kind::Join: {
      const auto& join = static_cast<const Join&>(op);
      const auto below = [unit](const std::vector<std::pair<Iu, Iu>>& extended) {
        const auto found = std::ranges::find(extended, unit, &std::pair<Iu, Iu>::second);
        return found == extended.end() ? unit : found->first;
      };
      const bool is_full = join.join_kind == Join::JoinKind::FullOuter;
      const FoundScan left = findScan(*op.inputs[0], below(join.left_extended), is_nullable || is_full);
      if (left.scan || !left.is_stored) return left;
      return findScan(*op.inputs[1], below(join.null_extended), is_nullable || join.extendsWithNulls());
    }
    case Operator::Kind::Selection:
      return findScan(*op.inputs[0], unit, is_nullable);
    default:
      return {};
  }
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
  const auto lockRange = [&](const Range& range, const ast::RowLock& clause) {
    const FoundScan found = range.columns.empty() ? FoundScan{} : findScan(from, range.columns[0].iu, false);
    if (!found.is_stored) return;
    if (!found.scan) throwNotSupported(fmt::format("{} of a derived table", rowLockName(clause.strength)));
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
