#include "sql/bind/alter_binder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/alter_command.h"
#include "sql/bind/check_definition.h"
#include "sql/bind/column_default.h"
#include "sql/bind/foreign_key_definition.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/generated_column.h"
#include "sql/bind/index_definition.h"
#include "sql/bind/partition_alter.h"
#include "sql/bind/partition_definition.h"
#include "sql/bind/sequence_definition.h"
#include "sql/bind/storage_parameters.h"
#include "sql/bind/stored_expression.h"
#include "sql/bind/table_definition.h"
#include "sql/bind/trigger_condition.h"
#include "sql/bind/type_change.h"
#include "sql/catalog/access.h"
#include "sql/catalog/cascade_notice.h"
#include "sql/catalog/dependent_types.h"
#include "sql/catalog/dependents.h"
#include "sql/catalog/partitioning.h"
#include "sql/catalog/sequences.h"
#include "sql/catalog/stored_mentions.h"
#include "sql/parse/identifier.h"
#include "txn/table.h"

namespace gnomon::sql {
namespace {

using Kind = ast::AlterCommand::Kind;

constexpr SqlState kSuccess("00000");
/// The statement before any command; its table is null when there is none and IF EXISTS was given.
AlterTableStatement begin(BindState& state, const ast::RelationName& relation, bool if_exists,
                          ast::AlterTable::What what) {
  AlterTableStatement result;
  const FoundRelation found = state.context.catalog.findRelation(relation.schema, relation.name);
  if (found.index) throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is not a table", relation.name));
  if (if_exists && !found) {
    result.notices.emplace_back(kSuccess, fmt::format("relation \"{}\" does not exist, skipping", relation.name));
    return result;
  }
  const TablePtr stored = found.stored();
  using What = ast::AlterTable::What;
  const auto raise = [&](std::string_view wanted) {
    throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is not a {}", relation.name, wanted));
  };
  if (what == What::View && found && (!stored || !stored->view)) raise("view");
  if (what == What::MaterializedView && found && (!stored || !stored->materialized)) raise("materialized view");
  if (stored && stored->view) {
    requireOwner(state.context.catalog, *stored);
    state.addTable(stored);
    result.table = stored;
  } else {
    result.table = FromBinder(state).findTable({relation.schema, relation.name, -1}, TableUse::Alter);
  }
  result.path = result.table->path();
  result.columns = result.table->columns;
  result.checks = result.table->checks;
  result.foreign_keys = result.table->foreign_keys;
  result.options = result.table->options;
  return result;
}

class AlterBinder {
 public:
  /// `is_alone`: not its partitions.
  AlterBinder(BindState& state, AlterTableStatement& result, AlterPart part, bool is_alone)
      : state_(state), result_(result), table_(*result.table), part_(part), is_alone_(is_alone) {}

  void apply(const ast::AlterCommand& command) {
    requirePossible(table_, command.kind);
    switch (command.kind) {
      case Kind::AddColumn:
        return addColumn(command);
      case Kind::DropColumn:
        dropColumn(command);
        return sayCascaded();
      case Kind::DropConstraint:
        dropConstraint(command);
        return sayCascaded();
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
        requireNotGenerated(column(command.name), "Use ALTER TABLE ... ALTER COLUMN ... DROP EXPRESSION instead.");
        column(command.name).default_text.clear();
        return;
      case Kind::SetDefault:
        requireNoIdentity(column(command.name));
        requireNotGenerated(column(command.name));
        return changeDefault(command.default_value, command.default_text, column(command.name));
      case Kind::AddIdentity:
        return addIdentity(command.identity, column(command.name));
      case Kind::SetIdentity:
        return setIdentity(command, column(command.name));
      case Kind::DropIdentity:
        return dropIdentity(command.if_exists, column(command.name));
      case Kind::DropExpression:
        return dropExpression(command.if_exists, column(command.name));
      case Kind::SetType:
        return changeType(state_, result_, indexOf(column(command.name)), command, is_alone_);
      case Kind::SetNotNull:
        column(command.name).not_null = true;
        return;
      case Kind::DropNotNull:
        return dropNotNull(column(command.name));
      case Kind::SetParameters:
        return setStorageParameters(command.parameters, result_.options);
      case Kind::ResetParameters:
        return resetStorageParameters(command.parameters, result_.options);
      case Kind::AttachPartition:
      case Kind::DetachPartition:
        throwNotSupported("ALTER TABLE: partitions together with other commands");
    }
  }

