#pragma once

#include <atomic>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <utility>

#include "txn/version.h"

namespace gnomon::txn {

/// The versions of one tuple, newest first; or the one of tuples that a transaction appended to a leaf.
///
/// Readers follow it without a latch, under an epoch guard. It lies in its page's map, and moves when the holder of the
/// page's exclusive latch adds tuples to the map, or takes them out.
///
/// Most tuples that were changed have one version, which is an update of one column. What undoes that lies in the chain
/// once more, so that readers who hold the page need not look for the version. It is written when a version is added to
/// the chain, and at no other time, that is, under the page's exclusive latch: nobody reads it meanwhile.
/// C1  It is there only where the chain was empty before the version was added: there is no older one. Whatever is
///     added behind takes it away, and what is left when that goes must be looked for.
/// C2  So it belongs to newest(), where that is not null. When the version goes while a reader holds the page, that
///     changes nothing for a snapshot that is before its transaction (Snapshot::isBefore): versions are cut off only
///     when all see them, and who undoes a change restores the tuple before the version goes: what is there is the
///     before-image, and undoing it once more leaves it as it is.
/// C3  It names the writer by its transaction's id, which commit does not change, nor prune().
class VersionChain {
 public:
  static constexpr uint32_t kLong = 16;

  /// How the only version is undone.
  struct LoneUpdate {
    Timestamp writer = 0;  ///< the transaction's id; 0: there is none
    uint64_t value = 0;    ///< Datum::lo; hi is zero
    uint32_t column = 0;
    uint8_t null_flag = 0;
  };

  VersionChain() = default;
  explicit VersionChain(TupleId first) : first_(first) {}
  VersionChain(const VersionChain& other) noexcept { *this = other; }
  VersionChain& operator=(const VersionChain& other) noexcept;
  ~VersionChain() = default;

  /// The tuple, or the first that was appended.
  [[nodiscard]] TupleId first() const { return first_; }
  [[nodiscard]] Version* newest() const { return newest_.load(std::memory_order_acquire); }
  /// So long that it pays to look for versions that nobody needs.
  [[nodiscard]] bool isLong() const { return length() >= kLong; }
  [[nodiscard]] uint32_t length() const { return length_.load(std::memory_order_relaxed); }
  /// Twice as long as the last VersionMap::prune() left it. The page is held exclusively.
  [[nodiscard]] bool isWorthPruning() const { return length() >= prune_at_; }
  /// What the snapshot does not see of the tuple's changes; null: versions must be looked at. For whoever holds the
  /// page and has found newest() not null since.
  [[nodiscard]] const LoneUpdate* loneUpdateFor(const Snapshot& snapshot) const {
    return snapshot.isBefore(lone_.writer) ? &lone_ : nullptr;
  }
  /// The same for any snapshot: to be asked whether it is before the writer.
  [[nodiscard]] const LoneUpdate& loneUpdate() const { return lone_; }

 private:
  friend class VersionMap;
  void noteLoneUpdate(const Version& version);
  void addToLength(uint32_t count) { length_.store(length() + count, std::memory_order_relaxed); }

  TupleId first_;
  std::atomic<Version*> newest_{nullptr};
  std::atomic<uint32_t> length_{0};
  uint32_t prune_at_ = kLong;
  LoneUpdate lone_;
};
static_assert(sizeof(VersionChain) == 48);

/// Chains in the order of their tuples, side by side, so that readers look at few cache lines. Behind them lies what
/// is in them of tuples and lone updates, once more, closer together: there tuples are looked for.
/// Threads: as the map that they belong to; where they lie is read by anybody, for prefetching alone.
class VersionChains {
 public:
  VersionChains() = default;
  VersionChains(const VersionChains&) = delete;
  VersionChains& operator=(const VersionChains&) = delete;

