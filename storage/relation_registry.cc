#include "storage/relation_registry.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <system_error>

#include "base/atomic_file.h"
#include "base/failpoint.h"
#include "base/sql_error.h"
#include "storage/page_change.h"
#include "storage/row_record.h"

namespace gnomon::storage {

namespace {

constexpr const char* kFileName = "gnomon.relations";

template <typename Plain>
void append(std::string& bytes, const Plain& value) {
  static_assert(std::is_trivially_copyable_v<Plain>);
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

}  // namespace

template <typename Plain>
void RelationMeaning::put(Plain value) {
  static_assert(std::is_trivially_copyable_v<Plain>);
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  bytes_.insert(bytes_.end(), first, first + sizeof(value));
}

RelationMeaning& RelationMeaning::treeCreated(PageId root, const RegisteredTree& tree) {
  put(Kind::TreeCreated);
  put(root);
  put(tree.relation);
  put(tree.kind);
  return *this;
}

RelationMeaning& RelationMeaning::treeDestroyed(PageId root) {
  put(Kind::TreeDestroyed);
  put(root);
  return *this;
}

RelationMeaning& RelationMeaning::relationSet(RelationId id, const RegisteredRelation& relation) {
  put(Kind::RelationSet);
  put(id);
  put(relation.kind);
  put(relation.state.root);
  put(relation.state.next_tuple_id);
  put(static_cast<uint32_t>(relation.schema.size()));
  const auto* first = reinterpret_cast<const std::byte*>(relation.schema.data());
  bytes_.insert(bytes_.end(), first, first + relation.schema.size());
  return *this;
}

RelationMeaning& RelationMeaning::relationDropped(RelationId id) {
  put(Kind::RelationDropped);
  put(id);
  return *this;
}

RelationMeaning& RelationMeaning::epochsTaken(uint64_t end) {
  put(Kind::EpochsTaken);
  put(end);
  return *this;
}

std::filesystem::path RelationRegistry::filePath(const std::filesystem::path& directory) {
  return directory / kFileName;
}

void RelationRegistry::createTree(BufferManager& buffers, const ExclusiveGuard& root, const RegisteredTree& tree) {
  const PageId id = root.frame().page_id.load();
  PageChange change(buffers, tree.relation, record_types::kRelations);
  change.prepare(PageChange::imageBytes(1));
  change.mean(RelationMeaning().treeCreated(id, tree).view());
  change.image(root.frame());
  change.then([&] {
    const std::scoped_lock lock(mutex_);
    trees_[id] = tree;
  });
  change.finish();
}

void RelationRegistry::forgetTree(PageId root) {
  const std::scoped_lock lock(mutex_);
  trees_.erase(root);
}

void RelationRegistry::setRelations(BufferManager& buffers, const Relations& relations) {
  buffers.log().flush();
  RelationMeaning meaning;
  for (const auto& [id, relation] : relations) meaning.relationSet(id, relation);
  PageChange change(buffers, relations.begin()->first, record_types::kRelations);
  change.prepare(meaning.view().size());
  change.mean(meaning.view());
  change.then([&] {
    const std::scoped_lock lock(mutex_);
    for (const auto& [id, relation] : relations) {
      relations_[id] = relation;
      noteId(id);
    }
  });
  change.finish();
  buffers.log().flush();
  FAILPOINT("relations.set");
}

void RelationRegistry::changeRelation(BufferManager& buffers, RelationId id, const RegisteredRelation& relation) {
  {
    const std::scoped_lock lock(mutex_);
    if (!relations_.contains(id)) return;
  }
  setRelations(buffers, {{id, relation}});
}

void RelationRegistry::dropRelations(BufferManager& buffers, std::span<const RelationId> ids) {
  if (ids.empty()) return;
  RelationMeaning meaning;
  for (const RelationId id : ids) meaning.relationDropped(id);
  PageChange change(buffers, ids.front(), record_types::kRelations);
  change.prepare(meaning.view().size());
  change.mean(meaning.view());
  change.then([&] {
    const std::scoped_lock lock(mutex_);
    for (const RelationId id : ids) relations_.erase(id);
  });
  change.finish();
  buffers.log().flush();
  FAILPOINT("relations.dropped");
}

uint64_t RelationRegistry::nextEpoch() const {
  const std::scoped_lock lock(mutex_);
  return next_epoch_;
}

void RelationRegistry::takeEpochs(BufferManager& buffers, uint64_t end) {
  RelationMeaning meaning;
  meaning.epochsTaken(end);
  PageChange change(buffers, RelationId{0}, record_types::kRelations);
  change.prepare(meaning.view().size());
  change.mean(meaning.view());
  change.then([&] {
    const std::scoped_lock lock(mutex_);
    next_epoch_ = std::max(next_epoch_, end);
  });
  change.finish();
  buffers.log().flush();
}

void RelationRegistry::markEstimates() {
  const std::scoped_lock lock(mutex_);
  for (auto& [id, relation] : relations_) relation.state.is_estimate = 1;
}

void RelationRegistry::keep(RelationId id, const RelationState& state) {
  const std::scoped_lock lock(mutex_);
  const auto found = relations_.find(id);
  // A relation that is just being given another tree has its new root here first.
  if (found != relations_.end() && found->second.state.root == state.root) found->second.state = state;
}

RelationRegistry::Relations RelationRegistry::relations() const {
  const std::scoped_lock lock(mutex_);
  return relations_;
}

std::map<PageId, RegisteredTree> RelationRegistry::trees() const {
  const std::scoped_lock lock(mutex_);
  return trees_;
}

uint32_t RelationRegistry::nextRelationId() const {
  const std::scoped_lock lock(mutex_);
  return next_relation_id_;
}

void RelationRegistry::noteId(RelationId id) {
  next_relation_id_ = std::max(next_relation_id_, id.value + 1);
}

// On disk.

std::string RelationRegistry::serialise() const {
  std::string bytes(sizeof(uint64_t), '\0');
  {
    const std::scoped_lock lock(mutex_);
    append(bytes, next_relation_id_);
    append(bytes, next_epoch_);
    append(bytes, static_cast<uint32_t>(relations_.size()));
    for (const auto& [id, relation] : relations_) {
      append(bytes, id);
      append(bytes, relation.kind);
      append(bytes, relation.state);
      append(bytes, static_cast<uint32_t>(relation.schema.size()));
      bytes += relation.schema;
    }
    append(bytes, static_cast<uint32_t>(trees_.size()));
    for (const auto& [root, tree] : trees_) {
      append(bytes, root);
      append(bytes, tree.relation);
      append(bytes, tree.kind);
    }
  }
  const uint64_t checksum = XXH3_64bits(bytes.data() + sizeof(uint64_t), bytes.size() - sizeof(uint64_t));
  std::memcpy(bytes.data(), &checksum, sizeof(checksum));
  return bytes;
}

void RelationRegistry::write(const std::string& bytes) const {
  try {
    replaceFile(directory_, kFileName, bytes);
  } catch (const std::system_error& error) {
    const bool is_full = error.code() == std::errc::no_space_on_device;
    throw SqlError(is_full ? sqlstate::kDiskFull : sqlstate::kIoError, error.what());
  }
}

bool RelationRegistry::read() {
  std::optional<std::string> contents;
  try {
    contents = readFile(filePath(directory_));
  } catch (const std::system_error& error) {
    throw SqlError(sqlstate::kIoError, error.what());
  }
  if (!contents) return false;
  const std::scoped_lock lock(mutex_);
  RecordReader reader(std::as_bytes(std::span(contents->data(), contents->size())));
  const auto checksum = reader.plain<uint64_t>();
  const bool is_whole =
      contents->size() >= sizeof(checksum) &&
      checksum == XXH3_64bits(contents->data() + sizeof(checksum), contents->size() - sizeof(checksum));
  next_relation_id_ = reader.plain<uint32_t>();
  next_epoch_ = reader.plain<uint64_t>();
  for (auto count = reader.plain<uint32_t>(); is_whole && count > 0 && reader.isSound(); --count) {
    const auto id = reader.plain<RelationId>();
    RegisteredRelation& relation = relations_[id];
    relation.kind = reader.plain<TreeKind>();
    relation.state = reader.plain<RelationState>();
    relation.schema = reader.text(reader.plain<uint32_t>());
  }
  for (auto count = reader.plain<uint32_t>(); is_whole && count > 0 && reader.isSound(); --count) {
    const auto root = reader.plain<PageId>();
    const auto relation = reader.plain<RelationId>();
    trees_[root] = {relation, reader.plain<TreeKind>()};
  }
  if (!is_whole || !reader.isSound())
    throw SqlError(sqlstate::kDataCorrupted, fmt::format("file \"{}\" is damaged", filePath(directory_).string()));
  return true;
}

// From the log.

void RelationRegistry::apply(const wal::LogRecord& record) {
  if (record.type == record_types::kRelations)
    applyMeaning(RecordReader(PageRecord(record.body).meaning()));
  else
    applyRows(record);
}

void RelationRegistry::applyMeaning(RecordReader reader) {
  while (!reader.isAtEnd()) {
    switch (reader.plain<RelationMeaning::Kind>()) {
      case RelationMeaning::Kind::TreeCreated: {
        const auto root = reader.plain<PageId>();
        const auto relation = reader.plain<RelationId>();
        trees_[root] = {relation, reader.plain<TreeKind>()};
        break;
      }
      case RelationMeaning::Kind::TreeDestroyed:
        trees_.erase(reader.plain<PageId>());
        break;
      case RelationMeaning::Kind::RelationSet: {
        const auto id = reader.plain<RelationId>();
        RegisteredRelation& relation = relations_[id];
        relation.kind = reader.plain<TreeKind>();
        const auto root = reader.plain<PageId>();
        const auto next_tuple_id = reader.plain<uint64_t>();
        if (relation.state.root != root) {
          relation.state = RelationState{};
          relation.state.leaf_count = 1;
        }
        relation.state.root = root;
        relation.state.next_tuple_id = next_tuple_id;
        relation.schema = reader.text(reader.plain<uint32_t>());
        noteId(id);
        break;
      }
      case RelationMeaning::Kind::RelationDropped:
        relations_.erase(reader.plain<RelationId>());
        break;
      case RelationMeaning::Kind::EpochsTaken:
        next_epoch_ = std::max(next_epoch_, reader.plain<uint64_t>());
        break;
      default:
        throw SqlError(sqlstate::kDataCorrupted, "a log record says something unknown of relations");
    }
  }
  if (!reader.isSound()) throw SqlError(sqlstate::kDataCorrupted, "a log record's meaning is damaged");
}

/// Counts are as of the last keep(), which may have seen these rows: estimates.
void RelationRegistry::applyRows(const wal::LogRecord& record) {
  const bool is_deletion = record.type == record_types::kRowsDeleted;
  if (record.type != record_types::kRowsAppended && !is_deletion) return;
  const auto found = relations_.find(RelationId{record.relation});
  if (found == relations_.end()) return;
  const RowRange rows = RowRange::read(PageRecord(record.body).meaning());
  RelationState& state = found->second.state;
  const uint64_t end = rows.first.value + rows.count;
  if (is_deletion) {
    state.deleted_count = std::min(state.deleted_count + rows.count, state.tuple_count);
  } else if (end > state.next_tuple_id) {
    state.tuple_count += rows.count;
    state.next_tuple_id = end;
  }
}

}  // namespace gnomon::storage
