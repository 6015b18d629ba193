#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "base/epoch.h"
#include "storage/buffer_manager.h"
#include "txn/version.h"

namespace gnomon::txn {

/// The version maps of all pages: those of pages in memory hang from their frames, others wait here.
///
/// Source: paper 1, sections 3.1.1 and 3.1.2. Threads: any.
class VersionStore {
 public:
  explicit VersionStore(EpochManager& epochs);
  VersionStore(const VersionStore&) = delete;
  VersionStore& operator=(const VersionStore&) = delete;

  /// What the buffer manager calls; lives as long as this object.
  [[nodiscard]] const storage::PageHooks& hooks() const { return hooks_; }
  /// The map of a page that is held exclusively; made when there is none. Chains without versions are taken out once
  /// they are many.
  VersionMap& mapOf(storage::Frame& frame);

  [[nodiscard]] size_t orphanCount() const;
  [[nodiscard]] size_t mapCount() const;

 private:
  void orphan(storage::PageId id, VersionMap* map);
  VersionMap* adopt(storage::PageId id);
  void discard(VersionMap* map);
  /// True: the map is gone.
  bool prune(VersionMap* map);
  void retire(VersionMap* map);
  /// Some of the orphans, in turn.
  void pruneOrphans();

  EpochManager& epochs_;
  storage::PageHooks hooks_;
  mutable std::mutex mutex_;
  std::unordered_map<uint64_t, VersionMap*> orphans_;  ///< by page id
  size_t next_bucket_ = 0;                             ///< of orphans_, to be pruned
  std::unordered_map<VersionMap*, std::unique_ptr<VersionMap>> maps_;
};

}  // namespace gnomon::txn
