#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <compare>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/cancel.h"
#include "base/recycled_block.h"
#include "txn/kept_locks.h"
#include "txn/lock_mode.h"

namespace gnomon::txn {

class LockManager;
class ObjectLock;

/// What users lock by numbers: one of 64 bits, or two of 32, the first in the upper half. The two do not meet.
struct AdvisoryKey {
  uint64_t number = 0;
  bool is_pair = false;
  uint32_t database = 0;  ///< others' are other ones
  auto operator<=>(const AdvisoryKey&) const = default;
};

/// A lock that somebody holds or waits for, as it was at some moment.
struct LockState {
  enum class Kind : uint8_t { Relation, Transaction, Advisory, Object };
  Kind kind = Kind::Relation;
  uint32_t oid = 0;          ///< Relation
  AdvisoryKey key = {};      ///< Advisory
  uint64_t transaction = 0;  ///< Transaction: its id
  LockMode mode = LockMode::AccessShare;
  int32_t process_id = 0;
  bool is_granted = true;
  int64_t waits_since_unix_us = 0;  ///< not granted
};

/// Who has something to do before he waits.
class WaitObserver {
 public:
  /// For a lock, before the statement that wants it has done anything. Failure: that of who waits.
  virtual void beforeLock() = 0;
  /// For a transaction that has a row or a key in its hands, in the middle of a statement. Failure: StatementRestart,
  /// so that it begins again behind what there is to do.
  virtual void beforeRow() = 0;

 protected:
  ~WaitObserver() = default;
};

/// How long somebody waits for a lock, and for what reasons he gives up.
struct Patience {
  const CancelToken& cancel;                         ///< 57014
  std::chrono::milliseconds lock_timeout{0};         ///< 55P03; 0: none
  std::chrono::milliseconds deadlock_timeout{1000};  ///< after which a deadlock is looked for: 40P01
  bool may_wait = true;                              ///< otherwise 55P03 at once
  WaitObserver* observer = nullptr;                  ///< is told before anything is waited for; null: nobody is
};

/// Who holds locks and waits for them: a session. What it takes it keeps until it gives back all, or what it took after
/// some point; what it takes for the session, which may be several times, it keeps until it says so, whatever becomes
/// of its transactions. What it takes in weak modes again and again costs little (KeptLock). Threads: its own; the lock
/// manager looks at it while it waits.
class LockOwner {
 public:
  explicit LockOwner(LockManager& manager, int32_t process_id = 0) : manager_(manager), process_id_(process_id) {}
  LockOwner(const LockOwner&) = delete;
  LockOwner& operator=(const LockOwner&) = delete;
  ~LockOwner();

  [[nodiscard]] LockManager& manager() const { return manager_; }
  /// What clients know the session by; in error messages.
  [[nodiscard]] int32_t processId() const { return process_id_; }
  void setProcessId(int32_t process_id) { process_id_ = process_id; }

  /// Takes the lock, unless it is held already in this mode. Failure: as Patience says; 42P01 once its object is
  /// dropped. Nothing has changed then.
  void acquire(const std::shared_ptr<ObjectLock>& lock, LockMode mode, const Patience& patience);
  /// The same without waiting. False: it is not free, or its object is dropped.
  bool tryAcquire(const std::shared_ptr<ObjectLock>& lock, LockMode mode);
  [[nodiscard]] bool holds(const ObjectLock& lock, LockMode mode) const;
  /// A point to go back to.
  [[nodiscard]] size_t mark() const { return held_.size(); }
  void releaseAfter(size_t mark);
  void releaseAll() { releaseAfter(0); }
  /// Grows whenever locks are given back: what was held at a number is held as long as the number stays.
  [[nodiscard]] uint64_t releaseCount() const { return release_count_; }

  /// As acquire() and tryAcquire(), for the session, once more.
  void acquireForSession(const std::shared_ptr<ObjectLock>& lock, LockMode mode, const Patience& patience);
  bool tryAcquireForSession(const std::shared_ptr<ObjectLock>& lock, LockMode mode);
  /// Gives back one of the times that the session has taken it. False: it has not.
  bool releaseOfSession(const AdvisoryKey& key, LockMode mode);
  void releaseAllOfSession();

 private:
  struct Held {
    std::shared_ptr<ObjectLock> lock;
    LockMode mode;
    uint64_t times = 1;  ///< for the session
  };
  bool tryGrant(const std::shared_ptr<ObjectLock>& lock, LockMode mode, KeptLock* kept = nullptr);
  void giveBack(const Held& held);
  void awaitGrant(const std::shared_ptr<ObjectLock>& lock, LockMode mode, const Patience& patience);
  void noteForSession(const std::shared_ptr<ObjectLock>& lock, LockMode mode);
  [[nodiscard]] bool holdsForSession(const ObjectLock& lock, LockMode mode) const;

  LockManager& manager_;
  int32_t process_id_;
  std::vector<Held> held_;
  KeptLocks kept_;
  uint64_t release_count_ = 1;
  std::vector<Held> held_for_session_;
};

/// Who takes locks, and how long he waits for them.
struct Locker {
  LockOwner& owner;
  Patience patience;
};

/// A lock on a table: on its existence, its shape, or its rows as a whole; or one that means what users say.
///
/// Requests are granted in the order in which they came, so a busy table can still be dropped; one that already holds
/// the lock in some mode goes ahead. Threads: any.
class ObjectLock {
 public:
  explicit ObjectLock(uint32_t oid) : oid_(oid) {}
  explicit ObjectLock(AdvisoryKey key) : key_(key) {}
  /// Of something else; `what`: as messages name it.
  explicit ObjectLock(std::string what) : what_(std::move(what)) {}
  [[nodiscard]] uint32_t oid() const { return oid_; }
  /// None: it is a table's.
  [[nodiscard]] const std::optional<AdvisoryKey>& key() const { return key_; }
  /// "relation 16384" and the like, as messages name it.
  [[nodiscard]] std::string name() const;
  /// Adds who holds it and who waits for it.
  void list(std::vector<LockState>& states);
  /// Everybody who waits for it or comes later gets 42P01. Called by a holder of AccessExclusive.
  void markDropped();
  /// Several objects have it, some of which may outlive another: from now on markDropped() says nothing, and who has
  /// waited finds out for himself.
  void share();

