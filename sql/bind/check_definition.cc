#include "sql/bind/check_definition.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/algebra/index_expressions.h"
#include "sql/bind/stored_expression.h"
#include "sql/bind/stored_text.h"
#include "sql/catalog/catalog.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/constraint_name.h"
#include "sql/catalog/partitioning.h"
#include "sql/catalog/user_types.h"
#include "sql/optimise/simplify.h"
#include "sql/types/collation.h"

namespace gnomon::sql {
namespace {

using Check = CheckExpressions::Check;

/// The columns that the stored condition mentions: a row, all of them.
std::vector<uint32_t> namedColumns(const ast::Expression& tree, const std::vector<ColumnEntry>& columns) {
  std::vector<uint32_t> numbers;
  forEachNode(tree, [&](const ast::Expression& node) {
    if (node.kind != ast::Expression::Kind::Column) return;
    const auto column = std::ranges::find(columns, node.names.back(), &ColumnEntry::name);
    if (column != columns.end())
      numbers.push_back(static_cast<uint32_t>(column - columns.begin()));
    else
      for (uint32_t i = 0; i < columns.size(); ++i) numbers.push_back(i);
  });
  std::ranges::sort(numbers);
  const auto twins = std::ranges::unique(numbers);
  numbers.erase(twins.begin(), twins.end());
  return numbers;
}

/// Binds the conditions of checks, in the order in which they are added.
class ConditionBinder {
 public:
  ConditionBinder(BindState& state, const std::string& table, const std::vector<ColumnEntry>& columns)
      : binder_(state, table, columns, result_->units) {}

  const Check& add(const std::string& name, const ast::Expression& node) {
    ExpressionPtr condition = binder_.bindCondition(node, "check constraints", "CHECK");
    std::vector<Iu> units;
    condition->collectUnits(units);
    const bool is_immutable = binder_.isImmutable(*condition);
    result_->checks.push_back({name, simplifyExpression(std::move(condition)), columnNumbers(units), is_immutable});
    return result_->checks.back();
  }
  /// One that statements bind, since it calls routines, which may be others by then.
  void addUnbound(const std::string& name, const ast::Expression& node, const std::vector<ColumnEntry>& columns) {
    result_->checks.push_back({name, nullptr, namedColumns(node, columns), false});
  }
  [[nodiscard]] std::shared_ptr<const CheckExpressions> take() { return std::move(result_); }

