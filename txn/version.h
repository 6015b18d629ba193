#pragma once

#include <atomic>
#include <cstdint>
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

}  // namespace gnomon::txn
