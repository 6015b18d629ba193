#include "sql/bind/type_change.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/algebra/change_operators.h"
#include "sql/bind/check_definition.h"
#include "sql/bind/column_default.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/generated_column.h"
#include "sql/bind/table_definition.h"
#include "sql/catalog/column_order.h"
#include "sql/catalog/dependent_keys.h"
#include "sql/catalog/dependent_views.h"
#include "sql/parse/identifier.h"

namespace gnomon::sql {
namespace {

/// The column's values over a row of the table, as the command wants them.
ExpressionPtr convert(BindState& state, const Scope& scope, const std::string& name, Iu value, const ColumnEntry& to,
                      const ast::AlterCommand& command) {
  ExpressionBinder binder(state, scope, {.name = "transform expressions"});
  ExpressionPtr bound = command.conversion ? binder.bind(*command.conversion) : Expression::column(value);
  if (!Coercion::isPossible(*bound, to.type.kind, CastContext::Assignment)) {
    if (command.conversion)
      throw SqlError(sqlstate::kDatatypeMismatch,
                     fmt::format("result of USING clause for column \"{}\" cannot be cast automatically to type {}",
                                 name, to.type.baseName()))
          .hint("You might need to add an explicit cast.");
    throw SqlError(sqlstate::kDatatypeMismatch,
                   fmt::format("column \"{}\" cannot be cast automatically to type {}", name, to.type.baseName()))
        .hint(fmt::format("You might need to specify \"USING {}::{}\".", quotedIdentifier(name), to.type.name()));
  }
  bound = binder.coercion().assign(std::move(bound), to.type, name);
  return binder.coercion().toDomain(std::move(bound), to.domain);
}

const ast::AlterCommand* commandOf(const ast::AlterTable& alter, const std::string& column) {
  for (const ast::AlterCommand& command : alter.commands)
    if (command.kind == ast::AlterCommand::Kind::SetType && command.name == column) return &command;
  return nullptr;
}

/// Existing rows may break the checks that are not valid.
RowChecks validChecks(BindState& state, const TableEntry& table) {
  RowChecks checks = insertChecks(state, table);
  std::erase_if(checks.tested, [&](uint32_t check) { return !table.checks[check].is_valid; });
  return checks;
}

/// Every value of the one type is one of the other, of the same meaning.
bool keepsValues(Type before, Type now) {
  const auto isText = [](TypeKind kind) { return kind == TypeKind::Text || kind == TypeKind::Varchar; };
  if (before.isInteger() && now.isInteger()) return before.kind <= now.kind;
  if (!isText(before.kind) || !isText(now.kind)) return false;
  return now.typmod < 0 || (before.typmod >= 0 && before.typmod <= now.typmod);
}

/// The names of the table's row.
Scope scopeOf(const TableEntry& table, const std::vector<Iu>& row) {
  Range range{.alias = table.name, .table_name = table.name, .columns = {}, .schema = table.schema};
  range.relation = table.oid;
  for (const uint32_t i : columnsInOrder(table)) range.columns.push_back({table.columns[i].name, row[i]});
  Scope scope;
  scope.columns = range.columns;
  scope.ranges.push_back(std::move(range));
  return scope;
}

}  // namespace

ColumnEntry typeChangeOf(BindState& state, const TableEntry& table, uint32_t column, const ColumnEntry& before,
                         const ast::AlterCommand& command) {
  const ColumnEntry named = bindColumnDefinition(command.column, table.name);
  ColumnEntry result = before;
  result.type = named.type;
  result.domain = named.domain;
  if (before.is_generated) throwNotSupported("ALTER COLUMN ... TYPE of a generated column");
  const OperatorPtr rows = scanOf(state, std::make_shared<const TableEntry>(table), table.name);
  const std::vector<Iu> row = rows->units();
  convert(state, scopeOf(table, row), before.name, row[column], result, command);
  if (before.default_text.empty() || before.identity != Identity::None) return result;
  const ExpressionPtr old_default = bindColumnDefault(state, before);
  if (!Coercion::isPossible(*old_default, result.type.kind, CastContext::Assignment))
    throw SqlError(sqlstate::kDatatypeMismatch,
                   fmt::format("default for column \"{}\" cannot be cast automatically to type {}", before.name,
                               result.type.baseName()));
  bindColumnDefault(state, result);
  return result;
}

void requireTypeFree(BindState& state, const TableEntry& table, uint32_t column, const ColumnEntry& now,
                     const ast::AlterCommand& command) {
  const std::string& name = table.columns[column].name;
  const GeneratedColumns generated(state, table.name, table.columns);
  for (const uint32_t affected : generated.affected({column}))
    if (affected != column)
      throw SqlError(sqlstate::kFeatureNotSupported, "cannot alter type of a column used by a generated column")
          .detail(fmt::format("Column \"{}\" is used by generated column \"{}\".", name, table.columns[affected].name));
  const std::vector<TablePtr> views = viewsReading(state.context.catalog, table, column);
  if (!views.empty())
    throw SqlError(sqlstate::kFeatureNotSupported, "cannot alter type of a column used by a view or rule")
        .detail(fmt::format("rule _RETURN on {} depends on column \"{}\"",
                            describe(state.context.catalog, *views.front()), name));
  const auto has = [column](const std::vector<uint32_t>& columns) {
    return std::ranges::find(columns, column) != columns.end();
  };
  // What is equal stays so.
  if (!command.conversion && keepsValues(table.columns[column].type, now.type)) return;
  for (const ForeignKeyEntry& key : table.foreign_keys)
    if (has(key.columns))
      throwNotSupported("ALTER COLUMN ... TYPE of a column of a foreign key to one of other values");
  for (const ReferringKey& referring : table.referring_keys) {
    const TablePtr child = findTable(state.context.catalog, referring.table);
    if (!child) continue;
    for (const ForeignKeyEntry& key : child->foreign_keys)
      if (key.number == referring.number && has(key.parent_columns))
        throwNotSupported("ALTER COLUMN ... TYPE of a column that foreign keys refer to, to one of other values");
  }
}

OperatorPtr bindRewrite(BindState& state, const ast::AlterTable& alter) {
  const TablePtr& before = state.context.rewritten;
  const TablePtr now = state.context.catalog.findEntry(before->path());
  CHECK(now != nullptr && now->columns.size() >= before->columns.size(), "the catalog has been changed for it");
  state.addTable(now);
  state.written.push_back(now);
  OperatorPtr rows = scanOf(state, before, before->name);
  const std::vector<Iu> row = rows->units();
  const Scope scope = scopeOf(*before, row);
  auto insert = std::make_unique<Insert>();
  insert->table = now;
  for (uint32_t i = 0; i < now->columns.size(); ++i) {
    const ColumnEntry& column = now->columns[i];
    // What comes behind the rewriting part finds the types changed.
    const bool is_behind = state.context.part == AlterPart::Rest;
    const ast::AlterCommand* const command = column.isDropped() || is_behind ? nullptr : commandOf(alter, column.name);
    const bool is_new = i >= row.size() || column.isDropped();
    insert->values.push_back(is_new               ? bindColumnDefault(state, column)
                             : command != nullptr ? convert(state, scope, column.name, row[i], column, *command)
                                                  : Expression::column(row[i]));
  }
  insert->checks = validChecks(state, *now);
  insert->inputs.push_back(computeGenerated(state, *now, *insert, std::move(rows)));
  return insert;
}

OperatorPtr bindLaidRows(BindState& state) {
  const TablePtr& before = state.context.rewritten;
  const TablePtr now = state.context.catalog.findEntry(before->path());
  CHECK(now != nullptr && now->storage != before->storage, "the columns have been laid elsewhere");
  state.addTable(now);
  state.written.push_back(now);
  OperatorPtr rows = scanOf(state, before, before->name);
  const std::vector<Iu> row = rows->units();
  auto insert = std::make_unique<Insert>();
  insert->table = now;
  for (const ColumnEntry& column : now->columns) {
    const auto from = std::ranges::find(before->columns, column.name, &ColumnEntry::name);
    insert->values.push_back(column.isDropped()
                                 ? bindColumnDefault(state, column)
                                 : Expression::column(row[static_cast<size_t>(from - before->columns.begin())]));
  }
  insert->inputs.push_back(std::move(rows));
  return insert;
}

}  // namespace gnomon::sql
