#include <algorithm>

#include "base/sql_error.h"
#include "storage/page_change.h"
#include "storage/relation/leaf_count.h"
#include "storage/relation/relation.h"

namespace gnomon::storage {

namespace {

/// Leaves become one, and a leaf moves to a smaller page, when that fills at most this share of the page. The rest is
/// for texts that grow: a leaf that was just made smaller does not outgrow its page with the next update. And as leaves
/// that are not the last get no new tuples and never split, nothing undoes a merge, so nothing can go back and forth.
constexpr uint64_t kFillNumerator = 3;
constexpr uint64_t kFillDenominator = 4;

uint64_t fillBytes(SizeClass size_class) {
  return pageBytes(size_class) / kFillDenominator * kFillNumerator;
}

/// The smallest class that such a leaf may move to; not above `now`.
SizeClass roomyClass(uint64_t leaf_bytes, SizeClass now) {
  SizeClass size_class;
  while (size_class < now && fillBytes(size_class) < leaf_bytes) ++size_class.index;
  return size_class;
}

}  // namespace

/// Goes through the leaves of a range of tuples from left to right.
class Relation::Reclaimer {
 public:
  Reclaimer(Relation& relation, TupleId from, TupleId to, uint64_t settled_epoch)
      : relation_(relation), from_(from), to_(to), settled_epoch_(settled_epoch) {}

  uint64_t run() {
    // One leaf more than the range when the last one has changed: it may take that one in.
    for (uint64_t at = from_.value; at < to_.value || (is_left_changed_ && at != UINT64_MAX);) at = visit(TupleId{at});
    return removed_;
  }

 private:
  uint64_t visit(TupleId at);
  void moveToSmaller(TupleId at, SizeClass size_class);
  void account(uint64_t tuples, uint64_t string_bytes);

  Relation& relation_;
  const TupleId from_, to_;
  const uint64_t settled_epoch_;
  bool is_left_changed_ = false;  ///< the leaf before has lost tuples, or taken in another
  uint64_t removed_ = 0;
};

/// Returns where the range of the next leaf begins.
uint64_t Relation::Reclaimer::visit(TupleId at) {
  const std::scoped_lock changing(relation_.structure_mutex_);
  uint64_t next_first_id;
  ExclusiveGuard guard = relation_.tree_->findLeafExclusive(at, next_first_id);
  relation_.requireSound(guard);
  const Frame& frame = guard.frame();
  const uint64_t page_bytes = frame.pageBytes();
  const SizeClass size_class = frame.size_class;
  Leaf leaf(guard.page(), relation_.schema_);
  // Somebody may still see tuples of a leaf with a version map, or with a bulk operation's flags.
  const bool has_map = !relation_.buffers_.pruneVersions(guard.frame());
  const bool has_versions = has_map || leaf.referenceEpoch() >= settled_epoch_;
  if (!has_versions) leaf.enterEpoch(0);
  const uint32_t deleted = has_versions ? 0 : leaf.countDeleted(from_, to_);
  const uint64_t string_bytes = leaf.stringBytes(page_bytes);
  if (deleted > 0 && deleted == leaf.header().tuple_count) {
    guard.releaseUnchanged();
    // Somebody may append to it before it is held again.
    if (const auto gone = relation_.tree_->removeLeaf(at)) {
      subtractLeaves(relation_.leaf_count_, gone->leaves);
      account(gone->tuples, gone->variable_bytes);
    }
    return next_first_id;
  }
  if (deleted > 0) {
    PageChange change(relation_.buffers_, relation_.id_);
    change.prepare(PageChange::imageBytes(frame));
    leaf.removeDeleted(from_, to_, page_bytes);
    change.image(guard.frame());
    change.finish();
    relation_.tree_->noteLayoutChange();
    account(deleted, string_bytes - leaf.stringBytes(page_bytes));
  }
  const uint64_t bytes = leaf.leastBytes(page_bytes);
  guard.release();
  if (has_versions) {
    is_left_changed_ = false;
    return next_first_id;
  }
  // The last leaf is being filled.
  const bool is_filling = next_first_id == UINT64_MAX && size_class <= relation_.nextLeafClass();
  const SizeClass smaller = roomyClass(bytes, size_class);
  if (smaller < size_class && !is_filling) moveToSmaller(at, smaller);
  std::optional<uint64_t> merged;
  if ((deleted > 0 || is_left_changed_) && bytes <= fillBytes(SizeClass{0}))
    merged = relation_.tree_->mergeWithLeft(at, fillBytes(SizeClass{0}));
  if (merged) {
    relation_.variable_bytes_.fetch_add(*merged, std::memory_order_relaxed);
    subtractLeaves(relation_.leaf_count_, 1);
  }
  is_left_changed_ = deleted > 0 || merged.has_value();
  return next_first_id;
}

void Relation::Reclaimer::moveToSmaller(TupleId at, SizeClass size_class) {
  ExclusiveGuard fresh;
  try {
    fresh = relation_.buffers_.allocate(size_class, relation_.id_, PageType::RelationLeaf);
  } catch (const SqlError& error) {
    if (error.state() != sqlstate::kOutOfMemory && error.state() != sqlstate::kDiskFull) throw;
    // Nothing is lost: the leaf stays where it is.
    return;
  }
  // Somebody may have filled it since.
  const auto fill = [this, size_class](const ExclusiveGuard& before, const ExclusiveGuard& to) {
    Leaf leaf(before.page(), relation_.schema_);
    if (roomyClass(leaf.leastBytes(before.frame().pageBytes()), before.frame().size_class) > size_class) return false;
    leaf.makeLeast(before.frame().pageBytes());
    Leaf::copy(before.page(), before.frame().pageBytes(), to.page(), to.frame().pageBytes(), relation_.schema_);
    return true;
  };
  relation_.tree_->replaceLeaf(at, std::move(fresh), fill);
}

void Relation::Reclaimer::account(uint64_t tuples, uint64_t string_bytes) {
  removed_ += tuples;
  // First the deleted ones: tupleCount() subtracts them.
  relation_.deleted_count_.fetch_sub(tuples, std::memory_order_relaxed);
  relation_.tuple_count_.fetch_sub(tuples, std::memory_order_relaxed);
  relation_.variable_bytes_.fetch_sub(std::min(string_bytes, relation_.variable_bytes_.load()),
                                      std::memory_order_relaxed);
}

uint64_t Relation::reclaim(TupleId from, TupleId to, uint64_t settled_epoch) {
  return Reclaimer(*this, from, to, settled_epoch).run();
}

}  // namespace gnomon::storage
