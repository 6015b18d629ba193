#include "sql/bind/view_definition.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/algebra/rewrite.h"
#include "sql/bind/collation.h"
#include "sql/bind/creation_path.h"
#include "sql/bind/query_binder.h"
#include "sql/bind/scope.h"
#include "sql/bind/stored_text.h"
#include "sql/bind/stored_uses.h"
#include "sql/bind/table_definition.h"
#include "sql/bind/updatable_view.h"
#include "sql/catalog/access.h"
#include "sql/optimise/column_pruning.h"
#include "sql/parse/ast_statement.h"
#include "sql/parse/identifier.h"
#include "sql/types/boolean.h"
#include "sql/types/decimal.h"

namespace gnomon::sql {
namespace {

/// What the query reads: columns that only other columns' pruning would have kept are not among them.
std::vector<ViewEntry::Use> usesOf(BindState& state, QueryBinder::Result query) {
  auto output = std::make_unique<Output>();
  for (const QueryBinder::Column& column : query.columns) output->columns.push_back({column.name, column.iu});
  output->inputs.push_back(std::move(query.tree));
  state.plan->root = std::move(output);
  pruneColumns(*state.plan);
  std::vector<ViewEntry::Use> uses;
  addNamedUses(state, uses);
  forEachRoot(*state.plan, [&](OperatorPtr& root) {
    forEachOperator(root, [&](OperatorPtr& op) {
      if (op->kind != Operator::Kind::TableScan) return;
      const auto& scan = static_cast<const TableScan&>(*op);
      if (!state.own_tables.contains(scan.table->oid)) return;
      for (const TableScan::Column& column : scan.columns)
        if (column.index != TableScan::kTupleId && column.index != TableScan::kTableOid)
          addUse(uses, {scan.table->oid, column.index});
    });
  });
  return uses;
}

/// A type as a column that is declared so has it.
Type shownType(Type type) {
  if (type.kind == TypeKind::Numeric && type.typmod >= 0)
    return numericWithModifier(modifierPrecision(type.typmod), modifierScale(type.typmod));
  return Type::of(type.kind, type.typmod);
}

bool reads(const CatalogView& catalog, const std::vector<ViewEntry::Use>& uses, uint32_t oid) {
  std::vector<uint32_t> pending;
  for (const ViewEntry::Use& use : uses) pending.push_back(use.table);
  for (size_t i = 0; i < pending.size(); ++i) {
    if (pending[i] == oid) return true;
    const TablePtr used = findTable(catalog, pending[i]);
    if (!used || used->query() == nullptr) continue;
    for (const ViewEntry::Use& use : used->query()->uses)
      if (std::ranges::find(pending, use.table) == pending.end()) pending.push_back(use.table);
  }
  return false;
}

/// Columns stay, others may come behind them.
void requireReplaceable(const TableEntry& before, const std::vector<ColumnEntry>& after) {
  const auto refuse = [](std::string message) {
    throw SqlError(sqlstate::kInvalidTableDefinition, std::move(message));
  };
  if (after.size() < before.columns.size()) refuse("cannot drop columns from view");
  for (size_t i = 0; i < before.columns.size(); ++i) {
    const ColumnEntry& old = before.columns[i];
    if (old.name != after[i].name)
      throw SqlError(sqlstate::kInvalidTableDefinition,
                     fmt::format("cannot change name of view column \"{}\" to \"{}\"", old.name, after[i].name))
          .hint("Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead.");
    if (old.type.kind != after[i].type.kind || old.type.typmod != after[i].type.typmod)
      refuse(fmt::format("cannot change data type of view column \"{}\" from {} to {}", old.name, old.type.name(),
                         after[i].type.name()));
  }
}

/// The one option that there is beside check_option. Failure: 0A000, 22023.
bool isInvoker(const ast::CreateView& create) {
  bool result = false;
  for (const ast::Option& option : create.options) {
    if (option.name == "security_barrier") throwNotSupported("option security_barrier of views");
    if (option.name != "security_invoker")
      throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("unrecognized parameter \"{}\"", option.name));
    try {
      result = parseBoolean(option.value.value_or("true"));
    } catch (const SqlError&) {
      throw SqlError(sqlstate::kInvalidParameterValue,
                     fmt::format("invalid value for boolean option \"{}\": {}", option.name, *option.value));
    }
  }
  return result;
}

}  // namespace

