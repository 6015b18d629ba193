#include "sql/catalog/catalog_transaction.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/bind/check_definition.h"
#include "sql/bind/index_definition.h"
#include "sql/catalog/constraint_name.h"
#include "sql/catalog/dependent_keys.h"
#include "sql/catalog/dependent_views.h"
#include "sql/catalog/stored_schema.h"

namespace gnomon::sql {
namespace {

/// Puts columns' new names into the texts of the indexes that mention them.
void renameInIndexes(const TableEntry& before, TableEntry& after) {
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
    renamed->expressions = bindIndexExpressions(after.columns, *renamed);
    index = std::move(renamed);
  }
}

/// For a name that a key and another constraint of one table would both have.
void requireNoConstraint(const TableEntry& table, const std::string& name) {
  if (hasCheckOrForeignKey(table, name))
    throw SqlError(sqlstate::kDuplicateObject,
                   fmt::format("constraint \"{}\" for relation \"{}\" already exists", name, table.name));
}

void renameIndex(TableEntry& table, const std::string& from, const std::string& to) {
  const auto found = std::ranges::find(table.indexes, from, &IndexEntry::name);
  CHECK(found != table.indexes.end(), "the binder saw the index");
  auto renamed = std::make_shared<IndexEntry>(**found);
  renamed->name = to;
  *found = std::move(renamed);
}

[[noreturn]] void raiseSystemCatalog(const std::string& name) {
  throw SqlError(sqlstate::kInsufficientPrivilege, fmt::format("permission denied: \"{}\" is a system catalog", name));
}

[[noreturn]] void raiseTaken(const std::string& name) {
  throw SqlError(sqlstate::kDuplicateTable, fmt::format("relation \"{}\" already exists", name));
}

/// How what a name has is dropped instead.
const char* dropHint(const TableEntry& entry) {
  if (entry.view) return "Use DROP VIEW to remove a view.";
  return entry.sequence ? "Use DROP SEQUENCE to remove a sequence." : "Use DROP TABLE to remove a table.";
}

}  // namespace

TablePtr CatalogTransaction::find(std::string_view name) const {
  const auto found = tables_.find(name);
  return found == tables_.end() ? catalog_.find(name) : found->second;
}

TablePtr CatalogTransaction::findIndexTable(std::string_view name) const {
  const auto found = index_tables_.find(name);
  if (found != index_tables_.end()) return found->second.empty() ? nullptr : find(found->second);
  return catalog_.findIndexTable(name);
}

std::vector<TablePtr> CatalogTransaction::tables() const {
  std::vector<TablePtr> result = catalog_.tables();
  if (tables_.empty()) return result;
  std::erase_if(result, [this](const TablePtr& table) { return tables_.contains(table->name); });
  for (const auto& [name, table] : tables_)
    if (table) result.push_back(table);
  std::ranges::sort(result, {}, &TableEntry::name);
  return result;
}

void CatalogTransaction::see(const TableChange& change) {
  if (change.before) {
    tables_[change.before->name] = nullptr;
    for (const IndexPtr& index : change.before->indexes) index_tables_[index->name].clear();
  }
  if (!change.after) return;
  tables_[change.after->name] = change.after;
  for (const IndexPtr& index : change.after->indexes) index_tables_[index->name] = change.after->name;
}

