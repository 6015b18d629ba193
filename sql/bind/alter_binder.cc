#include "sql/bind/alter_binder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/check_definition.h"
#include "sql/bind/column_default.h"
#include "sql/bind/foreign_key_definition.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/index_definition.h"
#include "sql/bind/sequence_definition.h"
#include "sql/bind/storage_parameters.h"
#include "sql/bind/stored_expression.h"
#include "sql/bind/table_definition.h"
#include "sql/catalog/dependent_views.h"
#include "sql/catalog/sequences.h"

namespace gnomon::sql {
namespace {

using Kind = ast::AlterCommand::Kind;

constexpr SqlState kSuccess("00000");

constexpr int kCheckPass = 5;

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
    case Kind::AddIdentity:
    case Kind::SetIdentity:
    case Kind::DropIdentity:
      return 4;
    case Kind::AddCheck:
    case Kind::AddForeignKey:
      return kCheckPass;
    case Kind::ValidateConstraint:
    case Kind::SetParameters:
    case Kind::ResetParameters:
      return 6;
  }
  __builtin_unreachable();
}
constexpr int kPasses = 7;

/// The statement before any command; its table is null when there is none and IF EXISTS was given.
AlterTableStatement begin(BindState& state, const ast::RelationName& relation, bool if_exists) {
  requirePublic(relation);
  AlterTableStatement result;
  const CatalogView& catalog = state.context.catalog;
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
  result.checks = result.table->checks;
  result.foreign_keys = result.table->foreign_keys;
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
        return addKey(command.constraints.keys.front());
      case Kind::AddCheck:
        return addCheck(command.constraints.checks.front());
      case Kind::AddForeignKey:
        return addForeignKey(command.constraints.foreign_keys.front());
      case Kind::ValidateConstraint:
        return validate(command.name);
      case Kind::DropDefault:
        requireNoIdentity(column(command.name), "Use ALTER TABLE ... ALTER COLUMN ... DROP IDENTITY instead.");
        column(command.name).default_text.clear();
        return;
      case Kind::SetDefault:
        requireNoIdentity(column(command.name));
        return changeDefault(command.default_value, command.default_text, column(command.name));
      case Kind::AddIdentity:
        return addIdentity(command.identity, column(command.name));
      case Kind::SetIdentity:
        return setIdentity(command, column(command.name));
      case Kind::DropIdentity:
        return dropIdentity(command.if_exists, column(command.name));
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

  /// CHECKs and REFERENCES of added columns, which may mention columns that are added after them.
  void addColumnConstraints() {
    for (const ast::CheckConstraint* check : column_checks_) addCheck(*check);
    for (const ast::ForeignKey* key : column_keys_) addForeignKey(*key);
  }

  void finish() {
    if (result_.columns.size() > kColumnsMax)
      throw SqlError(sqlstate::kTooManyColumns, fmt::format("tables can have at most {} columns", kColumnsMax));
    if (std::ranges::all_of(result_.columns, &ColumnEntry::isDropped)) throwNotSupported("tables without columns");
    std::vector<CheckEntry> tested;
    for (const std::string& name : tested_)
      tested.push_back(*std::ranges::find(result_.checks, name, &CheckEntry::name));
    result_.tested_checks = checkForms(state_, result_.columns, tested);
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
    ColumnEntry column = bindColumnDefinition(definition, table_.name);
    if (definition.default_value) changeDefault(definition.default_value, definition.default_text, column);
    result_.added_values.push_back(bindColumnDefault(state_, column));
    if (auto sequence = bindColumnSequence(definition, column.type))
      addSequence(std::move(*sequence), static_cast<uint32_t>(result_.columns.size()));
    result_.columns.push_back(std::move(column));
    for (const ast::KeyConstraint& key : command.constraints.keys) addKey(key);
    for (const ast::CheckConstraint& check : command.constraints.checks) column_checks_.push_back(&check);
    for (const ast::ForeignKey& key : command.constraints.foreign_keys) column_keys_.push_back(&key);
  }

  /// Keys that refer to this table and need something of it: they prevent that it goes, or go as well. `what`: that is
  /// to go; `on`: what the keys are said to depend on.
  template <typename Needs>
  void dropDependents(const std::string& what, const std::string& on, bool is_cascade, Needs&& needs) {
    std::vector<DependentKey> found;
    for (const DependentKey& dependent : dependentKeys(state_.context.catalog, table_)) {
      const bool is_own = dependent.child->oid == table_.oid;
      const auto& left = is_own ? result_.foreign_keys : dependent.child->foreign_keys;
      const bool is_left = std::ranges::find(left, dependent.number, &ForeignKeyEntry::number) != left.end() &&
                           std::ranges::none_of(result_.dropped_keys, [&](const DependentKey& dropped) {
                             return dropped.number == dependent.number && dropped.child == dependent.child;
                           });
      if (is_left && needs(dependent.key())) found.push_back(dependent);
    }
    if (found.empty()) return;
    if (!is_cascade) throw dependentsExist(what, on, found);
    result_.notices.push_back(*cascadeNotice(found));
    for (const DependentKey& dependent : found) {
      if (dependent.child->oid == table_.oid)
        std::erase_if(result_.foreign_keys, [&](const auto& key) { return key.number == dependent.number; });
      else
        result_.dropped_keys.push_back(dependent);
    }
  }

  /// Failure: 2BP01 when views read the column.
  void requireNoView(const ast::AlterCommand& command, uint32_t number) const {
    const std::vector<TablePtr> views = viewsReading(state_.context.catalog, table_, number);
    if (views.empty()) return;
    if (command.is_cascade) throwNotSupported("DROP COLUMN ... CASCADE of a column that views read");
    const std::string column = fmt::format("column {} of table {}", command.name, table_.name);
    std::string detail;
    for (const TablePtr& view : views)
      detail += fmt::format("{}view {} depends on {}", detail.empty() ? "" : "\n", view->name, column);
    throw SqlError(sqlstate::kDependentObjectsStillExist,
                   fmt::format("cannot drop {} because other objects depend on it", column))
        .detail(std::move(detail))
        .hint("Use DROP ... CASCADE to drop the dependent objects too.");
  }

  /// Indexes, checks and foreign keys that have the column go as well.
  void dropColumn(const ast::AlterCommand& command) {
    const auto found = std::ranges::find(result_.columns, command.name, &ColumnEntry::name);
    if (found == result_.columns.end() && command.if_exists) {
      result_.notices.emplace_back(kSuccess, fmt::format("column \"{}\" of relation \"{}\" does not exist, skipping",
                                                         command.name, table_.name));
      return;
    }
    ColumnEntry& dropped = column(command.name);
    const uint32_t number = indexOf(dropped);
    requireNoView(command, number);
    const auto has = [number](const std::vector<uint32_t>& columns) {
      return std::ranges::find(columns, number) != columns.end();
    };
    std::erase_if(result_.foreign_keys, [&](const ForeignKeyEntry& key) { return has(key.columns); });
    dropDependents(fmt::format("column {} of table {}", command.name, table_.name),
                   fmt::format("column {} of table {}", command.name, table_.name), command.is_cascade,
                   [&](const ForeignKeyEntry& key) { return has(key.parent_columns); });
    for (const IndexPtr& index : table_.indexes)
      if (std::ranges::binary_search(dependedColumns(*index), number) && !isGone(*index))
        result_.dropped_indexes.push_back(index->name);
    std::erase_if(result_.checks, [&](const CheckEntry& check) {
      const auto& bound = table_.check_expressions->checks;
      const auto found_check = std::ranges::find(bound, check.name, &CheckExpressions::Check::name);
      return std::ranges::binary_search(found_check->columns, number);
    });
    result_.unowned_columns.push_back(number);
    result_.drops_dependents = result_.drops_dependents || command.is_cascade;
    dropped.name.clear();
    dropped.default_text.clear();
    dropped.not_null = false;
    dropped.identity = Identity::None;
  }

  void requireNoIdentity(const ColumnEntry& column, const char* hint = "") const {
    if (column.identity == Identity::None) return;
    throw SqlError(sqlstate::kSyntaxError,
                   fmt::format("column \"{}\" of relation \"{}\" is an identity column", column.name, table_.name))
        .hint(hint);
  }
  [[noreturn]] void raiseOfColumn(const ColumnEntry& column, std::string_view what) const {
    throw SqlError(sqlstate::kObjectNotInPrerequisiteState,
                   fmt::format("column \"{}\" of relation \"{}\" {}", column.name, table_.name, what));
  }
  void addSequence(ColumnSequence sequence, uint32_t column) {
    sequence.column = column;
    result_.added_sequences.push_back(std::move(sequence));
  }

  void addIdentity(const ast::IdentityDefinition& identity, ColumnEntry& column) {
    ColumnSequence sequence = bindIdentity(identity, column.type);
    if (!column.not_null) raiseOfColumn(column, "must be declared NOT NULL before identity can be added");
    if (column.identity != Identity::None) raiseOfColumn(column, "is already an identity column");
    if (!column.default_text.empty()) raiseOfColumn(column, "already has a default value");
    column.identity = identity.is_always ? Identity::Always : Identity::ByDefault;
    addSequence(std::move(sequence), indexOf(column));
  }

  /// Of a column that is there already.
  void setIdentity(const ast::AlterCommand& command, ColumnEntry& column) {
    if (column.identity == Identity::None) raiseOfColumn(column, "is not an identity column");
    if (command.sets_generation) column.identity = command.identity.is_always ? Identity::Always : Identity::ByDefault;
    if (command.identity.options.empty()) return;
    const auto owned = ownedSequences(state_.context.catalog, table_.oid, indexOf(column));
    const auto found = std::ranges::find_if(owned, [](const TablePtr& each) { return each->sequence->is_identity; });
    if (found == owned.end()) throwNotSupported("options of an identity column that the same statement adds");
    const SequenceOptions options = bindSequenceOptions(command.identity.options, (*found)->sequence.get());
    if (options.owned_by || !options.name.empty())
      throw SqlError(sqlstate::kSyntaxError, fmt::format("sequence option \"{}\" not supported here",
                                                         options.owned_by ? "owned_by" : "sequence_name"));
    result_.changed_sequences.push_back({.sequence = *found,
                                         .name = (*found)->name,
                                         .definition = options.definition,
                                         .has_values = true,
                                         .restarts = options.restarts,
                                         .restart = options.restart});
  }

  void dropIdentity(bool if_exists, ColumnEntry& column) {
    if (column.identity == Identity::None) {
      if (!if_exists) raiseOfColumn(column, "is not an identity column");
      result_.notices.emplace_back(kSuccess, fmt::format("column \"{}\" of relation \"{}\" is not an identity column, "
                                                         "skipping",
                                                         column.name, table_.name));
      return;
    }
    column.identity = Identity::None;
    column.default_text.clear();
    result_.unowned_columns.push_back(indexOf(column));
  }

  void dropConstraint(const ast::AlterCommand& command) {
    const auto isNamed = [&](const CheckEntry& check) { return check.name == command.name; };
    if (std::erase_if(result_.checks, isNamed) > 0) return;
    const auto isKeyNamed = [&](const ForeignKeyEntry& key) { return key.name == command.name; };
    if (std::erase_if(result_.foreign_keys, isKeyNamed) > 0) return;
    const auto found = std::ranges::find_if(table_.indexes, [&](const IndexPtr& index) {
      return index->is_constraint && index->name == command.name && !isGone(*index);
    });
    if (found != table_.indexes.end()) {
      dropDependents(fmt::format("constraint {} on table {}", command.name, table_.name),
                     fmt::format("index {}", command.name), command.is_cascade,
                     [&](const ForeignKeyEntry& key) { return key.parent_index == (*found)->oid; });
      result_.dropped_indexes.push_back(command.name);
      return;
    }
    const std::string text = missingConstraint(command.name);
    if (!command.if_exists) throw SqlError(sqlstate::kUndefinedObject, text);
    result_.notices.emplace_back(kSuccess, text + ", skipping");
  }

  [[nodiscard]] std::string missingConstraint(const std::string& name) const {
    return fmt::format("constraint \"{}\" of relation \"{}\" does not exist", name, table_.name);
  }
  [[nodiscard]] std::vector<std::string> keyNames() const {
    std::vector<std::string> names;
    for (const IndexPtr& index : table_.indexes)
      if (index->is_constraint && !isGone(*index)) names.push_back(index->name);
    for (const IndexSpecification& index : result_.added_indexes) names.push_back(index.name);
    return names;
  }

  void addForeignKey(const ast::ForeignKey& key) {
    std::vector<std::string> names = keyNames();
    for (const CheckEntry& check : result_.checks) names.push_back(check.name);
    const std::string name = bindForeignKey(state_,
                                            {.name = table_.name,
                                             .columns = result_.columns,
                                             .keys = result_.foreign_keys,
                                             .parents = result_.parents,
                                             .indexes = result_.added_indexes,
                                             .changed = &table_,
                                             .dropped_indexes = &result_.dropped_indexes,
                                             .constraint_names = std::move(names)},
                                            key);
    if (!key.is_not_valid) result_.tested_keys.push_back(name);
  }

  /// PostgreSQL's errors of these expressions have no position.
  void addCheck(const ast::CheckConstraint& check) {
    try {
      std::vector<std::string> names = keyNames();
      for (const ForeignKeyEntry& key : result_.foreign_keys) names.push_back(key.name);
      const std::string name =
          bindCheck(state_, {table_.name, result_.columns, result_.checks, &table_, std::move(names)}, check);
      if (!check.is_not_valid) tested_.push_back(name);
    } catch (SqlError& error) {
      error.dropPosition();
      throw;
    }
  }

  void validate(const std::string& name) {
    const auto foreign_key = std::ranges::find(result_.foreign_keys, name, &ForeignKeyEntry::name);
    if (foreign_key != result_.foreign_keys.end()) {
      if (!foreign_key->is_valid) result_.tested_keys.push_back(name);
      foreign_key->is_valid = true;
      return;
    }
    const auto check = std::ranges::find(result_.checks, name, &CheckEntry::name);
    if (check == result_.checks.end()) {
      const std::vector<std::string> keys = keyNames();
      if (std::ranges::find(keys, name) == keys.end())
        throw SqlError(sqlstate::kUndefinedObject, missingConstraint(name));
      throw SqlError(sqlstate::kWrongObjectType,
                     fmt::format("constraint \"{}\" of relation \"{}\" is not a foreign key or check constraint", name,
                                 table_.name));
    }
    if (check->is_valid) return;
    check->is_valid = true;
    tested_.push_back(name);
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
    requireNoIdentity(column);
    column.not_null = false;
  }

  BindState& state_;
  AlterTableStatement& result_;
  const TableEntry& table_;
  std::vector<const ast::CheckConstraint*> column_checks_;  ///< of added columns
  std::vector<const ast::ForeignKey*> column_keys_;         ///< likewise
  std::vector<std::string> tested_;                         ///< checks that existing rows must satisfy
};

