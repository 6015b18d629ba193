#include "storage/page_text.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>

#include "storage/double_write.h"
#include "storage/index/index_page.h"
#include "storage/swip.h"
#include "storage/tests/test_support.h"

namespace gnomon::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr PageId kPage(7, SizeClass{0});

TEST(PageText, AnIndexPagesEntriesAreShown) {
  const auto bytes = std::make_unique<IndexPageBuffer>();
  std::memset(bytes->bytes, 0, kIndexPageBytes);
  auto& header = *reinterpret_cast<PageHeader*>(bytes->bytes);
  header.page_id = kPage;
  header.relation_id = RelationId{9};
  header.type = PageType::IndexInner;
  IndexPage page(bytes->bytes);
  page.initialise(1, true, {}, nullptr);
  page.append({}, {}, Swip::cold(PageId(3, SizeClass{0})).bits());
  page.append("ab", {}, Swip::cold(PageId(5, SizeClass{0})).bits());
  page.updateHints(0, 0);
  header.checksum = checksumOf(bytes->bytes, kIndexPageBytes);
  const PageText text = describePage(bytes->bytes, kPage);
  EXPECT_THAT(text.summary, StartsWith("page 0:7: index inner page of relation 9, level 1, 2 entries, "));
  EXPECT_THAT(text.entries, ElementsAre("keys from []: page 0:3", "keys from [6162]: page 0:5"));
  EXPECT_THAT(text.children, ElementsAre(PageId(3, SizeClass{0}), PageId(5, SizeClass{0})));
  EXPECT_THAT(text.problems, IsEmpty());
  EXPECT_THAT(describePage(bytes->bytes, PageId(8, SizeClass{0})).problems, ElementsAre("says it is page 0:7"));
  page.header().entry_count = 60000;
  EXPECT_THAT(describePage(bytes->bytes, kPage).problems, ElementsAre("has a wrong checksum", "has a damaged header"));
}

TEST(PageText, AnyBytesAreDescribed) {
  std::mt19937_64 random(testing::testSeed());
  const auto bytes = std::make_unique<IndexPageBuffer>();
  for (int round = 0; round < 100; ++round) {
    std::generate(std::begin(bytes->bytes), std::end(bytes->bytes), [&] { return static_cast<std::byte>(random()); });
    reinterpret_cast<PageHeader*>(bytes->bytes)->type = static_cast<PageType>(random() % 6);
    EXPECT_FALSE(describePage(bytes->bytes, kPage).problems.empty());
  }
}

}  // namespace
}  // namespace gnomon::storage
