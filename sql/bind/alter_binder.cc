#include "sql/bind/alter_binder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/column_default.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/index_definition.h"
#include "sql/bind/storage_parameters.h"
#include "sql/bind/table_definition.h"

namespace gnomon::sql {
namespace {

using Kind = ast::AlterCommand::Kind;

constexpr SqlState kSuccess("00000");

/// Commands of a lower pass come first.
int passOf(Kind kind) {
  switch (kind) {
    case Kind::DropColumn:
    case Kind::DropConstraint:
    case Kind::DropNotNull:
    case Kind::DropDefault:
      return 0;
    case Kind::AddColumn:
      return 1;
    case Kind::SetNotNull:
      return 2;
    case Kind::AddKey:
      return 3;
    case Kind::SetDefault:
    case Kind::SetParameters:
    case Kind::ResetParameters:
      return 4;
  }
  __builtin_unreachable();
}
constexpr int kPasses = 5;

/// The statement before any command; its table is null when there is none and IF EXISTS was given.
AlterTableStatement begin(BindState& state, const ast::RelationName& relation, bool if_exists) {
  requirePublic(relation);
  AlterTableStatement result;
  const Catalog& catalog = state.context.catalog;
  if (catalog.findIndexTable(relation.name) != nullptr)
    throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is not a table", relation.name));
  if (if_exists && catalog.find(relation.name) == nullptr &&
      catalog.findVirtual(relation.schema, relation.name) == nullptr) {
    result.notices.emplace_back(kSuccess, fmt::format("relation \"{}\" does not exist, skipping", relation.name));
    return result;
  }
  result.table = FromBinder(state).findTable({relation.schema, relation.name, -1}, TableUse::Alter);
  result.name = result.table->name;
  result.columns = result.table->columns;
  result.options = result.table->options;
  return result;
}

class AlterBinder {
 public:
  AlterBinder(BindState& state, AlterTableStatement& result) : state_(state), result_(result), table_(*result.table) {}

  void apply(const ast::AlterCommand& command) {
    switch (command.kind) {
      case Kind::AddColumn:
        return addColumn(command);
      case Kind::DropColumn:
        return dropColumn(command);
      case Kind::DropConstraint:
        return dropConstraint(command);
      case Kind::AddKey:
        return addKey(command.keys.front());
      case Kind::DropDefault:
        column(command.name).default_text.clear();
        return;
      case Kind::SetDefault:
        return changeDefault(command.default_value, command.default_text, column(command.name));
      case Kind::SetNotNull:
        column(command.name).not_null = true;
        return;
      case Kind::DropNotNull:
        return dropNotNull(column(command.name));
      case Kind::SetParameters:
        return setStorageParameters(command.parameters, result_.options);
      case Kind::ResetParameters:
        return resetStorageParameters(command.parameters, result_.options);
    }
  }

  void finish() const {
    if (result_.columns.size() > kColumnsMax)
      throw SqlError(sqlstate::kTooManyColumns, fmt::format("tables can have at most {} columns", kColumnsMax));
    if (std::ranges::all_of(result_.columns, &ColumnEntry::isDropped)) throwNotSupported("tables without columns");
  }

 private:
  ColumnEntry& column(const std::string& name) {
    const auto found = std::ranges::find(result_.columns, name, &ColumnEntry::name);
    if (found == result_.columns.end())
      throw SqlError(sqlstate::kUndefinedColumn,
                     fmt::format("column \"{}\" of relation \"{}\" does not exist", name, table_.name));
    return *found;
  }
  [[nodiscard]] uint32_t indexOf(const ColumnEntry& column) const {
    return static_cast<uint32_t>(&column - result_.columns.data());
  }
  [[nodiscard]] bool isGone(const IndexEntry& index) const {
    return std::ranges::find(result_.dropped_indexes, index.name) != result_.dropped_indexes.end();
  }

  /// PostgreSQL's errors of these expressions have no position.
  void changeDefault(const ast::ExpressionPtr& value, const std::string& text, ColumnEntry& column) {
    try {
      setDefault(state_, value, text, column);
    } catch (SqlError& error) {
      error.dropPosition();
      throw;
    }
  }

  void addColumn(const ast::AlterCommand& command) {
    const ast::ColumnDefinition& definition = command.column;
    if (std::ranges::find(result_.columns, definition.name, &ColumnEntry::name) != result_.columns.end()) {
      const std::string text =
          fmt::format("column \"{}\" of relation \"{}\" already exists", definition.name, table_.name);
      if (!command.if_not_exists) throw SqlError(sqlstate::kDuplicateColumn, text);
      result_.notices.emplace_back(sqlstate::kDuplicateColumn, text + ", skipping");
      return;
    }
    ColumnEntry column = bindColumnDefinition(definition);
    if (definition.default_value) changeDefault(definition.default_value, definition.default_text, column);
    result_.added_values.push_back(bindColumnDefault(state_, column));
    result_.columns.push_back(std::move(column));
    for (const ast::KeyConstraint& key : command.keys) addKey(key);
  }

