#include "storage/buffer_manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <map>
#include <random>

#include "storage/tests/test_support.h"

namespace gnomon::storage {
namespace {

using testing::errorOf;
using ::testing::HasSubstr;
using testing::kMiB;
using testing::TemporaryDirectory;

constexpr RelationId kRelation{42};

void fill(std::byte* page, SizeClass size_class, uint64_t seed) {
  std::mt19937_64 random(seed);
  for (uint64_t at = sizeof(PageHeader); at < pageBytes(size_class); at += 8) {
    const uint64_t word = random();
    std::memcpy(page + at, &word, 8);
  }
}

void expectFilled(const std::byte* page, SizeClass size_class, uint64_t seed) {
  std::mt19937_64 random(seed);
  for (uint64_t at = sizeof(PageHeader); at < pageBytes(size_class); at += 8) {
    const uint64_t word = random();
    ASSERT_EQ(std::memcmp(page + at, &word, 8), 0) << "at " << at;
  }
}

PageId makePage(BufferManager& buffers, SizeClass size_class, uint64_t seed) {
  const ExclusiveGuard guard = buffers.allocate(size_class, kRelation, PageType::RelationLeaf);
  fill(guard.page(), size_class, seed);
  const PageId id = guard.frame().page_id.load();
  buffers.confirmPage(id);
  return id;
}

TEST(BufferManager, PagesOfAllClassesSurviveCloseAndReopen) {
  const TemporaryDirectory directory;
  const uint64_t seed = testing::testSeed();
  std::mt19937_64 random(seed);
  std::map<PageId, uint64_t> model;
  {
    BufferManager buffers(directory.path(), {.pool_bytes = 32 * kMiB});
    for (uint64_t page = 0; page < 40; ++page)
      model[makePage(buffers, SizeClass{static_cast<uint8_t>(random() % 4)}, seed + page)] = seed + page;
    buffers.writeAll();
  }
  for (int round = 0; round < 2; ++round) {
    BufferManager buffers(directory.path(), {.pool_bytes = 32 * kMiB});
    EXPECT_EQ(buffers.usedBytes(), 0u);
    for (const auto& [id, page_seed] : model) {
      Frame& frame = buffers.fixRoot(id, kRelation);
      EXPECT_EQ(frame.page_id.load(), id);
      expectFilled(frame.page, id.sizeClass(), page_seed);
    }
    // New pages get new numbers.
    for (int page = 0; page < 3; ++page) {
      const PageId id = makePage(buffers, SizeClass{0}, seed + 1000 + page + 10 * round);
      EXPECT_FALSE(model.contains(id));
      model[id] = seed + 1000 + page + 10 * round;
    }
    buffers.writeAll();
  }
}

TEST(BufferManager, FreedPageNumbersAreUsedAgainAlsoAfterReopen) {
  const TemporaryDirectory directory;
  PageId freed, kept;
  {
    BufferManager buffers(directory.path(), {.pool_bytes = 4 * kMiB});
    kept = makePage(buffers, SizeClass{0}, 1);
    ExclusiveGuard page = buffers.allocate(SizeClass{0}, kRelation, PageType::RelationLeaf);
    freed = page.frame().page_id.load();
    buffers.free(std::move(page));
    EXPECT_EQ(buffers.usedBytes(), kPageBytesMin);
    buffers.writeAll();
  }
  BufferManager buffers(directory.path(), {.pool_bytes = 4 * kMiB});
  const ExclusiveGuard page = buffers.allocate(SizeClass{0}, kRelation, PageType::RelationLeaf);
  EXPECT_EQ(page.frame().page_id.load(), freed);
  const std::vector<std::byte> zeros(kPageBytesMin - sizeof(PageHeader));
  EXPECT_EQ(std::memcmp(page.page() + sizeof(PageHeader), zeros.data(), zeros.size()), 0);
  EXPECT_NE(makePage(buffers, SizeClass{0}, 1), kept);
}

TEST(BufferManager, DamagedPageIsXX001NamingFileOffsetAndRelation) {
  const TemporaryDirectory directory;
  PageId first, second;
  {
    BufferManager buffers(directory.path(), {.pool_bytes = 4 * kMiB});
    first = makePage(buffers, SizeClass{0}, 1);
    second = makePage(buffers, SizeClass{0}, 2);
    buffers.writeAll();
  }
  const auto flipByteAt = [&](uint64_t offset) {
    std::fstream file(directory.path() / "pages.00", std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset));
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(static_cast<std::streamoff>(offset));
    file.put(byte);
  };
  flipByteAt(kPageBytesMin + 30000);
  BufferManager buffers(directory.path(), {.pool_bytes = 4 * kMiB});
  const SqlError error = errorOf([&] { buffers.fixRoot(second, kRelation); });
  EXPECT_STREQ(error.state().text(), "XX001");
  EXPECT_THAT(error.message(), HasSubstr((directory.path() / "pages.00").string()));
  EXPECT_THAT(error.message(), HasSubstr("offset 65536"));
  EXPECT_THAT(error.message(), HasSubstr("relation 42"));
  EXPECT_EQ(buffers.usedBytes(), 0u);
  expectFilled(buffers.fixRoot(first, kRelation).page, SizeClass{0}, 1);
}

TEST(BufferManager, PageOfAnotherRelationOrPlaceIsXX001) {
  const TemporaryDirectory directory;
  PageId first, second;
  {
    BufferManager buffers(directory.path(), {.pool_bytes = 4 * kMiB});
    first = makePage(buffers, SizeClass{0}, 1);
    second = makePage(buffers, SizeClass{0}, 2);
    buffers.writeAll();
  }
  {
    std::fstream file(directory.path() / "pages.00", std::ios::in | std::ios::out | std::ios::binary);
    std::vector<char> page(kPageBytesMin);
    file.read(page.data(), static_cast<std::streamsize>(page.size()));
    file.write(page.data(), static_cast<std::streamsize>(page.size()));
  }
  BufferManager buffers(directory.path(), {.pool_bytes = 4 * kMiB});
  EXPECT_STREQ(errorOf([&] { buffers.fixRoot(second, kRelation); }).state().text(), "XX001");
  EXPECT_STREQ(errorOf([&] { buffers.fixRoot(first, RelationId{7}); }).state().text(), "XX001");
  EXPECT_STREQ(errorOf([&] { buffers.fixRoot(PageId(1000, SizeClass{0}), kRelation); }).state().text(), "XX001");
}

TEST(BufferManager, FullPoolIs53200AndTheBufferManagerStaysUsable) {
  const TemporaryDirectory directory;
  BufferManager buffers(directory.path(), {.pool_bytes = kMiB});
  std::vector<Frame*> frames;
  for (int page = 0; page < 12; ++page)
    frames.push_back(&buffers.allocate(SizeClass{0}, kRelation, PageType::RelationLeaf).frame());
  const SqlError error = errorOf([&] { buffers.allocate(SizeClass{3}, kRelation, PageType::RelationLeaf); });
  EXPECT_STREQ(error.state().text(), "53200");
  EXPECT_EQ(error.message(), "buffer pool is full");
  EXPECT_EQ(error.detail(), "A page of 524288 bytes is needed; 786432 of 1048576 bytes are in use.");
  EXPECT_THAT(error.hint(), HasSubstr("--buffer-pool"));
  EXPECT_EQ(buffers.usedBytes(), 12 * kPageBytesMin);
  for (int page = 0; page < 4; ++page) buffers.free(ExclusiveGuard(*frames[page]));
  const ExclusiveGuard large = buffers.allocate(SizeClass{3}, kRelation, PageType::RelationLeaf);
  EXPECT_EQ(buffers.usedBytes(), kMiB);
  EXPECT_STREQ(errorOf([&] { buffers.allocate(SizeClass{0}, kRelation, PageType::RelationLeaf); }).state().text(),
               "53200");
  EXPECT_STREQ(errorOf([&] { buffers.allocate(SizeClass{15}, kRelation, PageType::RelationLeaf); }).state().text(),
               "53200");
}

TEST(BufferManager, FullDiskIs53100AndTheBufferManagerStaysUsable) {
  const TemporaryDirectory directory;
  BufferManager buffers(directory.path(), {.pool_bytes = 64 * kMiB});
  // A limit on file sizes stands in for a full disk.
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit = before;
  limit.rlim_cur = kMiB;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::vector<Frame*> frames;
  const SqlError error = errorOf([&] {
    while (frames.size() < 100)
      frames.push_back(&buffers.allocate(SizeClass{0}, kRelation, PageType::RelationLeaf).frame());
  });
  EXPECT_STREQ(error.state().text(), "53100");
  EXPECT_THAT(error.message(), HasSubstr("pages.00"));
  EXPECT_EQ(frames.size(), 16u);
  EXPECT_EQ(buffers.usedBytes(), kMiB);
  buffers.free(ExclusiveGuard(*frames[3]));
  EXPECT_FALSE(makePage(buffers, SizeClass{0}, 1).isNone());
  // The double-write area is larger than the limit.
  EXPECT_STREQ(errorOf([&] { buffers.writeAll(); }).state().text(), "53100");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  buffers.writeAll();
}

TEST(BufferManager, DamagedFreeListsAreXX001) {
  const TemporaryDirectory directory;
  {
    BufferManager buffers(directory.path(), {.pool_bytes = kMiB});
    makePage(buffers, SizeClass{0}, 1);
    buffers.writeAll();
  }
  const std::filesystem::path path = directory.path() / "gnomon.free";
  const auto open = [&] { const BufferManager buffers(directory.path(), {.pool_bytes = kMiB}); };
  std::filesystem::resize_file(path, 16);
  EXPECT_STREQ(errorOf(open).state().text(), "XX001");
  std::filesystem::remove(path);
  EXPECT_STREQ(errorOf(open).state().text(), "XX001");
}

}  // namespace
}  // namespace gnomon::storage
