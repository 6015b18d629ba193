#include "sql/catalog/database_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/sql_error.h"
#include "sql/bind/check_definition.h"
#include "sql/bind/index_definition.h"
#include "sql/bind/sequence_reference.h"
#include "sql/bind/stored_reference.h"
#include "sql/catalog/loaded_entries.h"
#include "sql/catalog/stored_body.h"
#include "sql/catalog/stored_schema.h"
#include "sql/catalog/user_types.h"
#include "storage/relation/scan.h"
#include "txn/sequence.h"
#include "txn/table.h"
#include "txn/write_statement.h"

namespace gnomon::sql {
namespace {

bool hasRows(const TableEntry& entry) {
  return !entry.sequence && !entry.view && !entry.type && !entry.routine;
}

/// Their bytes name types by oids.
bool hasRecords(const TableEntry& entry) {
  return std::ranges::any_of(entry.columns, [](const ColumnEntry& column) {
    return !column.isDropped() && elementOf(column.type.kind) == TypeKind::Record;
  });
}

void requireCopyable(const TableEntry& entry) {
  if (entry.partitioning || entry.partition) throwNotSupported("copying a template database with partitioned tables");
  if (hasRows(entry) && hasRecords(entry))
    throwNotSupported("copying a template database with tables that have rows as values");
}

}  // namespace

uint32_t DatabaseCopy::oidOf(uint32_t before) const {
  const auto found = oids_.find(before);
  return found == oids_.end() ? before : found->second;
}

uint32_t DatabaseCopy::domainOf(uint32_t before) const {
  return oidOf(domainOid(before)) | (before & kArrayTypeBit);
}

Type DatabaseCopy::typeOf(Type type) const {
  if (type.isDefined() && type.definition() != 0) type.typmod = static_cast<int32_t>(oidOf(type.definition()));
  return type;
}

/// Sequences, routines and types stand there as their oids.
std::string DatabaseCopy::textOf(const std::string& text) const {
  return withSequences(withOwnObjects(text), [this](const std::string& written) {
    uint32_t oid = 0;
    const char* const end = written.data() + written.size();
    const auto [stop, error] = std::from_chars(written.data(), end, oid);
    return error == std::errc() && stop == end ? std::to_string(oidOf(oid)) : written;
  });
}

std::string DatabaseCopy::withOwnObjects(std::string_view text) const {
  return withObjects(text, [this](uint32_t oid, const std::string& name) { return namedByOid(oidOf(oid), name); });
}

/// Of a view, or the statements of a body.
std::string DatabaseCopy::queryOf(const std::string& stored) const {
  StoredReferences references(stored);
  references.renumber([this](uint32_t oid) { return oidOf(oid); });
  return references.with(withOwnObjects(references.sql()));
}

void DatabaseCopy::createStorage(const TablePtr& before) {
  auto after = std::make_shared<TableEntry>(*before);
  after->oid = 0;
  after->database = to_.catalog_.databaseOid();
  after->indexes.clear();
  after->storage.reset();
  storeNewColumns(after->columns);
  if (before->sequence) {
    auto sequence = std::make_shared<SequenceEntry>(*before->sequence);
    sequence->first = before->sequence->counter->state();
    sequence->counter.reset();
    after->sequence = std::move(sequence);
  }
  to_.changes_.emplace_back();
  to_.catalog_.store().createStorage(*after, nullptr, context_.patience.cancel);
  to_.changes_.back().table.after = after;
  oids_[before->oid] = after->oid;
  made_[after->oid] = after;
  pairs_.push_back({before, std::move(after), to_.changes_.size() - 1});
}

/// All that has no rows to be looked at.
void DatabaseCopy::refer(const Pair& pair) {
  TableEntry& entry = *pair.after;
  for (ColumnEntry& column : entry.columns) {
    column.type = typeOf(column.type);
    column.domain = domainOf(column.domain);
    column.default_text = textOf(column.default_text);
  }
  for (CheckEntry& check : entry.checks) check.expression = textOf(check.expression);
  if (entry.sequence) {
    auto sequence = std::make_shared<SequenceEntry>(*entry.sequence);
    sequence->owner = oidOf(sequence->owner);
    entry.sequence = std::move(sequence);
  }
  for (std::shared_ptr<const ViewEntry>* view : {&entry.view, &entry.materialized}) {
    if (!*view) continue;
    auto now = std::make_shared<ViewEntry>(**view);
    for (ViewEntry::Use& use : now->uses) use.table = oidOf(use.table);
    now->query = queryOf((*view)->query);
    *view = std::move(now);
  }
  if (entry.type) {
    auto type = std::make_shared<TypeEntry>(*entry.type);
    for (TypeEntry::Label& label : type->labels) label.oid = to_.catalog_.newOid();
    type->base_domain = domainOf(type->base_domain);
    entry.type = std::move(type);
  }
  // Those of partitions: such a database is not copied.
  for (TriggerEntry& trigger : entry.triggers) {
    trigger.oid = to_.catalog_.newOid();
    trigger.function = oidOf(trigger.function);
    trigger.referenced = oidOf(trigger.referenced);
    if (trigger.constraint != 0) trigger.constraint = to_.catalog_.newOid();
    trigger.condition = textOf(trigger.condition);
  }
  if (entry.routine) {
    auto routine = std::make_shared<RoutineEntry>(*entry.routine);
    for (RoutineEntry::Parameter& parameter : routine->parameters) {
      parameter.type = typeOf(parameter.type);
      parameter.domain = domainOf(parameter.domain);
      parameter.default_text = textOf(parameter.default_text);
    }
    routine->result = typeOf(routine->result);
    routine->result_domain = domainOf(routine->result_domain);
    if (StoredBody::isOne(*routine)) {
      StoredBody body = StoredBody::of(*routine);
      for (ViewEntry::Use& use : body.uses) use.table = oidOf(use.table);
      body.statements = queryOf(body.statements);
      routine->body = body.text();
    }
    entry.name = routineKey(*routine);
    entry.routine = std::move(routine);
  }
}

void DatabaseCopy::referFromKeys(const Pair& pair) {
  for (ForeignKeyEntry& key : pair.after->foreign_keys) {
    key.parent = oidOf(key.parent);
    key.parent_index = oidOf(key.parent_index);
  }
  for (ReferringKey& key : pair.after->referring_keys) key.table = oidOf(key.table);
}

void DatabaseCopy::copyRows(const Pair& pair) {
  if (!hasRows(*pair.after)) return;
  const auto latest = context_.manager.takeSnapshot();
  const txn::WriteContext write = context_.writeContext(latest.snapshot());
  txn::WriteStatement rows(*pair.after->storage, write);
  txn::Table& table = *pair.before->storage;
  const std::vector<ColumnEntry>& columns = pair.after->columns;
  std::vector<storage::Datum> values(columns.size());
  std::vector<uint8_t> nulls(columns.size());
  storage::RowCursor row(table.relation(), table.readBound());
  for (uint64_t count = 0; row.next(); ++count) {
    if (count % 1024 == 0) context_.patience.cancel.poll();
    for (uint32_t i = 0; i < columns.size(); ++i) {
      nulls[i] = columns[i].isDropped() || row.isNull(i) ? 1 : 0;
      values[i] = nulls[i] != 0 ? storage::Datum{} : row.value(i);
    }
    rows.append(values.data(), nulls.data());
  }
  rows.finish();
}

void DatabaseCopy::createIndexes(const Pair& pair) {
  TableEntry& entry = *pair.after;
  const LoadedEntries types(made_, entry.database);
  const UserTypeScope type_scope(types);
  entry.check_expressions = bindCheckExpressions(entry);
  if (pair.before->indexes.empty()) return;
  TableEntry indexed = entry;
  for (const IndexPtr& before : pair.before->indexes) {
    auto index = std::make_shared<IndexEntry>(*before);
    index->predicate = textOf(index->predicate);
    for (IndexColumn& part : index->columns) part.expression = textOf(part.expression);
    index->oid = 0;
    index->storage.reset();
    index->expressions = bindIndexExpressions(entry.columns, *index, LoadedCatalog(made_, entry.database));
    indexed.indexes.push_back(std::move(index));
  }
  to_.catalog_.store().alterStorage(entry, indexed, nullptr, to_.changes_[pair.change].storage,
                                    context_.patience.cancel);
  entry.indexes = indexed.indexes;
  for (size_t i = 0; i < entry.indexes.size(); ++i) oids_[pair.before->indexes[i]->oid] = entry.indexes[i]->oid;
}

void DatabaseCopy::make() {
  std::vector<TablePtr> entries = from_.entries();
  std::erase_if(entries, [](const TablePtr& entry) { return entry->is_temporary; });
  for (const TablePtr& entry : entries) requireCopyable(*entry);
  // As they were made.
  std::ranges::sort(entries, {}, &TableEntry::oid);
  for (const TablePtr& entry : entries) createStorage(entry);
  for (const Pair& pair : pairs_) refer(pair);
  for (const Pair& pair : pairs_) copyRows(pair);
  for (const Pair& pair : pairs_) createIndexes(pair);
  for (const Pair& pair : pairs_) {
    referFromKeys(pair);
    to_.catalog_.store().record(nullptr, pair.after.get(), context_);
    to_.see(to_.changes_[pair.change].table);
  }
}

}  // namespace gnomon::sql
