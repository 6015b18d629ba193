#include "sql/catalog/system_relations.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>

#include "base/assert.h"
#include "base/string_value.h"
#include "sql/bind/check_definition.h"
#include "sql/bind/index_definition.h"
#include "sql/catalog/access.h"
#include "sql/catalog/catalog_row.h"
#include "sql/catalog/column_order.h"
#include "sql/catalog/comment_rows.h"
#include "sql/catalog/database_rows.h"
#include "sql/catalog/foreign_key_rows.h"
#include "sql/catalog/index_rows.h"
#include "sql/catalog/inverted_keys.h"
#include "sql/catalog/loaded_entries.h"
#include "sql/catalog/partition_rows.h"
#include "sql/catalog/partitioning.h"
#include "sql/catalog/role_rows.h"
#include "sql/catalog/roles.h"
#include "sql/catalog/routine_rows.h"
#include "sql/catalog/sequence_rows.h"
#include "sql/catalog/stored_schema.h"
#include "sql/catalog/tree_alignment.h"
#include "sql/catalog/trigger_rows.h"
#include "sql/catalog/user_type_rows.h"
#include "sql/catalog/user_types.h"
#include "sql/catalog/view_rows.h"
#include "sql/catalog/violation.h"
#include "sql/types/collation.h"
#include "sql/types/decimal.h"
#include "storage/relation/scan.h"
#include "txn/local_transaction.h"
#include "txn/sequence.h"

namespace gnomon::sql {
namespace {

using storage::Datum;
using storage::StoredKind;

constexpr txn::RelationId kTablesId{1};
constexpr txn::RelationId kColumnsId{2};
constexpr txn::RelationId kIndexesId{3};
constexpr txn::RelationId kIndexColumnsId{4};
constexpr txn::RelationId kChecksId{6};
constexpr txn::RelationId kForeignKeysId{7};
constexpr txn::RelationId kSequencesId{8};
constexpr txn::RelationId kViewsId{9};
constexpr txn::RelationId kSchemasId{10};
constexpr txn::RelationId kCommentsId{11};
constexpr txn::RelationId kUserTypesId{12};
constexpr txn::RelationId kPartitionKeysId{13};
constexpr txn::RelationId kPartitionsId{14};
constexpr txn::RelationId kTriggersId{22};
constexpr txn::RelationId kRoutinesId{20};
constexpr txn::RelationId kParametersId{21};

enum TableField : uint32_t {
  kTableOid,
  kTableName,
  kTableLeafClass,
  kTableRelation,
  kTableSchema,
  kTableOwner,
  kTableDatabase,
  kTableFields
};
enum SchemaField : uint32_t { kSchemaOid, kSchemaName, kSchemaComment, kSchemaOwner, kSchemaDatabase, kSchemaFields };
enum ColumnField : uint32_t {
  kColumnTable,
  kColumnNumber,
  kColumnName,
  kColumnType,
  kColumnModifier,
  kColumnNotNull,
  kColumnDefault,
  kColumnIdentity,
  kColumnCollation,
  kColumnFields
};

constexpr int32_t kUnloggedFlag = 2048;
constexpr int32_t kLeafClassMask = 15;
/// What flags hold beside, of tables whose parameters are no rows: a percentage.
constexpr int kTableFillShift = 4;
constexpr int32_t kFillMask = 127;
/// In the place of a size class.
constexpr int32_t kGrowingLeaves = 15;
/// In the place of an identity.
constexpr int32_t kGenerated = 3;
enum CheckField : uint32_t { kCheckTable, kCheckName, kCheckFlags, kCheckCondition, kCheckFields };
constexpr int32_t kValidFlag = 1, kNoInheritFlag = 2;
/// No check, but a storage parameter: its number, and "name=value".
constexpr int32_t kParameterFlag = 4;
/// No check, but TableEntry::order: numbers of columns as they lie, from 1, 0 for kNoColumn.
constexpr int32_t kOrderFlag = 8;

txn::RelationSchema checksSchema() {
  return {
      {StoredKind::Int32, false}, {StoredKind::String, false}, {StoredKind::Int16, false}, {StoredKind::String, false}};
}
txn::RelationSchema tablesSchema() {
  return {{StoredKind::Int32, false}, {StoredKind::String, false}, {StoredKind::Int16, false},
          {StoredKind::Int32, false}, {StoredKind::String, false}, {StoredKind::Int32, false},
          {StoredKind::Int32, false}};
}
txn::RelationSchema schemasSchema() {
  return {{StoredKind::Int32, false},
          {StoredKind::String, false},
          {StoredKind::String, true},
          {StoredKind::Int32, false},
          {StoredKind::Int32, false}};
}
txn::RelationSchema columnsSchema() {
  return {{StoredKind::Int32, false}, {StoredKind::Int16, false}, {StoredKind::String, false},
          {StoredKind::Int32, false}, {StoredKind::Int32, false}, {StoredKind::Bool1, false},
          {StoredKind::String, true}, {StoredKind::Int16, false}, {StoredKind::String, true}};
}

void bindStoredExpressions(const TableEntry& table, IndexEntry& index, const CatalogView& loaded) {
  try {
    index.expressions = bindIndexExpressions(table.columns, index, loaded);
  } catch (const SqlError& error) {
    throw SqlError(sqlstate::kDataCorrupted,
                   fmt::format("the expressions of index \"{}\" cannot be read: {}", index.name, error.message()));
  }
}

void bindStoredChecks(TableEntry& table) {
  try {
    table.check_expressions = bindCheckExpressions(table);
  } catch (const SqlError& error) {
    // The database has more than this table.
    spdlog::warn("the checks of table \"{}\" cannot be read: {}", table.name, error.message());
    table.check_expressions = unboundChecks(table);
  }
}

void readOrder(const std::string& text, TableEntry& table) {
  std::istringstream numbers(text);
  for (uint32_t number = 0; numbers >> number;) {
    if (number > table.columns.size())
      throw SqlError(sqlstate::kDataCorrupted, "the catalog has an order of columns that a table does not have");
    table.order.push_back(number == 0 ? kNoColumn : number - 1);
  }
}

/// The errors for duplicates; they name everything as it is called now.
decltype(txn::IndexDefinition::duplicate) duplicateError(const TableEntry& table, const IndexEntry& index) {
  return [path = table.path(), columns = table.columns, index = IndexSpecification(index),
          expressions = index.expressions](const Datum* values, const uint8_t* null_flags, bool is_new) {
    return uniqueViolation(path, columns, index, expressions.get(), values, null_flags, is_new);
  };
}

/// Looks at the rows where ALTER TABLE makes a column NOT NULL or wants checks to hold. The table has its new schema.
class ExistingRows {
 public:
  ExistingRows(const TableEntry& before, const TableEntry& after, const ExistingRowsTest* test)
      : table_(after),
        test_(test),
        column_count_before_(before.columns.size()),
        values_(after.columns.size()),
        null_flags_(after.columns.size()) {
    for (uint32_t i = 0; i < after.columns.size(); ++i) {
      const ColumnEntry& column = after.columns[i];
      const bool is_added = i >= before.columns.size();
      if (!column.not_null || (!is_added && before.columns[i].not_null)) continue;
      if (!is_added || !column.stored.missing) not_null_.push_back(i);
    }
    if (test == nullptr) return;
    for (const CheckExpressions::Check& check : test->checks.checks)
      mentioned_.insert(mentioned_.end(), check.columns.begin(), check.columns.end());
  }

