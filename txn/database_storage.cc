#include "txn/database_storage.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "base/logging.h"
#include "base/string_value.h"
#include "storage/recovery.h"
#include "storage/relation/schema_bytes.h"
#include "txn/write_statement.h"

namespace gnomon::txn {

using storage::Gsn;
using storage::PageId;
using storage::RelationState;
using storage::StoredKind;

namespace {

constexpr const char* kLogFolder = "wal";
/// Statistics of users' tables as of the last clean shutdown: relation id, RelationStatistics::serialise().
constexpr RelationId kStatisticsId{5};

const RelationSchema& statisticsSchema() {
  static const RelationSchema schema = {{StoredKind::Int32, false}, {StoredKind::String, false}};
  return schema;
}

/// A directory that is new holds no pages worth keeping, only what a failed creation reserved.
const std::filesystem::path& prepared(const storage::ControlFile& control) {
  if (control.isNew()) {
    storage::BufferManager::removeFiles(control.directory());
    std::filesystem::remove_all(control.directory() / kLogFolder);
  }
  return control.directory();
}

/// Frees the pages of a tree that nobody will use again; those that cannot be read now are lost until they are found.
template <typename Tree>
void destroyTree(RelationId id, Tree& tree) noexcept {
  try {
    tree.destroy();
  } catch (const std::exception& error) {
    spdlog::warn("pages that relation {} had are not free: {}", id.value, error.what());
  }
}

[[noreturn]] void raiseUndefined(RelationId id) {
  throw SqlError(sqlstate::kUndefinedTable, "relation with id " + std::to_string(id.value) + " does not exist");
}

}  // namespace

std::unique_ptr<DatabaseStorage> DatabaseStorage::open(const std::filesystem::path& directory,
                                                       const storage::BufferOptions& options, LogOptions log) {
  return std::unique_ptr<DatabaseStorage>(new DatabaseStorage(directory, options, std::move(log), false));
}

std::unique_ptr<DatabaseStorage> DatabaseStorage::openReadOnly(const std::filesystem::path& directory,
                                                               const storage::BufferOptions& options) {
  return std::unique_ptr<DatabaseStorage>(new DatabaseStorage(directory, options, {}, true));
}

DatabaseStorage::DatabaseStorage(const std::filesystem::path& directory, const storage::BufferOptions& options,
                                 LogOptions log, bool is_read_only)
    : control_(directory), buffers_(prepared(control_), options), next_relation_id_(kFirstUserRelationId) {
  buffers_.setHooks(&transactions_.versions().hooks());
  if (is_read_only) control_.requireClean();
  buffers_.registry().read();
  // What fails here leaves the directory as it was, or as new; recovery can be repeated.
  if (!is_read_only) recover(std::move(log));
  openEpochs(is_read_only);
  openRelations();
  openStatistics(is_read_only);
  if (!is_read_only && !control_.isNew()) control_.markRunning();
}

DatabaseStorage::~DatabaseStorage() = default;

void DatabaseStorage::recover(LogOptions log) {
  const bool has_crashed = !control_.isNew() && !control_.wasClean();
  if (has_crashed) logLine(LogLevel::Log, "database system was not properly shut down; automatic recovery in progress");
  storage::RecoveryProgress progress;
  progress.begin("analysis");
  const auto sayRead = [&](uint64_t read_bytes, uint64_t bytes_max) {
    if (!progress.isDue()) return;
    logLine(LogLevel::Log, "{}: {} of {} of log read", progress.lineBegin(), storage::megabytes(read_bytes),
            storage::megabytes(bytes_max));
  };
  const wal::LogScan scan(control_.directory() / kLogFolder, sayRead, buffers_.knownStable());
  // Before redo: what counts may be in the system's memory only, and pages must not come to the disk before it.
  wal_ = std::make_unique<wal::WriteAheadLog>(scan, std::move(log.wal));
  buffers_.log().attach(wal_.get());
  storage::Recovery recovery(buffers_, scan, log.redo_workers, progress);
  recovery.redo();
  recovery.undo();
  transactions_.setLog(&buffers_.log(), recovery.lastTransaction());
  checkpointer_ = std::make_unique<storage::Checkpointer>(
      buffers_, storage::CheckpointOptions{.log_bytes_max = log.log_bytes_max,
                                           .keep_states = [this] { keepStates(); },
                                           .log_bytes_found = recovery.hasRedone() ? scan.bytes() : 0,
                                           .released = scan.released()});
  // What was redone is written in its turn, as if it had just been done.
  if (!recovery.hasRedone()) checkpointer_->checkpoint();
  if (has_crashed) logLine(LogLevel::Log, "recovery done in {}", progress.durations());
}

void DatabaseStorage::finishCreation() {
  if (!control_.isNew()) return;
  checkpoint();
  control_.markRunning();
}

void DatabaseStorage::keepStates() {
  const std::scoped_lock guard(mutex_);
  for (const auto& [id, entry] : entries_)
    if (entry.table) buffers_.registry().keep(id, entry.table->relation().state());
}

/// Each epoch before the start is over.
void DatabaseStorage::openEpochs(bool is_read_only) {
  if (is_read_only) return transactions_.setEpochs(buffers_.registry().nextEpoch(), nullptr);
  transactions_.setEpochs(buffers_.registry().nextEpoch(),
                          [this](uint64_t end) { buffers_.registry().takeEpochs(buffers_, end); });
}

void DatabaseStorage::openRelations() {
  next_relation_id_ = std::max(next_relation_id_, buffers_.registry().nextRelationId());
  for (const auto& [id, relation] : buffers_.registry().relations()) {
    entries_[id].state = relation.state;
    entries_[id].schema = relation.schema;
  }
}

void DatabaseStorage::dropUnclaimed() {
  std::vector<RelationId> unclaimed;
  {
    const std::scoped_lock guard(mutex_);
    if (control_.wasClean()) return;
    for (const auto& [id, entry] : entries_)
      if (!entry.table && !entry.index) unclaimed.push_back(id);
    for (const RelationId id : unclaimed) entries_.erase(id);
  }
  const auto registered = buffers_.registry().relations();
  forget(unclaimed);
  for (const RelationId id : unclaimed) {
    const storage::RegisteredRelation& relation = registered.at(id);
    spdlog::info("recovery: relation {} belongs to nothing and is dropped", id.value);
    if (relation.kind == storage::TreeKind::Relation) {
      const RelationSchema schema = storage::parseSchema(relation.schema);
      storage::RelationTree tree(buffers_, id, schema, relation.state.root);
      destroyTree(id, tree);
    } else {
      storage::IndexTree tree(buffers_, id, relation.kind == storage::TreeKind::UniqueIndex, relation.state.root);
      destroyTree(id, tree);
    }
  }
}

/// The registry does not know them any more; where it does, because the log had no room, the next recovery drops them.
void DatabaseStorage::forget(const std::vector<RelationId>& ids) noexcept {
  try {
    buffers_.registry().dropRelations(buffers_, ids);
  } catch (const std::exception& error) {
    spdlog::warn("relation {} and others stay registered: {}", ids.front().value, error.what());
  }
}

storage::RegisteredRelation DatabaseStorage::registered(TableIndex& index) {
  storage::RegisteredRelation relation{
      .kind = index.tree().isUnique() ? storage::TreeKind::UniqueIndex : storage::TreeKind::Index,
      .state = {},
      .schema = {}};
  relation.state.root = index.tree().root();
  return relation;
}

/// Statistics can be had again: whatever is wrong with them is no reason not to start.
void DatabaseStorage::openStatistics(bool is_read_only) {
  Entry* entry = entries_.contains(kStatisticsId) ? &entries_[kStatisticsId] : nullptr;
  if (entry) {
    try {
      entry->table = std::make_shared<Table>(buffers_, transactions_, kStatisticsId, statisticsSchema(), entry->state,
                                             std::make_shared<ObjectLock>(kStatisticsId.value));
      // After a crash they are not those of the rows that there are.
      if (control_.wasClean()) readStatistics();
    } catch (const std::exception& error) {
      spdlog::warn("statistics of tables are begun anew: {}", error.what());
      stored_statistics_.clear();
      if (!is_read_only) entry = nullptr;
    }
  }
  if (!entry && !is_read_only) createWithId(kStatisticsId, statisticsSchema());
}

void DatabaseStorage::readStatistics() {
  Table& table = *entries_[kStatisticsId].table;
  storage::RowCursor cursor(table.relation(), table.readBound());
  while (cursor.next()) {
    const Datum datum = cursor.value(1);
    const StringValue bytes(datum.lo, datum.hi);
    const auto* first = reinterpret_cast<const std::byte*>(bytes.view().data());
    stored_statistics_[RelationId{static_cast<uint32_t>(cursor.value(0).lo)}].assign(first, first + bytes.length());
  }
}

/// Failure: nothing is kept, and the statistics of all tables begin anew at the next start.
void DatabaseStorage::writeStatistics() {
  storage::Relation& relation = entries_[kStatisticsId].table->relation();
  relation.truncate(TupleId{0});
  try {
    storage::RelationAppender appender(relation);
    for (const auto& [id, entry] : entries_) {
      if (id.value < kFirstUserRelationId || entry.index) continue;
      const std::vector<std::byte> bytes = entry.table ? entry.table->serialiseStatistics() : stored_statistics_[id];
      if (bytes.empty()) continue;
      const StringValue text = StringValue::refer({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                                                  StringValue::Storage::Temporary);
      const Datum row[] = {{id.value, 0}, {text.lo(), text.hi()}};
      const uint8_t null_flags[] = {0, 0};
      appender.append(row, null_flags);
    }
  } catch (const SqlError& error) {
    spdlog::warn("statistics of tables are not kept: {}", error.what());
    relation.truncate(TupleId{0});
  }
}

RelationState DatabaseStorage::stateOf(const Entry& entry) {
  if (entry.table) return entry.table->relation().state();
  if (!entry.index) return entry.state;
  RelationState state{};
  state.root = entry.index->tree().root();
  return state;
}

std::shared_ptr<Table> DatabaseStorage::createWithId(RelationId id, const RelationSchema& schema,
                                                     std::shared_ptr<ObjectLock> lock) {
  auto table = std::make_shared<Table>(buffers_, transactions_, id, schema, std::move(lock));
  try {
    buffers_.registry().setRelations(buffers_, {{id, table->relation().registered()}});
  } catch (...) {
    destroyTree(id, table->relation());
    throw;
  }
  entries_[id].table = table;
  return table;
}

std::shared_ptr<Table> DatabaseStorage::createTable(const RelationSchema& schema, std::shared_ptr<ObjectLock> lock) {
  const std::scoped_lock guard(mutex_);
  auto table = createWithId(RelationId{next_relation_id_}, schema, std::move(lock));
  ++next_relation_id_;
  return table;
}

std::shared_ptr<Table> DatabaseStorage::createSystemTable(RelationId id, const RelationSchema& schema) {
  CHECK(id.value != 0 && id.value < kFirstUserRelationId, "a system table's id");
  const std::scoped_lock guard(mutex_);
  CHECK(!entries_.contains(id), "a relation id is used once");
  return createWithId(id, schema);
}

std::shared_ptr<Table> DatabaseStorage::openTable(RelationId id, uint32_t lock_oid, std::shared_ptr<ObjectLock> lock) {
  const std::scoped_lock guard(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) raiseUndefined(id);
  Entry& entry = found->second;
  if (!entry.table) {
    if (!lock) lock = std::make_shared<ObjectLock>(lock_oid == 0 ? id.value : lock_oid);
    entry.table = std::make_shared<Table>(buffers_, transactions_, id, storage::parseSchema(entry.schema), entry.state,
                                          std::move(lock));
    const auto stored = stored_statistics_.extract(id);
    try {
      if (stored) entry.table->setStatistics(stored.mapped());
    } catch (const SqlError& error) {
      spdlog::warn("statistics of relation {} are begun anew: {}", id.value, error.what());
    }
  }
  return entry.table;
}

std::shared_ptr<TableIndex> DatabaseStorage::createIndex(Table& table, IndexDefinition definition,
                                                         const CancelToken& cancel) {
  RelationId id{0};
  {
    const std::scoped_lock guard(mutex_);
    id = RelationId{next_relation_id_++};
  }
  auto index = std::make_shared<TableIndex>(buffers_, id, std::move(definition));
  const Table::PauseCleaning paused(table);
  try {
    index->build(table.relation(), table.readBound(), cancel);
    index->setUsableFrom(transactions_.lastCommit());
    buffers_.registry().setRelations(buffers_, {{id, registered(*index)}});
    const std::scoped_lock guard(mutex_);
    entries_[id].index = index;
  } catch (...) {
    destroyTree(id, index->tree());
    throw;
  }
  table.addIndex(index);
  return index;
}

std::shared_ptr<TableIndex> DatabaseStorage::openIndex(Table& table, RelationId id, IndexDefinition definition) {
  const std::scoped_lock guard(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) raiseUndefined(id);
  found->second.index = std::make_shared<TableIndex>(buffers_, id, std::move(definition), found->second.state.root);
  table.addIndex(found->second.index);
  return found->second.index;
}

void DatabaseStorage::dropIndex(Table& table, const std::shared_ptr<TableIndex>& index) {
  {
    const Table::PauseCleaning paused(table);
    table.removeIndex(index->id());
  }
  {
    const std::scoped_lock guard(mutex_);
    entries_.erase(index->id());
  }
  forget({index->id()});
  index->markDropped();
  destroyTree(index->id(), index->tree());
}

std::map<RelationId, RelationState> DatabaseStorage::relations() const {
  const std::scoped_lock guard(mutex_);
  std::map<RelationId, RelationState> states;
  for (const auto& [id, entry] : entries_) states.emplace(id, entry.state);
  return states;
}

bool DatabaseStorage::exists(RelationId id) const {
  const std::scoped_lock guard(mutex_);
  return entries_.contains(id);
}

void DatabaseStorage::dropTable(const std::shared_ptr<Table>& table) {
  std::vector<RelationId> ids = {table->id()};
  for (const auto& index : table->indexes()) ids.push_back(index->id());
  {
    const std::scoped_lock guard(mutex_);
    entries_.erase(table->id());
    for (const auto& index : table->indexes()) entries_.erase(index->id());
  }
  table->forgetDeletions();
  forget(ids);
  for (const auto& index : table->indexes()) {
    index->markDropped();
    destroyTree(index->id(), index->tree());
  }
  destroyTree(table->id(), table->relation());
}

void DatabaseStorage::checkpointAndClose() {
  // Its thread asks for the numbers of all tables.
  collector_.reset();
  checkpointer_.reset();
  transactions_.collect();
  const std::scoped_lock guard(mutex_);
  for (const auto& [id, entry] : entries_)
    if (entry.table) entry.table->cleanUp();
  writeStatistics();
  for (const auto& [id, entry] : entries_) buffers_.registry().keep(id, stateOf(entry));
  wal_->flushAll();
  buffers_.writeAll();
  buffers_.registry().write(buffers_.registry().serialise());
  wal_->releaseBelow(Gsn{wal_->lastGsn().value + 1});
  control_.markClean();
}

void DatabaseStorage::check(storage::Findings& findings) {
  const std::scoped_lock guard(mutex_);
  for (const auto& [id, entry] : entries_) {
    if (entry.table)
      checkTable(*entry.table, findings);
    else if (!entry.index)
      findings.problems.push_back(fmt::format("relation {} is in no catalog, or the catalog cannot be read", id.value));
  }
  checkPages(findings.pages, findings);
}

void DatabaseStorage::checkTable(Table& table, storage::Findings& findings) {
  const size_t problems_before = findings.problems.size();
  table.relation().check(findings);
  const bool is_sound = findings.problems.size() == problems_before;
  for (const auto& index : table.indexes()) {
    if (is_sound)
      index->check(table.relation(), findings);
    else
      index->tree().check(findings);
  }
}

/// Where problems were found before, pages that no tree was seen to use say nothing new.
void DatabaseStorage::checkPages(std::vector<PageId> used, storage::Findings& findings) const {
  const bool is_complete = findings.problems.empty();
  const auto report = [&](PageId id, const char* what) {
    findings.problems.push_back(fmt::format("page {} of size class {} {}", id.number(), id.sizeClass().index, what));
  };
  std::ranges::sort(used);
  for (size_t i = 1; i < used.size(); ++i)
    if (used[i] == used[i - 1]) report(used[i], "is used twice");
  for (uint8_t index = 0; index < storage::kSizeClassCount; ++index) {
    const storage::SizeClass size_class{index};
    std::vector<uint64_t> free = buffers_.pageNumbers().freeNumbers(size_class);
    std::ranges::sort(free);
    const uint64_t next = buffers_.pageNumbers().nextNumber(size_class);
    for (uint64_t number = 1; number < next; ++number) {
      const PageId id(number, size_class);
      const bool is_free = std::ranges::binary_search(free, number);
      const bool is_used = std::ranges::binary_search(used, id);
      if (is_free && is_used) report(id, "is in a tree and free at the same time");
      if (!is_free && !is_used && is_complete) report(id, "is neither in a tree nor free");
    }
    if (!free.empty() && free.back() >= next) report(PageId(free.back(), size_class), "is free and was never used");
  }
  for (const PageId id : used)
    if (id.number() >= buffers_.pageNumbers().nextNumber(id.sizeClass())) report(id, "was never given out");
}

}  // namespace gnomon::txn