void CatalogTransaction::undoTo(size_t mark) noexcept {
  if (changes_.size() == mark) return;
  while (changes_.size() > mark) {
    const Change undone = std::move(changes_.back());
    changes_.pop_back();
    if (undone.hasNewStorage()) {
      catalog_.store().dropStorage(*undone.table.after);
    } else if (undone.table.before) {
      const TablePtr now = catalog_.store().undoStorage(undone.table.before, undone.storage);
      if (now != undone.table.before) replace(undone.table.before, now);
    }
  }
  tables_.clear();
  index_tables_.clear();
  for (const Change& change : changes_) see(change.table);
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
  std::vector<TableChange> published;
  for (const Change& change : changes_) {
    published.push_back(change.table);
    // Before readers find them in their plans.
    catalog_.store().openIndexes(change.storage);
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
  tables_.clear();
  index_tables_.clear();
}

void CatalogTransaction::lockName(const std::string& name, const DefinitionContext& context) {
  context.transaction.owner().acquire(catalog_.nameLock(name), txn::LockMode::AccessExclusive, context.patience);
}

/// For a name that is to be given: others who give it wait. Failure: 42P07.
void CatalogTransaction::requireFree(const std::string& name, const DefinitionContext& context) {
  if (isTaken(name)) raiseTaken(name);
  lockName(name, context);
  if (isTaken(name)) raiseTaken(name);
}

void CatalogTransaction::claim(const std::vector<TablePtr>& tables, const DefinitionContext& context,
                               const std::vector<TablePtr>& parents, txn::LockMode mode_of_tables) {
  std::vector<std::pair<TablePtr, txn::LockMode>> wanted;
  for (const TablePtr& table : tables) wanted.emplace_back(table, mode_of_tables);
  for (const TablePtr& parent : parents) wanted.emplace_back(parent, txn::LockMode::ShareRowExclusive);
  // In ascending order of ids, as all who lock several tables.
  std::ranges::sort(wanted, {}, [](const auto& each) { return each.first->oid; });
  for (const auto& [table, mode] : wanted) catalog_.store().claim(*table, mode, context);
  for (const auto& [table, mode] : wanted)
    if (find(table->name) != table)
      throw SqlError(sqlstate::kUndefinedTable,
                     fmt::format("table \"{}\" was changed by another session", table->name));
}

/// "table_column_expr_idx" and the like, cut to the length of a name, with a number when that is taken.
std::string CatalogTransaction::chooseIndexName(const TableEntry& table, const IndexSpecification& index,
                                                const DefinitionContext& context) {
  std::string columns;
  for (const IndexColumn& column : index.columns)
    columns += (columns.empty() ? "" : "_") + (column.label.empty() ? table.columns[column.column].name : column.label);
  if (index.is_primary) columns.clear();
  const std::string kind = index.is_primary ? "pkey" : index.is_constraint ? "key" : "idx";
  const auto isFree = [&](const std::string& name) {
    const bool is_repeated = std::ranges::find(table.indexes, name, &IndexEntry::name) != table.indexes.end();
    const bool is_constraint_taken =
        index.is_constraint && (hasCheckOrForeignKey(table, name) || hasConstraint(name, &table));
    return !is_repeated && name != table.name && !is_constraint_taken && !isTaken(name);
  };
  for (uint32_t attempt = 0;; ++attempt) {
    const std::string label = attempt == 0 ? kind : kind + std::to_string(attempt);
    std::string name = composedName(table.name, columns, label);
    if (!isFree(name)) continue;
    lockName(name, context);
    if (isFree(name)) return name;
  }
}

/// Adds an index that has no storage yet.
void CatalogTransaction::addIndex(TableEntry& table, const IndexSpecification& specified,
                                  const DefinitionContext& context) {
  auto index = std::make_shared<IndexEntry>();
  static_cast<IndexSpecification&>(*index) = specified;
  index->expressions = bindIndexExpressions(table.columns, *index);
  if (index->name.empty()) {
    index->name = chooseIndexName(table, specified, context);
  } else {
    const bool is_repeated = std::ranges::find(table.indexes, index->name, &IndexEntry::name) != table.indexes.end();
    if (is_repeated || index->name == table.name) raiseTaken(index->name);
    requireFree(index->name, context);
  }
  if (index->is_constraint) requireNoConstraint(table, index->name);
  table.indexes.push_back(std::move(index));
}

bool CatalogTransaction::createTable(const CreateTableStatement& statement, const DefinitionContext& context) {
  if (!isTaken(statement.name)) lockName(statement.name, context);
  if (isTaken(statement.name)) {
    if (statement.if_not_exists) return false;
    raiseTaken(statement.name);
  }
  auto entry = std::make_shared<TableEntry>();
  entry->name = statement.name;
  entry->columns = statement.columns;
  entry->options = statement.options;
  storeNewColumns(entry->columns);
  claimNamedSequences(entry->columns, context);
  const auto sequences = makeSequences(*entry, statement.sequences, context);
  entry->checks = statement.checks;
  entry->check_expressions = bindCheckExpressions(entry->columns, entry->checks);
  for (const IndexSpecification& specified : statement.indexes) addIndex(*entry, specified, context);
  entry->foreign_keys = statement.foreign_keys;
  claim({}, context, statement.parents);
  Change& change = changes_.emplace_back();
  catalog_.store().createStorage(*entry, nullptr, context.patience.cancel);
  change.table.after = entry;
  finishKeys(nullptr, *entry);
  catalog_.store().record(nullptr, entry.get(), context);
  see({nullptr, entry});
  tellParents(nullptr, entry.get(), context);
  ownSequences(*entry, statement.sequences, sequences, context);
  return true;
}

void CatalogTransaction::createView(const CreateViewStatement& statement, const DefinitionContext& context) {
  auto view = std::make_shared<const ViewEntry>(statement.view);
  std::vector<TablePtr> used = statement.used;
  std::erase(used, statement.replaced);
  if (statement.replaced) {
    const TablePtr& before = statement.replaced;
    claim({before}, context);
    claim(used, context, {}, txn::LockMode::AccessShare);
    auto after = std::make_shared<TableEntry>(*before);
    after->columns.insert(after->columns.end(),
                          statement.columns.begin() + static_cast<ptrdiff_t>(before->columns.size()),
                          statement.columns.end());
    std::vector<Value> added;
    for (size_t i = before->columns.size(); i < after->columns.size(); ++i)
      added.push_back(Value::null(after->columns[i].type));
    storeChangedColumns(before->columns, after->columns, added);
    after->view = std::move(view);
    change(before, after, nullptr, context);
    return;
  }
  requireFree(statement.name, context);
  claim(used, context, {}, txn::LockMode::AccessShare);
  auto entry = std::make_shared<TableEntry>();
  entry->name = statement.name;
  entry->columns = statement.columns;
  entry->view = std::move(view);
  storeNewColumns(entry->columns);
  Change& change = changes_.emplace_back();
  catalog_.store().createStorage(*entry, nullptr, context.patience.cancel);
  change.table.after = entry;
  catalog_.store().record(nullptr, entry.get(), context);
  see({nullptr, entry});
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
  tellParents(before.get(), after.get(), context);
}

bool CatalogTransaction::createIndex(const CreateIndexStatement& statement, const DefinitionContext& context) {
  claim({statement.table}, context, {}, txn::LockMode::Exclusive);
  const std::string& name = statement.index.name;
  if (statement.if_not_exists && !name.empty()) {
    if (!isTaken(name)) lockName(name, context);
    if (isTaken(name)) return false;
  }
  auto table = std::make_shared<TableEntry>(*statement.table);
  addIndex(*table, statement.index, context);
  change(statement.table, table, nullptr, context);
  return true;
}

void CatalogTransaction::alterTable(const AlterTableStatement& statement, const std::vector<Value>& values,
                                    RowChecker* checker, const DefinitionContext& context) {
  const TablePtr& before = statement.table;
  std::vector<TablePtr> claimed = neighboursOf({}, statement.dropped_keys);
  for (TablePtr& parent : parentsOfRemoved(*before, statement.foreign_keys)) claimed.push_back(std::move(parent));
  claimed.push_back(before);
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
    return each.table->oid == before->oid && std::ranges::find(gone, each.column) != gone.end();
  });
  if (!defaults.empty()) {
    const std::string& column = before->columns[defaults.front().sequence->sequence->owner_column].name;
    if (!statement.drops_dependents)
      throw defaultsExist(fmt::format("column {} of table {}", column, before->name), defaults);
    throwNotSupported("ALTER TABLE ... DROP COLUMN ... CASCADE of a column whose sequence others use");
  }
  if (statement.name != before->name) requireFree(statement.name, context);
  claimNamedSequences(statement.columns, context);
  removeSequences(dropped_sequences, context);
  for (const SequenceChange& change : statement.changed_sequences) changeSequence(change, context);
  Sequences sequences;
  const TablePtr begun = addFilledColumns(statement, values, sequences, context);
  auto after = std::make_shared<TableEntry>(*begun);
  after->name = statement.name;
  after->columns = statement.columns;
  after->options = statement.options;
  for (size_t i = before->columns.size(); i < begun->columns.size(); ++i)
    after->columns[i].stored = begun->columns[i].stored;
  storeChangedColumns(begun->columns, after->columns, begun == before ? values : std::vector<Value>());
  if (begun == before)
    sequences = makeSequences(*after, statement.added_sequences, context);
  else
    useSequences(*after, statement.added_sequences, sequences);
  std::erase_if(after->indexes, [&](const IndexPtr& index) {
    return std::ranges::find(statement.dropped_indexes, index->name) != statement.dropped_indexes.end();
  });
  after->checks = statement.checks;
  renameInIndexes(*before, *after);
  if (!statement.renamed_index.empty()) {
    requireFree(statement.new_index_name, context);
    renameIndex(*after, statement.renamed_index, statement.new_index_name);
  }
  for (const IndexSpecification& specified : statement.added_indexes) addIndex(*after, specified, context);
  after->check_expressions = bindCheckExpressions(after->columns, after->checks);
  after->foreign_keys = statement.foreign_keys;
  removeKeys(statement.dropped_keys, context);
  // Such a removal may have made another entry of it.
  const TablePtr now = find(before->name);
  after->referring_keys = now->referring_keys;
  if (statement.tested_checks.usual != nullptr) {
    const ExistingRowsTest test{*statement.tested_checks.usual, *checker};
    change(now, after, &test, context, statement.tested_keys);
  } else {
    change(now, after, nullptr, context, statement.tested_keys);
  }
  ownSequences(*after, statement.added_sequences, sequences, context);
}

