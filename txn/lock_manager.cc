#include "txn/lock_manager.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/metrics.h"
#include "base/wait_event.h"

namespace gnomon::txn {

namespace {

using Clock = std::chrono::steady_clock;

constexpr uint8_t bit(LockMode mode) {
  return static_cast<uint8_t>(1U << static_cast<unsigned>(mode));
}

/// Of each mode, those that it conflicts with: bit i is mode i.
constexpr std::array<uint8_t, kLockModes> kConflicts = {0b10000000, 0b11000000, 0b11110000, 0b11111000,
                                                        0b11101100, 0b11111100, 0b11111110, 0b11111111};

constexpr std::array<const char*, kLockModes> kModeNames = {
    "AccessShareLock", "RowShareLock",          "RowExclusiveLock", "ShareUpdateExclusiveLock",
    "ShareLock",       "ShareRowExclusiveLock", "ExclusiveLock",    "AccessExclusiveLock"};

/// Sleeps in a wait until it is over, or it is time to give up.
class Alarm {
 public:
  Alarm(const Patience& patience, const char* what) : patience_(patience), what_(what) {}

  /// Waits a while for `changed`. True: it is time to look for a deadlock.
  bool sleep(std::condition_variable& changed, std::unique_lock<std::mutex>& lock) {
    patience_.cancel.poll();
    const Clock::time_point now = Clock::now();
    if (patience_.lock_timeout.count() > 0 && now >= begin_ + patience_.lock_timeout)
      throw SqlError(sqlstate::kLockNotAvailable, "canceling statement due to lock timeout");
    if (now >= next_check_) {
      next_check_ = now + std::max(patience_.deadlock_timeout, kCheckIntervalMin);
      return true;
    }
    Clock::time_point until = std::min(now + kPollInterval, next_check_);
    if (patience_.lock_timeout.count() > 0) until = std::min(until, begin_ + patience_.lock_timeout);
    changed.wait_until(lock, until);
    return false;
  }
  /// Failure: 55P03 when nothing is to be waited for.
  void requireMayWait() const {
    if (!patience_.may_wait)
      throw SqlError(sqlstate::kLockNotAvailable, fmt::format("could not obtain lock on {}", what_));
  }

 private:
  /// How soon a waiting statement notices that it was cancelled.
  static constexpr std::chrono::milliseconds kPollInterval{10};
  static constexpr std::chrono::milliseconds kCheckIntervalMin{100};
  const Patience& patience_;
  const char* const what_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point next_check_ = begin_ + patience_.deadlock_timeout;
};

}  // namespace

bool conflicts(LockMode left, LockMode right) {
  return (kConflicts[static_cast<size_t>(left)] & bit(right)) != 0;
}

const char* lockModeName(LockMode mode) {
  return kModeNames[static_cast<size_t>(mode)];
}

/// Tells the manager of a wait as long as it lasts.
class LockManager::Waiting {
 public:
  Waiting(LockManager& manager, const LockOwner& owner, const Wait& wait) : manager_(manager), owner_(owner) {
    const std::scoped_lock lock(manager_.waits_mutex_);
    manager_.waits_.emplace(&owner_, wait);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() {
    const std::scoped_lock lock(manager_.waits_mutex_);
    manager_.waits_.erase(&owner_);
  }

 private:
  LockManager& manager_;
  const LockOwner& owner_;
};

uint8_t ObjectLock::Holder::heldModes() const {
  uint8_t held = modes;
  for (size_t mode = 0; mode < kWeakLockModes; ++mode)
    if (kept[mode] && kept[mode]->isIdle()) held &= static_cast<uint8_t>(~bit(static_cast<LockMode>(mode)));
  return held;
}

void ObjectLock::Holder::takeAway(uint8_t idle) {
  for (size_t mode = 0; mode < kWeakLockModes; ++mode) {
    const uint8_t taken = bit(static_cast<LockMode>(mode));
    if ((modes & idle & taken) == 0 || !kept[mode] || !kept[mode]->tryTakeAway()) continue;
    kept[mode] = nullptr;
    modes &= static_cast<uint8_t>(~taken);
  }
}

uint8_t ObjectLock::modesOf(const LockOwner& owner) const {
  const auto found = std::ranges::find(holders_, &owner, &Holder::owner);
  return found == holders_.end() ? 0 : found->heldModes();
}

/// Whether a request that came before stands in the way of another.
bool ObjectLock::blocks(const Waiter& other, const LockOwner& owner, LockMode mode) const {
  return other.owner != &owner && conflicts(other.mode, mode) && modesOf(owner) == 0;
}

/// `place`: where the request stands in the queue; null: it would be the last.
bool ObjectLock::isFree(const LockOwner& owner, LockMode mode, const Waiter* place) {
  const uint8_t conflicting = kConflicts[static_cast<size_t>(mode)];
  for (Holder& holder : holders_)
    if (holder.owner != &owner) holder.takeAway(conflicting);
  std::erase_if(holders_, [](const Holder& holder) { return holder.modes == 0; });
  for (const Holder& holder : holders_)
    if (holder.owner != &owner && (holder.modes & conflicting) != 0) return false;
  for (const Waiter& waiter : waiters_) {
    if (&waiter == place) break;
    if (blocks(waiter, owner, mode)) return false;
  }
  return true;
}

void ObjectLock::grant(const LockOwner& owner, LockMode mode, KeptLock* kept) {
  auto holder = std::ranges::find(holders_, &owner, &Holder::owner);
  if (holder == holders_.end()) holder = holders_.insert(holder, {.owner = &owner});
  holder->modes |= bit(mode);
  if (!isWeak(mode)) return;
  KeptLock*& place = holder->kept[static_cast<size_t>(mode)];
  if (place) place->end();
  place = kept;
  if (kept) kept->begin();
}

void ObjectLock::release(const LockOwner& owner, LockMode mode) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find(holders_, &owner, &Holder::owner);
  CHECK(found != holders_.end(), "a lock is released by its holder");
  found->modes &= static_cast<uint8_t>(~bit(mode));
  if (found->modes == 0) holders_.erase(found);
  if (!waiters_.empty()) changed_.notify_all();
}

void ObjectLock::withdraw(const LockOwner& owner, LockMode mode) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find(holders_, &owner, &Holder::owner);
  if (found != holders_.end()) {
    found->takeAway(bit(mode));
    if (found->modes == 0) holders_.erase(found);
  }
  if (!waiters_.empty()) changed_.notify_all();
}

