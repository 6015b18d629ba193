#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "storage/relation/schema.h"
#include "wal/gsn.h"

namespace gnomon::txn {

using storage::Datum;
using storage::TupleId;

/// A point in the order of commits, or the id of a transaction that has not committed (from kTransactionIdMin on).
using Timestamp = uint64_t;
inline constexpr Timestamp kTransactionIdMin = uint64_t{1} << 63;

class VersionChain;
class VersionMap;

/// One change of a tuple, with what it was before; tuples that were appended one after the other; or a lock on a tuple.
///
/// Source: paper 1, sections 2.2 and 3.1; paper 3, section 2.1. Lives in the memory of the transaction that made it.
/// Threads: timestamp and links are read by anybody; `older` and `chain` change under the chain's latch.
///
/// Layout: what readers look at lies together at the end, and the before-image behind it: values, column numbers, null
/// flags, column_count of each.
struct alignas(16) Version {
  enum class Kind : uint8_t { Created, Updated, Deleted, LockedShared, Locked };

  std::atomic<VersionChain*> chain{nullptr};  ///< null: it is in none any more
  Version* earlier = nullptr;                 ///< the one that the transaction made before
  TupleId id;                                 ///< Created: the first
  wal::LogPosition record;                    ///< Updated, Deleted: in the log; 0: there is none
  std::atomic<Timestamp> timestamp;           ///< the transaction's id, then its commit timestamp
  std::atomic<Version*> older{nullptr};       ///< the next in the chain
  uint32_t command;                           ///< of the transaction that made it
  const uint16_t column_count;                ///< Updated: of the before-image
  const Kind kind;

  /// In memory of bytes(columns).
  Version(Timestamp transaction, uint32_t command_number, Kind version_kind, TupleId tuple, uint16_t columns = 0)
      : id(tuple), timestamp(transaction), command(command_number), column_count(columns), kind(version_kind) {}
  static constexpr size_t bytes(size_t columns);
  /// Ascending.
  [[nodiscard]] const uint32_t* columns() const { return reinterpret_cast<const uint32_t*>(values() + column_count); }
  /// Strings are in the transaction's memory.
  [[nodiscard]] const Datum* values() const { return reinterpret_cast<const Datum*>(this + 1); }
  [[nodiscard]] const uint8_t* nullFlags() const { return reinterpret_cast<const uint8_t*>(columns() + column_count); }
  /// The same for whoever makes the version.
  [[nodiscard]] uint32_t* columns() { return reinterpret_cast<uint32_t*>(values() + column_count); }
  [[nodiscard]] Datum* values() { return reinterpret_cast<Datum*>(this + 1); }
  [[nodiscard]] uint8_t* nullFlags() { return reinterpret_cast<uint8_t*>(columns() + column_count); }
  /// It says who may change the tuple, and nothing of its values.
  [[nodiscard]] bool isLock() const { return kind == Kind::LockedShared || kind == Kind::Locked; }
  /// Has the processor fetch what readers look at, with the before-image of one column.
  void prefetch() const {
    __builtin_prefetch(&timestamp);
    __builtin_prefetch(reinterpret_cast<const std::byte*>(this) + bytes(1) - 1);
  }
};
static_assert(sizeof(Version) == 64);

constexpr size_t Version::bytes(size_t columns) {
  return sizeof(Version) + columns * (sizeof(Datum) + sizeof(uint32_t) + sizeof(uint8_t));
}

/// What a statement sees: what had committed when it began, and what its own transaction's earlier statements changed.
struct Snapshot {
  Timestamp start = 0;
  Timestamp own = 0;     ///< the transaction's id; 0: none
  uint32_t command = 0;  ///< the statement's number in it
  /// Bulk epochs from here on are not seen.
  uint64_t epoch = UINT64_MAX;
  /// Transactions with smaller ids had ended when it was taken: what they changed and did not undo is seen.
  Timestamp ended = 0;

  [[nodiscard]] bool sees(const Version& version) const {
    const Timestamp timestamp = version.timestamp.load(std::memory_order_acquire);
    return timestamp <= start || (timestamp == own && version.command < command);
  }
  /// Whether a page with this reference epoch is as it lies there, as far as virtual versions are concerned.
  [[nodiscard]] bool seesEpoch(uint64_t reference_epoch) const { return reference_epoch < epoch; }
};

/// The snapshots that there were at a moment.
struct SnapshotStarts {
  std::vector<Timestamp> starts;  ///< ascending
  Timestamp last_commit = 0;      ///< then: those to come begin no earlier

  /// Some snapshot sees what committed at `from`, and not what did at `to`.
  [[nodiscard]] bool tellApart(Timestamp from, Timestamp to) const;
};

/// The versions of one tuple, newest first; or of tuples that one transaction appended to a leaf.
///
/// Readers follow it without its latch; versions are added by the holder of the page's exclusive latch and cut off by
/// anybody. Its memory, and that of its versions, goes by way of an EpochManager.
class VersionChain {
 public:
  static constexpr uint32_t kLong = 16;

  VersionChain(VersionMap& map, TupleId first, TupleId end) : map_(map), first_(first), end_(end.value) {}