bool CatalogTransaction::dropIndex(const std::string& name, bool is_cascade, const DefinitionContext& context,
                                   std::vector<SqlError>* notices) {
  while (true) {
    const TablePtr table = findIndexTable(name);
    if (table == nullptr) {
      if (const TablePtr other = find(name))
        throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is not an index", name)).hint(dropHint(*other));
      if (const VirtualRelationPtr other = findVirtual("", name))
        throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is not an index", name))
            .hint(other->kind == 'v' ? "Use DROP VIEW to remove a view." : "Use DROP TABLE to remove a table.");
      return false;
    }
    const auto found = std::ranges::find(table->indexes, name, &IndexEntry::name);
    CHECK(found != table->indexes.end(), "C2");
    const IndexPtr& index = *found;
    if (index->is_constraint)
      throw SqlError(
          sqlstate::kDependentObjectsStillExist,
          fmt::format("cannot drop index {0} because constraint {0} on table {1} requires it", name, table->name))
          .hint(fmt::format("You can drop constraint {} on table {} instead.", name, table->name));
    std::vector<DependentKey> dependents = dependentKeys(*this, *table);
    std::erase_if(dependents, [&](const DependentKey& key) { return key.key().parent_index != index->oid; });
    if (!dependents.empty() && !is_cascade)
      throw dependentsExist(fmt::format("index {}", name), fmt::format("index {}", name), dependents);
    try {
      claim(neighboursOf({table}, dependents), context);
    } catch (const SqlError& error) {
      // Somebody else changed one of the tables meanwhile: look again.
      if (error.state() == sqlstate::kUndefinedTable) continue;
      throw;
    }
    if (notices != nullptr && !dependents.empty()) notices->push_back(*cascadeNotice(dependents));
    removeKeys(dependents, context);
    const TablePtr now = find(table->name);
    auto changed = std::make_shared<TableEntry>(*now);
    std::erase(changed->indexes, index);
    change(now, changed, nullptr, context);
    return true;
  }
}

