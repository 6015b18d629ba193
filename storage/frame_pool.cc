#include "storage/frame_pool.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <new>

#include "base/sql_error.h"

namespace gnomon::storage {

namespace {

/// Huge pages, and what is taken ahead, are memory for frames that are not used yet: too much of a small pool.
constexpr uint64_t kHugePagesPoolBytesMin = uint64_t{256} << 20;
constexpr uint64_t kAheadBytes = uint64_t{8} << 20;

std::byte* reserve(uint64_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw SqlError(sqlstate::kOutOfMemory,
                   fmt::format("could not reserve {} bytes of addresses for the buffer pool", bytes))
        .detail(std::strerror(errno));
  return static_cast<std::byte*>(memory);
}

}  // namespace

FramePool::FramePool(uint64_t bytes) : bytes_(bytes) {
  try {
    map();
  } catch (...) {
    unmap();
    throw;
  }
}

FramePool::~FramePool() {
  unmap();
}

void FramePool::map() {
  // Scans jump from column to column and joins from row to row: fewer TLB misses. Declined: as without.
  const auto useHugePages = [this](std::byte* memory, uint64_t bytes) {
    if (bytes_ >= kHugePagesPoolBytesMin) ::madvise(memory, bytes, MADV_HUGEPAGE);
  };
  class_frames_shift_ = static_cast<unsigned>(std::bit_width(bytes_ / kPageBytesMin * sizeof(Frame)));
  const uint64_t frames_bytes = uint64_t{kSizeClassCount} << class_frames_shift_;
  frames_ = reserve(frames_bytes);
  useHugePages(frames_, frames_bytes);
  for (uint8_t index = 0; index < kSizeClassCount; ++index) {
    Class& pool = classes_[index];
    const uint64_t page_bytes = storage::pageBytes(SizeClass{index});
    pool.count = bytes_ / page_bytes;
    if (pool.count == 0) break;
    pool.frames = reinterpret_cast<Frame*>(frames_ + (uint64_t{index} << class_frames_shift_));
    memory_[index] = reserve(pool.count * page_bytes);
    useHugePages(memory_[index], pool.count * page_bytes);
  }
}

void FramePool::unmap() {
  for (uint8_t index = 0; index < kSizeClassCount; ++index)
    if (memory_[index]) ::munmap(memory_[index], classes_[index].count * storage::pageBytes(SizeClass{index}));
  if (frames_) ::munmap(frames_, uint64_t{kSizeClassCount} << class_frames_shift_);
}

FramePool::Taken FramePool::tryTake(SizeClass size_class) {
  const uint64_t page_bytes = storage::pageBytes(size_class);
  const std::scoped_lock lock(mutex_);
  Class& pool = classes_[size_class.index];
  uint64_t index;
  bool is_zero = false;
  if (!pool.warm.empty()) {
    index = pool.warm.back();
    pool.warm.pop_back();
  } else {
    if (!makeRoom(page_bytes)) return {};
    resident_bytes_ += page_bytes;
    is_zero = true;
    if (!pool.cold.empty()) {
      index = pool.cold.back();
      pool.cold.pop_back();
    } else {
      index = pool.touched.load(std::memory_order_relaxed);
      CHECK(index < pool.count, "B1");
      Frame* fresh = new (&pool.frames[index]) Frame;
      fresh->page = memory_[size_class.index] + index * page_bytes;
      fresh->size_class = size_class;
      pool.touched.store(index + 1, std::memory_order_release);
      if ((index + 1) * page_bytes + kAheadBytes / 2 > pool.ahead_bytes && bytes_ >= kHugePagesPoolBytesMin)
        wants_memory_ahead_.store(true, std::memory_order_relaxed);
    }
  }
  Frame& frame = pool.frames[index];
  CHECK(frame.state.load() == FrameState::Free, "F1");
  used_bytes_.fetch_add(page_bytes, std::memory_order_relaxed);
  pool.in_use.fetch_add(1, std::memory_order_relaxed);
  return {&frame, is_zero};
}

/// Behind the pages that were taken for the first time. None where the class's pages are reused, or the pool is full.
FramePool::Part FramePool::partAhead(Class& pool, SizeClass size_class) const {
  const uint64_t taken = pool.touched.load(std::memory_order_relaxed) * storage::pageBytes(size_class);
  const uint64_t end = std::min(taken + kAheadBytes, pool.count * storage::pageBytes(size_class));
  const uint64_t begin = std::max(taken, pool.ahead_bytes);
  if (taken == 0 || pool.gives_back || begin >= end || resident_bytes_ + kAheadBytes > bytes_) return {};
  pool.ahead_bytes = end;
  return {memory_[size_class.index] + begin, end - begin};
}

void FramePool::takeMemoryAhead() {
  wants_memory_ahead_.store(false, std::memory_order_relaxed);
  for (uint8_t index = 0; index < kSizeClassCount; ++index) {
    std::unique_lock lock(mutex_);
    const Part part = partAhead(classes_[index], SizeClass{index});
    lock.unlock();
    // Where it cannot, who uses the memory first will ask for it.
    if (part.bytes > 0) ::madvise(part.begin, part.bytes, MADV_POPULATE_WRITE);
  }
}

bool FramePool::makeRoom(uint64_t bytes) {
  if (bytes > bytes_) return false;
  for (uint8_t index = kSizeClassCount; index-- > 0;)
    while (resident_bytes_ > bytes_ - bytes && !classes_[index].warm.empty())
      giveBack(classes_[index], SizeClass{index});
  return resident_bytes_ <= bytes_ - bytes;
}

void FramePool::giveBack(Class& pool, SizeClass size_class) {
  const uint64_t page_bytes = storage::pageBytes(size_class);
  if (!pool.gives_back) {
    // From now on the mapping has holes, and huge pages put together around them would take their memory again.
    ::madvise(memory_[size_class.index], pool.count * page_bytes, MADV_NOHUGEPAGE);
    pool.gives_back = true;
  }
  Frame& frame = pool.frames[pool.warm.back()];
  if (::madvise(frame.page, page_bytes, MADV_DONTNEED) != 0) std::memset(frame.page, 0, page_bytes);
  pool.cold.push_back(pool.warm.back());
  pool.warm.pop_back();
  resident_bytes_ -= page_bytes;
}

void FramePool::give(Frame& frame) {
  CHECK(frame.state.load() == FrameState::Free && frame.version_map.load() == nullptr, "F1");
  const std::scoped_lock lock(mutex_);
  Class& pool = classes_[frame.size_class.index];
  pool.warm.push_back(static_cast<uint64_t>(&frame - pool.frames));
  pool.in_use.fetch_sub(1, std::memory_order_relaxed);
  used_bytes_.fetch_sub(frame.pageBytes(), std::memory_order_relaxed);
}

uint64_t FramePool::framesInUse(SizeClass size_class) const {
  return classes_[size_class.index].in_use.load(std::memory_order_relaxed);
}

SizeClass FramePool::sizeClassMax() const {
  uint8_t index = 0;
  while (index + 1u < kSizeClassCount && classes_[index + 1].count > 0) ++index;
  return SizeClass{index};
}

}  // namespace gnomon::storage