void renameColumn(const ast::Rename& rename, AlterTableStatement& result) {
  const auto found = std::ranges::find(result.columns, rename.name, &ColumnEntry::name);
  if (found == result.columns.end())
    throw SqlError(sqlstate::kUndefinedColumn, fmt::format("column \"{}\" does not exist", rename.name));
  requireNoSystemColumn(rename.new_name);
  if (std::ranges::find(result.columns, rename.new_name, &ColumnEntry::name) != result.columns.end())
    throw SqlError(sqlstate::kDuplicateColumn,
                   fmt::format("column \"{}\" of relation \"{}\" already exists", rename.new_name, result.table->name));
  found->name = rename.new_name;
  for (CheckEntry& check : result.checks)
    check.expression = withRenamedColumn(check.expression, rename.name, rename.new_name);
}

void renameConstraint(const ast::Rename& rename, AlterTableStatement& result) {
  const auto key = [&](const std::string& name) {
    return std::ranges::any_of(result.table->indexes,
                               [&](const IndexPtr& index) { return index->is_constraint && index->name == name; });
  };
  const auto check = std::ranges::find(result.checks, rename.name, &CheckEntry::name);
  const auto foreign_key = std::ranges::find(result.foreign_keys, rename.name, &ForeignKeyEntry::name);
  const bool is_index = check == result.checks.end() && foreign_key == result.foreign_keys.end();
  if (is_index && !key(rename.name))
    throw SqlError(sqlstate::kUndefinedObject,
                   fmt::format("constraint \"{}\" for table \"{}\" does not exist", rename.name, result.table->name));
  const bool is_taken =
      std::ranges::find(result.checks, rename.new_name, &CheckEntry::name) != result.checks.end() ||
      std::ranges::find(result.foreign_keys, rename.new_name, &ForeignKeyEntry::name) != result.foreign_keys.end();
  if (is_taken || (!is_index && key(rename.new_name)))
    throw SqlError(sqlstate::kDuplicateObject, fmt::format("constraint \"{}\" for relation \"{}\" already exists",
                                                           rename.new_name, result.table->name));
  if (check != result.checks.end()) {
    check->name = rename.new_name;
    std::ranges::sort(result.checks, {}, &CheckEntry::name);
  } else if (foreign_key != result.foreign_keys.end()) {
    foreign_key->name = rename.new_name;
  } else {
    result.renamed_index = rename.name;
    result.new_index_name = rename.new_name;
  }
}

}  // namespace

