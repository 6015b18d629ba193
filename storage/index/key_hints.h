#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/memory_share.h"
#include "storage/frame.h"

namespace gnomon::storage {

/// Where tuples were found last by their whole key in a unique index: for a hash of the key the frame of a leaf, and a
/// row of it. Whoever finds the tuple there need not go down the index's tree, nor the relation's.
///
/// A hint may be wrong in every way, since nobody is told when tuples and pages move: who follows it holds the page and
/// compares the key there. Nothing is lost with a hint. Layout: sets of kWays words, of which a cache line holds two:
///   address of the frame / 64 (41 bits) | fingerprint (7) | row (16); 0: none
/// Memory: it begins small, and grows while more is noted, up to two words for each tuple and as long as there is some
/// of the share. Where hints do not help, because keys are looked up rarely twice, they are not asked for a while.
/// Threads: any.
class KeyHints {
 public:
  /// `memory` outlives this.
  explicit KeyHints(MemoryShare& memory) : memory_(memory) {}
  ~KeyHints();
  KeyHints(const KeyHints&) = delete;
  KeyHints& operator=(const KeyHints&) = delete;

  struct Place {
    Frame* frame = nullptr;  ///< null: no hint
    uint32_t row = 0;
    bool is_former = false;  ///< of the table before
  };
  [[nodiscard]] Place find(uint64_t hash) const {
    const Table* const table = table_.load(std::memory_order_acquire);
    if (table == nullptr || is_paused_.load(std::memory_order_relaxed)) return {};
    const Place found = table->find(hash);
    if (found.frame != nullptr || table->former == nullptr || !asks_former_.load(std::memory_order_relaxed))
      return found;
    Place former = table->former->find(hash);
    former.is_former = true;
    return former;
  }
  /// What find() will read is asked of memory.
  void prefetch(uint64_t hash) const {
    const Table* const table = table_.load(std::memory_order_acquire);
    if (table == nullptr) return;
    __builtin_prefetch(table->set(hash));
    if (table->former != nullptr && asks_former_.load(std::memory_order_relaxed))
      __builtin_prefetch(table->former->set(hash));
  }
  /// The hint led to the tuple.
  void noteHit(uint64_t hash, const Place& place) {
    if (isSampled(hash)) hits_.fetch_add(1, std::memory_order_relaxed);
    if (place.is_former) keep(hash, *place.frame, place.row);
  }
  /// There was none, or it was wrong: the tuple is here. `tuple_count`: of the relation, an estimate.
  /// Returns whether there will be room for a hint of each tuple: then the tuple's neighbours may as well be noted.
  bool noteMiss(uint64_t hash, Frame& frame, uint32_t row, uint64_t tuple_count);
  /// A tuple that nobody has looked for; behind noteMiss().
  void noteNeighbour(uint64_t hash, Frame& frame, uint32_t row) {
    if (keep(hash, frame, row) && isSampled(hash)) neighbours_.fetch_add(1, std::memory_order_relaxed);
  }

 private:
  static constexpr size_t kWays = 4;
  static constexpr unsigned kRowBits = 16;
  static constexpr unsigned kFingerprintBits = 7;
  static constexpr unsigned kFrameShift = kRowBits + kFingerprintBits;

  struct Table {
    Table(uint64_t word_count, const Table* before);
    ~Table();
    Table(const Table&) = delete;
    Table& operator=(const Table&) = delete;
    [[nodiscard]] std::atomic<uint64_t>* set(uint64_t hash) const { return words + (hash & mask) * kWays; }
    [[nodiscard]] uint64_t wordCount() const { return (mask + 1) * kWays; }
    [[nodiscard]] Place find(uint64_t hash) const {
      const std::atomic<uint64_t>* const ways = set(hash);
      for (size_t way = 0; way < kWays; ++way) {
        const uint64_t word = ways[way].load(std::memory_order_relaxed);
        if (word != 0 && fingerprintIn(word) == fingerprint(hash)) return placeIn(word);
      }
      return {};
    }

    const Table* const former;  ///< the smaller one before, whose hints are still good; null: it is the first
    const uint64_t mask;        ///< of sets
    std::atomic<uint64_t>* const words;
  };

  static uint64_t fingerprint(uint64_t hash) { return hash >> (64 - kFingerprintBits); }
  static uint64_t fingerprintIn(uint64_t word) { return word >> kRowBits & ((1 << kFingerprintBits) - 1); }
  static Place placeIn(uint64_t word) {
    return {reinterpret_cast<Frame*>(word >> kFrameShift << 6), static_cast<uint32_t>(word & UINT16_MAX)};
  }
  /// Of the keys some are counted.
  static constexpr uint64_t kKeysPerSample = 64;
  static bool isSampled(uint64_t hash) { return (hash >> 32) % kKeysPerSample == 0; }
  void countMiss(uint64_t tuple_count);
  /// Returns whether there was none of that fingerprint.
  bool keep(uint64_t hash, Frame& frame, uint32_t row);
  void grow(uint64_t word_count);

  MemoryShare& memory_;
  std::atomic<const Table*> table_{nullptr};
  std::atomic<bool> is_paused_{false};
  /// What is used of the table before has not been taken over yet.
  std::atomic<bool> asks_former_{false};
  /// Sampled, since the table grew, or hints were paused.
  std::atomic<uint64_t> hits_{0}, misses_{0}, neighbours_{0};
  std::mutex mutex_;                            ///< held by who grows it
  std::vector<std::unique_ptr<Table>> tables_;  ///< the last one is used, and the one before
};

}  // namespace gnomon::storage
