#include "sql/bind/conflict_binder.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/sql_error.h"
#include "sql/algebra/rewrite.h"
#include "sql/bind/assignment_binder.h"
#include "sql/bind/check_definition.h"
#include "sql/bind/column_hint.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/generated_column.h"
#include "sql/bind/index_definition.h"
#include "sql/catalog/column_order.h"
#include "sql/catalog/triggers.h"
#include "sql/functions/value_function.h"
#include "sql/optimise/implication.h"

namespace gnomon::sql {

namespace {

/// Expressions over one set of a table's units put over another.
class Restatement {
 public:
  Restatement(const std::deque<InformationUnit>& from, const std::vector<Iu>& to) {
    for (size_t i = 0; i < from.size(); ++i) {
      columns_.push_back(Expression::column(to[i]));
      substitution_.add(&from[i], *columns_.back());
    }
  }
  [[nodiscard]] ExpressionPtr operator()(const Expression& expression) const {
    ExpressionPtr restated = expression.clone();
    substitution_.apply(restated);
    return restated;
  }

 private:
  std::vector<ExpressionPtr> columns_;
  Substitution substitution_;
};

/// Both have the same parts, in any order and however often.
bool hasSameParts(const std::vector<ExpressionPtr>& left, const std::vector<ExpressionPtr>& right) {
  const auto contains = [](const std::vector<ExpressionPtr>& parts, const Expression& wanted) {
    return std::ranges::any_of(parts, [&](const ExpressionPtr& part) { return part->equals(wanted); });
  };
  return std::ranges::all_of(left, [&](const ExpressionPtr& part) { return contains(right, *part); }) &&
         std::ranges::all_of(right, [&](const ExpressionPtr& part) { return contains(left, *part); });
}

/// Whether the index is one of those that are meant. A partial one must take in all rows that the target's predicate
/// lets pass.
bool isMeant(const IndexEntry& index, const IndexExpressions& target) {
  std::vector<ExpressionPtr> parts;
  if (!index.expressions) {
    for (const IndexColumn& part : index.columns) parts.push_back(Expression::column(&target.units[part.column]));
    return hasSameParts(parts, target.parts);
  }
  std::vector<Iu> targets;
  for (const InformationUnit& unit : target.units) targets.push_back(&unit);
  const Restatement restate(index.expressions->units, targets);
  for (const ExpressionPtr& part : index.expressions->parts) parts.push_back(restate(*part));
  return hasSameParts(parts, target.parts) &&
         std::ranges::all_of(index.expressions->predicate, [&](const ExpressionPtr& condition) {
           return implies(target.predicate, *restate(*condition));
         });
}

IndexPtr constraintIndex(const TableEntry& table, const std::string& name) {
  for (const IndexPtr& index : table.indexes)
    if (index->is_constraint && index->name == name) return index;
  const bool is_other = std::ranges::find(table.checks, name, &CheckEntry::name) != table.checks.end() ||
                        std::ranges::find(table.foreign_keys, name, &ForeignKeyEntry::name) != table.foreign_keys.end();
  if (is_other) throw SqlError(SqlState("42809"), "constraint in ON CONFLICT clause has no associated index");
  throw SqlError(sqlstate::kUndefinedObject,
                 fmt::format("constraint \"{}\" for table \"{}\" does not exist", name, table.name));
}

std::vector<IndexPtr> arbitersOf(BindState& state, const TableEntry& table, const ast::OnConflict& node) {
  if (!node.has_target && node.is_update)
    throw SqlError(sqlstate::kSyntaxError, "ON CONFLICT DO UPDATE requires inference specification or constraint name")
        .hint("For example, ON CONFLICT (column_name).")
        .position(node.position);
  if (!node.constraint.empty()) return {constraintIndex(table, node.constraint)};
  std::optional<IndexExpressions> target;
  if (node.has_target) target = bindInference(state, table, node);
  std::vector<IndexPtr> arbiters;
  for (const IndexPtr& index : table.indexes)
    if (index->is_unique && index->is_valid && (!target || isMeant(*index, *target))) arbiters.push_back(index);
  if (target && arbiters.empty())
    throw SqlError(SqlState("42P10"),
                   "there is no unique or exclusion constraint matching the ON CONFLICT specification");
  return arbiters;
}

/// The names of a row of the table.
Scope scopeOf(BindState& state, const TableEntry& table, const FromEntry& name, std::deque<InformationUnit>& units) {
  Range range{.alias = name.alias, .table_name = name.table_name, .columns = {}, .is_aliased = true};
  for (uint32_t i = 0; i < table.columns.size(); ++i) {
    const ColumnEntry& column = table.columns[i];
    units.push_back({i, column.name, column.type, true});
    state.unit_names[&units.back()] = name.alias + "." + column.name;
  }
  for (const uint32_t i : columnsInOrder(table)) range.columns.push_back({table.columns[i].name, &units[i]});
  Scope scope;
  scope.columns = range.columns;
  scope.ranges.push_back(std::move(range));
  return scope;
}

}  // namespace

std::unique_ptr<Insert::Conflict> bindConflict(BindState& state, const TableEntry& table, const TableEntry& shape,
                                               const ast::Insert& insert, SubqueryJoins& subqueries) {
  const ast::OnConflict& node = *insert.on_conflict;
  auto conflict = std::make_unique<Insert::Conflict>();
  conflict->is_update = node.is_update;
  conflict->arbiters = arbitersOf(state, shape, node);
  if (node.has_target)
    for (const IndexPtr& index : conflict->arbiters)
      for (const IndexColumn& part : index->columns)
        if (part.column != IndexColumn::kExpression)
          state.access.read(table.oid, static_cast<int16_t>(part.column + 1));
  if (!node.is_update) return conflict;
  Scope scope = scopeOf(state, shape, {"excluded", ""}, conflict->excluded);
  Scope target = scopeOf(state, shape, state.from_levels.back().front(), conflict->existing);
  target.ranges.front().is_aliased = !insert.alias.empty();
  // What is read of either row is read of the table.
  for (auto* const row : {&conflict->existing, &conflict->excluded})
    for (uint32_t i = 0; i < row->size(); ++i) state.origins[&(*row)[i]] = {table.oid, static_cast<int16_t>(i + 1)};
  scope.append(std::move(target));
  state.from_levels.back().push_back({"excluded", "", columnNames(shape)});
  const Clause clause{.name = "UPDATE", .subqueries = &subqueries};
  ExpressionBinder binder(state, scope, clause);
  Assignments assignments = bindAssignments(state, shape, binder, node.assignments,
                                            [&](uint32_t column) { return &conflict->existing[column]; });
  for (uint32_t i = 0; i < assignments.values.size(); ++i)
    if (!assignments.values[i]) assignments.values[i] = Expression::column(&conflict->existing[i]);
  addGenerated(state, table, assignments.columns, assignments.values);
  conflict->columns = std::move(assignments.columns);
  for (const uint32_t column : conflict->columns) conflict->values.push_back(std::move(assignments.values[column]));
  const Clause where{.name = "WHERE", .subqueries = &subqueries};
  if (node.where) conflict->condition = ExpressionBinder(state, scope, where).bindCondition(*node.where, "WHERE");
  conflict->checks = checkForms(state, table.columns, table.checks);
  return conflict;
}

namespace {

/// Equal values of the type are the same.
bool isIdentifiedByEquality(Type type) {
  return type.isInteger() || type.kind == TypeKind::Text || type.kind == TypeKind::Varchar ||
         type.kind == TypeKind::Uuid || type.kind == TypeKind::Money || type.kind == TypeKind::Date ||
         type.kind == TypeKind::Timestamp || type.kind == TypeKind::TimestampTz || type.kind == TypeKind::Boolean ||
         type.kind == TypeKind::Oid;
}

/// Columns of the row that is there and of the row proposed as the units of the input's row.
UnitRenaming renamingToInput(const Insert::Conflict& conflict, const std::vector<Iu>& row) {
  UnitRenaming renaming;
  for (size_t i = 0; i < row.size(); ++i) renaming[&conflict.excluded[i]] = row[i];
  if (conflict.arbiters.size() != 1 || conflict.arbiters[0]->expressions) return renaming;
  for (const IndexColumn& part : conflict.arbiters[0]->columns)
    if (isIdentifiedByEquality(row[part.column]->type)) renaming[&conflict.existing[part.column]] = row[part.column];
  return renaming;
}

/// The columns of the row that is there which the subqueries read, ascending.
std::vector<uint32_t> columnsReadOfExisting(const Insert::Conflict& conflict, const SubqueryJoins& subqueries) {
  const UnitSet read = subqueries.reads();
  std::vector<uint32_t> columns;
  for (uint32_t i = 0; i < conflict.existing.size(); ++i)
    if (read.contains(&conflict.existing[i])) columns.push_back(i);
  return columns;
}

/// The index that says which row is in the way, without looking at others. Failure: 0A000.
const IndexEntry& keyOfConflict(const Insert::Conflict& conflict) {
  const auto isWhole = [](const IndexPtr& index) {
    return !index->expressions || index->expressions->predicate.empty();
  };
  const auto whole = std::ranges::find_if(conflict.arbiters, isWhole);
  if (whole == conflict.arbiters.end() && conflict.arbiters.size() > 1)
    throwNotSupported(
        "a subquery in ON CONFLICT DO UPDATE that reads the row that is there, by one of several indexes");
  const IndexEntry& index = whole == conflict.arbiters.end() ? *conflict.arbiters.front() : **whole;
  if (index.nulls_are_equal)
    throwNotSupported("a subquery in ON CONFLICT DO UPDATE that reads the row that is there, by a key with NULLs");
  return index;
}

/// Failure: 0A000.
[[noreturn]] void refuseBesideExisting(std::string_view what) {
  throwNotSupported(
      fmt::format("{} beside a subquery in ON CONFLICT DO UPDATE that reads the row that is there", what));
}

void refuseRoutine(const Expression& expression) {
  if (expression.kind == Expression::Kind::ArrayCall && expression.function == kCallRoutine)
    refuseBesideExisting("a function called for each row");
  for (const ExpressionPtr& child : expression.children)
    if (child) refuseRoutine(*child);
}

/// Triggers of the table as a whole, and of the rows of its leaves.
bool hasBeforeTriggers(const TableEntry& table) {
  constexpr auto kBefore = TriggerEntry::Timing::Before;
  const auto isBefore = [](const TriggerEntry& trigger) { return trigger.timing == kBefore && trigger.isEnabled(); };
  return std::ranges::any_of(table.triggers, isBefore) || hasRowTriggers(table, kBefore, TriggerEvent::Insert) ||
         hasRowTriggers(table, kBefore, TriggerEvent::Update);
}

/// What else the statement does might change the row while it goes on, and it would begin again for ever.
void requireNoOtherChange(BindState& state, const Insert& change, OperatorPtr& source, SubqueryJoins& subqueries) {
  const auto visit = [](ExpressionPtr& expression) { refuseRoutine(*expression); };
  const auto visitAll = [&](OperatorPtr& op) { forEachExpression(*op, visit); };
  forEachOperator(source, visitAll);
  for (SharedPlan& shared : state.plan->shared)
    if (shared.root) forEachOperator(shared.root, visitAll);
  subqueries.forEachExpression(visit);
  for (const ExpressionPtr& value : change.conflict->values) refuseRoutine(*value);
  if (change.conflict->condition) refuseRoutine(*change.conflict->condition);
  const auto isChange = [](const auto& table) { return table.change != nullptr; };
  if (state.top_with != nullptr && std::ranges::any_of(state.top_with->tables, isChange))
    refuseBesideExisting("a change in WITH");
  if (hasBeforeTriggers(*change.table)) refuseBesideExisting("a BEFORE trigger");
}

/// Beside each row proposed the row that the snapshot has with its key, or NULLs: its columns.
std::vector<Iu> joinExisting(BindState& state, const Insert& change, const std::vector<Iu>& row, OperatorPtr& input) {
  const IndexEntry& index = keyOfConflict(*change.conflict);
  auto scan = scanOf(state, change.table, change.table->name);
  auto join = std::make_unique<Join>();
  join->join_kind = Join::JoinKind::LeftOuter;
  std::vector<Iu> below, above;
  for (const TableScan::Column& column : scan->columns) {
    below.push_back(column.iu);
    above.push_back(state.plan->makeUnit(column.iu->name, column.iu->type, true));
    join->null_extended.emplace_back(below.back(), above.back());
  }
  const Scope none;
  ExpressionBinder binder(state, none, {.name = "ON CONFLICT"});
  if (!index.expressions) {
    for (const IndexColumn& part : index.columns)
      join->conditions.push_back(
          binder.bindEquality(Expression::column(row[part.column]), Expression::column(below[part.column])));
  } else {
    const auto mayBeNan = [&](uint32_t column) {
      return row[column]->type.may_be_nan != 0 || below[column]->type.may_be_nan != 0;
    };
    const bool may_be_nan = std::ranges::any_of(mentionedColumns(*index.expressions), mayBeNan);
    const IndexExpressions& key =
        may_be_nan && index.expressions->with_nan ? *index.expressions->with_nan : *index.expressions;
    const Restatement proposed(key.units, row), there(key.units, below);
    for (const ExpressionPtr& part : key.parts)
      join->conditions.push_back(binder.bindEquality(proposed(*part), there(*part)));
    for (const ExpressionPtr& condition : key.predicate) join->conditions.push_back(there(*condition));
  }
  join->inputs.push_back(std::move(input));
  join->inputs.push_back(std::move(scan));
  input = std::move(join);
  return above;
}

/// A value of a row proposed that only the conflict clause reads.
Iu addBeside(Insert& change, Iu value) {
  std::deque<InformationUnit>& excluded = change.conflict->excluded;
  excluded.push_back({static_cast<uint32_t>(excluded.size()), value->name, value->type, true});
  change.beside.push_back(Expression::column(value));
  return &excluded.back();
}

/// The update is asked for only of rows that are still as the snapshot has them in these columns.
void requireSeen(BindState& state, Insert& change, const std::vector<uint32_t>& columns, const std::vector<Iu>& there) {
  Insert::Conflict& conflict = *change.conflict;
  const auto text = [&](Iu unit) {
    return Coercion(state).castExplicitly(Expression::column(unit), Type::of(TypeKind::Text), -1);
  };
  std::vector<ExpressionPtr> tests;
  for (const uint32_t column : columns) {
    std::vector<ExpressionPtr> texts;
    texts.push_back(text(&conflict.existing[column]));
    texts.push_back(text(addBeside(change, there[column])));
    tests.push_back(
        Expression::arrayCall(internalFunction("$require_seen", 2), Type::of(TypeKind::Boolean), std::move(texts)));
  }
  ExpressionPtr all = conjunction(std::move(tests));
  conflict.condition = conflict.condition ? whereTrue(std::move(conflict.condition), all.get()) : std::move(all);
}

}  // namespace

void joinConflictSubqueries(BindState& state, Insert& change, OperatorPtr& source, SubqueryJoins& subqueries) {
  Insert::Conflict& conflict = *change.conflict;
  auto map = std::make_unique<Map>();
  std::vector<Iu> row;
  for (ExpressionPtr& value : change.values) {
    row.push_back(state.plan->makeUnit(conflict.excluded[row.size()].name, value->type, value->nullable));
    map->computed.push_back({row.back(), std::move(value)});
    value = Expression::column(row.back());
  }
  map->inputs.push_back(std::move(source));
  OperatorPtr input = std::move(map);
  subqueries.rename(renamingToInput(conflict, row));
  const std::vector<uint32_t> read = columnsReadOfExisting(conflict, subqueries);
  std::vector<Iu> there;
  if (!read.empty()) {
    requireNoOtherChange(state, change, input, subqueries);
    there = joinExisting(state, change, row, input);
    UnitRenaming to_seen;
    for (const uint32_t column : read) to_seen[&conflict.existing[column]] = there[column];
    subqueries.rename(to_seen);
  }
  UnitRenaming beside;
  for (const Iu result : subqueries.results()) beside[result] = addBeside(change, result);
  for (ExpressionPtr& value : conflict.values) renameUnits(*value, beside);
  if (conflict.condition) renameUnits(*conflict.condition, beside);
  if (!read.empty()) requireSeen(state, change, read, there);
  source = subqueries.attach(std::move(input));
}

}  // namespace gnomon::sql