  /// Of a column that a part before has added.
  void addConstraintsOf(const ast::AlterCommand& command) {
    const ast::Constraints& constraints = command.constraints;
    if (command.if_not_exists &&
        !(constraints.keys.empty() && constraints.checks.empty() && constraints.foreign_keys.empty()))
      throwNotSupported("a column with constraints, if it does not exist, beside what the rows are written anew for");
    for (const ast::KeyConstraint& key : constraints.keys) addKey(key);
    for (const ast::CheckConstraint& check : constraints.checks) column_checks_.push_back(&check);
    for (const ast::ForeignKey& key : constraints.foreign_keys) column_keys_.push_back(&key);
  }

  /// CHECKs and REFERENCES of added columns, which may mention columns that are added after them.
  void addColumnConstraints() {
    for (const ast::CheckConstraint* check : column_checks_) addCheck(*check);
    for (const ast::ForeignKey* key : column_keys_) addForeignKey(*key);
  }

  /// What stands beside commands for which the rows are written anew leaves them as they are.
  void requireRewritable(const std::vector<const ast::AlterCommand*>& commands) const {
    if (!result_.rewrites) return;
    for (const ast::AlterCommand* command : commands)
      if (!isBesideRewrite(command->kind))
        throwNotSupported(fmt::format("{} beside a command of ALTER TABLE for which the rows are written anew",
                                      commandName(command->kind)));
    if (!result_.added_sequences.empty() || !column_keys_.empty())
      throwNotSupported("a column with a sequence or a foreign key beside what the rows are written anew for");
  }

  void finish() {
    if (result_.columns.size() > kColumnsMax)
      throw SqlError(sqlstate::kTooManyColumns, fmt::format("tables can have at most {} columns", kColumnsMax));
    requireUnusedRows();
    std::vector<CheckEntry> tested;
    for (const std::string& name : tested_)
      tested.push_back(*std::ranges::find(result_.checks, name, &CheckEntry::name));
    result_.tested_checks = checkForms(state_, result_.columns, tested);
  }

 private:
  /// Rows that are values of columns have the columns of the table as it was.
  void requireUnusedRows() const {
    const bool is_same =
        std::ranges::equal(result_.columns, table_.columns, {}, &ColumnEntry::isDropped, &ColumnEntry::isDropped);
    if (is_same && !result_.rewrites) return;
    std::vector<TablePtr> changed{result_.table};
    if (table_.partitioning)
      for (TablePtr& below : table_.partitioning->descendants()) changed.push_back(std::move(below));
    for (const TablePtr& each : changed)
      for (const DependentType& user : dependentTypes(state_.context.catalog, {each}))
        if (user.column != DependentType::kWhole)
          throw SqlError(sqlstate::kFeatureNotSupported,
                         fmt::format("cannot alter table \"{}\" because column \"{}.{}\" uses its row type", each->name,
                                     user.entry->name, user.entry->columns[user.column].name));
  }
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
    auto sequence = bindColumnSequence(definition, column.type);
    const bool has_own_values = definition.generated || (!sequence && result_.added_values.back()->isVolatile());
    if (has_own_values && hasHadRows(table_)) result_.rewrites = true;
    if (sequence) addSequence(std::move(*sequence), static_cast<uint32_t>(result_.columns.size()));
    result_.columns.push_back(std::move(column));
    if (definition.generated) addGenerated(definition);
    if (part_ == AlterPart::Rewrite) return;
    for (const ast::KeyConstraint& key : command.constraints.keys) addKey(key);
    for (const ast::CheckConstraint& check : command.constraints.checks) column_checks_.push_back(&check);
    for (const ast::ForeignKey& key : command.constraints.foreign_keys) column_keys_.push_back(&key);
  }

  /// The column added last. PostgreSQL's errors of these expressions have no position.
  void addGenerated(const ast::ColumnDefinition& definition) {
    try {
      defineGenerated(state_, table_.name, result_.columns, static_cast<uint32_t>(result_.columns.size() - 1),
                      *definition.generated, definition.generated_text);
    } catch (SqlError& error) {
      error.dropPosition();
      throw;
    }
  }

  void sayCascaded() {
    if (!cascaded_.empty()) result_.notices.push_back(cascadeNotice(cascaded_));
    cascaded_.clear();
  }

