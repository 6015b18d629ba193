#include "sql/bind/insert_binder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/check_definition.h"
#include "sql/bind/column_default.h"
#include "sql/bind/column_hint.h"
#include "sql/bind/common_tables.h"
#include "sql/bind/conflict_binder.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/generated_column.h"
#include "sql/bind/key_work_binder.h"
#include "sql/bind/output_binder.h"
#include "sql/bind/partition_path.h"
#include "sql/bind/query_binder.h"
#include "sql/bind/target_columns.h"
#include "sql/bind/trigger_work_binder.h"
#include "sql/catalog/triggers.h"
#include "sql/parse/identifier.h"

namespace gnomon::sql {

using NodeKind = ast::Expression::Kind;

OperatorPtr InsertBinder::bind(const ast::Insert& insert) {
  const CommonTables common_tables(state_, insert.with);
  findTarget(insert);
  state_.written.push_back(table_);
  const std::string& name = insert.alias.empty() ? insert.relation.name : insert.alias;
  state_.from_levels.back().push_back({name, insert.relation.name, columnNames(shape())});
  resolveTargets(insert);
  noteChange(Privilege::Insert, writtenTargets(insert));
  overriding_ = insert.overriding;
  is_generated_.assign(targets_.size(), false);
  OperatorPtr source = bindSource(insert);
  noteTarget(insert);
  auto result = std::make_unique<Insert>();
  result->table = table_;
  if (view_ && (table_->partitioning || table_->partition))
    throwNotSupported("changing the rows of a partitioned table or a partition by way of a view");
  if (table_->partitioning || table_->partition) result->ancestors = bindPartitionPath(state_, *table_);
  for (uint32_t i = 0; i < table_->columns.size(); ++i) result->values.push_back(valueOf(i));
  source = computeGenerated(state_, *table_, *result, std::move(source));
  result->checks = insertChecks(state_, *table_);
  if (view_) view_->addChecks(result->checks);
  SubqueryJoins subqueries;
  if (is_instead_ && insert.on_conflict && insert.on_conflict->is_update)
    throwNotSupported("ON CONFLICT DO UPDATE for a view with INSTEAD OF triggers");
  if (insert.on_conflict && !is_instead_) result->conflict = bindOnConflict(insert, subqueries);
  if (!subqueries.empty()) joinConflictSubqueries(state_, *result, source, subqueries);
  RowChanges changes{.inserts = true};
  if (result->conflict) changes.updated = result->conflict->columns;
  if (!changes.updated.empty()) noteChange(Privilege::Update, changes.updated);
  std::vector<TriggerWork::Change> events = {{TriggerEvent::Insert, {}}};
  if (result->conflict && result->conflict->is_update) events.push_back({TriggerEvent::Update, changes.updated});
  result->triggers = is_instead_ ? insteadWork(table_, std::move(events.front()))
                                 : bindTriggerWork(table_, std::move(events), result->checks);
  changes.updated = columnsChangedWith(result->triggers.get(), *table_, changes.updated);
  result->keys = bindKeyWork(state_, table_, changes);
  result->inputs.push_back(std::move(source));
  if (insert.returning.empty()) return result;
  return bindReturning(insert, std::move(result));
}

/// Rights on the table, or on the view that is written in its place. CREATE TABLE AS needs none on what it makes.
void InsertBinder::noteChange(Privilege right, const std::vector<uint32_t>& columns) {
  if (view_)
    view_->noteChange(right, columns);
  else if (!state_.context.fills)
    state_.access.add(table_, right, columns);
}

void InsertBinder::findTarget(const ast::Insert& insert) {
  const TablePtr found = FromBinder(state_).find(insert.relation).stored();
  if (found && hasInsteadTriggers(*found, TriggerEvent::Insert)) {
    state_.addTable(found);
    table_ = found;
    is_instead_ = true;
  } else if (found && found->view) {
    view_.emplace(state_, found, TableUse::Insert, FromBinder(state_).calledTable(insert.relation, *found));
    table_ = view_->table();
  } else {
    table_ = FromBinder(state_).findTable(insert.relation, TableUse::Insert);
  }
  if (!view_) called_ = FromBinder(state_).calledTable(insert.relation, *table_);
}

/// As PostgreSQL, a stored text says which columns there are values for.
void InsertBinder::noteTarget(const ast::Insert& insert) const {
  std::string list;
  if (state_.made_references != nullptr && insert.columns.empty() && insert.alias.empty() && insert.query)
    for (size_t i = 0; i < given_.size(); ++i)
      list.append(list.empty() ? " (" : ", ").append(quotedIdentifier(target(i).name));
  FromBinder(state_).noteTarget(insert.relation, list.empty() ? list : list + ")");
}

std::unique_ptr<Insert::Conflict> InsertBinder::bindOnConflict(const ast::Insert& insert, SubqueryJoins& subqueries) {
  if (view_ && !view_->isPlain()) throwNotSupported("ON CONFLICT for a view with columns that are computed");
  if (view_ && view_->hasChecks() && insert.on_conflict->is_update)
    throwNotSupported("ON CONFLICT DO UPDATE for a view WITH CHECK OPTION");
  return bindConflict(state_, *table_, shape(), insert, subqueries);
}

namespace {

/// How many values a row of the source has, as far as that is seen without binding it.
size_t valueCount(const ast::Insert& insert) {
  if (insert.query == nullptr) return 0;
  const ast::Query* query = insert.query.get();
  while (query->left) query = query->left.get();
  if (!query->rows.empty()) return query->rows.front().size();
  const auto isStar = [](const ast::SelectItem& item) { return item.expression->is_star; };
  return std::ranges::any_of(query->items, isStar) ? SIZE_MAX : query->items.size();
}

}  // namespace

/// Those that there are values for, as far as the statement says it; of DEFAULT VALUES all of them.
std::vector<uint32_t> InsertBinder::writtenTargets(const ast::Insert& insert) const {
  if (!insert.columns.empty() || insert.query == nullptr) return targets_;
  const size_t count = std::min(targets_.size(), valueCount(insert));
  return {targets_.begin(), targets_.begin() + static_cast<ptrdiff_t>(count)};
}

void InsertBinder::resolveTargets(const ast::Insert& insert) {
  insert_ = &insert;
  const auto isWhole = [](const ast::TargetParts& parts) { return parts.empty(); };
  if (!view_)
    targets_ = resolveTargetColumns(shape(), insert.columns, insert.parts);
  else if (std::ranges::all_of(insert.parts, isWhole))
    targets_ = view_->targets(insert.columns, valueCount(insert));
  else
    targets_ = view_->targetsOfParts(insert.columns, insert.parts);
  const Scope scope;
  ExpressionBinder binder(state_, scope, {.name = "INSERT"});
  for (size_t i = 0; i < targets_.size(); ++i)
    target_types_.push_back(isPart(i) ? partAt(i, binder).type(target(i).type) : target(i).type);
}

bool InsertBinder::isPart(size_t index) const {
  return index < insert_->parts.size() && !insert_->parts[index].empty();
}

PartAssignment InsertBinder::partAt(size_t index, ExpressionBinder& binder) const {
  return {binder, insert_->parts[index], insert_->columns[index]};
}

ExpressionPtr InsertBinder::valueOf(uint32_t column) {
  ColumnEntry entry = shape().columns[column];
  // One that the view does not have.
  if (entry.isDropped()) entry.name = table_->columns[column].name;
  const Scope scope;
  ExpressionBinder binder(state_, scope, {.name = "INSERT"});
  ExpressionPtr value;
  for (size_t i = 0; i < std::min(targets_.size(), given_.size()); ++i) {
    if (targets_[i] != column || is_generated_[i]) continue;
    if (!isPart(i)) return std::move(given_[i]);
    if (!value) value = Expression::constant(Value::null(entry.type));
    value = partAt(i, binder).bind(std::move(value), std::move(given_[i]), entry.domain);
  }
  return value ? binder.coercion().toDomain(std::move(value), entry.domain) : bindColumnDefault(state_, entry);
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
  if (change->conflict || (change->triggers && change->triggers->has_before_rows)) {
    for (const ColumnEntry& column : table_->columns)
      change->written.push_back(state_.plan->makeUnit(column.name, column.type, true));
    const std::vector<Iu> written = change->written;
    FromBinder::Result rows{std::move(change), {}};
    if (!view_) rows.scope = rowScope(state_, shape(), name, written);
    if (!view_) FromBinder(state_).addTableOid(rows, *table_, written);
    OperatorPtr tree = std::move(rows.tree);
    Scope scope = view_ ? view_->bindRow(name, written, tree, false) : std::move(rows.scope);
    QueryBinder::Result result = QueryBinder(state_).bindReturning(insert.returning, std::move(tree), std::move(scope));
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
  FromBinder::Result rows{std::move(map), {}};
  if (!view_) rows.scope = rowScope(state_, shape(), name, row);
  if (!view_) FromBinder(state_).addTableOid(rows, *table_, row);
  OperatorPtr tree = std::move(rows.tree);
  Scope scope = view_ ? view_->bindRow(name, row, tree, false) : std::move(rows.scope);
  QueryBinder::Result result = QueryBinder(state_).bindReturning(insert.returning, std::move(tree), std::move(scope));
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

ExpressionPtr InsertBinder::converted(ExpressionPtr value, size_t index, ExpressionBinder& binder) const {
  if (isPart(index)) return partAt(index, binder).convert(std::move(value), target(index).type);
  value = binder.coercion().assign(std::move(value), target(index).type, target(index).name);
  return binder.coercion().toDomain(std::move(value), target(index).domain);
}

OperatorPtr InsertBinder::bindQuery(const ast::Insert& insert) {
  QueryBinder::Result query = QueryBinder(state_).bind(*insert.query, target_types_);
  shareLocking(state_, query);
  const size_t surplus = std::min(targets_.size(), query.columns.size() - 1);
  checkCount(insert, query.columns.size(), query.columns.empty() ? -1 : query.columns[surplus].position);
  const Scope scope;
  ExpressionBinder binder(state_, scope, {.name = "INSERT"});
  for (size_t i = 0; i < query.columns.size(); ++i) {
    is_generated_[i] = takesDefault(target(i), false, overriding_);
    ExpressionPtr value = Expression::column(query.columns[i].iu);
    value->position = query.columns[i].position;
    given_.push_back(converted(std::move(value), i, binder));
  }
  return std::move(query.tree);
}

std::vector<ExpressionPtr> InsertBinder::bindRow(const std::vector<ast::ExpressionPtr>& nodes) {
  const Scope scope;
  ExpressionBinder binder(state_, scope, {.name = "VALUES", .subqueries = &subqueries_});
  std::vector<ExpressionPtr> cells;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const bool is_default = nodes[i]->kind == NodeKind::Default;
    if (is_default && isPart(i)) refuseDefault(insert_->parts[i], insert_->columns[i].position);
    ExpressionPtr cell = is_default && !is_generated_[i] ? bindColumnDefault(state_, target(i))
                         : is_default                    ? nullptr
                                                         : binder.bind(*nodes[i]);
    // What is generated is generated once, where the row is put together.
    if (is_generated_[i]) cell = Expression::constant(Value::null(target(i).type));
    cells.push_back(std::move(cell));
  }
  for (size_t i = 0; i < cells.size(); ++i) {
    cells[i] = converted(std::move(cells[i]), i, binder);
  }
  return cells;
}

OperatorPtr InsertBinder::bindRows(const ast::Query& query) {
  auto values = std::make_unique<Values>();
  const size_t width = query.rows[0].size();
  std::vector<bool> nullable(width, false);
  for (size_t i = 0; i < width; ++i)
    is_generated_[i] = takesDefault(
        target(i),
        std::ranges::all_of(query.rows,
                            [i](const auto& row) { return i < row.size() && row[i]->kind == NodeKind::Default; }),
        overriding_);
  for (const auto& row : query.rows) {
    if (row.size() != width)
      throw SqlError(sqlstate::kSyntaxError, "VALUES lists must all be the same length").position(row[0]->position);
    values->rows.push_back(bindRow(row));
    for (size_t i = 0; i < width; ++i)
      if (values->rows.back()[i]->nullable) nullable[i] = true;
  }
  for (size_t i = 0; i < width; ++i) {
    const Iu unit = state_.plan->makeUnit(target(i).name, target_types_[i], nullable[i]);
    values->columns.push_back(unit);
    given_.push_back(Expression::column(unit));
  }
  return overSubqueries(*state_.plan, std::move(values), subqueries_);
}

}  // namespace gnomon::sql
