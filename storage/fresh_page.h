#pragma once

#include <utility>

#include "storage/buffer_manager.h"

namespace gnomon::storage {

/// A page allocated before it is known to be needed, so that a change of the tree cannot fail half way. Freed unless
/// kept.
class FreshPage {
 public:
  /// Failure: as BufferManager::allocate.
  FreshPage(BufferManager& buffers, RelationId relation, PageType type, SizeClass size_class = {})
      : buffers_(buffers), guard_(buffers.allocate(size_class, relation, type)) {}
  ~FreshPage() {
    if (guard_.holds()) buffers_.free(std::move(guard_));
  }
  FreshPage(const FreshPage&) = delete;
  FreshPage& operator=(const FreshPage&) = delete;

  [[nodiscard]] const ExclusiveGuard& guard() const { return guard_; }
  /// The page is linked into the tree, and logged: lets go of it.
  void keep() { guard_.release(); }

 private:
  BufferManager& buffers_;
  ExclusiveGuard guard_;
};

}  // namespace gnomon::storage
