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
#include "sql/bind/partition_alter.h"
#include "sql/bind/sequence_definition.h"
#include "sql/bind/table_definition.h"
#include "sql/bind/trigger_condition.h"
#include "sql/catalog/access.h"
#include "sql/catalog/column_order.h"
#include "sql/catalog/dependent_keys.h"
#include "sql/catalog/dependent_views.h"
#include "sql/catalog/partitioning.h"
#include "sql/catalog/sequences.h"
#include "sql/catalog/triggers.h"
#include "sql/parse/identifier.h"

namespace gnomon::sql {
namespace {

/// The column's values over a row of the table, as the command has them.
ExpressionPtr newValues(BindState& state, const Scope& scope, Iu value, const ast::AlterCommand& command) {
  if (!command.conversion) return Expression::column(value);
  return ExpressionBinder(state, scope, {.name = "transform expressions"}).bind(*command.conversion);
}

/// The same, as the column has them.
ExpressionPtr convert(BindState& state, ExpressionPtr values, const std::string& name, const ColumnEntry& to,
                      const ast::AlterCommand& command) {
  if (!Coercion::isPossible(*values, to.type, CastContext::Assignment)) {
    if (command.conversion)
      throw SqlError(sqlstate::kDatatypeMismatch,
                     fmt::format("result of USING clause for column \"{}\" cannot be cast automatically to type {}",
                                 name, to.type.baseName()))
          .hint("You might need to add an explicit cast.");
    throw SqlError(sqlstate::kDatatypeMismatch,
                   fmt::format("column \"{}\" cannot be cast automatically to type {}", name, to.type.baseName()))
        .hint(fmt::format("You might need to specify \"USING {}::{}\".", quotedIdentifier(name), to.type.name()));
  }
  Coercion coercion(state);
  return coercion.toDomain(coercion.assign(std::move(values), to.type, name), to.domain);
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

/// Whether the table's row as a whole is in the expression.
bool hasRowOf(const TableEntry& table, const Expression& expression) {
  const bool is_row = expression.function == FunctionId::MakeRecord && expression.type.isRecord() &&
                      expression.type.definition() == table.oid;
  return is_row || std::ranges::any_of(expression.children, [&](const ExpressionPtr& child) {
           return child != nullptr && hasRowOf(table, *child);
         });
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

/// The column as the command makes it; `before`: as the commands before it have left it. `is_below`: the command is
/// that of a table above. As in PostgreSQL USING is bound for each table, by its own name.
ColumnEntry typeChangeOf(BindState& state, const TableEntry& table, uint32_t column, const ColumnEntry& before,
                         const ast::AlterCommand& command, bool is_below) {
  const OperatorPtr rows = scanOf(state, std::make_shared<const TableEntry>(table), table.name);
  const std::vector<Iu> row = rows->units();
  ExpressionPtr values = newValues(state, scopeOf(table, row), row[column], command);
  if (table.partition && !is_below)
    throw SqlError(sqlstate::kInvalidTableDefinition, fmt::format("cannot alter inherited column \"{}\"", before.name));
  requireOutsideKey(table, column, "alter");
  const ColumnEntry named = bindColumnDefinition(command.column, table.name);
  ColumnEntry result = before;
  result.type = named.type;
  result.domain = named.domain;
  if (before.is_generated) throwNotSupported("ALTER COLUMN ... TYPE of a generated column");
  const bool has_row = hasRowOf(table, *values);
  convert(state, std::move(values), before.name, result, command);
  if (has_row && !is_below && table.partitioning && !table.partitioning->partitions().empty())
    throw SqlError(sqlstate::kFeatureNotSupported, "cannot convert whole-row table reference")
        .detail("USING expression contains a whole-row table reference.");
  return result;
}

/// The column's default can be one of the type that it gets.
void requireConvertibleDefault(BindState& state, const ColumnEntry& before, const ColumnEntry& now) {
  if (before.default_text.empty() || before.identity != Identity::None) return;
  const ExpressionPtr old_default = bindColumnDefault(state, before);
  if (!Coercion::isPossible(*old_default, now.type, CastContext::Assignment))
    throw SqlError(sqlstate::kDatatypeMismatch,
                   fmt::format("default for column \"{}\" cannot be cast automatically to type {}", before.name,
                               now.type.baseName()));
  ColumnEntry after = now;
  after.default_text = before.default_text;
  bindColumnDefault(state, after);
}

/// Nothing else depends on the column's type. Failure: 0A000.
void requireTypeFree(BindState& state, const TableEntry& table, uint32_t column, const ColumnEntry& now,
                     const ast::AlterCommand& command) {
  const std::string& name = table.columns[column].name;
  const GeneratedColumns generated(state, table.name, table.columns);
  for (const uint32_t affected : generated.affected({column}))
    if (affected != column)
      throw SqlError(sqlstate::kFeatureNotSupported, "cannot alter type of a column used by a generated column")
          .detail(fmt::format("Column \"{}\" is used by generated column \"{}\".", name, table.columns[affected].name));
  const std::vector<TablePtr> views = viewsReading(state.context.catalog, table, column);
  if (!views.empty() && views.front()->routine)
    throw SqlError(sqlstate::kFeatureNotSupported, "cannot alter type of a column used by a function or procedure")
        .detail(fmt::format("{} depends on column \"{}\"", describe(state.context.catalog, *views.front()), name));
  if (!views.empty())
    throw SqlError(sqlstate::kFeatureNotSupported, "cannot alter type of a column used by a view or rule")
        .detail(fmt::format("rule _RETURN on {} depends on column \"{}\"",
                            describe(state.context.catalog, *views.front()), name));
  for (const TriggerEntry& trigger : triggersNaming(table, column))
    throw SqlError(sqlstate::kFeatureNotSupported, "cannot alter type of a column used in a trigger definition")
        .detail(
            fmt::format("{} depends on column \"{}\"", describeTrigger(state.context.catalog, table, trigger), name));
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

/// Those of an identity column are of its type.
void changeSequences(BindState& state, AlterTableStatement& result, uint32_t column) {
  for (const TablePtr& sequence : ownedSequences(state.context.catalog, result.table->oid, column)) {
    const SequenceOptions options = bindSequenceOptions({}, sequence->sequence.get(), result.columns[column].type.kind);
    SequenceChange& change = result.changed_sequences.emplace_back();
    change.sequence = sequence;
    change.path = sequence->path();
    change.definition = options.definition;
    change.has_values = true;
  }
}

}  // namespace

void changeType(BindState& state, AlterTableStatement& result, uint32_t column, const ast::AlterCommand& command,
                bool is_alone) {
  const TableEntry& table = *result.table;
  if (column >= table.columns.size()) throwNotSupported("ALTER COLUMN ... TYPE of a column that is added as well");
  ColumnEntry& changed = result.columns[column];
  const ColumnEntry now = typeChangeOf(state, table, column, changed, command, false);
  const std::vector<TablePtr> below = tablesBelow(table, true);
  if (is_alone && !below.empty())
    throw SqlError(sqlstate::kInvalidTableDefinition,
                   fmt::format("type of inherited column \"{}\" must be changed in child tables too", command.name));
  for (const TablePtr& each : below) {
    requireOwner(state.context.catalog, *each);
    typeChangeOf(state, *each, column, each->columns[column], command, true);
  }
  requireConvertibleDefault(state, changed, now);
  requireTypeFree(state, table, column, now, command);
  for (const TablePtr& each : below) {
    ColumnEntry own = each->columns[column];
    if (changed.default_text != table.columns[column].default_text) own.default_text = changed.default_text;
    requireConvertibleDefault(state, own, now);
    requireTypeFree(state, *each, column, now, command);
  }
  if (changed.type.kind != table.columns[column].type.kind)
    throw SqlError(sqlstate::kFeatureNotSupported,
                   fmt::format("cannot alter type of column \"{}\" twice", command.name));
  changed.type = now.type;
  changed.domain = now.domain;
  result.rewrites = true;
  if (changed.identity != Identity::None) changeSequences(state, result, column);
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
    insert->values.push_back(
        is_new               ? bindColumnDefault(state, column)
        : command != nullptr ? convert(state, newValues(state, scope, row[i], *command), column.name, column, *command)
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
