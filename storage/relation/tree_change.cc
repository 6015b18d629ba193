#include "storage/relation/tree.h"

#include <algorithm>
#include <thread>

/// Changes of the tree's structure other than at its right edge.
namespace gnomon::storage {

/// The node above the leaf whose range holds `id`, held exclusively, with the leaf in memory and its index. Holds
/// nothing when the root is a leaf.
ExclusiveGuard RelationTree::lockParent(TupleId id, uint32_t& index) {
  for (;;) {
    // Nobody else turns a root into another kind of page.
    if (rootFrame().header().type == PageType::RelationLeaf) return {};
    OptimisticGuard node(rootFrame());
    for (;;) {
      InnerEntry entry;
      if (!findEntry(node.page(), id, entry) || !node.isValid()) break;
      uint64_t* where = &innerOf(node.frame().page).swips[entry.index];
      Frame* frame = buffers_.resolve(node, where, entry.swip, relation_);
      if (!frame) break;
      if (entry.level == 1) {
        ExclusiveGuard parent = node.tryUpgrade();
        if (!parent.holds()) {
          // Somebody attaches or writes a page: a short while.
          std::this_thread::yield();
          break;
        }
        index = entry.index;
        return parent;
      }
      const OptimisticGuard child(*frame);
      if (!node.isValid()) break;
      node = child;
    }
  }
}

/// The same with the leaf before that one in memory, too. Holds nothing when there is none under the same parent, or
/// the pool is too small for both.
ExclusiveGuard RelationTree::lockParentOfBoth(TupleId id, uint32_t& index) {
  constexpr int kAttempts = 8;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    ExclusiveGuard parent = lockParent(id, index);
    if (!parent.holds()) return {};
    const InnerNode& node = innerOf(parent.page());
    if (index > 0 && Swip::fromBits(node.swips[index - 1]).isResident()) return parent;
    const TupleId left{node.first_ids[index] - 1};
    parent.releaseUnchanged();
    if (index == 0) return {};
    // It is read while nothing is held.
    uint64_t next_first_id;
    findLeaf(left, next_first_id).release();
  }
  return {};
}

bool RelationTree::replaceLeaf(TupleId id, ExclusiveGuard fresh, const FillLeaf& fill) {
  Frame& frame = fresh.frame();
  uint32_t index = 0;
  ExclusiveGuard parent, leaf;
  bool is_filled = false;
  PageChange change(buffers_, relation_);
  try {
    change.prepare(PageChange::imageBytes(frame) + PageChange::imageBytes(1));
    parent = lockParent(id, index);
    // Who holds it waits for nobody.
    leaf = ExclusiveGuard(parent.holds() ? fixChild(parent, index) : rootFrame());
    is_filled = fill(leaf, fresh);
  } catch (...) {
    leaf.releaseUnchanged();
    parent.releaseUnchanged();
    buffers_.free(std::move(fresh));
    throw;
  }
  if (!is_filled) {
    leaf.releaseUnchanged();
    parent.releaseUnchanged();
    buffers_.free(std::move(fresh));
    return false;
  }
  inherit(frame, leaf.frame());
  noteLayoutChange();
  if (!parent.holds()) {
    makeRootInner(change, leaf, 1);
    innerOf(leaf.page()).append(reinterpret_cast<const LeafHeader*>(fresh.page())->first_tuple_id, Swip::hot(&frame));
    frame.parent.store(&leaf.frame());
    change.image(frame);
    change.finish();
    return true;
  }
  frame.parent.store(&parent.frame());
  std::atomic_ref(innerOf(parent.page()).swips[index]).store(Swip::hot(&frame).bits());
  change.change(parent.frame());
  change.operation(PageOperation::NodeReplace, {index, Swip::cold(frame.page_id.load()).bits()});
  change.image(frame);
  change.free(std::move(leaf));
  change.finish();
  return true;
}

