#include "sql/bind/updatable_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/algebra/rewrite.h"
#include "sql/bind/check_definition.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/set_functions.h"
#include "sql/bind/stored_expression.h"
#include "sql/bind/target_columns.h"
#include "sql/catalog/column_order.h"
#include "sql/catalog/dependent_keys.h"
#include "sql/functions/function_registry.h"
#include "sql/optimise/simplify.h"
#include "txn/table.h"

namespace gnomon::sql {
namespace {

using NodeKind = ast::Expression::Kind;
using Columns = std::vector<std::optional<uint32_t>>;

constexpr std::string_view kNotOneRelation =
    "Views that do not select from a single table or view are not automatically updatable.";
constexpr std::string_view kNotColumns = "View columns that are not columns of their base relation are not updatable.";

bool hasCall(const std::vector<ast::SelectItem>& items, const std::function<bool(const ast::Expression&)>& isMeant) {
  bool has = false;
  for (const ast::SelectItem& item : items)
    forEachNode(*item.expression, [&](const ast::Expression& node) { has = has || isMeant(node); });
  return has;
}

bool isAggregate(const ast::Expression& node) {
  return node.kind == NodeKind::Function && !node.over && !aggregateSignatures(node.names.back()).empty();
}
bool isWindow(const ast::Expression& node) {
  return node.kind == NodeKind::Function && node.over;
}
bool isSet(const ast::Expression& node) {
  return node.kind == NodeKind::Function && isSetFunction(node);
}

/// What its only item of FROM is, as the query calls it.
TablePtr relationOf(const CatalogView& catalog, const StoredReferences& references, const ast::Query& query) {
  if (query.from.size() != 1 || query.from.front()->kind != ast::FromItem::Kind::Table) return nullptr;
  const ast::RelationName& name = query.from.front()->relation;
  const StoredReference* const reference = references.find(name.schema);
  TablePtr table =
      reference != nullptr ? findTable(catalog, reference->oid) : catalog.findRelation(name.schema, name.name).stored();
  return table && !table->sequence && !table->materialized && !table->type ? table : nullptr;
}

/// What the query calls the columns of what it reads; empty: it does not know them.
std::vector<std::string> namesOf(const StoredReferences& references, const ast::FromItem& item,
                                 const TableEntry& read) {
  const StoredReference* const reference = references.find(item.relation.schema);
  std::vector<std::string> names(read.columns.size());
  size_t shown = 0;
  for (const uint32_t i : columnsInOrder(read)) {
    std::string& name = names[i];
    name = reference != nullptr ? reference->nameOf(i, read.columns[i].name) : read.columns[i].name;
    if (!name.empty() && shown < item.alias.columns.size()) name = item.alias.columns[shown];
    if (!name.empty()) ++shown;
  }
  return names;
}

std::optional<uint32_t> columnOf(const ast::Expression& node, const std::vector<std::string>& names) {
  if (node.kind != NodeKind::Column || node.is_star) return std::nullopt;
  const auto found = std::ranges::find(names, node.names.back());
  if (found == names.end()) return std::nullopt;
  return static_cast<uint32_t>(found - names.begin());
}

Columns columnsOf(const StoredReferences& references, const ast::Query& query, const TableEntry& read) {
  const std::vector<std::string> names = namesOf(references, *query.from.front(), read);
  Columns columns;
  for (const ast::SelectItem& item : query.items) columns.push_back(columnOf(*item.expression, names));
  return columns;
}

std::string_view reasonOf(const CatalogView& catalog, const StoredReferences& references, const ast::Query& query) {
  if (query.is_distinct || !query.distinct_on.empty())
    return "Views containing DISTINCT are not automatically updatable.";
  if (!query.group_by.empty() || !query.grouping_sets.empty())
    return "Views containing GROUP BY are not automatically updatable.";
  if (query.having) return "Views containing HAVING are not automatically updatable.";
  if (query.set_operation != ast::Query::SetOperation::None)
    return "Views containing UNION, INTERSECT, or EXCEPT are not automatically updatable.";
  if (!query.with.tables.empty()) return "Views containing WITH are not automatically updatable.";
  if (query.from.size() == 1 && query.from.front()->sample)
    return "Views containing TABLESAMPLE are not automatically updatable.";
  if (query.limit || query.offset) return "Views containing LIMIT or OFFSET are not automatically updatable.";
  if (hasCall(query.items, isAggregate))
    return "Views that return aggregate functions are not automatically updatable.";
  if (hasCall(query.items, isWindow)) return "Views that return window functions are not automatically updatable.";
  if (hasCall(query.items, isSet)) return "Views that return set-returning functions are not automatically updatable.";
  const TablePtr read = query.rows.empty() ? relationOf(catalog, references, query) : nullptr;
  if (!read) return kNotOneRelation;
  const Columns columns = columnsOf(references, query, *read);
  if (std::ranges::none_of(columns, [](const auto& column) { return column.has_value(); }))
    return "Views that have no updatable columns are not automatically updatable.";
  return {};
}

/// "insert into", "inserting into", "INSERT".
[[noreturn]] void raiseNotUpdatable(const std::string& view, TableUse use, std::string_view reason) {
  const bool is_insert = use == TableUse::Insert, is_update = use == TableUse::Update;
  const std::string_view verb = is_insert ? "insert into" : is_update ? "update" : "delete from";
  const std::string_view gerund = is_insert ? "inserting into" : is_update ? "updating" : "deleting from";
  const std::string_view event = is_insert ? "INSERT" : is_update ? "UPDATE" : "DELETE";
  throw SqlError(sqlstate::kObjectNotInPrerequisiteState, fmt::format("cannot {} view \"{}\"", verb, view))
      .detail(std::string(reason))
      .hint(fmt::format("To enable {} the view, provide an INSTEAD OF {} trigger or an unconditional ON {} DO INSTEAD "
                        "rule.",
                        gerund, event, event));
}

}  // namespace

std::string_view notUpdatableReason(const CatalogView& catalog, const ViewEntry& view) {
  const StoredReferences references(view.query);
  const StoredQuery query(references.sql());
  return reasonOf(catalog, references, query.tree());
}

std::vector<std::optional<uint32_t>> updatableColumns(const CatalogView& catalog, const ViewEntry& view,
                                                      size_t column_count) {
  const StoredReferences references(view.query);
  const StoredQuery query(references.sql());
  if (!reasonOf(catalog, references, query.tree()).empty()) return Columns(column_count);
  return columnsOf(references, query.tree(), *relationOf(catalog, references, query.tree()));
}

bool isUpdatable(const CatalogView& catalog, const TableEntry& view) {
  if (!view.view) return !view.sequence && !view.materialized;
  const StoredReferences references(view.view->query);
  const StoredQuery query(references.sql());
  if (!reasonOf(catalog, references, query.tree()).empty()) return false;
  return isUpdatable(catalog, *relationOf(catalog, references, query.tree()));
}

bool isColumnUpdatable(const CatalogView& catalog, const TableEntry& view, uint32_t column) {
  if (!view.view) return isUpdatable(catalog, view);
  const StoredReferences references(view.view->query);
  const StoredQuery query(references.sql());
  if (!reasonOf(catalog, references, query.tree()).empty()) return false;
  const TablePtr read = relationOf(catalog, references, query.tree());
  const Columns columns = columnsOf(references, query.tree(), *read);
  return column < columns.size() && columns[column] && isColumnUpdatable(catalog, *read, *columns[column]);
}

void requireCheckable(BindState& state, const ViewEntry& view, const std::vector<ColumnEntry>& /*columns*/) {
  const CatalogView& catalog = state.context.catalog;
  std::string_view reason = notUpdatableReason(catalog, view);
  TableEntry entry;
  entry.view = std::make_shared<const ViewEntry>(view);
  // A view that it reads may be the one that cannot be written through.
  if (reason.empty() && !isUpdatable(catalog, entry)) reason = kNotOneRelation;
  if (reason.empty()) return;
  throw SqlError(sqlstate::kFeatureNotSupported, "WITH CHECK OPTION is supported only on automatically updatable views")
      .hint(std::string(reason));
}

UpdatableView::UpdatableView(BindState& state, TablePtr view, TableUse use, const std::optional<TableEntry>& called)
    : state_(state), use_(use), names_(called ? called->columns : view->columns) {
  const CatalogView& catalog = state.context.catalog;
  state.addTable(view);
  ++state.view_depth;
  const Privilege right = use == TableUse::Insert   ? Privilege::Insert
                          : use == TableUse::Update ? Privilege::Update
                                                    : Privilege::Delete;
  state.access.add(view, right);
  while (view->view) {
    Level level;
    level.view = view;
    level.references = std::make_unique<StoredReferences>(view->view->query);
    level.query = std::make_unique<StoredQuery>(level.references->sql());
    const ast::Query& query = level.query->tree();
    const std::string_view reason = reasonOf(catalog, *level.references, query);
    if (!reason.empty()) raiseNotUpdatable(view->name, use, reason);
    if (query.items.size() != view->columns.size()) throwNotSupported("changing the rows of a view of (value).*");
    view = relationOf(catalog, *level.references, query);
    level.columns = columnsOf(*level.references, query, *view);
    std::vector<uint32_t> shown;
    for (const std::optional<uint32_t> column : level.columns)
      if (column) shown.push_back(*column);
    const uint32_t role_above = levels_.empty() ? state.access.role() : readerOf(*levels_.back().view);
    const AccessNotes::Owner owner(state.access, readerOf(*level.view));
    state.access.addBelow(view, right, *level.view, role_above, shown);
    state.addTable(view);
    levels_.push_back(std::move(level));
  }
  --state.view_depth;
  table_ = std::move(view);
  makeShape();
}

void UpdatableView::noteChange(Privilege right, const std::vector<uint32_t>& columns) {
  std::vector<uint32_t> changed = columns;
  for (size_t i = levels_.size(); i-- > 0;) {
    const Level& level = levels_[i];
    {
      const AccessNotes::Owner owner(state_.access, readerOf(*level.view));
      state_.access.add(i + 1 < levels_.size() ? levels_[i + 1].view : table_, right, changed);
    }
    std::vector<uint32_t> above;
    for (uint32_t column = 0; column < level.columns.size(); ++column)
      if (level.columns[column] && std::ranges::find(changed, *level.columns[column]) != changed.end())
        above.push_back(column);
    changed = std::move(above);
  }
  state_.access.add(levels_.front().view, right, changed);
}

/// Of defaults that several of the views have the outermost one's counts. DEFAULT in UPDATE is that of the outermost
/// view, as in PostgreSQL.
void UpdatableView::makeShape() {
  shape_ = *table_;
  if (use_ == TableUse::Update)
    for (ColumnEntry& column : shape_.columns)
      if (!column.is_generated) column.default_text.clear();
  shape_.name = name();
  shape_.schema = levels_.front().view->schema;
  std::vector<bool> has_default(shape_.columns.size(), false);
  const std::vector<ColumnEntry>& names = names_;
  for (uint32_t i = 0; i < names.size(); ++i) {
    std::optional<uint32_t> column = i;
    std::string default_text;
    for (const Level& level : levels_) {
      if (!column) break;
      if (default_text.empty() && (use_ == TableUse::Insert || &level == &levels_.front()))
        default_text = level.view->columns[*column].default_text;
      column = *column < level.columns.size() ? level.columns[*column] : std::nullopt;
    }
    columns_.push_back(column);
    if (!column || default_text.empty()) continue;
    shape_.columns[*column].default_text = std::move(default_text);
    shape_.columns[*column].identity = Identity::None;
    has_default[*column] = true;
  }
  for (uint32_t column = 0; column < shape_.columns.size(); ++column) {
    const auto shown = std::ranges::find(columns_, std::optional(column));
    shape_.columns[column].name =
        shown == columns_.end() ? std::string() : names[static_cast<size_t>(shown - columns_.begin())].name;
  }
  if (use_ != TableUse::Insert) return;
  // What inner views alone have defaults for.
  for (size_t i = 1; i < levels_.size(); ++i) {
    for (uint32_t c = 0; c < levels_[i].view->columns.size(); ++c) {
      const std::string& text = levels_[i].view->columns[c].default_text;
      std::optional<uint32_t> column = c;
      for (size_t below = i; below < levels_.size() && column; ++below)
        column = *column < levels_[below].columns.size() ? levels_[below].columns[*column] : std::nullopt;
      if (text.empty() || !column || has_default[*column]) continue;
      shape_.columns[*column].default_text = text;
      shape_.columns[*column].identity = Identity::None;
      has_default[*column] = true;
    }
  }
}

bool UpdatableView::isPlain() const {
  for (size_t i = 0; i < columns_.size(); ++i)
    if (!columns_[i] || std::find(columns_.begin(), columns_.begin() + static_cast<std::ptrdiff_t>(i), columns_[i]) !=
                            columns_.begin() + static_cast<std::ptrdiff_t>(i))
      return false;
  return true;
}

void UpdatableView::raiseComputed(const ast::ColumnName& column) const {
  throw SqlError(sqlstate::kFeatureNotSupported,
                 fmt::format("cannot {} column \"{}\" of view \"{}\"",
                             use_ == TableUse::Insert ? "insert into" : "update", column.name, name()))
      .detail(std::string(kNotColumns));
}

size_t UpdatableView::viewColumn(const ast::ColumnName& column) const {
  const std::vector<ColumnEntry>& columns = names_;
  const auto found = std::ranges::find(columns, column.name, &ColumnEntry::name);
  if (found == columns.end())
    throw SqlError(sqlstate::kUndefinedColumn,
                   fmt::format("column \"{}\" of relation \"{}\" does not exist", column.name, name()))
        .position(column.position);
  return static_cast<size_t>(found - columns.begin());
}

std::vector<uint32_t> UpdatableView::targets(const std::vector<ast::ColumnName>& names, size_t count) const {
  const std::vector<ColumnEntry>& columns = names_;
  std::vector<ast::ColumnName> wanted = names;
  if (names.empty())
    for (const ColumnEntry& column : columns)
      if (!column.isDropped()) wanted.push_back({column.name, -1});
  std::vector<size_t> numbers;
  for (const ast::ColumnName& column : wanted) {
    numbers.push_back(viewColumn(column));
    if (std::ranges::count(numbers, numbers.back()) > 1)
      throw SqlError(sqlstate::kDuplicateColumn, fmt::format("column \"{}\" specified more than once", column.name))
          .position(column.position);
  }
  std::vector<uint32_t> targets;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (names.empty() && i >= count) break;
    const std::optional<uint32_t> column = columns_[numbers[i]];
    if (!column) raiseComputed(wanted[i]);
    if (std::ranges::find(targets, *column) != targets.end())
      throw SqlError(sqlstate::kSyntaxError,
                     fmt::format("multiple assignments to same column \"{}\"", table_->columns[*column].name));
    targets.push_back(*column);
  }
  return targets;
}

