#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/bind/sequence_reference.h"
#include "sql/catalog/access.h"
#include "sql/catalog/catalog_transaction.h"
#include "sql/catalog/constraint_name.h"
#include "sql/catalog/dependent_keys.h"
#include "sql/catalog/dependent_views.h"
#include "sql/catalog/dependents.h"
#include "sql/catalog/drop_hint.h"
#include "sql/catalog/grant.h"
#include "sql/catalog/routines.h"
#include "sql/catalog/stored_schema.h"
#include "sql/parse/identifier.h"
#include "storage/relation/scan.h"
#include "txn/sequence.h"
#include "txn/write_statement.h"

/// What CatalogTransaction does for sequences: tables of one row, whose values are nobody's transaction's.
namespace gnomon::sql {
namespace {

/// Failure: 22023 for a value that is no longer one of the sequence's.
void requireInside(const txn::SequenceRange& range, int64_t value) {
  if (value < range.minimum)
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("RESTART value ({}) cannot be less than MINVALUE ({})", value, range.minimum));
  if (value > range.maximum)
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("RESTART value ({}) cannot be greater than MAXVALUE ({})", value, range.maximum));
}

/// The table, and its columns, stay until the transaction ends.
void claimOwner(const CatalogView& catalog, CatalogStore& store, const TableEntry& owner,
                const DefinitionContext& context) {
  store.claim(owner, txn::LockMode::AccessShare, context);
  if (catalog.find(owner.path()).get() != &owner)
    throw SqlError(sqlstate::kUndefinedTable, fmt::format("table \"{}\" was changed by another session", owner.name));
}

[[noreturn]] void raiseOfIdentity(const CatalogView& catalog, const TableEntry& sequence, const TableEntry& table,
                                  const std::string& column) {
  const std::string name = quotedIdentifier(column), owner = catalog.shownName(table);
  throw SqlError(sqlstate::kDependentObjectsStillExist,
                 fmt::format("cannot drop sequence {} because column {} of table {} requires it",
                             catalog.shownName(sequence), name, owner))
      .hint(fmt::format("You can drop column {} of table {} instead.", name, owner));
}

void fillColumns(const TableEntry& table, const std::vector<ColumnSequence>& wanted,
                 const std::vector<std::shared_ptr<TableEntry>>& made, const DefinitionContext& context) {
  if (context.transaction.bulkEpoch() != 0)
    throwNotSupported("a new column with a sequence, of a table with rows, in a bulk transaction");
  const auto latest = context.manager.takeSnapshot();
  const txn::WriteContext write = context.writeContext(latest.snapshot());
  // The ids are gathered first: a cursor holds a leaf, which a writer must not find held by its own thread.
  std::vector<txn::TupleId> ids;
  {
    storage::RowCursor row(table.storage->relation(), table.storage->readBound());
    while (row.next()) ids.push_back(row.tupleId());
  }
  std::vector<size_t> order(wanted.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](size_t i) { return wanted[i].column; });
  std::vector<uint32_t> columns;
  for (const size_t i : order) columns.push_back(wanted[i].column);
  std::vector<txn::Datum> values(columns.size());
  const std::vector<uint8_t> nulls(columns.size(), 0);
  txn::WriteStatement statement(*table.storage, write);
  for (const txn::TupleId id : ids) {
    context.patience.cancel.poll();
    for (size_t i = 0; i < order.size(); ++i) {
      const TableEntry& sequence = *made[order[i]];
      const int64_t value = sequence.sequence->counter->next(sequence.sequence->range, sequence.name).first;
      values[i] = {static_cast<uint64_t>(value), value < 0 ? ~uint64_t{0} : 0};
    }
    statement.update(id, {.columns = columns, .values = values.data(), .null_flags = nulls.data()});
  }
  statement.finish();
}

}  // namespace

/// "table_column_seq", cut to the length of a name, with a number when that is taken.
ObjectPath CatalogTransaction::chooseSequenceName(const TableEntry& table, const std::string& column,
                                                  const DefinitionContext& context) {
  for (uint32_t attempt = 0;; ++attempt) {
    ObjectPath path{table.schema,
                    composedName(table.name, column, attempt == 0 ? "seq" : "seq" + std::to_string(attempt))};
    if (path.name == table.name || isTaken(path)) continue;
    lockName(path, context);
    if (!isTaken(path)) return path;
  }
}

/// The name is locked. Whoever calls records the entry.
std::shared_ptr<TableEntry> CatalogTransaction::makeSequence(const ObjectPath& path,
                                                             const SequenceDefinition& definition,
                                                             const DefinitionContext& context) {
  auto sequence = std::make_shared<SequenceEntry>();
  static_cast<SequenceDefinition&>(*sequence) = definition;
  sequence->first = {.last_value = definition.start, .log_count = 0, .is_called = false};
  auto entry = std::make_shared<TableEntry>();
  entry->database = catalog_.databaseOid();
  entry->schema = path.schema;
  entry->name = path.name;
  entry->is_temporary = entry->schema == temporary_;
  entry->owner = claimRoleOf(context);
  if (!entry->is_temporary) entry->acl = firstAcl(*this, 'S', entry->schema);
  entry->columns = sequenceColumns();
  storeNewColumns(entry->columns);
  entry->sequence = std::move(sequence);
  Change& change = changes_.emplace_back();
  catalog_.store().createStorage(*entry, nullptr, context.patience.cancel);
  change.table.after = entry;
  see(change.table);
  return entry;
}

