#include "server/session_status.h"

#include <gtest/gtest.h>

#include <thread>

namespace gnomon::server {
namespace {

using State = SessionStatus::State;

TEST(SessionStatus, SaysWhatTheSessionDoes) {
  SessionStatus status;
  EXPECT_EQ(status.snapshot().state, State::Starting);
  EXPECT_EQ(status.snapshot().query_begun_us, 0);
  status.setClient("someone", {"127.0.0.1", 4711});
  status.setApplication("app");
  status.beginQuery(std::make_shared<const std::string>("select 1"));
  status.beginTransaction();
  status.setTransaction(0);
  const SessionStatus::Snapshot active = status.snapshot();
  EXPECT_EQ(active.state, State::Active);
  EXPECT_EQ(active.query, "select 1");
  EXPECT_EQ(active.user, "someone");
  EXPECT_EQ(active.client_port, 4711);
  EXPECT_EQ(active.transaction, 0u) << "the first id is one, too";
  EXPECT_GE(active.transaction_begun_us, active.query_begun_us);
  EXPECT_GE(active.query_begun_us, active.begun_us);
  status.becomeIdle(State::InBlock);
  EXPECT_EQ(status.snapshot().query, "select 1") << "the last one";
  EXPECT_EQ(status.snapshot().transaction_begun_us, active.transaction_begun_us);
  status.endTransaction();
  status.becomeIdle(State::Idle);
  const SessionStatus::Snapshot idle = status.snapshot();
  EXPECT_EQ(idle.state, State::Idle);
  EXPECT_EQ(idle.transaction, std::nullopt);
  EXPECT_EQ(idle.transaction_begun_us, 0);
  EXPECT_GE(idle.state_changed_us, active.state_changed_us);
}

// session    query "aa", "bb", ... one after the other
// watcher    sees each as a whole
TEST(SessionStatus, IsReadWhileItChanges) {
  SessionStatus status;
  std::atomic<bool> may_end{false};
  std::thread watcher([&] {
    while (!may_end) {
      const std::string query = status.snapshot().query;
      if (!query.empty()) EXPECT_EQ(query, std::string(query.size(), query[0]));
    }
  });
  for (int i = 0; i < 2000; ++i)
    status.beginQuery(
        std::make_shared<const std::string>(static_cast<size_t>(i % 100), static_cast<char>('a' + i % 26)));
  may_end = true;
  watcher.join();
}

TEST(SessionStatus, TimesAreThoseOfTheLastReadingOfTheClock) {
  SessionStatus status;
  const auto text = std::make_shared<const std::string>("select 1");
  status.beginQuery(text);
  const int64_t first = status.snapshot().query_begun_us;
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  status.beginQuery(text);
  EXPECT_EQ(status.snapshot().query_begun_us, first);
  const int64_t steady = status.steadyUs();
  status.readClock();
  status.beginQuery(text);
  EXPECT_GE(status.steadyUs(), steady + 2000);
  EXPECT_EQ(status.snapshot().query_begun_us - first, status.steadyUs() - steady);
  EXPECT_EQ(status.snapshot().query, "select 1");
}

}  // namespace
}  // namespace gnomon::server
