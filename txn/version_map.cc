#include "txn/version_map.h"

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

/// The one in front of a version that is in the chain; null: it is the newest.
Version* newerThan(const VersionChain& chain, const Version& version) {
  Version* newer = nullptr;
  for (Version* each = chain.newest(); each != &version; each = each->older.load(std::memory_order_relaxed)) {
    CHECK(each, "a version is in its chain");
    newer = each;
  }
  return newer;
}

}  // namespace

class VersionMap::Held {
 public:
  explicit Held(VersionMap& map) : map_(map) {
    if (map.latch_.exchange(1, std::memory_order_acquire) != 0) [[unlikely]]
      map.lockSlow();
  }
  ~Held() { map_.latch_.store(0, std::memory_order_release); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  VersionMap& map_;
};

void VersionMap::lockSlow() {
  do {
    while (latch_.load(std::memory_order_relaxed) != 0) __builtin_ia32_pause();
  } while (latch_.exchange(1, std::memory_order_acquire) != 0);
}

/// What is in it does not change meanwhile: who moves it holds the map's latch.
VersionChain& VersionChain::operator=(const VersionChain& other) noexcept {
  first_ = other.first_;
  newest_.store(other.newest_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  length_.store(other.length(), std::memory_order_relaxed);
  prune_at_ = other.prune_at_;
  lone_ = other.lone_;
  return *this;
}

/// Before `version` is added.
void VersionChain::noteLoneUpdate(const Version& version) {
  const bool is_lone = !newest() && version.kind == Version::Kind::Updated && version.column_count == 1;
  if (!is_lone || version.values()->hi != 0) {
    lone_.writer = 0;
    return;
  }
  lone_ = {version.timestamp.load(std::memory_order_relaxed), version.values()->lo, *version.columns(),
           *version.nullFlags()};
}

void VersionChains::release(std::pmr::memory_resource& memory) {
  static_assert(std::is_trivially_destructible_v<VersionChain>);
  if (capacity() != 0) memory.deallocate(begin(), capacity() * kBytesEach, alignof(VersionChain));
}

const VersionChain* VersionChains::lowerBound(TupleId id) const {
  const std::span<const TupleId> ids = notedIds();
  // Most are added in the order of tuples.
  if (ids.empty() || ids.back() < id) return end();
  return begin() + (std::ranges::lower_bound(ids, id) - ids.begin());
}

const VersionChain* VersionChains::find(TupleId id) const {
  const auto index = lowerBound(id) - begin();
  return index < end() - begin() && ids()[index] == id ? begin() + index : nullptr;
}

void VersionChains::grow(std::pmr::memory_resource& memory) {
  constexpr uint32_t kCapacityMin = 4;
  const uint32_t larger = std::max(kCapacityMin, 2 * capacity());
  auto* const chains = static_cast<VersionChain*>(memory.allocate(larger * kBytesEach, alignof(VersionChain)));
  std::uninitialized_default_construct_n(std::uninitialized_copy(begin(), end(), chains), larger - size());
  auto* const larger_ids = reinterpret_cast<TupleId*>(chains + larger);
  std::ranges::copy(notedIds(), larger_ids);
  std::ranges::copy(notedValues(), reinterpret_cast<uint64_t*>(larger_ids + larger));
  release(memory);
  chains_.store(chains, std::memory_order_relaxed);
  capacity_.store(larger, std::memory_order_relaxed);
}

VersionChain& VersionChains::insert(const VersionChain* place, TupleId id, std::pmr::memory_resource& memory) {
  const auto index = static_cast<size_t>(place - begin());
  const size_t count = size();
  if (count == capacity()) grow(memory);
  std::copy_backward(begin() + index, end(), end() + 1);
  std::copy_backward(ids() + index, ids() + count, ids() + count + 1);
  std::copy_backward(values() + index, values() + count, values() + count + 1);
  size_.store(static_cast<uint32_t>(count + 1), std::memory_order_relaxed);
  VersionChain* const added = begin() + index;
  return giveTo(added, added, id);
}

VersionChain& VersionChains::giveTo(VersionChain* empty, VersionChain* place, TupleId id) {
  const auto from = empty - begin(), to = place - begin();
  const auto move = [from, to](auto* list) {
    if (from < to)
      std::move(list + from + 1, list + to + 1, list + from);
    else
      std::move_backward(list + to, list + from, list + from + 1);
  };
  move(begin());
  move(ids());
  move(values());
  ids()[to] = id;
  return *place = VersionChain(id);
}

size_t VersionChains::eraseEmpty() {
  const auto gone = std::ranges::remove_if(*this, [](const VersionChain& chain) { return !chain.newest(); });
  size_.store(static_cast<uint32_t>(gone.begin() - begin()), std::memory_order_relaxed);
  std::ranges::transform(*this, ids(), &VersionChain::first);
  return gone.size();
}

size_t VersionMap::prune(VersionChain& chain, const SnapshotStarts& snapshots) {
  uint32_t gone = 0;
  const Held held(*this);
  std::atomic<Version*>* link = &chain.newest_;
  while (Version* const version = link->load(std::memory_order_relaxed)) {
    Version* const older = version->older.load(std::memory_order_relaxed);
    if (!older || !isNeedless(*version, *older, snapshots)) {
      link = &version->older;
      continue;
    }
    // Whoever is at `version` now goes on to `older`, as before.
    older->timestamp.store(version->timestamp.load(std::memory_order_relaxed), std::memory_order_release);
    link->store(older, std::memory_order_release);
    version->map.store(nullptr, std::memory_order_release);
    ++gone;
  }
  chain.addToLength(-gone);
  chain.prune_at_ = std::max(VersionChain::kLong, 2 * chain.length());
  return gone;
}

VersionChain& VersionMap::chainOf(const Version& version) {
  const VersionChains& chains = version.kind == Version::Kind::Created ? created_ : tuples_;
  const VersionChain* const found = chains.find(version.id);
  CHECK(found, "a version is in its tuple's chain");
  return const_cast<VersionChain&>(*found);
}

void VersionMap::cut(VersionChain& chain, Version* newer, Version* version) {
  (newer ? newer->older : chain.newest_).store(nullptr, std::memory_order_release);
  uint32_t count = 0;
  for (Version* gone = version; gone; ++count) {
    // Without a map it may be freed.
    Version* const older = gone->older.load(std::memory_order_relaxed);
    gone->map.store(nullptr, std::memory_order_relaxed);
    gone = older;
  }
  chain.addToLength(-count);
  if (!newer) addToEmpty(1);
}

void VersionMap::cutOff(Version& version) {
  const Held held(*this);
  // Somebody may have cut the chain above it, or forgotten the page, since.
  if (!version.map.load(std::memory_order_relaxed)) return;
  VersionChain& chain = chainOf(version);
  cut(chain, newerThan(chain, version), &version);
}

void VersionMap::takeOut(Version& version) {
  const Held held(*this);
  if (!version.map.load(std::memory_order_relaxed)) return;
  VersionChain& chain = chainOf(version);
  Version* const newer = newerThan(chain, version);
  CHECK(!newer || newer->isLock() || version.isLock(), "changes are undone last first");
  Version* const older = version.older.load(std::memory_order_relaxed);
  if (!newer && !older) return cut(chain, nullptr, &version);
  (newer ? newer->older : chain.newest_).store(older, std::memory_order_release);
  chain.addToLength(-1);
  version.map.store(nullptr, std::memory_order_relaxed);
}

void unlinkVisible(Version& version) {
  if (VersionMap* const map = version.map.load(std::memory_order_acquire)) map->cutOff(version);
}

void unlinkOwn(Version& version) {
  if (VersionMap* const map = version.map.load(std::memory_order_acquire)) map->takeOut(version);
}

void VersionMap::push(Version& version, VersionChain& chain) {
  const Timestamp writer = version.timestamp.load(std::memory_order_relaxed);
  if (writer > newest_writer_.load(std::memory_order_relaxed)) newest_writer_.store(writer, std::memory_order_relaxed);
  Version* const newest = chain.newest();
  if (!newest) addToEmpty(-1);
  chain.noteLoneUpdate(version);
  if (version.kind != Version::Kind::Created) noteLoneUpdate(chain);
  version.older.store(newest, std::memory_order_relaxed);
  version.map.store(this, std::memory_order_release);
  chain.addToLength(1);
  chain.newest_.store(&version, std::memory_order_release);
}

/// A chain of tuples_: those of it that were noted before are as they were, or this is the only one.
void VersionMap::noteLoneUpdate(const VersionChain& chain) {
  tuples_.noteValue(chain);
  const VersionChain::LoneUpdate& lone = chain.loneUpdate();
  const Timestamp oldest = oldest_lone_writer_.load(std::memory_order_relaxed);
  const bool is_first = oldest == UINT64_MAX || tuples_.size() == 1;
  const bool is_like_others = is_first || lone.column == lone_column_.load(std::memory_order_relaxed);
  const bool is_noted = lone.null_flag == 0 && is_like_others && lone.column <= UINT16_MAX;
  const Timestamp writer = is_first ? lone.writer : std::min(oldest, lone.writer);
  oldest_lone_writer_.store(is_noted ? writer : 0, std::memory_order_relaxed);
  if (is_noted && is_first) lone_column_.store(static_cast<uint16_t>(lone.column), std::memory_order_relaxed);
}

/// The tuple's, or an empty one that is near, or a new one.
VersionChain& VersionMap::chainFor(VersionChains& chains, TupleId id) {
  constexpr ptrdiff_t kNear = 16;
  auto* const place = const_cast<VersionChain*>(chains.lowerBound(id));
  if (place != chains.end() && place->first() == id) return *place;
  const ptrdiff_t before = std::min(kNear, place - chains.begin()), behind = std::min(kNear, chains.end() - place);
  const bool may_be_empty = empty_count_.load(std::memory_order_relaxed) != 0;
  for (ptrdiff_t distance = 0; may_be_empty && distance < std::max(before, behind); ++distance) {
    if (distance < before && !(place - 1 - distance)->newest())
      return chains.giveTo(place - 1 - distance, place - 1, id);
    if (distance < behind && !(place + distance)->newest()) return chains.giveTo(place + distance, place, id);
  }
  VersionChain& added = chains.insert(place, id, memory_);
  addToEmpty(1);
  return added;
}

void VersionMap::add(Version& version, VersionChain& chain) {
  const Held held(*this);
  push(version, chain);
}

void VersionMap::add(Version& version) {
  const Held held(*this);
  push(version, chainFor(tuples_, version.id));
}

void VersionMap::addCreated(Version& version, TupleId end) {
  VersionMap* const map = version.map.load(std::memory_order_relaxed);
  CHECK(!map || map == this, "a chain is of one page");
  version.end = end;
  if (map) return;
  const Held held(*this);
  if (!created_.empty()) {
    const VersionChain& last = *(created_.end() - 1);
    const Version* const before = last.newest();
    CHECK((before ? before->end : last.first()) <= version.id, "ids are not given out again");
  }
  push(version, chainFor(created_, version.id));
}

const VersionChain* VersionMap::find(TupleId id) const {
  return tuples_.find(id);
}

const Version* VersionMap::findCreated(TupleId id) const {
  const auto* const behind = std::ranges::upper_bound(created_, id, {}, &VersionChain::first);
  if (behind == created_.begin()) return nullptr;
  const Version* const version = (behind - 1)->newest();
  return version && id < version->end ? version : nullptr;
}

void VersionMap::prune() {
  const Held held(*this);
  addToEmpty(-static_cast<uint32_t>(tuples_.eraseEmpty() + created_.eraseEmpty()));
  oldest_lone_writer_.store(UINT64_MAX, std::memory_order_relaxed);
  for (const VersionChain& chain : tuples_) noteLoneUpdate(chain);
}

void VersionMap::unlinkAll() {
  const Held held(*this);
  for (VersionChains* chains : {&tuples_, &created_})
    for (VersionChain& chain : *chains)
      if (Version* const newest = chain.newest()) cut(chain, nullptr, newest);
}

}  // namespace gnomon::txn
