#include "sql/bind/change_binder.h"

#include <algorithm>

#include "sql/bind/assignment_binder.h"
#include "sql/bind/check_definition.h"
#include "sql/bind/common_tables.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/key_work_binder.h"
#include "sql/bind/output_binder.h"

namespace gnomon::sql {

void ChangeBinder::bindRows(const ast::RelationName& relation, const ast::Alias& alias,
                            const std::vector<std::unique_ptr<ast::FromItem>>& from, const ast::Expression* where,
                            TableUse use) {
  FromBinder::Result target = FromBinder(state_).bindTable(relation, alias, use);
  auto& scan = static_cast<TableScan&>(*target.tree);
  table_ = scan.table;
  for (const TableScan::Column& column : scan.columns) old_row_.push_back(column.iu);
  tuple_id_ = state_.plan->makeUnit("ctid", Type::of(TypeKind::Bigint), false);
  scan.columns.push_back({TableScan::kTupleId, tuple_id_});
  tree_ = std::move(target.tree);
  scope_ = std::move(target.scope);
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

void ChangeBinder::computeNewValues(Update& update) {
  auto map = std::make_unique<Map>();
  std::unordered_map<Iu, Iu> replacements;
  for (const uint32_t index : update.columns) {
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

OperatorPtr ChangeBinder::bind(const ast::Update& update) {
  const CommonTables common_tables(state_, update.with);
  bindRows(update.relation, update.alias, update.from, update.where.get(), TableUse::Update);
  auto result = std::make_unique<Update>();
  result->table = table_;
  result->tuple_id = tuple_id_;
  SubqueryJoins subqueries;
  ExpressionBinder binder(state_, scope_, {.name = "UPDATE", .subqueries = &subqueries});
  Assignments assignments = bindAssignments(state_, *table_, binder, update.assignments,
                                            [this](uint32_t column) { return old_row_[column]; });
  result->row = std::move(assignments.values);
  result->columns = std::move(assignments.columns);
  tree_ = subqueries.attach(std::move(tree_));
  result->checks = updateChecks(state_, *table_, result->columns);
  result->keys = bindKeyWork(state_, table_, {.updated = result->columns});
  const bool may_violate = !result->checks.tested.empty() || std::ranges::any_of(result->columns, [&](uint32_t index) {
    return table_->columns[index].not_null && result->row[index]->nullable;
  });
  if (!update.returning.empty()) computeNewValues(*result);
  for (size_t i = 0; may_violate && i < result->row.size(); ++i)
    if (!result->row[i]) result->row[i] = Expression::column(old_row_[i]);
  return finish(std::move(result), update.returning);
}

OperatorPtr ChangeBinder::bind(const ast::Delete& node) {
  const CommonTables common_tables(state_, node.with);
  bindRows(node.relation, node.alias, node.from, node.where.get(), TableUse::Delete);
  auto result = std::make_unique<Delete>();
  result->table = table_;
  result->tuple_id = tuple_id_;
  result->keys = bindKeyWork(state_, table_, {.deletes = true});
  return finish(std::move(result), node.returning);
}

}  // namespace gnomon::sql