  [[nodiscard]] const VersionMap& map() const { return map_; }
  [[nodiscard]] TupleId first() const { return first_; }
  /// Behind the last tuple.
  [[nodiscard]] TupleId end() const { return TupleId{end_.load(std::memory_order_relaxed)}; }
  [[nodiscard]] Version* newest() const { return newest_.load(std::memory_order_acquire); }
  /// Has the processor fetch what newest() looks at.
  void prefetch() const { __builtin_prefetch(&newest_); }
  /// So long that it pays to look for versions that nobody needs.
  [[nodiscard]] bool isLong() const { return length_.load(std::memory_order_relaxed) >= kLong; }
  [[nodiscard]] uint32_t length() const { return length_.load(std::memory_order_relaxed); }
  /// Twice as long as the last prune() left it. The page is held exclusively.
  [[nodiscard]] bool isWorthPruning() const { return length() >= prune_at_; }
  /// Takes out updates that committed behind the next older one with no snapshot between them: whoever undoes one
  /// undoes the other. The older one, if it has all columns, has the last word and takes over the newer one's time.
  /// Returns how many. The page is held exclusively, and an epoch guard.
  size_t prune(const SnapshotStarts& snapshots);

 private:
  friend class VersionMap;
  friend void unlinkVisible(Version& version);
  friend void unlinkOwn(Version& version);

  void lock() {
    if (latch_.exchange(1, std::memory_order_acquire) != 0) [[unlikely]]
      lockSlow();
  }
  void lockSlow();
  void unlock() { latch_.store(0, std::memory_order_release); }
  /// Under the latch: takes `version` and all that are older out.
  void cut(Version* newer, Version* version);
  /// Without versions it is of no use to its tuples any more, and becomes that of others. The page is held exclusively.
  void reuse(TupleId first, TupleId end);
  /// Under the latch.
  void addToLength(int32_t count) {
    const auto length = static_cast<int32_t>(length_.load(std::memory_order_relaxed));
    length_.store(static_cast<uint32_t>(length + count), std::memory_order_relaxed);
  }

  VersionMap& map_;
  TupleId first_;
  std::atomic<uint64_t> end_;
  std::atomic<uint32_t> latch_{0};
  std::atomic<uint32_t> length_{0};  ///< changes under the latch
  uint32_t prune_at_ = kLong;
  std::atomic<Version*> newest_{nullptr};
};

/// The version chains of one page, found through its frame.
///
/// Departure from paper 1: two sorted lists in the place of a hash table, since readers look at chains in the order of
/// the page's tuples, and most are added in that order too. Tuples that were appended one after the other share a
/// chain. A chain without versions becomes that of a tuple whose place is beside it, so that a page whose versions soon
/// go needs few. Threads: under the page's latch, shared to read; the chains' contents change without it.
/// Layout: a cache line, since readers of a page that they see as it lies there look at nothing else.
class alignas(64) VersionMap {
 public:
  VersionMap() = default;
  VersionMap(const VersionMap&) = delete;
  VersionMap& operator=(const VersionMap&) = delete;

  /// Makes `version` the newest of its tuple. The page is held exclusively.
  void add(Version& version);
  /// The same where find() led to the tuple's chain.
  void add(Version& version, VersionChain& chain);
  /// The same for tuples from version.id to below `end`, which were appended. Called again with a higher `end` for
  /// tuples that follow.
  void addCreated(Version& version, TupleId end);

  using Chains = std::vector<std::unique_ptr<VersionChain>>;
  struct Place {
    TupleId first;
    std::unique_ptr<VersionChain> chain;
  };
  using Places = std::vector<Place>;
  /// In the order of tuple ids.
  [[nodiscard]] const Places& tuples() const { return tuples_; }
  [[nodiscard]] const Places& created() const { return created_; }
  /// The snapshot sees the page as it lies there: who has added versions had ended before it.
  [[nodiscard]] bool isSeenBy(const Snapshot& snapshot) const { return newest_writer_ < snapshot.ended; }
  /// The chain of one tuple; null: none.
  [[nodiscard]] const VersionChain* find(TupleId id) const;
  /// For whoever holds the page exclusively.
  [[nodiscard]] VersionChain* find(TupleId id) { return const_cast<VersionChain*>(std::as_const(*this).find(id)); }
  /// The chain of appended tuples that the tuple is among; an empty one is not meant.
  [[nodiscard]] const VersionChain* findCreated(TupleId id) const;

  /// More than one chain in twenty has no versions.
  [[nodiscard]] bool isWorthPruning() const;
  /// The same for who changes the page, and would have the work again and again: enough of them that it pays.
  [[nodiscard]] bool isCrowded() const {
    constexpr int64_t kEmptyMin = 16;
    return empty_count_.load(std::memory_order_relaxed) >= kEmptyMin && isWorthPruning();
  }
  [[nodiscard]] bool isEmpty() const { return tuples_.empty() && created_.empty(); }
  /// Takes empty chains out. The page is held exclusively. What is returned may go when no reader can know it.
  [[nodiscard]] Chains prune();
  /// Takes the versions out of all chains. Nobody looks for the page's tuples. Under an epoch guard.
  void unlinkAll();

 private:
  friend class VersionChain;

  Places tuples_, created_;
  Timestamp newest_writer_ = 0;  ///< the largest id of a transaction that has added versions
  std::atomic<int64_t> empty_count_{0};
};
static_assert(sizeof(VersionMap) == 64);

/// Takes a version that everybody sees, and all older ones, out of its chain. Under an epoch guard.
void unlinkVisible(Version& version);
/// Takes a version out that its transaction undoes, or a lock that it gives up: above it in the chain are others' locks
/// alone. Under an epoch guard.
void unlinkOwn(Version& version);

}  // namespace gnomon::txn
