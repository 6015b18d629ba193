#include "storage/buffer_manager.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <system_error>

#include "base/sql_error.h"
#include "storage/atomic_file.h"

namespace gnomon::storage {

namespace {

constexpr const char* kFreeListsName = "gnomon.free";
constexpr size_t kChecksumStart = sizeof(PageHeader::checksum);
/// The part of a page that is copied when it is written, so that the checksum can be set under a shared latch.
constexpr size_t kHeadBytes = 4096;

std::byte* map(uint64_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw SqlError(sqlstate::kOutOfMemory,
                   fmt::format("could not reserve {} bytes of addresses for the buffer pool", bytes))
        .detail(std::strerror(errno));
  // Scans jump from column to column and joins from row to row: fewer TLB misses. Declined: as without.
  ::madvise(memory, bytes, MADV_HUGEPAGE);
  return static_cast<std::byte*>(memory);
}

std::filesystem::path filePath(const std::filesystem::path& directory, unsigned class_index) {
  return directory / fmt::format("pages.{:02}", class_index);
}

std::string describePage(PageId id, const DataFile& file, RelationId relation) {
  return fmt::format("page {} in file \"{}\" at offset {} (relation {})", id.number(), file.path().string(),
                     file.offsetOf(id), relation.value);
}

[[noreturn]] void raiseFreeListsDamaged(const std::filesystem::path& path) {
  throw SqlError(sqlstate::kDataCorrupted, fmt::format("file \"{}\" is missing or damaged", path.string()));
}

}  // namespace

BufferManager::BufferManager(std::filesystem::path directory, uint64_t pool_bytes)
    : directory_(std::move(directory)), pool_bytes_(pool_bytes) {
  for (unsigned index = 0; index < kSizeClassCount; ++index) {
    const SizeClass size_class{static_cast<uint8_t>(index)};
    pools_[index].file = std::make_unique<DataFile>(filePath(directory_, index), size_class);
  }
  readFreeLists();
  try {
    mapPools();
  } catch (...) {
    unmapPools();
    throw;
  }
}

BufferManager::~BufferManager() {
  unmapPools();
}

void BufferManager::removeFiles(const std::filesystem::path& directory) {
  std::error_code ignored;
  for (unsigned index = 0; index < kSizeClassCount; ++index)
    std::filesystem::remove(filePath(directory, index), ignored);
}

void BufferManager::mapPools() {
  for (unsigned index = 0; index < kSizeClassCount; ++index) {
    Pool& pool = pools_[index];
    const uint64_t bytes = pageBytes(SizeClass{static_cast<uint8_t>(index)});
    pool.frame_count = pool_bytes_ / bytes;
    if (pool.frame_count == 0) break;
    pool.memory = map(pool.frame_count * bytes);
    pool.frames = reinterpret_cast<Frame*>(map(pool.frame_count * sizeof(Frame)));
  }
}

void BufferManager::unmapPools() {
  for (unsigned index = 0; index < kSizeClassCount; ++index) {
    Pool& pool = pools_[index];
    if (pool.memory) ::munmap(pool.memory, pool.frame_count * pageBytes(SizeClass{static_cast<uint8_t>(index)}));
    if (pool.frames) ::munmap(pool.frames, pool.frame_count * sizeof(Frame));
  }
}

void BufferManager::raisePoolFull(uint64_t bytes) const {
  throw SqlError(sqlstate::kOutOfMemory, "buffer pool is full")
      .detail(fmt::format("A page of {} bytes is needed; {} of {} bytes are in use.", bytes, usedBytes(), pool_bytes_))
      .hint("Start the server with a larger --buffer-pool.");
}

void BufferManager::reservePoolBytes(uint64_t bytes) {
  uint64_t used = used_bytes_.load();
  do {
    if (bytes > pool_bytes_ || used > pool_bytes_ - bytes) raisePoolFull(bytes);
  } while (!used_bytes_.compare_exchange_weak(used, used + bytes));
}

Frame& BufferManager::takeFrame(SizeClass size_class) {
  Pool& pool = pools_[size_class.index];
  uint64_t index;
  if (!pool.free_frames.empty()) {
    index = pool.free_frames.back();
    pool.free_frames.pop_back();
  } else {
    // B1: the pool's bytes were reserved, so a frame is left.
    CHECK(pool.frames_touched < pool.frame_count, "B1");
    index = pool.frames_touched++;
    Frame* fresh = new (&pool.frames[index]) Frame;
    fresh->page = pool.memory + index * pageBytes(size_class);
    fresh->size_class = size_class;
  }
  CHECK(pool.frames[index].state.load() == FrameState::Free, "F1");
  return pool.frames[index];
}

void BufferManager::returnFrame(ExclusiveGuard guard) {
  Frame& frame = guard.frame();
  CHECK(frame.version_map.load() == nullptr, "F1");
  const uint64_t bytes = frame.pageBytes();
  frame.page_id.store(PageId{});
  frame.dirty.store(false);
  frame.parent.store(nullptr);
  frame.gsn.store(Gsn{});
  frame.state.store(FrameState::Free);
  if (::madvise(frame.page, bytes, MADV_DONTNEED) != 0) std::memset(frame.page, 0, bytes);
  guard.release();
  Pool& pool = pools_[frame.size_class.index];
  {
    const std::scoped_lock lock(mutex_);
    pool.free_frames.push_back(static_cast<uint64_t>(&frame - pool.frames));
  }
  used_bytes_.fetch_sub(bytes);
}

ExclusiveGuard BufferManager::allocate(SizeClass size_class, RelationId relation, PageType type) {
  const uint64_t bytes = pageBytes(size_class);
  reservePoolBytes(bytes);
  Frame* frame;
  PageId id;
  try {
    const std::scoped_lock lock(mutex_);
    Pool& pool = pools_[size_class.index];
    if (pool.free_page_numbers.empty()) {
      pool.file->reserve(pool.next_page_number);
      id = PageId(pool.next_page_number++, size_class);
    } else {
      id = PageId(pool.free_page_numbers.back(), size_class);
      pool.free_page_numbers.pop_back();
    }
    frame = &takeFrame(size_class);
  } catch (...) {
    used_bytes_.fetch_sub(bytes);
    throw;
  }
  ExclusiveGuard guard(*frame);
  frame->page_id.store(id);
  frame->dirty.store(true);
  frame->state.store(FrameState::Hot);
  frame->header() = PageHeader{0, id, Gsn{}, relation, type, 0};
  return guard;
}

Frame* BufferManager::resolve(const OptimisticGuard& parent, uint64_t* where, Swip swip, RelationId relation) {
  if (swip.isResident()) return swip.frame();
  const ExclusiveGuard guard = parent.tryUpgrade();
  if (guard.holds()) fix(guard, where, relation);
  return nullptr;
}

Frame& BufferManager::fix(const ExclusiveGuard& parent, uint64_t* where, RelationId relation) {
  const Swip swip = Swip::fromBits(*where);
  if (swip.isResident()) return *swip.frame();
  Frame& frame = fixRoot(swip.coldPage(), relation);
  frame.parent.store(&parent.frame());
  *where = Swip::hot(&frame).bits();
  return frame;
}

Frame& BufferManager::fixRoot(PageId id, RelationId relation) {
  CHECK(!id.isNone() && id.sizeClass().index < kSizeClassCount, "S1");
  const uint64_t bytes = pageBytes(id.sizeClass());
  reservePoolBytes(bytes);
  Frame* frame;
  {
    const std::scoped_lock lock(mutex_);
    frame = &takeFrame(id.sizeClass());
  }
  ExclusiveGuard guard(*frame);
  frame->state.store(FrameState::InIo);
  try {
    pools_[id.sizeClass().index].file->read(id, frame->page);
    verify(*frame, id, relation);
  } catch (...) {
    returnFrame(std::move(guard));
    throw;
  }
  frame->page_id.store(id);
  frame->gsn.store(frame->header().gsn);
  frame->dirty.store(false);
  frame->state.store(FrameState::Hot);
  return *frame;
}

void BufferManager::verify(const Frame& frame, PageId id, RelationId relation) const {
  const PageHeader& header = frame.header();
  const DataFile& file = *pools_[id.sizeClass().index].file;
  const uint64_t checksum = XXH3_64bits(frame.page + kChecksumStart, frame.pageBytes() - kChecksumStart);
  if (header.checksum != checksum)
    throw SqlError(sqlstate::kDataCorrupted, fmt::format("damaged {}", describePage(id, file, relation)))
        .detail(fmt::format("The checksum is {:016x}, the page says {:016x}.", checksum, header.checksum));
  if (header.page_id != id || header.relation_id != relation)
    throw SqlError(sqlstate::kDataCorrupted, fmt::format("misplaced {}", describePage(id, file, relation)))
        .detail(fmt::format("The page says it is page {} of size class {} of relation {}.", header.page_id.number(),
                            header.page_id.sizeClass().index, header.relation_id.value));
}

void BufferManager::free(ExclusiveGuard page) {
  const PageId id = page.frame().page_id.load();
  CHECK(page.frame().header().page_id == id, "P2");
  returnFrame(std::move(page));
  freeCold(id);
}

void BufferManager::freeCold(PageId id) {
  const std::scoped_lock lock(mutex_);
  Pool& pool = pools_[id.sizeClass().index];
  CHECK(!id.isNone() && id.number() < pool.next_page_number, "B2");
  pool.free_page_numbers.push_back(id.number());
}

void BufferManager::writePage(Frame& frame) {
  const SharedGuard guard(frame);
  const PageHeader& header = frame.header();
  CHECK(header.page_id == frame.page_id.load(), "F2");
  const SwipVisitor visitor = swip_visitors_[static_cast<size_t>(header.type)];
  // Pages with swips are copied whole, because on disk their swips are cold.
  const size_t head_bytes = visitor ? frame.pageBytes() : kHeadBytes;
  std::vector<std::byte> head(frame.page, frame.page + head_bytes);
  if (visitor)
    visitor(head.data(), [](uint64_t& swip) {
      swip = Swip::cold(Swip::fromBits(swip).pageId()).bits();
      return true;
    });
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> hash(XXH3_createState(), XXH3_freeState);
  XXH3_64bits_reset(hash.get());
  XXH3_64bits_update(hash.get(), head.data() + kChecksumStart, head_bytes - kChecksumStart);
  XXH3_64bits_update(hash.get(), frame.page + head_bytes, frame.pageBytes() - head_bytes);
  const uint64_t checksum = XXH3_64bits_digest(hash.get());
  std::memcpy(head.data(), &checksum, sizeof(checksum));
  pools_[frame.size_class.index].file->write(header.page_id, head.data(), head_bytes, frame.page);
  frame.dirty.store(false);
}

void BufferManager::writeAll() {
  for (Pool& pool : pools_) {
    std::vector<Frame*> dirty;
    for (uint64_t index = 0; index < pool.frames_touched; ++index)
      if (pool.frames[index].dirty.load()) dirty.push_back(&pool.frames[index]);
    std::ranges::sort(dirty, {}, [](const Frame* frame) { return frame->page_id.load().number(); });
    for (Frame* frame : dirty) writePage(*frame);
    pool.file->sync();
  }
  writeFreeLists();
}

SizeClass BufferManager::sizeClassMax() const {
  uint8_t index = 0;
  while (index + 1u < kSizeClassCount && pools_[index + 1].frame_count > 0) ++index;
  return SizeClass{index};
}

// File of free lists: XXH3 of the rest, then for each size class the next page number, the count, and the free numbers.
void BufferManager::writeFreeLists() {
  std::vector<uint64_t> words(1);
  {
    const std::scoped_lock lock(mutex_);
    for (const Pool& pool : pools_) {
      words.push_back(pool.next_page_number);
      words.push_back(pool.free_page_numbers.size());
      words.insert(words.end(), pool.free_page_numbers.begin(), pool.free_page_numbers.end());
    }
  }
  words[0] = XXH3_64bits(words.data() + 1, (words.size() - 1) * sizeof(uint64_t));
  try {
    replaceFile(directory_, kFreeListsName,
                {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint64_t)});
  } catch (const std::system_error& error) {
    const bool is_full = error.code() == std::errc::no_space_on_device;
    throw SqlError(is_full ? sqlstate::kDiskFull : sqlstate::kIoError, error.what());
  }
}

