#include "sql/bind/change_binder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/check_definition.h"
#include "sql/bind/column_default.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/key_work_binder.h"

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

uint32_t ChangeBinder::columnIndex(const ast::ColumnName& name) const {
  const auto found = std::ranges::find(table_->columns, name.name, &ColumnEntry::name);
  if (found == table_->columns.end())
    throw SqlError(sqlstate::kUndefinedColumn,
                   fmt::format("column \"{}\" of relation \"{}\" does not exist", name.name, table_->name))
        .position(name.position);
  return static_cast<uint32_t>(found - table_->columns.begin());
}

OperatorPtr ChangeBinder::bind(const ast::Update& update) {
  bindRows(update.relation, update.alias, update.from, update.where.get(), TableUse::Update);
  auto result = std::make_unique<Update>();
  result->table = table_;
  result->tuple_id = tuple_id_;
  result->row.resize(table_->columns.size());
  SubqueryJoins subqueries;
  ExpressionBinder binder(state_, scope_, {.name = "UPDATE", .subqueries = &subqueries});
  for (const ast::Assignment& assignment : update.assignments) {
    const uint32_t index = columnIndex(assignment.column);
    const ColumnEntry& column = table_->columns[index];
    if (assignment.is_part) throwNotSupported("assignment to a part of a column", assignment.column.position);
    const bool is_default = assignment.value->kind == ast::Expression::Kind::Default;
    ExpressionPtr value = is_default ? bindColumnDefault(state_, column) : binder.bind(*assignment.value);
    value = binder.coercion().assign(std::move(value), column.type, column.name);
    if (column.identity == Identity::Always && !is_default)
      throw SqlError(SqlState("428C9"), fmt::format("column \"{}\" can only be updated to DEFAULT", column.name))
          .detail(fmt::format("Column \"{}\" is an identity column defined as GENERATED ALWAYS.", column.name));
    if (result->row[index])
      throw SqlError(sqlstate::kSyntaxError, fmt::format("multiple assignments to same column \"{}\"", column.name));
    result->row[index] = std::move(value);
    result->columns.push_back(index);
  }
  tree_ = subqueries.attach(std::move(tree_));
  std::ranges::sort(result->columns);
  result->checks = updateChecks(state_, *table_, result->columns);
  result->keys = bindKeyWork(state_, table_, {.updated = result->columns});
  const bool may_violate = !result->checks.tested.empty() || std::ranges::any_of(result->columns, [&](uint32_t index) {
    return table_->columns[index].not_null && result->row[index]->nullable;
  });
  for (size_t i = 0; may_violate && i < result->row.size(); ++i)
    if (!result->row[i]) result->row[i] = Expression::column(old_row_[i]);
  result->inputs.push_back(std::move(tree_));
  return result;
}

OperatorPtr ChangeBinder::bind(const ast::Delete& node) {
  bindRows(node.relation, node.alias, node.from, node.where.get(), TableUse::Delete);
  auto result = std::make_unique<Delete>();
  result->table = table_;
  result->tuple_id = tuple_id_;
  result->keys = bindKeyWork(state_, table_, {.deletes = true});
  result->inputs.push_back(std::move(tree_));
  return result;
}

}  // namespace gnomon::sql
