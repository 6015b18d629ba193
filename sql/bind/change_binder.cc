#include "sql/bind/change_binder.h"

#include <algorithm>
#include <iterator>

#include "sql/bind/assignment_binder.h"
#include "sql/bind/check_definition.h"
#include "sql/bind/column_hint.h"
#include "sql/bind/common_tables.h"
#include "sql/bind/cursor_position.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/generated_column.h"
#include "sql/bind/key_work_binder.h"
#include "sql/bind/output_binder.h"
#include "sql/bind/partition_path.h"
#include "sql/bind/trigger_work_binder.h"
#include "sql/catalog/triggers.h"

namespace gnomon::sql {

void ChangeBinder::bindTarget(const ast::RelationName& relation, const ast::Alias& alias, const std::string& cursor,
                              TableUse use) {
  const TablePtr found = FromBinder(state_).find(relation).stored();
  if (found) called_ = FromBinder(state_).calledTable(relation, *found);
  FromBinder(state_).noteTarget(relation);
  const TriggerEvent event = use == TableUse::Delete ? TriggerEvent::Delete : TriggerEvent::Update;
  if (found && hasInsteadTriggers(*found, event)) {
    if (use == TableUse::Delete) state_.access.add(found, Privilege::Delete);
    return bindInstead(found, relation, alias);
  }
  FromBinder::Result target;
  if (found && found->view) {
    view_.emplace(state_, found, use, called_);
    name_ = {alias.name, relation.name};
    state_.from_levels.back().push_back(
        {alias.name.empty() ? relation.name : alias.name, relation.name, columnNames(called_ ? *called_ : *found)});
    target.tree = scanOf(state_, view_->table(), view_->table()->name);
  } else {
    target = FromBinder(state_).bindTable(relation, alias, use);
  }
  auto& scan = static_cast<TableScan&>(*target.tree);
  table_ = scan.table;
  state_.written.push_back(table_);
  if (view_ && (table_->partitioning || table_->partition))
    throwNotSupported("changing the rows of a partitioned table or a partition by way of a view");
  if (table_->partitioning || table_->partition) ancestors_ = bindPartitionPath(state_, *table_);
  for (const TableScan::Column& column : scan.columns) old_row_.push_back(column.iu);
  tuple_id_ = state_.plan->makeUnit("ctid", Type::of(TypeKind::Bigint), false);
  scan.columns.push_back({TableScan::kTupleId, tuple_id_});
  if (!cursor.empty() && view_)
    throw SqlError(sqlstate::kFeatureNotSupported, "WHERE CURRENT OF on a view is not implemented");
  if (!cursor.empty()) scan.cursor_row = bindCursorRow(state_, cursor);
  if (!view_) {
    FromBinder(state_).addTableOid(target, *table_);
    FromBinder(state_).addTuplePlace(target, scan, tuple_id_);
  }
  tree_ = std::move(target.tree);
  if (relation.is_only && table_->partitioning) tree_ = withoutRows(std::move(tree_));
  scope_ = view_ ? view_->bindRow(name_, old_row_, tree_, true) : std::move(target.scope);
}

/// A view whose triggers change it: its rows are read as those of any view.
void ChangeBinder::bindInstead(const TablePtr& view, const ast::RelationName& relation, const ast::Alias& alias) {
  is_instead_ = true;
  table_ = view;
  state_.addTable(view);
  state_.written.push_back(view);
  ast::FromItem item;
  item.relation = relation;
  item.alias = alias;
  FromBinder::Result rows = FromBinder(state_).bindOne(item);
  tree_ = std::move(rows.tree);
  scope_ = std::move(rows.scope);
  // Rows are noted as the view's columns hold them.
  auto map = std::make_unique<Map>();
  std::unordered_map<Iu, Iu> replacements;
  Coercion coercion(state_);
  for (size_t i = 0; i < view->columns.size(); ++i) {
    const ColumnEntry& column = view->columns[i];
    const Iu read = scope_.ranges.front().columns[i].iu;
    const Iu unit = state_.plan->makeUnit(column.name, column.type, true);
    state_.inherit(unit, read);
    map->computed.push_back({unit, coercion.assign(Expression::column(read), column.type, column.name)});
    old_row_.push_back(unit);
    scope_.ranges.front().columns[i].iu = unit;
    scope_.columns[i].iu = unit;
  }
  map->inputs.push_back(std::move(tree_));
  tree_ = std::move(map);
}

void ChangeBinder::renewViewRow(const Update& update) {
  std::vector<Iu> row;
  for (size_t i = 0; i < old_row_.size(); ++i) row.push_back(update.row[i] ? update.row[i]->iu : old_row_[i]);
  Scope fresh = view_->bindRow(name_, row, tree_, false);
  std::ranges::copy(fresh.columns, scope_.columns.begin());
  scope_.ranges.front().columns = std::move(fresh.ranges.front().columns);
}

void ChangeBinder::bindRows(const ast::RelationName& relation, const ast::Alias& alias,
                            const std::vector<std::unique_ptr<ast::FromItem>>& from, const ast::Expression* where,
                            const std::string& cursor, TableUse use) {
  bindTarget(relation, alias, cursor, use);
  if (!from.empty()) {
    FromBinder::Result others = FromBinder(state_).bind(from);
    auto join = std::make_unique<Join>();
    join->inputs.push_back(std::move(tree_));
    join->inputs.push_back(std::move(others.tree));
    tree_ = std::move(join);
    scope_.append(std::move(others.scope));
  }
  if (where == nullptr) return;
  auto selection = std::make_unique<Selection>();
  SubqueryJoins subqueries;
  const Clause clause{.name = "WHERE", .subqueries = &subqueries};
  selection->conditions.push_back(ExpressionBinder(state_, scope_, clause).bindCondition(*where, "WHERE"));
  tree_ = subqueries.attach(std::move(tree_));
  selection->inputs.push_back(std::move(tree_));
  tree_ = std::move(selection);
}

OperatorPtr ChangeBinder::finish(OperatorPtr change, const std::vector<ast::SelectItem>& returning) {
  if (returning.empty()) {
    change->inputs.push_back(std::move(tree_));
    return change;
  }
  QueryBinder::Result result = QueryBinder(state_).bindReturning(returning, std::move(tree_), std::move(scope_));
  change->inputs.push_back(std::move(result.tree));
  return outputOf(state_, result.columns, std::move(change));
}

void ChangeBinder::computeNewValues(Update& update, const std::vector<uint32_t>& columns) {
  auto map = std::make_unique<Map>();
  std::unordered_map<Iu, Iu> replacements;
  if (columns.empty()) return;
  for (const uint32_t index : columns) {
    ExpressionPtr& value = update.row[index];
    const Iu unit = state_.plan->makeUnit(table_->columns[index].name, value->type, value->nullable);
    state_.inherit(unit, old_row_[index]);
    replacements[old_row_[index]] = unit;
    map->computed.push_back({unit, std::move(value)});
    value = Expression::column(unit);
  }
  map->inputs.push_back(std::move(tree_));
  tree_ = std::move(map);
  scope_.replace(replacements);
}

void ChangeBinder::addGenerated(Update& update, bool is_returned) {
  const GeneratedColumns generated(state_, table_->name, table_->columns);
  const std::vector<uint32_t> affected = generated.affected(update.columns);
  std::vector<uint32_t> given, all;
  std::ranges::set_difference(update.columns, affected, std::back_inserter(given));
  if (is_returned || !affected.empty()) computeNewValues(update, given);
  std::vector<ExpressionPtr> row;
  for (size_t i = 0; i < update.row.size(); ++i)
    row.push_back(update.row[i] ? update.row[i]->clone() : Expression::column(old_row_[i]));
  for (const uint32_t column : affected) update.row[column] = generated.value(column, row);
  if (is_returned) computeNewValues(update, affected);
  std::ranges::set_union(given, affected, std::back_inserter(all));
  update.columns = std::move(all);
}

OperatorPtr ChangeBinder::bind(const ast::Update& update) {
  const CommonTables common_tables(state_, update.with);
  bindRows(update.relation, update.alias, update.from, update.where.get(), update.cursor, TableUse::Update);
  auto result = std::make_unique<Update>();
  result->table = table_;
  result->tuple_id = tuple_id_;
  SubqueryJoins subqueries;
  ExpressionBinder binder(state_, scope_, {.name = "UPDATE", .subqueries = &subqueries});
  if (view_) view_->requireAssignable(update.assignments);
  Assignments assignments =
      bindAssignments(state_,
                      view_     ? view_->shape()
                      : called_ ? *called_
                                : *table_,
                      binder, update.assignments, [this](uint32_t column) { return old_row_[column]; });
  result->row = std::move(assignments.values);
  result->columns = std::move(assignments.columns);
  if (view_)
    view_->noteChange(Privilege::Update, result->columns);
  else
    state_.access.add(table_, Privilege::Update, result->columns);
  tree_ = subqueries.attach(std::move(tree_));
  addGenerated(*result, !update.returning.empty());
  if (view_ && !update.returning.empty()) renewViewRow(*result);
  result->checks = updateChecks(state_, *table_, result->columns);
  if (view_) view_->addChecks(result->checks);
  result->triggers = is_instead_ ? insteadWork(table_, {TriggerEvent::Update, result->columns})
                                 : bindTriggerWork(table_, {{TriggerEvent::Update, result->columns}}, result->checks);
  if (is_instead_) result->old_row = old_row_;
  const std::vector<uint32_t> changed = columnsChangedWith(result->triggers.get(), *table_, result->columns);
  result->keys = bindKeyWork(state_, table_, {.updated = changed, .may_move = mayMove(*table_, ancestors_, changed)});
  const bool may_violate = !result->checks.tested.empty() || std::ranges::any_of(result->columns, [&](uint32_t index) {
    return table_->columns[index].not_null && result->row[index]->nullable;
  });
  for (size_t i = 0; may_violate && i < result->row.size(); ++i)
    if (!result->row[i]) result->row[i] = Expression::column(old_row_[i]);
  const bool concerns_triggers = result->triggers && result->triggers->has_rows;
  const bool may_move = mayMove(*table_, ancestors_, changed);
  if (concerns_triggers || may_move) {
    // The whole row is noted: it says where the row belongs, and is what triggers are given.
    result->moving_columns = std::move(result->columns);
    result->columns.clear();
    for (uint32_t i = 0; i < result->row.size(); ++i) {
      if (!result->row[i]) result->row[i] = Expression::column(old_row_[i]);
      result->columns.push_back(i);
    }
    if (may_move) result->ancestors = ancestors_;
  }
  // The row may get another id, and another table.
  const bool moves = may_move && table_->partitioning;
  std::erase_if(scope_.ranges.front().hidden, [&](const ScopeColumn& column) {
    return column.name == "ctid" || (moves && column.name == "tableoid");
  });
  if (result->triggers && result->triggers->has_before_rows && !update.returning.empty())
    return finishWritten(std::move(result), update.returning, moves);
  if (moves && !update.returning.empty()) {
    std::vector<Iu> row;
    for (const ExpressionPtr& value : result->row) row.push_back(value->iu);
    addMovedOid(tree_, row);
  }
  return finish(std::move(result), update.returning);
}

/// Of rows that may go to other partitions.
void ChangeBinder::addMovedOid(OperatorPtr& tree, const std::vector<Iu>& row) {
  FromBinder::Result rows{std::move(tree), {}};
  rows.scope.ranges.emplace_back();
  FromBinder(state_).addTableOid(rows, *table_, row);
  tree = std::move(rows.tree);
  std::ranges::copy(rows.scope.ranges.front().hidden, std::back_inserter(scope_.ranges.front().hidden));
}

/// What is returned is read of the row as it has been written.
OperatorPtr ChangeBinder::finishWritten(std::unique_ptr<Update> update, const std::vector<ast::SelectItem>& returning,
                                        bool moves) {
  if (view_) throwNotSupported("RETURNING of an UPDATE by way of a view of a table with BEFORE triggers");
  std::unordered_map<Iu, Iu> replacements;
  for (size_t i = 0; i < old_row_.size(); ++i) {
    const Iu written = state_.plan->makeUnit(table_->columns[i].name, table_->columns[i].type, true);
    state_.inherit(written, old_row_[i]);
    replacements[old_row_[i]] = written;
    if (update->row[i] && update->row[i]->kind == Expression::Kind::Column) replacements[update->row[i]->iu] = written;
    update->written.push_back(written);
  }
  scope_.replace(replacements);
  update->inputs.push_back(std::move(tree_));
  const std::vector<Iu> written = update->written;
  OperatorPtr tree = std::move(update);
  if (moves) addMovedOid(tree, written);
  QueryBinder::Result result = QueryBinder(state_).bindReturning(returning, std::move(tree), std::move(scope_));
  return outputOf(state_, result.columns, std::move(result.tree));
}

OperatorPtr ChangeBinder::bind(const ast::Delete& node) {
  const CommonTables common_tables(state_, node.with);
  bindRows(node.relation, node.alias, node.from, node.where.get(), node.cursor, TableUse::Delete);
  auto result = std::make_unique<Delete>();
  result->table = table_;
  result->tuple_id = tuple_id_;
  result->keys = bindKeyWork(state_, table_, {.deletes = true});
  result->triggers = is_instead_ ? insteadWork(table_, {TriggerEvent::Delete, {}})
                                 : bindTriggerWork(table_, {{TriggerEvent::Delete, {}}}, {});
  if (is_instead_) result->old_row = old_row_;
  return finish(std::move(result), node.returning);
}

}  // namespace gnomon::sql
