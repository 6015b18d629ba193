#include "base/failpoint.h"

#include <gtest/gtest.h>

#include <chrono>

namespace gnomon {
namespace {

TEST(Failpoint, FailsEachTimeOrOnceWithTheErrnoItSays) {
  armFailpoint("here=28");
  EXPECT_EQ(failpointError("there"), 0);
  EXPECT_EQ(failpointError("here"), 28);
  EXPECT_EQ(failpointError("here"), 28);
  armFailpoint("here=5:2");
  EXPECT_EQ(failpointError("here"), 0);
  EXPECT_EQ(failpointError("here"), 5);
  EXPECT_EQ(failpointError("here"), 0);
  passFailpoint("here");  // kills nobody
  armFailpoint("");
  EXPECT_FALSE(isFailpointArmed("here"));
  EXPECT_EQ(failpointError(""), 0);
}

TEST(Failpoint, SeveralAreArmedAtOnce) {
  armFailpoint("here=5:1,there=28");
  EXPECT_TRUE(isFailpointArmed("here"));
  EXPECT_TRUE(isFailpointArmed("there"));
  EXPECT_FALSE(isFailpointArmed("elsewhere"));
  EXPECT_EQ(failpointError("there"), 28);
  EXPECT_EQ(failpointError("here"), 5);
  EXPECT_EQ(failpointError("here"), 0);
  armFailpoint("");
  EXPECT_FALSE(isFailpointArmed("there"));
}

TEST(Failpoint, Delays) {
  armFailpoint("here~30:2");
  passFailpoint("here");
  const auto begin = std::chrono::steady_clock::now();
  passFailpoint("here");
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(30));
  armFailpoint("");
}

TEST(Failpoint, KillsAtItsPass) {
  EXPECT_EXIT(
      {
        armFailpoint("here:2");
        passFailpoint("here");
        if (failpointError("here") != 0) std::_Exit(1);
        passFailpoint("here");
        std::_Exit(2);
      },
      ::testing::KilledBySignal(SIGKILL), "");
}

}  // namespace
}  // namespace gnomon