void ObjectLock::addWaiter(std::list<Waiter>::iterator& place, const Waiter& waiter) {
  place = waiters_.insert(waiters_.end(), waiter);
  waiter_count_.fetch_add(1, std::memory_order_seq_cst);
}

void ObjectLock::removeWaiter(std::list<Waiter>::iterator place) {
  waiters_.erase(place);
  waiter_count_.fetch_sub(1, std::memory_order_relaxed);
}

void ObjectLock::share() {
  const std::scoped_lock lock(mutex_);
  is_shared_ = true;
}

void ObjectLock::markDropped() {
  const std::scoped_lock lock(mutex_);
  if (is_shared_) return;
  is_dropped_ = true;
  // The only holder is who calls this: what he has taken before he cannot take again.
  for (Holder& holder : holders_) {
    holder.takeAway(UINT8_MAX);
    for (KeptLock*& kept : holder.kept)
      if (KeptLock* const gone = std::exchange(kept, nullptr)) gone->end();
  }
  changed_.notify_all();
}

std::string ObjectLock::name() const {
  if (key_)
    return fmt::format("advisory lock [{},{},{},{}]", key_->database, key_->number >> 32, key_->number & UINT32_MAX,
                       key_->is_pair ? 2 : 1);
  return what_.empty() ? fmt::format("relation {}", oid_) : what_;
}

LockState ObjectLock::state(const LockOwner& owner, LockMode mode) const {
  return {.kind = key_            ? LockState::Kind::Advisory
                  : what_.empty() ? LockState::Kind::Relation
                                  : LockState::Kind::Object,
          .oid = oid_,
          .key = key_.value_or(AdvisoryKey()),
          .mode = mode,
          .process_id = owner.processId()};
}

void ObjectLock::list(std::vector<LockState>& states) {
  const std::scoped_lock lock(mutex_);
  for (const Holder& holder : holders_)
    for (size_t mode = 0; mode < kLockModes; ++mode)
      if ((holder.heldModes() & bit(static_cast<LockMode>(mode))) != 0)
        states.push_back(state(*holder.owner, static_cast<LockMode>(mode)));
  for (const Waiter& waiter : waiters_) {
    states.push_back(state(*waiter.owner, waiter.mode));
    states.back().is_granted = false;
    states.back().waits_since_unix_us = waiter.since_unix_us;
  }
}

bool LockOwner::holds(const ObjectLock& lock, LockMode mode) const {
  return std::ranges::any_of(held_, [&](const Held& held) { return held.lock.get() == &lock && held.mode == mode; });
}

