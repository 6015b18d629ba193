#include "server/session_registry.h"

#include <gtest/gtest.h>

#include <thread>

#include "server/statement_timers.h"

namespace gnomon::server {
namespace {

TEST(SessionRegistry, CancelsOnlyWithTheSecretAndOnlyWhatRuns) {
  SessionRegistry registry(10);
  Interrupts interrupts;
  const SessionStatus status;
  const SessionKey key = registry.add(interrupts, status);
  registry.cancel(key);
  interrupts.beginStatement();
  EXPECT_NO_THROW(interrupts.poll());
  registry.cancel({key.id, key.secret + 1});
  EXPECT_NO_THROW(interrupts.poll());
  registry.cancel(key);
  EXPECT_THROW(interrupts.poll(), SqlError);
  interrupts.endStatement();
  EXPECT_NO_THROW(interrupts.poll());
  registry.remove(key);
  registry.cancel(key);
}

TEST(SessionRegistry, HoldsNoMoreThanItsLimit) {
  SessionRegistry registry(2);
  Interrupts interrupts;
  const SessionStatus status;
  const SessionKey first = registry.add(interrupts, status);
  registry.add(interrupts, status);
  EXPECT_THROW(registry.add(interrupts, status), SqlError);
  registry.remove(first);
  EXPECT_NO_THROW(registry.add(interrupts, status));
  EXPECT_EQ(registry.sessionCount(), 2u);
}

TEST(Interrupts, TerminationOutlivesTheStatement) {
  Interrupts interrupts;
  interrupts.beginStatement();
  interrupts.requestTermination();
  interrupts.endStatement();
  EXPECT_THROW(interrupts.poll(), SqlError);
  interrupts.beginStatement();
  EXPECT_TRUE(interrupts.cancelToken().isRequested());
}

//  session             cancelling thread
//  begin
//                      cancel          (any moment)
//  end
//  begin               the next statement is not hit by what was meant for the one before
TEST(Interrupts, ACancelEndsWithItsStatement) {
  Interrupts interrupts;
  std::thread other([&] {
    for (int i = 0; i < 10000; ++i) interrupts.requestCancel();
  });
  for (int i = 0; i < 10000; ++i) {
    interrupts.beginStatement();
    interrupts.endStatement();
  }
  other.join();
  interrupts.beginStatement();
  EXPECT_NO_THROW(interrupts.poll());
}

TEST(StatementTimers, EndAStatementThatTakesTooLong) {
  StatementTimers timers;
  Interrupts interrupts;
  interrupts.beginStatement();
  {
    const StatementTimers::Running slow(timers, interrupts, 60'000);
    const StatementTimers::Running timer(timers, interrupts, 5);
    while (!interrupts.cancelToken().isRequested()) std::this_thread::yield();
  }
  EXPECT_TRUE(interrupts.isTimedOut());
  interrupts.endStatement();
  interrupts.beginStatement();
  EXPECT_FALSE(interrupts.isTimedOut());
  EXPECT_NO_THROW(interrupts.poll());
}

}  // namespace
}  // namespace gnomon::server