  /// Failure: 23502, 23514, what the conditions raise.
  void require(const CancelToken& cancel) {
    if (not_null_.empty() && test_ == nullptr) return;
    storage::RowCursor row(table_.storage->relation(), table_.storage->readBound());
    for (uint64_t rows = 0; row.next(); ++rows) {
      if (rows % 1024 == 0) cancel.poll();
      for (const uint32_t column : not_null_)
        if (column >= column_count_before_ || row.isNull(column)) throwNull(column);
      if (test_ != nullptr) requireChecks(row);
    }
  }

 private:
  void requireChecks(const storage::RowCursor& row) {
    for (const uint32_t column : mentioned_) {
      values_[column] = row.value(column);
      null_flags_[column] = row.isNull(column) ? 1 : 0;
    }
    const uint32_t violated = test_->checker.firstViolation(values_.data(), null_flags_.data());
    if (violated == RowChecker::kNone) return;
    const std::string& name = test_->checks.checks[violated].name;
    throw SqlError(sqlstate::kCheckViolation,
                   fmt::format("check constraint \"{}\" of relation \"{}\" is violated by some row", name, table_.name))
        .table(table_.schema, table_.name)
        .constraint(name);
  }
  [[noreturn]] void throwNull(uint32_t column) const {
    const std::string& name = table_.columns[column].name;
    throw SqlError(sqlstate::kNotNullViolation,
                   fmt::format("column \"{}\" of relation \"{}\" contains null values", name, table_.name))
        .table(table_.schema, table_.name)
        .column(name);
  }

