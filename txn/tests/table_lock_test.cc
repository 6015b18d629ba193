#include "txn/table_lock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "storage/tests/test_support.h"

namespace gnomon::txn {
namespace {

using storage::testing::errorOf;
using Mode = TableLock::Mode;

// statement:  use ........................ release
// drop:            wants it alone  (waits)          has it
// newcomer:                    wants it  (waits)           42P01
TEST(TableLock, ExclusiveWaitsForStatementsAndGoesBeforeNewcomers) {
  TableLock lock;
  const CancelToken cancel;
  TableLock::Guard statement = lock.acquire(Mode::Shared, cancel);
  std::atomic<bool> dropped{false};
  std::thread drop([&] {
    const TableLock::Guard alone = lock.acquire(Mode::Exclusive, cancel);
    EXPECT_FALSE(statement.holds());
    dropped.store(true);
    lock.markDropped();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  std::thread newcomer([&] {
    EXPECT_STREQ(errorOf([&] { (void)lock.acquire(Mode::Shared, cancel); }).state().text(), "42P01");
    EXPECT_TRUE(dropped.load());
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_FALSE(dropped.load());
  statement.release();
  drop.join();
  newcomer.join();
}

TEST(TableLock, WaitingEndsWithTheCancelRequestAndLeavesNoTrace) {
  TableLock lock;
  const CancelToken calm;
  CancelToken cancel;
  {
    const TableLock::Guard statement = lock.acquire(Mode::Shared, calm);
    std::thread canceller([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      cancel.request(CancelToken::Reason::UserRequest);
    });
    EXPECT_STREQ(errorOf([&] { (void)lock.acquire(Mode::Exclusive, cancel); }).state().text(), "57014");
    canceller.join();
    // The request that was given up keeps nobody out.
    const TableLock::Guard another = lock.acquire(Mode::Shared, calm);
    EXPECT_TRUE(another.holds());
  }
  EXPECT_TRUE(lock.acquire(Mode::Exclusive, calm).holds());
}

// writer:   use ... upgrade (waits) ............ has it alone, release
// reader:   use ............................ release
// newcomer:                  wants it (waits)                      has it
// drop:                      wants it alone (waits)                has it before or after the newcomer
TEST(TableLock, UpgradeWaitsForReadersAndGoesBeforeWhoWaits) {
  TableLock lock;
  const CancelToken calm;
  TableLock::Guard writer = lock.acquire(Mode::Shared, calm);
  TableLock::Guard reader = lock.acquire(Mode::Shared, calm);
  std::atomic<int> state{0};
  std::thread drop([&] {
    const TableLock::Guard alone = lock.acquire(Mode::Exclusive, calm);
    EXPECT_EQ(state.load(), 2);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::thread upgrade([&] {
    writer.upgrade(calm);
    EXPECT_EQ(state.load(), 1);
    EXPECT_TRUE(writer.holdsExclusive(lock));
    EXPECT_FALSE(lock.tryAcquire(Mode::Shared).holds());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    state.store(2);
    writer.release();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::thread newcomer([&] {
    const TableLock::Guard use = lock.acquire(Mode::Shared, calm);
    EXPECT_EQ(state.load(), 2);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  state.store(1);
  reader.release();
  upgrade.join();
  newcomer.join();
  drop.join();
}

TEST(TableLock, CancelledUpgradeStaysShared) {
  TableLock lock;
  const CancelToken calm;
  CancelToken cancel;
  cancel.request(CancelToken::Reason::UserRequest);
  TableLock::Guard writer = lock.acquire(Mode::Shared, calm);
  TableLock::Guard reader = lock.acquire(Mode::Shared, calm);
  EXPECT_STREQ(errorOf([&] { writer.upgrade(cancel); }).state().text(), "57014");
  EXPECT_FALSE(writer.holdsExclusive(lock));
  EXPECT_TRUE(lock.tryAcquire(Mode::Shared).holds());
  EXPECT_FALSE(lock.tryAcquire(Mode::Exclusive).holds());
  reader.release();
  writer.upgrade(calm);
  EXPECT_TRUE(writer.holdsExclusive(lock));
}

}  // namespace
}  // namespace gnomon::txn