std::vector<uint32_t> UpdatableView::targetsOfParts(const std::vector<ast::ColumnName>& names,
                                                    const std::vector<ast::TargetParts>& parts) const {
  TableEntry called = *levels_.front().view;
  called.columns = names_;
  resolveTargetColumns(called, names, parts);
  std::vector<uint32_t> targets;
  for (const ast::ColumnName& name : names) {
    const std::optional<uint32_t> column = columns_[viewColumn(name)];
    if (!column) raiseComputed(name);
    if (shape_.columns[*column].name != name.name)
      throwNotSupported("changing a column by one of two names that a view has for it", name.position);
    targets.push_back(*column);
  }
  return targets;
}

void UpdatableView::requireAssignable(const std::vector<ast::Assignment>& assignments) const {
  for (const ast::Assignment& assignment : assignments) {
    const std::optional<uint32_t> column = columns_[viewColumn(assignment.column)];
    if (!column) raiseComputed(assignment.column);
    if (shape_.columns[*column].name != assignment.column.name)
      throwNotSupported("changing a column by one of two names that a view has for it", assignment.column.position);
  }
}

bool UpdatableView::hasChecks() const {
  return std::ranges::any_of(levels_,
                             [](const Level& level) { return level.view->view->check_option != CheckOption::None; });
}

