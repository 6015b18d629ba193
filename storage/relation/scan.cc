#include "storage/relation/scan.h"

#include <algorithm>

namespace gnomon::storage {

namespace {
/// Claims are small where there is little to share out, and never larger than one batch of reads.
constexpr uint64_t kClaimsWanted = 64;
constexpr uint64_t kLeavesPerClaimMax = 16;
/// The processor notices after some lines that an array is read from its start on, and fetches the rest by itself.
constexpr uint64_t kLinesPerArray = 4;
constexpr uint64_t kLineBytes = 64;
}  // namespace

bool RelationScan::next(Claim& claim, LeafView& leaf) {
  for (;;) {
    // Before the next latch: a thread that waits holds nothing.
    leaf.release();
    if (claim.next_ == claim.list_.leaves.size() && !claimMore(claim)) return false;
    const LeafReference& reference = claim.list_.leaves[claim.next_++];
    // The range that the leaf had when it was claimed: its tuples may be in another one by now, beside others.
    const TupleId end = claim.next_ < claim.list_.leaves.size() ? claim.list_.leaves[claim.next_].id : claim.end_;
    leaf.attach(take(reference), relation_.schema(), reference.id, std::min(end, bound_));
    if (leaf.rowCount() == 0) continue;
    prefetchAfter(claim, leaf);
    return true;
  }
}

/// The next leaf's header, last tuple id and the first values of each array, which lie where they do in this one.
void RelationScan::prefetchAfter(const Claim& claim, LeafView& leaf) const {
  leaf.setPageAhead(nullptr);
  if (claim.next_ == claim.list_.leaves.size()) return;
  const OptimisticGuard& next = claim.list_.leaves[claim.next_].guard;
  if (!next.holds()) return;
  const LeafAccess& access = leaf.access();
  const std::byte* page = next.page();
  leaf.setPageAhead(page);
  __builtin_prefetch(page);
  __builtin_prefetch(page + kLineBytes);
  __builtin_prefetch(page + access.tuple_ids_offset + (access.row_end - 1) * sizeof(uint64_t));
  prefetchLines(page, access, 0, kLinesPerArray);
}

void RelationScan::prefetchFurther(const LeafView& leaf) const {
  // What the processor can read from memory in some hundred cycles.
  constexpr uint64_t kLinesFurther = 16;
  const LeafAccess& access = leaf.access();
  prefetchLines(access.page_base, access, kLinesPerArray, kLinesPerArray + kLinesFurther);
}

/// Of the array of each column that will be looked at, in `page`, where arrays lie as in the leaf of `access`.
void RelationScan::prefetchLines(const std::byte* page, const LeafAccess& access, uint64_t begin, uint64_t end) const {
  for (const uint32_t column : columns_) {
    if (column >= access.column_count) continue;
    const std::byte* const values = page + access.column_offsets[column];
    for (uint64_t line = begin; line < end; ++line) __builtin_prefetch(values + line * kLineBytes);
  }
}

bool RelationScan::claimMore(Claim& claim) {
  RelationTree& tree = relation_.tree();
  const uint64_t leaves = std::clamp<uint64_t>(relation_.leafCount() / kClaimsWanted, 1, kLeavesPerClaimMax);
  {
    const std::scoped_lock lock(mutex_);
    if (next_id_ >= bound_.value) return false;
    claim.end_ = tree.listLeaves(TupleId{next_id_}, leaves, claim.list_);
    next_id_ = claim.end_.value;
  }
  claim.next_ = 0;
  tree.prefetch(claim.list_);
  return true;
}

SharedGuard RelationScan::take(const LeafReference& reference) {
  if (reference.guard.holds()) {
    SharedGuard guard(reference.guard.frame());
    if (reference.guard.isValid()) {
      relation_.tree().countHit(reference.guard.frame());
      return guard;
    }
  }
  uint64_t next_first_id;
  return relation_.tree().findLeaf(reference.id, next_first_id);
}

bool RowCursor::next() {
  if (started_) ++row_;
  started_ = true;
  for (;;) {
    for (; leaf_.holds() && row_ < leaf_.access().row_end; ++row_)
      if (!leaf_.isDeleted(row_)) return true;
    if (!scan_.next(claim_, leaf_)) return false;
    row_ = leaf_.access().row_begin;
  }
}

}  // namespace gnomon::storage
