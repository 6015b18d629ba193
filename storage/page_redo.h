#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "storage/buffer_manager.h"
#include "storage/page_record.h"

namespace gnomon::storage {

/// Does to a page what a record's part says. Failure: XX001 when the operations are none for such a page.
void applyOperations(std::byte* page, uint64_t page_bytes, wal::Bytes operations);

/// Brings pages and page numbers to what the log says, after a crash and before anybody uses them.
///
/// A change is made if the page does not have it: page.gsn < record.gsn. It then follows the one that the page had last
/// (PartHead::before). A page of which that is not so, or that cannot be read, was freed later, and so were what it
/// lacks: if no record says so, it is damaged. Done again after a crash it does no harm.
/// Memory: the buffer pool, which nobody else uses yet; when it is full, its pages are written.
/// Threads: one at a time.
class PageRedo {
 public:
  explicit PageRedo(BufferManager& buffers) : buffers_(buffers) {}
  ~PageRedo();
  PageRedo(const PageRedo&) = delete;
  PageRedo& operator=(const PageRedo&) = delete;

  /// Records in the order of their GSNs, of this room's types, from LogScan::released() on. Failure: 53100, 58030;
  /// XX001.
  void apply(const wal::LogRecord& record);
  /// All pages are on disk when it returns, and the page numbers are known. Failure: as apply(); XX001 naming a page
  /// that is damaged.
  void finish();

  [[nodiscard]] uint64_t changeCount() const { return change_count_; }
  [[nodiscard]] uint64_t pageCount() const { return page_count_; }

 private:
  void applyPart(const RecordPart& part, Gsn gsn);
  Frame* find(const RecordPart& part);
  Frame* take(PageId id, bool is_fresh);
  void drop(PageId id);
  void writeOut();
  void settleNumbers();

  BufferManager& buffers_;
  std::unordered_map<uint64_t, Frame*> pages_;   ///< by packed id
  std::unordered_map<uint64_t, PartHead> lost_;  ///< pages that lack changes, until they are freed
  std::unordered_map<uint64_t, bool> numbers_;   ///< whether a page is in a tree, as it was said last
  uint64_t change_count_ = 0;
  uint64_t page_count_ = 0;
};

}  // namespace gnomon::storage