 private:
  friend class LockOwner;
  friend class LockManager;
  struct Holder {
    const LockOwner* owner;
    uint8_t modes = 0;                                ///< a bit for each LockMode, idle ones included
    std::array<KeptLock*, kWeakLockModes> kept = {};  ///< of the weak ones; null: it is not kept
    /// Without the idle ones.
    [[nodiscard]] uint8_t heldModes() const;
    /// The idle ones of these are gone.
    void takeAway(uint8_t idle);
  };
  struct Waiter {
    const LockOwner* owner;
    LockMode mode;
    int64_t since_unix_us;
  };
  [[nodiscard]] LockState state(const LockOwner& owner, LockMode mode) const;
  [[nodiscard]] bool blocks(const Waiter& other, const LockOwner& owner, LockMode mode) const;
  /// Whoever is in the way, but idle, has it no longer.
  [[nodiscard]] bool isFree(const LockOwner& owner, LockMode mode, const Waiter* place);
  [[nodiscard]] uint8_t modesOf(const LockOwner& owner) const;
  void grant(const LockOwner& owner, LockMode mode, KeptLock* kept = nullptr);
  void release(const LockOwner& owner, LockMode mode);
  /// What the owner has kept in this mode is gone, if it is idle.
  void withdraw(const LockOwner& owner, LockMode mode);
  void addWaiter(std::list<Waiter>::iterator& place, const Waiter& waiter);
  void removeWaiter(std::list<Waiter>::iterator place);
  /// Without the mutex, as K3 of KeptLock says.
  [[nodiscard]] bool isAwaited() const { return waiter_count_.load(std::memory_order_seq_cst) != 0; }

  const uint32_t oid_ = 0;
  const std::string what_;
  const std::optional<AdvisoryKey> key_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Holder> holders_;
  std::list<Waiter> waiters_;              ///< in the order in which they came
  std::atomic<uint32_t> waiter_count_{0};  ///< of those
  bool is_dropped_ = false;
  bool is_shared_ = false;  ///< see share()
};

/// What waiting sessions wait for, and the deadlocks among them.
///
/// Beside locks a session may wait for the end of a transaction, whose change of a row stands in its way. Threads: any.
class LockManager {
 public:
  using TransactionId = uint64_t;

  /// The transaction exists from now on.
  void beginTransaction(TransactionId id, const LockOwner& owner);
  /// It has ended, either way: who waits for it goes on.
  void endTransaction(TransactionId id);
  /// It has rolled back to a savepoint, and no longer has in its hands what came after: who waits looks again.
  void noteRollback(TransactionId id);

  /// A transaction that somebody is about to wait for, as it was when he met what it has in its hands.
  struct Awaited {
    TransactionId id = 0;
    uint64_t rollbacks = 0;  ///< to savepoints
  };
  /// While what it has in its hands is latched.
  [[nodiscard]] Awaited awaited(TransactionId id);
  /// Until it has ended, or has rolled back to a savepoint. The caller holds no latch. Failure: as Patience says.
  void waitFor(const Awaited& awaited, const LockOwner& owner, const Patience& patience);

  /// The lock with this key, for as long as somebody keeps it.
  [[nodiscard]] std::shared_ptr<ObjectLock> advisoryLock(AdvisoryKey key);
  /// Adds the transactions, each as a lock that it holds, who waits for one, and all advisory locks.
  void list(std::vector<LockState>& states);
  /// The processes for whom this one waits, each once: those who hold what it waits for, and those who wait before it.
  [[nodiscard]] std::vector<int32_t> blockersOf(int32_t process_id);
  [[nodiscard]] size_t activeTransactions();

 private:
  friend class LockOwner;
  struct Wait {
    ObjectLock* lock;  ///< null: for a transaction
    LockMode mode;
    TransactionId transaction;
    int64_t since_unix_us;
  };
  struct Active {
    const LockOwner* owner;
    uint64_t rollbacks = 0;
  };
  struct Shard {
    std::mutex mutex;
    std::condition_variable ended;
    std::unordered_map<TransactionId, Active, std::hash<TransactionId>, std::equal_to<TransactionId>,
                       RecyclingAllocator<std::pair<const TransactionId, Active>>>
        active;
  };
  class Waiting;
  static constexpr size_t kShards = 16;
  [[nodiscard]] Shard& shardOf(TransactionId id) { return shards_[id % kShards]; }
  void requireNoDeadlock(const LockOwner& owner);
  [[nodiscard]] std::vector<const LockOwner*> blockersOf(const LockOwner& owner, const Wait& wait);
  static std::string describe(const LockOwner& owner, const Wait& wait, const LockOwner& blocker);

  std::array<Shard, kShards> shards_;
  /// Held while waits begin and end and while a deadlock is looked for; taken before any lock's or shard's mutex.
  std::mutex waits_mutex_;
  std::unordered_map<const LockOwner*, Wait> waits_;
  /// Those that somebody keeps. Guarded by the mutex, under which none is let go.
  std::map<AdvisoryKey, std::weak_ptr<ObjectLock>> advisory_locks_;
  std::mutex advisory_mutex_;
};

}  // namespace gnomon::txn
