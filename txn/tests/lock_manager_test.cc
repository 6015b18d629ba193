#include "txn/lock_manager.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <random>
#include <thread>

#include "storage/tests/test_support.h"

namespace gnomon::txn {
namespace {

using std::chrono::milliseconds;
using storage::testing::errorOf;

const CancelToken kCalm;
const Patience kPatient{.cancel = kCalm, .deadlock_timeout = milliseconds(20)};

std::shared_ptr<ObjectLock> makeLock() {
  return std::make_shared<ObjectLock>(16384);
}

TEST(LockManager, ModesConflictAsInPostgreSql) {
  // The table of PostgreSQL's documentation: row and column in the order of LockMode.
  const char* const kExpected[] = {".......X", "......XX", "....XXXX", "...XXXXX",
                                   "..XX.XXX", "..XXXXXX", ".XXXXXXX", "XXXXXXXX"};
  for (size_t left = 0; left < kLockModes; ++left)
    for (size_t right = 0; right < kLockModes; ++right)
      EXPECT_EQ(conflicts(static_cast<LockMode>(left), static_cast<LockMode>(right)), kExpected[left][right] == 'X')
          << lockModeName(static_cast<LockMode>(left)) << ' ' << lockModeName(static_cast<LockMode>(right));
}

TEST(LockManager, GivesBackWhatCameAfterAMark) {
  LockManager manager;
  LockOwner owner(manager), other(manager);
  const auto first = makeLock(), second = makeLock();
  owner.acquire(first, LockMode::AccessShare, kPatient);
  const size_t mark = owner.mark();
  owner.acquire(first, LockMode::RowExclusive, kPatient);
  owner.acquire(second, LockMode::AccessExclusive, kPatient);
  owner.acquire(second, LockMode::AccessExclusive, kPatient);
  EXPECT_FALSE(other.tryAcquire(first, LockMode::Share));
  EXPECT_FALSE(other.tryAcquire(second, LockMode::AccessShare));
  const uint64_t releases = owner.releaseCount();
  owner.releaseAfter(mark);
  EXPECT_GT(owner.releaseCount(), releases);
  EXPECT_TRUE(other.tryAcquire(first, LockMode::Share));
  EXPECT_TRUE(other.tryAcquire(second, LockMode::AccessShare));
  EXPECT_FALSE(other.tryAcquire(first, LockMode::AccessExclusive));
  EXPECT_TRUE(owner.holds(*first, LockMode::AccessShare));
  EXPECT_FALSE(owner.holds(*first, LockMode::RowExclusive));
}

// An owner takes the same locks again and again: between that they are nobody's.
TEST(LockManager, WhatWasGivenBackIsInNobodysWay) {
  LockManager manager;
  LockOwner other(manager, 8);
  const auto lock = makeLock();
  const auto listed = [&] {
    std::vector<LockState> states;
    lock->list(states);
    return states.size();
  };
  {
    LockOwner owner(manager, 7);
    for (int round = 0; round < 3; ++round) {
      EXPECT_TRUE(owner.tryAcquire(lock, LockMode::AccessShare));
      const size_t mark = owner.mark();
      EXPECT_TRUE(owner.tryAcquire(lock, LockMode::RowExclusive));
      EXPECT_EQ(listed(), 2u);
      EXPECT_FALSE(other.tryAcquire(lock, LockMode::Share)) << "the one conflicts";
      EXPECT_TRUE(other.tryAcquire(lock, LockMode::ShareUpdateExclusive)) << "neither does";
      owner.releaseAfter(mark);
      EXPECT_EQ(listed(), 2u);
      other.releaseAll();
      EXPECT_FALSE(other.tryAcquire(lock, LockMode::AccessExclusive)) << "it reads";
      EXPECT_TRUE(other.tryAcquire(lock, LockMode::Exclusive)) << "it writes no longer";
      EXPECT_FALSE(owner.tryAcquire(lock, LockMode::RowExclusive));
      other.releaseAll();
      // What is taken away from time to time comes back as any other lock.
      EXPECT_TRUE(owner.tryAcquire(lock, LockMode::RowExclusive));
      owner.releaseAll();
      EXPECT_EQ(listed(), 0u);
      if (round == 1) continue;
      EXPECT_TRUE(other.tryAcquire(lock, LockMode::AccessExclusive));
      EXPECT_FALSE(owner.tryAcquire(lock, LockMode::AccessShare));
      other.releaseAll();
    }
    EXPECT_TRUE(owner.tryAcquire(lock, LockMode::RowShare));
  }
  EXPECT_EQ(listed(), 0u);
  EXPECT_TRUE(other.tryAcquire(lock, LockMode::AccessExclusive)) << "of an owner who is gone nothing is left";
}

TEST(LockManager, ADroppedLockIsNotTakenAgain) {
  LockManager manager;
  LockOwner dropper(manager), other(manager);
  const auto lock = makeLock();
  for (LockOwner* owner : {&dropper, &other}) {
    EXPECT_TRUE(owner->tryAcquire(lock, LockMode::AccessShare));
    EXPECT_TRUE(owner->tryAcquire(lock, LockMode::RowExclusive));
    owner->releaseAll();
  }
  EXPECT_TRUE(dropper.tryAcquire(lock, LockMode::RowExclusive));
  EXPECT_TRUE(dropper.tryAcquire(lock, LockMode::AccessExclusive));
  lock->markDropped();
  dropper.releaseAll();
  for (LockOwner* owner : {&dropper, &other}) {
    EXPECT_FALSE(owner->tryAcquire(lock, LockMode::AccessShare));
    EXPECT_FALSE(owner->tryAcquire(lock, LockMode::RowExclusive));
  }
  std::vector<LockState> states;
  lock->list(states);
  EXPECT_TRUE(states.empty());
}

// More than are kept.
TEST(LockManager, ManyLocksComeAndGo) {
  LockManager manager;
  LockOwner owner(manager), other(manager);
  std::vector<std::shared_ptr<ObjectLock>> locks(100);
  for (auto& lock : locks) lock = makeLock();
  for (int round = 0; round < 3; ++round) {
    for (const auto& lock : locks) EXPECT_TRUE(owner.tryAcquire(lock, LockMode::AccessShare));
    for (const auto& lock : locks) EXPECT_FALSE(other.tryAcquire(lock, LockMode::AccessExclusive));
    owner.releaseAll();
    for (const auto& lock : locks) EXPECT_TRUE(other.tryAcquire(lock, LockMode::AccessExclusive));
    other.releaseAll();
  }
}

// One takes and gives back without end what others want for themselves.
TEST(LockManager, WhoWaitsFindsWhoBecomesIdle) {
  LockManager manager;
  const auto lock = makeLock();
  std::atomic<bool> is_over{false};
  std::atomic<int> readers{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 2; ++thread)
    threads.emplace_back([&] {
      LockOwner owner(manager);
      while (!is_over) {
        owner.acquire(lock, LockMode::RowExclusive, kPatient);
        readers.fetch_add(1);
        readers.fetch_sub(1);
        owner.releaseAll();
      }
    });
  {
    LockOwner owner(manager);
    for (int round = 0; round < 300; ++round) {
      owner.acquire(lock, LockMode::AccessExclusive, kPatient);
      EXPECT_EQ(readers.load(), 0);
      owner.releaseAll();
    }
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();
}

TEST(LockManager, WhatASessionTakesItKeepsUntilItGivesEachBack) {
  LockManager manager;
  LockOwner owner(manager, 7), other(manager, 8);
  const AdvisoryKey key{12, false};
  const auto lock = manager.advisoryLock(key);
  EXPECT_EQ(manager.advisoryLock(key), lock);
  EXPECT_NE(manager.advisoryLock({12, true}), lock) << "two numbers are not one";
  owner.acquireForSession(lock, LockMode::Exclusive, kPatient);
  EXPECT_TRUE(owner.tryAcquireForSession(lock, LockMode::Exclusive));
  owner.acquire(lock, LockMode::Exclusive, kPatient);
  owner.releaseAll();
  EXPECT_FALSE(other.tryAcquire(lock, LockMode::Share)) << "the transaction's end is not the session's";
  EXPECT_FALSE(owner.releaseOfSession(key, LockMode::Share));
  EXPECT_FALSE(owner.releaseOfSession({12, true}, LockMode::Exclusive));
  EXPECT_TRUE(owner.releaseOfSession(key, LockMode::Exclusive));
  EXPECT_FALSE(other.tryAcquire(lock, LockMode::Share));
  owner.acquire(lock, LockMode::Exclusive, kPatient);
  EXPECT_TRUE(owner.releaseOfSession(key, LockMode::Exclusive));
  EXPECT_FALSE(owner.releaseOfSession(key, LockMode::Exclusive));
  EXPECT_FALSE(other.tryAcquire(lock, LockMode::Share)) << "the transaction has it still";
  owner.releaseAll();
  EXPECT_TRUE(other.tryAcquireForSession(lock, LockMode::Share));
  EXPECT_TRUE(owner.tryAcquireForSession(lock, LockMode::Share));
  owner.releaseAllOfSession();
  EXPECT_FALSE(owner.tryAcquire(lock, LockMode::Exclusive));
}

TEST(LockManager, ListsWhoHoldsAndWhoWaits) {
  LockManager manager;
  LockOwner holder(manager, 7), waiter(manager, 8);
  const auto states = [&] {
    std::vector<LockState> all;
    manager.list(all);
    return all;
  };
  {
    const auto lock = manager.advisoryLock({5, true});
    holder.acquire(lock, LockMode::Share, kPatient);
    std::thread waiting([&] { waiter.acquire(lock, LockMode::Exclusive, kPatient); });
    while (states().size() < 2) std::this_thread::yield();
    std::vector<LockState> all = states();
    EXPECT_EQ(all[0].process_id, 7);
    EXPECT_TRUE(all[0].is_granted);
    EXPECT_EQ(all[0].mode, LockMode::Share);
    EXPECT_EQ(all[1].process_id, 8);
    EXPECT_FALSE(all[1].is_granted);
    EXPECT_GT(all[1].waits_since_unix_us, 0);
    EXPECT_EQ(all[1].key, (AdvisoryKey{5, true}));
    holder.releaseAll();
    waiting.join();
    all = states();
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].mode, LockMode::Exclusive);
    EXPECT_TRUE(all[0].is_granted);
    waiter.releaseAll();
  }
  EXPECT_TRUE(states().empty());
  manager.beginTransaction(77, holder);
  ASSERT_EQ(states().size(), 1u);
  EXPECT_EQ(states()[0].kind, LockState::Kind::Transaction);
  EXPECT_EQ(states()[0].transaction, 77u);
  EXPECT_EQ(manager.activeTransactions(), 1u);
  manager.endTransaction(77);
  EXPECT_TRUE(states().empty());
}

// Many threads take and give back a few locks for themselves: no two have one at once, and none stays behind.
TEST(LockManager, AdvisoryLocksComeAndGo) {
  LockManager manager;
  constexpr int kThreads = 4, kRounds = 2000;
  std::array<std::atomic<int>, 3> inside{};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      LockOwner owner(manager, thread + 1);
      for (int round = 0; round < kRounds; ++round) {
        const auto number = static_cast<size_t>(thread + round) % inside.size();
        owner.acquireForSession(manager.advisoryLock({number, false}), LockMode::Exclusive, kPatient);
        EXPECT_EQ(inside[number].fetch_add(1), 0);
        inside[number].fetch_sub(1);
        EXPECT_TRUE(owner.releaseOfSession({number, false}, LockMode::Exclusive));
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::vector<LockState> all;
  manager.list(all);
  EXPECT_TRUE(all.empty());
}

// holder:    AccessShare ............................... release
// dropper:      AccessExclusive waits ...................... granted
// latecomer:        AccessShare waits behind it
// holder:               RowExclusive: granted at once, since it has the lock already
TEST(LockManager, RequestsAreGrantedInTheirOrder) {
  LockManager manager;
  LockOwner holder(manager), dropper(manager), latecomer(manager);
  const auto lock = makeLock();
  holder.acquire(lock, LockMode::AccessShare, kPatient);
  std::atomic<int> granted{0};
  std::thread waiting([&] {
    dropper.acquire(lock, LockMode::AccessExclusive, kPatient);
    granted = 1;
    dropper.releaseAll();
  });
  while (latecomer.tryAcquire(lock, LockMode::AccessShare)) {
    latecomer.releaseAll();
    std::this_thread::yield();
  }
  EXPECT_EQ(granted.load(), 0);
  holder.acquire(lock, LockMode::RowExclusive, kPatient);
  std::thread late([&] {
    latecomer.acquire(lock, LockMode::AccessShare, kPatient);
    EXPECT_EQ(granted.load(), 1);
  });
  holder.releaseAll();
  waiting.join();
  late.join();
}

TEST(LockManager, WaitsEndForManyReasons) {
  LockManager manager;
  LockOwner holder(manager), waiter(manager);
  const auto lock = makeLock();
  holder.acquire(lock, LockMode::AccessExclusive, kPatient);
  const auto stateOf = [&](const Patience& patience) {
    return std::string(errorOf([&] { waiter.acquire(lock, LockMode::AccessShare, patience); }).state().text());
  };
  EXPECT_EQ(stateOf({.cancel = kCalm, .lock_timeout = milliseconds(5)}), "55P03");
  EXPECT_EQ(stateOf({.cancel = kCalm, .may_wait = false}), "55P03");
  CancelToken cancel;
  cancel.request(CancelToken::Reason::UserRequest);
  EXPECT_EQ(stateOf({.cancel = cancel}), "57014");
  lock->markDropped();
  EXPECT_EQ(stateOf(kPatient), "42P01");
  holder.releaseAll();
  EXPECT_EQ(stateOf(kPatient), "42P01");
  EXPECT_EQ(waiter.mark(), 0u);
}

// Each of n owners holds a lock, or is a transaction, and waits for the next one's: one gives up, the others go on.
TEST(LockManager, OneOfADeadlockGivesUp) {
  for (const size_t count : {2, 3, 5}) {
    LockManager manager;
    std::vector<std::unique_ptr<LockOwner>> owners;
    std::vector<std::shared_ptr<ObjectLock>> locks;
    for (size_t i = 0; i < count; ++i) {
      owners.push_back(std::make_unique<LockOwner>(manager, static_cast<int32_t>(100 + i)));
      locks.push_back(makeLock());
      owners[i]->acquire(locks[i], LockMode::RowExclusive, kPatient);
      manager.beginTransaction(i + 1, *owners[i]);
    }
    std::atomic<int> victims{0};
    std::vector<std::thread> threads;
    for (size_t i = 0; i < count; ++i)
      threads.emplace_back([&, i] {
        const size_t next = (i + 1) % count;
        try {
          if (i % 2 == 0)
            owners[i]->acquire(locks[next], LockMode::Share, kPatient);
          else
            manager.waitFor(manager.awaited(next + 1), *owners[i], kPatient);
        } catch (const SqlError& error) {
          EXPECT_STREQ(error.state().text(), "40P01");
          EXPECT_EQ(std::ranges::count(error.detail(), '\n'), static_cast<long>(count) - 1);
          victims.fetch_add(1);
        }
        owners[i]->releaseAll();
        manager.endTransaction(i + 1);
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(victims.load(), 1);
  }
}

TEST(LockManager, ARollbackWakesThoseWhoWait) {
  LockManager manager;
  LockOwner holder(manager), waiter(manager);
  manager.beginTransaction(7, holder);
  const LockManager::Awaited awaited = manager.awaited(7);
  manager.noteRollback(7);
  // What was met before the rollback is not waited for.
  manager.waitFor(awaited, waiter, kPatient);
  std::thread waiting([&] { manager.waitFor(manager.awaited(7), waiter, kPatient); });
  manager.endTransaction(7);
  waiting.join();
}

// Threads take random locks in random modes; those who get 40P01 let all go. What conflicts is never held together.
TEST(LockManager, ConflictingModesAreNeverHeldTogether) {
  constexpr size_t kThreads = 4, kLocks = 3;
  const uint64_t seed = storage::testing::testSeed();
  LockManager manager;
  std::vector<std::shared_ptr<ObjectLock>> locks;
  for (size_t i = 0; i < kLocks; ++i) locks.push_back(makeLock());
  std::atomic<int> held[kLocks][kLockModes]{};
  std::vector<std::thread> threads;
  for (size_t thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      std::mt19937_64 random(seed + thread);
      LockOwner owner(manager);
      for (int round = 0; round < 200; ++round) {
        std::vector<std::pair<size_t, size_t>> mine;
        try {
          for (int i = 0; i < 3; ++i) {
            const size_t lock = random() % kLocks, mode = random() % kLockModes;
            if (owner.holds(*locks[lock], static_cast<LockMode>(mode))) continue;
            owner.acquire(locks[lock], static_cast<LockMode>(mode),
                          {.cancel = kCalm, .deadlock_timeout = milliseconds(1)});
            held[lock][mode].fetch_add(1);
            mine.emplace_back(lock, mode);
            for (size_t other = 0; other < kLockModes; ++other) {
              if (!conflicts(static_cast<LockMode>(mode), static_cast<LockMode>(other))) continue;
              const auto own = std::ranges::count(mine, std::pair(lock, other));
              EXPECT_EQ(held[lock][other].load(), own);
            }
          }
        } catch (const SqlError& error) {
          EXPECT_STREQ(error.state().text(), "40P01");
        }
        for (const auto& [lock, mode] : mine) held[lock][mode].fetch_sub(1);
        owner.releaseAll();
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace gnomon::txn
