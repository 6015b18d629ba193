#include "storage/log_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "storage/page_log.h"
#include "storage/page_record.h"
#include "storage/row_record.h"

namespace gnomon::storage {
namespace {

using ::testing::HasSubstr;

/// A body put together by hand.
class Body {
 public:
  Body(wal::Bytes meaning, uint32_t parts) {
    put(RecordHead{static_cast<uint32_t>(meaning.size()), parts});
    bytes_.insert(bytes_.end(), meaning.begin(), meaning.end());
  }
  Body& change(PageId page, uint64_t before, const std::vector<uint8_t>& operations) {
    put(PartHead{page, wal::Gsn{before}, RelationId{16384}, PageType{}, PartKind::Change,
                 static_cast<uint32_t>(operations.size()), 0});
    put(operations);
    return *this;
  }
  Body& freed(PageId page) {
    put(PartHead{{}, {}, RelationId{16384}, PageType{}, PartKind::Freed, sizeof(PageId), 0});
    put(page);
    return *this;
  }
  [[nodiscard]] wal::Bytes view() const { return bytes_; }

 private:
  template <typename Plain>
  void put(const Plain& value) {
    const auto* first = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), first, first + sizeof(value));
  }
  void put(const std::vector<uint8_t>& bytes) {
    for (const uint8_t each : bytes) bytes_.push_back(std::byte{each});
  }
  std::vector<std::byte> bytes_;
};

wal::LogRecord recordOf(wal::RecordType type, wal::Bytes body) {
  wal::LogRecord record;
  record.type = type;
  record.body = body;
  return record;
}

TEST(LogText, CountsWhatBecomesOfPages) {
  const RowRange range{TupleId{5}, 3};
  const PageId page{17, SizeClass{0}};
  // Two writes of two bytes and one, ascending ids, a number of several bytes.
  const Body body = Body(range.view(), 2)
                        .change(page, 9, {1, 0x80, 1, 2, 7, 7, 2, 0, 3, 5, 1, 4, 1, 7})
                        .freed(PageId{3, SizeClass{2}});
  EXPECT_EQ(describeBody(recordOf(record_types::kRowsAppended, body.view())),
            "rows appended, tuples 5 to 7; changes page 0:17 after gsn 9 (2 write, 1 tuple ids); frees pages 2:3; " +
                std::to_string(body.view().size()) + " bytes");
}

TEST(LogText, NamesASingleTupleAndOtherTypes) {
  const RowRange range{TupleId{5}, 1};
  const Body body(range.view(), 0);
  EXPECT_THAT(describeBody(recordOf(record_types::kRowsDeleted, body.view())), HasSubstr("rows deleted, tuple 5; "));
  EXPECT_EQ(describeBody(recordOf(wal::kCommitRecord, {})), "0 bytes");
  EXPECT_THAT(describeBody(recordOf(wal::RecordType{99}, body.view())), HasSubstr("something unknown"));
}

TEST(LogText, CountsTheTuplesOfAnUpdate) {
  // Columns 0, NULL, and 3, a text: of tuple 5, and of tuple 7.
  constexpr std::array<uint8_t, 16> kMeaning{5, 2, 0, 0, 3, 3, 2, 'a', 'b', 7, 2, 0, 0, 3, 3, 0};
  const wal::Bytes meaning = std::as_bytes(std::span(kMeaning));
  const auto text = [](wal::Bytes bytes) {
    return describeBody(recordOf(record_types::kRowUpdated, Body(bytes, 0).view()));
  };
  EXPECT_THAT(text(meaning), HasSubstr(", 2 tuples, 5 to 7, 2 columns; "));
  EXPECT_THAT(text(meaning.first(9)), HasSubstr(", tuple 5, 2 columns; "));
  EXPECT_THAT(text(meaning.first(12)), HasSubstr("damaged"));
}

TEST(LogText, SaysWhatIsDamagedWhereverABodyEnds) {
  const RowRange range{TupleId{5}, 3};
  const Body body =
      Body(range.view(), 1).change(PageId{17, SizeClass{0}}, 9, {1, 0, 2, 7, 7, 5, 0, 6, 3, 'a', 'b', 'c'});
  const std::string whole = describeBody(recordOf(record_types::kRowsAppended, body.view()));
  EXPECT_THAT(whole, HasSubstr("(1 write, 1 insert entry)"));
  for (size_t bytes = 0; bytes < body.view().size(); ++bytes) {
    const std::string cut = describeBody(recordOf(record_types::kRowsAppended, body.view().first(bytes)));
    EXPECT_NE(cut.substr(0, cut.rfind(';')), whole.substr(0, whole.rfind(';'))) << bytes;
  }
}

TEST(LogText, DoesNotFollowOperationsThatThereAreNot) {
  const Body body = Body({}, 1).change(PageId{17, SizeClass{0}}, 9, {99, 1, 1});
  EXPECT_THAT(describeBody(recordOf(record_types::kPages, body.view())), HasSubstr("(damaged)"));
}

}  // namespace
}  // namespace gnomon::storage
