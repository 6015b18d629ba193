#include <memory>

#include "storage/index/index_tree.h"

// Walks through the whole tree: freeing and checking it.

namespace gnomon::storage {

void IndexTree::freeSubtree(const ExclusiveGuard& parent, uint32_t index) {
  const IndexPage page(parent.page());
  const Swip swip = Swip::fromBits(page.swipWord(index));
  if (page.header().level == 1 && swip.isCold()) return buffers_.freeCold(swip.coldPage());
  ExclusiveGuard child = lockChild(parent, index);
  for (uint32_t below = IndexPage(child.page()).isLeaf() ? 0 : IndexPage(child.page()).count(); below > 0; --below)
    freeSubtree(child, below - 1);
  buffers_.free(std::move(child));
}

void IndexTree::destroy() {
  // Inner pages may have to be read while all above them is held, and nothing below can make room.
  buffers_.prepareRoom(4 * kPageBytesMin);
  ExclusiveGuard root(*root_);
  requireChecked(root);
  for (uint32_t index = IndexPage(root.page()).isLeaf() ? 0 : IndexPage(root.page()).count(); index > 0; --index)
    freeSubtree(root, index - 1);
  buffers_.free(std::move(root));
  root_ = nullptr;
}

IndexTree::Tally IndexTree::audit() {
  Tally seen;
  CHECK(root_->parent.load() == nullptr, "F3");
  const Descent root = descend({}, UINT32_MAX);
  seen.height = root.level + 1;
  auditPage(root.level, {}, nullptr, seen);
  return seen;
}

/// Checks the page at `level` that begins with `lower` and all below it.
void IndexTree::auditPage(uint32_t level, KeyView lower, const KeyView* upper, Tally& seen) {
  // A copy: what lies below can only be read when this page is not held.
  const auto buffer = std::make_unique<IndexPageBuffer>();
  copySound(level, lower, *buffer);
  const IndexPage content(static_cast<const std::byte*>(buffer->bytes));
  CHECK(content.header().level == level && content.isUnique() == is_unique_, "X2");
  CHECK(content.lowerFence() == lower && content.hasUpperFence() == (upper != nullptr), "X2");
  CHECK(!upper || content.upperFence() == *upper, "X2");
  if (content.isLeaf()) {
    seen.entries += content.count();
    seen.leaf_bytes_used += content.usedBytes();
    ++seen.leaves;
    return;
  }
  ++seen.inner_pages;
  for (uint32_t index = 0; index < content.count(); ++index) {
    EncodedKey begin, end;
    content.appendKey(index, begin);
    const bool is_last = index + 1 == content.count();
    if (!is_last) content.appendKey(index + 1, end);
    const KeyView end_view = end.view();
    auditPage(level - 1, begin.view(), is_last ? upper : &end_view, seen);
  }
}

void IndexTree::copySound(uint32_t level, KeyView key, IndexPageBuffer& buffer) {
  for (;;) {
    const Descent found = descend({key}, level);
    ExclusiveGuard guard(found.page.frame());
    if (found.isStillRight()) {
      const Frame& frame = guard.frame();
      CHECK(frame.header().page_id == frame.page_id.load() && frame.header().relation_id == relation_, "P2");
      CHECK(isSound(guard.page(), false), "N1");
      const IndexPage page(guard.page());
      for (uint32_t index = 0; !page.isLeaf() && index < page.count(); ++index) {
        const Swip swip = Swip::fromBits(page.swipWord(index));
        CHECK(swip.isCold() || swip.frame()->parent.load() == &frame, "F3");
      }
      std::memcpy(buffer.bytes, guard.page(), kIndexPageBytes);
    }
    guard.releaseUnchanged();
    if (found.isStillRight()) return;
  }
}

}  // namespace gnomon::storage
