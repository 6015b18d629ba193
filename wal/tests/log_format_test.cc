#include "wal/log_format.h"

#include <gtest/gtest.h>

#include "wal/tests/wal_test_support.h"

namespace gnomon::wal {
namespace {

TEST(LogFormat, SegmentNamesAreReadAsTheyAreWritten) {
  const SegmentName name{LogNumber{63}, 0x123456789abcdef};
  EXPECT_EQ(name.text(), "3f-0123456789abcdef.log");
  EXPECT_EQ(SegmentName::parse(name.text()), name);
  EXPECT_EQ(parseSpareName(spareName(77)), 77u);
  for (const char* other : {"start", "40-0123456789abcdef.log", "3f-0123456789abcdef.lag", "3f-0123456789abcdeg.log",
                            "3f_0123456789abcdef.log", "3f-123456789abcdef.log", "spare-12"}) {
    EXPECT_EQ(SegmentName::parse(other), std::nullopt) << other;
    EXPECT_EQ(parseSpareName(other), std::nullopt) << other;
  }
}

TEST(LogFormat, AChecksumHoldsForOneUseOfOnePlace) {
  std::array<std::byte, 64> piece{};
  piece[20] = std::byte{7};
  const uint64_t checksum = pieceChecksum(piece.data(), 64, 1, LogPosition{128});
  EXPECT_EQ(checksum, pieceChecksum(piece.data(), 64, 1, LogPosition{128}));
  EXPECT_NE(checksum, pieceChecksum(piece.data(), 64, 2, LogPosition{128}));
  EXPECT_NE(checksum, pieceChecksum(piece.data(), 64, 1, LogPosition{144}));
  EXPECT_NE(checksum, pieceChecksum(piece.data(), 63, 1, LogPosition{128}));
  piece[20] = std::byte{6};
  EXPECT_NE(checksum, pieceChecksum(piece.data(), 64, 1, LogPosition{128}));
}

TEST(LogRecord, IsDescribedInWords) {
  const LogClaim claims[] = {{Gsn{3}, LogNumber{1}, LogClaim::Kind::Depends, {}},
                             {Gsn{2}, LogNumber{0}, LogClaim::Kind::Stable, {}}};
  LogRecord record{.log = LogNumber{2},
                   .position = LogPosition{4160},
                   .end = LogPosition{4300},
                   .gsn = Gsn{17},
                   .transaction = TransactionNumber{9},
                   .previous = LogPosition{4096},
                   .undo_next = LogPosition{64},
                   .type = RecordType{20},
                   .page = 5,
                   .relation = 6,
                   .is_compensation = true,
                   .claims = claims,
                   .body = testing::bytesOf("text")};
  const std::string envelope =
      "log 2 at 4160: gsn 17 transaction 9 previous 4096 compensation, undo next 64 relation 6 page 5 "
      "depends on log 1 gsn 3 knows stable log 0 gsn 2";
  EXPECT_EQ(describe(record), envelope + " type 20 4 bytes");
  EXPECT_EQ(describe(record, [](const LogRecord& own) { return "insert " + testing::textOf(own.body); }),
            envelope + " insert text");
  EXPECT_EQ(describe({.log = LogNumber{0},
                      .position = LogPosition{64},
                      .end = {},
                      .gsn = Gsn{1},
                      .transaction = {},
                      .previous = {},
                      .undo_next = {},
                      .type = kCommitRecord,
                      .claims = {},
                      .body = {}}),
            "log 0 at 64: gsn 1 commit");
}

}  // namespace
}  // namespace gnomon::wal