bool LockOwner::holdsForSession(const ObjectLock& lock, LockMode mode) const {
  return std::ranges::any_of(held_for_session_,
                             [&](const Held& held) { return held.lock.get() == &lock && held.mode == mode; });
}

/// Whether the owner has it now: it is free, or was the owner's before.
bool LockOwner::tryGrant(const std::shared_ptr<ObjectLock>& lock, LockMode mode, KeptLock* kept) {
  const std::scoped_lock guard(lock->mutex_);
  if ((lock->modesOf(*this) & bit(mode)) != 0) return true;
  if (lock->is_dropped_ || !lock->isFree(*this, mode, nullptr)) return false;
  lock->grant(*this, mode, kept);
  return true;
}

LockOwner::~LockOwner() {
  releaseAll();
  releaseAllOfSession();
  kept_.forEach([this](ObjectLock& lock, LockMode mode) { lock.withdraw(*this, mode); });
}

bool LockOwner::tryAcquire(const std::shared_ptr<ObjectLock>& lock, LockMode mode) {
  held_.reserve(held_.size() + 1);
  const bool was_held = holds(*lock, mode);
  if (was_held) return true;
  KeptLock* const known = isWeak(mode) ? kept_.find(*lock, mode) : nullptr;
  const bool is_taken_again = known && known->tryTakeAgain();
  if (!is_taken_again && !tryGrant(lock, mode, isWeak(mode) ? kept_.place(lock, mode) : nullptr)) return false;
  held_.push_back({lock, mode});
  return true;
}

void LockOwner::acquire(const std::shared_ptr<ObjectLock>& lock, LockMode mode, const Patience& patience) {
  if (tryAcquire(lock, mode)) return;
  awaitGrant(lock, mode, patience);
  held_.push_back({lock, mode});
}

void LockOwner::noteForSession(const std::shared_ptr<ObjectLock>& lock, LockMode mode) {
  for (Held& held : held_for_session_) {
    if (held.lock != lock || held.mode != mode) continue;
    ++held.times;
    return;
  }
  held_for_session_.push_back({lock, mode});
}

bool LockOwner::tryAcquireForSession(const std::shared_ptr<ObjectLock>& lock, LockMode mode) {
  held_for_session_.reserve(held_for_session_.size() + 1);
  if (!tryGrant(lock, mode)) return false;
  noteForSession(lock, mode);
  return true;
}

void LockOwner::acquireForSession(const std::shared_ptr<ObjectLock>& lock, LockMode mode, const Patience& patience) {
  if (tryAcquireForSession(lock, mode)) return;
  awaitGrant(lock, mode, patience);
  noteForSession(lock, mode);
}

bool LockOwner::releaseOfSession(const AdvisoryKey& key, LockMode mode) {
  const auto found = std::ranges::find_if(
      held_for_session_, [&](const Held& held) { return held.lock->key() == key && held.mode == mode; });
  if (found == held_for_session_.end()) return false;
  if (--found->times > 0) return true;
  // The transaction may have it for itself.
  if (!holds(*found->lock, mode)) found->lock->release(*this, mode);
  held_for_session_.erase(found);
  return true;
}

void LockOwner::releaseAllOfSession() {
  for (const Held& held : held_for_session_)
    if (!holds(*held.lock, held.mode)) held.lock->release(*this, held.mode);
  held_for_session_.clear();
}

void LockOwner::awaitGrant(const std::shared_ptr<ObjectLock>& lock, LockMode mode, const Patience& patience) {
  const auto requireExists = [&lock] {
    if (lock->is_dropped_) throw SqlError(sqlstate::kUndefinedTable, "table was dropped by another session");
  };
  Alarm alarm(patience, "relation");
  std::unique_lock guard(lock->mutex_);
  requireExists();
  alarm.requireMayWait();
  guard.unlock();
  if (patience.observer != nullptr) patience.observer->beforeLock();
  const WaitScope event(lock->key() ? WaitEvent::LockAdvisory : WaitEvent::LockRelation);
  const int64_t now = unixTimeUs();
  const LockManager::Waiting waiting(manager_, *this, {lock.get(), mode, 0, now});
  guard.lock();
  std::list<ObjectLock::Waiter>::iterator place;
  lock->addWaiter(place, {this, mode, now});
  try {
    while (!lock->isFree(*this, mode, &*place)) {
      requireExists();
      if (!alarm.sleep(lock->changed_, guard)) continue;
      guard.unlock();
      manager_.requireNoDeadlock(*this);
      guard.lock();
    }
    requireExists();
    lock->grant(*this, mode);
    lock->removeWaiter(place);
    // Those behind may be free now, too.
    lock->changed_.notify_all();
    guard.unlock();
  } catch (...) {
    if (!guard.owns_lock()) guard.lock();
    lock->removeWaiter(place);
    lock->changed_.notify_all();
    // The end of the wait takes a mutex that comes before this one.
    guard.unlock();
    throw;
  }
}

