#include "txn/snapshot_registry.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace gnomon::txn {

SnapshotRegistry::Places::~Places() {
  for (Place* place = first.next_.load(); place;) delete std::exchange(place, place->next_.load());
}

void SnapshotRegistry::publish(const Horizon& horizon) {
  const uint64_t before = publications_.load(std::memory_order_relaxed);
  publications_.store(before + 1, std::memory_order_relaxed);
  // Whoever reads one of these knows that a publication has begun.
  last_commit_.store(horizon.last_commit, std::memory_order_release);
  epoch_.store(horizon.epoch, std::memory_order_release);
  ended_.store(horizon.ended, std::memory_order_release);
  unbegun_.store(horizon.unbegun, std::memory_order_release);
  publications_.store(before + 2, std::memory_order_seq_cst);
}

/// One of the calling thread's that is free. Others free places, but only their thread takes them.
SnapshotRegistry::Place& SnapshotRegistry::freePlace(Places& places) {
  Place* place = &places.first;
  if (place->start_.load(std::memory_order_acquire) == kFree) return *place;
  while (Place* const next = place->next_.load(std::memory_order_acquire)) {
    place = next;
    if (place->start_.load(std::memory_order_acquire) != kFree) continue;
    places.more.fetch_add(1, std::memory_order_seq_cst);
    return *place;
  }
  auto* const added = new Place;
  added->more_ = &places.more;
  place->next_.store(added, std::memory_order_seq_cst);
  places.more.fetch_add(1, std::memory_order_seq_cst);
  return *added;
}

SnapshotRegistry::Place& SnapshotRegistry::take(const LockOwner* owner, Snapshot& snapshot) {
  constexpr int kLooksMax = 100;
  Place& place = freePlace(places_.own());
  place.owner_.store(owner, std::memory_order_relaxed);
  for (int looks = 1;; ++looks) {
    const uint64_t publication = publications_.load(std::memory_order_acquire);
    if (publication % 2 == 0) {
      snapshot.start = last_commit_.load(std::memory_order_acquire);
      snapshot.epoch = epoch_.load(std::memory_order_acquire);
      snapshot.ended = ended_.load(std::memory_order_acquire);
      snapshot.unbegun = unbegun_.load(std::memory_order_acquire);
      place.start_.store(snapshot.start, std::memory_order_seq_cst);
      if (publications_.load(std::memory_order_seq_cst) == publication) return place;
    }
    if (looks % kLooksMax == 0) std::this_thread::yield();
  }
}

SnapshotRegistry::Place& SnapshotRegistry::takePinned(const LockOwner* owner, const Horizon& pinned,
                                                      Snapshot& snapshot) {
  Place& place = freePlace(places_.own());
  place.owner_.store(owner, std::memory_order_relaxed);
  snapshot.start = pinned.last_commit;
  snapshot.epoch = pinned.epoch;
  snapshot.ended = pinned.ended;
  snapshot.unbegun = pinned.unbegun;
  place.start_.store(snapshot.start, std::memory_order_seq_cst);
  return place;
}

void SnapshotRegistry::free(Place& place) {
  place.start_.store(kFree, std::memory_order_seq_cst);
  if (place.more_) place.more_->fetch_sub(1, std::memory_order_seq_cst);
}

Timestamp SnapshotRegistry::oldest() const {
  Timestamp oldest = kFree;
  forEachStart([&](Timestamp start) { oldest = std::min(oldest, start); });
  return oldest;
}

SnapshotRegistry::Place* SnapshotRegistry::findOlder(Timestamp start) {
  Place* found = last_found_.load(std::memory_order_relaxed);
  if (found && found->start() < start) return found;
  found = nullptr;
  forEachPlace([&](Place& place) {
    if (!found && place.start() < start) found = &place;
  });
  last_found_.store(found, std::memory_order_relaxed);
  return found;
}

}  // namespace gnomon::txn