/// The view's query sees nothing of the statement around it.
template <typename Bind>
auto UpdatableView::inView(const Level& level, Bind&& bind) {
  auto common_tables = std::exchange(state_.common_tables, {});
  auto outer_levels = std::exchange(state_.outer_levels, {});
  auto aggregate_levels = std::exchange(state_.aggregate_levels, {});
  const StoredReferences* const outer = std::exchange(state_.references, level.references.get());
  state_.from_levels.emplace_back();
  ++state_.view_depth;
  const AccessNotes::Owner owner(state_.access, readerOf(*level.view));
  auto result = bind();
  --state_.view_depth;
  state_.from_levels.pop_back();
  state_.references = outer;
  state_.common_tables = std::move(common_tables);
  state_.outer_levels = std::move(outer_levels);
  state_.aggregate_levels = std::move(aggregate_levels);
  return result;
}

/// The names that the view's query has for a row of what it reads.
Scope UpdatableView::sourceScope(const Level& level, const TableEntry& read, const std::vector<Iu>& row) {
  const ast::FromItem& item = *level.query->tree().from.front();
  const std::vector<std::string> names = namesOf(*level.references, item, read);
  const bool is_aliased = !item.alias.name.empty();
  const StoredReference* const reference = level.references->find(item.relation.schema);
  Range range{.alias = is_aliased ? item.alias.name : item.relation.name,
              .table_name = item.relation.name,
              .columns = {},
              .is_aliased = is_aliased,
              .schema = reference != nullptr ? reference->schema : read.schema};
  range.relation = read.oid;
  for (size_t i = 0; i < row.size(); ++i)
    if (!names[i].empty()) range.columns.push_back({names[i], row[i]});
  Scope scope;
  scope.columns = range.columns;
  scope.ranges.push_back(std::move(range));
  return scope;
}

