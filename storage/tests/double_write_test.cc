#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/failpoint.h"
#include "base/string_value.h"
#include "storage/relation/appender.h"
#include "storage/tests/test_support.h"
#include "storage/tests/torn_pages.h"

/// A process that is killed while it writes pages leaves no torn page to whoever opens the directory next.
namespace gnomon::storage {
namespace {

using testing::kMiB;
using testing::TemporaryDirectory;
using testing::tornPages;

constexpr RelationId kRelation{42};
const RelationSchema kSchema = {{StoredKind::Int64, false}, {StoredKind::String, false}};

/// Appends rows with texts of all lengths until the failpoint ends the process.
[[noreturn]] void appendUntilKilled(const std::filesystem::path& directory, const std::string& failpoint,
                                    uint64_t seed) {
  armFailpoint(failpoint);
  BufferManager buffers(directory, {.pool_bytes = 8 * kMiB});
  Relation relation(buffers, kRelation, kSchema);
  RelationAppender appender(relation);
  std::mt19937_64 random(seed);
  const uint8_t nulls[2] = {};
  for (uint64_t id = 0; id < 200'000; ++id) {
    const size_t length = random() % 500 == 0 ? random() % (2 * kMiB) : random() % 3000;
    const std::string text(length, static_cast<char>('a' + id % 26));
    const StringValue value = StringValue::refer(text, StringValue::Storage::Transient);
    const Datum values[2] = {{id, 0}, {value.lo(), value.hi()}};
    appender.append(values, nulls);
  }
  std::_Exit(1);
}

class KilledWhileWriting : public ::testing::TestWithParam<const char*> {};

TEST_P(KilledWhileWriting, LeavesNoTornPage) {
  const uint64_t seed = testing::testSeed();
  bool was_torn = false;
  for (const int pass : {1, 2, 5}) {
    const TemporaryDirectory directory;
    {
      // The free lists of a directory in use.
      BufferManager buffers(directory.path(), {.pool_bytes = kMiB});
      buffers.writeAll();
    }
    const std::string failpoint = std::string(GetParam()) + ":" + std::to_string(pass);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) appendUntilKilled(directory.path(), failpoint, seed);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << failpoint << " was not passed";
    was_torn |= !tornPages(directory.path()).empty();
    {
      const BufferManager buffers(directory.path(), {.pool_bytes = kMiB});
    }
    EXPECT_EQ(tornPages(directory.path()), std::vector<std::string>()) << failpoint << " seed " << seed;
  }
  // The check sees what it is there for.
  if (std::string(GetParam()) == "doublewrite.torn") EXPECT_TRUE(was_torn);
}

INSTANTIATE_TEST_SUITE_P(Failpoints, KilledWhileWriting,
                         ::testing::Values("doublewrite.written", "doublewrite.synced", "doublewrite.torn",
                                           "doublewrite.home_written", "doublewrite.home_synced"));

TEST(DoubleWriteArea, ImagesThatAreNotWholeRepairNothing) {
  const TemporaryDirectory directory;
  PageId id;
  {
    BufferManager buffers(directory.path(), {.pool_bytes = kMiB});
    const ExclusiveGuard page = buffers.allocate(SizeClass{0}, kRelation, PageType::RelationLeaf);
    id = page.frame().page_id.load();
  }
  const auto io = FileIo::create(IoMethod::Auto);
  DoubleWriteArea::Files files;
  for (uint8_t index = 0; index < kSizeClassCount; ++index)
    files[index] = std::make_unique<DataFile>(directory.path() / ("pages.0" + std::to_string(index)), SizeClass{index});
  const AlignedMemory image = allocateAligned(kPageBytesMin);
  std::memset(image.get(), 7, kPageBytesMin);
  *reinterpret_cast<PageHeader*>(image.get()) = PageHeader{0, id, Gsn{}, kRelation, PageType::RelationLeaf, 0};
  DoubleWriteArea area(directory.path(), *io);
  const PageImage images[] = {{id, image.get()}};
  area.write(images);
  EXPECT_EQ(area.recover(files), 0u);  // its checksum is wrong
  auto& header = *reinterpret_cast<PageHeader*>(image.get());
  header.checksum = checksumOf(image.get(), kPageBytesMin);
  area.write(images);
  EXPECT_EQ(area.recover(files), 1u);
  EXPECT_EQ(area.recover(files), 0u);  // forgotten
}

TEST(DoubleWriteArea, WhatWasStableIsKnownUntilSomethingElseIsSaid) {
  const TemporaryDirectory directory;
  const auto io = FileIo::create(IoMethod::Auto);
  DoubleWriteArea::Files files;
  for (uint8_t index = 0; index < kSizeClassCount; ++index)
    files[index] = std::make_unique<DataFile>(directory.path() / ("pages." + std::to_string(index)), SizeClass{index});
  const AlignedMemory image = allocateAligned(kPageBytesMin);
  std::memset(image.get(), 0, kPageBytesMin);
  const PageImage images[] = {{PageId(1, SizeClass{0}), image.get()}};
  const auto stableAfterRestart = [&] {
    DoubleWriteArea area(directory.path(), *io);
    area.recover(files);
    EXPECT_EQ(area.stable(), DoubleWriteArea::readStable(directory.path()));
    return area.stable();
  };
  EXPECT_EQ(DoubleWriteArea::readStable(directory.path()), DoubleWriteArea::StableRecords{});
  EXPECT_EQ(stableAfterRestart(), DoubleWriteArea::StableRecords{});
  const Gsn stable[] = {Gsn{7}, Gsn{}, Gsn{5}};
  DoubleWriteArea::StableRecords expected{};
  std::ranges::copy(stable, expected.begin());
  DoubleWriteArea(directory.path(), *io).write(images, stable);
  for (int restart = 0; restart < 2; ++restart) EXPECT_EQ(stableAfterRestart(), expected) << restart;
  {
    DoubleWriteArea area(directory.path(), *io);
    area.recover(files);
    area.write(images);
    area.clear();
  }
  EXPECT_EQ(stableAfterRestart(), expected);
  const Gsn later[] = {Gsn{9}};
  DoubleWriteArea area(directory.path(), *io);
  area.recover(files);
  area.write(images, later);
  expected[0] = later[0];
  EXPECT_EQ(stableAfterRestart(), expected);
}

}  // namespace
}  // namespace gnomon::storage