 private:
  std::shared_ptr<CheckExpressions> result_ = std::make_shared<CheckExpressions>();
  TableExpressionBinder binder_;
};

/// `statement` calls the routines that the checks call.
std::shared_ptr<const CheckExpressions> bindAll(BindContext& context, BindState& statement,
                                                const std::vector<ColumnEntry>& columns,
                                                const std::vector<CheckEntry>& checks) {
  if (checks.empty()) return nullptr;
  BindState state(context);
  ConditionBinder binder(state, {}, columns);
  for (const CheckEntry& check : checks) binder.add(check.name, StoredExpression(check.expression).tree());
  const AccessNotes::Owner caller(statement.access, 0);
  for (const TablePtr& used : state.tables) {
    statement.addTable(used);
    if (used->routine) statement.access.add(used, Privilege::Execute);
  }
  return binder.take();
}

/// VALUE is of the type below the domain, with the collation of that.
std::vector<ColumnEntry> domainValue(const TableEntry& domain) {
  std::vector<ColumnEntry> columns = domain.columns;
  for (ColumnEntry& column : columns) column.type.collation = kDefaultCollation;
  return columns;
}

/// For no session in particular.
std::shared_ptr<const CheckExpressions> bindKept(const TableEntry& table, const std::vector<ColumnEntry>& columns) {
  if (table.checks.empty()) return nullptr;
  const Catalog no_tables;
  BindContext context{no_tables, {}, false, {}, {}, {}, {}};
  BindState state(context);
  ConditionBinder binder(state, {}, columns);
  for (const CheckEntry& check : table.checks) {
    const StoredExpression stored(check.expression);
    if (calledRoutines(stored.tree()).empty()) {
      binder.add(check.name, stored.tree());
      continue;
    }
    binder.addUnbound(check.name, stored.tree(), columns);
  }
  return binder.take();
}

/// PostgreSQL's checks may read one of its system columns, which is not supported here either.
void refuseSystemColumns(const ast::Expression& node) {
  forEachNode(node, [&](const ast::Expression& part) {
    if (part.kind != ast::Expression::Kind::Column || part.names.back() == "tableoid") return;
    if (!isSystemColumn(part.names.back())) return;
    throw SqlError(sqlstate::kInvalidColumnReference,
                   fmt::format("system column \"{}\" reference in check constraint is invalid", part.names.back()))
        .position(part.position);
  });
}

std::string chooseName(const BindState& state, const CheckedTable& table, const std::vector<uint32_t>& mentioned) {
  const std::string column = mentioned.size() == 1 ? table.columns[mentioned[0]].name : "";
  for (uint32_t attempt = 0;; ++attempt) {
    const std::string label = attempt == 0 ? "check" : "check" + std::to_string(attempt);
    std::string name = composedName(table.path.name, column, label);
    if (!hasConstraint(table, name) && !state.context.catalog.hasConstraint({table.path.schema, name}, table.changed))
      return name;
  }
}

}  // namespace

void raiseNoInherit(const std::string& table) {
  throw SqlError(sqlstate::kInvalidTableDefinition,
                 fmt::format("cannot add NO INHERIT constraint to partitioned table \"{}\"", table));
}

bool hasConstraint(const CheckedTable& table, const std::string& name) {
  return std::ranges::find(table.checks, name, &CheckEntry::name) != table.checks.end() ||
         std::ranges::find(table.key_names, name) != table.key_names.end();
}

std::string bindCheck(BindState& state, const CheckedTable& table, const ast::CheckConstraint& check) {
  refuseSystemColumns(*check.expression);
  ConditionBinder binder(state, table.path.name, table.columns);
  const StoredText stored(state);
  const Check& bound = binder.add(check.name, *check.expression);
  if (!check.name.empty() && hasConstraint(table, check.name))
    throw SqlError(sqlstate::kDuplicateObject, table.changed == nullptr
                                                   ? fmt::format("check constraint \"{}\" already exists", check.name)
                                                   : fmt::format("constraint \"{}\" for relation \"{}\" already exists",
                                                                 check.name, table.path.name));
  CheckEntry entry{check.name, withoutQualifiers(stored.write(*check.expression, check.expression_text)), true};
  if (entry.name.empty()) entry.name = chooseName(state, table, bound.columns);
  // All rows of a new table pass.
  entry.is_valid = table.changed == nullptr || !check.is_not_valid;
  entry.is_no_inherit = check.is_no_inherit;
  const auto place = std::ranges::upper_bound(table.checks, entry.name, {}, &CheckEntry::name);
  return table.checks.insert(place, std::move(entry))->name;
}

std::shared_ptr<const CheckExpressions> bindCheckExpressions(const TableEntry& table) {
  return bindKept(table, table.type ? domainValue(table) : table.columns);
}

std::shared_ptr<const CheckExpressions> unboundChecks(const TableEntry& table) {
  auto result = std::make_shared<CheckExpressions>();
  for (const ColumnEntry& column : table.columns)
    result->units.emplace_back(static_cast<uint32_t>(result->units.size()), column.name, column.type, true);
  for (const CheckEntry& check : table.checks)
    result->checks.push_back(
        {check.name, nullptr, namedColumns(StoredExpression(check.expression).tree(), table.columns), false});
  return result;
}

bool checksCallRoutines(const TableEntry& entry) {
  const auto isUnbound = [](const Check& check) { return check.condition == nullptr; };
  return entry.check_expressions && std::ranges::any_of(entry.check_expressions->checks, isUnbound);
}

bool domainCallsRoutines(uint32_t domain) {
  for (uint32_t oid = domain; oid != 0;) {
    const TablePtr entry = findTypeEntry(domainOid(oid));
    if (!entry) break;
    if (checksCallRoutines(*entry)) return true;
    oid = entry->type->base_domain;
  }
  return false;
}

std::shared_ptr<const CheckExpressions> sessionChecks(const TableEntry& entry) {
  if (!checksCallRoutines(entry)) return entry.check_expressions;
  BindContext context{requiredCatalogSession().catalog, {}, false, {}, {}, {}, {}};
  BindState statement(context);
  return bindAll(context, statement, entry.type ? domainValue(entry) : entry.columns, entry.checks);
}

void addRoutinesOfChecks(BindState& state, const TableEntry& entry) {
  if (entry.partitioning)
    for (const TablePtr& leaf : entry.partitioning->leaves()) addRoutinesOfChecks(state, *leaf);
  if (!entry.check_expressions) return;
  const AccessNotes::Owner caller(state.access, 0);
  for (size_t i = 0; i < entry.checks.size(); ++i) {
    if (entry.check_expressions->checks[i].condition) continue;
    for (const uint32_t oid : calledRoutines(StoredExpression(entry.checks[i].expression).tree()))
      if (const TablePtr routine = state.context.catalog.findEntry(oid)) {
        state.addTable(routine);
        state.access.add(routine, Privilege::Execute);
      }
  }
}

std::shared_ptr<const CheckExpressions> statementChecks(BindState& state, const TableEntry& table) {
  if (table.partitioning) addRoutinesOfChecks(state, table);
  if (!table.check_expressions) return nullptr;
  const bool is_any_session = std::ranges::all_of(table.check_expressions->checks, &Check::is_immutable);
  if (is_any_session && !state.context.unlimited_numerics) return table.check_expressions;
  return bindAll(state.context, state, table.columns, table.checks);
}

RowChecks insertChecks(BindState& state, const TableEntry& table) {
  RowChecks result{statementChecks(state, table), {}};
  for (uint32_t i = 0; i < table.checks.size(); ++i) result.tested.push_back(i);
  return result;
}

RowChecks updateChecks(BindState& state, const TableEntry& table, const std::vector<uint32_t>& columns) {
  RowChecks result{statementChecks(state, table), {}};
  for (uint32_t i = 0; i < table.checks.size(); ++i) {
    const Check& check = result.expressions->checks[i];
    const bool is_touched = std::ranges::any_of(
        check.columns, [&](uint32_t column) { return std::ranges::binary_search(columns, column); });
    if (is_touched || !check.is_immutable || !table.checks[i].is_valid) result.tested.push_back(i);
  }
  return result;
}

CheckForms conditionForms(BindState& state, const TableEntry& table, const ast::Expression& condition,
                          std::string_view clause, std::string_view word) {
  const auto bindIn = [&](BindContext& context) {
    BindState own(context);
    auto result = std::make_shared<CheckExpressions>();
    TableExpressionBinder binder(own, table.name, table.columns, result->units);
    std::vector<ExpressionPtr> tested;
    tested.push_back(binder.bindCondition(condition, clause, word));
    std::vector<Iu> units;
    tested.front()->collectUnits(units);
    ExpressionPtr is_true = Expression::logic(Expression::Kind::IsTrue, std::move(tested));
    result->checks.push_back({{}, simplifyExpression(std::move(is_true)), columnNumbers(units), false});
    return result;
  };
  BindContext unlimited = state.context;
  unlimited.unlimited_numerics = true;
  return {bindIn(state.context), bindIn(unlimited)};
}

CheckForms checkForms(BindState& state, const std::vector<ColumnEntry>& columns,
                      const std::vector<CheckEntry>& checks) {
  BindContext unlimited = state.context;
  unlimited.unlimited_numerics = true;
  return {bindAll(state.context, state, columns, checks), bindAll(unlimited, state, columns, checks)};
}

}  // namespace gnomon::sql
