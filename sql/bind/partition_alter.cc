#include "sql/bind/partition_alter.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/sql_error.h"
#include "base/text_style.h"
#include "sql/bind/check_definition.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/index_definition.h"
#include "sql/bind/partition_definition.h"
#include "sql/catalog/column_order.h"
#include "sql/catalog/dependent_keys.h"
#include "sql/catalog/dependent_views.h"
#include "sql/catalog/partition_constraint.h"
#include "sql/catalog/partitioning.h"
#include "sql/parse/ast_statement.h"
#include "sql/parse/parser.h"
#include "txn/table.h"

namespace gnomon::sql {
namespace {

using Kind = ast::AlterCommand::Kind;

SqlError inherited(std::string message) {
  return SqlError(sqlstate::kInvalidTableDefinition, std::move(message));
}

bool hasNamed(const std::vector<CheckEntry>& checks, const std::string& name) {
  return std::ranges::find(checks, name, &CheckEntry::name) != checks.end();
}

bool hasKeyNamed(const std::vector<ForeignKeyEntry>& keys, const std::string& name) {
  return std::ranges::any_of(keys, [&](const ForeignKeyEntry& key) { return key.part_of == 0 && key.name == name; });
}

}  // namespace

void requireOutsideKey(const TableEntry& table, uint32_t column, std::string_view verb) {
  if (!table.partitioning) return;
  const std::vector<uint32_t> read = table.partitioning->key().columns();
  if (std::ranges::binary_search(read, column))
    throw inherited(fmt::format("cannot {} column \"{}\" because it is part of the partition key of relation \"{}\"",
                                verb, table.columns[column].name, table.name));
}

namespace {

/// Whether the constraint is one of the table above, too.
bool isInherited(const TableEntry& table, const TableEntry& parent, const std::string& name) {
  const auto index = std::ranges::find(table.indexes, name, &IndexEntry::name);
  if (index != table.indexes.end()) return (*index)->parent != 0;
  return hasNamed(parent.checks, name) || hasKeyNamed(parent.foreign_keys, name);
}

void requireAlterablePartition(const TableEntry& table, const TableEntry& parent, const ast::AlterCommand& command) {
  const auto column = std::ranges::find(parent.columns, command.name, &ColumnEntry::name);
  switch (command.kind) {
    case Kind::AddColumn:
      throw SqlError(sqlstate::kWrongObjectType, "cannot add column to a partition");
    case Kind::DropColumn:
      if (column != parent.columns.end())
        throw inherited(fmt::format("cannot drop inherited column \"{}\"", command.name));
      return;
    case Kind::DropNotNull:
      if (column != parent.columns.end() && column->not_null)
        throw inherited(fmt::format("column \"{}\" is marked NOT NULL in parent table", command.name));
      return;
    case Kind::DropConstraint:
      if (isInherited(table, parent, command.name))
        throw inherited(
            fmt::format("cannot drop inherited constraint \"{}\" of relation \"{}\"", command.name, table.name));
      return;
    case Kind::AddIdentity:
    case Kind::SetIdentity:
    case Kind::DropIdentity:
    case Kind::DropExpression:
      throwNotSupported("ALTER TABLE: identity and generated columns of a partition");
    default:
      return;
  }
}

void requireAlterablePartitioned(const TableEntry& table, const ast::AlterCommand& command) {
  switch (command.kind) {
    case Kind::AddColumn:
      if (command.column.identity && !table.partitioning->partitions().empty())
        throw inherited("cannot recursively add identity column to table that has child tables");
      return;
    case Kind::DropColumn: {
      const auto column = std::ranges::find(table.columns, command.name, &ColumnEntry::name);
      if (column == table.columns.end()) return;
      return requireOutsideKey(table, static_cast<uint32_t>(column - table.columns.begin()), "drop");
    }
    case Kind::AddIdentity:
    case Kind::SetIdentity:
    case Kind::DropIdentity:
    case Kind::DropExpression:
      throwNotSupported("ALTER TABLE: identity and generated columns of a partitioned table");
    case Kind::AddForeignKey:
      if (command.constraints.foreign_keys.front().is_not_valid)
        throw SqlError(sqlstate::kWrongObjectType,
                       fmt::format("cannot add NOT VALID foreign key on partitioned table \"{}\" referencing relation "
                                   "\"{}\"",
                                   table.name, command.constraints.foreign_keys.front().parent.name))
            .detail("This feature is not yet supported on partitioned tables.");
      return;
    default:
      return;
  }
}

/// What changes of the table's columns changes of the partition's.
void alterColumns(const AlterTableStatement& statement, AlterTableStatement& part) {
  const std::vector<ColumnEntry>& before = statement.table->columns;
  for (size_t i = 0; i < statement.columns.size(); ++i) {
    const ColumnEntry& after = statement.columns[i];
    if (i >= before.size()) {
      part.columns.push_back(after);
      continue;
    }
    ColumnEntry& own = part.columns[i];
    own.name = after.name;
    if (after.isDropped()) {
      own.default_text.clear();
      own.not_null = own.is_generated = false;
    }
    // It has had the table's type.
    if (statement.rewrites && !after.isDropped()) {
      own.type = after.type;
      own.domain = after.domain;
    }
    if (after.not_null != before[i].not_null) own.not_null = after.not_null;
    if (after.default_text != before[i].default_text) own.default_text = after.default_text;
  }
  for (const uint32_t column : statement.unowned_columns)
    for (const IndexPtr& index : part.table->indexes)
      if (index->parent == 0 && std::ranges::binary_search(dependedColumns(*index), column))
        throwNotSupported("DROP COLUMN of a column in an index that a partition has for itself");
}

void alterChecks(const AlterTableStatement& statement, AlterTableStatement& part) {
  const std::vector<CheckEntry>& before = statement.table->checks;
  std::erase_if(part.checks, [&](const CheckEntry& check) {
    return hasNamed(before, check.name) && !hasNamed(statement.checks, check.name);
  });
  for (const CheckEntry& check : statement.checks) {
    const auto own = std::ranges::find(part.checks, check.name, &CheckEntry::name);
    if (own != part.checks.end()) {
      own->expression = check.expression;
      own->is_valid = own->is_valid || check.is_valid;
      continue;
    }
    part.checks.push_back(check);
    part.checks.back().comment.clear();
  }
  std::ranges::sort(part.checks, {}, &CheckEntry::name);
  part.tested_checks = statement.tested_checks;
  for (const uint32_t column : statement.unowned_columns) {
    if (part.table->check_expressions == nullptr) continue;
    for (const CheckExpressions::Check& check : part.table->check_expressions->checks)
      if (hasNamed(part.checks, check.name) && std::ranges::binary_search(check.columns, column))
        throwNotSupported("DROP COLUMN of a column in a check that a partition has for itself");
  }
}

void alterKeys(const AlterTableStatement& statement, AlterTableStatement& part) {
  const std::vector<ForeignKeyEntry>& before = statement.table->foreign_keys;
  std::erase_if(part.foreign_keys, [&](const ForeignKeyEntry& key) {
    return key.part_of == 0 && hasKeyNamed(before, key.name) && !hasKeyNamed(statement.foreign_keys, key.name);
  });
  for (const ForeignKeyEntry& key : statement.foreign_keys) {
    if (key.part_of != 0) continue;
    const auto own = std::ranges::find(part.foreign_keys, key.name, &ForeignKeyEntry::name);
    if (own != part.foreign_keys.end()) {
      own->is_valid = own->is_valid || key.is_valid;
      continue;
    }
    part.foreign_keys.push_back(key);
    part.foreign_keys.back().number = 0;
    part.foreign_keys.back().comment.clear();
  }
  // Their parents are the statement's, which has claimed them.
  part.tested_keys = statement.tested_keys;
}

}  // namespace

void requireAlterable(const BindState& state, const TableEntry& table, const ast::AlterCommand& command) {
  if (table.partition)
    if (const TablePtr parent = findTable(state.context.catalog, table.partition->parent))
      requireAlterablePartition(table, *parent, command);
  if (table.partitioning) requireAlterablePartitioned(table, command);
}

namespace {

SqlError ofAll(std::string message) {
  return inherited(std::move(message)).hint("Do not specify the ONLY keyword.");
}

}  // namespace

void requireAlterableAlone(const TableEntry& table, const ast::AlterCommand& command) {
  constexpr const char* kAdded = "constraint must be added to child tables too";
  constexpr const char* kRemoved = "cannot remove constraint from only the partitioned table when partitions exist";
  switch (command.kind) {
    case Kind::AddColumn:
      throw inherited("column must be added to child tables too");
    case Kind::DropColumn:
      throw ofAll("cannot drop column from only the partitioned table when partitions exist");
    case Kind::AddCheck:
      throw inherited(kAdded);
    case Kind::SetNotNull: {
      const auto column = std::ranges::find(table.columns, command.name, &ColumnEntry::name);
      if (column == table.columns.end() || !column->not_null) throw ofAll(kAdded);
      return;
    }
    case Kind::DropNotNull:
    case Kind::DropConstraint:
      throw ofAll(kRemoved);
    case Kind::AddForeignKey:
      throw SqlError(
          sqlstate::kWrongObjectType,
          fmt::format("cannot use ONLY for foreign key on partitioned table \"{}\" referencing relation \"{}\"",
                      table.name, command.constraints.foreign_keys.front().parent.name));
    default:
      return;
  }
}

void requireRenamable(const BindState& state, const TableEntry& table, const ast::Rename& rename) {
  using What = ast::Rename::What;
  if (table.partition) {
    const TablePtr parent = findTable(state.context.catalog, table.partition->parent);
    if (rename.what == What::Column && parent &&
        std::ranges::find(parent->columns, rename.name, &ColumnEntry::name) != parent->columns.end())
      throw inherited(fmt::format("cannot rename inherited column \"{}\"", rename.name));
    if (rename.what == What::Constraint && parent &&
        (hasNamed(parent->checks, rename.name) || hasKeyNamed(parent->foreign_keys, rename.name)))
      throw inherited(fmt::format("cannot rename inherited constraint \"{}\"", rename.name));
  }
}

bool hasHadRows(const TableEntry& table) {
  if (!table.partitioning) return table.storage->readBound().value > 0;
  return std::ranges::any_of(table.partitioning->leaves(), [](const TablePtr& leaf) { return hasHadRows(*leaf); });
}

std::vector<TablePtr> tablesBelow(const TableEntry& table, bool is_by_level) {
  std::vector<TablePtr> result;
  const auto add = [&](const TableEntry& above, size_t place) {
    if (!above.partitioning) return;
    std::vector<TablePtr> partitions = above.partitioning->partitions();
    std::ranges::sort(partitions, {}, &TableEntry::oid);
    result.insert(result.begin() + static_cast<std::ptrdiff_t>(place), partitions.begin(), partitions.end());
  };
  add(table, 0);
  for (size_t i = 0; i < result.size(); ++i) {
    const TablePtr each = result[i];
    add(*each, is_by_level ? result.size() : i + 1);
  }
  return result;
}

void alterPartitions(AlterTableStatement& statement, bool is_by_level) {
  if (!statement.table->partitioning) return;
  const bool has_new_rows = statement.rewrites || !statement.added_sequences.empty();
  // Foreign keys are tested in the order of the bounds.
  for (const TablePtr& below :
       has_new_rows ? tablesBelow(*statement.table, is_by_level) : statement.table->partitioning->descendants()) {
    for (const uint32_t column : statement.unowned_columns) requireOutsideKey(*below, column, "drop");
    if (below->partitioning)
      for (const IndexSpecification& index : statement.added_indexes)
        requirePartitionColumns(index, below->partitioning->key(), below->name, statement.columns);
    const bool is_referred = std::ranges::any_of(below->referring_keys, std::logical_not<>(), &ReferringKey::is_part);
    if (is_referred && (!statement.dropped_indexes.empty() || !statement.unowned_columns.empty()))
      throwNotSupported("ALTER TABLE of a partitioned table to whose partitions foreign keys refer");
    AlterTableStatement part;
    part.table = below;
    part.path = below->path();
    part.columns = below->columns;
    part.checks = below->checks;
    part.foreign_keys = below->foreign_keys;
    part.options = below->options;
    part.unowned_columns = statement.unowned_columns;
    part.added_sequences = statement.added_sequences;
    part.rewrites = statement.rewrites;
    if (statement.options.leaf_class != statement.table->options.leaf_class)
      part.options.leaf_class = statement.options.leaf_class;
    if (statement.options.parameters != statement.table->options.parameters)
      part.options.parameters = statement.options.parameters;
    alterColumns(statement, part);
    alterChecks(statement, part);
    alterKeys(statement, part);
    statement.partitions.push_back(std::move(part));
  }
}

namespace {

/// A partition has the table's columns.
void requireSameColumns(const TableEntry& parent, const TableEntry& child) {
  const auto mismatch = [](std::string message) { return SqlError(sqlstate::kDatatypeMismatch, std::move(message)); };
  for (const ColumnEntry& column : child.columns) {
    if (column.isDropped()) continue;
    const auto found = std::ranges::find(parent.columns, column.name, &ColumnEntry::name);
    if (found == parent.columns.end())
      throw mismatch(fmt::format("table \"{}\" contains column \"{}\" not found in parent \"{}\"", child.name,
                                 column.name, parent.name))
          .detail("The new partition may contain only the columns present in parent.");
  }
  for (const ColumnEntry& column : parent.columns) {
    if (column.isDropped()) continue;
    const auto found = std::ranges::find(child.columns, column.name, &ColumnEntry::name);
    if (found == child.columns.end()) throw mismatch(fmt::format("child table is missing column \"{}\"", column.name));
    if (found->type.oid() != column.type.oid() || found->type.modifier() != column.type.modifier() ||
        found->domain != column.domain)
      throw mismatch(fmt::format("child table \"{}\" has different type for column \"{}\"", child.name, column.name));
    if (found->type.collation != column.type.collation)
      throw SqlError(SqlState("42P21"), fmt::format("child table \"{}\" has different collation for column \"{}\"",
                                                    child.name, column.name));
    if (!(found->type == column.type)) throwNotSupported("ATTACH PARTITION of a table with a column of another type");
    if (column.not_null && !found->not_null)
      throw mismatch(fmt::format("column \"{}\" in child table must be marked NOT NULL", column.name));
    if (column.is_generated && !found->is_generated)
      throw mismatch(fmt::format("column \"{}\" in child table must be a generated column", column.name));
    if (column.is_generated && found->default_text != column.default_text)
      throw mismatch(fmt::format("column \"{}\" in child table has a conflicting generation expression", column.name));
    if (found->is_generated != column.is_generated)
      throwNotSupported("ATTACH PARTITION of a table with other generated columns");
  }
}

/// Whether columns of the partition, or of those below it, have to be laid as the table's. Failure: 0A000 where others
/// know them by where they lie.
bool needsLaying(const CatalogView& catalog, const TablePtr& partition, const TableEntry& parent) {
  const std::vector<TablePtr> tables = tablesToLay(partition, parent);
  if (!dependentViews(catalog, tables).empty())
    throwNotSupported("ATTACH PARTITION of a table whose columns lie in another order, and that views read");
  for (const TablePtr& table : tables)
    for (const ReferringKey& key : table->referring_keys)
      if (key.table != table->oid)
        throwNotSupported("ATTACH PARTITION of a table whose columns lie in another order, and to which keys refer");
  return !tables.empty();
}

void requireSameConstraints(const TableEntry& parent, const TableEntry& child) {
  for (const CheckEntry& check : parent.checks) {
    const auto found = std::ranges::find(child.checks, check.name, &CheckEntry::name);
    if (found == child.checks.end())
      throw SqlError(sqlstate::kDatatypeMismatch, fmt::format("child table is missing constraint \"{}\"", check.name));
    if (found->expression != check.expression)
      throw SqlError(sqlstate::kDatatypeMismatch, fmt::format("child table \"{}\" has different definition for check "
                                                              "constraint \"{}\"",
                                                              child.name, check.name));
  }
  for (const ForeignKeyEntry& key : parent.foreign_keys) {
    if (key.part_of != 0 || isAmong(key, child.foreign_keys)) continue;
    if (findKey(child, key.name) != nullptr)
      throwNotSupported("ATTACH PARTITION of a table that has another foreign key of the same name");
    if (child.partitioning) throwNotSupported("ATTACH PARTITION of a partitioned table without the foreign keys");
  }
}

void bindAttach(BindState& state, const ast::AlterCommand& command, PartitionStatement& result) {
  const TableEntry& parent = *result.table;
  const TableEntry& child = *result.partition;
  if (child.partition)
    throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is already a partition", child.name));
  const std::vector<TablePtr> above = ancestorsOf(state.context.catalog, parent);
  if (child.oid == parent.oid || std::ranges::find(above, child.oid, &TableEntry::oid) != above.end())
    throw SqlError(sqlstate::kDuplicateTable, "circular inheritance not allowed")
        .detail(fmt::format("\"{}\" is already a child of \"{}\".", parent.name, child.name));
  if (child.is_temporary != parent.is_temporary)
    throw SqlError(sqlstate::kWrongObjectType,
                   fmt::format("cannot attach a {} relation as partition of {} relation \"{}\"",
                               child.is_temporary ? "temporary" : "permanent",
                               parent.is_temporary ? "temporary" : "permanent", parent.name));
  requireSameColumns(parent, child);
  if (child.partitioning)
    for (const TablePtr& below : child.partitioning->descendants()) requireSameColumns(parent, *below);
  result.lays_columns = needsLaying(state.context.catalog, result.partition, parent);
  if (result.lays_columns) return;
  requireSameConstraints(parent, child);
  if (child.partitioning)
    for (const IndexPtr& index : parent.indexes)
      requirePartitionColumns(*index, child.partitioning->key(), child.name, child.columns);
  result.attached = bindPartition(state, *command.bound, parent, child.name);
}

}  // namespace

AttachIndexStatement bindAttachIndex(BindState& state, const ast::AlterTable& alter) {
  const CatalogView& catalog = state.context.catalog;
  const auto find = [&](const ast::RelationName& name, SqlState no_index) {
    const ObjectPath path{name.schema, name.name};
    FoundRelation found = catalog.findRelation(path);
    if (!found) raiseNoRelation(catalog, path);
    if (!found.index) throw SqlError(no_index, fmt::format("\"{}\" is not an index", name.name));
    return found;
  };
  const FoundRelation parent = find(alter.relation, sqlstate::kWrongObjectType);
  if (!parent.table->partitioning)
    throw SqlError(
        sqlstate::kWrongObjectType,
        fmt::format("ALTER action ATTACH PARTITION cannot be performed on relation \"{}\"", parent.index->name))
        .detail("This operation is not supported for indexes.");
  const FoundRelation part = find(alter.commands.front().partition, sqlstate::kInvalidObjectDefinition);
  const auto refuse = [&](SqlState code, std::string detail) {
    return SqlError(code, fmt::format("cannot attach index \"{}\" as a partition of index \"{}\"", part.index->name,
                                      parent.index->name))
        .detail(std::move(detail));
  };
  AttachIndexStatement result{parent.table, part.table, parent.index->name, part.index->name};
  if (part.index->parent == parent.index->oid) result.part.clear();
  if (result.part.empty()) return result;
  for (const IndexPtr& other : part.table->indexes)
    if (other->parent == parent.index->oid)
      throw refuse(sqlstate::kObjectNotInPrerequisiteState,
                   fmt::format("Another index is already attached for partition \"{}\".", part.table->name));
  if (part.index->parent != 0)
    throw refuse(sqlstate::kObjectNotInPrerequisiteState,
                 fmt::format("Index \"{}\" is already attached to another index.", part.index->name));
  if (!part.table->partition || part.table->partition->parent != parent.table->oid)
    throw refuse(sqlstate::kObjectNotInPrerequisiteState,
                 fmt::format("Index \"{}\" is not an index on any partition of table \"{}\".", part.index->name,
                             parent.table->name));
  IndexEntry alike = *part.index;
  alike.is_constraint = parent.index->is_constraint;
  alike.is_primary = parent.index->is_primary;
  if (!isAlike(alike, *parent.index))
    throw refuse(sqlstate::kInvalidObjectDefinition, "The index definitions do not match.");
  if (parent.index->is_constraint && !part.index->is_constraint)
    throw refuse(sqlstate::kInvalidObjectDefinition,
                 fmt::format("The index \"{}\" belongs to a constraint in table \"{}\" but no constraint exists for "
                             "index \"{}\".",
                             parent.index->name, parent.table->name, part.index->name));
  return result;
}

namespace {

/// The partition goes on having rows within its bounds, as a CHECK says.
void keepBounds(BindState& state, PartitionStatement& statement) {
  const TableEntry& partition = *statement.partition;
  // Values are written and read exactly, whatever the session's settings are.
  const TextStyleScope style({}, textMoment());
  std::string condition;
  for (const PartitionCondition& each : partitionConditions(state.context.catalog, partition)) {
    if (each.is_hash) return;
    condition.append(condition.empty() ? "" : " AND ").append("(" + each.text + ")");
  }
  if (condition.empty()) return;
  std::vector<CheckEntry> checks = partition.checks;
  const std::vector<ParsedStatement> parsed = parse(fmt::format("CREATE TABLE t (CHECK ({}))", condition));
  const auto& create = std::get<ast::CreateTable>(parsed.front().tree->body);
  std::vector<std::string> names;
  for (const IndexPtr& index : partition.indexes)
    if (index->is_constraint) names.push_back(index->name);
  for (const ForeignKeyEntry& key : partition.foreign_keys) names.push_back(key.name);
  const std::string name = bindCheck(state, {partition.path(), partition.columns, checks, &partition, std::move(names)},
                                     create.constraints.checks.front());
  statement.kept_check = *std::ranges::find(checks, name, &CheckEntry::name);
}

}  // namespace

PartitionStatement bindPartitionCommand(BindState& state, const ast::AlterTable& alter) {
  PartitionStatement result;
  const ast::AlterCommand& command = alter.commands.front();
  const FoundRelation found = state.context.catalog.findRelation(alter.relation.schema, alter.relation.name);
  if (alter.if_exists && !found) {
    result.notices.emplace_back(SqlState("00000"),
                                fmt::format("relation \"{}\" does not exist, skipping", alter.relation.name));
    return result;
  }
  result.table = FromBinder(state).findTable({alter.relation.schema, alter.relation.name, -1}, TableUse::Alter);
  if (!result.table->partitioning)
    throw SqlError(sqlstate::kInvalidObjectDefinition,
                   fmt::format("table \"{}\" is not partitioned", result.table->name));
  result.partition =
      FromBinder(state).findTable({command.partition.schema, command.partition.name, -1}, TableUse::Alter);
  if (command.kind == Kind::AttachPartition) {
    bindAttach(state, command, result);
    return result;
  }
  if (!result.partition->partition || result.partition->partition->parent != result.table->oid)
    throw SqlError(sqlstate::kUndefinedTable, fmt::format("relation \"{}\" is not a partition of relation \"{}\"",
                                                          result.partition->name, result.table->name));
  result.is_concurrent = command.is_concurrent;
  if (!command.is_concurrent) return result;
  if (result.table->partitioning->defaultPartition())
    throw SqlError(sqlstate::kObjectNotInPrerequisiteState,
                   "cannot detach partitions concurrently when a default partition exists");
  keepBounds(state, result);
  return result;
}

}  // namespace gnomon::sql
