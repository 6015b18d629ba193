#include "txn/transaction.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/assert.h"
#include "base/failpoint.h"
#include "txn/garbage_collector.h"
#include "txn/table.h"

namespace gnomon::txn {

void Transaction::addSection(Table& table) {
  constexpr size_t kSectionsMin = 4;
  if (sections_.empty()) sections_.reserve(kSectionsMin);
  sections_.push_back({&table, {}, newest_, false});
}

Version& Transaction::addVersion(Version::Kind kind, TupleId tuple, Table& table, uint16_t columns) {
  void* const place = memory_.allocate(Version::bytes(columns));
  beginSection(table);
  auto* version = new (place) Version(id_, command_, kind, tuple, columns);
  version->earlier = std::exchange(newest_, version);
  if (kind == Version::Kind::Deleted && !sections_.back().has_deletions) {
    sections_.back().observer = table.weak_from_this();
    sections_.back().has_deletions = true;
  }
  if (version->isLock()) has_locks_ = true;
  return *version;
}

void Transaction::keep(Version& version, Table& table) {
  beginSection(table);
  version.earlier = std::exchange(newest_, &version);
}

void Transaction::dropNewest() {
  if (counted_ == newest_) counted_ = newest_->earlier;
  newest_ = newest_->earlier;
  if (sections_.back().before == newest_) sections_.pop_back();
}

void Transaction::unlinkDeletions(size_t number) {
  forEach(number, [](Version& version) {
    if (version.kind == Version::Kind::Deleted) unlinkVisible(version);
  });
}

void Transaction::takePortion(uint64_t bytes) {
  constexpr uint64_t kPortionMin = 512;
  constexpr uint64_t kPortionMax = 64 << 10;
  const uint64_t portion = std::max(bytes, std::clamp(version_bytes_taken_, kPortionMin, kPortionMax));
  version_memory_.take(portion, version_bytes_taken_);
  version_bytes_taken_ += portion;
}

TransactionManager::SnapshotGuard& TransactionManager::SnapshotGuard::operator=(SnapshotGuard&& other) noexcept {
  if (this != &other) {
    release();
    manager_ = std::exchange(other.manager_, nullptr);
    place_ = other.place_;
    snapshot_ = other.snapshot_;
  }
  return *this;
}

void TransactionManager::SnapshotGuard::release() {
  if (manager_) std::exchange(manager_, nullptr)->end(*place_, snapshot_.start);
}

TransactionManager::TransactionManager() : versions_(epochs_), nobody_(locks_) {
  publish();
}

SnapshotRegistry::Horizon TransactionManager::horizon() const {
  return {last_commit_, epoch_, first_begun_ ? first_begun_->id_ : next_id_, next_id_};
}

void TransactionManager::publish() {
  snapshots_.publish(horizon());
}

TransactionManager::SnapshotGuard TransactionManager::takeSnapshot(const LockOwner* owner) {
  SnapshotGuard guard;
  guard.place_ = &snapshots_.take(owner, guard.snapshot_);
  guard.manager_ = this;
  return guard;
}

void TransactionManager::end(SnapshotRegistry::Place& place, Timestamp start) {
  SnapshotRegistry::free(place);
  // Whoever commits from here on does not find the snapshot. It was in the way of what it did not see.
  if (place.awaited() == 0 && oldest_committed_at_.load(std::memory_order_seq_cst) <= start) return;
  TransactionList visible;
  LockManager::TransactionId awaited = 0;
  {
    const std::scoped_lock lock(mutex_);
    awaited = place.awaited();
    place.setAwaited(0);
    visible = leaveVisible();
  }
  collect(std::move(visible));
  // Who waits for it finds the tables told.
  if (awaited != 0) locks_.endTransaction(awaited);
}

TransactionList TransactionManager::leaveVisible() {
  if (!isOldestSeenByAll()) return {};
  if (!collector_ || version_memory_.isScarce()) return takeVisible();
  collector_->wake();
  return {};
}

void TransactionManager::enlist(Transaction& transaction) {
  transaction.id_ = next_id_++;
  transaction.begun_before_ = std::exchange(last_begun_, &transaction);
  (transaction.begun_before_ ? transaction.begun_before_->begun_behind_ : first_begun_) = &transaction;
}

void TransactionManager::delist(Transaction& transaction) {
  Transaction* const before = std::exchange(transaction.begun_before_, nullptr);
  Transaction* const behind = std::exchange(transaction.begun_behind_, nullptr);
  (before ? before->begun_behind_ : first_begun_) = behind;
  (behind ? behind->begun_before_ : last_begun_) = before;
}

std::shared_ptr<Transaction> TransactionManager::begin(LockOwner& owner, bool shares_log) {
  auto transaction = std::allocate_shared<Transaction>(RecyclingAllocator<Transaction>(), owner, version_memory_);
  transaction->shares_log_ = shares_log;
  {
    const std::scoped_lock lock(mutex_);
    enlist(*transaction);
  }
  try {
    locks_.beginTransaction(transaction->id(), owner);
  } catch (...) {
    const std::scoped_lock lock(mutex_);
    delist(*transaction);
    publish();
    throw;
  }
  return transaction;
}

wal::LogWriter& TransactionManager::writerOf(Transaction& transaction) {
  if (!transaction.writer_) {
    transaction.writer_ = log_->wal().lease(transaction.shares_log_);
    transaction.writer_->begin(wal::TransactionNumber{number_base_ + (transaction.id() - kTransactionIdMin)});
  }
  return *transaction.writer_;
}

Committed TransactionManager::commit(std::shared_ptr<Transaction> transaction, CommitWait wait) {
  const Timestamp id = transaction->id();
  // What it did is told by way of its epoch, which everybody sees or nobody.
  if (transaction->bulk_epoch_ != 0 && wait == CommitWait::Elsewhere) wait = CommitWait::Here;
  Committed done;
  std::list<UnstableCommit> unstable;
  try {
    if (wait == CommitWait::Elsewhere) unstable.emplace_back();
  } catch (const std::bad_alloc&) {
    wait = CommitWait::Here;
  }
  if (transaction->writer_) {
    const wal::CommitTicket ticket = transaction->writer_->commit(
        wait == CommitWait::Here ? wal::Visibility::AfterStable : wal::Visibility::BeforeStable);
    transaction->commit_stamp_ = {ticket.gsn, ticket.log};
    // Another's commit may share the sync.
    transaction->writer_.reset();
    FAILPOINT("transaction.commit_logged");
    if (wait == CommitWait::Here) log_->wal().waitFor(ticket);
    if (wait == CommitWait::Elsewhere) done.ticket = ticket;
    FAILPOINT("transaction.commit_stable");
  }
  // Locks leave their chains once others see what was done under them. Until then nobody collects the transaction: it
  // is behind the oldest snapshot.
  const std::shared_ptr<Transaction> locking = transaction->has_locks_ ? transaction : nullptr;
  const SnapshotGuard before = locking ? takeSnapshot() : SnapshotGuard();
  if (transaction->newest_ || transaction->bulk_epoch_ != 0) {
    const std::scoped_lock lock(mutex_);
    const SnapshotRegistry::Horizon before_it = horizon();
    const Timestamp timestamp = last_commit_ + 1;
    for (Version* version = transaction->newest_; version; version = version->earlier)
      version->timestamp.store(timestamp, std::memory_order_release);
    transaction->committed_at_ = timestamp;
    if (transaction->bulk_epoch_ != 0) {
      epoch_ = transaction->bulk_epoch_ + 1;
      bulk_committed_at_ = timestamp;
      is_bulk_settled_ = false;
    }
    Transaction& committed = *transaction;
    delist(committed);
    committed.place_.front() = std::move(transaction);
    committed_.splice(committed_.end(), committed.place_);
    noteOldestCommitted();
    dropStable();
    if (!done.ticket.isEmpty()) {
      unstable.front() = {before_it, done.ticket};
      unstable_.splice(unstable_.end(), unstable);
      all_unstable_.join(done.ticket);
      if (unstable_.size() == 1) snapshots_.pin(before_it.last_commit);
      has_unstable_.store(true, std::memory_order_seq_cst);
    }
    // Others see it once they see all of those.
    done = {timestamp, all_unstable_};
    last_commit_ = timestamp;
    publish();
  } else {
    {
      const std::scoped_lock lock(mutex_);
      delist(*transaction);
      publish();
    }
    // A reader may still be at a version that was rolled back.
    forget(std::move(transaction));
  }
  if (locking) {
    const EpochManager::Guard guard(epochs_);
    for (Version* version = locking->newest_; version; version = version->earlier)
      if (version->isLock()) unlinkOwn(*version);
  }
  FAILPOINT("transaction.committed");
  locks_.endTransaction(id);
  return done;
}

void TransactionManager::dropStable() {
  if (unstable_.empty()) return;
  const size_t before = unstable_.size();
  while (!unstable_.empty() && log_->wal().isStable(unstable_.front().ticket)) unstable_.pop_front();
  if (unstable_.size() == before) return;
  if (!unstable_.empty()) return snapshots_.pin(unstable_.front().before.last_commit);
  has_unstable_.store(false, std::memory_order_seq_cst);
  all_unstable_ = {};
  snapshots_.pin(SnapshotRegistry::kFree);
}

std::optional<TransactionManager::SnapshotGuard> TransactionManager::takeStableSnapshot(const LockOwner* owner,
                                                                                        Timestamp seen) {
  std::optional<SnapshotGuard> guard;
  const std::scoped_lock lock(mutex_);
  dropStable();
  const SnapshotRegistry::Horizon stable = unstable_.empty() ? horizon() : unstable_.front().before;
  if (stable.last_commit < seen) return guard;
  guard.emplace();
  guard->place_ = &snapshots_.takePinned(owner, stable, guard->snapshot_);
  guard->manager_ = this;
  return guard;
}

wal::CommitTicket TransactionManager::unstable() {
  const std::scoped_lock lock(mutex_);
  dropStable();
  return all_unstable_;
}

bool TransactionManager::isStable(const wal::CommitTicket& ticket) const {
  return ticket.isEmpty() || log_->wal().isStable(ticket);
}

void TransactionManager::waitForStable(const wal::CommitTicket& ticket) {
  if (!isStable(ticket)) log_->wal().waitFor(ticket);
  if (!hasUnstable()) return;
  TransactionList visible;
  {
    const std::scoped_lock lock(mutex_);
    dropStable();
    visible = leaveVisible();
  }
  collect(std::move(visible));
}

void TransactionManager::abandon(std::shared_ptr<Transaction> transaction) {
  CHECK(!transaction->newest(), "what a transaction leaves behind is undone");
  const Timestamp id = transaction->id();
  const bool was_logged = transaction->isLogged();
  if (was_logged) transaction->writer_->end();
  transaction->writer_.reset();
  // Tuples that it had deleted may be deleted by others now: after a crash it must not be undone once more.
  if (transaction->bulk_epoch_ != 0 && was_logged) log_->flush();
  {
    const std::scoped_lock lock(mutex_);
    if (transaction->bulk_epoch_ != 0) epoch_ = transaction->bulk_epoch_ + 1;
    delist(*transaction);
    publish();
  }
  forget(std::move(transaction));
  locks_.endTransaction(id);
}

void TransactionManager::forget(std::shared_ptr<Transaction> transaction) {
  epochs_.retire(std::move(transaction));
}

void TransactionManager::noteOldestCommitted() {
  oldest_committed_at_.store(committed_.empty() ? 0 : committed_.front()->committed_at_, std::memory_order_seq_cst);
}

/// Under the lock. Those behind are seen later.
bool TransactionManager::isOldestSeenByAll() {
  return !committed_.empty() && !snapshots_.findOlder(committed_.front()->committed_at_);
}

/// Those that every snapshot sees. Others' but those of `of` stay for the collector, unless they are many. Under the
/// lock.
TransactionList TransactionManager::takeVisible(const LockOwner* of) {
  constexpr int kLeftMax = 64;
  TransactionList visible;
  if (!isOldestSeenByAll()) return visible;
  if (!collector_ || version_memory_.isScarce()) of = nullptr;
  Timestamp seen = committed_.front()->committed_at_;
  if (committed_.size() > 1) seen = snapshots_.oldest();
  int left = 0;
  for (auto next = committed_.begin(); next != committed_.end() && (*next)->committed_at_ <= seen;) {
    if (of && &(*next)->owner() != of) {
      ++next;
      if (++left <= kLeftMax) continue;
      // Nothing piles up behind one thread: all of them, from the beginning.
      of = nullptr;
      left = 0;
      next = committed_.begin();
      continue;
    }
    const auto each = next++;
    if (next_looked_at_ == each) next_looked_at_ = next;
    visible.splice(visible.end(), committed_, each);
  }
  if (left > 0) collector_->wake();
  noteOldestCommitted();
  return visible;
}

void TransactionManager::setCollector(GarbageCollector* collector) {
  const std::scoped_lock lock(mutex_);
  collector_ = collector;
}

bool TransactionManager::leaveToCollector(const std::shared_ptr<Table>& table) {
  const std::scoped_lock lock(mutex_);
  return collector_ && collector_->takeTable(table);
}

void TransactionManager::collect(const LockOwner* of) {
  TransactionList visible;
  {
    const std::scoped_lock lock(mutex_);
    visible = takeVisible(of);
  }
  collect(std::move(visible));
}

namespace {

/// Takes a transaction's versions but deletions, which everybody sees, out of their chains. Under an epoch guard.
void unlinkChanges(Version* newest) {
  // Each is in another page's map, mostly, and nobody has looked at it lately: so many are on their way at a time.
  constexpr int kAhead = 4;
  const auto askFor = [](const Version* version) { __builtin_prefetch(version->map.load(std::memory_order_relaxed)); };
  const Version* ahead = newest;
  for (int i = 0; i < kAhead && ahead; ahead = ahead->earlier, ++i) askFor(ahead);
  for (Version* version = newest; version; version = version->earlier) {
    if (ahead) askFor(std::exchange(ahead, ahead->earlier));
    const VersionMap* const next = version->earlier ? version->earlier->map.load(std::memory_order_acquire) : nullptr;
    if (next) next->tuples().prefetchIds();
    if (version->kind != Version::Kind::Deleted) unlinkVisible(*version);
  }
}

}  // namespace

void TransactionManager::collect(TransactionList visible) {
  for (std::shared_ptr<Transaction>& transaction : visible) {
    {
      const EpochManager::Guard guard(epochs_);
      unlinkChanges(transaction->newest_);
    }
    for (size_t section = 0; section < transaction->sections_.size(); ++section) {
      if (!transaction->sections_[section].has_deletions) continue;
      if (const auto observer = transaction->sections_[section].observer.lock()) {
        observer->onDeletionsVisible(transaction, section);
      } else {
        const EpochManager::Guard guard(epochs_);
        transaction->unlinkDeletions(section);
      }
    }
    if (transaction->bulk_epoch_ != 0) tellBulkDeletions(transaction);
    forget(std::move(transaction));
  }
}

SnapshotStarts TransactionManager::snapshotStarts() const {
  const std::scoped_lock lock(mutex_);
  SnapshotStarts snapshots{.starts = {}, .last_commit = last_commit_};
  snapshots_.forEachStart([&](Timestamp start) { snapshots.starts.push_back(start); });
  // Those that takeStableSnapshot() will hand out.
  for (const UnstableCommit& each : unstable_) snapshots.starts.push_back(each.before.last_commit);
  std::ranges::sort(snapshots.starts);
  const auto repeated = std::ranges::unique(snapshots.starts);
  snapshots.starts.erase(repeated.begin(), repeated.end());
  return snapshots;
}

/// Looking through all transactions is to pay.
bool TransactionManager::isWorthLooking() const {
  constexpr size_t kPrunedMin = 1024;
  constexpr size_t kPrunedShare = 4;
  return pruned_count_.load(std::memory_order_relaxed) >= std::max(kPrunedMin, committed_.size() / kPrunedShare);
}

void TransactionManager::notePruned(size_t count) {
  pruned_count_.fetch_add(count, std::memory_order_relaxed);
  const std::scoped_lock lock(mutex_);
  if (collector_ && isWorthLooking()) collector_->wake();
}

void TransactionManager::collectPruned() {
  constexpr int kTransactionsAtOnce = 1000;
  const auto isNeedless = [](const Transaction& transaction) {
    if (transaction.bulk_epoch_ != 0) return false;
    for (const Transaction::Section& section : transaction.sections_)
      if (section.has_deletions) return false;
    for (const Version* version = transaction.newest_; version; version = version->earlier)
      if (version->map.load(std::memory_order_acquire)) return false;
    return true;
  };
  {
    const std::scoped_lock lock(mutex_);
    if (!isWorthLooking()) return;
    pruned_count_ = 0;
    next_looked_at_ = committed_.begin();
  }
  for (bool is_more = true; is_more;) {
    TransactionList gone;
    {
      const std::scoped_lock lock(mutex_);
      for (int i = 0; i < kTransactionsAtOnce && next_looked_at_ != committed_.end(); ++i) {
        const auto each = next_looked_at_++;
        if (isNeedless(**each)) gone.splice(gone.end(), committed_, each);
      }
      noteOldestCommitted();
      is_more = next_looked_at_ != committed_.end();
    }
    for (std::shared_ptr<Transaction>& transaction : gone) forget(std::move(transaction));
  }
}

void TransactionManager::tellBulkDeletions(const std::shared_ptr<Transaction>& transaction) {
  std::vector<std::shared_ptr<DeletionObserver>> observers;
  for (size_t change = 0; change < transaction->bulk_changes_.size(); ++change) {
    if (transaction->bulk_changes_[change].deleted_count == 0) continue;
    if (auto observer = transaction->bulk_changes_[change].observer.lock()) {
      observer->onBulkDeletionsVisible(transaction, change);
      observers.push_back(std::move(observer));
    }
  }
  {
    const std::scoped_lock lock(mutex_);
    is_bulk_settled_ = true;
  }
  for (const auto& observer : observers) observer->cleanUp();
}

Timestamp TransactionManager::lastCommit() const {
  const std::scoped_lock lock(mutex_);
  return last_commit_;
}

TransactionCounts TransactionManager::counts() {
  TransactionCounts counts;
  {
    const std::scoped_lock lock(mutex_);
    counts.oldest_snapshot = last_commit_;
    snapshots_.forEachStart([&](Timestamp start) {
      ++counts.snapshots;
      counts.oldest_snapshot = std::min(counts.oldest_snapshot, start);
    });
    counts.last_commit = last_commit_;
    counts.retained = committed_.size();
  }
  counts.active = locks_.activeTransactions();
  counts.version_bytes = version_memory_.usedBytes();
  counts.version_maps = versions_.mapCount();
  counts.orphaned_maps = versions_.orphanCount();
  return counts;
}

size_t TransactionManager::retainedCount() const {
  const std::scoped_lock lock(mutex_);
  return committed_.size();
}

}  // namespace gnomon::txn
