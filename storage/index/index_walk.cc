#include "base/sql_error.h"
#include "storage/index/index_tree.h"
#include "storage/relation_registry.h"

/// How a tree goes. After each record it is a tree still.
namespace gnomon::storage {

/// The last child of an inner page, held exclusively; holds nothing when it cannot be used.
ExclusiveGuard IndexTree::lockLastChild(const ExclusiveGuard& parent) {
  const IndexPage page(parent.page());
  Frame* frame = nullptr;
  try {
    frame = &buffers_.fix(parent, &page.swipWord(page.count() - 1), relation_);
  } catch (const SqlError& error) {
    if (error.state() != sqlstate::kDataCorrupted) throw;
    return {};
  }
  ExclusiveGuard child(*frame);
  const IndexPage content(child.page());
  if (problemOf(child) == nullptr && content.header().level + 1 == page.header().level) return child;
  child.releaseUnchanged();
  return {};
}

/// Leaves, and whatever else hangs from a page that is not gone into.
void IndexTree::freeChildren(PageChange& change, const ExclusiveGuard& parent) {
  const IndexPage page(parent.page());
  for (uint32_t index = 0; index < page.count(); ++index) {
    const Swip swip = Swip::fromBits(page.swipWord(index));
    if (swip.isResident())
      change.free(ExclusiveGuard(*swip.frame()));
    else
      change.freeCold(swip.coldPage());
  }
}

void IndexTree::sayDestroyed(PageChange& change) {
  change.mean(RelationMeaning().treeDestroyed(root_id_).view());
  change.then([this] { buffers_.registry().forgetTree(root_id_); });
}

/// Frees the last page of level 1 with its leaves, and those above it that lead to nothing else. False: the root went,
/// too.
bool IndexTree::destroyLast() {
  std::vector<ExclusiveGuard> path;
  path.emplace_back(rootFrame());
  const bool is_sound = problemOf(path[0]) == nullptr;
  while (is_sound && IndexPage(path.back().page()).header().level > 1) {
    ExclusiveGuard child = lockLastChild(path.back());
    if (!child.holds()) break;
    path.push_back(std::move(child));
  }
  size_t kept = path.size();
  PageChange change(buffers_, relation_, record_types::kRelations);
  const IndexPage last(path.back().page());
  if (is_sound && last.header().level == 1) {
    freeChildren(change, path.back());
    --kept;
  } else if (is_sound && !last.isLeaf()) {
    // A damaged child: it goes, and what hangs from it is lost.
    const Swip swip = Swip::fromBits(last.swipWord(last.count() - 1));
    if (swip.isResident())
      change.free(ExclusiveGuard(*swip.frame()));
    else
      change.freeCold(swip.coldPage());
    if (last.count() == 1) --kept;
  } else {
    kept = 0;
  }
  while (kept > 0 && kept < path.size() && IndexPage(path[kept - 1].page()).count() == 1) --kept;
  if (kept == 0) sayDestroyed(change);
  if (kept > 0) {
    const IndexPage above(path[kept - 1].page());
    change.change(path[kept - 1].frame());
    change.operation(PageOperation::EntryErase, {above.count() - 1u, 0}, "");
  }
  for (size_t level = path.size(); level > kept; --level) change.free(std::move(path[level - 1]));
  change.finish();
  if (kept > 0) IndexPage(path[kept - 1].page()).erase(IndexPage(path[kept - 1].page()).count() - 1u);
  return kept > 0;
}

void IndexTree::destroy() {
  // Inner pages may have to be read while all above them is held, and nothing below can make room.
  buffers_.prepareRoom(4 * kPageBytesMin);
  try {
    while (destroyLast()) {
    }
  } catch (const SqlError& error) {
    if (error.state() != sqlstate::kDataCorrupted) throw;
    // An index that is damaged can still be dropped.
    PageChange change(buffers_, relation_, record_types::kRelations);
    sayDestroyed(change);
    change.freeCold(root_id_);
    change.finish();
  }
  root_.store(nullptr);
}

}  // namespace gnomon::storage