std::optional<RelationTree::Tally> RelationTree::removeLeaf(TupleId id) {
  const auto tallyDead = [this](const ExclusiveGuard& guard) -> std::optional<Tally> {
    const uint64_t page_bytes = guard.frame().pageBytes();
    Leaf::requireSound(guard.page(), page_bytes, schema_);
    const Leaf leaf(guard.page(), schema_);
    const LeafHeader& header = leaf.header();
    if (guard.frame().version_map.load() || header.flagged_count != header.tuple_count) return std::nullopt;
    return Tally{.tuples = header.tuple_count,
                 .deleted = header.tuple_count,
                 .leaves = 0,
                 .variable_bytes = leaf.stringBytes(page_bytes)};
  };
  // Inner nodes may have to be read while those above are held.
  buffers_.prepareRoom(4 * kPageBytesMin);
  std::vector<ExclusiveGuard> path;
  std::vector<InnerEntry> entries;
  path.emplace_back(rootFrame());
  PageChange change(buffers_, relation_);
  change.prepare(PageChange::imageBytes(1));
  if (path[0].frame().header().type == PageType::RelationLeaf) {
    const auto tally = tallyDead(path[0]);
    if (tally) makeRootLeaf(change, path[0], reinterpret_cast<const LeafHeader*>(path[0].page())->first_tuple_id);
    return tally;
  }
  for (;;) {
    InnerEntry& entry = entries.emplace_back();
    CHECK(findEntry(path.back().page(), id, entry), "I1");
    if (entry.level == 1) break;
    path.emplace_back(fixChild(path.back(), entry.index));
  }
  const TupleId first_id{innerOf(path.back().page()).first_ids[entries.back().index]};
  ExclusiveGuard leaf(fixChild(path.back(), entries.back().index));
  auto tally = tallyDead(leaf);
  if (!tally) return std::nullopt;
  noteLayoutChange();
  change.free(std::move(leaf));
  for (;;) {
    InnerNode& node = innerOf(path.back().page());
    if (node.entry_count > 1) {
      change.change(path.back().frame());
      change.operation(PageOperation::NodeErase, {entries.back().index});
    }
    node.erase(entries.back().index);
    if (node.entry_count > 0) {
      change.finish();
      tally->leaves = 1;
      return tally;
    }
    if (path.size() == 1) break;
    change.free(std::move(path.back()));
    path.pop_back();
    entries.pop_back();
  }
  makeRootLeaf(change, path[0], first_id);
  change.finish();
  return tally;
}

std::optional<uint64_t> RelationTree::mergeWithLeft(TupleId id, uint64_t bytes_max) {
  uint32_t index = 0;
  ExclusiveGuard parent = lockParentOfBoth(id, index);
  if (!parent.holds()) return std::nullopt;
  ExclusiveGuard left(fixChild(parent, index - 1));
  ExclusiveGuard right(fixChild(parent, index));
  for (const ExclusiveGuard* leaf : {&left, &right})
    Leaf::requireSound(leaf->page(), leaf->frame().pageBytes(), schema_);
  Leaf target(left.page(), schema_);
  const Leaf source(right.page(), schema_);
  const bool can_merge =
      left.frame().size_class == SizeClass{0} && !left.frame().version_map.load() &&
      !right.frame().version_map.load() && target.header().reference_epoch == source.header().reference_epoch &&
      target.leastBytesWith(source, left.frame().pageBytes(), right.frame().pageBytes()) <= bytes_max;
  if (!can_merge) return std::nullopt;
  PageChange change(buffers_, relation_);
  change.prepare(PageChange::imageBytes(1));
  const uint64_t bytes_added = target.appendLeaf(source, left.frame().pageBytes());
  noteLayoutChange();
  innerOf(parent.page()).erase(index);
  change.image(left.frame());
  change.change(parent.frame());
  change.operation(PageOperation::NodeErase, {index});
  change.free(std::move(right));
  return bytes_added;
}

}  // namespace gnomon::storage
