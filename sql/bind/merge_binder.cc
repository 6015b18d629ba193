#include "sql/bind/merge_binder.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "base/sql_error.h"
#include "sql/bind/assignment_binder.h"
#include "sql/bind/check_definition.h"
#include "sql/bind/column_default.h"
#include "sql/bind/common_tables.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/generated_column.h"
#include "sql/bind/key_work_binder.h"
#include "sql/bind/part_assignment.h"
#include "sql/bind/partition_path.h"
#include "sql/bind/target_columns.h"
#include "sql/bind/trigger_work_binder.h"

namespace gnomon::sql {
namespace {

using What = ast::MergeAction::What;

void refuseUnreachable(const ast::Merge& merge) {
  bool is_terminal[2] = {};
  for (const ast::MergeAction& action : merge.actions) {
    bool& terminal = is_terminal[action.is_matched ? 1 : 0];
    if (terminal)
      throw SqlError(sqlstate::kSyntaxError, "unreachable WHEN clause specified after unconditional WHEN clause");
    terminal = !action.condition;
  }
}

/// Failure: 42712 when the source has the target's name.
void requireOtherName(const Scope& source, const Scope& target) {
  const std::string& name = target.ranges.front().alias;
  if (std::ranges::find(source.ranges, name, &Range::alias) == source.ranges.end()) return;
  throw SqlError(sqlstate::kDuplicateAlias, fmt::format("name \"{}\" specified more than once", name))
      .detail("The name is used both as MERGE target table and data source.");
}

}  // namespace

void MergeBinder::bindRows(const ast::Merge& merge) {
  FromBinder::Result target = FromBinder(state_).bindTable(merge.relation, merge.alias, TableUse::Merge);
  auto& scan = static_cast<TableScan&>(*target.tree);
  table_ = scan.table;
  called_ = FromBinder(state_).calledTable(merge.relation, *table_);
  FromBinder(state_).noteTarget(merge.relation);
  state_.written.push_back(table_);
  state_.access.add(table_, Privilege::None);
  tuple_id_ = state_.plan->makeUnit("ctid", Type::of(TypeKind::Bigint), false);
  for (const TableScan::Column& column : scan.columns) old_row_.push_back(column.iu);
  scan.columns.push_back({TableScan::kTupleId, tuple_id_});
  if (table_->partitioning || table_->partition) ancestors_ = bindPartitionPath(state_, *table_);
  if (table_->partitioning && merge.relation.is_only) target.tree = withoutRows(std::move(target.tree));
  FromBinder::Result source = FromBinder(state_).bindOne(*merge.source);
  requireOtherName(source.scope, target.scope);
  source_ = source.scope;
  both_ = std::move(target.scope);
  both_.append(std::move(source.scope));
  auto join = std::make_unique<Join>();
  SubqueryJoins subqueries;
  const Clause clause{.name = "JOIN conditions", .subqueries = &subqueries};
  join->conditions.push_back(ExpressionBinder(state_, both_, clause).bindCondition(*merge.condition, "JOIN/ON"));
  join->inputs.push_back(std::move(source.tree));
  join->inputs.push_back(std::move(target.tree));
  const bool wants_unmatched =
      std::ranges::any_of(merge.actions, [](const ast::MergeAction& action) { return !action.is_matched; });
  if (wants_unmatched) join->join_kind = Join::JoinKind::LeftOuter;
  Join& placed = *join;
  tree_ = placeSubqueries(std::move(join), subqueries);
  if (wants_unmatched) extendTarget(placed);
}

void MergeBinder::extendTarget(Join& join) {
  std::unordered_map<Iu, Iu> replacements;
  for (const Iu below : join.inputs[1]->units()) {
    const Iu above = state_.plan->makeUnit(below->name, below->type, true);
    state_.inherit(above, below);
    join.null_extended.emplace_back(below, above);
    replacements[below] = above;
  }
  both_.replace(replacements);
  for (Iu& unit : old_row_) unit = replacements.at(unit);
  tuple_id_ = replacements.at(tuple_id_);
}

void MergeBinder::bindUpdate(const ast::MergeAction& node, Merge::Action& action) {
  ExpressionBinder binder(state_, both_, {.name = "UPDATE", .subqueries = &subqueries_});
  Assignments assignments =
      bindAssignments(state_, shape(), binder, node.assignments, [this](uint32_t column) { return old_row_[column]; });
  action.columns = std::move(assignments.columns);
  action.row = std::move(assignments.values);
  for (size_t i = 0; i < action.row.size(); ++i)
    if (!action.row[i]) action.row[i] = Expression::column(old_row_[i]);
  addGenerated(state_, *table_, action.columns, action.row);
  action.checks = updateChecks(state_, *table_, action.columns);
  if (!mayMove(*table_, ancestors_, action.columns)) return;
  // The whole row is noted: it says where the row belongs.
  action.moving_columns = std::move(action.columns);
  action.columns.resize(action.row.size());
  std::iota(action.columns.begin(), action.columns.end(), 0);
}

void MergeBinder::bindInsert(const ast::MergeAction& node, Merge::Action& action) {
  action.row.resize(table_->columns.size());
  if (!node.values.empty()) bindValues(node, resolveTargetColumns(shape(), node.columns, node.parts), action.row);
  for (size_t i = 0; i < action.row.size(); ++i)
    if (!action.row[i]) action.row[i] = bindColumnDefault(state_, table_->columns[i]);
  std::vector<uint32_t> all(action.row.size());
  std::iota(all.begin(), all.end(), 0);
  addGenerated(state_, *table_, all, action.row);
  action.checks = insertChecks(state_, *table_);
}

void MergeBinder::bindValues(const ast::MergeAction& node, const std::vector<uint32_t>& targets,
                             std::vector<ExpressionPtr>& row) {
  if (node.values.size() > targets.size())
    throw SqlError(sqlstate::kSyntaxError, "INSERT has more expressions than target columns")
        .position(node.values[targets.size()]->position);
  if (!node.columns.empty() && node.values.size() < targets.size())
    throw SqlError(sqlstate::kSyntaxError, "INSERT has more target columns than expressions")
        .position(node.columns[node.values.size()].position);
  ExpressionBinder binder(state_, source_, {.name = "VALUES", .subqueries = &subqueries_});
  std::vector<bool> has_parts(row.size());
  for (size_t i = 0; i < node.values.size(); ++i) {
    const ColumnEntry& column = table_->columns[targets[i]];
    const bool is_default = node.values[i]->kind == ast::Expression::Kind::Default;
    const bool is_part = !node.parts.empty() && !node.parts[i].empty();
    if (is_part && is_default) refuseDefault(node.parts[i], node.columns[i].position);
    if (is_part) {
      static_cast<void>(takesDefault(column, false, node.overriding));
      ExpressionPtr& before = row[targets[i]];
      if (!before) before = Expression::constant(Value::null(column.type));
      before = PartAssignment(binder, node.parts[i], node.columns[i])
                   .bind(std::move(before), binder.bind(*node.values[i]), column.domain);
      has_parts[targets[i]] = true;
      continue;
    }
    if (takesDefault(column, is_default, node.overriding) || is_default) continue;
    ExpressionPtr value = binder.coercion().assign(binder.bind(*node.values[i]), column.type, column.name);
    row[targets[i]] = binder.coercion().toDomain(std::move(value), column.domain);
  }
  for (size_t i = 0; i < row.size(); ++i)
    if (has_parts[i]) row[i] = binder.coercion().toDomain(std::move(row[i]), table_->columns[i].domain);
}

Merge::Action MergeBinder::bindAction(const ast::MergeAction& node, SubqueryGuard& guard) {
  using Kind = Expression::Kind;
  Merge::Action action;
  guard.begin();
  action.is_matched = node.is_matched;
  action.what = static_cast<Merge::Action::What>(node.what);
  if (node.condition) {
    const Clause clause{.name = "MERGE WHEN conditions", .subqueries = &subqueries_};
    action.condition =
        ExpressionBinder(state_, node.is_matched ? both_ : source_, clause).bindCondition(*node.condition, "WHEN");
  }
  guard.end();
  guard.add(Kind::IsTrue, action.condition ? *action.condition : *booleanConstant(true));
  guard.begin();
  if (node.what == What::Update) bindUpdate(node, action);
  if (node.what == What::Insert) bindInsert(node, action);
  guard.end();
  guard.replaceLast(Kind::IsNotTrue);
  return action;
}

/// What the action needs to be allowed.
void MergeBinder::noteAccess(const ast::MergeAction& action) {
  if (action.what == What::Nothing) state_.access.add(table_, Privilege::Select);
  const bool is_default = action.values.empty();
  if (action.what == What::Insert && is_default) state_.access.add(table_, Privilege::Insert);
  if (action.what == What::Insert && !is_default)
    state_.access.add(table_, Privilege::Insert, resolveTargetColumns(shape(), action.columns, action.parts));
  if (action.what == What::Delete) state_.access.add(table_, Privilege::Delete);
  if (action.what != What::Update) return;
  std::vector<uint32_t> columns;
  for (uint32_t i = 0; i < table_->columns.size(); ++i)
    if (std::ranges::any_of(action.assignments,
                            [&](const ast::Assignment& each) { return each.column.name == shape().columns[i].name; }))
      columns.push_back(i);
  state_.access.add(table_, Privilege::Update, columns);
}

/// Rows that concern triggers are noted whole.
void MergeBinder::bindTriggers(Merge& merge, const RowChanges& changes) {
  std::vector<TriggerWork::Change> events;
  const auto hasAction = [&](Merge::Action::What what) {
    return std::ranges::find(merge.actions, what, &Merge::Action::what) != merge.actions.end();
  };
  if (hasAction(Merge::Action::What::Insert)) events.push_back({TriggerEvent::Insert, {}});
  if (hasAction(Merge::Action::What::Update)) events.push_back({TriggerEvent::Update, changes.updated});
  if (hasAction(Merge::Action::What::Delete)) events.push_back({TriggerEvent::Delete, {}});
  RowChecks checks{statementChecks(state_, *table_), {}};
  merge.triggers = bindTriggerWork(table_, std::move(events), checks);
  if (!merge.triggers || !merge.triggers->has_rows) return;
  for (Merge::Action& action : merge.actions) {
    if (action.what != Merge::Action::What::Update || !action.moving_columns.empty()) continue;
    action.moving_columns = std::move(action.columns);
    action.columns.resize(action.row.size());
    std::iota(action.columns.begin(), action.columns.end(), 0);
  }
}

OperatorPtr MergeBinder::bind(const ast::Merge& merge) {
  const CommonTables common_tables(state_, merge.with);
  refuseUnreachable(merge);
  bindRows(merge);
  auto result = std::make_unique<Merge>();
  result->table = table_;
  result->tuple_id = tuple_id_;
  RowChanges changes;
  SubqueryGuard matched(*state_.plan, &subqueries_), unmatched(*state_.plan, &subqueries_);
  matched.add(Expression::Kind::IsNotNull, *Expression::column(tuple_id_));
  unmatched.add(Expression::Kind::IsNull, *Expression::column(tuple_id_));
  for (const ast::MergeAction& node : merge.actions) {
    result->actions.push_back(bindAction(node, node.is_matched ? matched : unmatched));
    noteAccess(node);
    changes.inserts = changes.inserts || node.what == What::Insert;
    changes.deletes = changes.deletes || node.what == What::Delete;
    const Merge::Action& action = result->actions.back();
    std::vector<uint32_t> updated;
    std::ranges::set_union(changes.updated, action.moving_columns.empty() ? action.columns : action.moving_columns,
                           std::back_inserter(updated));
    changes.updated = std::move(updated);
  }
  bindTriggers(*result, changes);
  changes.updated = columnsChangedWith(result->triggers.get(), *table_, changes.updated);
  changes.may_move = !changes.updated.empty();
  result->keys = bindKeyWork(state_, table_, changes);
  result->ancestors = ancestors_;
  result->inputs.push_back(subqueries_.attach(std::move(tree_)));
  return result;
}

}  // namespace gnomon::sql
