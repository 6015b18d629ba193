#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "base/thread_slots.h"
#include "txn/lock_manager.h"
#include "txn/version.h"

namespace gnomon::txn {

/// The snapshots that are held, and what the next one sees.
///
/// Snapshots are taken and given back without a lock: a statement that only reads writes to no memory that other
/// threads write to. Each thread has a place for the snapshot that it holds, and more behind it for those that it holds
/// beside (portals that stand still). What the next snapshot sees is published by whoever ends a transaction, one at a
/// time.
///
/// R1  A place says a start before its snapshot is used, and the publication is looked at again behind that. So whoever
///     has published, and looks at the places then, either finds the snapshot or knows that it sees what was published.
/// R2  What committed behind the pinned start is kept for snapshots that see less than what was published.
///
/// Source: paper 3, section 2.1. Threads: any.
class SnapshotRegistry {
 public:
  /// What a snapshot that is taken now sees.
  struct Horizon {
    Timestamp last_commit = 0;
    uint64_t epoch = 0;     ///< bulk epochs below are over
    Timestamp ended = 0;    ///< transactions with smaller ids have ended
    Timestamp unbegun = 0;  ///< the id of the next one to begin
  };

  /// Where a snapshot is known.
  class Place {
   public:
    /// kFree: it holds none.
    [[nodiscard]] Timestamp start() const { return start_.load(std::memory_order_seq_cst); }
    /// Who holds it; null: nobody whom others could wait for in a circle. Valid until it is given back.
    [[nodiscard]] const LockOwner* owner() const { return owner_.load(std::memory_order_relaxed); }
    /// What those who wait for the snapshot's end wait for; 0: nobody does.
    [[nodiscard]] LockManager::TransactionId awaited() const { return awaited_.load(std::memory_order_seq_cst); }
    void setAwaited(LockManager::TransactionId id) { awaited_.store(id, std::memory_order_seq_cst); }

   private:
    friend class SnapshotRegistry;
    std::atomic<Timestamp> start_{kFree};
    std::atomic<const LockOwner*> owner_{nullptr};
    std::atomic<LockManager::TransactionId> awaited_{0};
    std::atomic<Place*> next_{nullptr};      ///< another one of the thread's; places stay
    std::atomic<uint32_t>* more_ = nullptr;  ///< null: it is the thread's first
  };
  static constexpr Timestamp kFree = std::numeric_limits<Timestamp>::max();

  /// One at a time.
  void publish(const Horizon& horizon);
  /// Fills in what the snapshot sees. The place holds it until free().
  Place& take(const LockOwner* owner, Snapshot& snapshot);
  /// One that sees what was published once and is `pinned`, or newer; the pin does not go meanwhile.
  Place& takePinned(const LockOwner* owner, const Horizon& pinned, Snapshot& snapshot);
  /// From now on it is as if a snapshot with this start were held, in the place of the last one; kFree: none.
  void pin(Timestamp start) { pinned_.start_.store(start, std::memory_order_seq_cst); }
  /// Whoever looks for snapshots from now on does not find it.
  static void free(Place& place);

  /// The start of the oldest snapshot, or a smaller one of one that is being taken; kFree: there is none.
  [[nodiscard]] Timestamp oldest() const;
  /// The place of a snapshot with a smaller start, or null. Looks first where it found the last one.
  [[nodiscard]] Place* findOlder(Timestamp start);
  /// Of the snapshots held, in no order.
  template <typename Visit>
  void forEachStart(Visit&& visit) const {
    forEachPlace([&](Place& place) {
      if (const Timestamp start = place.start(); start != kFree) visit(start);
    });
  }

 private:
  /// Of one thread.
  struct alignas(64) Places {
    Place first;
    std::atomic<uint32_t> more{0};  ///< snapshots held in places behind the first
    ~Places();
  };

  template <typename Visit>
  void forEachPlace(Visit&& visit) const {
    visit(pinned_);
    places_.forEach([&](Places& places) {
      visit(places.first);
      if (places.more.load(std::memory_order_seq_cst) == 0) return;
      for (Place* place = places.first.next_.load(std::memory_order_seq_cst); place;
           place = place->next_.load(std::memory_order_seq_cst))
        visit(*place);
    });
  }
  static Place& freePlace(Places& places);

  alignas(64) std::atomic<uint64_t> publications_{0};  ///< odd: one is under way
  std::atomic<Timestamp> last_commit_{0};
  std::atomic<uint64_t> epoch_{0};
  std::atomic<Timestamp> ended_{0};
  std::atomic<Timestamp> unbegun_{0};
  mutable Place pinned_;
  alignas(64) std::atomic<Place*> last_found_{nullptr};
  ThreadSlots<Places> places_;
};

}  // namespace gnomon::txn
