#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "base/sql_error.h"
#include "storage/index/index_tree.h"

/// The checks of a whole tree.
namespace gnomon::storage {

/// What is wrong with one page, said with its name.
class IndexTree::Check {
 public:
  Check(IndexTree& tree, Findings& findings) : tree_(tree), findings_(findings) {}

  Tally run() {
    uint32_t level = 0;
    const bool has_root = guarded([&] {
      level = tree_.descend({}, UINT32_MAX).level;
      require(tree_.rootFrame().parent.load() == nullptr, tree_.root(), "is a root with a parent");
    });
    if (has_root)
      checkPage(tree_.root(), level, {}, nullptr);
    else
      findings_.pages.push_back(tree_.root());
    seen_.height = level + 1;
    return seen_;
  }

 private:
  bool require(bool holds, PageId id, const char* what) {
    if (!holds)
      findings_.problems.push_back(fmt::format("page {} of size class {} of index {}: {}", id.number(),
                                               id.sizeClass().index, tree_.relation_.value, what));
    return holds;
  }
  /// A page that cannot be read is one problem; those beside it are looked at all the same.
  template <typename Action>
  bool guarded(Action&& action) {
    try {
      action();
      return true;
    } catch (const SqlError& error) {
      findings_.problems.push_back(error.detail().empty() ? error.message() : error.message() + ". " + error.detail());
      return false;
    }
  }

  /// Checks the page at `level` that begins with `lower` and ends before `upper`, and all below it.
  void checkPage(PageId id, uint32_t level, KeyView lower, const KeyView* upper) {
    findings_.pages.push_back(id);
    // A copy: what lies below can only be read when this page is not held.
    const auto buffer = std::make_unique<IndexPageBuffer>();
    std::vector<PageId> children;
    if (!guarded([&] { copyPage(id, level, lower, *buffer, children); })) return;
    const IndexPage page(static_cast<const std::byte*>(buffer->bytes));
    const bool is_in_place = page.header().level == level && page.isUnique() == tree_.is_unique_ &&
                             page.lowerFence() == lower && page.hasUpperFence() == (upper != nullptr) &&
                             (upper == nullptr || page.upperFence() == *upper);
    if (!is_sound_ || !require(is_in_place, id, "stands in another's place")) return;
    if (page.isLeaf()) {
      seen_.entries += page.count();
      seen_.leaf_bytes_used += page.usedBytes();
      ++seen_.leaves;
      return;
    }
    ++seen_.inner_pages;
    for (uint32_t index = 0; index < page.count(); ++index) {
      EncodedKey begin, end;
      page.appendKey(index, begin);
      const bool is_last = index + 1 == page.count();
      if (!is_last) page.appendKey(index + 1, end);
      const KeyView end_view = end.view();
      checkPage(children[index], level - 1, begin.view(), is_last ? upper : &end_view);
    }
  }

  void copyPage(PageId id, uint32_t level, KeyView key, IndexPageBuffer& buffer, std::vector<PageId>& children) {
    for (;;) {
      const Descent found = tree_.descend({key}, level);
      const SharedGuard guard(found.page.frame());
      if (!found.isStillRight()) continue;
      const Frame& frame = guard.frame();
      is_sound_ = require(
          frame.page_id.load() == id && frame.header().page_id == id && frame.header().relation_id == tree_.relation_,
          id, "stands in another's place");
      if (!is_sound_) return;
      copyWithSwips(guard.page(), kIndexPageBytes, buffer.bytes);
      const char* problem = findPageProblem(buffer.bytes, false);
      is_sound_ = require(problem == nullptr, id, problem);
      if (!is_sound_) return;
      const IndexPage page(static_cast<const std::byte*>(buffer.bytes));
      for (uint32_t index = 0; !page.isLeaf() && index < page.count(); ++index) {
        const Swip swip = Swip::fromBits(page.swipWord(index));
        children.push_back(swip.pageId());
        require(swip.isCold() || swip.frame()->parent.load() == &frame, id, "is not its child's parent");
      }
      return;
    }
  }

  IndexTree& tree_;
  Findings& findings_;
  Tally seen_;
  bool is_sound_ = false;  ///< the page that was copied last
};

IndexTree::Tally IndexTree::check(Findings& findings) {
  return Check(*this, findings).run();
}

IndexTree::Tally IndexTree::audit() {
  Findings findings;
  const Tally seen = check(findings);
  for (const std::string& problem : findings.problems) spdlog::critical("{}", problem);
  CHECK(findings.problems.empty(), "X2");
  return seen;
}

}  // namespace gnomon::storage
