#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "storage/checkpointer.h"
#include "storage/findings.h"
#include "storage/page_redo.h"
#include "storage/tests/test_support.h"
#include "wal/tests/wal_test_support.h"

namespace gnomon::storage::testing {

/// Small segments, so that records meet their ends and segments are released.
inline wal::WalOptions smallWal() {
  return {.segment_bytes = 1 << 20, .buffer_bytes = 1 << 19, .logs_max = 4, .spares_kept = 1, .on_fatal = nullptr};
}

inline std::unique_ptr<wal::WriteAheadLog> openWal(const std::filesystem::path& directory) {
  return std::make_unique<wal::WriteAheadLog>(wal::LogScan(directory / "wal"), smallWal());
}

/// A directory as a crash would leave it: its files as they are now.
inline void copyCrashed(const std::filesystem::path& from, const std::filesystem::path& to) {
  wal::testing::copyDirectory(from, to);
}

/// The same while pages may be written in the background: no write is under way.
inline void copyCrashed(BufferManager& buffers, const std::filesystem::path& from, const std::filesystem::path& to) {
  for (;;) {
    // Returns when whoever makes room has done so, and leaves nobody with a reason to.
    buffers.evict(buffers.poolBytes() / 8);
    const uint64_t writes = buffers.counts().writes;
    copyCrashed(from, to);
    if (buffers.counts().writes == writes) return;
  }
}

/// A crashed directory after redo: its pages, and how far the log counts.
struct Redone {
  explicit Redone(const std::filesystem::path& directory, uint64_t pool_bytes = 8 * kMiB, unsigned workers = 3)
      : scan(directory / "wal"),
        buffers(std::make_unique<BufferManager>(directory, BufferOptions{.pool_bytes = pool_bytes})) {
    buffers->registry().read();
    PageRedo redo(*buffers, workers);
    wal::MergedCursor cursor = scan.merged();
    for (wal::LogRecord record; cursor.next(record);) {
      if (record.type < wal::kFirstOfRooms || record.gsn < scan.released()) continue;
      redo.apply(record, cursor.block());
      buffers->registry().apply(record);
    }
    redo.finish();
    change_count = redo.changeCount();
    for (const wal::ScannedLog& log : scan.logs()) last = std::max(last, log.last);
  }
  /// Every page is used once, or free.
  void expectPages(const Findings& findings) const {
    std::set<PageId> used;
    for (const PageId page : findings.pages) EXPECT_TRUE(used.insert(page).second) << page.number();
    for (uint8_t index = 0; index < kSizeClassCount; ++index) {
      const SizeClass size_class{index};
      std::set<uint64_t> free;
      for (const uint64_t number : buffers->pageNumbers().freeNumbers(size_class))
        EXPECT_TRUE(free.insert(number).second) << number << " is free twice";
      for (uint64_t number = 1; number < buffers->pageNumbers().nextNumber(size_class); ++number)
        EXPECT_NE(used.contains(PageId(number, size_class)), free.contains(number))
            << "page " << number << " of class " << int{index};
    }
  }

  const wal::LogScan scan;
  std::unique_ptr<BufferManager> buffers;
  Gsn last;
  uint64_t change_count = 0;
};

}  // namespace gnomon::storage::testing
