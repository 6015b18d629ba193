#include <fmt/format.h>
#include <gmock/gmock.h>
#include <xxhash.h>

#include <fstream>
#include <random>

#include "storage/index/index_cursor.h"
#include "storage/index/index_tree.h"
#include "storage/tests/test_support.h"

namespace gnomon::storage {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kMiB;
using testing::TemporaryDirectory;
using ::testing::UnorderedElementsAreArray;

constexpr RelationId kRelation{42};
constexpr uint64_t kCount = 6400;

/// Keys of a group differ in their last bytes only, so that separators between them are long, and inner pages many.
std::string keyOf(uint64_t number) {
  return fmt::format("{:03}{}{:02}", number / 64, std::string(5000, 'l'), number % 64);
}

/// A tree of three levels on disk, whose pages can be damaged before it is opened.
class TreeOnDisk {
 public:
  TreeOnDisk() {
    BufferManager buffers(directory_.path(), {.pool_bytes = 64 * kMiB});
    IndexTree tree(buffers, kRelation, false);
    for (uint64_t number = 0; number < kCount; ++number) {
      const uint64_t shuffled = number * 7919 % kCount;
      tree.insert(keyOf(shuffled), TupleId{shuffled});
    }
    root_ = tree.root();
    page_count_ = buffers.pageNumbers().nextNumber(SizeClass{0}) - 1;
    buffers.writeAll();
  }

  [[nodiscard]] PageId root() const { return root_; }
  [[nodiscard]] uint64_t pageCount() const { return page_count_; }
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_.path(); }
  std::vector<char> read(uint64_t number) const {
    std::vector<char> page(kPageBytesMin);
    std::ifstream file(directory_.path() / "pages.00", std::ios::binary);
    file.seekg(static_cast<std::streamoff>((number - 1) * kPageBytesMin)).read(page.data(), kPageBytesMin);
    return page;
  }
  void write(uint64_t number, const std::vector<char>& page) const {
    std::fstream file(directory_.path() / "pages.00", std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>((number - 1) * kPageBytesMin)).write(page.data(), kPageBytesMin);
  }
  Findings check(uint64_t pool_bytes = 64 * kMiB) const {
    BufferManager buffers(directory_.path(), {.pool_bytes = pool_bytes});
    IndexTree tree(buffers, kRelation, false, root_);
    Findings findings;
    tree.check(findings);
    return findings;
  }

 private:
  const TemporaryDirectory directory_;
  PageId root_;
  uint64_t page_count_ = 0;
};

/// Makes the page's checksum right, and the page one of another run: it has to be checked.
void sealPage(std::vector<char>& page) {
  reinterpret_cast<IndexPageHeader*>(page.data())->checked_by = 0;
  const uint64_t checksum = XXH3_64bits(page.data() + 8, page.size() - 8);
  std::memcpy(page.data(), &checksum, sizeof(checksum));
}

TEST(IndexTreeCheck, FindsEveryPageOfASoundTree) {
  const TreeOnDisk disk;
  const Findings findings = disk.check(2 * kMiB);
  EXPECT_THAT(findings.problems, IsEmpty());
  std::vector<PageId> pages;
  for (uint64_t number = 1; number <= disk.pageCount(); ++number) pages.emplace_back(number, SizeClass{0});
  EXPECT_GT(pages.size(), 60u);
  EXPECT_THAT(findings.pages, UnorderedElementsAreArray(pages));
}

TEST(IndexTreeCheck, NamesEachDamagedPageAndLooksAtThoseBesideIt) {
  std::mt19937_64 random(testing::testSeed());
  const TreeOnDisk disk;
  for (uint64_t number = 1; number <= disk.pageCount(); number += 1 + random() % 32) {
    const std::vector<char> sound = disk.read(number);
    std::vector<char> damaged = sound;
    damaged[8 + random() % (kPageBytesMin - 8)] ^= 0x10;
    disk.write(number, damaged);
    const Findings findings = disk.check();
    EXPECT_THAT(findings.problems, ElementsAre(HasSubstr(fmt::format("damaged page {} in file", number))));
    EXPECT_THAT(findings.pages, Contains(PageId(number, SizeClass{0})));
    const auto header = reinterpret_cast<const PageHeader*>(sound.data());
    if (header->type == PageType::IndexLeaf) EXPECT_EQ(findings.pages.size(), disk.pageCount());
    disk.write(number, sound);
  }
}

