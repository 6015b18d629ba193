#include "txn/database_storage.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "base/string_value.h"
#include "txn/write_statement.h"

namespace gnomon::txn {

using storage::PageId;
using storage::RelationState;
using storage::StoredKind;

namespace {

constexpr RelationId kRegistryId{0};
/// Statistics of users' tables as of the last clean shutdown: relation id, RelationStatistics::serialise().
constexpr RelationId kStatisticsId{5};

const RelationSchema& statisticsSchema() {
  static const RelationSchema schema = {{StoredKind::Int32, false}, {StoredKind::String, false}};
  return schema;
}

/// The registry of relations has one row for each but itself: relation id, and the fields of its RelationState.
const RelationSchema& registrySchema() {
  static const RelationSchema schema = {
      {StoredKind::Int32, false}, {StoredKind::Int64, false}, {StoredKind::Int64, false}, {StoredKind::Int64, false},
      {StoredKind::Int64, false}, {StoredKind::Int64, false}, {StoredKind::Int64, false}};
  return schema;
}

/// A directory that is new holds no pages worth keeping, only what a failed creation reserved.
const std::filesystem::path& prepared(const storage::ControlFile& control) {
  if (control.isNew()) storage::BufferManager::removeFiles(control.directory());
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
                                                       const storage::BufferOptions& options) {
  return std::unique_ptr<DatabaseStorage>(new DatabaseStorage(directory, options, false));
}

std::unique_ptr<DatabaseStorage> DatabaseStorage::openReadOnly(const std::filesystem::path& directory,
                                                               const storage::BufferOptions& options) {
  return std::unique_ptr<DatabaseStorage>(new DatabaseStorage(directory, options, true));
}

DatabaseStorage::DatabaseStorage(const std::filesystem::path& directory, const storage::BufferOptions& options,
                                 bool is_read_only)
    : control_(directory), buffers_(prepared(control_), options), next_relation_id_(kFirstUserRelationId) {
  buffers_.setHooks(&transactions_.versions().hooks());
  // What fails here leaves the directory as clean, or as new, as it was.
  if (control_.isNew()) {
    registry_ = std::make_shared<Table>(buffers_, transactions_, kRegistryId, registrySchema());
  } else {
    next_relation_id_ = control_.data().next_relation_id;
    registry_ =
        std::make_shared<Table>(buffers_, transactions_, kRegistryId, registrySchema(), control_.data().registry);
    readRegistry();
  }
  openStatistics(is_read_only);
  if (!is_read_only) control_.markRunning();
}

DatabaseStorage::~DatabaseStorage() = default;

void DatabaseStorage::readRegistry() {
  storage::RowCursor cursor(registry_->relation(), registry_->readBound());
  while (cursor.next()) {
    const RelationId id{static_cast<uint32_t>(cursor.value(0).lo)};
    entries_[id].state = RelationState{.root = PageId::fromPacked(cursor.value(1).lo),
                                       .next_tuple_id = cursor.value(2).lo,
                                       .tuple_count = cursor.value(3).lo,
                                       .deleted_count = cursor.value(4).lo,
                                       .leaf_count = cursor.value(5).lo,
                                       .variable_bytes = cursor.value(6).lo,
                                       .spare = {}};
  }
}

/// Statistics can be had again: whatever is wrong with them is no reason not to start.
void DatabaseStorage::openStatistics(bool is_read_only) {
  Entry* entry = entries_.contains(kStatisticsId) ? &entries_[kStatisticsId] : nullptr;
  if (entry) {
    try {
      entry->table = std::make_shared<Table>(buffers_, transactions_, kStatisticsId, statisticsSchema(), entry->state);
      readStatistics();
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

void DatabaseStorage::writeRegistry() {
  registry_->relation().truncate(TupleId{0});
  storage::RelationAppender appender(registry_->relation());
  const std::vector<uint8_t> null_flags(registrySchema().size(), 0);
  for (const auto& [id, entry] : entries_) {
    const RelationState state = stateOf(entry);
    const Datum row[] = {{id.value, 0},
                         {state.root.value, 0},
                         {state.next_tuple_id, 0},
                         {state.tuple_count, 0},
                         {state.deleted_count, 0},
                         {state.leaf_count, 0},
                         {state.variable_bytes, 0}};
    appender.append(row, null_flags.data());
  }
}

std::shared_ptr<Table> DatabaseStorage::createWithId(RelationId id, const RelationSchema& schema) {
  auto table = std::make_shared<Table>(buffers_, transactions_, id, schema);
  entries_[id].table = table;
  return table;
}

std::shared_ptr<Table> DatabaseStorage::createTable(const RelationSchema& schema) {
  const std::scoped_lock guard(mutex_);
  auto table = createWithId(RelationId{next_relation_id_}, schema);
  ++next_relation_id_;
  return table;
}

std::shared_ptr<Table> DatabaseStorage::createSystemTable(RelationId id, const RelationSchema& schema) {
  CHECK(id.value != kRegistryId.value && id.value < kFirstUserRelationId, "a system table's id");
  const std::scoped_lock guard(mutex_);
  CHECK(!entries_.contains(id), "a relation id is used once");
  return createWithId(id, schema);
}

std::shared_ptr<Table> DatabaseStorage::openTable(RelationId id, const RelationSchema& schema) {
  const std::scoped_lock guard(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) raiseUndefined(id);
  Entry& entry = found->second;
  if (!entry.table) {
    entry.table = std::make_shared<Table>(buffers_, transactions_, id, schema, entry.state);
    const auto stored = stored_statistics_.extract(id);
    try {
      if (stored) entry.table->setStatistics(stored.mapped());
    } catch (const SqlError& error) {
      spdlog::warn("statistics of relation {} are begun anew: {}", id.value, error.what());
    }
  }
  CHECK(entry.table->schema().version() == schema.version(), "a table has one schema");
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
  try {
    index->build(table.relation(), table.readBound(), cancel);
    index->setUsableFrom(transactions_.lastCommit());
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
  table.removeIndex(index->id());
  {
    const std::scoped_lock guard(mutex_);
    entries_.erase(index->id());
  }
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
  {
    const std::scoped_lock guard(mutex_);
    entries_.erase(table->id());
    for (const auto& index : table->indexes()) entries_.erase(index->id());
  }
  table->lock()->markDropped();
  table->forgetDeletions();
  for (const auto& index : table->indexes()) destroyTree(index->id(), index->tree());
  destroyTree(table->id(), table->relation());
}

void DatabaseStorage::clearTables(const std::vector<std::shared_ptr<Table>>& tables) {
  struct Emptied {
    std::unique_ptr<storage::RelationTree> tree;
    std::vector<std::unique_ptr<storage::IndexTree>> indexes;
  };
  std::vector<Emptied> trees(tables.size());
  const auto destroyTrees = [&] {
    for (size_t i = 0; i < tables.size(); ++i) {
      if (trees[i].tree) destroyTree(tables[i]->id(), *trees[i].tree);
      for (const auto& index : trees[i].indexes) destroyTree(tables[i]->id(), *index);
    }
  };
  try {
    for (size_t i = 0; i < tables.size(); ++i) {
      trees[i].tree = tables[i]->relation().makeEmptyTree();
      for (const auto& index : tables[i]->indexes()) trees[i].indexes.push_back(index->makeEmptyTree(buffers_));
    }
  } catch (...) {
    destroyTrees();
    throw;
  }
  for (size_t i = 0; i < tables.size(); ++i) {
    trees[i].tree = tables[i]->replaceTree(std::move(trees[i].tree));
    for (size_t index = 0; index < trees[i].indexes.size(); ++index)
      trees[i].indexes[index] = tables[i]->indexes()[index]->replaceTree(std::move(trees[i].indexes[index]));
  }
  destroyTrees();
}

void DatabaseStorage::checkpointAndClose() {
  transactions_.collect();
  const std::scoped_lock guard(mutex_);
  for (const auto& [id, entry] : entries_)
    if (entry.table) entry.table->cleanUp();
  writeStatistics();
  writeRegistry();
  buffers_.writeAll();
  control_.markClean(registry_->relation().state(), RelationId{next_relation_id_});
}

void DatabaseStorage::check(storage::Findings& findings) {
  const std::scoped_lock guard(mutex_);
  registry_->relation().check(findings);
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