/// Columns of the table take their values from the sequences.
void CatalogTransaction::useSequences(TableEntry& table, const std::vector<ColumnSequence>& wanted,
                                      const Sequences& made) {
  for (size_t i = 0; i < wanted.size(); ++i)
    table.columns[wanted[i].column].default_text = fmt::format("nextval('{}'::regclass)", made[i]->oid);
}

CatalogTransaction::Sequences CatalogTransaction::makeSequences(TableEntry& table,
                                                                const std::vector<ColumnSequence>& wanted,
                                                                const DefinitionContext& context) {
  Sequences made;
  for (const ColumnSequence& each : wanted) {
    ObjectPath path = each.path;
    if (path.schema.empty()) path.schema = table.schema;
    if (path.name.empty())
      path = chooseSequenceName(table, table.columns[each.column].name, context);
    else
      requireFree(path, context);
    made.push_back(makeSequence(path, each.definition, context));
  }
  useSequences(table, wanted, made);
  return made;
}

/// The table has its oid; nobody else has seen the sequences.
void CatalogTransaction::ownSequences(const TableEntry& table, const std::vector<ColumnSequence>& wanted,
                                      const Sequences& made, const DefinitionContext& context) {
  for (size_t i = 0; i < made.size(); ++i) {
    auto owned = std::make_shared<SequenceEntry>(*made[i]->sequence);
    owned->owner = table.oid;
    owned->owner_column = wanted[i].column;
    made[i]->sequence = std::move(owned);
    catalog_.store().record(nullptr, made[i].get(), context);
  }
}

/// Those that defaults name stay until the transaction ends.
void CatalogTransaction::claimNamedSequences(const std::vector<ColumnEntry>& columns,
                                             const DefinitionContext& context) {
  for (const ColumnEntry& column : columns) {
    for (const uint32_t oid : namedSequences(column.default_text)) {
      const TablePtr sequence = findTable(*this, oid);
      if (sequence != nullptr) catalog_.store().claim(*sequence, txn::LockMode::AccessShare, context);
      if (sequence == nullptr || findTable(*this, oid) == nullptr)
        throw SqlError(sqlstate::kUndefinedTable, fmt::format("relation with OID {} does not exist", oid));
    }
  }
}

bool CatalogTransaction::createSequence(const CreateSequenceStatement& statement, const DefinitionContext& context) {
  useSchema(statement.path.schema, context);
  if (!isTaken(statement.path)) lockName(statement.path, context);
  if (isTaken(statement.path)) {
    if (statement.if_not_exists) return false;
    throw SqlError(sqlstate::kDuplicateTable, fmt::format("relation \"{}\" already exists", statement.path.name));
  }
  if (statement.owner) claimOwner(*this, catalog_.store(), *statement.owner, context);
  const auto entry = makeSequence(statement.path, statement.definition, context);
  catalog_.store().record(nullptr, entry.get(), context);
  return true;
}

/// The sequence, and who comes to own it, are claimed.
void CatalogTransaction::changeSequence(const SequenceChange& change, const DefinitionContext& context) {
  const TablePtr& before = change.sequence;
  auto after = std::make_shared<TableEntry>(*before);
  after->name = change.path.name;
  auto sequence = std::make_shared<SequenceEntry>(*before->sequence);
  static_cast<SequenceDefinition&>(*sequence) = change.definition;
  if (!change.has_values) {
    after->sequence = std::move(sequence);
    redefine(before, std::move(after), context);
    return;
  }
  sequence->first = sequence->counter->state();
  sequence->first.log_count = 0;
  if (change.restarts)
    sequence->first = {.last_value = change.restart.value_or(sequence->start), .log_count = 0, .is_called = false};
  requireInside(sequence->range, sequence->first.last_value);
  after->sequence = std::move(sequence);
  Change& made = changes_.emplace_back();
  made.table.before = before;
  catalog_.store().createStorage(*after, before->storage->lock(), context.patience.cancel);
  made.table.after = after;
  catalog_.store().record(before.get(), after.get(), context);
  see({before, after});
}

void CatalogTransaction::alterSequence(const AlterSequenceStatement& statement, const DefinitionContext& context) {
  const SequenceChange& change = statement.change;
  claim({change.sequence}, context);
  if (statement.owner) claimOwner(*this, catalog_.store(), *statement.owner, context);
  if (change.path != change.sequence->path()) requireFree(change.path, context);
  changeSequence(change, context);
}