void LockOwner::giveBack(const Held& held) {
  KeptLock* const kept = isWeak(held.mode) ? kept_.find(*held.lock, held.mode) : nullptr;
  if (!kept) return held.lock->release(*this, held.mode);
  kept->giveBack();
  if (held.lock->isAwaited()) held.lock->withdraw(*this, held.mode);
}

void LockOwner::releaseAfter(size_t mark) {
  ++release_count_;
  while (held_.size() > mark) {
    const Held& last = held_.back();
    if (!holdsForSession(*last.lock, last.mode)) giveBack(last);
    held_.pop_back();
  }
}

std::shared_ptr<ObjectLock> LockManager::advisoryLock(AdvisoryKey key) {
  {
    const std::scoped_lock lock(advisory_mutex_);
    const auto known = advisory_locks_.find(key);
    if (known != advisory_locks_.end())
      if (std::shared_ptr<ObjectLock> found = known->second.lock()) return found;
  }
  const auto forget = [this](ObjectLock* gone) {
    {
      const std::scoped_lock guard(advisory_mutex_);
      const auto place = advisory_locks_.find(*gone->key());
      // Somebody may have asked for the key again, and have a new one.
      if (place != advisory_locks_.end() && place->second.expired()) advisory_locks_.erase(place);
    }
    delete gone;
  };
  std::shared_ptr<ObjectLock> made(new ObjectLock(key), forget);
  const std::scoped_lock lock(advisory_mutex_);
  std::weak_ptr<ObjectLock>& known = advisory_locks_[key];
  if (std::shared_ptr<ObjectLock> found = known.lock()) return found;
  known = made;
  return made;
}

size_t LockManager::activeTransactions() {
  size_t count = 0;
  for (Shard& shard : shards_) {
    const std::scoped_lock lock(shard.mutex);
    count += shard.active.size();
  }
  return count;
}

void LockManager::list(std::vector<LockState>& states) {
  for (Shard& shard : shards_) {
    const std::scoped_lock lock(shard.mutex);
    for (const auto& [id, active] : shard.active)
      states.push_back({.kind = LockState::Kind::Transaction,
                        .transaction = id,
                        .mode = LockMode::Exclusive,
                        .process_id = active.owner->processId()});
  }
  {
    const std::scoped_lock lock(waits_mutex_);
    for (const auto& [owner, wait] : waits_)
      if (!wait.lock)
        states.push_back({.kind = LockState::Kind::Transaction,
                          .transaction = wait.transaction,
                          .mode = wait.mode,
                          .process_id = owner->processId(),
                          .is_granted = false,
                          .waits_since_unix_us = wait.since_unix_us});
  }
  std::vector<std::shared_ptr<ObjectLock>> advisory;
  {
    const std::scoped_lock lock(advisory_mutex_);
    for (const auto& [key, known] : advisory_locks_)
      if (std::shared_ptr<ObjectLock> found = known.lock()) advisory.push_back(std::move(found));
  }
  for (const std::shared_ptr<ObjectLock>& lock : advisory) lock->list(states);
}

void LockManager::beginTransaction(TransactionId id, const LockOwner& owner) {
  Shard& shard = shardOf(id);
  const std::scoped_lock lock(shard.mutex);
  shard.active.emplace(id, Active{&owner});
}

void LockManager::endTransaction(TransactionId id) {
  Shard& shard = shardOf(id);
  {
    const std::scoped_lock lock(shard.mutex);
    shard.active.erase(id);
  }
  shard.ended.notify_all();
}

void LockManager::noteRollback(TransactionId id) {
  Shard& shard = shardOf(id);
  {
    const std::scoped_lock lock(shard.mutex);
    ++shard.active.at(id).rollbacks;
  }
  shard.ended.notify_all();
}

LockManager::Awaited LockManager::awaited(TransactionId id) {
  Shard& shard = shardOf(id);
  const std::scoped_lock lock(shard.mutex);
  const auto found = shard.active.find(id);
  return {id, found == shard.active.end() ? 0 : found->second.rollbacks};
}

