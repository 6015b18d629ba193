#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace gnomon {

/// A small number that no other living thread has. Numbers of threads that have ended are given out again.
class ThreadNumber {
 public:
  static uint32_t current() {
    if (current_ == kNone) [[unlikely]]
      current_ = take();
    return current_;
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  static uint32_t take();
  static inline constinit thread_local uint32_t current_ = kNone;
};

/// Counts that many threads raise all the time and somebody reads now and then.
///
/// Raising one is a load and a store of a word that no other thread writes: no locked instruction, no shared cache
/// line. The words of a thread that has ended are the next one's that gets its number, so nothing is lost.
/// Memory: kCount words for each thread number that was used, up to kThreadsMax; further threads share words, with
/// locked instructions. Threads: any.
template <size_t kCount, uint32_t kThreadsMax = 1024>
class ThreadCounters {
 public:
  ThreadCounters() = default;
  ~ThreadCounters() {
    for (std::atomic<Words*>& words : words_) delete words.load();
  }
  ThreadCounters(const ThreadCounters&) = delete;
  ThreadCounters& operator=(const ThreadCounters&) = delete;

  void add(size_t which, uint64_t amount = 1) {
    const uint32_t thread = ThreadNumber::current();
    Words* own = thread < kThreadsMax ? words_[thread].load(std::memory_order_relaxed) : nullptr;
    if (own == nullptr) [[unlikely]]
      return addSlowly(thread, which, amount);
    std::atomic<uint64_t>& word = own->counts[which];
    word.store(word.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }

  /// Of the calling thread; 0 where it shares its counts.
  [[nodiscard]] uint64_t own(size_t which) const {
    const uint32_t thread = ThreadNumber::current();
    const Words* const words = thread < kThreadsMax ? words_[thread].load(std::memory_order_relaxed) : nullptr;
    return words == nullptr ? 0 : words->counts[which].load(std::memory_order_relaxed);
  }
  /// Of all threads; what is being counted meanwhile may be missing.
  [[nodiscard]] uint64_t sum(size_t which) const {
    uint64_t result = common_.counts[which].load(std::memory_order_relaxed);
    for (const std::atomic<Words*>& words : words_)
      if (const Words* own = words.load(std::memory_order_acquire))
        result += own->counts[which].load(std::memory_order_relaxed);
    return result;
  }

 private:
  struct alignas(64) Words {
    std::array<std::atomic<uint64_t>, kCount> counts{};
  };

  void addSlowly(uint32_t thread, size_t which, uint64_t amount) {
    if (thread >= kThreadsMax) {
      common_.counts[which].fetch_add(amount, std::memory_order_relaxed);
      return;
    }
    auto fresh = std::make_unique<Words>();
    fresh->counts[which].store(amount, std::memory_order_relaxed);
    words_[thread].store(fresh.release(), std::memory_order_release);
  }

  std::array<std::atomic<Words*>, kThreadsMax> words_{};
  Words common_;  ///< of threads with higher numbers
};

}  // namespace gnomon
