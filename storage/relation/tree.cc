#include "storage/relation/tree.h"

#include <algorithm>
#include <cstring>

#include "base/sql_error.h"
#include "storage/fresh_page.h"
#include "storage/relation_registry.h"

namespace gnomon::storage {

namespace {

const LeafHeader& leafOf(const std::byte* page) {
  return *reinterpret_cast<const LeafHeader*>(page);
}
bool isLeaf(const Frame& frame) {
  return frame.header().type == PageType::RelationLeaf;
}

void visitSwips(std::byte* page, const std::function<bool(uint64_t&)>& visit) {
  InnerNode& node = innerOf(page);
  // The page may be damaged, and not yet checked.
  const uint32_t count = std::min<uint32_t>(node.entry_count, InnerNode::kEntriesMax);
  for (uint32_t index = 0; index < count; ++index)
    if (!visit(node.swips[index])) return;
}

/// What a search for a tuple reads of its leaf, if ids have no gaps: asked for together, and before its frame has come.
void prefetchTuple(const std::byte* page, const RelationSchema& schema, uint64_t row, const TupleHint& hint) {
  __builtin_prefetch(page);
  __builtin_prefetch(page + LeafLayout::kTupleIdsOffset);
  __builtin_prefetch(page + (LeafLayout::kTupleIdsOffset + row * sizeof(uint64_t)) % kPageBytesMin);
  if (hint.like) hint.like->prefetchValues(page, schema, row, hint.columns);
}

/// An empty root has no strings to go by: all slots.
uint32_t emptyCapacity(const RelationSchema& schema) {
  return leafCapacity(schema, kPageBytesMin, 0);
}

}  // namespace

RelationTree::RelationTree(BufferManager& buffers, RelationId relation, const RelationSchema& schema)
    : buffers_(buffers), relation_(relation), schema_(schema) {
  buffers_.registerSwips(PageType::RelationInner, visitSwips);
  FreshPage root(buffers_, relation, PageType::RelationLeaf);
  root_id_ = root.guard().frame().page_id.load();
  root_.store(&root.guard().frame());
  Leaf::initialise(root.guard().page(), kPageBytesMin, schema_, emptyCapacity(schema_), TupleId{0});
  buffers_.registry().createTree(buffers_, root.guard(), {relation, TreeKind::Relation});
  root.keep();
}

RelationTree::RelationTree(BufferManager& buffers, RelationId relation, const RelationSchema& schema, PageId root)
    : buffers_(buffers), relation_(relation), schema_(schema), root_id_(root) {
  buffers_.registerSwips(PageType::RelationInner, visitSwips);
}

Frame& RelationTree::readRoot() {
  const std::scoped_lock lock(root_mutex_);
  if (root_.load() == nullptr) root_.store(&buffers_.fixRoot(root_id_, relation_));
  return *root_.load();
}

template <typename Guard>
Guard RelationTree::descend(TupleId id, uint64_t& next_first_id, const TupleHint& hint) {
  for (;;) {
    next_first_id = UINT64_MAX;
    OptimisticGuard parent;
    OptimisticGuard node(rootFrame());
    for (;;) {
      if (readPageType(node.page()) == PageType::RelationLeaf) {
        Guard leaf(node.frame());
        // An appender changes the leaf while we wait for it, and that is all right; it must still be the same leaf.
        const bool is_same = parent.holds() ? parent.isValid() : readPageType(node.page()) == PageType::RelationLeaf;
        if (is_same) return leaf;
        break;
      }
      InnerEntry entry;
      if (!findEntry(node.page(), id, entry) || !node.isValid()) break;
      if (entry.next_first_id != UINT64_MAX) next_first_id = entry.next_first_id;
      if (entry.swip.isHot()) {
        __builtin_prefetch(entry.swip.frame());
        const std::byte* const bytes = buffers_.pageOf(*entry.swip.frame()).data();
        if (bytes && entry.level == 1) prefetchTuple(bytes, schema_, id.value - entry.first_id, hint);
      }
      uint64_t* where = &innerOf(node.frame().page).swips[entry.index];
      Frame* frame = buffers_.resolve(node, where, entry.swip, relation_);
      if (!frame) break;
      const OptimisticGuard child(*frame);
      if (entry.level == 1) __builtin_prefetch(frame->version_map.load(std::memory_order_relaxed));
      if (!node.isValid()) break;
      parent = node;
      node = child;
    }
  }
}

TupleId RelationTree::listLeaves(TupleId from, size_t count_max, LeafList& list) {
  std::vector<LeafReference>& leaves = list.leaves;
  for (;;) {
    leaves.clear();
    uint64_t next_first_id = UINT64_MAX;
    OptimisticGuard node(rootFrame());
    bool is_valid = true;
    for (;;) {
      if (readPageType(node.page()) == PageType::RelationLeaf) {
        list.parent = OptimisticGuard();
        leaves.push_back({from, Swip::hot(&node.frame()), node});
        is_valid = node.isValid();
        break;
      }
      InnerEntry entry;
      if (!findEntry(node.page(), from, entry) || !node.isValid()) {
        is_valid = false;
        break;
      }
      if (entry.level > 1 && entry.next_first_id != UINT64_MAX) next_first_id = entry.next_first_id;
      if (entry.level == 1) {
        list.parent = node;
        list.first_index = entry.index;
        copyEntries(node.page(), entry.index, count_max, leaves, next_first_id);
        for (LeafReference& leaf : leaves)
          if (leaf.swip.isHot()) leaf.guard = OptimisticGuard(*leaf.swip.frame());
        is_valid = node.isValid() && !leaves.empty();
        if (is_valid) leaves.front().id = std::max(leaves.front().id, from);
        break;
      }
      uint64_t* where = &innerOf(node.frame().page).swips[entry.index];
      Frame* frame = buffers_.resolve(node, where, entry.swip, relation_);
      is_valid = frame != nullptr;
      if (!is_valid) break;
      const OptimisticGuard child(*frame);
      is_valid = node.isValid();
      if (!is_valid) break;
      node = child;
    }
    if (is_valid) return TupleId{next_first_id};
  }
}

void RelationTree::prefetch(const LeafList& list) {
  constexpr uint64_t kPrefetchBytesMax = uint64_t{4} << 20;
  constexpr uint64_t kPoolShare = 16;
  const uint64_t bytes_max = std::min(kPrefetchBytesMax, buffers_.poolBytes() / kPoolShare);
  std::vector<BufferManager::ColdSwip> swips;
  uint64_t bytes = 0;
  for (size_t i = 0; i < list.leaves.size(); ++i) {
    const Swip swip = list.leaves[i].swip;
    if (!swip.isCold()) continue;
    const uint64_t page_bytes = pageBytes(swip.coldPage().sizeClass());
    // A page that is larger is read well by itself.
    if (page_bytes > bytes_max / 4) continue;
    bytes += page_bytes;
    if (bytes > bytes_max) break;
    swips.push_back({swip.coldPage(), &innerOf(list.parent.frame().page).swips[list.first_index + i]});
  }
  if (swips.size() > 1) buffers_.prefetch(list.parent, swips, relation_);
}

void RelationTree::prefetchAt(const Frame& frame, uint32_t row, const TupleHint& hint) const {
  __builtin_prefetch(&frame);
  if (const std::byte* const bytes = buffers_.pageOf(frame).data()) prefetchTuple(bytes, schema_, row, hint);
}

SharedGuard RelationTree::findLeaf(TupleId id, uint64_t& next_first_id, const TupleHint& hint) {
  return descend<SharedGuard>(id, next_first_id, hint);
}

ExclusiveGuard RelationTree::findLeafExclusive(TupleId id, uint64_t& next_first_id) {
  return descend<ExclusiveGuard>(id, next_first_id, {});
}

Frame& RelationTree::fixChild(ExclusiveGuard& parent, uint32_t index) {
  InnerNode& node = innerOf(parent.page());
  CHECK(index < node.entry_count, "I1");
  return buffers_.fix(parent, &node.swips[index], relation_);
}

/// The inner nodes on the way to the last leaf, root first, held shared: none of them is evicted meanwhile.
std::vector<SharedGuard> RelationTree::rightPath() {
  std::vector<SharedGuard> path;
  if (isLeaf(rootFrame())) return path;
  path.emplace_back(rootFrame());
  for (;;) {
    Frame& frame = path.back().frame();
    InnerNode& node = innerOf(frame.page);
    if (node.level == 1) return path;
    uint64_t* where = &node.swips[node.entry_count - 1];
    const OptimisticGuard guard(frame);
    Frame* child = nullptr;
    while (child == nullptr)
      child = buffers_.resolve(guard, where, Swip::fromBits(std::atomic_ref(*where).load()), relation_);
    path.emplace_back(*child);
  }
}

std::vector<ExclusiveGuard> RelationTree::allocateInner(size_t count) {
  std::vector<ExclusiveGuard> pages;
  pages.reserve(count);
  try {
    while (pages.size() < count) pages.push_back(buffers_.allocate(SizeClass{0}, relation_, PageType::RelationInner));
  } catch (...) {
    for (ExclusiveGuard& page : pages) buffers_.free(std::move(page));
    throw;
  }
  return pages;
}

// Everything that can fail comes first: pages are allocated, then linked from the bottom up, and the link into the
// existing tree is the last step.
ExclusiveGuard RelationTree::addLeaf(TupleId first_id, SizeClass size_class, uint32_t capacity, bool& is_new) {
  const bool root_is_leaf = isLeaf(rootFrame());
  const bool root_is_empty = root_is_leaf && leafOf(rootFrame().page).tuple_count == 0;
  if (root_is_empty && size_class == SizeClass{0}) {
    ExclusiveGuard root(rootFrame());
    PageChange change(buffers_, relation_);
    change.prepare(PageChange::imageBytes(1));
    Leaf::initialise(root.page(), kPageBytesMin, schema_, capacity, first_id);
    change.image(root.frame());
    change.finish();
    noteLayoutChange();
    is_new = false;
    return root;
  }
  std::vector<SharedGuard> path = rightPath();
  size_t link = path.size();
  while (link > 0 && innerOf(path[link - 1].frame().page).isFull()) --link;
  const bool root_grows = link == 0;
  const size_t new_levels = root_grows ? path.size() : path.size() - link;
  const auto root_level = static_cast<uint32_t>(path.size()) + 1;
  // Room for the new pages may have to come from pages below those of the path.
  path.clear();
  PageChange change(buffers_, relation_);
  change.prepare(PageChange::imageBytes(3 + new_levels));

  ExclusiveGuard leaf = buffers_.allocate(size_class, relation_, PageType::RelationLeaf);
  std::vector<ExclusiveGuard> nodes;
  ExclusiveGuard moved;
  try {
    nodes = allocateInner(new_levels);
    if (root_grows && !root_is_empty) moved = buffers_.allocate(SizeClass{0}, relation_, rootFrame().header().type);
    // Nobody else changes the structure: the path is as it was.
    path = rightPath();
  } catch (...) {
    if (moved.holds()) buffers_.free(std::move(moved));
    for (ExclusiveGuard& node : nodes) buffers_.free(std::move(node));
    buffers_.free(std::move(leaf));
    throw;
  }
  Leaf::initialise(leaf.page(), leaf.frame().pageBytes(), schema_, capacity, first_id);
  Frame* top = &leaf.frame();
  for (uint32_t level = 1; level <= nodes.size(); ++level) {
    Frame& frame = nodes[level - 1].frame();
    innerOf(frame.page).level = level;
    innerOf(frame.page).append(first_id, Swip::hot(top));
    top->parent.store(&frame);
    top = &frame;
    change.image(frame);
  }
  // What is above stays shared: the node to link into cannot go.
  Frame& link_frame = root_grows ? rootFrame() : path[link - 1].frame();
  path.resize(root_grows ? 0 : link - 1);
  ExclusiveGuard parent(link_frame);
  if (root_grows) {
    if (moved.holds())
      moveRootDown(change, parent, std::move(moved));
    else
      makeRootInner(change, parent, root_level);
  } else {
    change.change(parent.frame());
    change.operation(PageOperation::NodeAppend, {first_id.value, Swip::cold(top->page_id.load()).bits()});
  }
  innerOf(parent.page()).append(first_id, Swip::hot(top));
  top->parent.store(&parent.frame());
  change.image(leaf.frame());
  change.finish();
  noteLayoutChange();
  is_new = !root_is_empty;
  return leaf;
}

void RelationTree::inherit(Frame& frame, Frame& before) {
  frame.version_map.store(before.version_map.exchange(nullptr));
}

void RelationTree::makeRootInner(PageChange& change, ExclusiveGuard& root, uint32_t level) {
  PageHeader header = root.frame().header();
  header.type = PageType::RelationInner;
  std::memset(root.page(), 0, kPageBytesMin);
  root.frame().header() = header;
  innerOf(root.page()).level = level;
  change.image(root.frame());
}

void RelationTree::moveRootDown(PageChange& change, ExclusiveGuard& root, ExclusiveGuard child) {
  std::memcpy(child.page() + sizeof(PageHeader), root.page() + sizeof(PageHeader), kPageBytesMin - sizeof(PageHeader));
  Frame& frame = child.frame();
  inherit(frame, root.frame());
  uint32_t level = 1;
  TupleId first_id;
  if (isLeaf(frame)) {
    first_id = leafOf(frame.page).first_tuple_id;
  } else {
    InnerNode& node = innerOf(frame.page);
    level = node.level + 1;
    first_id = TupleId{node.first_ids[0]};
    for (uint32_t index = 0; index < node.entry_count; ++index) {
      const Swip swip = Swip::fromBits(node.swips[index]);
      if (swip.isResident()) swip.frame()->parent.store(&frame);
    }
  }
  makeRootInner(change, root, level);
  innerOf(root.page()).append(first_id, Swip::hot(&frame));
  frame.parent.store(&root.frame());
  change.image(frame);
  change.hold(std::move(child));
}

/// A bound on the bytes that naming all pages of the tree takes.
uint64_t RelationTree::freedBytesMax() const {
  const Frame& root = *root_.load();
  if (isLeaf(root)) return 0;
  uint64_t pages = innerOf(root.page).entry_count;
  for (uint32_t level = innerOf(root.page).level; level > 1; --level) pages *= InnerNode::kEntriesMax + 1;
  return pages * sizeof(PageId);
}

RelationTree::Tally RelationTree::truncate(TupleId bound, TupleId dense_end) {
  Tally dropped;
  // The leaf in which the bound lies may have to be read while all above it is held, and nothing below can make room.
  buffers_.prepareRoom(4 * kPageBytesMin);
  ExclusiveGuard root(rootFrame());
  PageChange change(buffers_, relation_);
  change.prepare(PageChange::imageBytes(1) + freedBytesMax());
  noteLayoutChange();
  if (truncateNode(change, root, bound, dense_end, dropped) && !isLeaf(rootFrame())) {
    makeRootLeaf(change, root, bound);
    // The empty root counts as a leaf.
    --dropped.leaves;
  }
  return dropped;
}

void RelationTree::makeRootLeaf(PageChange& change, ExclusiveGuard& root, TupleId first_id) {
  noteLayoutChange();
  root.frame().header().type = PageType::RelationLeaf;
  Leaf::initialise(root.page(), kPageBytesMin, schema_, emptyCapacity(schema_), first_id);
  change.image(root.frame());
}

bool RelationTree::truncateNode(PageChange& change, ExclusiveGuard& node, TupleId bound, TupleId dense_end,
                                Tally& dropped) {
  if (isLeaf(node.frame())) {
    truncateLeaf(node, bound, dropped);
    change.change(node.frame());
    change.write(node.page() + sizeof(PageHeader), sizeof(LeafHeader) - sizeof(PageHeader));
    return leafOf(node.page()).tuple_count == 0;
  }
  InnerNode& inner = innerOf(node.page());
  change.change(node.frame());
  change.writeAtEnd(&inner.entry_count, sizeof(inner.entry_count));
  while (inner.entry_count > 0 && inner.first_ids[inner.entry_count - 1] >= bound.value) {
    const TupleId first{inner.first_ids[inner.entry_count - 1]};
    freeSubtree(change, node, inner.entry_count - 1, dense_end, dropped);
    if (dense_end.value != 0) dense_end = first;
    --inner.entry_count;
  }
  if (inner.entry_count == 0) return true;
  ExclusiveGuard child(fixChild(node, inner.entry_count - 1));
  if (!truncateNode(change, child, bound, dense_end, dropped)) {
    change.hold(std::move(child));
    return false;
  }
  // The child's range begins below the bound, but its tuples do not: those before them were reclaimed.
  if (isLeaf(child.frame())) ++dropped.leaves;
  change.free(std::move(child));
  --inner.entry_count;
  return inner.entry_count == 0;
}

void RelationTree::truncateLeaf(ExclusiveGuard& leaf, TupleId bound, Tally& dropped) {
  const LeafHeader before = leafOf(leaf.page());
  Leaf(leaf.page(), schema_).truncate(bound, leaf.frame().pageBytes());
  const LeafHeader& after = leafOf(leaf.page());
  dropped.tuples += before.tuple_count - after.tuple_count;
  dropped.deleted += before.flagged_count - after.flagged_count;
  const auto stringBytes = [](const LeafHeader& header) {
    return uint64_t{header.variable_begin} + header.variable_dead;
  };
  dropped.variable_bytes += stringBytes(after) - stringBytes(before);
}

void RelationTree::freeSubtree(PageChange& change, ExclusiveGuard& parent, uint32_t index, TupleId dense_end,
                               Tally& dropped) {
  const InnerNode& node = innerOf(parent.page());
  const Swip swip = Swip::fromBits(node.swips[index]);
  if (node.level == 1 && swip.isCold() && dense_end.value != 0) {
    dropped.unseen_tuples += dense_end.value - node.first_ids[index];
    ++dropped.leaves;
    return change.freeCold(swip.coldPage());
  }
  ExclusiveGuard child(fixChild(parent, index));
  if (!isLeaf(child.frame())) {
    const InnerNode& inner = innerOf(child.page());
    for (uint32_t below = inner.entry_count; below > 0; --below) {
      freeSubtree(change, child, below - 1, dense_end, dropped);
      if (dense_end.value != 0) dense_end = TupleId{inner.first_ids[below - 1]};
    }
  } else {
    truncateLeaf(child, TupleId{0}, dropped);
    ++dropped.leaves;
  }
  change.free(std::move(child));
}

void RelationTree::sayDestroyed(PageChange& change) {
  change.mean(RelationMeaning().treeDestroyed(root_id_).view());
  change.then([this] { buffers_.registry().forgetTree(root_id_); });
}

/// Frees the last node above leaves, with those, and the nodes above it that lead to nothing else. False: the root
/// went, too.
bool RelationTree::destroyLast() {
  std::vector<ExclusiveGuard> path;
  path.emplace_back(rootFrame());
  while (!isLeaf(path.back().frame()) && innerOf(path.back().page()).level > 1) {
    const uint32_t last = innerOf(path.back().page()).entry_count - 1;
    try {
      path.emplace_back(fixChild(path.back(), last));
    } catch (const SqlError& error) {
      if (error.state() != sqlstate::kDataCorrupted) throw;
      break;
    }
  }
  PageChange change(buffers_, relation_, record_types::kRelations);
  size_t kept = path.size();
  if (!isLeaf(path.back().frame())) {
    const InnerNode& last = innerOf(path.back().page());
    const bool is_damaged = last.level > 1;
    const uint32_t first = is_damaged ? last.entry_count - 1 : 0;
    for (uint32_t index = first; index < last.entry_count; ++index) {
      const Swip swip = Swip::fromBits(last.swips[index]);
      if (swip.isResident())
        change.free(ExclusiveGuard(*swip.frame()));
      else
        change.freeCold(swip.coldPage());
    }
    if (first == 0) --kept;
  } else {
    kept = 0;
  }
  while (kept > 0 && kept < path.size() && innerOf(path[kept - 1].page()).entry_count == 1) --kept;
  if (kept == 0) {
    sayDestroyed(change);
  } else {
    change.change(path[kept - 1].frame());
    change.operation(PageOperation::NodeErase, {innerOf(path[kept - 1].page()).entry_count - 1});
  }
  for (size_t level = path.size(); level > kept; --level) change.free(std::move(path[level - 1]));
  change.finish();
  if (kept > 0) innerOf(path[kept - 1].page()).erase(innerOf(path[kept - 1].page()).entry_count - 1);
  return kept > 0;
}

void RelationTree::destroy() {
  buffers_.prepareRoom(4 * kPageBytesMin);
  try {
    while (destroyLast()) {
    }
  } catch (const SqlError& error) {
    if (error.state() != sqlstate::kDataCorrupted) throw;
    // A table that is damaged can still be dropped.
    PageChange change(buffers_, relation_, record_types::kRelations);
    sayDestroyed(change);
    change.freeCold(root_id_);
    change.finish();
  }
  root_.store(nullptr);
}

}  // namespace gnomon::storage
