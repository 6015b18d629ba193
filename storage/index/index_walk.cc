#include "base/sql_error.h"
#include "storage/index/index_tree.h"

namespace gnomon::storage {

void IndexTree::freeSubtree(const ExclusiveGuard& parent, uint32_t index) {
  const IndexPage page(parent.page());
  const Swip swip = Swip::fromBits(page.swipWord(index));
  if (page.header().level == 1 && swip.isCold()) return buffers_.freeCold(swip.coldPage());
  Frame* frame = nullptr;
  try {
    frame = &buffers_.fix(parent, &page.swipWord(index), relation_);
  } catch (const SqlError& error) {
    if (error.state() != sqlstate::kDataCorrupted) throw;
    return buffers_.freeCold(swip.coldPage());
  }
  ExclusiveGuard child(*frame);
  const IndexPage content(child.page());
  const bool is_sound = problemOf(child) == nullptr && content.header().level + 1 == page.header().level;
  for (uint32_t below = is_sound && !content.isLeaf() ? content.count() : 0; below > 0; --below)
    freeSubtree(child, below - 1);
  buffers_.free(std::move(child));
}

void IndexTree::destroy() {
  // Inner pages may have to be read while all above them is held, and nothing below can make room.
  buffers_.prepareRoom(4 * kPageBytesMin);
  Frame* frame = nullptr;
  try {
    frame = &rootFrame();
  } catch (const SqlError& error) {
    if (error.state() != sqlstate::kDataCorrupted) throw;
    // An index that is damaged can still be dropped.
    return buffers_.freeCold(root_id_);
  }
  ExclusiveGuard root(*frame);
  const IndexPage content(root.page());
  const bool is_sound = problemOf(root) == nullptr;
  for (uint32_t index = is_sound && !content.isLeaf() ? content.count() : 0; index > 0; --index)
    freeSubtree(root, index - 1);
  buffers_.free(std::move(root));
  root_.store(nullptr);
}

}  // namespace gnomon::storage