AlterTableStatement bindAlterTable(BindState& state, const ast::AlterTable& alter) {
  AlterTableStatement result = begin(state, alter.relation, alter.if_exists);
  if (result.table == nullptr) return result;
  AlterBinder binder(state, result);
  for (int pass = 0; pass < kPasses; ++pass) {
    if (pass == kCheckPass) binder.addColumnConstraints();
    for (const ast::AlterCommand& command : alter.commands)
      if (passOf(command.kind) == pass) binder.apply(command);
  }
  binder.finish();
  return result;
}

AlterTableStatement bindRename(BindState& state, const ast::Rename& rename) {
  AlterTableStatement result = begin(state, rename.relation, rename.if_exists);
  if (result.table == nullptr) return result;
  using What = ast::Rename::What;
  if (rename.what == What::Column) {
    renameColumn(rename, result);
    const auto renamed = std::ranges::find(result.columns, rename.new_name, &ColumnEntry::name);
    const auto number = static_cast<uint32_t>(renamed - result.columns.begin());
    if (!viewsReading(state.context.catalog, *result.table, number).empty())
      throwNotSupported("renaming a column that views read");
  }
  if (rename.what == What::Constraint) renameConstraint(rename, result);
  if (rename.what != What::Table) return result;
  if (state.context.catalog.find(rename.new_name) != nullptr)
    throw SqlError(sqlstate::kDuplicateTable, fmt::format("relation \"{}\" already exists", rename.new_name));
  if (!dependentViews(state.context.catalog, {result.table}).empty())
    throwNotSupported("renaming a table that views read");
  result.name = rename.new_name;
  return result;
}

}  // namespace gnomon::sql