  /// The statement takes along what needs something. `what`: that is to go. Failure: 2BP01 where that is anything,
  /// unless it is to go as well.
  void take(Dependents& dependents, const std::string& what, bool is_cascade) {
    dependents.finish();
    dependents.leaveOut([this](const Dependent& each) { return isTaken(each); });
    if (!dependents.isEmpty() && !is_cascade) throw dependents.stillThere(what);
    for (std::string& each : dependents.told()) cascaded_.push_back(std::move(each));
    for (const Dependent& each : dependents.all()) take(each);
    result_.drops_dependents = result_.drops_dependents || is_cascade;
  }

  [[nodiscard]] bool isTaken(const Dependent& each) const {
    const auto isIn = [](const auto& list, const auto& one) { return std::ranges::find(list, one) != list.end(); };
    const bool is_own = each.entry->oid == table_.oid;
    switch (each.kind) {
      case Dependent::Kind::Entry:
        return isIn(result_.dropped_views, each.entry);
      case Dependent::Kind::Column:
      case Dependent::Kind::Default:
        return is_own && result_.columns[each.number].isDropped();
      case Dependent::Kind::Trigger:
        return is_own && isIn(result_.dropped_triggers, each.name);
      case Dependent::Kind::Index:
        return is_own && isIn(result_.dropped_indexes, each.name);
      case Dependent::Kind::Check:
        return is_own && std::ranges::find(result_.checks, each.name, &CheckEntry::name) == result_.checks.end();
      case Dependent::Kind::ForeignKey:
        break;
    }
    if (is_own)
      return std::ranges::find(result_.foreign_keys, each.number, &ForeignKeyEntry::number) ==
             result_.foreign_keys.end();
    return std::ranges::any_of(result_.dropped_keys, [&](const DependentKey& dropped) {
      return dropped.number == each.number && dropped.child == each.entry;
    });
  }

  void take(const Dependent& each) {
    if (each.kind == Dependent::Kind::Entry && (each.entry->query() || each.entry->routine))
      return result_.dropped_views.push_back(each.entry);
    // Those that columns own go with them.
    if (each.kind == Dependent::Kind::Entry && each.entry->sequence) return;
    const bool is_own = each.entry->oid == table_.oid;
    if (each.kind == Dependent::Kind::ForeignKey && !is_own && !isBelow(*each.entry))
      return result_.dropped_keys.push_back({each.entry, each.number, table_.oid});
    // Partitions lose what their table does (alterPartitions).
    if (each.kind != Dependent::Kind::Entry && isBelow(*each.entry)) return;
    const bool stays = each.kind == Dependent::Kind::Default && !result_.columns[each.number].isDropped();
    if (!is_own || each.kind == Dependent::Kind::Entry || stays)
      throwNotSupported("ALTER TABLE ... DROP ... CASCADE that takes along " + each.describe(state_.context.catalog));
    takeOwn(each);
  }

  [[nodiscard]] bool isBelow(const TableEntry& entry) const {
    if (!table_.partitioning) return false;
    const std::vector<TablePtr> below = table_.partitioning->descendants();
    return std::ranges::find(below, entry.oid, &TableEntry::oid) != below.end();
  }

  void takeOwn(const Dependent& each) {
    switch (each.kind) {
      case Dependent::Kind::Column: {
        ColumnEntry& dropped = result_.columns[each.number];
        result_.unowned_columns.push_back(each.number);
        dropped.name.clear();
        dropped.default_text.clear();
        dropped.not_null = false;
        dropped.identity = Identity::None;
        dropped.is_generated = false;
        return;
      }
      case Dependent::Kind::Trigger:
        return result_.dropped_triggers.push_back(each.name);
      case Dependent::Kind::Index:
        return result_.dropped_indexes.push_back(each.name);
      case Dependent::Kind::Check:
        std::erase_if(result_.checks, [&](const CheckEntry& check) { return check.name == each.name; });
        return;
      case Dependent::Kind::ForeignKey:
        std::erase_if(result_.foreign_keys, [&](const auto& key) { return key.number == each.number; });
        return;
      case Dependent::Kind::Entry:
      case Dependent::Kind::Default:
        return;
    }
  }

  void dropColumn(const ast::AlterCommand& command) {
    const auto found = std::ranges::find(result_.columns, command.name, &ColumnEntry::name);
    if (found == result_.columns.end() && command.if_exists) {
      result_.notices.emplace_back(kSuccess, fmt::format("column \"{}\" of relation \"{}\" does not exist, skipping",
                                                         command.name, table_.name));
      return;
    }
    const uint32_t number = indexOf(column(command.name));
    Dependents dependents(state_.context.catalog);
    dependents.dropColumn(result_.table, number);
    std::string what = fmt::format("column {} of table {}", command.name, shownName());
    if (table_.partitioning)
      for (const TablePtr& below : table_.partitioning->descendants())
        if (number < below->columns.size() && below->columns[number].name == command.name) {
          dependents.dropColumn(below, number);
          what = Dependents::kSeveral;
        }
    take(dependents, what, command.is_cascade);
  }

