#pragma once

#include <mutex>
#include <vector>

#include "storage/relation/relation.h"

namespace gnomon::storage {

/// Hands out the leaves of a relation, each to one worker, in ascending order of tuple ids.
///
/// A worker claims several leaves at a time, and those that are not in memory are read in one batch.
/// Source: paper 2, section 3.3 (morsels). Sees the tuples with ids below `bound` and nothing else, also while others
/// append. Threads: next() from any number of threads at once, each with a Claim and a LeafView of its own.
class RelationScan {
 public:
  /// `columns`: those whose values will be looked at, if that is known; the first of them in each leaf are fetched into
  /// the processor's caches while the leaf before it is looked at.
  RelationScan(Relation& relation, TupleId bound, std::vector<uint32_t> columns = {})
      : relation_(relation), bound_(bound), columns_(std::move(columns)) {}
  RelationScan(const RelationScan&) = delete;
  RelationScan& operator=(const RelationScan&) = delete;

  /// The leaves that a worker has claimed and not yet visited. Lost with the claim: a scan that is to see all tuples
  /// goes on with the same one until next() says that there are no more.
  class Claim {
    friend class RelationScan;
    LeafList list_;
    size_t next_ = 0;
    TupleId end_;  ///< where the range of the last leaf ends
  };

  /// Lets go of the leaf in `leaf` and takes the next one. False: no more leaves; `leaf` holds nothing then.
  /// Failure: when a page must be read, as BufferManager::resolve; `leaf` holds nothing then.
  bool next(Claim& claim, LeafView& leaf);
  /// Has more of the values in `leaf` fetched, for who has other things to do with it first than to read them.
  void prefetchFurther(const LeafView& leaf) const;
  /// The frame of the leaf that comes so many after the next one in the claim, which may have another page by now;
  /// null: there is none, or it is not in memory.
  [[nodiscard]] static Frame* ahead(const Claim& claim, size_t leaves) {
    const size_t place = claim.next_ + leaves;
    if (place >= claim.list_.leaves.size() || !claim.list_.leaves[place].guard.holds()) return nullptr;
    return &claim.list_.leaves[place].guard.frame();
  }
  /// The claim was made for the leaf at hand.
  [[nodiscard]] static bool isFresh(const Claim& claim) { return claim.next_ == 1; }

 private:
  bool claimMore(Claim& claim);
  void prefetchAfter(const Claim& claim, LeafView& leaf) const;
  void prefetchLines(const std::byte* page, const LeafAccess& access, uint64_t begin, uint64_t end) const;
  SharedGuard take(const LeafReference& reference);

  Relation& relation_;
  const TupleId bound_;
  const std::vector<uint32_t> columns_;
  std::mutex mutex_;
  uint64_t next_id_ = 0;  ///< every tuple below is in a leaf that was handed out
};

/// Reads the tuples below a bound one after the other, deleted ones left out. For catalogs and tests, not for queries.
///
/// Holds the current leaf shared (see LeafView): finish or destroy the cursor before changing the relation. String
/// values point into the leaf and are valid until next().
class RowCursor {
 public:
  RowCursor(Relation& relation, TupleId bound) : scan_(relation, bound) {}

  bool next();
  [[nodiscard]] TupleId tupleId() const { return leaf_.tupleId(row_); }
  [[nodiscard]] bool isNull(uint32_t column) const {
    bool is_null = false;
    leaf_.value(column, row_, is_null);
    return is_null;
  }
  /// The value's bits; zero when null.
  [[nodiscard]] Datum value(uint32_t column) const {
    bool is_null = false;
    return leaf_.value(column, row_, is_null);
  }

 private:
  RelationScan scan_;
  RelationScan::Claim claim_;
  LeafView leaf_;
  uint32_t row_ = 0;
  bool started_ = false;
};

}  // namespace gnomon::storage
