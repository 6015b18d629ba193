#include "sql/bind/from_binder.h"
#include "sql/pg_catalog/facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/algebra/rewrite.h"
#include "sql/algebra/virtual_scan.h"
#include "sql/bind/common_tables.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/full_join_pairs.h"
#include "sql/bind/query_binder.h"
#include "sql/bind/stored_reference.h"
#include "sql/bind/view_definition.h"
#include "sql/catalog/access.h"
#include "sql/catalog/column_order.h"
#include "sql/catalog/partition_constraint.h"
#include "sql/catalog/partitioning.h"
#include "sql/catalog/roles.h"
#include "sql/catalog/sequences.h"
#include "sql/catalog/stored_nan.h"
#include "sql/catalog/system_tables.h"
#include "sql/functions/value_function.h"
#include "sql/parse/identifier.h"
#include "sql/pg_catalog/functions.h"
#include "txn/table.h"

namespace gnomon::sql {
namespace {

using JoinKind = ast::FromItem::JoinKind;

size_t countNamed(const Scope& scope, std::string_view name) {
  return static_cast<size_t>(
      std::ranges::count_if(scope.columns, [&](const ScopeColumn& column) { return column.name == name; }));
}

/// The column of USING on one side. Failure: 42703, 42702.
Iu usingColumn(const Scope& scope, const std::string& name, std::string_view side) {
  if (countNamed(scope, name) > 1)
    throw SqlError(sqlstate::kAmbiguousColumn,
                   fmt::format("common column name \"{}\" appears more than once in {} table", name, side));
  const Iu found = scope.find(name, -1);
  if (found == nullptr)
    throw SqlError(sqlstate::kUndefinedColumn,
                   fmt::format("column \"{}\" specified in USING clause does not exist in {} table", name, side));
  return found;
}

/// Of two columns of one type the one that is not NULL.
ExpressionPtr firstOf(ExpressionPtr left, ExpressionPtr right) {
  auto result = std::make_unique<Expression>();
  result->kind = Expression::Kind::Coalesce;
  result->type = left->type;
  result->nullable = left->nullable && right->nullable;
  result->children.push_back(std::move(left));
  result->children.push_back(std::move(right));
  return result;
}

/// The reader has columns of what is beside it in a RIGHT or FULL JOIN: of the first that is written.
[[noreturn]] void throwLateral(OperatorPtr& reader, const Scope& beside) {
  std::string table;
  int32_t position = -1;
  const std::function<void(const Expression&)> look = [&](const Expression& expression) {
    for (const ExpressionPtr& child : expression.children) look(*child);
    const bool is_sooner = expression.position >= 0 && (position < 0 || expression.position < position);
    if (expression.kind != Expression::Kind::Column || !is_sooner) return;
    for (const Range& range : beside.ranges) {
      if (std::ranges::find(range.columns, expression.iu, &ScopeColumn::iu) == range.columns.end()) continue;
      table = range.alias;
      position = expression.position;
    }
  };
  forEachOperator(
      reader, [&](OperatorPtr& op) { forEachExpression(*op, [&](ExpressionPtr& expression) { look(*expression); }); });
  throw SqlError(sqlstate::kInvalidColumnReference,
                 fmt::format("invalid reference to FROM-clause entry for table \"{}\"", table))
      .detail("The combining JOIN type must be INNER or LEFT for a LATERAL reference.")
      .position(position);
}

OperatorPtr joinOf(Join::JoinKind kind, OperatorPtr left, OperatorPtr right) {
  auto join = std::make_unique<Join>();
  join->join_kind = kind;
  join->inputs.push_back(std::move(left));
  join->inputs.push_back(std::move(right));
  join->is_dependent = readsOuter(*join->inputs[1], unitSet(*join->inputs[0]));
  return join;
}

/// pg_attribute.attnum of tableoid.
constexpr int16_t kTableOidAttribute = -6;

/// Who needs the rights: who asks, or the owner of the view that is bound.
uint32_t actingRole(const BindState& state) {
  return state.access.role() != 0 ? state.access.role() : state.context.catalog.actors().current;
}

/// What must be allowed besides being the owner.
Privilege rightFor(TableUse use) {
  switch (use) {
    case TableUse::Insert:
    case TableUse::CopyFrom:
      return Privilege::Insert;
    case TableUse::Update:
      return Privilege::Update;
    case TableUse::Delete:
      return Privilege::Delete;
    case TableUse::Truncate:
      return Privilege::Truncate;
    case TableUse::CopyTo:
      return Privilege::Select;
    case TableUse::Reference:
      return Privilege::References;
    case TableUse::Merge:
    case TableUse::Index:
    case TableUse::Alter:
      break;
  }
  return Privilege::None;
}

}  // namespace

std::unique_ptr<TableScan> scanOf(BindState& state, TablePtr table, std::string alias) {
  auto scan = std::make_unique<TableScan>();
  scan->table = std::move(table);
  scan->alias = std::move(alias);
  const bool may_hold_nan = holdsNan(*scan->table);
  for (uint32_t i = 0; i < scan->table->columns.size(); ++i) {
    const ColumnEntry& column = scan->table->columns[i];
    const Type type = column.type.withNan(may_hold_nan && column.type.may_be_nan != 0);
    const Iu unit = state.plan->makeUnit(column.name, type, !column.not_null);
    state.has_collations = state.has_collations || column.type.collation != 0;
    state.origins[unit] = {scan->table->oid, static_cast<int16_t>(i + 1)};
    scan->columns.push_back({i, unit});
  }
  return scan;
}

FromBinder::Result FromBinder::bind(const std::vector<std::unique_ptr<ast::FromItem>>& items) {
  Result result;
  if (items.empty()) {
    auto row = std::make_unique<Values>();
    row->rows.emplace_back();
    result.tree = std::move(row);
    return result;
  }
  before_.push_back(&result.scope);
  for (const auto& item : items) {
    Result next = bindItem(*item);
    result.tree = result.tree ? joinOf(Join::JoinKind::Inner, std::move(result.tree), std::move(next.tree))
                              : std::move(next.tree);
    result.scope.append(std::move(next.scope));
  }
  before_.pop_back();
  return result;
}

FromBinder::Result FromBinder::bindItem(const ast::FromItem& item) {
  switch (item.kind) {
    case ast::FromItem::Kind::Table: {
      Result result = bindRelation(item.relation, item.alias);
      if (item.sample) sampleRows(item, result);
      return result;
    }
    case ast::FromItem::Kind::Subquery:
      return bindSubquery(item);
    case ast::FromItem::Kind::Function:
      return bindFunctions(item);
    case ast::FromItem::Kind::Join:
      break;
  }
  return bindJoin(item);
}

FoundRelation FromBinder::find(const ast::RelationName& name) const {
  const CatalogView& catalog = state_.context.catalog;
  if (const StoredReference* const reference = referenceOf(name)) {
    FoundRelation found;
    found.table = sql::findTable(catalog, reference->oid);
    return found;
  }
  if (state_.context.transitions != nullptr && name.schema.empty() && state_.view_depth == 0)
    for (const VirtualRelationPtr& transition : *state_.context.transitions)
      if (transition->name == name.name) {
        FoundRelation found;
        found.system = transition;
        return found;
      }
  try {
    return catalog.findRelation(name.schema, name.name);
  } catch (SqlError& error) {
    if (error.state() == sqlstate::kInsufficientPrivilege) error.position(name.position);
    throw;
  }
}

VirtualRelationPtr FromBinder::findVirtual(const ast::RelationName& name) const {
  return find(name).system;
}

namespace {

/// Of a name that is an index's or a composite type's. Failure: 42809.
void requireNoOther(const CatalogView& catalog, const ast::RelationName& name, const FoundRelation& found,
                    bool truncates = false) {
  const TablePtr type = found ? nullptr : catalog.findType(name.schema, name.name);
  const bool is_composite = type && type->type && type->type->form == TypeEntry::Form::Composite;
  if (!found.index && !is_composite) return;
  const char* const what = truncates ? "not a table" : found.index ? "an index" : "a composite type";
  throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is {}", name.name, what)).position(name.position);
}

}  // namespace

TablePtr FromBinder::findTable(const ast::RelationName& name, TableUse use) {
  const bool changes = use == TableUse::Insert || use == TableUse::Update || use == TableUse::Delete;
  const FoundRelation found = find(name);
  requireNoOther(state_.context.catalog, name, found, use == TableUse::Truncate);
  if (!changes && use != TableUse::Merge && !found && !pg_catalog::isMissingRelation(name.schema, name.name))
    raiseNoRelation(state_.context.catalog, {name.schema, name.name});
  if (const VirtualRelationPtr& view = found.system) {
    if (view->kind != 'v')
      throw SqlError(sqlstate::kInsufficientPrivilege,
                     fmt::format("permission denied: \"{}\" is a system catalog", view->name));
    refuseView(view->name, use);
  }
  TablePtr table = findStored(name);
  if (use == TableUse::Alter || use == TableUse::Index) requireOwner(state_.context.catalog, *table);
  if (table->sequence) refuseSequence(*table, use);
  if (table->materialized && !state_.context.fills) refuseMaterialized(table->name, use);
  if (use == TableUse::CopyTo && table->partitioning)
    throw SqlError(sqlstate::kWrongObjectType, fmt::format("cannot copy from partitioned table \"{}\"", table->name))
        .hint("Try the COPY (SELECT ...) TO variant.");
  if (table->view) refuseView(table->name, use);
  // What is filled may be filled by who makes it.
  const bool is_filled = table->oid == state_.refreshed || (use == TableUse::Insert && state_.context.fills);
  const Privilege right = is_filled ? Privilege::None : rightFor(use);
  if (right != Privilege::None) state_.access.add(table, right);
  return table;
}

TablePtr FromBinder::findStored(const ast::RelationName& name) {
  const FoundRelation found = find(name);
  requireNoOther(state_.context.catalog, name, found);
  if (found.table) {
    if (found.table->is_temporary && found.table->schema != state_.context.catalog.searchPath().temporary)
      throw SqlError(sqlstate::kFeatureNotSupported, "cannot access temporary tables of other sessions");
    state_.addTable(found.table);
    // Those whose lock is not the table's: attached since the server was started.
    if (found.table->partitioning)
      for (const TablePtr& below : found.table->partitioning->descendants())
        if (below->storage->lock() != found.table->storage->lock()) state_.addTable(below);
    return found.table;
  }
  if (pg_catalog::isMissingRelation(name.schema, name.name))
    throwNotSupported(fmt::format("system catalog \"{}\"", name.name), name.position);
  throw SqlError(sqlstate::kUndefinedTable,
                 fmt::format("relation \"{}\" does not exist", ObjectPath{name.schema, name.name}.shown()))
      .position(name.position);
}

/// For a text that is going to be stored: whatever is renamed, or found first, later.
void FromBinder::noteReference(const ast::RelationName& name, const FoundRelation& found, const std::string& behind) {
  if (state_.made_references == nullptr || state_.view_depth > 0 || name.position < 0) return;
  const ObjectPath path = found.system ? ObjectPath{found.system->schema, found.system->name} : found.table->path();
  const std::string schema =
      found.system ? path.schema
                   : state_.made_references->add({.oid = found.table->oid,
                                                  .column_count = static_cast<uint32_t>(found.table->columns.size()),
                                                  .schema = path.schema});
  state_.stars->push_back({name.position, name.schema.empty() ? size_t{1} : size_t{2},
                           quotedIdentifier(schema) + "." + quotedIdentifier(path.name) + behind, true});
}

void FromBinder::noteTarget(const ast::RelationName& name, const std::string& behind) {
  if (state_.made_references == nullptr) return;
  if (const FoundRelation found = find(name)) noteReference(name, found, behind);
}

std::optional<TableEntry> FromBinder::calledTable(const ast::RelationName& name, const TableEntry& table) const {
  const StoredReference* const reference = referenceOf(name);
  if (reference == nullptr || (reference->old_names.empty() && reference->column_count == table.columns.size()))
    return std::nullopt;
  TableEntry called = table;
  for (uint32_t i = 0; i < called.columns.size(); ++i)
    called.columns[i].name = reference->nameOf(i, table.columns[i].name);
  return called;
}

const StoredReference* FromBinder::referenceOf(const ast::RelationName& name) const {
  return state_.references != nullptr ? state_.references->find(name.schema) : nullptr;
}

std::string FromBinder::columnName(const ast::RelationName& name, uint32_t column, const std::string& now) const {
  const StoredReference* const reference = referenceOf(name);
  return reference != nullptr ? reference->nameOf(column, now) : now;
}

TablePtr FromBinder::addLocked(const ast::RelationName& name) {
  const FoundRelation found = find(name);
  if (found.system) throwNotSupported("LOCK TABLE of a system catalog", name.position);
  if (!found && !pg_catalog::isMissingRelation(name.schema, name.name))
    raiseNoRelation(state_.context.catalog, {name.schema, name.name});
  const TablePtr table = findStored(name);
  if (table->sequence)
    throw SqlError(sqlstate::kWrongObjectType, fmt::format("cannot lock relation \"{}\"", table->name))
        .detail("This operation is not supported for sequences.");
  if (table->materialized)
    throw SqlError(sqlstate::kWrongObjectType, fmt::format("cannot lock relation \"{}\"", table->name))
        .detail("This operation is not supported for materialized views.");
  if (!table->view) return table;
  // Bound for the sake of the tables it names.
  const AccessNotes::Owner owner(state_.access, readerOf(*table));
  const StoredReferences references(table->view->query);
  bindView(table->oid, name, references.sql(), &references, table->columns, {});
  return table;
}

Scope FromBinder::scopeOf(const ast::Alias& alias, std::string table_name, std::vector<ScopeColumn> columns) {
  const std::string& name = alias.name.empty() ? table_name : alias.name;
  if (alias.columns.size() > columns.size())
    throw SqlError(sqlstate::kInvalidColumnReference,
                   fmt::format("table \"{}\" has {} columns available but {} columns specified", name, columns.size(),
                               alias.columns.size()));
  for (size_t i = 0; i < alias.columns.size(); ++i) columns[i].name = alias.columns[i];
  state_.from_levels.back().push_back({name, table_name});
  for (const ScopeColumn& column : columns) state_.from_levels.back().back().columns.push_back(column.name);
  Scope scope;
  scope.columns = columns;
  scope.ranges.push_back({name, std::move(table_name), std::move(columns), !alias.name.empty()});
  return scope;
}

void FromBinder::nameUnits(const Scope& scope) {
  for (const Range& range : scope.ranges)
    for (const ScopeColumn& column : range.columns)
      state_.unit_names[column.iu] = range.alias.empty() ? column.name : range.alias + "." + column.name;
}

OperatorPtr withoutRows(OperatorPtr input) {
  auto none = std::make_unique<Selection>();
  none->conditions.push_back(Expression::constant(Value::fromInt(Type::of(TypeKind::Boolean), 0)));
  none->inputs.push_back(std::move(input));
  return none;
}

/// What SEARCH and CYCLE add to a table has names in its own query, but `*` leaves it out there.
FromBinder::Result FromBinder::bindCommon(CommonTableScope& table, const ast::RelationName& name,
                                          const ast::Alias& alias) {
  const bool is_own = table.state == CommonTableScope::State::RecursiveTerm;
  const size_t added = is_own ? table.table->added_columns : 0;
  QueryBinder::Result query = bindCommonTable(state_, table, name.position);
  std::vector<ScopeColumn> hidden;
  for (size_t i = query.columns.size() - added; i < query.columns.size(); ++i)
    hidden.push_back({query.columns[i].name, query.columns[i].iu});
  query.columns.erase(query.columns.end() - static_cast<ptrdiff_t>(added), query.columns.end());
  Result result = bindDerived(std::move(query), alias, name.name);
  result.scope.ranges.back().hidden = std::move(hidden);
  // It is not the stored table of this name, whose key it has not.
  result.scope.ranges.back().table_name.clear();
  return result;
}

FromBinder::Result FromBinder::bindRelation(const ast::RelationName& name, const ast::Alias& alias) {
  if (CommonTableScope* table = findCommonTable(state_, name)) return bindCommon(*table, name, alias);
  const FoundRelation found = find(name);
  if (found) noteReference(name, found);
  if (VirtualRelationPtr relation = found.system) {
    if (relation->is_superusers && !isSuperuser(state_.context.catalog, actingRole(state_)))
      throw SqlError(
          sqlstate::kInsufficientPrivilege,
          fmt::format("permission denied for {} {}", relation->kind == 'v' ? "view" : "table", relation->name));
    if (relation->query.empty()) return bindVirtual(std::move(relation), alias);
    const AccessNotes::Owner owner(state_.access, kRoleOid);
    const SystemTableScope system_tables;
    Result result = bindView(relation->oid, name, relation->query, nullptr, relation->columns, alias);
    result.scope.ranges.back().schema = relation->schema;
    return result;
  }
  TablePtr table = findStored(name);
  if (!table->type && table->oid != state_.refreshed) state_.access.add(table, Privilege::Select);
  if (table->sequence) {
    VirtualRelation view = sequenceView(table);
    view.name = name.name;
    return bindVirtual(std::make_shared<VirtualRelation>(std::move(view)), alias);
  }
  if (table->view || (table->materialized && table->oid == state_.refreshed)) {
    const StoredReferences references(table->query()->query);
    const AccessNotes::Owner owner(state_.access, readerOf(*table));
    Result result = bindView(table->oid, name, references.sql(), &references, table->columns, alias);
    result.scope.ranges.back().schema = schemaOf(*table, name);
    result.scope.ranges.back().relation = table->oid;
    return result;
  }
  const TablePtr shared = table;
  const bool is_partitioned = table->partitioning != nullptr;
  Result result = bindStored(std::move(table), name, alias);
  TableScan& scan = static_cast<TableScan&>(*result.tree);
  addTableOid(result, *shared);
  addTuplePlace(result, scan);
  if (is_partitioned && name.is_only) result.tree = withoutRows(std::move(result.tree));
  return result;
}

namespace {

/// A column that is there twice is two: as keys of grouping sets they differ.
void separateColumns(BindState& state, QueryBinder::Result& query) {
  auto copies = std::make_unique<Map>();
  for (auto column = query.columns.begin(); column != query.columns.end(); ++column) {
    const bool is_first = std::find_if(query.columns.begin(), column, [&](const QueryBinder::Column& before) {
                            return before.iu == column->iu;
                          }) == column;
    if (is_first) continue;
    const Iu copy = state.plan->makeUnit(column->iu->name, column->iu->type, column->iu->nullable);
    state.inherit(copy, column->iu);
    copies->computed.push_back({copy, Expression::column(column->iu)});
    column->iu = copy;
  }
  if (copies->computed.empty()) return;
  copies->inputs.push_back(std::move(query.tree));
  query.tree = std::move(copies);
}

}  // namespace

/// The view's query, which sees nothing of the statement around it.
FromBinder::Result FromBinder::bindView(uint32_t oid, const ast::RelationName& name, std::string_view text,
                                        const StoredReferences* references, const std::vector<ColumnEntry>& names,
                                        const ast::Alias& alias) {
  constexpr uint32_t kDepthMax = 100;
  if (state_.view_depth >= kDepthMax) throw SqlError(sqlstate::kStatementTooComplex, "stack depth limit exceeded");
  const StoredQuery stored(text);
  auto common_tables = std::exchange(state_.common_tables, {});
  auto outer_levels = std::exchange(state_.outer_levels, {});
  auto aggregate_levels = std::exchange(state_.aggregate_levels, {});
  const StoredReferences* const outer_references = std::exchange(state_.references, references);
  std::vector<ReadLiteral>* const outer_literals = std::exchange(state_.read_literals, nullptr);
  ++state_.view_depth;
  QueryBinder::Result query = QueryBinder(state_).bind(stored.tree());
  --state_.view_depth;
  state_.read_literals = outer_literals;
  state_.references = outer_references;
  state_.common_tables = std::move(common_tables);
  state_.outer_levels = std::move(outer_levels);
  state_.aggregate_levels = std::move(aggregate_levels);
  shareLocking(state_, query);
  separateColumns(state_, query);
  std::vector<ScopeColumn> columns;
  for (size_t i = 0; i < query.columns.size(); ++i) {
    const Iu unit = query.columns[i].iu;
    state_.origins[unit] = {oid, static_cast<int16_t>(i + 1)};
    std::string column = columnName(name, static_cast<uint32_t>(i), names[i].name);
    if (!column.empty()) columns.push_back({std::move(column), unit});
  }
  Result result{std::move(query.tree), scopeOf(alias, name.name, std::move(columns))};
  result.scope.ranges.back().rows = result.tree.get();
  nameUnits(result.scope);
  return result;
}

FromBinder::Result FromBinder::bindTable(const ast::RelationName& name, const ast::Alias& alias, TableUse use) {
  return bindStored(findTable(name, use), name, alias);
}

FromBinder::Result FromBinder::bindVirtual(VirtualRelationPtr relation, const ast::Alias& alias) {
  auto scan = std::make_unique<VirtualScan>();
  scan->alias = alias.name.empty() ? relation->name : alias.name;
  std::vector<ScopeColumn> columns;
  for (uint32_t i = 0; i < relation->columns.size(); ++i) {
    const ColumnEntry& column = relation->columns[i];
    const Iu unit = state_.plan->makeUnit(column.name, column.type, !column.not_null);
    state_.origins[unit] = {relation->oid, static_cast<int16_t>(i + 1)};
    scan->columns.push_back({i, unit});
    columns.push_back({column.name, unit});
  }
  Result result{nullptr, scopeOf(alias, relation->name, std::move(columns))};
  result.scope.ranges.back().schema = relation->schema;
  const uint32_t oid = relation->oid;
  scan->relation = std::move(relation);
  result.tree = std::move(scan);
  nameUnits(result.scope);
  addConstantOid(result, oid);
  addRowVersion(result);
  return result;
}

/// xmin of the system's relations: who has made a row is not known, so it is as new as can be, for those who ask what
/// has changed since a transaction of theirs.
void FromBinder::addRowVersion(Result& result) {
  constexpr std::string_view kName = "xmin";
  if (!isMentioned(kName)) return;
  std::vector<ExpressionPtr> number;
  number.push_back(Expression::call(FunctionId::TransactionNumber, Type::of(TypeKind::Bigint), {}));
  ExpressionPtr version =
      Expression::arrayCall(internalFunction("$xid8", 1), Type::of(TypeKind::Xid8), std::move(number));
  version = Expression::cast(std::move(version), Type::of(TypeKind::Xid), true);
  state_.is_immutable = false;
  const Iu unit = state_.plan->makeUnit(std::string(kName), version->type, false);
  auto map = std::make_unique<Map>();
  map->computed.push_back({unit, std::move(version)});
  map->inputs.push_back(std::move(result.tree));
  result.tree = std::move(map);
  result.scope.ranges.back().hidden.push_back({std::string(kName), unit});
}

void FromBinder::addTableOid(Result& result, const TableEntry& table) {
  if (table.partitioning)
    addPartitionOid(result);
  else
    addConstantOid(result, table.oid);
}

/// Whether the statement has the name of a system column somewhere, in letters of either case; a view's query may.
bool FromBinder::isMentioned(std::string_view name) const {
  if (state_.view_depth > 0) return true;
  const auto isAlike = [](char letter, char small) {
    return letter == small || (letter >= 'A' && letter <= 'Z' && letter - 'A' + 'a' == small);
  };
  return !std::ranges::search(state_.context.text, name, isAlike).empty();
}

/// A constant, for statements that mention it.
void FromBinder::addConstantOid(Result& result, uint32_t oid) {
  constexpr std::string_view kName = "tableoid";
  if (!isMentioned(kName)) return;
  const Iu unit = state_.plan->makeUnit(std::string(kName), Type::of(TypeKind::Oid), false);
  auto map = std::make_unique<Map>();
  state_.origins[unit] = {oid, kTableOidAttribute};
  map->computed.push_back({unit, Expression::constant(Value::fromInt(unit->type, oid))});
  map->inputs.push_back(std::move(result.tree));
  result.tree = std::move(map);
  result.scope.ranges.back().hidden.push_back({std::string(kName), unit});
}

/// The same of a partitioned table, whose rows have that of their partition.
void FromBinder::addPartitionOid(Result& result) {
  constexpr std::string_view kName = "tableoid";
  if (!isMentioned(kName)) return;
  const Iu unit = state_.plan->makeUnit(std::string(kName), Type::of(TypeKind::Oid), false);
  auto& scan = static_cast<TableScan&>(*result.tree);
  scan.columns.push_back({TableScan::kTableOid, unit});
  state_.origins[unit] = {scan.table->oid, kTableOidAttribute};
  result.scope.ranges.back().hidden.push_back({std::string(kName), unit});
}

void FromBinder::addTableOid(Result& result, const TableEntry& table, const std::vector<Iu>& row) {
  constexpr std::string_view kName = "tableoid";
  if (!table.partitioning) return addConstantOid(result, table.oid);
  if (!isMentioned(kName)) return;
  Coercion coercion(state_);
  std::vector<ExpressionPtr> fields;
  fields.push_back(Expression::constant(Value::null(Type::of(TypeKind::Text))));
  for (const uint32_t column : routingColumns(table)) {
    ExpressionPtr value = Expression::column(row[column]);
    fields.push_back(value->type.kind == TypeKind::Numeric ? coercion.toBig(std::move(value)) : std::move(value));
  }
  const Iu unit = state_.plan->makeUnit(std::string(kName), Type::of(TypeKind::Oid), true);
  std::vector<ExpressionPtr> arguments;
  arguments.push_back(Expression::constant(Value::fromInt(unit->type, table.oid)));
  arguments.push_back(Expression::arrayCall(FunctionId::MakeRecord, Type::recordOf(0), std::move(fields)));
  auto map = std::make_unique<Map>();
  state_.origins[unit] = {table.oid, kTableOidAttribute};
  map->computed.push_back({unit, Expression::arrayCall(pg_catalog::catalogFunctionNamed("$leaf_of_row"), unit->type,
                                                       std::move(arguments))});
  map->inputs.push_back(std::move(result.tree));
  result.tree = std::move(map);
  result.scope.ranges.back().hidden.push_back({std::string(kName), unit});
}

void FromBinder::addTuplePlace(Result& result, TableScan& scan, Iu id) {
  constexpr std::string_view kName = "ctid";
  // A view's text is another.
  if (!isMentioned(kName)) return;
  if (id == nullptr) {
    id = state_.plan->makeUnit("tuple_id", Type::of(TypeKind::Bigint), false);
    scan.columns.push_back({TableScan::kTupleId, id});
  }
  const Iu unit = state_.plan->makeUnit(std::string(kName), Type::of(TypeKind::Tid), false);
  std::vector<ExpressionPtr> ids;
  ids.push_back(Expression::column(id));
  auto map = std::make_unique<Map>();
  ExpressionPtr place = Expression::arrayCall(internalFunction("$tuple_place", 1), unit->type, std::move(ids));
  place->nullable = false;
  map->computed.push_back({unit, std::move(place)});
  map->inputs.push_back(std::move(result.tree));
  result.tree = std::move(map);
  result.scope.ranges.back().hidden.push_back({std::string(kName), unit});
}

FromBinder::Result FromBinder::bindStored(TablePtr table, const ast::RelationName& name, const ast::Alias& alias) {
  auto scan = scanOf(state_, std::move(table), alias.name.empty() ? name.name : alias.name);
  std::vector<ScopeColumn> columns;
  for (const uint32_t i : columnsInOrder(*scan->table)) {
    std::string shown = columnName(name, i, scan->table->columns[i].name);
    if (!shown.empty()) columns.push_back({std::move(shown), scan->columns[i].iu});
  }
  Result result{nullptr, scopeOf(alias, name.name, std::move(columns))};
  result.scope.ranges.back().schema = schemaOf(*scan->table, name);
  result.scope.ranges.back().relation = scan->table->oid;
  result.tree = std::move(scan);
  nameUnits(result.scope);
  return result;
}

std::string FromBinder::schemaOf(const TableEntry& table, const ast::RelationName& name) const {
  // As it was when the text was written.
  if (const StoredReference* const reference = referenceOf(name)) return reference->schema;
  const bool is_own = table.schema == state_.context.catalog.searchPath().temporary;
  return is_own && name.schema == kTemporarySchema ? std::string(kTemporarySchema) : table.schema;
}

FromBinder::Result FromBinder::bindSubquery(const ast::FromItem& item) {
  QueryBinder::Result query = item.is_lateral ? bindLateral(*item.subquery) : QueryBinder(state_).bind(*item.subquery);
  shareLocking(state_, query);
  Result result = bindDerived(std::move(query), item.alias, "");
  result.scope.ranges.back().rows = result.tree.get();
  return result;
}

Scope FromBinder::scopeBefore() const {
  Scope scope;
  for (const Scope* before : before_) {
    scope.ranges.insert(scope.ranges.end(), before->ranges.begin(), before->ranges.end());
    scope.columns.insert(scope.columns.end(), before->columns.begin(), before->columns.end());
  }
  return scope;
}

/// The query may read the items before it, and what these may read.
QueryBinder::Result FromBinder::bindLateral(const ast::Query& query) {
  const Scope scope = scopeBefore();
  const Clause clause{.name = "FROM clause of their own query level"};
  state_.outer_levels.push_back({&scope, &clause, true});
  QueryBinder::Result result = QueryBinder(state_).bind(query);
  state_.outer_levels.pop_back();
  return result;
}

FromBinder::Result FromBinder::bindDerived(QueryBinder::Result query, const ast::Alias& alias, std::string name) {
  separateColumns(state_, query);
  std::vector<ScopeColumn> columns;
  for (const QueryBinder::Column& column : query.columns) columns.push_back({column.name, column.iu});
  Result result{std::move(query.tree), scopeOf(alias, std::move(name), std::move(columns))};
  nameUnits(result.scope);
  return result;
}

FromBinder::Result FromBinder::bindJoin(const ast::FromItem& item) {
  const bool is_right = item.join_kind == JoinKind::Right;
  const bool is_full = item.join_kind == JoinKind::Full;
  const bool is_outer = item.join_kind == JoinKind::Left || is_right || is_full;
  Result left = bindBarred(*item.left, is_right || is_full);
  before_.push_back(&left.scope);
  Result right = bindBarred(*item.right, is_outer && !is_right);
  before_.pop_back();
  const std::vector<std::string> shared = sharedColumns(item, left.scope, right.scope);
  auto join = std::make_unique<Join>();
  SubqueryJoins subqueries;
  bindJoinCondition(item, shared, left.scope, right.scope, *join, subqueries);
  join->inputs.push_back(std::move(is_right ? right.tree : left.tree));
  join->inputs.push_back(std::move(is_right ? left.tree : right.tree));
  join->is_dependent = readsOuter(*join->inputs[1], unitSet(*join->inputs[0]));
  OperatorPtr& written_last = join->inputs[is_right ? 0 : 1];
  if ((is_full || is_right) && readsOuter(*written_last, unitSet(*join->inputs[is_right ? 1 : 0])))
    throwLateral(written_last, left.scope);
  if (is_outer) join->join_kind = is_full ? Join::JoinKind::FullOuter : Join::JoinKind::LeftOuter;
  if (is_full) pairRows(state_, *join, subqueries, left.scope, right.scope);
  Join& placed = *join;
  Result result;
  result.tree = placeSubqueries(std::move(join), subqueries);
  if (is_outer) {
    extendWithNulls(*placed.inputs[1], placed.null_extended, is_right ? left.scope : right.scope);
    markRows(placed, false, is_right ? left.scope : right.scope);
    if (is_full) extendWithNulls(*placed.inputs[0], placed.left_extended, left.scope);
    if (is_full) markRows(placed, true, left.scope);
  }
  result.scope = mergeScopes(item, shared, std::move(left.scope), std::move(right.scope), result.tree);
  if (!item.alias.name.empty()) {
    result.scope = scopeOf(item.alias, "", std::move(result.scope.columns));
    state_.from_levels.back().back().columns.clear();
    nameUnits(result.scope);
  }
  return result;
}

FromBinder::Result FromBinder::bindBarred(const ast::FromItem& item, bool is_nullable) {
  const RecursionBarrier barrier(state_, is_nullable ? "an outer join" : "");
  return bindItem(item);
}

std::vector<std::string> FromBinder::sharedColumns(const ast::FromItem& item, const Scope& left, const Scope& right) {
  if (!item.is_natural) return item.using_columns;
  std::vector<std::string> shared;
  for (const ScopeColumn& column : left.columns)
    if (countNamed(right, column.name) > 0) shared.push_back(column.name);
  return shared;
}

void FromBinder::bindJoinCondition(const ast::FromItem& item, const std::vector<std::string>& shared, const Scope& left,
                                   const Scope& right, Join& join, SubqueryJoins& subqueries) {
  Scope both = left;
  both.append(right);
  ExpressionBinder binder(state_, both, {.name = "JOIN conditions", .subqueries = &subqueries});
  if (item.condition) join.conditions.push_back(binder.bindCondition(*item.condition, "JOIN/ON"));
  for (const std::string& name : shared) {
    const Iu left_column = usingColumn(left, name, "left"), right_column = usingColumn(right, name, "right");
    state_.noteRead(left_column);
    state_.noteRead(right_column);
    join.conditions.push_back(binder.bindEquality(Expression::column(left_column), Expression::column(right_column)));
  }
}

void FromBinder::extendWithNulls(const Operator& input, std::vector<std::pair<Iu, Iu>>& extended, Scope& scope) {
  std::unordered_map<Iu, Iu> replacements;
  for (const Iu below : input.units()) {
    if (replacements.contains(below)) continue;
    const Iu above = state_.plan->makeUnit(below->name, below->type, true);
    state_.inherit(above, below);
    extended.emplace_back(below, above);
    replacements[below] = above;
  }
  scope.replace(replacements);
}

/// Rows of these items may be NULL above the join.
void FromBinder::markRows(Join& join, bool is_left, Scope& scope) {
  for (Range& range : scope.ranges) {
    range.marker->joins.push_back({&join, is_left});
    range.extensions = range.marker->joins.size();
  }
}

Scope FromBinder::mergeScopes(const ast::FromItem& item, const std::vector<std::string>& shared, Scope left,
                              Scope right, OperatorPtr& tree) {
  std::vector<ScopeColumn> merged;
  for (const std::string& name : shared)
    merged.push_back(
        {name, mergedColumn(item, usingColumn(left, name, "left"), usingColumn(right, name, "right"), tree)});
  const auto isShared = [&](const ScopeColumn& column) {
    return std::ranges::find(shared, column.name) != shared.end();
  };
  std::erase_if(left.columns, isShared);
  std::erase_if(right.columns, isShared);
  left.append(std::move(right));
  left.columns.insert(left.columns.begin(), merged.begin(), merged.end());
  if (item.using_alias.empty()) return left;
  // The name of the columns that were merged alone.
  Scope named;
  named.ranges.push_back(
      {.alias = item.using_alias, .table_name = "", .columns = std::move(merged), .is_aliased = true});
  state_.from_levels.back().push_back({item.using_alias, ""});
  left.append(std::move(named));
  return left;
}

Iu FromBinder::mergedColumn(const ast::FromItem& item, Iu left, Iu right, OperatorPtr& tree) {
  const Iu preserved = item.join_kind == JoinKind::Right ? right : left;
  const bool is_full = item.join_kind == JoinKind::Full;
  if (left->type.kind == right->type.kind && !is_full) return preserved;
  Coercion coercion(state_);
  ExpressionPtr left_column = Expression::column(left);
  ExpressionPtr right_column = Expression::column(right);
  ExpressionPtr* const both[] = {&left_column, &right_column};
  const Type type = coercion.unify(both, "JOIN/USING");
  if (preserved->type == type && !is_full) return preserved;
  ExpressionPtr converted = is_full ? firstOf(std::move(left_column), std::move(right_column))
                                    : std::move(preserved == left ? left_column : right_column);
  const Iu unit = state_.plan->makeUnit(preserved->name, type, converted->nullable);
  auto map = std::make_unique<Map>();
  map->computed.push_back({unit, std::move(converted)});
  map->inputs.push_back(std::move(tree));
  tree = std::move(map);
  return unit;
}

}  // namespace gnomon::sql