std::vector<std::string> CatalogTransaction::dropIndexes(const DropIndexStatement& statement,
                                                         const DefinitionContext& context,
                                                         std::vector<SqlError>* notices) {
  std::vector<std::string> missing;
  for (const std::string& name : statement.names) {
    if (statement.if_exists || isTaken(name)) continue;
    throw SqlError(sqlstate::kUndefinedObject, fmt::format("index \"{}\" does not exist", name));
  }
  for (const std::string& name : statement.names)
    if (!dropIndex(name, statement.is_cascade, context, notices)) missing.push_back(name);
  return missing;
}

std::vector<std::string> CatalogTransaction::dropTables(const DropTableStatement& statement,
                                                        const DefinitionContext& context,
                                                        std::vector<SqlError>* notices) {
  while (true) {
    std::vector<TablePtr> dropped;
    std::vector<std::string> missing;
    for (const std::string& name : statement.names) {
      TablePtr table = find(name);
      const std::string_view kind = statement.are_views ? "view" : "table";
      const auto refuse = [&](std::string_view hint) {
        throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is not a {}", name, kind))
            .hint(std::string(hint));
      };
      if (table == nullptr) {
        if (findIndexTable(name) != nullptr) refuse("Use DROP INDEX to remove an index.");
        if (const VirtualRelationPtr other = findVirtual("", name)) {
          if (other->kind == 'v' && !statement.are_views) refuse("Use DROP VIEW to remove a view.");
          if (other->kind != 'v' && statement.are_views) refuse("Use DROP TABLE to remove a table.");
          raiseSystemCatalog(name);
        }
        if (!statement.if_exists)
          throw SqlError(sqlstate::kUndefinedTable, fmt::format("{} \"{}\" does not exist", kind, name));
        missing.push_back(name);
      } else if (table->sequence || (table->view != nullptr) != statement.are_views) {
        refuse(dropHint(*table));
      } else if (std::ranges::find(dropped, table) == dropped.end()) {
        dropped.push_back(std::move(table));
      }
    }
    const std::vector<DependentView> views = dependentViews(*this, dropped);
    if (!views.empty() && !statement.is_cascade) throw viewsExist(dropped, views);
    for (const DependentView& each : views) dropped.push_back(each.view);
    if (!dependentViews(*this, sequencesOf(dropped)).empty())
      throwNotSupported("DROP of a table with a sequence that views read");
    const std::vector<DependentKey> dependents = dependentsOf(dropped);
    const std::vector<TablePtr> sequences = sequencesOf(dropped);
    const std::vector<DependentDefault> defaults = defaultsNeeding(sequences, dropped);
    if (!dependents.empty() && !statement.is_cascade) throw dependentsExist(dropped, dependents);
    if (!defaults.empty() && !statement.is_cascade)
      throw defaultsExist(fmt::format("table {}", dropped.front()->name), defaults);
    try {
      std::vector<TablePtr> claimed = neighboursOf(dropped, dependents);
      claimed.insert(claimed.end(), sequences.begin(), sequences.end());
      for (const DependentDefault& each : defaults) claimed.push_back(each.table);
      claim(claimed, context);
    } catch (const SqlError& error) {
      // Somebody else dropped or changed one of them meanwhile: look again.
      if (error.state() == sqlstate::kUndefinedTable) continue;
      throw;
    }
    // Somebody else may have made another view meanwhile.
    if (!dependentViews(*this, dropped).empty()) continue;
    if (notices != nullptr && !views.empty()) notices->push_back(cascadeNotice(views));
    if (notices != nullptr && !dependents.empty()) notices->push_back(*cascadeNotice(dependents));
    if (notices != nullptr && !defaults.empty()) notices->push_back(*cascadeNotice(defaults));
    removeKeys(dependents, context);
    removeDefaults(defaults, context);
    removeSequences(sequences, context);
    for (const TablePtr& bound : dropped) {
      // As it is without those who referred to it.
      const TablePtr table = find(bound->name);
      catalog_.store().record(table.get(), nullptr, context);
      changes_.push_back({.table = {table, nullptr}, .storage = {}});
      see(changes_.back().table);
      tellParents(table.get(), nullptr, context);
    }
    return missing;
  }
}

void CatalogTransaction::truncateTables(const TruncateStatement& statement, const DefinitionContext& context,
                                        std::vector<SqlError>* notices) {
  const std::vector<TablePtr> tables = claimForTruncate(statement, context, notices);
  for (const TablePtr& before : tables) {
    auto after = std::make_shared<TableEntry>(*before);
    Change& change = changes_.emplace_back();
    change.table.before = before;
    catalog_.store().createStorage(*after, before->storage->lock(), context.patience.cancel);
    change.table.after = after;
    catalog_.store().record(before.get(), after.get(), context);
    see(change.table);
  }
  if (!statement.restarts_identity) return;
  const std::vector<TablePtr> sequences = sequencesOf(tables);
  claim(sequences, context);
  restartSequences(sequences, context);
}

}  // namespace gnomon::sql
