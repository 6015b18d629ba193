#include "base/failpoint.h"

#include <gtest/gtest.h>

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
  EXPECT_FALSE(isFailpointArmed());
  EXPECT_EQ(failpointError(""), 0);
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
