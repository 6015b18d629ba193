#include "storage/relation/tree.h"

#include <thread>

/// Changes of the tree's structure other than at its right edge.
namespace gnomon::storage {

/// The node above the leaf whose range holds `id`, held exclusively, with the leaf in memory and its index. Holds
/// nothing when the root is a leaf.
ExclusiveGuard RelationTree::lockParent(TupleId id, uint32_t& index) {
  for (;;) {
    // Only this thread turns a root into another kind of page.
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

void RelationTree::replaceLeaf(TupleId id, ExclusiveGuard fresh) {
  Frame& frame = fresh.frame();
  uint32_t index = 0;
  ExclusiveGuard parent;
  Frame* before = nullptr;
  try {
    parent = lockParent(id, index);
    if (parent.holds()) before = &fixChild(parent, index);
  } catch (...) {
    parent.releaseUnchanged();
    buffers_.free(std::move(fresh));
    throw;
  }
  if (!parent.holds()) {
    ExclusiveGuard root(rootFrame());
    inherit(frame, root.frame());
    makeRootInner(root, 1);
    innerOf(root.page()).append(reinterpret_cast<const LeafHeader*>(fresh.page())->first_tuple_id, Swip::hot(&frame));
    frame.parent.store(&root.frame());
    return;
  }
  // Its readers hold it shared and wait for nobody.
  ExclusiveGuard leaf(*before);
  inherit(frame, leaf.frame());
  frame.parent.store(&parent.frame());
  std::atomic_ref(innerOf(parent.page()).swips[index]).store(Swip::hot(&frame).bits());
  parent.markDirty();
  buffers_.free(std::move(leaf));
}

}  // namespace gnomon::storage