  [[nodiscard]] VersionChain* begin() { return chains_.load(std::memory_order_relaxed); }
  [[nodiscard]] VersionChain* end() { return begin() + size(); }
  [[nodiscard]] const VersionChain* begin() const { return chains_.load(std::memory_order_relaxed); }
  [[nodiscard]] const VersionChain* end() const { return begin() + size(); }
  [[nodiscard]] size_t size() const { return size_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  /// The first that is not of a tuple before `id`.
  [[nodiscard]] const VersionChain* lowerBound(TupleId id) const;
  /// That of the tuple; null: none.
  [[nodiscard]] const VersionChain* find(TupleId id) const;
  /// A new one, without versions, before `place`. `memory`: the same in each call.
  VersionChain& insert(const VersionChain* place, TupleId id, std::pmr::memory_resource& memory);
  /// Makes one without versions that of another tuple, whose place will be `place`: those between move by one.
  VersionChain& giveTo(VersionChain* empty, VersionChain* place, TupleId id);
  /// Takes those without versions out; the values of the others are to be noted. Returns how many.
  size_t eraseEmpty();
  void release(std::pmr::memory_resource& memory);

  /// Keeps the value of the chain's lone update where it can be read fast.
  void noteValue(const VersionChain& chain) { values()[&chain - begin()] = chain.loneUpdate().value; }
  [[nodiscard]] std::span<const TupleId> notedIds() const { return {ids(), size()}; }
  /// Asks memory for where a tuple is looked for, if there are not many.
  void prefetchIds() const {
    constexpr size_t kIdsEach = 64 / sizeof(TupleId), kLinesMax = 3;
    for (size_t line = 0; line < kLinesMax && line * kIdsEach < size(); ++line)
      __builtin_prefetch(ids() + line * kIdsEach);
  }
  [[nodiscard]] std::span<const uint64_t> notedValues() const { return {values(), size()}; }

 private:
  static constexpr size_t kBytesEach = sizeof(VersionChain) + sizeof(TupleId) + sizeof(uint64_t);
  [[nodiscard]] uint32_t capacity() const { return capacity_.load(std::memory_order_relaxed); }
  [[nodiscard]] TupleId* ids() const {
    return reinterpret_cast<TupleId*>(chains_.load(std::memory_order_relaxed) + capacity());
  }
  [[nodiscard]] uint64_t* values() const { return reinterpret_cast<uint64_t*>(ids() + capacity()); }
  void grow(std::pmr::memory_resource& memory);

  std::atomic<VersionChain*> chains_{nullptr};
  std::atomic<uint32_t> size_{0};
  std::atomic<uint32_t> capacity_{0};
};

/// The version chains of one page, found through its frame.
///
/// Departure from paper 1: two sorted lists in the place of a hash table, since readers look at chains in the order of
/// the page's tuples, and most are added in that order too. Tuples that were appended one after the other share a
/// chain of one version. A chain without versions becomes that of a tuple whose place is beside it, so that a page
/// whose versions soon go needs few. Threads: which chains there are changes under the page's exclusive latch and the
/// map's own latch, and is read under either, the page's shared latch, that is, as a rule; what is in them changes
/// under the map's latch, and is read without. The map's latch is held for moments, by those who add versions and those
/// who cut them off. Layout: a cache line, since readers of a page that they see as it lies there look at nothing else.
class alignas(64) VersionMap {
 public:
  /// `memory`: of its chains; outlives it.
  explicit VersionMap(std::pmr::memory_resource& memory = *std::pmr::new_delete_resource()) : memory_(memory) {}
  ~VersionMap() {
    tuples_.release(memory_);
    created_.release(memory_);
  }
  VersionMap(const VersionMap&) = delete;
  VersionMap& operator=(const VersionMap&) = delete;

  /// Makes `version` the newest of its tuple. The page is held exclusively.
  void add(Version& version);
  /// The same where find() led to the tuple's chain.
  void add(Version& version, VersionChain& chain);
  /// The same for tuples from version.id to below `end`, which were appended. Called again with a higher `end` for
  /// tuples that follow.
  void addCreated(Version& version, TupleId end);