/// Those that the tables own begin anew.
void CatalogTransaction::restartSequences(const std::vector<TablePtr>& tables, const DefinitionContext& context) {
  for (const TablePtr& sequence : tables)
    changeSequence({.sequence = sequence,
                    .path = sequence->path(),
                    .definition = *sequence->sequence,
                    .has_values = true,
                    .restarts = true,
                    .restart = std::nullopt},
                   context);
}

std::vector<TablePtr> CatalogTransaction::sequencesOf(const std::vector<TablePtr>& tables) const {
  std::vector<TablePtr> result;
  for (const TablePtr& table : tables)
    for (TablePtr& sequence : ownedSequences(*this, table->oid)) result.push_back(std::move(sequence));
  return result;
}

/// Defaults of tables that stay, and name one of the sequences or call one of the routines.
std::vector<DependentDefault> CatalogTransaction::defaultsNeeding(const std::vector<TablePtr>& named,
                                                                  const std::vector<TablePtr>& dropped) const {
  std::vector<TablePtr> routines = named;
  std::erase_if(routines, [](const TablePtr& entry) { return entry->routine == nullptr; });
  std::vector<DependentDefault> result = dependentDefaults(*this, named);
  for (DependentDefault& each : defaultsCalling(*this, routines)) result.push_back(std::move(each));
  std::erase_if(result, [&](const DependentDefault& each) {
    return std::ranges::find(dropped, each.table->oid, [](const TablePtr& table) { return table->oid; }) !=
           dropped.end();
  });
  return result;
}

/// They are claimed.
void CatalogTransaction::removeSequences(const std::vector<TablePtr>& sequences, const DefinitionContext& context) {
  for (const TablePtr& sequence : sequences) {
    catalog_.store().record(sequence.get(), nullptr, context);
    changes_.push_back({.table = {sequence, nullptr}, .storage = {}});
    see(changes_.back().table);
  }
}

/// Of tables that are claimed.
void CatalogTransaction::removeDefaults(const std::vector<DependentDefault>& defaults,
                                        const DefinitionContext& context) {
  for (const DependentDefault& each : defaults) {
    const TablePtr table = findTable(*this, each.table->oid);
    auto after = std::make_shared<TableEntry>(*table);
    after->columns[each.column].default_text.clear();
    redefine(table, std::move(after), context);
  }
}

void CatalogTransaction::dropSequences(const DropSequenceStatement& statement, const DefinitionContext& context,
                                       std::vector<SqlError>* notices) {
  while (true) {
    std::vector<TablePtr> dropped;
    std::vector<SqlError> said;
    for (const ObjectPath& path : statement.names) {
      const FoundRelation found = findRelation(path);
      if (!found) {
        passOver(path, "sequence", statement.if_exists, &said);
        continue;
      }
      TablePtr sequence = found.stored();
      if (!sequence || !sequence->sequence)
        throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is not a sequence", path.name))
            .hint(dropHint(found));
      requireMayDrop(*this, *sequence);
      if (sequence->sequence->is_identity) {
        const TablePtr table = findTable(*this, sequence->sequence->owner);
        if (table != nullptr)
          raiseOfIdentity(*this, *sequence, *table, table->columns[sequence->sequence->owner_column].name);
      }
      if (std::ranges::find(dropped, sequence) == dropped.end()) dropped.push_back(std::move(sequence));
    }
    const Dependents dependents = dependentsOfDrop(dropped, statement.is_cascade);
    if (!dropWith(dependents, context, said)) continue;
    if (notices != nullptr) notices->insert(notices->end(), said.begin(), said.end());
    return;
  }
}

/// Where ALTER TABLE adds columns with sequences to a table that has rows, those get values before anything else
/// happens: its keys and checks may want them. Returns the table as it is then, or as it was.
TablePtr CatalogTransaction::addFilledColumns(const AlterTableStatement& statement, const TablePtr& before,
                                              const std::vector<Value>& values, Sequences& sequences,
                                              const DefinitionContext& context) {
  const size_t count = before->columns.size();
  const auto isNew = [count](const ColumnSequence& sequence) { return sequence.column >= count; };
  const bool has_rows = before->storage != nullptr && before->storage->readBound().value > 0;
  if (!has_rows || std::ranges::none_of(statement.added_sequences, isNew)) return before;
  if (!std::ranges::all_of(statement.added_sequences, isNew))
    throwNotSupported("ADD COLUMN with a sequence beside ADD GENERATED");
  auto begun = std::make_shared<TableEntry>(*before);
  begun->columns.insert(begun->columns.end(), statement.columns.begin() + static_cast<std::ptrdiff_t>(count),
                        statement.columns.end());
  for (size_t i = count; i < begun->columns.size(); ++i) begun->columns[i].not_null = false;
  storeChangedColumns(before->columns, begun->columns, values);
  if (sequences.empty())
    sequences = makeSequences(*begun, statement.added_sequences, context);
  else
    useSequences(*begun, statement.added_sequences, sequences);
  change(before, begun, nullptr, context);
  fillColumns(*begun, statement.added_sequences, sequences, context);
  return begun;
}

/// Existing rows of a table, which is claimed, get values from the sequences of its new columns.
}  // namespace gnomon::sql