void BufferManager::readFreeLists() {
  const std::filesystem::path path = directory_ / kFreeListsName;
  std::optional<std::string> contents;
  try {
    contents = readFile(path);
  } catch (const std::system_error& error) {
    throw SqlError(sqlstate::kIoError, error.what());
  }
  if (!contents) {
    // A new directory; but data without free lists would be overwritten.
    for (const Pool& pool : pools_)
      if (std::filesystem::exists(pool.file->path())) raiseFreeListsDamaged(path);
    return;
  }
  std::vector<uint64_t> words(contents->size() / sizeof(uint64_t));
  std::memcpy(words.data(), contents->data(), words.size() * sizeof(uint64_t));
  if (words.empty() || words[0] != XXH3_64bits(words.data() + 1, (words.size() - 1) * sizeof(uint64_t)))
    raiseFreeListsDamaged(path);
  size_t position = 1;
  for (Pool& pool : pools_) {
    if (position + 2 > words.size()) raiseFreeListsDamaged(path);
    pool.next_page_number = words[position];
    const uint64_t count = words[position + 1];
    position += 2;
    if (count > words.size() - position) raiseFreeListsDamaged(path);
    pool.free_page_numbers.assign(words.begin() + static_cast<ptrdiff_t>(position),
                                  words.begin() + static_cast<ptrdiff_t>(position + count));
    position += count;
  }
}

}  // namespace gnomon::storage
