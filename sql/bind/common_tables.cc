#include "sql/bind/common_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <string_view>
#include <utility>

#include "base/sql_error.h"
#include "sql/algebra/copy_tree.h"
#include "sql/algebra/rewrite.h"
#include "sql/bind/change_binder.h"
#include "sql/bind/coercion.h"
#include "sql/bind/comparable.h"
#include "sql/bind/insert_binder.h"
#include "sql/parse/ast_statement.h"

namespace gnomon::sql {
namespace {

/// What could be named where the table stands, while it lives. What becomes of these tables meanwhile stays.
class Surroundings {
 public:
  Surroundings(BindState& state, size_t tables, size_t levels)
      : state_(state), tables_(state.common_tables), levels_(state.outer_levels) {
    state.common_tables.resize(tables);
    state.outer_levels.resize(levels);
  }
  ~Surroundings() {
    const size_t known = std::min(tables_.size(), state_.common_tables.size());
    std::copy_n(state_.common_tables.begin(), known, tables_.begin());
    state_.common_tables = std::move(tables_);
    state_.outer_levels = std::move(levels_);
  }
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;

 private:
  BindState& state_;
  std::vector<CommonTableScope> tables_;
  std::vector<OuterLevel> levels_;
};

void requireColumns(const ast::CommonTable& table, size_t count) {
  if (table.columns.size() > count)
    throw SqlError(sqlstate::kInvalidColumnReference,
                   fmt::format("WITH query \"{}\" has {} columns available but {} columns specified", table.name, count,
                               table.columns.size()))
        .position(table.position);
}

OperatorPtr bindChange(BindState& state, const ast::Statement& statement) {
  if (const auto* insert = std::get_if<ast::Insert>(&statement.body)) return InsertBinder(state).bind(*insert);
  if (const auto* update = std::get_if<ast::Update>(&statement.body)) return ChangeBinder(state).bind(*update);
  return ChangeBinder(state).bind(std::get<ast::Delete>(statement.body));
}

/// The columns get the table's names.
void nameColumns(const ast::CommonTable& table, QueryBinder::Result& query) {
  requireColumns(table, query.columns.size());
  for (size_t i = 0; i < table.columns.size(); ++i) query.columns[i].name = table.columns[i];
}

std::unique_ptr<Output> outputOf(QueryBinder::Result query) {
  auto output = std::make_unique<Output>();
  for (QueryBinder::Column& column : query.columns) output->columns.push_back({column.name, column.iu});
  output->inputs.push_back(std::move(query.tree));
  output->locks = std::move(query.locks);
  output->limit = std::move(query.limit);
  output->offset = std::move(query.offset);
  return output;
}

const SharedPlan* share(BindState& state, const std::string& name, QueryBinder::Result query, bool is_separate) {
  state.plan->shared.push_back({.name = name, .root = outputOf(std::move(query)), .is_separate = is_separate});
  return &state.plan->shared.back();
}

QueryBinder::Result scanOf(BindState& state, const SharedPlan& shared) {
  auto scan = std::make_unique<SharedScan>();
  scan->source = &shared;
  QueryBinder::Result result;
  const auto& columns = static_cast<const Output&>(*shared.root).columns;
  for (size_t i = 0; i < columns.size(); ++i) {
    const Iu below = columns[i].iu;
    const Iu unit = state.plan->makeUnit(columns[i].name, below->type, below->nullable);
    state.inherit(unit, below);
    scan->columns.push_back({i, unit});
    result.columns.push_back({columns[i].name, unit, -1});
  }
  result.tree = std::move(scan);
  return result;
}

QueryBinder::Result bindQuery(BindState& state, const ast::CommonTable& table) {
  QueryBinder::Result query = QueryBinder(state).bind(*table.query);
  shareLocking(state, query);
  nameColumns(table, query);
  return query;
}

SqlError recursionError(std::string text, int32_t position) {
  return std::move(SqlError(sqlstate::kInvalidRecursion, std::move(text)).position(position));
}

bool isInSubquery(const BindState& state, const CommonTableScope& scope) {
  return std::any_of(state.outer_levels.begin() + static_cast<std::ptrdiff_t>(scope.outer_levels),
                     state.outer_levels.end(), [](const OuterLevel& level) { return !level.is_lateral; });
}

/// A reference to a table whose query is not bound yet.
QueryBinder::Result readUnbound(BindState& state, CommonTableScope& scope, int32_t position) {
  using State = CommonTableScope::State;
  const std::string& name = scope.table->name;
  const auto misplaced = [&](std::string_view where) {
    return recursionError(fmt::format("recursive reference to query \"{}\" must not appear {}", name, where), position);
  };
  if (scope.state == State::NotUnion)
    throw recursionError(
        fmt::format("recursive query \"{}\" does not have the form non-recursive-term UNION [ALL] recursive-term",
                    name),
        scope.table->position);
  if (scope.state == State::Change)
    throw recursionError(fmt::format("recursive query \"{}\" must not contain data-modifying statements", name),
                         scope.table->position);
  // In the WITH of its own query.
  if (scope.state == State::Later) throw misplaced("within a subquery");
  if (scope.state == State::NonRecursiveTerm) throw misplaced("within its non-recursive term");
  if (isInSubquery(state, scope)) throw misplaced("within a subquery");
  if (!state.recursion_barrier.empty()) throw misplaced(fmt::format("within {}", state.recursion_barrier));
  if (scope.is_read) throw misplaced("more than once");
  scope.is_read = true;
  state.reads_recursion = true;
  auto scan = std::make_unique<WorkingScan>();
  scan->recursion = scope.recursion;
  QueryBinder::Result result;
  for (size_t i = 0; i < scope.recursion->columns.size(); ++i) {
    const Iu column = scope.recursion->columns[i];
    const Iu unit = state.plan->makeUnit(column->name, column->type, column->nullable);
    scan->columns.push_back({i, unit});
    result.columns.push_back({column->name, unit, -1});
  }
  result.tree = std::move(scan);
  return result;
}

/// A reference to a table without a shared plan. Failure: 0A000 for a second one to what may be executed only once.
QueryBinder::Result copyOf(BindState& state, CommonTableScope& scope) {
  if (scope.is_read && scope.is_volatile)
    throwNotSupported("a WITH query that has volatile functions and is read more than once", scope.table->position);
  scope.is_read = true;
  static constexpr uint32_t kCopiedMax = 1000;  // operators
  forEachOperator(scope.copied->inputs[0], [&](OperatorPtr&) { ++state.copied_operators; });
  if (state.copied_operators > kCopiedMax)
    throw SqlError(sqlstate::kStatementTooComplex, "statement is too complex")
        .detail("Tables of WITH refer to one another too often.");
  QueryBinder::Result result;
  UnitRenaming copies;
  result.tree = copyTree(*state.plan, *scope.copied->inputs[0], copies);
  for (const auto& [unit, copy] : copies) state.inherit(copy, unit);
  for (const Output::Column& column : scope.copied->columns)
    result.columns.push_back({column.name, copies.at(column.iu), -1});
  return result;
}

void refuseClauses(const ast::Query& query) {
  const auto refuse = [](std::string_view clause, int32_t position) {
    throw SqlError(sqlstate::kFeatureNotSupported, fmt::format("{} in a recursive query is not implemented", clause))
        .position(position);
  };
  if (!query.order_by.empty()) refuse("ORDER BY", query.order_by.front().expression->position);
  if (query.offset) refuse("OFFSET", query.offset->position);
  if (query.limit) refuse("LIMIT", query.limit->position);
  if (!query.locks.empty()) refuse("FOR UPDATE/SHARE", -1);
}

/// What values of the type are kept as from one step of a recursion to the next.
Type columnType(Type type) {
  return type.kind == TypeKind::Numeric && type.typmod < 0 ? Type::bigNumeric() : type.withNan(true);
}

}  // namespace

CommonTables::CommonTables(BindState& state, const ast::With& with)
    : state_(state),
      tables_before_(state.common_tables.size()),
      is_top_(&with == state.top_with),
      with_(with),
      outer_levels_(state.outer_levels.size()) {
  const std::vector<ast::CommonTable>& tables = with.tables;
  for (size_t i = 0; i < tables.size(); ++i)
    for (size_t other = 0; other < i; ++other)
      if (tables[other].name == tables[i].name)
        throw SqlError(sqlstate::kDuplicateAlias,
                       fmt::format("WITH query name \"{}\" specified more than once", tables[i].name))
            .position(tables[i].position);
  if (with.is_recursive)
    for (const ast::CommonTable& table : tables) {
      CommonTableScope later{&table, outer_levels_, CommonTableScope::State::Later};
      later.siblings = this;
      state.common_tables.push_back(later);
    }
  for (const ast::CommonTable& table : tables)
    if (!with.is_recursive || state.common_tables[numberOf(table)].state != CommonTableScope::State::Bound) add(table);
}

size_t CommonTables::numberOf(const ast::CommonTable& table) const {
  size_t number = tables_before_;
  while (state_.common_tables[number].table != &table) ++number;
  return number;
}

void CommonTables::bindEarly(const ast::CommonTable& table) {
  // It reads itself.
  if (binding_.back() == &table) return;
  if (std::ranges::find(binding_, &table) != binding_.end())
    throw SqlError(sqlstate::kFeatureNotSupported, "mutual recursion between WITH items is not implemented")
        .position(binding_.front()->position);
  const Surroundings surroundings(state_, tables_before_ + with_.tables.size(), outer_levels_);
  const auto aggregate_levels = std::exchange(state_.aggregate_levels, {});
  const std::string_view barrier = std::exchange(state_.recursion_barrier, {});
  const bool reads_recursion = std::exchange(state_.reads_recursion, false);
  add(table);
  state_.reads_recursion = reads_recursion;
  state_.recursion_barrier = barrier;
  state_.aggregate_levels = aggregate_levels;
}

/// Each is bound here: one that nobody reads may be wrong.
void CommonTables::add(const ast::CommonTable& table) {
  binding_.push_back(&table);
  bindTable(table);
  binding_.pop_back();
}

void CommonTables::bindTable(const ast::CommonTable& table) {
  const bool is_recursive = with_.is_recursive;
  const size_t number = is_recursive ? numberOf(table) : state_.common_tables.size();
  if (table.change) {
    if (is_recursive) state_.common_tables[number].state = CommonTableScope::State::Change;
    const CommonTableScope scope = addChange(table);
    if (is_recursive)
      state_.common_tables[number] = scope;
    else
      state_.common_tables.push_back(scope);
    return;
  }
  QueryBinder::Result query = is_recursive ? bindRecursive(number) : bindQuery(state_, table);
  const bool is_volatile = isVolatile(query.tree);
  const bool is_correlated = !freeUnits(*query.tree).empty();
  const bool is_recursion = is_recursive && state_.common_tables[number].is_read;
  CommonTableScope scope{&table, state_.outer_levels.size()};
  const bool locks = !table.change && !table.query->locks.empty();
  const bool reads_recursion = readsWorkingRows(*query.tree);
  const bool is_copied =
      is_correlated || reads_recursion || (table.is_materialized == false && !is_volatile && !is_recursion && !locks);
  if (is_copied) {
    scope.copied = outputOf(std::move(query));
    scope.is_volatile = is_volatile;
  } else {
    scope.shared = share(state_, table.name, std::move(query), table.is_materialized == true || is_volatile);
  }
  if (is_recursive)
    state_.common_tables[number] = scope;
  else
    state_.common_tables.push_back(scope);
}

CommonTableScope CommonTables::addChange(const ast::CommonTable& table) {
  if (!is_top_)
    throw SqlError(sqlstate::kFeatureNotSupported,
                   "WITH clause containing a data-modifying statement must be at the top level")
        .position(table.position);
  state_.from_levels.emplace_back();
  OperatorPtr tree = bindChange(state_, *table.change);
  state_.from_levels.pop_back();
  CommonTableScope scope{&table, state_.outer_levels.size()};
  scope.has_rows = tree->kind == Operator::Kind::Output;
  if (!scope.has_rows) {
    auto output = std::make_unique<Output>();
    output->inputs.push_back(std::move(tree));
    tree = std::move(output);
  }
  auto& columns = static_cast<Output&>(*tree).columns;
  requireColumns(table, columns.size());
  for (size_t i = 0; i < table.columns.size(); ++i) columns[i].name = table.columns[i];
  state_.plan->shared.push_back({.name = table.name, .root = std::move(tree), .is_separate = true, .is_change = true});
  scope.shared = &state_.plan->shared.back();
  return scope;
}

/// A query of WITH RECURSIVE, which need not be one.
QueryBinder::Result CommonTables::bindRecursive(size_t number) {
  using State = CommonTableScope::State;
  const ast::CommonTable& table = *state_.common_tables[number].table;
  const ast::Query& query = *table.query;
  if (query.set_operation != ast::Query::SetOperation::Union) {
    state_.common_tables[number].state = State::NotUnion;
    return bindQuery(state_, table);
  }
  {
    const CommonTables inner(state_, query.with);
    state_.common_tables[number].state = State::NonRecursiveTerm;
    QueryBinder::Result initial = QueryBinder(state_).bind(*query.left);
    QueryBinder::Result recursion = bindRecursion(number, std::move(initial), query);
    if (state_.common_tables[number].is_read) {
      refuseClauses(query);
      return recursion;
    }
  }
  // It does not refer to itself.
  state_.common_tables[number].state = State::NotUnion;
  return bindQuery(state_, table);
}

QueryBinder::Result CommonTables::bindRecursion(size_t number, QueryBinder::Result initial, const ast::Query& query) {
  const ast::CommonTable& table = *state_.common_tables[number].table;
  nameColumns(table, initial);
  auto recursion = std::make_unique<Recursion>();
  recursion->name = table.name;
  recursion->is_distinct = !query.is_all;
  for (const QueryBinder::Column& column : initial.columns)
    recursion->columns.push_back(state_.plan->makeUnit(column.name, columnType(column.iu->type), true));
  state_.common_tables[number].recursion = recursion.get();
  state_.common_tables[number].state = CommonTableScope::State::RecursiveTerm;
  // Where the query itself stands is another matter.
  const std::string_view barrier = std::exchange(state_.recursion_barrier, {});
  QueryBinder::Result step = QueryBinder(state_).bindOperand(*query.right);
  state_.recursion_barrier = barrier;
  state_.common_tables[number].recursion = nullptr;
  if (!state_.common_tables[number].is_read) return {};
  if (step.columns.size() != initial.columns.size())
    throw SqlError(sqlstate::kSyntaxError, "each UNION query must have the same number of columns")
        .position(step.columns.empty() ? -1 : step.columns.front().position);
  if (initial.columns.empty()) throwNotSupported("a recursive query without columns", table.position);
  Coercion coercion(state_);
  for (size_t i = 0; i < initial.columns.size(); ++i) {
    ExpressionPtr first = Expression::column(initial.columns[i].iu);
    ExpressionPtr next =
        step.columns[i].literal ? std::move(step.columns[i].literal) : Expression::column(step.columns[i].iu);
    first->position = initial.columns[i].position;
    next->position = step.columns[i].position;
    const Type written = first->type;
    ExpressionPtr* const pair[] = {&first, &next};
    const Type overall = coercion.unify(pair, "UNION");
    if (overall.kind != written.kind || overall.typmod != written.typmod)
      throw SqlError(
          sqlstate::kDatatypeMismatch,
          fmt::format("recursive query \"{}\" column {} has type {} in non-recursive term but type {} overall",
                      table.name, i + 1, written.name(), overall.name()))
          .hint("Cast the output of the non-recursive term to the correct type.")
          .position(initial.columns[i].position);
    const Type type = recursion->columns[i]->type;
    first = coercion.toType(std::move(first), type, false);
    next = coercion.toType(std::move(next), type, false);
    if (recursion->is_distinct) requireEquality(type, initial.columns[i].position);
    recursion->values[0].push_back(std::move(first));
    recursion->values[1].push_back(std::move(next));
  }
  recursion->inputs.push_back(std::move(initial.tree));
  recursion->inputs.push_back(std::move(step.tree));
  QueryBinder::Result result;
  for (size_t i = 0; i < recursion->columns.size(); ++i)
    result.columns.push_back({recursion->columns[i]->name, recursion->columns[i], -1});
  result.tree = std::move(recursion);
  return result;
}

void shareLocking(BindState& state, QueryBinder::Result& query) {
  if (query.locks.empty()) return;
  if (!freeUnits(*query.tree).empty()) throwNotSupported(fmt::format("{} in a correlated subquery", query.locking));
  for (const Output::RowLock& lock : query.locks) state.row_locked.push_back(lock.table);
  if (state.locking.empty()) state.locking = query.locking;
  std::vector<QueryBinder::Column> columns;
  for (const QueryBinder::Column& column : query.columns) columns.push_back({column.name, column.iu, column.position});
  const SharedPlan* const shared = share(state, "locked", std::move(query), true);
  query = scanOf(state, *shared);
  for (size_t i = 0; i < columns.size(); ++i) query.columns[i].position = columns[i].position;
}

CommonTableScope* findCommonTable(BindState& state, const ast::RelationName& name) {
  if (!name.schema.empty()) return nullptr;
  for (CommonTableScope& scope : state.common_tables | std::views::reverse)
    if (scope.table->name == name.name) return &scope;
  return nullptr;
}

QueryBinder::Result bindCommonTable(BindState& state, CommonTableScope& found, int32_t position) {
  const auto number = static_cast<size_t>(&found - state.common_tables.data());
  if (found.siblings) found.siblings->bindEarly(*found.table);
  CommonTableScope& scope = state.common_tables[number];
  if (scope.state != CommonTableScope::State::Bound) return readUnbound(state, scope, position);
  if (!scope.has_rows)
    throw SqlError(sqlstate::kFeatureNotSupported,
                   fmt::format("WITH query \"{}\" does not have a RETURNING clause", scope.table->name))
        .position(position);
  return scope.shared ? scanOf(state, *scope.shared) : copyOf(state, scope);
}

}  // namespace gnomon::sql