void LockManager::waitFor(const Awaited& awaited, const LockOwner& owner, const Patience& patience) {
  Alarm alarm(patience, "row");
  Shard& shard = shardOf(awaited.id);
  const auto isOver = [&] {
    const auto found = shard.active.find(awaited.id);
    return found == shard.active.end() || found->second.rollbacks != awaited.rollbacks;
  };
  {
    const std::scoped_lock guard(shard.mutex);
    if (isOver()) return;
  }
  alarm.requireMayWait();
  if (patience.observer != nullptr) patience.observer->beforeRow();
  const WaitScope event(WaitEvent::LockTransaction);
  const Waiting waiting(*this, owner, {nullptr, LockMode::Share, awaited.id, unixTimeUs()});
  std::unique_lock guard(shard.mutex);
  while (!isOver()) {
    if (!alarm.sleep(shard.ended, guard)) continue;
    guard.unlock();
    requireNoDeadlock(owner);
    guard.lock();
  }
}

std::vector<int32_t> LockManager::blockersOf(int32_t process_id) {
  std::vector<int32_t> ids;
  const std::scoped_lock lock(waits_mutex_);
  for (const auto& [owner, wait] : waits_) {
    if (owner->processId() != process_id) continue;
    for (const LockOwner* blocker : blockersOf(*owner, wait))
      if (std::ranges::find(ids, blocker->processId()) == ids.end()) ids.push_back(blocker->processId());
  }
  return ids;
}

/// Under waits_mutex_.
std::vector<const LockOwner*> LockManager::blockersOf(const LockOwner& owner, const Wait& wait) {
  std::vector<const LockOwner*> blockers;
  if (!wait.lock) {
    Shard& shard = shardOf(wait.transaction);
    const std::scoped_lock lock(shard.mutex);
    const auto found = shard.active.find(wait.transaction);
    if (found != shard.active.end()) blockers.push_back(found->second.owner);
    return blockers;
  }
  ObjectLock& object = *wait.lock;
  const std::scoped_lock lock(object.mutex_);
  const auto place = std::ranges::find(object.waiters_, &owner, &ObjectLock::Waiter::owner);
  // Granted meanwhile.
  if (place == object.waiters_.end()) return blockers;
  for (const ObjectLock::Holder& holder : object.holders_)
    if (holder.owner != &owner && (holder.heldModes() & kConflicts[static_cast<size_t>(wait.mode)]) != 0)
      blockers.push_back(holder.owner);
  for (auto before = object.waiters_.begin(); before != place; ++before)
    if (object.blocks(*before, owner, wait.mode)) blockers.push_back(before->owner);
  return blockers;
}

std::string LockManager::describe(const LockOwner& owner, const Wait& wait, const LockOwner& blocker) {
  const std::string what = wait.lock ? fmt::format("{} on {}", lockModeName(wait.mode), wait.lock->name())
                                     : fmt::format("{} on transaction {}", lockModeName(LockMode::Share),
                                                   wait.transaction & (UINT64_MAX >> 1));
  return fmt::format("Process {} waits for {}; blocked by process {}.", owner.processId(), what, blocker.processId());
}

// While the mutex is held no wait begins or ends, and who waits releases nothing: what was seen of one is still so when
// the next is looked at.
void LockManager::requireNoDeadlock(const LockOwner& owner) {
  struct Step {
    const LockOwner* owner;
    std::vector<const LockOwner*> blockers;
    size_t next = 0;
  };
  const std::scoped_lock lock(waits_mutex_);
  std::vector<const LockOwner*> seen{&owner};
  std::vector<Step> path;
  path.push_back({&owner, blockersOf(owner, waits_.at(&owner))});
  while (!path.empty()) {
    Step& step = path.back();
    if (step.next == step.blockers.size()) {
      path.pop_back();
      continue;
    }
    const LockOwner* const blocker = step.blockers[step.next++];
    if (blocker == &owner) {
      std::string detail;
      for (const Step& each : path) {
        if (!detail.empty()) detail += '\n';
        detail += describe(*each.owner, waits_.at(each.owner), *each.blockers[each.next - 1]);
      }
      // It waits no longer: others who look at the circle now find it open.
      waits_.erase(&owner);
      Metrics::instance().add(CounterId::Deadlocks);
      throw SqlError(sqlstate::kDeadlockDetected, "deadlock detected").detail(detail);
    }
    const auto wait = waits_.find(blocker);
    if (wait == waits_.end() || std::ranges::find(seen, blocker) != seen.end()) continue;
    seen.push_back(blocker);
    path.push_back({blocker, blockersOf(*blocker, wait->second)});
  }
}

}  // namespace gnomon::txn
