#include "storage/index/key_hints.h"

#include <algorithm>
#include <bit>
#include <new>

#include "base/large_memory.h"

namespace gnomon::storage {

namespace {

constexpr uint64_t kFirstWords = 1024;
constexpr uint64_t kWordsMax = uint64_t{1} << 22;
constexpr uint64_t kGrowth = 4;
/// Full sets lose hints: with a word for each tuple a fifth of them.
constexpr uint64_t kWordsPerTuple = 2;
/// Of sampled lookups: as many tell whether hints help, and if they do not, as many go by without.
constexpr uint64_t kTrialSamples = 1024;
constexpr uint64_t kPausedSamples = 16 * kTrialSamples;
/// One hit pays for so many misses.
constexpr uint64_t kMissesPerHit = 8;

}  // namespace

KeyHints::Table::Table(uint64_t word_count, const Table* before)
    : former(before),
      mask(word_count / kWays - 1),
      words(static_cast<std::atomic<uint64_t>*>(allocateLarge(word_count * sizeof(uint64_t)))) {
  static_assert(sizeof(std::atomic<uint64_t>) == sizeof(uint64_t));
  if (words == nullptr) throw std::bad_alloc();
}

KeyHints::Table::~Table() {
  freeLarge(words, wordCount() * sizeof(uint64_t));
}

KeyHints::~KeyHints() {
  for (const auto& table : tables_) memory_.give(table->wordCount() * sizeof(uint64_t));
}

bool KeyHints::noteMiss(uint64_t hash, Frame& frame, uint32_t row, uint64_t tuple_count) {
  if (isSampled(hash)) countMiss(tuple_count);
  if (is_paused_.load(std::memory_order_relaxed)) return false;
  keep(hash, frame, row);
  return kWordsPerTuple * tuple_count <= kWordsMax;
}

bool KeyHints::keep(uint64_t hash, Frame& frame, uint32_t row) {
  const Table* table = table_.load(std::memory_order_acquire);
  if (table == nullptr) {
    grow(kFirstWords);
    table = table_.load(std::memory_order_acquire);
    if (table == nullptr) return false;
  }
  const auto address = reinterpret_cast<uintptr_t>(&frame);
  if (row > UINT16_MAX || address >> 47 != 0) return false;
  const uint64_t word = address >> 6 << kFrameShift | fingerprint(hash) << kRowBits | row;
  std::atomic<uint64_t>* const set = table->set(hash);
  size_t way = hash >> 48 & (kWays - 1);
  bool is_known = false;
  for (size_t each = 0; each < kWays; ++each) {
    const uint64_t before = set[each].load(std::memory_order_relaxed);
    if (before != 0 && fingerprintIn(before) != fingerprint(hash)) continue;
    way = each;
    is_known = before != 0;
    if (is_known) break;
  }
  set[way].store(word, std::memory_order_relaxed);
  return !is_known;
}

/// A sampled one.
void KeyHints::countMiss(uint64_t tuple_count) {
  const uint64_t misses = misses_.fetch_add(1, std::memory_order_relaxed) + 1;
  const auto beginAnew = [this] {
    hits_.store(0, std::memory_order_relaxed);
    misses_.store(0, std::memory_order_relaxed);
    neighbours_.store(0, std::memory_order_relaxed);
  };
  if (is_paused_.load(std::memory_order_relaxed)) {
    if (misses < kPausedSamples) return;
    beginAnew();
    is_paused_.store(false, std::memory_order_relaxed);
    return;
  }
  const Table* const table = table_.load(std::memory_order_acquire);
  if (table == nullptr) return;
  const uint64_t words = table->wordCount();
  if (misses * kKeysPerSample >= words / 2) asks_former_.store(false, std::memory_order_relaxed);
  const uint64_t wanted = std::min(std::bit_ceil(std::max(kWordsPerTuple * tuple_count, kFirstWords)), kWordsMax);
  const uint64_t noted = misses + neighbours_.load(std::memory_order_relaxed);
  if (noted * kKeysPerSample >= words && words < wanted) {
    beginAnew();
    return grow(std::min(words * kGrowth, wanted));
  }
  // All that there is room for has been noted once by then.
  if (misses < std::max(kTrialSamples, 2 * words / kKeysPerSample)) return;
  const bool is_of_use = hits_.load(std::memory_order_relaxed) * kMissesPerHit >= misses;
  beginAnew();
  if (!is_of_use) is_paused_.store(true, std::memory_order_relaxed);
}

void KeyHints::grow(uint64_t word_count) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  const Table* const before = table_.load(std::memory_order_relaxed);
  if (before != nullptr && before->wordCount() >= word_count) return;
  const uint64_t bytes = word_count * sizeof(uint64_t);
  if (!memory_.tryTake(bytes)) return;
  try {
    tables_.push_back(std::make_unique<Table>(word_count, before));
  } catch (const std::bad_alloc&) {
    memory_.give(bytes);
    return;
  }
  asks_former_.store(before != nullptr, std::memory_order_relaxed);
  table_.store(tables_.back().get(), std::memory_order_release);
}

}  // namespace gnomon::storage
