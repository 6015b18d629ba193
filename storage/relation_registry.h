#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "storage/control_file.h"
#include "storage/page_record.h"

namespace gnomon::storage {

class BufferManager;
class ExclusiveGuard;

enum class TreeKind : uint8_t { Relation = 1, Index = 2, UniqueIndex = 3 };

/// A tree that was made and not yet destroyed.
struct RegisteredTree {
  RelationId relation;
  TreeKind kind = TreeKind::Relation;
};

/// A relation or index as a restart has to know it.
struct RegisteredRelation {
  TreeKind kind = TreeKind::Relation;
  RelationState state{};
  std::string schema;  ///< serialise(RelationSchema); empty: an index
};

/// What a record says of relations: the meaning of a kRelations record, one or several changes.
///
/// Layout: of each change a byte (Kind), then its fields, plain, without padding.
class RelationMeaning {
 public:
  enum class Kind : uint8_t {
    TreeCreated = 1,      ///< root, relation, tree kind
    TreeDestroyed = 2,    ///< root
    RelationSet = 3,      ///< relation, tree kind, root, next tuple id, bytes of the schema | schema
    RelationDropped = 4,  ///< relation
    EpochsTaken = 5       ///< bulk epoch: pages may have those below
  };
  RelationMeaning& treeCreated(PageId root, const RegisteredTree& tree);
  RelationMeaning& treeDestroyed(PageId root);
  RelationMeaning& relationSet(RelationId id, const RegisteredRelation& relation);
  RelationMeaning& relationDropped(RelationId id);
  RelationMeaning& epochsTaken(uint64_t end);
  [[nodiscard]] wal::Bytes view() const { return bytes_; }

 private:
  template <typename Plain>
  void put(Plain value);
  std::vector<std::byte> bytes_;
};

/// Which relations and trees there are: what recovery needs to know before any page can be understood.
///
/// Place on disk: file "gnomon.relations", replaced as a whole at each checkpoint: XXH3 of the rest, the next relation
/// id, the next bulk epoch, the relations, the trees. What log records say since is applied to it: each says how
/// something is now, so it does no harm when it is known already. Records of relations touch no page that would put
/// them in order. So the log is flushed before one says that a relation has a tree, and after each: what comes later
/// has a larger GSN, and is never there without it. Roots, schemas and trees are exact; the other numbers of a
/// relation's state are as of the last keep(). Threads: any, except read() and apply().
class RelationRegistry {
 public:
  static std::filesystem::path filePath(const std::filesystem::path& directory);
  explicit RelationRegistry(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// A tree of one page, which nobody else sees yet: its root's image and its existence are one record. Failure: 53100.
  void createTree(BufferManager& buffers, const ExclusiveGuard& root, const RegisteredTree& tree);
  /// What a tree's last record says.
  void forgetTree(PageId root);

  using Relations = std::map<RelationId, RegisteredRelation>;
  /// Relations are new, or have other roots or schemas, all at once. Failure: 53100, nothing has changed.
  void setRelations(BufferManager& buffers, const Relations& relations);
  /// The same of one that is known; of another nothing is said.
  void changeRelation(BufferManager& buffers, RelationId id, const RegisteredRelation& relation);
  /// Failure: 53100, nothing has changed.
  void dropRelations(BufferManager& buffers, std::span<const RelationId> ids);
  /// Pages may have reference epochs below this.
  [[nodiscard]] uint64_t nextEpoch() const;
  /// From now on those below `end`, also after a crash. Failure: 53100, nothing has changed.
  void takeEpochs(BufferManager& buffers, uint64_t end);
  /// For the next write(): numbers that are not logged when they change.
  void keep(RelationId id, const RelationState& state);

  [[nodiscard]] Relations relations() const;
  [[nodiscard]] std::map<PageId, RegisteredTree> trees() const;
  /// Ids of relations are below.
  [[nodiscard]] uint32_t nextRelationId() const;

  /// After a crash: what is counted of relations is not exact.
  void markEstimates();
  /// What write() is to write.
  [[nodiscard]] std::string serialise() const;
  /// Failure: 53100, 58030; the old file stands.
  void write(const std::string& bytes) const;
  /// False: there is no file. Failure: 58030, XX001.
  bool read();
  /// Takes over what a record says. Failure: XX001.
  void apply(const wal::LogRecord& record);

 private:
  void applyMeaning(RecordReader reader);
  void applyRows(const wal::LogRecord& record);
  void noteId(RelationId id);

  const std::filesystem::path directory_;
  mutable std::mutex mutex_;
  Relations relations_;
  std::map<PageId, RegisteredTree> trees_;
  uint32_t next_relation_id_ = 0;
  uint64_t next_epoch_ = 1;
};

}  // namespace gnomon::storage