Scope UpdatableView::bindRow(const FromEntry& name, const std::vector<Iu>& row, OperatorPtr& tree, bool filters) {
  std::vector<Iu> units = row;
  for (size_t i = levels_.size(); i-- > 0;) {
    const Level& level = levels_[i];
    const TableEntry& read = i + 1 < levels_.size() ? *levels_[i + 1].view : *table_;
    const ast::Query& query = level.query->tree();
    units = inView(level, [&] {
      const Scope scope = sourceScope(level, read, units);
      if (filters && query.where) {
        SubqueryJoins subqueries;
        auto selection = std::make_unique<Selection>();
        selection->conditions.push_back(ExpressionBinder(state_, scope, {.name = "WHERE", .subqueries = &subqueries})
                                            .bindCondition(*query.where, "WHERE"));
        selection->inputs.push_back(subqueries.attach(std::move(tree)));
        tree = std::move(selection);
      }
      SubqueryJoins subqueries;
      ExpressionBinder binder(state_, scope, {.name = "SELECT", .subqueries = &subqueries});
      auto map = std::make_unique<Map>();
      std::vector<Iu> shown;
      for (size_t c = 0; c < query.items.size(); ++c) {
        if (level.columns[c]) {
          shown.push_back(units[*level.columns[c]]);
          continue;
        }
        ExpressionPtr value = binder.bind(*query.items[c].expression);
        value = binder.coercion().toType(std::move(value), level.view->columns[c].type, false);
        shown.push_back(state_.plan->makeUnit(level.view->columns[c].name, value->type, value->nullable));
        map->computed.push_back({shown.back(), std::move(value)});
      }
      tree = subqueries.attach(std::move(tree));
      if (map->computed.empty()) return shown;
      map->inputs.push_back(std::move(tree));
      tree = std::move(map);
      return shown;
    });
  }
  const TableEntry& view = *levels_.front().view;
  const bool is_aliased = !name.alias.empty();
  Range range{.alias = is_aliased ? name.alias : name.table_name,
              .table_name = name.table_name,
              .columns = {},
              .is_aliased = is_aliased,
              .schema = view.schema};
  range.relation = view.oid;
  for (size_t i = 0; i < units.size(); ++i) {
    state_.origins[units[i]] = {view.oid, static_cast<int16_t>(i + 1)};
    if (names_[i].isDropped()) continue;
    state_.unit_names[units[i]] = range.alias + "." + names_[i].name;
    range.columns.push_back({names_[i].name, units[i]});
  }
  Scope scope;
  scope.columns = range.columns;
  scope.ranges.push_back(std::move(range));
  return scope;
}

