#include "base/wait_event.h"

#include <gtest/gtest.h>

#include <latch>
#include <thread>

namespace gnomon {
namespace {

TEST(WaitEvent, IsSaidInTheThreadsSlotAndTheOuterOneIsSaidAgain) {
  WaitSlot slot{WaitEvent::None};
  {
    const WaitScope nobody_hears(WaitEvent::WalSync);
    EXPECT_EQ(slot.load(), WaitEvent::None);
  }
  setWaitSlot(&slot);
  {
    const WaitScope outer(WaitEvent::LockRelation);
    EXPECT_EQ(slot.load(), WaitEvent::LockRelation);
    {
      const WaitScope inner(WaitEvent::DataFileRead);
      EXPECT_EQ(slot.load(), WaitEvent::DataFileRead);
    }
    EXPECT_EQ(slot.load(), WaitEvent::LockRelation);
  }
  EXPECT_EQ(slot.load(), WaitEvent::None);
  setWaitSlot(nullptr);
}

TEST(WaitEvent, HasANameOfItsOwn) {
  EXPECT_EQ(nameOf(WaitEvent::None).event, "");
  EXPECT_EQ(nameOf(WaitEvent::LockTransaction).type, "Lock");
  EXPECT_EQ(nameOf(WaitEvent::LockTransaction).event, "transactionid");
  EXPECT_EQ(nameOf(WaitEvent::CompilerMain).event, "CompilerMain");
}

TEST(BackgroundThread, IsListedWhileItLives) {
  const size_t before = BackgroundThread::list().size();
  std::latch has_begun(1), may_end(1);
  std::thread thread([&] {
    const BackgroundThread self("tester");
    const WaitScope waiting(WaitEvent::CheckpointerMain);
    has_begun.count_down();
    may_end.wait();
  });
  has_begun.wait();
  const auto infos = BackgroundThread::list();
  may_end.count_down();
  thread.join();
  ASSERT_EQ(infos.size(), before + 1);
  EXPECT_EQ(infos.back().name, "tester");
  EXPECT_EQ(infos.back().wait, WaitEvent::CheckpointerMain);
  EXPECT_EQ(BackgroundThread::list().size(), before);
}

}  // namespace
}  // namespace gnomon
