#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <memory_resource>
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

class VersionMap;

/// One change of a tuple, with what it was before; tuples that were appended one after the other; or a lock on a tuple.
///
/// Source: paper 1, sections 2.2 and 3.1; paper 3, section 2.1. Lives in the memory of the transaction that made it.
/// Threads: timestamp and links are read by anybody; `older` and `map` change under the map's latch.
///
/// Layout: what readers look at lies together at the end, and the before-image behind it: values, column numbers, null
/// flags, column_count of each.
struct alignas(16) Version {
  enum class Kind : uint8_t { Created, Updated, Deleted, LockedShared, Locked };

  std::atomic<VersionMap*> map{nullptr};  ///< that has its chain; null: it is in none any more
  Version* earlier = nullptr;             ///< the one that the transaction made before
  TupleId id;                             ///< Created: the first
  union {
    wal::LogPosition record{};  ///< Updated, Deleted: in the log; 0: there is none
    TupleId end;                ///< Created: behind the last; changes under the page's exclusive latch
  };
  std::atomic<Timestamp> timestamp;      ///< the transaction's id, then its commit timestamp
  std::atomic<Version*> older{nullptr};  ///< the next in the chain
  uint32_t command;                      ///< of the transaction that made it
  const uint16_t column_count;           ///< Updated: of the before-image
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
  /// Transactions with this id and larger ones had not begun when the last of those that it sees committed: they end
  /// behind it.
  Timestamp unbegun = UINT64_MAX;

  [[nodiscard]] bool sees(const Version& version) const {
    const Timestamp timestamp = version.timestamp.load(std::memory_order_acquire);
    return timestamp <= start || (timestamp == own && version.command < command);
  }
  /// It sees nothing that the transaction has changed or will change, whether it commits or not.
  [[nodiscard]] bool isBefore(Timestamp transaction) const { return transaction >= unbegun && transaction != own; }
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

/// The versions of one tuple, newest first; or the one of tuples that a transaction appended to a leaf.
///
/// Readers follow it without a latch, under an epoch guard. It lies in its page's map, and moves when the holder of the
/// page's exclusive latch adds tuples to the map, or takes them out.
///
/// Most tuples that were changed have one version, which is an update of one column. What undoes that lies in the chain
/// once more, so that readers who hold the page need not look for the version. It is written when a version is added to
/// the chain, and at no other time, that is, under the page's exclusive latch: nobody reads it meanwhile.
/// C1  It is there only where the chain was empty before the version was added: there is no older one. Whatever is
/// added
///     behind takes it away, and what is left when that goes must be looked for.
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

/// Chains in the order of their tuples, side by side, so that readers look at few cache lines.
/// Threads: as the map that they belong to; where they lie is read by anybody, for prefetching alone.
class VersionChains {
 public:
  /// `memory` outlives them.
  explicit VersionChains(std::pmr::memory_resource& memory) : memory_(memory) {}
  ~VersionChains();
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
  /// A new one, without versions, before `place`.
  VersionChain& insert(const VersionChain* place, TupleId id);
  /// Takes those without versions out. Returns how many.
  size_t eraseEmpty();

 private:
  std::atomic<VersionChain*> chains_{nullptr};
  std::atomic<uint32_t> size_{0};
  uint32_t capacity_ = 0;
  std::pmr::memory_resource& memory_;
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
  explicit VersionMap(std::pmr::memory_resource& memory = *std::pmr::new_delete_resource())
      : tuples_(memory), created_(memory) {}
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
  /// That of a version that is in one.
  VersionChain& chainOf(const Version& version);
  /// Takes `version`, which is behind `newer`, and all that are older out.
  void cut(VersionChain& chain, Version* newer, Version* version);
  void addToEmpty(uint32_t count) {
    empty_count_.store(empty_count_.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
  }

  VersionChains tuples_, created_;
  std::atomic<Timestamp> newest_writer_{0};  ///< the largest id of a transaction that has added versions
  std::atomic<uint32_t> empty_count_{0};     ///< chains without versions
  std::atomic<uint32_t> latch_{0};
};
static_assert(sizeof(VersionMap) == 64);

/// Takes a version that everybody sees, and all older ones, out of its chain. Under an epoch guard.
void unlinkVisible(Version& version);
/// Takes a version out that its transaction undoes, or a lock that it gives up: above it in the chain are others' locks
/// alone. Under an epoch guard.
void unlinkOwn(Version& version);

}  // namespace gnomon::txn
