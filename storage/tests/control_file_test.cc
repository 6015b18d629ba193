#include "storage/control_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "storage/tests/test_support.h"

namespace gnomon::storage {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryDirectory;
using Reason = DirectoryError::Reason;

std::pair<Reason, std::string> refusal(const std::filesystem::path& directory) {
  try {
    const ControlFile control(directory);
  } catch (const DirectoryError& error) {
    return {error.reason(), error.what()};
  }
  ADD_FAILURE() << "the directory was accepted";
  return {Reason::Io, ""};
}

void overwrite(const std::filesystem::path& path, uint64_t offset, uint32_t value) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(offset));
  file.write(reinterpret_cast<const char*>(&value), sizeof(value));
}

TEST(ControlFile, CreatesAMissingDirectoryAndRemembersWhatItWasTold) {
  const TemporaryDirectory parent;
  const std::filesystem::path directory = parent.path() / "a" / "b";
  {
    ControlFile control(directory);
    EXPECT_TRUE(control.isNew());
  }
  {
    ControlFile control(directory);
    EXPECT_TRUE(control.isNew());
    control.markRunning();
  }
  {
    ControlFile control(directory);
    EXPECT_FALSE(control.isNew());
    EXPECT_FALSE(control.wasClean());
    control.markClean();
  }
  const ControlFile control(directory);
  EXPECT_FALSE(control.isNew());
  EXPECT_TRUE(control.wasClean());
}

TEST(ControlFile, RefusesAForeignDirectoryAndLeavesItAlone) {
  const TemporaryDirectory directory;
  std::ofstream(directory.path() / "letter.txt") << "dear";
  EXPECT_EQ(refusal(directory.path()).first, Reason::NotOurs);
  size_t entries = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path()))
    entries += entry.path().filename() == "letter.txt" ? 1 : 100;
  EXPECT_EQ(entries, 1u);
}

TEST(ControlFile, RefusesASecondServerNamingThePidOfTheFirst) {
  const TemporaryDirectory directory;
  const ControlFile first(directory.path());
  const auto [reason, message] = refusal(directory.path());
  EXPECT_EQ(reason, Reason::Locked);
  EXPECT_THAT(message, HasSubstr("pid " + std::to_string(::getpid())));
}

TEST(ControlFile, RefusesAnotherFormatVersionNamingBoth) {
  const TemporaryDirectory directory;
  {
    const ControlFile control(directory.path());
  }
  overwrite(directory.path() / "gnomon.control", offsetof(ControlData, format_version), 77);
  const auto [reason, message] = refusal(directory.path());
  EXPECT_EQ(reason, Reason::FormatVersion);
  EXPECT_THAT(message, HasSubstr("has format version 77, this server needs 6"));
}

TEST(ControlFile, RefusesADirectoryThatIsToBeCleanAndIsNot) {
  const TemporaryDirectory directory;
  {
    ControlFile control(directory.path());
    control.markRunning();
  }
  const ControlFile control(directory.path());
  try {
    control.requireClean();
    ADD_FAILURE() << "the directory was accepted";
  } catch (const DirectoryError& error) {
    EXPECT_EQ(error.reason(), Reason::Unclean);
  }
}

TEST(ControlFile, RefusesADamagedControlFile) {
  const TemporaryDirectory directory;
  {
    const ControlFile control(directory.path());
  }
  overwrite(directory.path() / "gnomon.control", offsetof(ControlData, spare), 1);
  EXPECT_EQ(refusal(directory.path()).first, Reason::Damaged);
  overwrite(directory.path() / "gnomon.control", 0, 1);
  EXPECT_EQ(refusal(directory.path()).first, Reason::NotOurs);
}

TEST(ControlFile, RefusesAPathThatIsNoDirectory) {
  const TemporaryDirectory parent;
  std::ofstream(parent.path() / "file") << "x";
  EXPECT_EQ(refusal(parent.path() / "file").first, Reason::Io);
  EXPECT_EQ(refusal(parent.path() / "file" / "below").first, Reason::Io);
}

TEST(ControlFile, RefusesADirectoryWithoutPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  const TemporaryDirectory parent;
  std::filesystem::permissions(parent.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_EQ(refusal(parent.path() / "new").first, Reason::NotPermitted);
  std::filesystem::permissions(parent.path(), std::filesystem::perms::owner_all);
}

}  // namespace
}  // namespace gnomon::storage
