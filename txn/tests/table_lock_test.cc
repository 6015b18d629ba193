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

}  // namespace
}  // namespace gnomon::txn