StoredQuery::StoredQuery(std::string_view text) : parsed_(parse(text)) {
  CHECK(parsed_.size() == 1, "one query is stored");
  if (parsed_.front().rejection) throw *parsed_.front().rejection;
}

const ast::Query& StoredQuery::tree() const {
  return *std::get<ast::QueryPtr>(parsed_.front().tree->body);
}

ViewEntry bindStoredQuery(BindState& state, const std::string& text) {
  const StoredQuery stored(text);
  BindState own(state.context);
  const StoredText written(own);
  StoredReferences references;
  own.made_references = &references;
  QueryBinder::Result query = QueryBinder(own).bind(stored.tree());
  ViewEntry result;
  result.uses = usesOf(own, std::move(query));
  result.query = references.with(written.write(text));
  return result;
}

CreateViewStatement bindCreateView(BindState& state, const ast::CreateView& create) {
  CreateViewStatement result;
  if (std::ranges::any_of(create.query->with.tables, [](const auto& table) { return table.change != nullptr; }))
    throw SqlError(sqlstate::kFeatureNotSupported, "views must not contain data-modifying statements in WITH");
  // As it was written, for the positions of errors.
  QueryBinder::Result query = QueryBinder(state).bind(*create.query);
  if (!state.parameters.empty()) throw SqlError(sqlstate::kUndefinedParameter, "there is no parameter $1");
  if (query.columns.empty()) throwNotSupported("views without columns", create.relation.position);
  if (create.columns.size() > query.columns.size())
    throw SqlError(sqlstate::kSyntaxError, "CREATE VIEW specifies more column names than columns");
  for (size_t i = 0; i < query.columns.size(); ++i) {
    ColumnEntry column;
    column.name = i < create.columns.size() ? create.columns[i] : query.columns[i].name;
    column.type = shownType(query.columns[i].iu->type);
    column.type.collation = declaredCollation(column.name, query.columns[i].iu->type);
    const bool is_record = column.type.kind == TypeKind::Record && column.type.definition() == 0;
    if (column.type.kind == TypeKind::Void || column.type.kind == TypeKind::Trigger || is_record)
      throw SqlError(sqlstate::kInvalidTableDefinition,
                     fmt::format("column \"{}\" has pseudo-type {}", column.name, column.type.baseName()));
    if (std::ranges::find(result.columns, column.name, &ColumnEntry::name) != result.columns.end())
      throw SqlError(sqlstate::kDuplicateColumn, fmt::format("column \"{}\" specified more than once", column.name));
    result.columns.push_back(std::move(column));
  }
  // As it is stored, for what it reads.
  result.view = bindStoredQuery(state, create.text);
  result.view.check_option = create.check_option;
  result.view.is_invoker = isInvoker(create);
  if (create.check_option != CheckOption::None) requireCheckable(state, result.view, result.columns);
  result.used = state.tables;
  ast::RelationName name = create.relation;
  const bool reads_temporary = std::ranges::any_of(result.used, &TableEntry::is_temporary);
  if (reads_temporary && !name.is_temporary && name.schema != kTemporarySchema) {
    name.is_temporary = true;
    result.notices.emplace_back(SqlState("00000"), fmt::format("view \"{}\" will be a temporary view", name.name));
  }
  result.path = creationPath(state.context.catalog, name, PlacePosition::None);
  const TablePtr before = state.context.catalog.find(result.path);
  if (!before || !create.is_replacing) return result;
  if (!before->view) throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is not a view", result.path.name));
  requireOwner(state.context.catalog, *before);
  requireReplaceable(*before, result.columns);
  if (reads(state.context.catalog, result.view.uses, before->oid))
    throw SqlError(sqlstate::kInvalidObjectDefinition,
                   fmt::format("infinite recursion detected in rules for relation \"{}\"", result.path.name));
  result.replaced = before;
  return result;
}

}  // namespace gnomon::sql
