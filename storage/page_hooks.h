#pragma once

#include <array>
#include <atomic>
#include <functional>

#include "storage/page.h"

namespace gnomon::storage {

/// Calls its argument with the word of each swip in a page until it returns false. Registered per page type, so that
/// pages can be written and evicted without knowing their format. The page is latched.
using SwipVisitor = void (*)(std::byte* page, const std::function<bool(uint64_t& swip)>& visit);
/// By page type; null: pages of the type hold no swips. Registered again with each tree, while others read them.
using SwipVisitors = std::array<std::atomic<SwipVisitor>, 8>;

/// What the rooms around have to do when pages come and go. Functions may be empty.
struct PageHooks {
  /// Keeps the version map of a page that is evicted.
  std::function<void(PageId id, void* version_map)> orphan;
  /// Gives it back when the page is loaded again; null when there is none.
  std::function<void*(PageId id)> adopt;
  /// Forgets the version map of a page that goes. Nobody looks for the page's tuples any more.
  std::function<void(void* version_map)> discard;
  /// Removes what a map no longer says of the page, which is held exclusively. True: the map is gone.
  std::function<bool(void* version_map)> prune;
};

}  // namespace gnomon::storage
