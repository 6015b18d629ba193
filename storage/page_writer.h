#pragma once

#include <atomic>
#include <mutex>
#include <span>
#include <vector>

#include "storage/class_counters.h"
#include "storage/double_write.h"
#include "storage/frame.h"
#include "storage/page_hooks.h"
#include "storage/page_log.h"

namespace gnomon::storage {

/// Puts frames in the order in which their pages lie on disk. Frames that others give to other pages meanwhile stand
/// where one of these belongs.
void sortByPage(std::vector<Frame*>& frames);

/// Writes dirty pages home in batches, by way of the double-write area, after the log that has their changes.
///
/// A page that is whole in the log (F5) goes home directly: should the write be torn, redo makes it anew.
/// A page's image is taken under its shared latch; the writes happen without (a page over kCopyBytesMax is written from
/// its place, latched). One batch at a time.
/// Threads: any. Failure: 53100, 58030; the pages not yet written are dirty still. A failed sync ends the process.
class PageWriter {
 public:
  enum class Latching : uint8_t { Try, Wait };

  /// `area` null: the device writes pages atomically.
  PageWriter(FileIo& io, const DoubleWriteArea::Files& files, const SwipVisitors& visitors, DoubleWriteArea* area,
             PageLog& log);

  /// Writes those of the frames that are dirty. Try: pages that are latched exclusively are left out.
  void write(std::span<Frame* const> frames, Latching latching);

  /// The page's bytes with cold swips. It is latched.
  void copyCold(const Frame& frame, std::byte* copy) const;

  [[nodiscard]] uint64_t pagesWritten(SizeClass size_class) const { return pages_written_.value(size_class); }

  /// Bytes of images of one batch.
  static constexpr uint64_t kBatchBytes = uint64_t{8} << 20;
  static constexpr uint64_t kCopyBytesMax = uint64_t{1} << 20;

 private:
  void writeLarge(Frame& frame, Latching latching);
  /// A page of which the image was taken.
  struct Taken {
    Frame* frame = nullptr;
    Gsn unwritten_from;  ///< of changes that came after it
  };
  /// Images on their way home.
  struct Batch {
    std::vector<PageImage> images;
    std::vector<PageImage> guarded;  ///< of them, those that go by way of the area
    Gsn gsn;                         ///< the largest
    void add(PageImage image, bool is_whole_in_log);
  };
  /// Takes the image into the batch.
  bool takeImage(Frame& frame, Latching latching, std::byte* image, Taken& taken, Batch& batch);
  static bool latchShared(Frame& frame, Latching latching);
  void writeBatch(const Batch& batch);
  void settle(std::span<const Taken> pages, bool is_written);

  FileIo& io_;
  const DoubleWriteArea::Files& files_;
  const SwipVisitors& visitors_;
  DoubleWriteArea* const area_;
  PageLog& log_;
  std::mutex mutex_;
  AlignedMemory images_;
  ClassCounters pages_written_;
};

}  // namespace gnomon::storage
