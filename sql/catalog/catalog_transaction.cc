#include "sql/catalog/catalog_transaction.h"
#include "sql/catalog/trigger_definer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/algebra/index_expressions.h"
#include "sql/bind/check_definition.h"
#include "sql/bind/index_definition.h"
#include "sql/bind/trigger_condition.h"
#include "sql/catalog/access.h"
#include "sql/catalog/cascade_notice.h"
#include "sql/catalog/constraint_name.h"
#include "sql/catalog/dependent_keys.h"
#include "sql/catalog/dependent_views.h"
#include "sql/catalog/dependents.h"
#include "sql/catalog/drop_hint.h"
#include "sql/catalog/grant.h"
#include "sql/catalog/partitioning.h"
#include "sql/catalog/routine_bodies.h"
#include "sql/catalog/stored_schema.h"
#include "sql/catalog/system_tables.h"
#include "sql/parse/identifier.h"

namespace gnomon::sql {
namespace {

/// Puts columns' new names into the texts of the indexes that mention them.
void renameInIndexes(const TableEntry& before, TableEntry& after, const CatalogView& catalog) {
  for (IndexPtr& index : after.indexes) {
    if (!index->expressions) continue;
    auto renamed = std::make_shared<IndexEntry>(*index);
    bool is_changed = false;
    for (const uint32_t column : dependedColumns(*index)) {
      const std::string& from = before.columns[column].name;
      const std::string& to = after.columns[column].name;
      if (from == to) continue;
      renameColumn(*renamed, from, to);
      is_changed = true;
    }
    if (!is_changed) continue;
    renamed->expressions = bindIndexExpressions(after.columns, *renamed, catalog);
    index = std::move(renamed);
  }
}

/// The same for conditions of triggers.
void renameInTriggers(const TableEntry& before, TableEntry& after) {
  for (TriggerEntry& trigger : after.triggers)
    for (size_t i = 0; !trigger.condition.empty() && i < before.columns.size(); ++i)
      if (const std::string& to = after.columns[i].name; !to.empty() && before.columns[i].name != to)
        trigger.condition = withRenamedRowColumn(trigger.condition, before.columns[i].name, to);
}

/// Columns have other types.
void bindIndexesAnew(TableEntry& table, const CatalogView& catalog) {
  for (IndexPtr& index : table.indexes) {
    auto bound = std::make_shared<IndexEntry>(*index);
    bound->expressions = bindIndexExpressions(table.columns, *bound, catalog);
    index = std::move(bound);
  }
}

/// Whether bodies of routines that name the table, or fields of its rows, may mean something else.
bool isNamedOtherwise(const TableEntry& before, const TableEntry& after) {
  const auto isSame = [](const ColumnEntry& one, const ColumnEntry& other) { return one.name == other.name; };
  const auto [kept, now] =
      std::mismatch(before.columns.begin(), before.columns.end(), after.columns.begin(), after.columns.end(), isSame);
  return before.path() != after.path() || kept != before.columns.end();
}

/// For a name that a key and another constraint of one table would both have.
void requireNoConstraint(const TableEntry& table, const std::string& name) {
  if (hasCheckOrForeignKey(table, name))
    throw SqlError(sqlstate::kDuplicateObject,
                   fmt::format("constraint \"{}\" for relation \"{}\" already exists", name, table.name));
}

[[noreturn]] void raiseSystemCatalog(const std::string& name) {
  throw SqlError(sqlstate::kInsufficientPrivilege, fmt::format("permission denied: \"{}\" is a system catalog", name));
}

[[noreturn]] void raiseTaken(const std::string& name) {
  throw SqlError(sqlstate::kDuplicateTable, fmt::format("relation \"{}\" already exists", name));
}

}  // namespace

void CatalogTransaction::serve(const Settings& settings, std::string temporary) {
  settings_ = &settings;
  temporary_ = std::move(temporary);
  search_path_.reset();
}

bool CatalogTransaction::hasMadeSince(size_t mark, const TableEntry& table) const {
  return std::any_of(changes_.begin() + static_cast<std::ptrdiff_t>(mark), changes_.end(),
                     [&](const Change& each) { return each.hasNewStorage() && each.table.after->oid == table.oid; });
}

std::vector<TablePtr> CatalogTransaction::routinesNamed(std::string_view schema, std::string_view name) const {
  std::vector<TablePtr> result = catalog_.routinesNamed(schema, name);
  std::erase_if(result, [this](const TablePtr& routine) { return tables_.contains(routine->path()); });
  for (const auto& [path, entry] : tables_)
    if (entry && entry->routine && path.schema == schema && entry->routine->name == name) result.push_back(entry);
  return result;
}

TablePtr CatalogTransaction::findEntry(const ObjectPath& path) const {
  if (tables_.empty()) return catalog_.findEntry(path);
  const auto found = tables_.find(path);
  return found == tables_.end() ? catalog_.findEntry(path) : found->second;
}

TablePtr CatalogTransaction::findEntry(uint32_t oid) const {
  for (const auto& [path, entry] : tables_)
    if (entry && entry->oid == oid) return entry;
  TablePtr committed = catalog_.findEntry(oid);
  return committed && tables_.contains(committed->path()) ? nullptr : std::move(committed);
}

TablePtr CatalogTransaction::findIndexTable(const ObjectPath& path) const {
  const auto found = index_tables_.find(path);
  if (found == index_tables_.end()) return catalog_.findIndexTable(path);
  return found->second.empty() ? nullptr : find({path.schema, found->second});
}

std::vector<TablePtr> CatalogTransaction::entries() const {
  std::vector<TablePtr> result = entriesOf(catalog_.databaseOid());
  std::erase_if(result, [](const TablePtr& entry) { return isSystemTable(*entry); });
  return result;
}

std::vector<TablePtr> CatalogTransaction::entriesOf(uint32_t database) const {
  if (database != catalog_.databaseOid()) return catalog_.entriesOf(database);
  std::vector<TablePtr> result = catalog_.entries();
  if (tables_.empty()) return result;
  std::erase_if(result, [this](const TablePtr& table) { return tables_.contains(table->path()); });
  for (const auto& [path, table] : tables_)
    if (table) result.push_back(table);
  std::ranges::sort(result, {}, [](const TablePtr& table) { return table->path(); });
  return result;
}

VirtualRelationPtr CatalogTransaction::findVirtual(std::string_view schema, std::string_view name) const {
  return catalog_.findVirtual(schema, name);
}

const std::vector<VirtualRelationPtr>& CatalogTransaction::virtualRelations() const {
  return catalog_.virtualRelations();
}

uint64_t CatalogTransaction::accessVersion() const {
  constexpr uint64_t kOwn = uint64_t{1} << 63;
  return hasOwnAccess() ? kOwn | own_version_ : catalog_.accessVersion();
}

std::vector<SchemaPtr> CatalogTransaction::schemas() const {
  std::vector<SchemaPtr> result = catalog_.schemas();
  if (schemas_.empty()) return result;
  std::erase_if(result, [this](const SchemaPtr& schema) { return schemas_.contains(schema->name); });
  for (const auto& [name, schema] : schemas_)
    if (schema) result.push_back(schema);
  std::ranges::sort(result, {}, [](const SchemaPtr& schema) { return schema->name; });
  return result;
}

SchemaPtr CatalogTransaction::findSchema(std::string_view name) const {
  const auto found = schemas_.find(name);
  return found == schemas_.end() ? catalog_.findSchema(name) : found->second;
}

const SearchPath& CatalogTransaction::searchPath() const {
  if (settings_ == nullptr) return catalog_.searchPath();
  const uint64_t access = hasOwnAccess() ? accessVersion() : seen_access_;
  const bool is_known =
      search_path_ && settings_->version() == path_settings_ && access == path_access_ && first_schema_ == path_first_;
  if (is_known) return *search_path_;
  path_settings_ = settings_->version();
  path_access_ = access;
  path_first_ = first_schema_;
  std::string setting = settings_->text(SettingId::SearchPath);
  if (!first_schema_.empty()) setting = quotedIdentifier(first_schema_) + ", " + setting;
  const uint32_t user = actors().current;
  const RolePtr role = findRole(user);
  auto path = makeSearchPath(setting, role ? role->name : std::string(), temporary_);
  // Those that the user may not use are passed over.
  const auto isClosed = [&](const std::string& name) {
    const SchemaPtr schema = findSchema(name);
    return schema && rightsOn(*this, user, *schema, Privilege::Usage) == Privilege::None;
  };
  std::erase_if(path.schemas, isClosed);
  std::erase_if(path.written, isClosed);
  search_path_ = std::make_unique<SearchPath>(std::move(path));
  return *search_path_;
}

void CatalogTransaction::see(const TableChange& change) {
  ++own_version_;
  if (change.database_before) databases_[change.database_before->oid] = nullptr;
  if (change.database_after) databases_[change.database_after->oid] = change.database_after;
  if (change.role_before) roles_[change.role_before->oid] = nullptr;
  if (change.role_after) roles_[change.role_after->oid] = change.role_after;
  if (change.schema_before) schemas_[change.schema_before->name] = nullptr;
  if (change.schema_after) schemas_[change.schema_after->name] = change.schema_after;
  if (change.before) {
    tables_[change.before->path()] = nullptr;
    for (const IndexPtr& index : change.before->indexes) index_tables_[{change.before->schema, index->name}].clear();
  }
  if (!change.after) return;
  tables_[change.after->path()] = change.after;
  for (const IndexPtr& index : change.after->indexes)
    index_tables_[{change.after->schema, index->name}] = change.after->name;
}

void CatalogTransaction::undoTo(size_t mark) noexcept {
  // Their destructors undo them.
  while (!elsewhere_.empty() && elsewhere_.back().first >= mark) elsewhere_.pop_back();
  if (changes_.size() == mark) return;
  std::vector<uint32_t> widened;
  while (changes_.size() > mark) {
    const Change undone = std::move(changes_.back());
    changes_.pop_back();
    if (undone.hasNewStorage()) {
      if (undone.table.after->storage && !undone.table.after->sequence)
        catalog_.activity().keep(undone.table.after->storage->activity());
      catalog_.store().dropStorage(*undone.table.after);
    } else if (undone.table.before) {
      const TablePtr now = catalog_.store().undoStorage(undone.table.before, undone.storage);
      if (now != undone.table.before) {
        replace(undone.table.before, now);
        if (now->partition) widened.push_back(now->oid);
      }
    }
  }
  std::erase_if(new_labels_, [mark](const auto& label) { return label.second >= mark; });
  tables_.clear();
  index_tables_.clear();
  schemas_.clear();
  roles_.clear();
  databases_.clear();
  ++own_version_;
  for (const Change& change : changes_) see(change.table);
  alignPartitions(widened);
}

/// What a change of this transaction, or else of one before it, made of a table has other columns now.
void CatalogTransaction::replace(const TablePtr& before, TablePtr now) {
  for (Change& change : changes_) {
    if (change.table.after != before) continue;
    change.table.after = std::move(now);
    return;
  }
  const TableChange change{before, std::move(now)};
  catalog_.publish({&change, 1});
}

void CatalogTransaction::commit() noexcept {
  if (changes_.empty()) return;
  for (const auto& [before, definitions] : elsewhere_) definitions->commit();
  elsewhere_.clear();
  std::vector<TableChange> published;
  for (const Change& change : changes_) {
    published.push_back(change.table);
    // Before readers find them in their plans.
    catalog_.store().openIndexes(change.storage);
    // By way of them one comes to those of partitions.
    const TableChange& table = change.table;
    if (table.after && table.after->partitioning && table.before &&
        table.before->partitioning != table.after->partitioning)
      catalog_.store().openIndexes({.schema = {}, .made = table.after->indexes, .retired = {}});
  }
  catalog_.publish(published);
  for (const Change& change : changes_) {
    const TablePtr& before = change.table.before;
    if (!before) continue;
    catalog_.store().completeStorage(*before, change.storage);
    if (!change.table.after && before->storage) before->storage->lock()->markDropped();
    if (!change.table.after || change.hasNewStorage()) catalog_.store().dropStorage(*before);
  }
  changes_.clear();
  new_labels_.clear();
  tables_.clear();
  index_tables_.clear();
  schemas_.clear();
  roles_.clear();
  databases_.clear();
}

void CatalogTransaction::lockName(const ObjectPath& path, const DefinitionContext& context) {
  context.transaction.owner().acquire(catalog_.nameLock(path), txn::LockMode::AccessExclusive, context.patience);
}

/// For a name that is to be given: others who give it wait. Failure: 42P07.
void CatalogTransaction::requireFree(const ObjectPath& path, const DefinitionContext& context) {
  const auto require = [&] {
    if (!isTaken(path)) return;
    const TablePtr entry = findEntry(path);
    if (!entry || !entry->type || entry->type->form == TypeEntry::Form::Composite) raiseTaken(path.name);
    throw SqlError(sqlstate::kDuplicateObject, fmt::format("type \"{}\" already exists", path.name))
        .hint(
            "A relation has an associated type of the same name, so you must use a name that doesn't conflict with any "
            "existing type.");
  };
  require();
  lockName(path, context);
  require();
}

void CatalogTransaction::claim(const std::vector<TablePtr>& tables, const DefinitionContext& context,
                               const std::vector<TablePtr>& parents, txn::LockMode mode_of_tables) {
  std::vector<std::pair<TablePtr, txn::LockMode>> wanted;
  for (const TablePtr& table : tables) wanted.emplace_back(table, mode_of_tables);
  for (const TablePtr& parent : parents) wanted.emplace_back(parent, txn::LockMode::ShareRowExclusive);
  for (size_t i = 0, named = wanted.size(); i < named; ++i) {
    const auto [table, mode] = wanted[i];
    for (const TablePtr& other : lockedWith(*table)) catalog_.store().claim(*other, mode, context);
  }
  // In ascending order of ids, as all who lock several tables.
  std::ranges::sort(wanted, {}, [](const auto& each) { return each.first->oid; });
  for (const auto& [table, mode] : wanted) catalog_.store().claim(*table, mode, context);
  for (const auto& [table, mode] : wanted)
    if (findEntry(table->path()) != table)
      throw SqlError(sqlstate::kUndefinedTable,
                     fmt::format("{} \"{}\" was changed by another session", kindName(*table), table->calledName()));
}

/// "table_column_expr_idx" and the like, cut to the length of a name, with a number when that is taken.
std::string CatalogTransaction::chooseIndexName(const TableEntry& table, const IndexSpecification& index,
                                                const DefinitionContext& context) {
  std::string columns;
  for (const IndexColumn& column : index.columns)
    columns += (columns.empty() ? "" : "_") + (column.label.empty() ? table.columns[column.column].name : column.label);
  for (const uint32_t column : index.included) columns += "_" + table.columns[column].name;
  if (index.is_primary) columns.clear();
  const std::string kind = index.is_primary ? "pkey" : index.is_constraint ? "key" : "idx";
  const auto isFree = [&](const std::string& name) {
    const bool is_repeated = std::ranges::find(table.indexes, name, &IndexEntry::name) != table.indexes.end();
    const bool is_constraint_taken =
        index.is_constraint && (hasCheckOrForeignKey(table, name) || hasConstraint({table.schema, name}, &table));
    return !is_repeated && name != table.name && !is_constraint_taken && !isTaken({table.schema, name});
  };
  for (uint32_t attempt = 0;; ++attempt) {
    const std::string label = attempt == 0 ? kind : kind + std::to_string(attempt);
    std::string name = composedName(table.name, columns, label);
    if (!isFree(name)) continue;
    lockName({table.schema, name}, context);
    if (isFree(name)) return name;
  }
}

/// Adds an index that has no storage yet.
void CatalogTransaction::addIndex(TableEntry& table, const IndexSpecification& specified,
                                  const DefinitionContext& context) {
  auto index = std::make_shared<IndexEntry>();
  static_cast<IndexSpecification&>(*index) = specified;
  index->expressions = bindIndexExpressions(table.columns, *index, *this);
  if (index->name.empty()) {
    index->name = chooseIndexName(table, specified, context);
  } else {
    const bool is_repeated = std::ranges::find(table.indexes, index->name, &IndexEntry::name) != table.indexes.end();
    if (is_repeated || index->name == table.name) raiseTaken(index->name);
    requireFree({table.schema, index->name}, context);
  }
  if (index->is_constraint) requireNoConstraint(table, index->name);
  table.indexes.push_back(std::move(index));
}

bool CatalogTransaction::createTable(const CreateTableStatement& statement, const DefinitionContext& context) {
  useSchema(statement.path.schema, context);
  if (!statement.if_not_exists) {
    requireFree(statement.path, context);
  } else {
    if (!isTaken(statement.path)) lockName(statement.path, context);
    if (isTaken(statement.path)) return false;
  }
  auto entry = std::make_shared<TableEntry>();
  entry->database = catalog_.databaseOid();
  entry->schema = statement.path.schema;
  entry->name = statement.path.name;
  entry->is_temporary = entry->schema == temporary_;
  entry->owner = claimRoleOf(context);
  if (!entry->is_temporary) entry->acl = firstAcl(*this, 'r', entry->schema);
  entry->on_commit = statement.on_commit;
  entry->columns = statement.columns;
  entry->order = statement.order;
  entry->options = statement.options;
  storeNewColumns(entry->columns);
  claimNamedSequences(entry->columns, context);
  claimTypes(entry->columns, context);
  const auto sequences = makeSequences(*entry, statement.sequences, context);
  entry->checks = statement.checks;
  entry->materialized = statement.materialized;
  claim(statement.used, context, {}, txn::LockMode::AccessShare);
  entry->partition = statement.partition;
  entry->check_expressions = bindCheckExpressions(*entry);
  for (const IndexSpecification& specified : statement.indexes) addIndex(*entry, specified, context);
  entry->foreign_keys = statement.foreign_keys;
  if (statement.partitioned) TriggerDefiner(*this).adopt(*entry, findEntry(statement.partitioned->oid).get());
  if (statement.partition_key)
    entry->partitioning = std::make_shared<const Partitioning>(statement.partition_key, std::vector<TablePtr>());
  std::vector<TablePtr> children;
  if (statement.partitioned) {
    claim({statement.partitioned}, context);
    children = childrenOfTree(*statement.partitioned);
    claim({}, context, children);
  }
  claim({}, context, statement.parents);
  std::shared_ptr<txn::ObjectLock> lock;
  if (statement.partitioned) {
    const std::vector<TablePtr> above = ancestorsOf(*this, *entry);
    lock = above.back()->storage->lock();
    lock->share();
  }
  Change& change = changes_.emplace_back();
  catalog_.store().createStorage(*entry, std::move(lock), context.patience.cancel);
  change.table.after = entry;
  finishKeys(nullptr, *entry);
  catalog_.store().record(nullptr, entry.get(), context);
  see({nullptr, entry});
  tellPartitioned(nullptr, entry, context);
  tellParents(nullptr, entry.get(), context);
  ownSequences(*entry, statement.sequences, sequences, context);
  if (statement.partitioned) {
    adoptIndexes(*findEntry(statement.partitioned->oid), entry->path(), context);
    tellChildren(children, context);
    requireDefaultRows(statement.partitioned->path(), context);
  }
  return true;
}

void CatalogTransaction::renameIndex(TableEntry& table, const std::string& from, const std::string& to) {
  const auto found = std::ranges::find(table.indexes, from, &IndexEntry::name);
  CHECK(found != table.indexes.end(), "the binder saw the index");
  auto renamed = std::make_shared<IndexEntry>(**found);
  renamed->name = to;
  *found = std::move(renamed);
}

/// The index becomes that of a constraint.
void CatalogTransaction::makeConstraint(TableEntry& table, const ConstraintIndex& wanted,
                                        const DefinitionContext& context) {
  requireNoConstraint(table, wanted.name);
  if (wanted.name != wanted.index) {
    requireFree({table.schema, wanted.name}, context);
    renameIndex(table, wanted.index, wanted.name);
  }
  const auto index = std::ranges::find(table.indexes, wanted.name, &IndexEntry::name);
  auto made = std::make_shared<IndexEntry>(**index);
  made->is_constraint = true;
  made->is_primary = wanted.is_primary;
  *index = std::move(made);
}

/// The table becomes what `after` says, its storage first. It is claimed.
void CatalogTransaction::change(const TablePtr& before, const std::shared_ptr<TableEntry>& after,
                                const ExistingRowsTest* test, const DefinitionContext& context,
                                const std::vector<std::string>& tested_keys) {
  Change& change = changes_.emplace_back();
  change.table.before = before;
  catalog_.store().alterStorage(*before, *after, test, change.storage, context.patience.cancel);
  finishKeys(before.get(), *after);
  requireKeys(*after, tested_keys, context.patience.cancel);
  catalog_.store().record(before.get(), after.get(), context);
  change.table.after = after;
  see(change.table);
  tellPartitioned(before.get(), after, context);
  tellParents(before.get(), after.get(), context);
}

bool CatalogTransaction::createIndex(const CreateIndexStatement& statement, const DefinitionContext& context) {
  claim({statement.table}, context, {}, txn::LockMode::Exclusive);
  const std::string& name = statement.index.name;
  if (statement.if_not_exists && !name.empty()) {
    const ObjectPath path{statement.table->schema, name};
    if (!isTaken(path)) lockName(path, context);
    if (isTaken(path)) return false;
  }
  auto table = std::make_shared<TableEntry>(*statement.table);
  addIndex(*table, statement.index, context);
  // Nobody replaces or drops what it calls.
  if (const auto& expressions = table->indexes.back()->expressions)
    for (const uint32_t routine : expressions->routines)
      claim({findEntry(routine)}, context, {}, txn::LockMode::AccessShare);
  change(statement.table, table, nullptr, context);
  if (!statement.is_only) adoptIndexesBelow(table->path(), context);
  return true;
}

void CatalogTransaction::alterTable(const AlterTableStatement& statement, const std::vector<Value>& values,
                                    RowChecker* checker, const DefinitionContext& context) {
  Sequences sequences;
  alterOne(statement, statement.table, values, checker, sequences, context);
  if (statement.partitions.empty()) return;
  std::vector<uint32_t> dropped;
  for (const IndexPtr& index : statement.table->indexes)
    if (std::ranges::find(statement.dropped_indexes, index->name) != statement.dropped_indexes.end())
      dropped.push_back(index->oid);
  if (!dropped.empty()) dropPartIndexes(findEntry(statement.table->oid), dropped, context);
  for (const AlterTableStatement& each : statement.partitions)
    alterOne(each, findEntry(each.table->oid), values, checker, sequences, context);
  if (!statement.added_indexes.empty()) adoptIndexesBelow(findEntry(statement.table->oid)->path(), context);
}

/// `before`: the statement's table as it is now. `sequences`: those of added columns, once they are made; partitions
/// use their table's.
void CatalogTransaction::alterOne(const AlterTableStatement& statement, const TablePtr& before,
                                  const std::vector<Value>& values, RowChecker* checker, Sequences& sequences,
                                  const DefinitionContext& context) {
  const bool has_sequences = !sequences.empty();
  std::vector<TablePtr> claimed = neighboursOf({}, statement.dropped_keys);
  for (TablePtr& parent : parentsOfRemoved(*before, statement.foreign_keys)) claimed.push_back(std::move(parent));
  claimed.push_back(before);
  claimed.insert(claimed.end(), statement.dropped_views.begin(), statement.dropped_views.end());
  std::vector<TablePtr> views = viewsToTell(statement);
  std::erase_if(views, [&](const TablePtr& view) {
    return std::ranges::find(statement.dropped_views, view->oid, &TableEntry::oid) != statement.dropped_views.end();
  });
  claimed.insert(claimed.end(), views.begin(), views.end());
  std::vector<TablePtr> dropped_sequences;
  for (const uint32_t column : statement.unowned_columns)
    for (TablePtr& sequence : ownedSequences(*this, before->oid, column))
      dropped_sequences.push_back(std::move(sequence));
  claimed.insert(claimed.end(), dropped_sequences.begin(), dropped_sequences.end());
  for (const SequenceChange& change : statement.changed_sequences) claimed.push_back(change.sequence);
  claim(claimed, context, statement.parents);
  std::vector<DependentDefault> defaults = dependentDefaults(*this, dropped_sequences);
  std::erase_if(defaults, [&](const DependentDefault& each) {
    const auto& gone = statement.unowned_columns;
    if (std::ranges::find(gone, each.column) == gone.end()) return false;
    // Partitions lose the column as well.
    return each.table->oid == before->oid ||
           std::ranges::any_of(statement.partitions,
                               [&](const AlterTableStatement& below) { return below.table->oid == each.table->oid; });
  });
  if (!defaults.empty()) {
    const std::string& column = before->columns[defaults.front().needed->sequence->owner_column].name;
    if (!statement.drops_dependents)
      throw defaultsExist(*this, fmt::format("column {} of table {}", quotedIdentifier(column), shownName(*before)),
                          defaults);
    throwNotSupported("ALTER TABLE ... DROP COLUMN ... CASCADE of a column whose sequence others use");
  }
  if (statement.path != before->path()) requireFree(statement.path, context);
  claimNamedSequences(statement.columns, context);
  claimTypes(statement.columns, context);
  remove(statement.dropped_views, context);
  removeSequences(dropped_sequences, context);
  for (const SequenceChange& change : statement.changed_sequences) changeSequence(change, context);
  const TablePtr begun = addFilledColumns(statement, before, values, sequences, context);
  auto after = std::make_shared<TableEntry>(*begun);
  after->name = statement.path.name;
  after->columns = statement.columns;
  if (!before->order.empty())
    for (size_t i = before->columns.size(); i < after->columns.size(); ++i)
      after->order.push_back(static_cast<uint32_t>(i));
  after->options = statement.options;
  for (size_t i = before->columns.size(); i < begun->columns.size(); ++i)
    after->columns[i].stored = begun->columns[i].stored;
  storeChangedColumns(begun->columns, after->columns, begun == before ? values : std::vector<Value>());
  if (begun == before && !has_sequences)
    sequences = makeSequences(*after, statement.added_sequences, context);
  else
    useSequences(*after, statement.added_sequences, sequences);
  std::erase_if(after->indexes, [&](const IndexPtr& index) {
    return std::ranges::find(statement.dropped_indexes, index->name) != statement.dropped_indexes.end();
  });
  after->checks = statement.checks;
  renameInIndexes(*before, *after, *this);
  renameInPartitionKey(*before, *after);
  std::erase_if(after->triggers, [&](const TriggerEntry& trigger) {
    return std::ranges::find(statement.dropped_triggers, trigger.name) != statement.dropped_triggers.end();
  });
  renameInTriggers(*before, *after);
  if (!statement.renamed_index.empty()) {
    requireFree({before->schema, statement.new_index_name}, context);
    renameIndex(*after, statement.renamed_index, statement.new_index_name);
  }
  for (const ConstraintIndex& each : statement.constraint_indexes) makeConstraint(*after, each, context);
  if (statement.rewrites) bindIndexesAnew(*after, *this);
  for (const IndexSpecification& specified : statement.added_indexes) addIndex(*after, specified, context);
  after->check_expressions = bindCheckExpressions(*after);
  after->foreign_keys = statement.foreign_keys;
  removeKeys(statement.dropped_keys, context);
  // Such a removal may have made another entry of it.
  const TablePtr now = find(before->path());
  after->referring_keys = now->referring_keys;
  if (after->partitioning == before->partitioning) after->partitioning = now->partitioning;
  if (statement.rewrites) {
    storeNewColumns(after->columns);
    replaceStorage(now, after, context);
  } else if (statement.tested_checks.usual != nullptr) {
    const ExistingRowsTest test{*statement.tested_checks.usual, *checker};
    change(now, after, &test, context, statement.tested_keys);
  } else {
    change(now, after, nullptr, context, statement.tested_keys);
  }
  if (!has_sequences) ownSequences(*after, statement.added_sequences, sequences, context);
  tellViews(*before, *after, views, context);
  if (isNamedOtherwise(*before, *after)) followRoutines(*this, context);
}

void CatalogTransaction::passOver(const ObjectPath& path, std::string_view kind, bool if_exists,
                                  std::vector<SqlError>* notices) const {
  constexpr SqlState kSuccess("00000");
  const bool has_schema = path.schema.empty() || findSchema(searchPath().actual(path.schema));
  std::string message = has_schema ? fmt::format("{} \"{}\" does not exist", kind, path.name)
                                   : fmt::format("schema \"{}\" does not exist", path.schema);
  if (!if_exists)
    throw SqlError(!has_schema                         ? sqlstate::kInvalidSchemaName
                   : kind == "index" || kind == "type" ? sqlstate::kUndefinedObject
                                                       : sqlstate::kUndefinedTable,
                   std::move(message));
  if (notices != nullptr) notices->emplace_back(kSuccess, message + ", skipping");
}

bool CatalogTransaction::dropIndex(const ObjectPath& path, bool is_cascade, const DefinitionContext& context,
                                   std::vector<SqlError>* notices) {
  while (true) {
    const FoundRelation found = findRelation(path);
    if (!found) return false;
    if (!found.index)
      throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is not an index", path.name))
          .hint(dropHint(found));
    const TablePtr& table = found.table;
    const IndexPtr& index = found.index;
    requireIndexOwner(*this, *table, index->name);
    const std::string name = shownName(ObjectPath{table->schema, index->name});
    if (index->parent != 0) {
      const TablePtr above = findEntry(table->partition->parent);
      const auto parent = std::ranges::find(above->indexes, index->parent, &IndexEntry::oid);
      const std::string needed = shownName(ObjectPath{above->schema, (*parent)->name});
      throw SqlError(sqlstate::kDependentObjectsStillExist,
                     fmt::format("cannot drop index {} because index {} requires it", name, needed))
          .hint(fmt::format("You can drop index {} instead.", needed));
    }
    if (index->is_constraint)
      throw SqlError(sqlstate::kDependentObjectsStillExist,
                     fmt::format("cannot drop index {} because constraint {} on table {} requires it", name,
                                 quotedIdentifier(index->name), shownName(*table)))
          .hint(fmt::format("You can drop constraint {} on table {} instead.", quotedIdentifier(index->name),
                            shownName(*table)));
    std::vector<DependentKey> dependents = dependentKeys(*this, *table);
    std::erase_if(dependents, [&](const DependentKey& key) { return key.key().parent_index != index->oid; });
    if (!dependents.empty() && !is_cascade) throw dependentsExist(*this, "index " + name, "index " + name, dependents);
    try {
      claim(neighboursOf({table}, dependents), context);
    } catch (const SqlError& error) {
      // Somebody else changed one of the tables meanwhile: look again.
      if (error.state() == sqlstate::kUndefinedTable) continue;
      throw;
    }
    std::vector<std::string> cascaded;
    addDescriptions(*this, dependents, cascaded);
    if (notices != nullptr && !cascaded.empty()) notices->push_back(cascadeNotice(cascaded));
    removeKeys(dependents, context);
    const TablePtr now = find(table->path());
    auto changed = std::make_shared<TableEntry>(*now);
    std::erase(changed->indexes, index);
    const uint32_t gone = index->oid;
    change(now, changed, nullptr, context);
    if (changed->partitioning) dropPartIndexes(changed, {gone}, context);
    return true;
  }
}

void CatalogTransaction::dropIndexes(const DropIndexStatement& statement, const DefinitionContext& context,
                                     std::vector<SqlError>* notices) {
  for (const ObjectPath& path : statement.names) {
    const FoundRelation found = findRelation(path);
    if (!found) passOver(path, "index", statement.if_exists, notices);
    if (statement.is_concurrent && found.index && found.table->partitioning)
      throw SqlError(sqlstate::kFeatureNotSupported,
                     fmt::format("cannot drop partitioned index \"{}\" concurrently", path.name));
  }
  for (const ObjectPath& path : statement.names) dropIndex(path, statement.is_cascade, context, notices);
}

void CatalogTransaction::reindex(const ReindexStatement& statement, const DefinitionContext& context) {
  std::vector<TablePtr> tables;
  for (const ReindexStatement::Target& target : statement.targets) tables.push_back(target.table);
  claim(tables, context);
  for (const ReindexStatement::Target& target : statement.targets) {
    // That of a partitioned table changes with those of its partitions.
    const TablePtr before = findEntry(target.table->oid);
    auto after = std::make_shared<TableEntry>(*before);
    for (IndexPtr& index : after->indexes) {
      if (std::ranges::find(target.indexes, index->oid) == target.indexes.end()) continue;
      auto anew = std::make_shared<IndexEntry>(*index);
      anew->expressions = bindIndexExpressions(after->columns, *anew, *this);
      anew->storage.reset();
      index = std::move(anew);
    }
    change(before, after, nullptr, context);
  }
}

/// Tables, views and sequences that are claimed, and that nothing else depends on any more.
void CatalogTransaction::remove(const std::vector<TablePtr>& tables, const DefinitionContext& context) {
  for (const TablePtr& bound : tables) {
    // As it is without those who referred to it.
    const TablePtr table = findEntry(bound->path());
    catalog_.store().record(table.get(), nullptr, context);
    changes_.push_back({.table = {table, nullptr}, .storage = {}});
    see(changes_.back().table);
    tellPartitioned(table.get(), nullptr, context);
    tellParents(table.get(), nullptr, context);
  }
  TriggerDefiner(*this).removeCalling(tables, context);
}

void CatalogTransaction::dropTables(const DropTableStatement& statement, const DefinitionContext& context,
                                    std::vector<SqlError>* notices) {
  const std::string_view kind = statement.are_views          ? "view"
                                : statement.are_materialized ? "materialized view"
                                                             : "table";
  while (true) {
    std::vector<TablePtr> dropped;
    std::vector<SqlError> said;
    for (const ObjectPath& path : statement.names) {
      const FoundRelation found = findRelation(path);
      if (!found) {
        passOver(path, kind, statement.if_exists, &said);
        continue;
      }
      const TablePtr table = found.stored();
      const bool is_view = found.system ? found.system->kind == 'v' : table && table->view;
      const bool is_materialized = table && table->materialized;
      if (found.index || (table && table->sequence) || is_view != statement.are_views ||
          is_materialized != statement.are_materialized)
        throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is not a {}", path.name, kind))
            .hint(dropHint(found));
      if (found.system) raiseSystemCatalog(path.name);
      requireMayDrop(*this, *table);
      if (std::ranges::find(dropped, table) == dropped.end()) dropped.push_back(table);
    }
    const Dependents dependents = dependentsOfDrop(dropped, statement.is_cascade);
    if (!dropWith(dependents, context, said)) continue;
    followRoutines(*this, context);
    if (notices != nullptr) notices->insert(notices->end(), said.begin(), said.end());
    return;
  }
}

std::vector<TablePtr> CatalogTransaction::truncateTables(const TruncateStatement& statement,
                                                         const DefinitionContext& context,
                                                         std::vector<SqlError>* notices) {
  const std::vector<TablePtr> tables = claimForTruncate(statement, context, notices);
  emptyTables(tables, context);
  if (!statement.restarts_identity) return tables;
  const std::vector<TablePtr> sequences = sequencesOf(tables);
  claim(sequences, context);
  restartSequences(sequences, context);
  return tables;
}

/// They are claimed.
void CatalogTransaction::emptyTables(const std::vector<TablePtr>& tables, const DefinitionContext& context) {
  for (const TablePtr& before : tables) replaceStorage(before, std::make_shared<TableEntry>(*before), context);
}

/// The table becomes what `after` says, without rows. It is claimed.
void CatalogTransaction::replaceStorage(const TablePtr& before, const std::shared_ptr<TableEntry>& after,
                                        const DefinitionContext& context) {
  Change& change = changes_.emplace_back();
  change.table.before = before;
  catalog_.store().createStorage(*after, before->storage->lock(), context.patience.cancel);
  change.table.after = after;
  catalog_.store().record(before.get(), after.get(), context);
  see(change.table);
  tellPartitioned(before.get(), after, context);
}

}  // namespace gnomon::sql
