#include "txn/version.h"

#include <algorithm>
#include <span>

#include "base/assert.h"

namespace gnomon::txn {

namespace {

/// No snapshot tells the two apart, and the older one has all that the newer one has.
bool isNeedless(const Version& newer, const Version& older, const SnapshotStarts& snapshots) {
  if (newer.kind != Version::Kind::Updated || older.kind != Version::Kind::Updated) return false;
  const Timestamp to = newer.timestamp.load(std::memory_order_acquire);
  if (to > snapshots.last_commit) return false;
  if (snapshots.tellApart(older.timestamp.load(std::memory_order_acquire), to)) return false;
  return std::ranges::includes(std::span(older.columns(), older.column_count),
                               std::span(newer.columns(), newer.column_count));
}

}  // namespace

void VersionChain::lockSlow() {
  do {
    while (latch_.load(std::memory_order_relaxed) != 0) __builtin_ia32_pause();
  } while (latch_.exchange(1, std::memory_order_acquire) != 0);
}

/// Who cuts versions off may still be about to let go of the latch, or come with a version that another has cut off.
void VersionChain::reuse(TupleId first, TupleId end) {
  first_ = first;
  end_.store(end.value, std::memory_order_relaxed);
  prune_at_ = kLong;
}

bool SnapshotStarts::tellApart(Timestamp from, Timestamp to) const {
  const auto next = std::ranges::lower_bound(starts, from);
  return next != starts.end() && *next < to;
}

size_t VersionChain::prune(const SnapshotStarts& snapshots) {
  uint32_t gone = 0;
  lock();
  std::atomic<Version*>* link = &newest_;
  while (Version* const version = link->load(std::memory_order_relaxed)) {
    Version* const older = version->older.load(std::memory_order_relaxed);
    if (!older || !isNeedless(*version, *older, snapshots)) {
      link = &version->older;
      continue;
    }
    // Whoever is at `version` now goes on to `older`, as before.
    older->timestamp.store(version->timestamp.load(std::memory_order_relaxed), std::memory_order_release);
    link->store(older, std::memory_order_release);
    version->chain.store(nullptr, std::memory_order_release);
    ++gone;
  }
  const uint32_t length = length_.load(std::memory_order_relaxed) - gone;
  length_.store(length, std::memory_order_relaxed);
  prune_at_ = std::max(kLong, 2 * length);
  unlock();
  return gone;
}

void VersionChain::cut(Version* newer, Version* version) {
  if (newer)
    newer->older.store(nullptr, std::memory_order_release);
  else
    newest_.store(nullptr, std::memory_order_release);
  int32_t count = 0;
  for (Version* gone = version; gone; gone = gone->older.load(std::memory_order_relaxed), ++count)
    gone->chain.store(nullptr, std::memory_order_relaxed);
  addToLength(-count);
  if (!newer) map_.empty_count_.fetch_add(1, std::memory_order_relaxed);
}

void unlinkVisible(Version& version) {
  VersionChain* const chain = version.chain.load(std::memory_order_acquire);
  if (!chain) return;
  chain->lock();
  // Somebody may have cut the chain above it, or forgotten the page, since.
  if (version.chain.load(std::memory_order_relaxed) == chain) {
    Version* newer = nullptr;
    Version* found = chain->newest();
    for (; found != &version; found = found->older.load(std::memory_order_relaxed)) {
      CHECK(found, "a version is in its chain");
      newer = found;
    }
    chain->cut(newer, &version);
  }
  chain->unlock();
}

void unlinkOwn(Version& version) {
  VersionChain* const chain = version.chain.load(std::memory_order_acquire);
  if (!chain) return;
  chain->lock();
  if (version.chain.load(std::memory_order_relaxed) == chain) {
    Version* newer = nullptr;
    for (Version* each = chain->newest(); each != &version; each = each->older.load(std::memory_order_relaxed)) {
      CHECK(each && (each->isLock() || version.isLock()), "changes are undone last first");
      newer = each;
    }
    Version* const older = version.older.load(std::memory_order_relaxed);
    if (newer || older) chain->addToLength(-1);
    if (newer)
      newer->older.store(older, std::memory_order_release);
    else if (older)
      chain->newest_.store(older, std::memory_order_release);
    else
      chain->cut(nullptr, &version);
    version.chain.store(nullptr, std::memory_order_relaxed);
  }
  chain->unlock();
}

void VersionMap::add(Version& version, VersionChain& chain) {
  newest_writer_ = std::max(newest_writer_, version.timestamp.load(std::memory_order_relaxed));
  chain.lock();
  Version* const newest = chain.newest();
  if (!newest) empty_count_.fetch_sub(1, std::memory_order_relaxed);
  version.older.store(newest, std::memory_order_relaxed);
  version.chain.store(&chain, std::memory_order_release);
  chain.addToLength(1);
  chain.newest_.store(&version, std::memory_order_release);
  chain.unlock();
}

void VersionMap::add(Version& version) {
  const TupleId id = version.id;
  auto place = tuples_.end();
  if (!tuples_.empty() && id <= tuples_.back().first) place = std::ranges::lower_bound(tuples_, id, {}, &Place::first);
  if (place == tuples_.end() || place->first != id) {
    const TupleId end{id.value + 1};
    const bool is_behind_empty = place != tuples_.begin() && !std::prev(place)->chain->newest();
    if (is_behind_empty) --place;
    if (is_behind_empty || (place != tuples_.end() && !place->chain->newest())) {
      place->first = id;
      place->chain->reuse(id, end);
    } else {
      place = tuples_.insert(place, {id, std::make_unique<VersionChain>(*this, id, end)});
      empty_count_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  add(version, *place->chain);
}

void VersionMap::addCreated(Version& version, TupleId end) {
  if (VersionChain* const chain = version.chain.load(std::memory_order_relaxed)) {
    CHECK(&chain->map_ == this, "a chain is of one page");
    chain->end_.store(end.value, std::memory_order_relaxed);
    return;
  }
  CHECK(created_.empty() || created_.back().chain->end() <= version.id, "ids are not given out again");
  if (!created_.empty() && !created_.back().chain->newest()) {
    created_.back().first = version.id;
    created_.back().chain->reuse(version.id, end);
  } else {
    created_.push_back({version.id, std::make_unique<VersionChain>(*this, version.id, end)});
    empty_count_.fetch_add(1, std::memory_order_relaxed);
  }
  add(version, *created_.back().chain);
}

const VersionChain* VersionMap::find(TupleId id) const {
  const auto found = std::ranges::lower_bound(tuples_, id, {}, &Place::first);
  return found != tuples_.end() && found->first == id ? found->chain.get() : nullptr;
}

const VersionChain* VersionMap::findCreated(TupleId id) const {
  const auto behind = std::ranges::upper_bound(created_, id, {}, &Place::first);
  if (behind == created_.begin()) return nullptr;
  const VersionChain& chain = *std::prev(behind)->chain;
  return id < chain.end() && chain.newest() ? &chain : nullptr;
}

bool VersionMap::isWorthPruning() const {
  constexpr int64_t kShare = 20;
  return empty_count_.load(std::memory_order_relaxed) * kShare > static_cast<int64_t>(tuples_.size() + created_.size());
}

VersionMap::Chains VersionMap::prune() {
  Chains gone;
  for (Places* places : {&tuples_, &created_}) {
    std::erase_if(*places, [&gone](Place& place) {
      if (place.chain->newest()) return false;
      gone.push_back(std::move(place.chain));
      return true;
    });
  }
  empty_count_.fetch_sub(static_cast<int64_t>(gone.size()), std::memory_order_relaxed);
  return gone;
}

void VersionMap::unlinkAll() {
  for (const Places* places : {&tuples_, &created_}) {
    for (const auto& [first, chain] : *places) {
      chain->lock();
      if (Version* const newest = chain->newest()) chain->cut(nullptr, newest);
      chain->unlock();
    }
  }
}

}  // namespace gnomon::txn