  const TableEntry& table_;
  const ExistingRowsTest* const test_;
  const size_t column_count_before_;
  std::vector<uint32_t> not_null_;
  std::vector<uint32_t> mentioned_;  ///< by the checks
  std::vector<Datum> values_;
  std::vector<uint8_t> null_flags_;
};

}  // namespace

SystemRelations::SystemRelations(txn::DatabaseStorage& storage, KeyExpressionsCompiler compiler)
    : storage_(storage), compiler_(std::move(compiler)) {
  const auto relation = [this](txn::RelationId id, txn::RelationSchema schema) {
    return storage_.isNew() ? storage_.createSystemTable(id, std::move(schema)) : storage_.openTable(id);
  };
  tables_ = relation(kTablesId, tablesSchema());
  columns_ = relation(kColumnsId, columnsSchema());
  indexes_ = relation(kIndexesId, indexesSchema());
  index_columns_ = relation(kIndexColumnsId, indexColumnsSchema());
  checks_ = relation(kChecksId, checksSchema());
  foreign_keys_ = relation(kForeignKeysId, foreignKeysSchema());
  sequences_ = relation(kSequencesId, sequencesSchema());
  views_ = relation(kViewsId, viewsSchema());
  schemas_ = relation(kSchemasId, schemasSchema());
  comments_ = relation(kCommentsId, commentsSchema());
  user_types_ = relation(kUserTypesId, userTypesSchema());
  partition_keys_ = relation(kPartitionKeysId, partitionKeysSchema());
  partitions_ = relation(kPartitionsId, partitionsSchema());
  triggers_ = relation(kTriggersId, triggersSchema());
  routines_ = relation(kRoutinesId, routinesSchema());
  routine_parameters_ = relation(kParametersId, routineParametersSchema());
  roles_ = std::make_unique<RoleRelations>(storage_);
  databases_ = std::make_unique<DatabaseRelations>(storage_);
  privileges_ = std::make_unique<PrivilegeRelation>(storage_);
  if (!storage_.isNew()) return;
  createFirstObjects();
  storage_.finishCreation();
}

void SystemRelations::createFirstObjects() {
  const CancelToken cancel;
  txn::LocalTransaction transaction(storage_.transactions(), cancel);
  const DefinitionContext context{storage_.transactions(), transaction.context().transaction, {cancel}};
  for (const auto& [database, oid] : {std::pair{kDatabaseOid, kPublicSchemaOid},
                                      {kTemplateOid, kTemplatePublicOid},
                                      {kEmptyTemplateOid, kEmptyTemplatePublicOid}}) {
    const SchemaEntry schema{.oid = oid,
                             .name = "public",
                             .comment = "standard public schema",
                             .owner = kDatabaseOwnerRole,
                             .acl = openSchemaAcl(kDatabaseOwnerRole),
                             .database = database};
    recordSchema(nullptr, &schema, context);
  }
  for (const DatabasePtr& database : firstDatabases()) recordDatabase(nullptr, database.get(), context);
  for (const RolePtr& role : firstRoles()) recordRole(nullptr, role.get(), context);
  transaction.commit();
}

std::vector<SchemaPtr> SystemRelations::loadSchemas() const {
  std::vector<SchemaPtr> result;
  storage::RowCursor row(schemas_->relation(), schemas_->readBound());
  while (row.next())
    result.push_back(std::make_shared<const SchemaEntry>(
        SchemaEntry{.oid = static_cast<uint32_t>(readNumber(row, kSchemaOid)),
                    .name = readText(row, kSchemaName),
                    .comment = readText(row, kSchemaComment),
                    .owner = static_cast<uint32_t>(readNumber(row, kSchemaOwner)),
                    .database = static_cast<uint32_t>(readNumber(row, kSchemaDatabase))}));
  return result;
}

CatalogStore::Contents SystemRelations::load() {
  Contents result{.schemas = loadSchemas(), .tables = {}, .roles = roles_->load(), .databases = databases_->load()};
  std::map<uint32_t, std::shared_ptr<TableEntry>> entries;
  std::map<uint32_t, txn::RelationId> relations;
  storage::RowCursor table(tables_->relation(), tables_->readBound());
  while (table.next()) {
    auto entry = std::make_shared<TableEntry>();
    entry->oid = static_cast<uint32_t>(readNumber(table, kTableOid));
    entry->schema = readText(table, kTableSchema);
    entry->name = readText(table, kTableName);
    entry->owner = static_cast<uint32_t>(readNumber(table, kTableOwner));
    entry->database = static_cast<uint32_t>(readNumber(table, kTableDatabase));
    if (entry->schema != kCatalogSchema && std::ranges::none_of(result.schemas, [&](const SchemaPtr& schema) {
          return schema->database == entry->database && schema->name == entry->schema;
        }))
      throw SqlError(sqlstate::kDataCorrupted, "the catalog has a table of a schema that is not there");
    const int32_t options = readNumber(table, kTableLeafClass);
    if ((options & kLeafClassMask) != kGrowingLeaves)
      entry->options.leaf_class = storage::SizeClass{static_cast<uint8_t>(options & kLeafClassMask)};
    if (const int32_t percent = (options >> kTableFillShift) & kFillMask; percent != 0)
      entry->options.parameters.push_back(fmt::format("fillfactor={}", percent));
    entry->options.is_unlogged = (options & kUnloggedFlag) != 0;
    if (entry->options.leaf_class && *entry->options.leaf_class > kLeafClassMax)
      throw SqlError(sqlstate::kDataCorrupted, "the catalog has a table with unknown storage parameters");
    relations[entry->oid] = txn::RelationId{static_cast<uint32_t>(readNumber(table, kTableRelation))};
    entries.emplace(entry->oid, std::move(entry));
  }
  openTables(relations, entries);
  loadUserTypes(*user_types_, entries);
  loadColumns(entries);
  // For oids; who reads names looks from their database.
  const LoadedEntries loaded(entries, kDatabaseOid);
  const UserTypeScope type_scope(loaded);
  for (auto& [oid, entry] : entries) {
    storeAsIn(entry->storage->schema(), entry->columns);
    // Of a transaction that a crash ended.
    if (entry->storage->schema().leafClass() != entry->options.leaf_class)
      entry->storage->changeSchema(storedSchema(entry->columns, entry->options));
    result.tables.push_back(entry);
  }
  loadRoutines(*routines_, *routine_parameters_, entries);
  loadChecks(entries);
  loadIndexes(entries);
  loadForeignKeys(*foreign_keys_, entries);
  loadTriggers(*triggers_, entries);
  loadSequences(*sequences_, entries);
  loadViews(*views_, entries);
  loadComments(*comments_, entries);
  loadPartitions(*partition_keys_, *partitions_, compiler_, entries);
  for (const auto& [oid, entry] : entries) {
    if (!entry->partitioning || entry->partition) continue;
    std::vector<TableEntry*> tree{entry.get()};
    for (const TablePtr& below : entry->partitioning->descendants()) tree.push_back(entries.at(below->oid).get());
    alignColumns(tree);
  }
  privileges_->load(entries, result.schemas);
  return result;
}

/// Partitions have the lock of the table at the top.
void SystemRelations::openTables(const std::map<uint32_t, txn::RelationId>& relations,
                                 std::map<uint32_t, std::shared_ptr<TableEntry>>& tables) {
  const std::map<uint32_t, uint32_t> parents = loadPartitionParents(*partitions_);
  for (auto& [oid, entry] : tables)
    if (!parents.contains(oid)) entry->storage = storage_.openTable(relations.at(oid), oid);
  for (auto& [oid, entry] : tables) {
    uint32_t top = oid;
    for (auto above = parents.find(top); above != parents.end(); above = parents.find(top)) top = above->second;
    if (top == oid) continue;
    const auto found = tables.find(top);
    if (found == tables.end())
      throw SqlError(sqlstate::kDataCorrupted, "the catalog has a partition of a table that is not there");
    found->second->storage->lock()->share();
    entry->storage = storage_.openTable(relations.at(oid), oid, found->second->storage->lock());
  }
}

void SystemRelations::loadColumns(std::map<uint32_t, std::shared_ptr<TableEntry>>& tables) {
  std::vector<std::pair<std::shared_ptr<TableEntry>, size_t>> of_domains;
  const auto findDomain = [&](uint32_t oid) -> const TableEntry* {
    const auto found = tables.find(domainOid(oid));
    const bool is_domain =
        found != tables.end() && found->second->type && found->second->type->form == TypeEntry::Form::Domain;
    return is_domain ? found->second.get() : nullptr;
  };
  storage::RowCursor row(columns_->relation(), columns_->readBound());
  while (row.next()) {
    const auto owner = tables.find(static_cast<uint32_t>(readNumber(row, kColumnTable)));
    if (owner == tables.end() ||
        readNumber(row, kColumnNumber) != static_cast<int32_t>(owner->second->columns.size()) + 1)
      throw SqlError(sqlstate::kDataCorrupted, "the catalog's columns do not belong to its tables");
    ColumnEntry column;
    column.name = readText(row, kColumnName);
    const auto type = static_cast<uint32_t>(readNumber(row, kColumnType));
    if (findDomain(type) != nullptr) {
      column.domain = type;
      of_domains.emplace_back(owner->second, owner->second->columns.size());
    } else {
      column.type = storedType(type, readNumber(row, kColumnModifier));
    }
    column.type.collation = storedCollation(readText(row, kColumnCollation));
    column.not_null = row.value(kColumnNotNull).lo != 0;
    column.default_text = readText(row, kColumnDefault);
    const int32_t identity = readNumber(row, kColumnIdentity);
    column.is_generated = identity == kGenerated;
    if (!column.is_generated && (identity < 0 || identity > static_cast<int32_t>(Identity::Always)))
      throw SqlError(sqlstate::kDataCorrupted, "the catalog has a column with an unknown identity");
    if (!column.is_generated) column.identity = static_cast<Identity>(identity);
    owner->second->columns.push_back(std::move(column));
  }
  // Of a domain they are what it is made of.
  for (const auto& [table, number] : of_domains) {
    const TableEntry* const domain = findDomain(table->columns[number].domain);
    if (domain->columns.size() != 1) throw SqlError(sqlstate::kDataCorrupted, "the catalog has a domain of no type");
    const uint16_t own_collation = table->columns[number].type.collation;
    const Type below = domain->columns[0].type;
    table->columns[number].type = isDomainArray(table->columns[number].domain) ? below.array() : below;
    if (own_collation != 0) table->columns[number].type.collation = own_collation;
  }
}

void SystemRelations::loadChecks(std::map<uint32_t, std::shared_ptr<TableEntry>>& tables) {
  std::map<uint32_t, std::map<std::string, std::string>> parameters;
  storage::RowCursor row(checks_->relation(), checks_->readBound());
  while (row.next()) {
    const auto owner = tables.find(static_cast<uint32_t>(readNumber(row, kCheckTable)));
    if (owner == tables.end()) throw SqlError(sqlstate::kDataCorrupted, "the catalog has a check without a table");
    const int32_t flags = readNumber(row, kCheckFlags);
    if ((flags & kParameterFlag) != 0) {
      parameters[owner->first][readText(row, kCheckName)] = readText(row, kCheckCondition);
      continue;
    }
    if ((flags & kOrderFlag) != 0) {
      readOrder(readText(row, kCheckCondition), *owner->second);
      continue;
    }
    owner->second->checks.push_back({.name = readText(row, kCheckName),
                                     .expression = readText(row, kCheckCondition),
                                     .is_valid = (flags & kValidFlag) != 0,
                                     .is_no_inherit = (flags & kNoInheritFlag) != 0});
  }
  for (const auto& [oid, texts] : parameters)
    for (const auto& [number, text] : texts) tables.at(oid)->options.parameters.push_back(text);
  for (auto& [oid, table] : tables) {
    std::ranges::sort(table->checks, {}, &CheckEntry::name);
    const LoadedEntries loaded(tables, table->database);
    const UserTypeScope type_scope(loaded);
    bindStoredChecks(*table);
  }
}

void SystemRelations::loadIndexes(std::map<uint32_t, std::shared_ptr<TableEntry>>& tables) {
  for (const StoredIndex& stored : readIndexes(*indexes_, *index_columns_, tables)) {
    const auto& [index, table, relation] = stored;
    const LoadedEntries loaded(tables, table->database);
    const UserTypeScope type_scope(loaded);
    bindStoredExpressions(*table, *index, LoadedCatalog(tables, table->database));
    index->storage = storage_.openIndex(*table->storage, relation, definitionOf(*table, *index));
    setDeferral(*table, *index);
    table->indexes.push_back(index);
  }
}

/// Both have their oids.
void SystemRelations::setDeferral(const TableEntry& table, const IndexEntry& index) {
  if (index.is_deferrable) index.storage->setDeferral({{table.oid, index.oid}, index.is_deferred});
}

/// What storage has to know of an index.
txn::IndexDefinition SystemRelations::definitionOf(const TableEntry& table, const IndexEntry& index) const {
  txn::IndexDefinition definition;
  std::vector<InvertedPart> inverted;
  for (size_t i = 0; i < index.columns.size(); ++i) {
    const IndexColumn& part = index.columns[i];
    const Type type = index.expressions ? index.expressions->parts[i]->type : table.columns[part.column].type;
    definition.columns.push_back(part.column);
    definition.parts.push_back(keyPart(type, part.descending, part.nulls_first));
    if (index.method == IndexMethod::Gin) inverted.emplace_back(type, part.operator_class);
  }
  definition.is_unique = index.is_unique;
  definition.nulls_are_equal = index.nulls_are_equal;
  if (index.expressions) {
    definition.columns = mentionedColumns(*index.expressions);
    definition.expressions = compiler_(index.expressions);
    definition.is_partial = !index.expressions->predicate.empty();
  }
  if (!inverted.empty()) definition.extractor = std::make_shared<const InvertedKeys>(std::move(inverted));
  definition.duplicate = duplicateError(table, index);
  return definition;
}

IndexPtr SystemRelations::buildIndex(const TableEntry& table, const IndexEntry& specified, const CancelToken& cancel) {
  auto index = std::make_shared<IndexEntry>(specified);
  index->storage = storage_.createIndex(*table.storage, definitionOf(table, specified), cancel);
  if (index->oid == 0) index->oid = index->storage->id().value;
  setDeferral(table, *index);
  return index;
}

void SystemRelations::createStorage(TableEntry& entry, std::shared_ptr<txn::ObjectLock> lock,
                                    const CancelToken& cancel) {
  const std::shared_ptr<txn::Table> table =
      storage_.createTable(storedSchema(entry.columns, entry.options), std::move(lock));
  TableEntry made = entry;
  made.storage = table;
  if (made.oid == 0) made.oid = table->id().value;
  try {
    for (IndexPtr& index : made.indexes) index = buildIndex(made, *index, cancel);
    if (made.partitioning && made.partitioning->key().expressions && !made.partitioning->key().evaluator) {
      auto key = std::make_shared<PartitionKey>(made.partitioning->key());
      key->evaluator = compiler_(key->expressions);
      made.partitioning = std::make_shared<const Partitioning>(std::move(key), made.partitioning->partitions());
    }
    if (entry.sequence) {
      auto sequence = std::make_shared<SequenceEntry>(*entry.sequence);
      sequence->counter = std::make_shared<txn::Sequence>(table, sequence->first);
      made.sequence = std::move(sequence);
    }
  } catch (...) {
    storage_.dropTable(table);
    throw;
  }
  entry = std::move(made);
}

void SystemRelations::dropStorage(const TableEntry& entry) noexcept {
  storage_.dropTable(entry.storage);
}

void SystemRelations::alterStorage(const TableEntry& before, TableEntry& after, const ExistingRowsTest* test,
                                   StorageChange& done, const CancelToken& cancel) {
  txn::Table& table = *before.storage;
  storage::RelationSchema schema = storedSchema(after.columns, after.options);
  if (schema.version() != table.schema().version() || schema.leafClass() != table.schema().leafClass())
    done.schema = table.changeSchema(std::move(schema));
  for (const IndexPtr& index : before.indexes) {
    const bool is_kept = std::ranges::any_of(after.indexes, [&](const IndexPtr& each) {
      return each->oid == index->oid && each->storage == index->storage;
    });
    if (is_kept) continue;
    done.retired.push_back(index);
    table.retireIndex(index->storage);
  }
  for (IndexPtr& index : after.indexes) {
    if (index->storage) continue;
    index = buildIndex(after, *index, cancel);
    done.made.push_back(index);
  }
  ExistingRows(before, after, test).require(cancel);
  for (const IndexPtr& index : after.indexes) index->storage->setDuplicate(duplicateError(after, *index));
}

TablePtr SystemRelations::undoStorage(const TablePtr& before, const StorageChange& done) noexcept {
  txn::Table& table = *before->storage;
  for (const IndexPtr& index : done.made) storage_.dropIndex(table, index->storage);
  for (const IndexPtr& index : done.retired) table.restoreIndex(index->storage);
  if (done.schema) table.restoreSchema(*done.schema);
  TablePtr now = before;
  const storage::RelationSchema schema = storedSchema(before->columns, before->options);
  if (table.schema().version() != schema.version() || table.schema().size() != schema.size()) {
    auto other = std::make_shared<TableEntry>(*before);
    storeAsIn(table.schema(), other->columns);
    now = std::move(other);
  }
  try {
    if (table.schema().leafClass() != before->options.leaf_class)
      table.changeSchema(storedSchema(now->columns, now->options));
  } catch (const SqlError& error) {
    spdlog::warn("new leaves of table \"{}\" keep their size: {}", before->name, error.message());
  }
  for (const IndexPtr& index : before->indexes) index->storage->setDuplicate(duplicateError(*now, *index));
  return now;
}

void SystemRelations::openIndexes(const StorageChange& done) noexcept {
  // What the transaction deleted before it made the index is not in there; those who still see it find it otherwise.
  for (const IndexPtr& index : done.made) index->storage->setUsableFrom(storage_.transactions().lastCommit());
}

void SystemRelations::completeStorage(const TableEntry& before, const StorageChange& done) noexcept {
  for (const IndexPtr& index : done.retired) storage_.dropIndex(*before.storage, index->storage);
}

txn::WriteContext DefinitionContext::writeContext(const txn::Snapshot& latest) const {
  return {.manager = manager,
          .transaction = transaction,
          .snapshot = {latest.start, transaction.id(), transaction.beginCommand()},
          .patience = patience,
          .is_read_committed = false};
}

void SystemRelations::claim(const TableEntry& table, txn::LockMode mode, const DefinitionContext& context) {
  context.transaction.owner().acquire(table.storage->lock(), mode, context.patience);
}

void SystemRelations::record(const TableEntry* before, const TableEntry* after, const DefinitionContext& context) {
  // Whatever others have defined since the transaction began is there.
  const auto latest = context.manager.takeSnapshot();
  const txn::WriteContext write = context.writeContext(latest.snapshot());
  if (before && !before->is_temporary) removeEntry(*before, write);
  if (after && !after->is_temporary) appendEntry(*after, write);
  privileges_->record(before && !before->is_temporary ? before : nullptr,
                      after && !after->is_temporary ? after : nullptr, write);
}

void SystemRelations::recordSchema(const SchemaEntry* before, const SchemaEntry* after,
                                   const DefinitionContext& context) {
  const auto latest = context.manager.takeSnapshot();
  const txn::WriteContext write = context.writeContext(latest.snapshot());
  txn::WriteStatement rows(*schemas_, write);
  if (before && !before->is_temporary) removeRows(*schemas_, rows, {before->oid});
  if (after && !after->is_temporary) {
    const std::array<Datum, kSchemaFields> values{number(after->oid), text(after->name), text(after->comment),
                                                  number(after->owner), number(after->database)};
    std::array<uint8_t, kSchemaFields> nulls{};
    nulls[kSchemaComment] = after->comment.empty();
    rows.append(values.data(), nulls.data());
  }
  rows.finish();
  privileges_->record(before && !before->is_temporary ? before : nullptr,
                      after && !after->is_temporary ? after : nullptr, write);
}

void SystemRelations::recordDatabase(const DatabaseEntry* before, const DatabaseEntry* after,
                                     const DefinitionContext& context) {
  const auto latest = context.manager.takeSnapshot();
  databases_->record(before, after, context.writeContext(latest.snapshot()));
}

void SystemRelations::recordRole(const RoleEntry* before, const RoleEntry* after, const DefinitionContext& context) {
  const auto latest = context.manager.takeSnapshot();
  roles_->record(before, after, context.writeContext(latest.snapshot()));
}

void SystemRelations::removeEntry(const TableEntry& entry, const txn::WriteContext& context) {
  std::vector<uint32_t> indexes;
  for (const IndexPtr& index : entry.indexes) indexes.push_back(index->oid);
  const auto remove = [&](txn::Table& relation, const std::vector<uint32_t>& oids) {
    if (oids.empty()) return;
    txn::WriteStatement statement(relation, context);
    removeRows(relation, statement, oids);
    statement.finish();
  };
  remove(*tables_, {entry.oid});
  remove(*columns_, {entry.oid});
  remove(*checks_, {entry.oid});
  remove(*foreign_keys_, {entry.oid});
  remove(*triggers_, {entry.oid});
  remove(*sequences_, {entry.oid});
  remove(*views_, {entry.oid});
  remove(*comments_, {entry.oid});
  remove(*user_types_, {entry.oid});
  remove(*partition_keys_, {entry.oid});
  remove(*partitions_, {entry.oid});
  if (entry.routine) {
    remove(*routines_, {entry.oid});
    remove(*routine_parameters_, {entry.oid});
  }
  remove(*indexes_, indexes);
  remove(*index_columns_, indexes);
}

namespace {

void appendTable(const TableEntry& entry, txn::WriteStatement& tables) {
  const std::array<Datum, kTableFields> values{
      number(entry.oid),
      text(entry.name),
      number((entry.options.leaf_class ? entry.options.leaf_class->index : kGrowingLeaves) |
             (entry.options.is_unlogged ? kUnloggedFlag : 0)),
      number(entry.storage->id().value),
      text(entry.schema),
      number(entry.owner),
      number(entry.database)};
  const std::array<uint8_t, kTableFields> nulls{};
  tables.append(values.data(), nulls.data());
}

void appendColumns(const TableEntry& entry, txn::WriteStatement& columns) {
  for (size_t i = 0; i < entry.columns.size(); ++i) {
    const ColumnEntry& column = entry.columns[i];
    const std::array<Datum, kColumnFields> values{
        number(entry.oid),
        number(static_cast<int64_t>(i) + 1),
        text(column.name),
        number(column.domain != 0 ? column.domain : column.type.oid()),
        number(column.type.typmod),
        number(column.not_null ? 1 : 0),
        text(column.default_text),
        number(column.is_generated ? kGenerated : static_cast<int64_t>(column.identity)),
        text(column.type.collation == 0 ? std::string_view() : knownCollation(column.type.collation).name),
    };
    std::array<uint8_t, kColumnFields> nulls{};
    nulls[kColumnDefault] = column.default_text.empty();
    nulls[kColumnCollation] = column.type.collation == 0;
    columns.append(values.data(), nulls.data());
  }
}

void appendChecks(const TableEntry& entry, txn::WriteStatement& checks) {
  for (const CheckEntry& check : entry.checks) {
    const int32_t flags = (check.is_valid ? kValidFlag : 0) | (check.is_no_inherit ? kNoInheritFlag : 0);
    const std::array<Datum, kCheckFields> values{number(entry.oid), text(check.name), number(flags),
                                                 text(check.expression)};
    const std::array<uint8_t, kCheckFields> nulls{};
    checks.append(values.data(), nulls.data());
  }
  for (size_t i = 0; i < entry.options.parameters.size(); ++i) {
    const std::string place = fmt::format("{:02}", i);
    const std::array<Datum, kCheckFields> values{number(entry.oid), text(place), number(kParameterFlag),
                                                 text(entry.options.parameters[i])};
    const std::array<uint8_t, kCheckFields> nulls{};
    checks.append(values.data(), nulls.data());
  }
  if (entry.order.empty()) return;
  std::string order;
  for (const uint32_t column : entry.order)
    order += fmt::format("{}{}", order.empty() ? "" : " ", column == kNoColumn ? 0 : column + 1);
  const std::array<Datum, kCheckFields> values{number(entry.oid), text(""), number(kOrderFlag), text(order)};
  const std::array<uint8_t, kCheckFields> nulls{};
  checks.append(values.data(), nulls.data());
}

}  // namespace

void SystemRelations::appendEntry(const TableEntry& entry, const txn::WriteContext& context) {
  txn::WriteStatement tables(*tables_, context);
  txn::WriteStatement columns(*columns_, context);
  txn::WriteStatement checks(*checks_, context);
  txn::WriteStatement foreign_keys(*foreign_keys_, context);
  txn::WriteStatement triggers(*triggers_, context);
  txn::WriteStatement sequences(*sequences_, context);
  txn::WriteStatement views(*views_, context);
  txn::WriteStatement comments(*comments_, context);
  txn::WriteStatement user_types(*user_types_, context);
  txn::WriteStatement partition_keys(*partition_keys_, context);
  txn::WriteStatement partitions(*partitions_, context);
  txn::WriteStatement indexes(*indexes_, context);
  txn::WriteStatement parts(*index_columns_, context);
  appendTable(entry, tables);
  appendColumns(entry, columns);
  appendChecks(entry, checks);
  appendForeignKeys(entry, foreign_keys);
  appendTriggers(entry, triggers);
  appendSequence(entry, sequences);
  appendView(entry, views);
  appendUserType(entry, user_types);
  appendComments(entry, comments);
  appendPartitionKey(entry, partition_keys);
  appendPartition(entry, partitions);
  for (const IndexPtr& index : entry.indexes) appendIndex(entry, *index, indexes, parts);
  for (txn::WriteStatement* const each : {&parts, &indexes, &partitions, &partition_keys, &user_types, &comments,
                                          &views, &sequences, &triggers, &foreign_keys, &checks, &columns, &tables})
    each->finish();
  if (entry.routine) recordRoutine(entry, *routines_, *routine_parameters_, context);
}

}  // namespace gnomon::sql
