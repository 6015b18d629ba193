#include "sql/bind/insert_binder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/check_definition.h"
#include "sql/bind/column_default.h"
#include "sql/bind/common_tables.h"
#include "sql/bind/conflict_binder.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/key_work_binder.h"
#include "sql/bind/output_binder.h"
#include "sql/bind/query_binder.h"
#include "sql/bind/target_columns.h"

namespace gnomon::sql {

using NodeKind = ast::Expression::Kind;

namespace {

constexpr SqlState kGeneratedAlways("428C9");

}  // namespace

OperatorPtr InsertBinder::bind(const ast::Insert& insert) {
  const CommonTables common_tables(state_, insert.with);
  table_ = FromBinder(state_).findTable(insert.relation, TableUse::Insert);
  const std::string& name = insert.alias.empty() ? insert.relation.name : insert.alias;
  state_.from_levels.back().push_back({name, insert.relation.name});
  targets_ = resolveTargetColumns(*table_, insert.columns);
  overriding_ = insert.overriding;
  is_generated_.assign(targets_.size(), false);
  OperatorPtr source = bindSource(insert);
  auto result = std::make_unique<Insert>();
  result->table = table_;
  for (uint32_t i = 0; i < table_->columns.size(); ++i) {
    const auto found = std::ranges::find(targets_, i);
    const auto index = static_cast<size_t>(found - targets_.begin());
    result->values.push_back(found != targets_.end() && index < given_.size() && !is_generated_[index]
                                 ? std::move(given_[index])
                                 : bindColumnDefault(state_, table_->columns[i]));
  }
  result->checks = insertChecks(state_, *table_);
  if (insert.on_conflict) result->conflict = bindConflict(state_, *table_, insert);
  RowChanges changes{.inserts = true};
  if (result->conflict) changes.updated = result->conflict->columns;
  result->keys = bindKeyWork(state_, table_, changes);
  result->inputs.push_back(std::move(source));
  if (insert.returning.empty()) return result;
  return bindReturning(insert, std::move(result));
}

OperatorPtr InsertBinder::bindSource(const ast::Insert& insert) {
  if (insert.query == nullptr) {
    targets_.clear();
    auto row = std::make_unique<Values>();
    row->rows.emplace_back();
    return row;
  }
  const ast::Query& query = *insert.query;
  const bool is_plain_rows =
      !query.rows.empty() && query.order_by.empty() && !query.limit && !query.offset && query.with.tables.empty();
  if (!is_plain_rows) return bindQuery(insert);
  const auto& first = query.rows[0];
  const size_t surplus = std::min(targets_.size(), first.size() - 1);
  checkCount(insert, first.size(), first[surplus]->position);
  return bindRows(query);
}

/// The row is computed below, once, so that what is put out is what is stored; where a conflict decides what is stored,
/// it comes from above.
OperatorPtr InsertBinder::bindReturning(const ast::Insert& insert, std::unique_ptr<Insert> change) {
  const FromEntry name{insert.alias, insert.relation.name};
  if (change->conflict) {
    for (const ColumnEntry& column : table_->columns)
      change->written.push_back(state_.plan->makeUnit(column.name, column.type, true));
    Scope scope = rowScope(state_, *table_, name, change->written);
    QueryBinder::Result result =
        QueryBinder(state_).bindReturning(insert.returning, std::move(change), std::move(scope));
    return outputOf(state_, result.columns, std::move(result.tree));
  }
  auto map = std::make_unique<Map>();
  std::vector<Iu> row;
  for (size_t i = 0; i < change->values.size(); ++i) {
    ExpressionPtr& value = change->values[i];
    row.push_back(state_.plan->makeUnit(table_->columns[i].name, value->type, value->nullable));
    map->computed.push_back({row.back(), std::move(value)});
    value = Expression::column(row.back());
  }
  map->inputs.push_back(std::move(change->inputs[0]));
  QueryBinder::Result result =
      QueryBinder(state_).bindReturning(insert.returning, std::move(map), rowScope(state_, *table_, name, row));
  change->inputs[0] = std::move(result.tree);
  return outputOf(state_, result.columns, std::move(change));
}

void InsertBinder::checkCount(const ast::Insert& insert, size_t count, int32_t surplus_position) const {
  if (count > targets_.size())
    throw SqlError(sqlstate::kSyntaxError, "INSERT has more expressions than target columns")
        .position(surplus_position);
  if (!insert.columns.empty() && count < targets_.size())
    throw SqlError(sqlstate::kSyntaxError, "INSERT has more target columns than expressions")
        .position(insert.columns[count].position);
}

void InsertBinder::checkIdentity(size_t index, bool is_default) {
  const ColumnEntry& column = target(index);
  if (column.identity == Identity::None) return;
  is_generated_[index] = is_default || overriding_ == ast::Insert::Overriding::User;
  if (is_generated_[index] || column.identity != Identity::Always || overriding_ == ast::Insert::Overriding::System)
    return;
  throw SqlError(kGeneratedAlways, fmt::format("cannot insert a non-DEFAULT value into column \"{}\"", column.name))
      .detail(fmt::format("Column \"{}\" is an identity column defined as GENERATED ALWAYS.", column.name))
      .hint("Use OVERRIDING SYSTEM VALUE to override.");
}

OperatorPtr InsertBinder::bindQuery(const ast::Insert& insert) {
  std::vector<Type> types;
  for (size_t i = 0; i < targets_.size(); ++i) types.push_back(target(i).type);
  QueryBinder::Result query = QueryBinder(state_).bind(*insert.query, types);
  if (!query.locks.empty()) throwNotSupported("SELECT FOR UPDATE/SHARE in INSERT");
  const size_t surplus = std::min(targets_.size(), query.columns.size() - 1);
  checkCount(insert, query.columns.size(), query.columns.empty() ? -1 : query.columns[surplus].position);
  Coercion coercion(state_);
  for (size_t i = 0; i < query.columns.size(); ++i) {
    checkIdentity(i, false);
    ExpressionPtr value = Expression::column(query.columns[i].iu);
    value->position = query.columns[i].position;
    given_.push_back(coercion.assign(std::move(value), target(i).type, target(i).name));
  }
  return std::move(query.tree);
}

std::vector<ExpressionPtr> InsertBinder::bindRow(const std::vector<ast::ExpressionPtr>& nodes) {
  const Scope scope;
  ExpressionBinder binder(state_, scope, {.name = "VALUES", .subqueries = &subqueries_});
  std::vector<ExpressionPtr> cells;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const bool is_default = nodes[i]->kind == NodeKind::Default;
    ExpressionPtr cell = is_default && !is_generated_[i] ? bindColumnDefault(state_, target(i))
                         : is_default                    ? nullptr
                                                         : binder.bind(*nodes[i]);
    // What is generated is generated once, where the row is put together.
    if (is_generated_[i]) cell = Expression::constant(Value::null(target(i).type));
    cells.push_back(std::move(cell));
  }
  for (size_t i = 0; i < cells.size(); ++i)
    cells[i] = binder.coercion().assign(std::move(cells[i]), target(i).type, target(i).name);
  return cells;
}

OperatorPtr InsertBinder::bindRows(const ast::Query& query) {
  auto values = std::make_unique<Values>();
  const size_t width = query.rows[0].size();
  std::vector<bool> nullable(width, false);
  for (size_t i = 0; i < width; ++i)
    checkIdentity(i, std::ranges::all_of(query.rows, [i](const auto& row) {
                    return i < row.size() && row[i]->kind == NodeKind::Default;
                  }));
  for (const auto& row : query.rows) {
    if (row.size() != width)
      throw SqlError(sqlstate::kSyntaxError, "VALUES lists must all be the same length").position(row[0]->position);
    values->rows.push_back(bindRow(row));
    for (size_t i = 0; i < width; ++i)
      if (values->rows.back()[i]->nullable) nullable[i] = true;
  }
  for (size_t i = 0; i < width; ++i) {
    const Iu unit = state_.plan->makeUnit(target(i).name, target(i).type, nullable[i]);
    values->columns.push_back(unit);
    given_.push_back(Expression::column(unit));
  }
  return overSubqueries(std::move(values), subqueries_);
}

}  // namespace gnomon::sql
