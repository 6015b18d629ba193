#include "storage/page_writer.h"

#include <algorithm>
#include <cstring>

#include "base/failpoint.h"
#include "storage/page_guard.h"
#include "storage/swip.h"

namespace gnomon::storage {

void sortByPage(std::vector<Frame*>& frames) {
  // An order that changes while it is sorted by is none: each id is read once.
  std::vector<std::pair<PageId, Frame*>> placed;
  placed.reserve(frames.size());
  for (Frame* frame : frames) placed.emplace_back(frame->page_id.load(), frame);
  std::ranges::sort(placed, {}, &std::pair<PageId, Frame*>::first);
  for (size_t i = 0; i < frames.size(); ++i) frames[i] = placed[i].second;
}

PageWriter::PageWriter(FileIo& io, const DoubleWriteArea::Files& files, const SwipVisitors& visitors,
                       DoubleWriteArea* area, PageLog& log)
    : io_(io), files_(files), visitors_(visitors), area_(area), log_(log), images_(allocateAligned(kBatchBytes)) {}

void PageWriter::write(std::span<Frame* const> frames, Latching latching) {
  const std::scoped_lock lock(mutex_);
  std::vector<Taken> taken;
  Batch batch;
  uint64_t bytes = 0;
  const auto finish = [&] {
    if (taken.empty()) return;
    try {
      writeBatch(batch);
    } catch (...) {
      settle(taken, false);
      throw;
    }
    settle(taken, true);
    taken.clear();
    batch = {};
    bytes = 0;
  };
  try {
    for (Frame* frame : frames) {
      const uint64_t page_bytes = frame->pageBytes();
      if (page_bytes > kCopyBytesMax) {
        writeLarge(*frame, latching);
        continue;
      }
      if (bytes + page_bytes > kBatchBytes || taken.size() == DoubleWriteArea::kPagesMax) finish();
      std::byte* image = images_.get() + bytes;
      Taken page;
      if (!takeImage(*frame, latching, image, page, batch)) continue;
      taken.push_back(page);
      bytes += page_bytes;
    }
  } catch (...) {
    settle(taken, false);
    throw;
  }
  finish();
}

void PageWriter::copyCold(const Frame& frame, std::byte* copy) const {
  const SwipVisitor visitor = visitors_[static_cast<size_t>(frame.header().type)];
  if (!visitor) {
    std::memcpy(copy, frame.page, frame.pageBytes());
    return;
  }
  copyWithSwips(frame.page, frame.pageBytes(), copy);
  visitor(copy, [](uint64_t& swip) {
    swip = Swip::cold(Swip::fromBits(swip).pageId()).bits();
    return true;
  });
}

bool PageWriter::latchShared(Frame& frame, Latching latching) {
  if (latching == Latching::Try) return frame.latch.tryLockShared();
  frame.latch.lockShared();
  return true;
}

void PageWriter::Batch::add(PageImage image, bool is_whole_in_log) {
  images.push_back(image);
  if (!is_whole_in_log) guarded.push_back(image);
  gsn = std::max(gsn, reinterpret_cast<const PageHeader*>(image.bytes)->gsn);
}

bool PageWriter::takeImage(Frame& frame, Latching latching, std::byte* image, Taken& taken, Batch& batch) {
  if (!latchShared(frame, latching)) return false;
  const SharedGuard guard(frame, SharedGuard::Adopt{});
  const DirtyState state = frame.dirty.load();
  if (state != DirtyState::Dirty && state != DirtyState::WholeInLog) return false;
  CHECK(frame.header().page_id == frame.page_id.load(), "F2");
  const uint64_t page_bytes = frame.pageBytes();
  copyCold(frame, image);
  auto& header = *reinterpret_cast<PageHeader*>(image);
  header.checksum = checksumOf(image, page_bytes);
  // A change that is not in the image gets a larger GSN, also that of another page which has the frame by then.
  taken = {&frame, Gsn{log_.stable().value + 1}};
  batch.add({header.page_id, image}, state == DirtyState::WholeInLog);
  frame.dirty.store(DirtyState::Writing);
  return true;
}

void PageWriter::writeLarge(Frame& frame, Latching latching) {
  if (!latchShared(frame, latching)) return;
  SharedGuard guard(frame, SharedGuard::Adopt{});
  // Nobody who holds a page waits for the log.
  for (Gsn flushed; flushed < frame.header().gsn;) {
    flushed = frame.header().gsn;
    guard.release();
    log_.flushUpTo(flushed);
    if (!latchShared(frame, latching)) return;
    guard = SharedGuard(frame, SharedGuard::Adopt{});
  }
  const DirtyState state = frame.dirty.load();
  if (state != DirtyState::Dirty && state != DirtyState::WholeInLog) return;
  PageHeader& header = frame.header();
  CHECK(visitors_[static_cast<size_t>(header.type)] == nullptr, "pages with swips are small");
  // Nobody reads the checksum of a resident page, so setting it is no change to those who share the latch.
  header.checksum = checksumOf(frame.page, frame.pageBytes());
  Batch batch;
  batch.add({header.page_id, frame.page}, state == DirtyState::WholeInLog);
  writeBatch(batch);
  frame.dirty.store(DirtyState::Clean);
}

void PageWriter::writeBatch(const Batch& batch) {
  const std::span<const PageImage> images = batch.images;
  log_.flushUpTo(batch.gsn);
  FAILPOINT("pages.log_flushed");
  if (area_ && !batch.guarded.empty()) area_->write(batch.guarded, log_.stableRecords());
  FAILPOINT("doublewrite.synced");
  std::vector<IoRequest> requests;
  requests.reserve(images.size());
  std::array<bool, kSizeClassCount> is_touched{};
  for (const PageImage& image : images) {
    requests.push_back(files_[image.id.sizeClass().index]->writeRequest(image.id, image.bytes));
    is_touched[image.id.sizeClass().index] = true;
  }
  // Half a page, as a crash in the middle of the write would leave it.
  if (isFailpointArmed("doublewrite.torn")) {
    std::vector<IoRequest> torn = requests;
    for (IoRequest& request : torn) request.bytes /= 2;
    io_.perform(torn);
    FAILPOINT("doublewrite.torn");
  }
  io_.perform(requests);
  FAILPOINT("doublewrite.home_written");
  for (size_t i = 0; i < images.size(); ++i) files_[images[i].id.sizeClass().index]->check(requests[i]);
  for (size_t index = 0; index < kSizeClassCount; ++index)
    if (is_touched[index]) files_[index]->sync();
  FAILPOINT("doublewrite.home_synced");
  for (const PageImage& image : images) pages_written_.add(image.id.sizeClass());
}

void PageWriter::settle(std::span<const Taken> pages, bool is_written) {
  for (const Taken& page : pages) {
    // F4: who changes the page from clean on says so himself, later.
    if (is_written) page.frame->unwritten_from.store(page.unwritten_from);
    DirtyState writing = DirtyState::Writing;
    page.frame->dirty.compare_exchange_strong(writing, is_written ? DirtyState::Clean : DirtyState::Dirty);
  }
}

}  // namespace gnomon::storage
