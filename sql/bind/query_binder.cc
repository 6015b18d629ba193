#include "sql/bind/query_binder.h"

#include <fmt/format.h>

#include <algorithm>

#include <charconv>
#include <functional>
#include <ranges>
#include <unordered_map>
#include <utility>

#include "base/sql_error.h"
#include "sql/algebra/replace_equal.h"
#include "sql/algebra/rewrite.h"
#include "sql/algebra/row_numbers.h"
#include "sql/bind/collation.h"
#include "sql/bind/common_tables.h"
#include "sql/bind/comparable.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/result_name.h"
#include "sql/bind/row_lock_binder.h"
#include "sql/parse/identifier.h"

namespace gnomon::sql {
namespace {

using NodeKind = ast::Expression::Kind;

constexpr size_t kTargetEntriesMax = 1664;

bool isLiteral(const ast::Expression& node) {
  return node.kind == NodeKind::Float || node.kind == NodeKind::String || node.kind == NodeKind::Boolean ||
         node.kind == NodeKind::Null;
}

/// Adds row_number() or one of its kin to the window; its column.
Iu addRanking(Plan& plan, Window& window, WindowFunctionId function) {
  const Iu unit = plan.makeUnit("rank", Type::of(TypeKind::Bigint), false);
  window.functions.push_back({unit, function, {}, {}, {}});
  return unit;
}

ExpressionPtr compared(FunctionId comparison, Iu unit, ExpressionPtr value) {
  std::vector<ExpressionPtr> sides;
  sides.push_back(Expression::column(unit));
  sides.push_back(std::move(value));
  return Expression::call(comparison, Type::of(TypeKind::Boolean), std::move(sides));
}

}  // namespace

QueryBinder::Result QueryBinder::bindOperand(const ast::Query& query) {
  keeps_literals_ = !query.is_distinct && query.distinct_on.empty() && query.order_by.empty();
  return bind(query);
}

QueryBinder::Result QueryBinder::bind(const ast::Query& query, std::span<const Type> literal_types) {
  state_.from_levels.emplace_back();
  const CommonTables common_tables(state_, query.with);
  if (!query.rows.empty() && !query.locks.empty())
    throw SqlError(sqlstate::kFeatureNotSupported,
                   fmt::format("{} cannot be applied to VALUES", rowLockName(query.locks.front().strength)));
  if (query.set_operation != ast::Query::SetOperation::None)
    bindSetOperation(query);
  else if (query.rows.empty())
    bindSelect(query, literal_types);
  else
    bindValues(query, literal_types);
  Result result;
  bindLimit(query, result);
  state_.from_levels.pop_back();
  result.tree = std::move(tree_);
  result.locks = std::move(locks_);
  if (!result.locks.empty()) result.locking = rowLockName(query.locks.front().strength);
  for (size_t i = 0; i < visible_items_; ++i)
    result.columns.push_back(
        {items_[i].name, items_[i].iu, items_[i].position, items_[i].iu ? nullptr : std::move(items_[i].expression)});
  return result;
}

void QueryBinder::bindSelect(const ast::Query& query, std::span<const Type> literal_types) {
  const bool reads_around = std::exchange(state_.reads_recursion, false);
  FromBinder::Result from = FromBinder(state_).bind(query.from);
  const bool reads_recursion = std::exchange(state_.reads_recursion, reads_around);
  tree_ = std::move(from.tree);
  scope_ = std::move(from.scope);
  if (!query.locks.empty()) locks_ = bindRowLocks(state_, query, *tree_, scope_);
  if (query.where) {
    SubqueryJoins subqueries;
    const Clause clause{.name = "WHERE", .subqueries = &subqueries};
    ExpressionPtr condition = ExpressionBinder(state_, scope_, clause).bindCondition(*query.where, "WHERE");
    tree_ = subqueries.attach(std::move(tree_));
    push<Selection>().conditions.push_back(std::move(condition));
  }
  aggregation_ = std::make_unique<Aggregation>();
  windows_.define(query.windows);
  bindItems(query.items, "SELECT", literal_types);
  visible_items_ = items_.size();
  ExpressionPtr having;
  if (query.having)
    having =
        ExpressionBinder(state_, scope_, clauseOf("HAVING", having_subqueries_)).bindCondition(*query.having, "HAVING");
  bindOrder(query);
  bindDistinctOn(query);
  for (const auto& window : query.windows)
    ExpressionBinder(state_, scope_, clauseOf("SELECT", subqueries_)).checkWindow(*window);
  bindGroups(query);
  const bool is_grouped = !query.group_by.empty() || has_grouping_sets_ || having ||
                          !aggregation_->aggregates.empty() || !groupings_.empty();
  if (is_grouped && !query.locks.empty())
    throw SqlError(sqlstate::kFeatureNotSupported, fmt::format("{} is not allowed with aggregate functions",
                                                               rowLockName(query.locks.front().strength)));
  if (reads_recursion && !aggregation_->aggregates.empty())
    throw SqlError(sqlstate::kInvalidRecursion,
                   "aggregate functions are not allowed in a recursive query's recursive term");
  if (is_grouped) group(std::move(having));
  attachWindows(query);
  requireEntryCount();
  if (!query.is_distinct) computeSortKeys();
  computeItems();
  if (query.is_distinct) {
    for (size_t i = 0; i < visible_items_; ++i)
      requireEquality(items_[i].expression->type, leftmostPosition(*items_[i].expression));
    removeDuplicates();
  }
  if (!distinct_on_.empty()) keepFirst();
  sort();
}

/// Window functions are computed over the rows of the query, before duplicates are removed.
void QueryBinder::attachWindows(const ast::Query& query) {
  if (!windows_.empty() && !query.locks.empty())
    throw SqlError(sqlstate::kFeatureNotSupported,
                   fmt::format("{} is not allowed with window functions", rowLockName(query.locks.front().strength)));
  readWindowKeys();
  SubqueryJoins over_sets, over_windows;
  subqueries_.moveReading(sets_.units(), over_sets);
  subqueries_.moveReading(windows_.units(), over_windows);
  sets_.forEachExpression([&](ExpressionPtr& expression) {
    std::vector<Iu> read;
    expression->collectUnits(read);
    if (std::ranges::any_of(read, [&](Iu unit) { return over_sets.adds(unit); }))
      throwNotSupported("a set-returning function over a subquery that reads another one");
  });
  tree_ = subqueries_.attach(std::move(tree_));
  computeWindowKeys();
  tree_ = over_windows.attach(windows_.attach(std::move(tree_)));
  if (!sets_.empty() && !query.locks.empty())
    throw SqlError(sqlstate::kFeatureNotSupported,
                   fmt::format("{} is not allowed with set-returning functions in the target list",
                               rowLockName(query.locks.front().strength)));
  tree_ = over_sets.attach(sets_.attach(std::move(tree_), [](Iu) { return true; }));
}

/// Calls that windows are partitioned or ordered by are the first that are written alike, in the select list or there.
void QueryBinder::readWindowKeys() {
  if (calls_.repeated().empty() || windows_.empty()) return;
  std::vector<ExpressionPtr> known;
  for (const Item& item : items_) known.push_back(item.expression->clone());
  windows_.forEachKey([&](ExpressionPtr& key) {
    const auto same = std::ranges::find_if(known, [&](const ExpressionPtr& each) { return isSame(*each, *key); });
    if (same == known.end()) return known.push_back(key->clone());
    const int32_t position = key->position;
    key = (*same)->clone();
    key->position = position;
  });
  std::vector<Iu> units;
  const auto read = [&](const ExpressionPtr& expression) { expression->collectUnits(units); };
  for (const Item& item : items_) read(item.expression);
  windows_.forEachExpression(read);
  sets_.forEachExpression(read);
  subqueries_.dropUnread(calls_.repeated(), UnitSet(units.begin(), units.end()));
}

/// What is volatile and orders a window is one value wherever the query says the same.
void QueryBinder::computeWindowKeys() {
  auto map = std::make_unique<Map>();
  for (ExpressionPtr& key : windows_.volatileKeys()) {
    if (std::ranges::any_of(map->computed, [&](const auto& known) { return known.expression->equals(*key); })) continue;
    const Iu unit = state_.plan->makeUnit("key", key->type, key->nullable);
    const auto read = [&](ExpressionPtr& expression) { replaceEqual(expression, *key, unit); };
    windows_.forEachExpression(read);
    sets_.forEachExpression(read);
    for (Item& item : items_) read(item.expression);
    map->computed.push_back({unit, std::move(key)});
  }
  if (map->computed.empty()) return;
  map->inputs.push_back(std::move(tree_));
  tree_ = std::move(map);
}

bool QueryBinder::isSame(const Expression& one, const Expression& other) const {
  if (one.equals(other)) return true;
  if (calls_.repeated().empty() && windows_.repeated().empty()) return false;
  const auto withFirst = [&](const Expression& expression) {
    ExpressionPtr result = expression.clone();
    renameUnits(*result, calls_.repeated());
    renameUnits(*result, windows_.repeated());
    return result;
  };
  return withFirst(one)->equals(*withFirst(other));
}

/// A clause whose expressions stand over the groups, if there are any.
Clause QueryBinder::clauseOf(std::string_view name, SubqueryJoins& subqueries) {
  Clause clause{name, aggregation_.get(), &subqueries, &argument_subqueries_};
  if (aggregation_ && (name == "SELECT" || name == "ORDER BY" || name == "DISTINCT ON")) clause.windows = &windows_;
  if (aggregation_ && (name == "SELECT" || name == "ORDER BY" || name == "DISTINCT ON")) clause.sets = &sets_;
  if (clause.sets != nullptr || (aggregation_ && name == "HAVING")) clause.calls = &calls_;
  if (aggregation_ && !is_set_operation_) clause.groupings = &groupings_;
  return clause;
}

QueryBinder::Result QueryBinder::bindReturning(const std::vector<ast::SelectItem>& items, OperatorPtr tree,
                                               Scope scope) {
  tree_ = std::move(tree);
  scope_ = std::move(scope);
  bindItems(items, "RETURNING", {});
  if (items_.empty())
    throw SqlError(sqlstate::kSyntaxError, "RETURNING must have at least one column").position(items[0].position);
  tree_ = subqueries_.attach(std::move(tree_));
  requireEntryCount();
  computeItems();
  Result result;
  result.tree = std::move(tree_);
  for (const Item& item : items_) result.columns.push_back({item.name, item.iu, item.position});
  return result;
}

void QueryBinder::requireEntryCount() const {
  if (items_.size() > kTargetEntriesMax)
    throw SqlError(sqlstate::kTooManyColumns,
                   fmt::format("target lists can have at most {} entries", kTargetEntriesMax));
}

void QueryBinder::bindItems(const std::vector<ast::SelectItem>& items, std::string_view clause,
                            std::span<const Type> literal_types) {
  ExpressionBinder binder(state_, scope_, clauseOf(clause, subqueries_));
  for (const ast::SelectItem& node : items) {
    if (node.expression->kind == NodeKind::Column && node.expression->is_star) {
      auto fields = binder.bindVariableFields(*node.expression);
      for (auto& [name, value] : fields) items_.push_back({name, std::move(value), nullptr, node.position});
      if (!fields.empty()) continue;
      addStar(*node.expression, clause);
      continue;
    }
    if (node.expression->kind == NodeKind::Field && node.expression->is_star) {
      for (auto& [name, value] : binder.bindAllFields(*node.expression))
        items_.push_back({name, std::move(value), nullptr, node.position});
      continue;
    }
    Item item;
    item.name = node.alias.empty() ? resultName(*node.expression) : node.alias;
    item.position = node.position;
    item.expression = binder.bind(*node.expression);
    const size_t index = items_.size();
    if (item.expression->type.kind == TypeKind::Unknown && index < literal_types.size())
      item.expression = coercion_.toType(std::move(item.expression), literal_types[index], false);
    items_.push_back(std::move(item));
  }
  for (Item& item : items_)
    if (!isKeptLiteral(*item.expression)) item.expression = coercion_.settle(std::move(item.expression));
}

bool QueryBinder::isKeptLiteral(const Expression& expression) const {
  return keeps_literals_ && expression.type.kind == TypeKind::Unknown &&
         (expression.isConstant() || expression.kind == Expression::Kind::Parameter);
}

void QueryBinder::addStar(const ast::Expression& star, std::string_view clause) {
  if (star.names.empty() && scope_.ranges.empty())
    throw SqlError(sqlstate::kSyntaxError, fmt::format("{} * with no tables specified is not valid", clause))
        .position(star.position);
  const auto& columns = star.names.empty() ? scope_.columns : rangeOfStar(star).columns;
  if (state_.stars && state_.view_depth == 0)
    state_.stars->push_back({star.position, star.names.size(), columnsText(columns)});
  for (const ScopeColumn& column : columns) {
    state_.noteRead(column.iu);
    ExpressionPtr expression = Expression::column(column.iu);
    expression->position = star.position;
    items_.push_back({column.name, std::move(expression), nullptr, star.position});
  }
}

/// As SQL, each with the name of its item of FROM unless several share it.
std::string QueryBinder::columnsText(const std::vector<ScopeColumn>& columns) const {
  std::string text;
  for (const ScopeColumn& column : columns) {
    const Range* range = scope_.rangeWith(column.name, column.iu);
    for (auto level = state_.outer_levels.rbegin(); !range && level != state_.outer_levels.rend(); ++level)
      range = level->scope->rangeWith(column.name, column.iu);
    if (!text.empty()) text += ", ";
    if (range) text += quotedIdentifier(range->alias) + ".";
    text += quotedIdentifier(column.name);
  }
  return text;
}

/// Of this query, or of those around it.
const Range& QueryBinder::rangeOfStar(const ast::Expression& star) const {
  if (const Range* const range = scope_.findRange(star.names)) return *range;
  for (const OuterLevel& level : state_.outer_levels | std::views::reverse)
    if (const Range* const range = level.scope->findRange(star.names)) return *range;
  return scope_.range(star.names, state_.from_levels, star.position);
}

int64_t QueryBinder::findItem(const ast::Expression& node, std::string_view clause) const {
  if (isLiteral(node))
    throw SqlError(sqlstate::kSyntaxError, fmt::format("non-integer constant in {}", clause)).position(node.position);
  if (node.kind == NodeKind::Integer) {
    int64_t ordinal = 0;
    std::from_chars(node.text.data(), node.text.data() + node.text.size(), ordinal);
    if (ordinal < 1 || ordinal > static_cast<int64_t>(visible_items_))
      throw SqlError(sqlstate::kInvalidColumnReference,
                     fmt::format("{} position {} is not in select list", clause, ordinal))
          .position(node.position);
    return ordinal - 1;
  }
  if (node.kind != NodeKind::Column || node.names.size() != 1 || node.is_star) return -1;
  int64_t found = -1;
  for (size_t i = 0; i < visible_items_; ++i) {
    if (items_[i].name != node.names[0]) continue;
    if (found >= 0 && !items_[static_cast<size_t>(found)].expression->equals(*items_[i].expression))
      throw SqlError(sqlstate::kAmbiguousColumn, fmt::format("{} \"{}\" is ambiguous", clause, node.names[0]))
          .position(node.position);
    if (found < 0) found = static_cast<int64_t>(i);
  }
  return found;
}

size_t QueryBinder::findSortItem(const ast::Expression& node, bool is_distinct, std::string_view clause) {
  if (const int64_t found = findItem(node, clause); found >= 0) return static_cast<size_t>(found);
  ExpressionBinder binder(state_, scope_, clauseOf(clause, subqueries_));
  const size_t subqueries_before = subqueries_.joins().size();
  ExpressionPtr expression = coercion_.settle(binder.bind(node));
  if (is_set_operation_)
    throw SqlError(sqlstate::kFeatureNotSupported, "invalid UNION/INTERSECT/EXCEPT ORDER BY clause")
        .detail("Only result column names can be used, not expressions or functions.")
        .hint("Add the expression/function to every SELECT, or move the UNION into a FROM clause.")
        .position(leftmostPosition(*expression));
  for (size_t i = 0; i < items_.size(); ++i)
    if (isSame(*items_[i].expression, *expression)) {
      subqueries_.truncate(subqueries_before);
      windows_.dropRepeated(*expression);
      return i;
    }
  if (is_distinct)
    throw SqlError(sqlstate::kInvalidColumnReference,
                   "for SELECT DISTINCT, ORDER BY expressions must appear in select list")
        .position(leftmostPosition(*expression));
  items_.push_back({"?column?", std::move(expression), nullptr, node.position});
  return items_.size() - 1;
}

void QueryBinder::bindOrder(const ast::Query& query) {
  for (const ast::SortItem& sort_item : query.order_by) {
    const size_t item = findSortItem(*sort_item.expression, query.is_distinct, "ORDER BY");
    ExpressionBinder(state_, scope_, {})
        .requireSortable(sort_item, *items_[item].expression, sort_item.expression->position);
    order_.push_back({item, keyItem(item), sort_item.descending, sort_item.nulls_first});
  }
}

/// The item by which rows are sorted in the order of this one.
size_t QueryBinder::keyItem(size_t item) {
  if (!state_.has_collations || !isCollatable(items_[item].expression->type)) return item;
  const Expression& value = *items_[item].expression;
  ExpressionPtr key = orderKey(value.clone());
  if (key->function != FunctionId::CollationKey) return item;
  if (value.isVolatile()) throwNotSupported("the order of a volatile expression by a collation of ICU", value.position);
  for (size_t i = 0; i < items_.size(); ++i)
    if (items_[i].expression->equals(*key)) return i;
  items_.push_back({"?column?", std::move(key), nullptr, value.position});
  return items_.size() - 1;
}

/// Failure: 42P10 when the order does not begin with these expressions.
void QueryBinder::bindDistinctOn(const ast::Query& query) {
  std::vector<int32_t> positions;
  for (const ast::ExpressionPtr& node : query.distinct_on) {
    const size_t item = findSortItem(*node, false, "DISTINCT ON");
    requireOrdering(items_[item].expression->type, node->position);
    if (std::ranges::find(distinct_on_, item) != distinct_on_.end()) continue;
    distinct_on_.push_back(item);
    const bool is_name = node->kind == NodeKind::Column || node->kind == NodeKind::Integer;
    positions.push_back(is_name ? node->position : leftmostPosition(*items_[item].expression));
  }
  const auto orderPosition = [&](size_t item) {
    return static_cast<size_t>(std::ranges::find(order_, item, &SortEntry::item) - order_.begin());
  };
  const auto is_other = [&](const SortEntry& entry) {
    return std::ranges::find(distinct_on_, entry.item) == distinct_on_.end();
  };
  const auto first_other = static_cast<size_t>(std::ranges::find_if(order_, is_other) - order_.begin());
  for (size_t i = 0; i < distinct_on_.size(); ++i)
    if (first_other < order_.size() && orderPosition(distinct_on_[i]) > first_other)
      throw SqlError(sqlstate::kInvalidColumnReference,
                     "SELECT DISTINCT ON expressions must match initial ORDER BY expressions")
          .position(positions[i]);
}

/// DISTINCT ON: the first row of those that are equal there.
void QueryBinder::keepFirst() {
  Window& window = push<Window>();
  for (const size_t item : distinct_on_) window.partition.push_back(Expression::column(items_[item].iu));
  for (const SortEntry& entry : order_)
    window.order.push_back({Expression::column(items_[entry.key].iu), entry.descending, entry.nulls_first});
  const Iu number = addRanking(*state_.plan, window, WindowFunctionId::RowNumber);
  push<Selection>().conditions.push_back(
      compared(FunctionId::Equal, number, Expression::constant(Value::fromInt(number->type, 1))));
}

/// Rows are sorted before what else is volatile is computed: where that says what they are sorted by, it is that value.
void QueryBinder::computeSortKeys() {
  if (order_.empty()) return;
  std::vector<size_t> keys = distinct_on_;
  for (const SortEntry& entry : order_) keys.push_back(entry.item);
  const bool has_repeated = !calls_.repeated().empty() || !windows_.repeated().empty();
  const std::function<bool(ExpressionPtr&, const Expression&, const Expression&)> readAs =
      [&](ExpressionPtr& expression, const Expression& key, const Expression& value) {
        if (isSame(key, *expression)) {
          const int32_t position = expression->position;
          expression = value.clone();
          expression->position = position;
          return true;
        }
        bool is_read = false;
        for (ExpressionPtr& child : expression->children) is_read = readAs(child, key, value) || is_read;
        return is_read;
      };
  auto map = std::make_unique<Map>();
  for (const size_t number : keys) {
    ExpressionPtr key = items_[number].expression->clone();
    const bool is_volatile = key->isVolatile();
    if (!is_volatile && (!has_repeated || key->isConstant())) continue;
    const Iu unit = is_volatile ? state_.plan->makeUnit("key", key->type, key->nullable) : nullptr;
    const ExpressionPtr value = is_volatile ? Expression::column(unit) : key->clone();
    bool is_read = false;
    for (size_t i = 0; i < items_.size(); ++i)
      if (std::ranges::find(keys, i) == keys.end()) is_read = readAs(items_[i].expression, *key, *value) || is_read;
    if (!is_read || !is_volatile) continue;
    items_[number].expression = value->clone();
    map->computed.push_back({unit, std::move(key)});
  }
  if (map->computed.empty()) return;
  map->inputs.push_back(std::move(tree_));
  tree_ = std::move(map);
}

void QueryBinder::computeItems() {
  auto map = std::make_unique<Map>();
  // Columns of queries around this one are computed here.
  const UnitSet below = unitSet(*tree_);
  for (Item& item : items_) {
    if (item.expression->kind == Expression::Kind::Column && below.contains(item.expression->iu)) {
      item.iu = item.expression->iu;
      continue;
    }
    if (isKeptLiteral(*item.expression)) continue;
    item.iu = state_.plan->makeUnit(item.name, item.expression->type, item.expression->nullable);
    if (item.iu->type.isRecord() && item.iu->type.definition() == 0)
      state_.record_shapes[item.iu] = ExpressionBinder(state_, scope_, {}).fieldsOf(*item.expression, "");
    map->computed.push_back({item.iu, item.expression->clone()});
  }
  if (map->computed.empty()) return;
  map->inputs.push_back(std::move(tree_));
  tree_ = std::move(map);
}

void QueryBinder::removeDuplicates() {
  std::unordered_map<Iu, Iu> keys;
  auto distinct = std::make_unique<Aggregation>();
  for (Item& item : items_) {
    Iu& key = keys[item.iu];
    if (key == nullptr) {
      key = state_.plan->makeUnit(item.iu->name, item.iu->type, item.iu->nullable);
      state_.inherit(key, item.iu);
      distinct->keys.push_back({key, Expression::column(item.iu)});
    }
    item.iu = key;
  }
  if (distinct->keys.empty()) throwNotSupported("an empty SELECT DISTINCT list");
  distinct->inputs.push_back(std::move(tree_));
  tree_ = std::move(distinct);
}

void QueryBinder::sort() {
  if (order_.empty()) return;
  Sort& sort = push<Sort>();
  for (const SortEntry& entry : order_)
    sort.keys.push_back({Expression::column(items_[entry.key].iu), entry.descending, entry.nulls_first});
}

void QueryBinder::bindLimit(const ast::Query& query, Result& result) {
  SubqueryJoins subqueries;
  ExpressionPtr offset = query.offset ? bindLimitValue(*query.offset, "OFFSET", subqueries) : nullptr;
  ExpressionPtr limit = query.limit ? bindLimitValue(*query.limit, "LIMIT", subqueries) : nullptr;
  if (!limit && query.has_ties)
    throw SqlError(sqlstate::kInvalidRowCountInLimitClause,
                   "row count cannot be null in FETCH FIRST ... WITH TIES clause");
  if (!limit && !offset) return;
  const auto reads_rows = [](const ExpressionPtr& count) { return count && !readsNone(*count); };
  if (query.has_ties || reads_rows(limit) || reads_rows(offset))
    return limitByNumber(query, std::move(limit), std::move(offset), subqueries);
  const auto skips = [](const Output::RowLock& lock) { return lock.policy == RowLockPolicy::SkipLocked; };
  if (std::ranges::any_of(locks_, skips)) {
    result.limit = std::move(limit);
    result.offset = std::move(offset);
    return;
  }
  Limit& op = push<Limit>();
  op.limit = std::move(limit);
  op.offset = std::move(offset);
}

/// Counts that subqueries, parameters or queries around this one say, as columns of one row beside the rows.
void QueryBinder::computeCounts(std::initializer_list<ExpressionPtr*> counts, SubqueryJoins& subqueries) {
  auto map = std::make_unique<Map>();
  for (ExpressionPtr* const count : counts) {
    if (!*count || (*count)->isConstant()) continue;
    const Iu unit = state_.plan->makeUnit("count", (*count)->type, (*count)->nullable);
    map->computed.push_back({unit, std::exchange(*count, Expression::column(unit))});
  }
  if (map->computed.empty()) return;
  auto row = std::make_unique<Values>();
  row->rows.emplace_back();
  map->inputs.push_back(subqueries.attach(std::move(row)));
  Join& join = push<Join>();
  join.inputs.push_back(std::move(map));
}

/// The order in which the rows come, as far as it is known.
std::vector<SortKey> QueryBinder::orderOfRows() const {
  std::vector<SortKey> order;
  const Operator* below = tree_.get();
  while (below->kind == Operator::Kind::Map || below->kind == Operator::Kind::Selection) below = below->inputs[0].get();
  if (below->kind != Operator::Kind::Sort) return order;
  for (const SortKey& key : static_cast<const Sort&>(*below).keys)
    order.push_back({key.expression->clone(), key.descending, key.nulls_first});
  return order;
}

/// Rows behind the offset whose number, or WITH TIES whose rank, is that of one of the first `limit` behind it.
void QueryBinder::limitByNumber(const ast::Query& query, ExpressionPtr limit, ExpressionPtr offset,
                                SubqueryJoins& subqueries) {
  if (!locks_.empty() && query.has_ties) throwNotSupported("WITH TIES with row locks", query.limit->position);
  if (std::ranges::any_of(locks_, [](const auto& lock) { return lock.policy == RowLockPolicy::SkipLocked; }))
    throwNotSupported("SKIP LOCKED with a subquery in LIMIT or OFFSET");
  if (limit) limit = checkedLimit(std::move(limit));
  if (offset) offset = checkedOffset(std::move(offset));
  OperatorPtr sort;
  std::vector<SortKey> order = orderOfRows();
  if (tree_->kind == Operator::Kind::Sort) {
    sort = std::move(tree_);
    tree_ = std::move(sort->inputs[0]);
  }
  Window& window = push<Window>();
  window.order = std::move(order);
  const Iu number = addRanking(*state_.plan, window, WindowFunctionId::RowNumber);
  const Iu counted = query.has_ties ? addRanking(*state_.plan, window, WindowFunctionId::Rank) : number;
  computeCounts({&limit, &offset}, subqueries);
  push<Selection>().conditions = limitConditions(number, counted, limit.get(), offset.get());
  if (!sort) return;
  sort->inputs[0] = std::move(tree_);
  tree_ = std::move(sort);
}

ExpressionPtr QueryBinder::bindLimitValue(const ast::Expression& node, std::string_view clause,
                                          SubqueryJoins& subqueries) {
  const Scope none;
  const Scope& scope = is_set_operation_ ? none : scope_;
  SubqueryJoins own;
  ExpressionPtr value = ExpressionBinder(state_, scope, {.name = clause, .subqueries = &own}).bind(node);
  value = coercion_.require(std::move(value), TypeKind::Bigint, clause);
  if (readsScope(*value, own, scope))
    throw SqlError(sqlstate::kInvalidColumnReference, fmt::format("argument of {} must not contain variables", clause))
        .position(leftmostPosition(*value));
  own.moveAll(subqueries);
  return value->isConstant() && value->value.is_null ? nullptr : std::move(value);
}

void QueryBinder::bindValues(const ast::Query& query, std::span<const Type> literal_types) {
  const size_t width = query.rows[0].size();
  auto values = std::make_unique<Values>();
  ExpressionBinder binder(state_, scope_, {.name = "VALUES", .subqueries = &subqueries_});
  for (const auto& row : query.rows) {
    if (row.size() != width)
      throw SqlError(sqlstate::kSyntaxError, "VALUES lists must all be the same length").position(row[0]->position);
    auto& bound = values->rows.emplace_back();
    for (const ast::ExpressionPtr& node : row) bound.push_back(binder.bind(*node));
  }
  for (size_t column = 0; column < width; ++column) {
    std::vector<ExpressionPtr*> cells;
    for (auto& row : values->rows) {
      ExpressionPtr& cell = row[column];
      if (query.rows.size() == 1 && cell->type.kind == TypeKind::Unknown && column < literal_types.size())
        cell = coercion_.toType(std::move(cell), literal_types[column], false);
      cells.push_back(&cell);
    }
    const Type type = coercion_.unify(cells, "VALUES");
    bool nullable = false;
    for (ExpressionPtr* cell : cells) nullable = nullable || (*cell)->nullable;
    std::string name = "column" + std::to_string(column + 1);
    const Iu unit = state_.plan->makeUnit(name, type, nullable);
    values->columns.push_back(unit);
    state_.unit_names[unit] = "*VALUES*." + name;
    scope_.columns.push_back({name, unit});
    items_.push_back({std::move(name), Expression::column(unit), unit, query.rows[0][column]->position});
  }
  tree_ = overSubqueries(*state_.plan, std::move(values), subqueries_);
  visible_items_ = items_.size();
  bindOrder(query);
  computeItems();
  sort();
}

}  // namespace gnomon::sql
