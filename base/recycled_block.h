#pragma once

#include <array>
#include <cstddef>
#include <new>

namespace gnomon {

/// Memory for what a thread makes and drops over and over: the block that was given back last is taken first, since it
/// is in the processor's caches. An allocator's own lists go round all the blocks that they have.
///
/// Threads: any; each keeps a few blocks, also such as others took, and gives them back to the allocator when it ends.
/// Under sanitizers none are kept: they are to see the end of each thing. Failure: std::bad_alloc.
template <size_t kBytes>
class RecycledBlock {
 public:
  /// Aligned to 16, not initialised.
  static void* take() {
    Kept& kept = kept_;
    if (kept.count > 0) return kept.blocks[--kept.count];
    return ::operator new(kBytes);
  }
  static void give(void* block) noexcept {
    Kept& kept = kept_;
    if (kept.count == kMost || kept.is_over) return ::operator delete(block, kBytes);
    if (!kept.is_owned) own();
    kept.blocks[kept.count++] = block;
  }

 private:
#if defined(__has_feature) && (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
  static constexpr size_t kMost = 0;
#else
  static constexpr size_t kMost = 32;
#endif
  struct Kept {
    std::array<void*, kMost + 1> blocks;
    size_t count;
    bool is_owned;  ///< somebody lets them go when the thread ends
    bool is_over;   ///< it has ended, but for what is destroyed behind that
  };
  struct Owner {
    ~Owner() {
      kept_.is_over = true;
      while (kept_.count > 0) ::operator delete(kept_.blocks[--kept_.count], kBytes);
    }
  };
  [[gnu::noinline]] static void own() noexcept {
    thread_local const Owner owner;
    kept_.is_owned = true;
  }

  static inline constinit thread_local Kept kept_{};
};

/// An allocator of such blocks, for one thing or a few.
template <typename T>
struct RecyclingAllocator {
  static_assert(alignof(T) <= 16);
  using value_type = T;

  RecyclingAllocator() = default;
  template <typename Other>
  // NOLINTNEXTLINE(google-explicit-constructor): allocators are converted so
  RecyclingAllocator(const RecyclingAllocator<Other>& /*other*/) noexcept {}

  T* allocate(size_t count) {
    switch (count) {
      case 1:
        return static_cast<T*>(RecycledBlock<sizeof(T)>::take());
      case 4:
        return static_cast<T*>(RecycledBlock<4 * sizeof(T)>::take());
      case 8:
        return static_cast<T*>(RecycledBlock<8 * sizeof(T)>::take());
      case 16:
        return static_cast<T*>(RecycledBlock<16 * sizeof(T)>::take());
      default:
        return static_cast<T*>(::operator new(count * sizeof(T)));
    }
  }
  void deallocate(T* memory, size_t count) noexcept {
    switch (count) {
      case 1:
        return RecycledBlock<sizeof(T)>::give(memory);
      case 4:
        return RecycledBlock<4 * sizeof(T)>::give(memory);
      case 8:
        return RecycledBlock<8 * sizeof(T)>::give(memory);
      case 16:
        return RecycledBlock<16 * sizeof(T)>::give(memory);
      default:
        return ::operator delete(memory, count * sizeof(T));
    }
  }
  template <typename Other>
  bool operator==(const RecyclingAllocator<Other>& /*other*/) const noexcept {
    return true;
  }
};

}  // namespace gnomon