TEST(IndexTreeCheck, ALeafInAnothersPlaceIsFoundByItsFences) {
  const TreeOnDisk disk;
  std::vector<uint64_t> leaves;
  for (uint64_t number = 1; number <= disk.pageCount() && leaves.size() < 2; ++number) {
    const std::vector<char> page = disk.read(number);
    if (reinterpret_cast<const PageHeader*>(page.data())->type == PageType::IndexLeaf) leaves.push_back(number);
  }
  ASSERT_EQ(leaves.size(), 2u);
  std::vector<char> page = disk.read(leaves[0]);
  reinterpret_cast<PageHeader*>(page.data())->page_id = PageId(leaves[1], SizeClass{0});
  sealPage(page);
  disk.write(leaves[1], page);
  EXPECT_THAT(disk.check().problems,
              ElementsAre(fmt::format("page {} of size class 0 of index 42: stands in another's place", leaves[1])));
}

// Checksums do not help here: the bytes are wrong and the checksum is right.
TEST(IndexTreeCheck, AnyBytesAreASoundTreeOrAProblem) {
  std::mt19937_64 random(testing::testSeed());
  const TreeOnDisk disk;
  uint64_t found = 0;
  constexpr int kRounds = 60;
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t number = round % 3 == 0 ? disk.root().number() : 1 + random() % disk.pageCount();
    const std::vector<char> sound = disk.read(number);
    std::vector<char> damaged = sound;
    const uint64_t reach = round % 2 == 0 ? 64 : kPageBytesMin;
    for (uint64_t flips = 1 + random() % 4; flips > 0; --flips)
      damaged[24 + random() % (reach - 24)] ^= static_cast<char>(1 << random() % 8);
    if (round % 16 == 0)
      std::generate(damaged.begin() + 28, damaged.end(), [&] { return static_cast<char>(random()); });
    sealPage(damaged);
    disk.write(number, damaged);
    found += disk.check(2 * kMiB).problems.empty() ? 0 : 1;
    BufferManager buffers(disk.directory(), {.pool_bytes = 2 * kMiB});
    IndexTree tree(buffers, kRelation, false, disk.root());
    for (const ScanDirection direction : {ScanDirection::Forward, ScanDirection::Backward}) {
      try {
        IndexCursor cursor(tree, {}, direction);
        IndexEntry entry;
        uint64_t entries = 0;
        while (cursor.next(entry)) ++entries;
        EXPECT_LE(entries, 2 * kCount);
      } catch (const SqlError& error) {
        EXPECT_STREQ(error.state().text(), error.state() == sqlstate::kIoError ? "58030" : "XX001") << error.message();
      }
    }
    disk.write(number, sound);
  }
  // Flips in the free space of a page, or of a key between its neighbours, are no damage to the tree.
  EXPECT_GT(found, uint64_t{kRounds / 4});
  EXPECT_THAT(disk.check().problems, IsEmpty());
}

TEST(IndexTreeCheck, ATreeWithADamagedRootIsOpenedAndDestroyed) {
  const TreeOnDisk disk;
  std::vector<char> page = disk.read(disk.root().number());
  page[100] ^= 1;
  disk.write(disk.root().number(), page);
  BufferManager buffers(disk.directory(), {.pool_bytes = 64 * kMiB});
  IndexTree tree(buffers, kRelation, false, disk.root());
  for (int attempt = 0; attempt < 2; ++attempt)
    EXPECT_STREQ(testing::errorOf([&] { tree.contains(keyOf(1), TupleId{1}); }).state().text(), "XX001");
  tree.destroy();
  EXPECT_THAT(buffers.pageNumbers().freeNumbers(SizeClass{0}), ElementsAre(disk.root().number()));
}

TEST(IndexTreeCheck, DestroyingATreeLosesOnlyWhatHangsFromDamagedPages) {
  const TreeOnDisk disk;
  for (const bool is_sealed : {false, true}) {
    uint64_t number = 1;
    while (number == disk.root().number() ||
           reinterpret_cast<const PageHeader*>(disk.read(number).data())->type != PageType::IndexInner)
      ++number;
    const std::vector<char> sound = disk.read(number);
    std::vector<char> page = sound;
    page[44] ^= 0x40;
    const uint64_t lost = reinterpret_cast<const IndexPageHeader*>(sound.data())->entry_count;
    if (is_sealed) sealPage(page);
    disk.write(number, page);
    BufferManager buffers(disk.directory(), {.pool_bytes = 64 * kMiB});
    IndexTree(buffers, kRelation, false, disk.root()).destroy();
    EXPECT_EQ(buffers.pageNumbers().freeNumbers(SizeClass{0}).size(), disk.pageCount() - lost);
    EXPECT_EQ(buffers.usedBytes(), 0u);
    disk.write(number, sound);
  }
}

}  // namespace
}  // namespace gnomon::storage