  /// In the order of tuple ids.
  [[nodiscard]] const VersionChains& tuples() const { return tuples_; }
  [[nodiscard]] const VersionChains& created() const { return created_; }
  /// The snapshot sees the page as it lies there: who has added versions had ended before it.
  [[nodiscard]] bool isSeenBy(const Snapshot& snapshot) const {
    return newest_writer_.load(std::memory_order_relaxed) < snapshot.ended;
  }
  /// Updates that are undone by storing a value each, of tuples in their order.
  struct LoneUpdates {
    uint32_t column;
    std::span<const TupleId> ids;
    std::span<const uint64_t> values;  ///< Datum::lo, none of them NULL
  };
  /// All that the snapshot does not see of changes of tuples that were there before, if that is so easily said:
  /// chains whose versions are gone are among them, which changes nothing (C2). For as long as the page is held.
  [[nodiscard]] std::optional<LoneUpdates> loneUpdatesFor(const Snapshot& snapshot) const {
    const Timestamp oldest = oldest_lone_writer_.load(std::memory_order_relaxed);
    if (oldest == 0 || !snapshot.isBefore(oldest)) return std::nullopt;
    if (snapshot.own > oldest && snapshot.own <= newest_writer_.load(std::memory_order_relaxed)) return std::nullopt;
    return LoneUpdates{lone_column_.load(std::memory_order_relaxed), tuples_.notedIds(), tuples_.notedValues()};
  }
  /// The chain of one tuple; null: none. For as long as the page is held.
  [[nodiscard]] const VersionChain* find(TupleId id) const;
  /// For whoever holds the page exclusively.
  [[nodiscard]] VersionChain* find(TupleId id) { return const_cast<VersionChain*>(std::as_const(*this).find(id)); }
  /// The version of the tuples that the tuple was appended with; null: none. Under an epoch guard.
  [[nodiscard]] const Version* findCreated(TupleId id) const;

  /// Takes out of a chain updates that committed behind the next older one with no snapshot between them: whoever
  /// undoes one undoes the other. The older one, if it has all columns, has the last word and takes over the newer
  /// one's time. Returns how many. The page is held exclusively, and an epoch guard.
  size_t prune(VersionChain& chain, const SnapshotStarts& snapshots);

  /// More than one chain in twenty has no versions.
  [[nodiscard]] bool isWorthPruning() const {
    constexpr uint64_t kShare = 20;
    const uint64_t empty = empty_count_.load(std::memory_order_relaxed);
    return empty != 0 && empty * kShare > tuples_.size() + created_.size();
  }
  /// The same for who changes the page, and would have the work again and again: enough of them that it pays.
  [[nodiscard]] bool isCrowded() const {
    constexpr uint32_t kEmptyMin = 16;
    return empty_count_.load(std::memory_order_relaxed) >= kEmptyMin && isWorthPruning();
  }
  [[nodiscard]] bool isEmpty() const { return tuples_.empty() && created_.empty(); }
  /// Takes empty chains out. The page is held exclusively.
  void prune();
  /// Takes the versions out of all chains. Nobody looks for the page's tuples. Under an epoch guard.
  void unlinkAll();

 private:
  friend void unlinkVisible(Version& version);
  friend void unlinkOwn(Version& version);
  /// Holds the map's latch.
  class Held;

  void lockSlow();
  void cutOff(Version& version);
  void takeOut(Version& version);
  // Under the latch:
  VersionChain& chainFor(VersionChains& chains, TupleId id);
  void push(Version& version, VersionChain& chain);
  void noteLoneUpdate(const VersionChain& chain);
  /// That of a version that is in one.
  VersionChain& chainOf(const Version& version);
  /// Takes `version`, which is behind `newer`, and all that are older out.
  void cut(VersionChain& chain, Version* newer, Version* version);
  void addToEmpty(uint32_t count) {
    empty_count_.store(empty_count_.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
  }

  VersionChains tuples_, created_;
  std::pmr::memory_resource& memory_;
  std::atomic<Timestamp> newest_writer_{0};  ///< the largest id of a transaction that has added versions
  /// No lone update of tuples_ has a smaller one; 0: there are changes of other kinds, or of several columns, or NULLs.
  /// Changes under the page's exclusive latch, as lone updates do.
  std::atomic<Timestamp> oldest_lone_writer_{UINT64_MAX};
  std::atomic<uint32_t> empty_count_{0};  ///< chains without versions
  std::atomic<uint16_t> lone_column_{0};  ///< of all lone updates, unless oldest_lone_writer_ is 0
  std::atomic<uint16_t> latch_{0};
};
static_assert(sizeof(VersionMap) == 64);

/// Takes a version that everybody sees, and all older ones, out of its chain. Under an epoch guard.
void unlinkVisible(Version& version);
/// Takes a version out that its transaction undoes, or a lock that it gives up: above it in the chain are others' locks
/// alone. Under an epoch guard.
void unlinkOwn(Version& version);

}  // namespace gnomon::txn
