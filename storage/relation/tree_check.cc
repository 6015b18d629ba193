#include <fmt/format.h>

#include <memory>

#include "base/sql_error.h"
#include "storage/relation/leaf_check.h"
#include "storage/relation/tree.h"

/// The checks of a whole tree.
namespace gnomon::storage {

namespace {

std::string nameOf(PageId id) {
  return fmt::format("page {} of size class {}", id.number(), id.sizeClass().index);
}

}  // namespace

/// What is wrong with one page, said with its name.
class RelationTree::Check {
 public:
  Check(RelationTree& tree, Findings& findings) : tree_(tree), findings_(findings) {}

  Tally run() {
    guarded([&] {
      const Frame& root = tree_.rootFrame();
      if (root.header().type == PageType::RelationLeaf)
        checkLeaf(tree_.root(), TupleId{0}, TupleId{UINT64_MAX});
      else
        checkInner(tree_.root(), innerOf(root.page).level, TupleId{0}, TupleId{UINT64_MAX});
    });
    return seen_;
  }

 private:
  bool require(bool holds, PageId id, const char* what) {
    if (!holds)
      findings_.problems.push_back(fmt::format("{} of relation {}: {}", nameOf(id), tree_.relation_.value, what));
    return holds;
  }
  /// A page that cannot be read is one problem; those beside it are looked at all the same.
  template <typename Action>
  void guarded(Action&& action) {
    try {
      action();
    } catch (const SqlError& error) {
      findings_.problems.push_back(error.detail().empty() ? error.message() : error.message() + ". " + error.detail());
    }
  }

  void checkInner(PageId id, uint32_t level, TupleId first, TupleId end) {
    findings_.pages.push_back(id);
    // A copy: what lies below can only be read when this page is not held.
    auto node = std::make_unique<InnerNode>();
    std::vector<PageId> children;
    {
      const SharedGuard guard = tree_.findInner(level, first);
      const Frame& frame = guard.frame();
      copyWithSwips(frame.page, sizeof(InnerNode), reinterpret_cast<std::byte*>(node.get()));
      if (!require(node->page.page_id == id && node->page.relation_id == tree_.relation_, id,
                   "stands in another's place"))
        return;
      if (!require(node->level == level && node->entry_count > 0 && node->entry_count <= InnerNode::kEntriesMax, id,
                   "has a wrong level or number of entries"))
        return;
      for (uint32_t index = 0; index < node->entry_count; ++index) {
        const Swip swip = Swip::fromBits(node->swips[index]);
        children.push_back(swip.pageId());
        require(swip.isCold() || swip.frame()->parent.load() == &frame, id, "is not its child's parent");
      }
    }
    for (uint32_t index = 0; index < node->entry_count; ++index) {
      const TupleId child_first{node->first_ids[index]};
      const TupleId child_end = index + 1 == node->entry_count ? end : TupleId{node->first_ids[index + 1]};
      if (!require(child_first >= first && child_first < child_end, id, "has entries out of order")) continue;
      guarded([&] {
        if (level == 1)
          checkLeaf(children[index], child_first, child_end);
        else
          checkInner(children[index], level - 1, child_first, child_end);
      });
    }
  }

  void checkLeaf(PageId id, TupleId first, TupleId end) {
    findings_.pages.push_back(id);
    uint64_t next_first_id;
    const SharedGuard guard = tree_.findLeaf(first, next_first_id);
    const Frame& frame = guard.frame();
    if (!require(frame.header().page_id == id && frame.header().relation_id == tree_.relation_ &&
                     frame.size_class == id.sizeClass() && next_first_id == end.value,
                 id, "stands in another's place"))
      return;
    if (!require(Leaf::isSound(frame.page, frame.pageBytes(), tree_.schema_), id, "is not a sound leaf")) return;
    const uint32_t tuple_count = reinterpret_cast<const LeafHeader*>(frame.page)->tuple_count;
    require(tuple_count > 0 || &frame == &tree_.rootFrame() || next_first_id == UINT64_MAX, id, "is an empty leaf");
    std::vector<const char*> problems;
    const LeafCounts counts = checkLeafContents(frame.page, frame.pageBytes(), tree_.schema_, first, end, problems);
    for (const char* problem : problems) require(false, id, problem);
    seen_.tuples += counts.tuples;
    seen_.deleted += counts.deleted;
    seen_.variable_bytes += counts.string_bytes;
    ++seen_.leaves;
  }

  RelationTree& tree_;
  Findings& findings_;
  Tally seen_;
};

RelationTree::Tally RelationTree::check(Findings& findings) {
  return Check(*this, findings).run();
}

/// The inner node of a level whose range holds `id`, held shared.
SharedGuard RelationTree::findInner(uint32_t level, TupleId id) {
  for (;;) {
    OptimisticGuard node(rootFrame());
    for (;;) {
      InnerEntry entry;
      if (!findEntry(node.page(), id, entry) || !node.isValid()) break;
      if (entry.level == level) {
        SharedGuard guard(node.frame());
        if (node.isValid()) return guard;
        break;
      }
      uint64_t* where = &innerOf(node.frame().page).swips[entry.index];
      Frame* frame = buffers_.resolve(node, where, entry.swip, relation_);
      if (!frame) break;
      const OptimisticGuard child(*frame);
      if (!node.isValid()) break;
      node = child;
    }
  }
}

}  // namespace gnomon::storage