  void requireNoIdentity(const ColumnEntry& column, const char* hint = "") const {
    if (column.identity == Identity::None) return;
    throw SqlError(sqlstate::kSyntaxError,
                   fmt::format("column \"{}\" of relation \"{}\" is an identity column", column.name, table_.name))
        .hint(hint);
  }
  void requireNotGenerated(const ColumnEntry& column, const char* hint = "") const {
    if (!column.is_generated) return;
    throw SqlError(sqlstate::kSyntaxError,
                   fmt::format("column \"{}\" of relation \"{}\" is a generated column", column.name, table_.name))
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
    if (options.owned_by || !options.path.name.empty())
      throw SqlError(sqlstate::kSyntaxError, fmt::format("sequence option \"{}\" not supported here",
                                                         options.owned_by ? "owned_by" : "sequence_name"));
    result_.changed_sequences.push_back({.sequence = *found,
                                         .path = (*found)->path(),
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

  void dropExpression(bool if_exists, ColumnEntry& column) {
    if (!column.is_generated) {
      if (!if_exists) raiseOfColumn(column, "is not a stored generated column");
      result_.notices.emplace_back(kSuccess,
                                   fmt::format("column \"{}\" of relation \"{}\" is not a stored generated column, "
                                               "skipping",
                                               column.name, table_.name));
      return;
    }
    column.is_generated = false;
    column.default_text.clear();
  }

  void dropConstraint(const ast::AlterCommand& command) {
    const auto isNamed = [&](const CheckEntry& check) { return check.name == command.name; };
    if (std::erase_if(result_.checks, isNamed) > 0) return;
    const auto isKeyNamed = [&](const ForeignKeyEntry& key) { return key.name == command.name; };
    if (const ForeignKeyEntry* const key = findKey(table_, command.name); key != nullptr && key->part_of != 0)
      throw SqlError(
          sqlstate::kInvalidTableDefinition,
          fmt::format("cannot drop inherited constraint \"{}\" of relation \"{}\"", command.name, table_.name));
    if (std::erase_if(result_.foreign_keys, isKeyNamed) > 0) return;
    const auto found = std::ranges::find_if(table_.indexes, [&](const IndexPtr& index) {
      return index->is_constraint && index->name == command.name && !isGone(*index);
    });
    if (found != table_.indexes.end()) {
      Dependents dependents(state_.context.catalog);
      dependents.dropIndex(result_.table, command.name);
      take(dependents, fmt::format("constraint {} on table {}", command.name, shownName()), command.is_cascade);
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
    for (const ConstraintIndex& index : result_.constraint_indexes) names.push_back(index.name);
    return names;
  }

  void addForeignKey(const ast::ForeignKey& key) {
    std::vector<std::string> names = keyNames();
    for (const CheckEntry& check : result_.checks) names.push_back(check.name);
    const std::string name = bindForeignKey(state_,
                                            {.path = table_.path(),
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
    if (check.is_no_inherit && table_.partitioning) raiseNoInherit(table_.name);
    try {
      std::vector<std::string> names = keyNames();
      for (const ForeignKeyEntry& key : result_.foreign_keys) names.push_back(key.name);
      const std::string name =
          bindCheck(state_, {table_.path(), result_.columns, result_.checks, &table_, std::move(names)}, check);
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
                             std::ranges::any_of(result_.added_indexes, &IndexSpecification::is_primary) ||
                             std::ranges::any_of(result_.constraint_indexes, &ConstraintIndex::is_primary);
    if (key.is_primary && has_primary)
      throw SqlError(sqlstate::kInvalidTableDefinition,
                     fmt::format("multiple primary keys for table \"{}\" are not allowed", table_.name));
    if (!key.index.empty()) return addIndexConstraint(key);
    ast::KeyConstraint placeless = key;
    placeless.position = -1;
    result_.added_indexes.push_back(bindKey(placeless, result_.columns));
    if (table_.partitioning)
      requirePartitionColumns(result_.added_indexes.back(), table_.partitioning->key(), table_.name, result_.columns);
  }

  /// The index of a constraint that is to take one which is there. Failure: 0A000, 42704, 55000, 42809.
  const IndexEntry& findConstraintIndex(const ast::KeyConstraint& key) const {
    const auto refuse = [&](SqlState state, std::string message) {
      return SqlError(state, std::move(message)).position(key.position);
    };
    const auto unfit = [&](std::string message) {
      return refuse(sqlstate::kWrongObjectType, std::move(message))
          .detail("Cannot create a primary key or unique constraint using such an index.");
    };
    if (table_.partitioning)
      throw SqlError(sqlstate::kFeatureNotSupported,
                     "ALTER TABLE / ADD CONSTRAINT USING INDEX is not supported on partitioned tables");
    const FoundRelation found = state_.context.catalog.findRelation(table_.schema, key.index);
    if (!found.index) throw refuse(sqlstate::kUndefinedObject, fmt::format("index \"{}\" does not exist", key.index));
    const IndexEntry& index = *found.index;
    if (index.is_constraint)
      throw refuse(sqlstate::kObjectNotInPrerequisiteState,
                   fmt::format("index \"{}\" is already associated with a constraint", key.index));
    if (found.table->oid != table_.oid)
      throw refuse(sqlstate::kObjectNotInPrerequisiteState,
                   fmt::format("index \"{}\" does not belong to table \"{}\"", key.index, table_.name));
    if (!index.is_unique) throw unfit(fmt::format("\"{}\" is not a unique index", key.index));
    const auto isExpression = [](const IndexColumn& part) { return part.column == IndexColumn::kExpression; };
    if (std::ranges::any_of(index.columns, isExpression))
      throw unfit(fmt::format("index \"{}\" contains expressions", key.index));
    if (!index.predicate.empty()) throw unfit(fmt::format("\"{}\" is a partial index", key.index));
    for (size_t i = 0; i < index.columns.size(); ++i)
      if (index.columns[i].descending || index.columns[i].nulls_first ||
          index.columns[i].operator_class != OperatorClass::Default)
        throw unfit(
            fmt::format("index \"{}\" column number {} does not have default sorting behavior", key.index, i + 1));
    return index;
  }

  void addIndexConstraint(const ast::KeyConstraint& key) {
    const IndexEntry& index = findConstraintIndex(key);
    if (key.is_deferrable) throwNotSupported("ADD CONSTRAINT ... USING INDEX ... DEFERRABLE", key.position);
    if (key.is_primary)
      for (const IndexColumn& part : index.columns) result_.columns[part.column].not_null = true;
    const std::string& name = key.name.empty() ? index.name : key.name;
    if (name != index.name)
      result_.notices.emplace_back(
          kSuccess,
          fmt::format("ALTER TABLE / ADD CONSTRAINT USING INDEX will rename index \"{}\" to \"{}\"", index.name, name));
    result_.constraint_indexes.push_back({index.name, name, key.is_primary});
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

  [[nodiscard]] std::string shownName() const { return state_.context.catalog.shownName(table_); }

  BindState& state_;
  AlterTableStatement& result_;
  const TableEntry& table_;
  const AlterPart part_;  ///< what comes behind it has the constraints of columns that it adds
  const bool is_alone_;
  std::vector<const ast::CheckConstraint*> column_checks_;  ///< of added columns
  std::vector<const ast::ForeignKey*> column_keys_;         ///< likewise
  std::vector<std::string> tested_;                         ///< checks that existing rows must satisfy
  std::vector<std::string> cascaded_;                       ///< what goes with what the command drops
};

/// Of a partition: the triggers that name the columns which it loses.
void dropTriggersNaming(AlterTableStatement& part) {
  for (const uint32_t column : part.unowned_columns)
    for (const TriggerEntry& trigger : triggersNaming(*part.table, column))
      part.dropped_triggers.push_back(trigger.name);
}

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
  for (ColumnEntry& column : result.columns)
    if (column.is_generated) column.default_text = withRenamedColumn(column.default_text, rename.name, rename.new_name);
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

using Commands = std::vector<const ast::AlterCommand*>;

/// One part, or the whole; where that cannot be done at once, it says so by `next` alone.
AlterTableStatement bindPart(BindState& state, const ast::AlterTable& alter, AlterPart part) {
  AlterTableStatement result = begin(state, alter.relation, alter.if_exists, alter.what);
  if (result.table == nullptr) return result;
  Commands commands, added;
  for (const ast::AlterCommand& command : alter.commands) {
    const AlterPart own = part == AlterPart::Whole ? part : partOf(command, alter.commands);
    if (own == part) commands.push_back(&command);
    if (part == AlterPart::Rest && own == AlterPart::Rewrite && command.kind == Kind::AddColumn)
      added.push_back(&command);
  }
  for (const ast::AlterCommand* command : commands) requireAlterable(state, *result.table, *command);
  const bool is_alone =
      alter.relation.is_only && result.table->partitioning && !result.table->partitioning->partitions().empty();
  if (is_alone)
    for (const ast::AlterCommand* command : commands) requireAlterableAlone(*result.table, *command);
  AlterBinder binder(state, result, part, is_alone);
  for (int pass = 0; pass < kPasses; ++pass) {
    if (pass == passOf(Kind::AddKey))
      for (const ast::AlterCommand* command : added) binder.addConstraintsOf(*command);
    if (pass == kCheckPass) binder.addColumnConstraints();
    for (const ast::AlterCommand* command : commands)
      if (passOf(command->kind) == pass) binder.apply(*command);
  }
  const auto isBeside = [](const ast::AlterCommand* command) { return isBesideRewrite(command->kind); };
  if (part == AlterPart::Whole && result.rewrites && !std::ranges::all_of(commands, isBeside)) {
    result.next = AlterPart::Drops;
    return result;
  }
  binder.requireRewritable(commands);
  binder.finish();
  const TableEntry& table = *result.table;
  requireSteadyKeys(state.context.catalog, result.foreign_keys,
                    table.partitioning ? &table.partitioning->key() : nullptr, table.partition.get(),
                    table.partitioning ? table.partitioning->descendants() : std::vector<TablePtr>());
  if (is_alone)
    for (IndexSpecification& index : result.added_indexes) index.is_valid = false;
  else
    alterPartitions(result,
                    std::ranges::find(alter.commands, Kind::SetType, &ast::AlterCommand::kind) != alter.commands.end());
  for (AlterTableStatement& partition : result.partitions) dropTriggersNaming(partition);
  return result;
}

/// From a part on: it, and which comes behind it.
AlterTableStatement bindParts(BindState& state, const ast::AlterTable& alter, AlterPart part) {
  const auto has = [&](AlterPart wanted) {
    return std::ranges::any_of(alter.commands, [&](const ast::AlterCommand& command) {
      const ast::Constraints& constraints = command.constraints;
      const bool adds_constraints =
          !constraints.keys.empty() || !constraints.checks.empty() || !constraints.foreign_keys.empty();
      return partOf(command, alter.commands) == wanted || (wanted == AlterPart::Rest && adds_constraints);
    });
  };
  if (part == AlterPart::Drops && !has(part)) part = AlterPart::Rewrite;
  AlterTableStatement result = bindPart(state, alter, part);
  if (result.table == nullptr) return result;
  if (part == AlterPart::Drops)
    result.next = AlterPart::Rewrite;
  else if (part == AlterPart::Rewrite && has(AlterPart::Rest))
    result.next = AlterPart::Rest;
  return result;
}

}  // namespace

AlterTableStatement bindAlterTable(BindState& state, const ast::AlterTable& alter) {
  const AlterPart part = state.context.part;
  if (part != AlterPart::Whole) return bindParts(state, alter, part);
  if (areInParts(alter.commands)) return bindParts(state, alter, AlterPart::Drops);
  AlterTableStatement whole = bindPart(state, alter, part);
  if (whole.next == AlterPart::Whole) return whole;
  return bindParts(state, alter, whole.next);
}

AlterTableStatement bindRename(BindState& state, const ast::Rename& rename) {
  AlterTableStatement result = begin(state, rename.relation, rename.if_exists, rename.of);
  if (result.table == nullptr) return result;
  requireRenamable(state, *result.table, rename);
  using What = ast::Rename::What;
  if (rename.what == What::Column) {
    if (mayReadField(state.context.catalog, *result.table, rename.name))
      throwNotSupported("renaming a column that stored expressions or queries may read as a field of a row");
    renameColumn(rename, result);
  }
  if (rename.what == What::Constraint) renameConstraint(rename, result);
  if (rename.what != What::Table) alterPartitions(result, true);
  if (rename.what != What::Table) return result;
  if (const SchemaPtr schema = state.context.catalog.findSchema(result.path.schema))
    requireRight(state.context.catalog, *schema, Privilege::Create);
  result.path.name = rename.new_name;
  if (state.context.catalog.find(result.path) != nullptr)
    throw SqlError(sqlstate::kDuplicateTable, fmt::format("relation \"{}\" already exists", rename.new_name));
  return result;
}

}  // namespace gnomon::sql
