#include "wal/segment_pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/aligned_memory.h"
#include "base/assert.h"
#include "base/failpoint.h"
#include "base/sql_error.h"

namespace gnomon::wal {

namespace {

int syncFlags(SyncMethod method) {
  switch (method) {
    case SyncMethod::OpenDatasync:
      return O_DSYNC;
    case SyncMethod::OpenSync:
      return O_SYNC;
    case SyncMethod::Fdatasync:
    case SyncMethod::Fsync:
      break;
  }
  return 0;
}

/// Zeros for a file system that cannot allocate. `bytes`: whole blocks.
int writeZeros(int descriptor, uint64_t bytes) {
  for (uint64_t done = 0; done < bytes;) {
    const ssize_t count =
        ::pwrite(descriptor, logZeros(), std::min(kLogZeroBytes, bytes - done), static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    done += static_cast<uint64_t>(count);
  }
  return 0;
}

/// Gives the file blocks for all its bytes. Returns an errno.
int allocate(int descriptor, uint64_t bytes) {
  if (const int injected = FAILPOINT_ERROR("wal.preallocate")) return injected;
  int result;
  do {
    result = ::fallocate(descriptor, 0, 0, static_cast<off_t>(bytes));
  } while (result != 0 && errno == EINTR);
  if (result == 0) return 0;
  return errno == EOPNOTSUPP ? writeZeros(descriptor, bytes) : errno;
}

}  // namespace

std::byte* logZeros() {
  static const AlignedMemory memory = [] {
    AlignedMemory fresh = allocateAligned(kLogZeroBytes);
    std::memset(fresh.get(), 0, kLogZeroBytes);
    return fresh;
  }();
  return memory.get();
}

SegmentFile::SegmentFile(std::filesystem::path path, SyncMethod method, bool is_fresh)
    : initialised_bytes(is_fresh ? 0 : UINT64_MAX),
      path_(std::move(path)),
      descriptor_(openDirect(path_, syncFlags(method))),
      is_direct_(descriptor_ >= 0 && (::fcntl(descriptor_, F_GETFL) & O_DIRECT) != 0) {
  if (descriptor_ < 0) raiseIoError("open", path_, 0, errno);
}

SegmentFile::~SegmentFile() {
  ::close(descriptor_);
}

SegmentPool::SegmentPool(std::filesystem::path directory, uint64_t segment_bytes, SyncMethod method, size_t spares_kept)
    : directory_(std::move(directory)), segment_bytes_(segment_bytes), method_(method), spares_kept_(spares_kept) {
  for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
    const std::string name = entry.path().filename();
    if (SegmentName::parse(name)) ++file_count_;
    const auto number = parseSpareName(name);
    if (!number) continue;
    next_spare_ = std::max(next_spare_, *number + 1);
    if (entry.file_size() == segment_bytes_) {
      // Whether it was written before is not known; the zeros cost little.
      spares_.push_back({*number, true});
      ++file_count_;
    } else {
      std::filesystem::remove(entry.path());
    }
  }
}

size_t SegmentPool::spareCount() const {
  const std::scoped_lock lock(mutex_);
  return spares_.size();
}

void SegmentPool::promise(uint64_t count) {
  const std::scoped_lock lock(mutex_);
  while (spares_.size() < promised_ + count) create();
  promised_ += count;
}

void SegmentPool::takeBackPromise(uint64_t count) {
  const std::scoped_lock lock(mutex_);
  CHECK(promised_ >= count, "G1");
  promised_ -= count;
  while (spares_.size() > promised_ + spares_kept_) {
    drop(spares_.back());
    spares_.pop_back();
  }
}

void SegmentPool::drop(const Spare& spare) {
  std::error_code ignored;
  std::filesystem::remove(directory_ / spareName(spare.number), ignored);
  --file_count_;
}

void SegmentPool::create() {
  const uint64_t number = next_spare_++;
  const std::filesystem::path path = directory_ / spareName(number);
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) raiseIoError("create", path, 0, errno);
  const int error = allocate(descriptor, segment_bytes_);
  ::close(descriptor);
  if (error != 0) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    raiseIoError("extend the log by", path, 0, error);
  }
  spares_.push_back({number, true});
  ++file_count_;
}

std::shared_ptr<SegmentFile> SegmentPool::take(const SegmentHeader& header) {
  CHECK(header.checksum == header.computeChecksum(), "a segment's header is sound");
  Spare spare;
  {
    const std::scoped_lock lock(mutex_);
    CHECK(promised_ > 0 && !spares_.empty(), "G1");
    // One that was written before: its blocks need no further bookkeeping of the file system.
    const auto best = std::ranges::find(spares_, false, &Spare::is_fresh);
    const auto taken = best == spares_.end() ? spares_.end() - 1 : best;
    spare = *taken;
    spares_.erase(taken);
    --promised_;
  }
  const std::filesystem::path spare_path = directory_ / spareName(spare.number);
  const std::filesystem::path path = directory_ / SegmentName{header.log, header.segment}.text();
  {
    const SegmentFile file(spare_path, SyncMethod::Fdatasync, spare.is_fresh);
    const AlignedMemory block = allocateAligned(kIoAlignment);
    std::memset(block.get(), 0, kIoAlignment);
    std::memcpy(block.get(), &header, sizeof(header));
    if (::pwrite(file.descriptor(), block.get(), kIoAlignment, 0) != static_cast<ssize_t>(kIoAlignment))
      raiseIoError("write", spare_path, 0, errno);
    if (::fdatasync(file.descriptor()) != 0) raiseIoError("sync", spare_path, 0, errno);
  }
  FAILPOINT("wal.segment_headed");
  if (::rename(spare_path.c_str(), path.c_str()) != 0) raiseIoError("rename", spare_path, 0, errno);
  syncDirectory();
  FAILPOINT("wal.segment_named");
  return std::make_shared<SegmentFile>(path, method_, spare.is_fresh);
}

std::shared_ptr<SegmentFile> SegmentPool::open(SegmentName name) {
  const std::filesystem::path path = directory_ / name.text();
  auto file = std::make_shared<SegmentFile>(path, method_, false);
  if (std::filesystem::file_size(path) < segment_bytes_)
    if (const int error = allocate(file->descriptor(), segment_bytes_)) raiseIoError("extend", path, 0, error);
  return file;
}

void SegmentPool::recycle(SegmentName name) {
  const std::filesystem::path path = directory_ / name.text();
  const std::scoped_lock lock(mutex_);
  std::error_code error;
  const bool is_whole = std::filesystem::file_size(path, error) == segment_bytes_ && !error;
  if (error) return;
  if (is_whole && spares_.size() < promised_ + spares_kept_) {
    const uint64_t number = next_spare_++;
    if (::rename(path.c_str(), (directory_ / spareName(number)).c_str()) != 0) raiseIoError("rename", path, 0, errno);
    spares_.push_back({number, false});
    return;
  }
  if (::unlink(path.c_str()) != 0) raiseIoError("remove", path, 0, errno);
  --file_count_;
}

void SegmentPool::syncDirectory() const {
  const int descriptor = ::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) raiseIoError("open", directory_, 0, errno);
  const int result = ::fsync(descriptor);
  const int error = errno;
  ::close(descriptor);
  if (result != 0) raiseIoError("sync", directory_, 0, error);
}

}  // namespace gnomon::wal