void UpdatableView::addChecks(RowChecks& checks) {
  if (!hasChecks()) return;
  auto result = std::make_shared<CheckExpressions>();
  std::vector<Iu> units;
  for (uint32_t i = 0; i < table_->columns.size(); ++i) {
    const ColumnEntry& column = table_->columns[i];
    units.push_back(&result->units.emplace_back(i, column.name, column.type, true));
  }
  if (checks.expressions) {
    std::vector<ExpressionPtr> columns;
    Substitution substitution;
    for (size_t i = 0; i < units.size(); ++i) {
      columns.push_back(Expression::column(units[i]));
      substitution.add(&checks.expressions->units[i], *columns.back());
    }
    for (const CheckExpressions::Check& check : checks.expressions->checks) {
      ExpressionPtr condition = check.condition->clone();
      substitution.apply(condition);
      result->checks.push_back({check.name, std::move(condition), check.columns, check.is_immutable});
    }
  }
  // From the innermost; a cascaded one counts for those that it reads as well.
  std::vector<bool> is_checked;
  bool is_cascaded = false;
  for (const Level& level : levels_) {
    const CheckOption option = level.view->view->check_option;
    is_cascaded = is_cascaded || option == CheckOption::Cascaded;
    is_checked.push_back(is_cascaded || option == CheckOption::Local);
  }
  std::vector<std::pair<Iu, ExpressionPtr>> computed;
  for (size_t i = levels_.size(); i-- > 0;) {
    const Level& level = levels_[i];
    const TableEntry& read = i + 1 < levels_.size() ? *levels_[i + 1].view : *table_;
    const ast::Query& query = level.query->tree();
    units = inView(level, [&] {
      const Scope scope = sourceScope(level, read, units);
      SubqueryJoins subqueries;
      ExpressionBinder binder(state_, scope, {.name = "WITH CHECK OPTION", .subqueries = &subqueries});
      Substitution substitution;
      for (const auto& [unit, value] : computed) substitution.add(unit, *value);
      const auto overTable = [&](ExpressionPtr expression) {
        if (!subqueries.empty()) throwNotSupported("WITH CHECK OPTION of a view with subqueries");
        substitution.apply(expression);
        return expression;
      };
      if (is_checked[i] && query.where) {
        std::vector<ExpressionPtr> tested;
        tested.push_back(overTable(binder.bindCondition(*query.where, "WHERE")));
        std::vector<Iu> mentioned;
        tested.front()->collectUnits(mentioned);
        CheckExpressions::Check check{.name = level.view->name, .condition = nullptr, .columns = {}};
        for (const Iu unit : mentioned) check.columns.push_back(unit->id);
        std::ranges::sort(check.columns);
        const auto repeated = std::ranges::unique(check.columns);
        check.columns.erase(repeated.begin(), repeated.end());
        check.condition = simplifyExpression(Expression::logic(Expression::Kind::IsTrue, std::move(tested)));
        check.is_immutable = false;
        check.is_of_view = true;
        checks.tested.push_back(static_cast<uint32_t>(result->checks.size()));
        result->checks.push_back(std::move(check));
      }
      std::vector<Iu> shown;
      std::vector<std::pair<Iu, ExpressionPtr>> added;
      for (size_t c = 0; c < query.items.size(); ++c) {
        if (level.columns[c]) {
          shown.push_back(units[*level.columns[c]]);
          continue;
        }
        // Nothing above reads the columns of the outermost view.
        ExpressionPtr value = i == 0 ? Expression::constant(Value::null(level.view->columns[c].type))
                                     : overTable(binder.bind(*query.items[c].expression));
        value = binder.coercion().toType(std::move(value), level.view->columns[c].type, false);
        shown.push_back(state_.plan->makeUnit(level.view->columns[c].name, value->type, value->nullable));
        added.emplace_back(shown.back(), std::move(value));
      }
      for (auto& each : added) computed.push_back(std::move(each));
      return shown;
    });
  }
  checks.expressions = std::move(result);
}

}  // namespace gnomon::sql