  /// Indexes that have the column go as well.
  void dropColumn(const ast::AlterCommand& command) {
    const auto found = std::ranges::find(result_.columns, command.name, &ColumnEntry::name);
    if (found == result_.columns.end() && command.if_exists) {
      result_.notices.emplace_back(kSuccess, fmt::format("column \"{}\" of relation \"{}\" does not exist, skipping",
                                                         command.name, table_.name));
      return;
    }
    ColumnEntry& dropped = column(command.name);
    const uint32_t number = indexOf(dropped);
    for (const IndexPtr& index : table_.indexes)
      if (std::ranges::binary_search(dependedColumns(*index), number) && !isGone(*index))
        result_.dropped_indexes.push_back(index->name);
    dropped.name.clear();
    dropped.default_text.clear();
    dropped.not_null = false;
  }

  void dropConstraint(const ast::AlterCommand& command) {
    const auto found = std::ranges::find_if(table_.indexes, [&](const IndexPtr& index) {
      return index->is_constraint && index->name == command.name && !isGone(*index);
    });
    if (found != table_.indexes.end()) {
      result_.dropped_indexes.push_back(command.name);
      return;
    }
    const std::string text =
        fmt::format("constraint \"{}\" of relation \"{}\" does not exist", command.name, table_.name);
    if (!command.if_exists) throw SqlError(sqlstate::kUndefinedObject, text);
    result_.notices.emplace_back(kSuccess, text + ", skipping");
  }

  void addKey(const ast::KeyConstraint& key) {
    const auto isPrimary = [&](const IndexPtr& index) { return index->is_primary && !isGone(*index); };
    const bool has_primary = std::ranges::any_of(table_.indexes, isPrimary) ||
                             std::ranges::any_of(result_.added_indexes, &IndexSpecification::is_primary);
    if (key.is_primary && has_primary)
      throw SqlError(sqlstate::kInvalidTableDefinition,
                     fmt::format("multiple primary keys for table \"{}\" are not allowed", table_.name));
    result_.added_indexes.push_back(bindKey({key.name, key.columns, key.is_primary, -1}, result_.columns));
  }

  void dropNotNull(ColumnEntry& column) const {
    const uint32_t number = indexOf(column);
    for (const IndexPtr& index : table_.indexes)
      if (index->is_primary && !isGone(*index) &&
          std::ranges::find(index->columns, number, &IndexColumn::column) != index->columns.end())
        throw SqlError(sqlstate::kInvalidTableDefinition,
                       fmt::format("column \"{}\" is in a primary key", column.name));
    column.not_null = false;
  }

  BindState& state_;
  AlterTableStatement& result_;
  const TableEntry& table_;
};

}  // namespace

AlterTableStatement bindAlterTable(BindState& state, const ast::AlterTable& alter) {
  AlterTableStatement result = begin(state, alter.relation, alter.if_exists);
  if (result.table == nullptr) return result;
  AlterBinder binder(state, result);
  for (int pass = 0; pass < kPasses; ++pass)
    for (const ast::AlterCommand& command : alter.commands)
      if (passOf(command.kind) == pass) binder.apply(command);
  binder.finish();
  return result;
}

AlterTableStatement bindRename(BindState& state, const ast::Rename& rename) {
  AlterTableStatement result = begin(state, rename.relation, rename.if_exists);
  if (result.table == nullptr) return result;
  if (rename.column.empty()) {
    if (state.context.catalog.find(rename.new_name) != nullptr)
      throw SqlError(sqlstate::kDuplicateTable, fmt::format("relation \"{}\" already exists", rename.new_name));
    result.name = rename.new_name;
    return result;
  }
  const auto found = std::ranges::find(result.columns, rename.column, &ColumnEntry::name);
  if (found == result.columns.end())
    throw SqlError(sqlstate::kUndefinedColumn, fmt::format("column \"{}\" does not exist", rename.column));
  requireNoSystemColumn(rename.new_name);
  if (std::ranges::find(result.columns, rename.new_name, &ColumnEntry::name) != result.columns.end())
    throw SqlError(sqlstate::kDuplicateColumn,
                   fmt::format("column \"{}\" of relation \"{}\" already exists", rename.new_name, result.table->name));
  found->name = rename.new_name;
  return result;
}

}  // namespace gnomon::sql
