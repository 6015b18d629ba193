#include "storage/data_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/sql_error.h"

namespace gnomon::storage {

namespace {

/// Files grow by a quarter, by at most this much at a time.
constexpr uint64_t kGrowthBytesMax = uint64_t{64} << 20;

}  // namespace

void syncOrDie(int descriptor, const std::filesystem::path& path) {
  if (::fdatasync(descriptor) == 0) return;
  spdlog::critical("could not sync file \"{}\": {}", path.string(), std::strerror(errno));
  std::abort();
}

DataFile::DataFile(std::filesystem::path path, SizeClass size_class)
    : path_(std::move(path)), size_class_(size_class) {}

DataFile::~DataFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

int DataFile::descriptor() {
  const std::scoped_lock guard(mutex_);
  if (descriptor_ >= 0) return descriptor_;
  const int opened = openDirect(path_, O_CREAT);
  if (opened < 0) raiseIoError("open", path_, 0, errno);
  struct stat status;
  if (::fstat(opened, &status) != 0) {
    const int error = errno;
    ::close(opened);
    raiseIoError("open", path_, 0, error);
  }
  reserved_pages_ = static_cast<uint64_t>(status.st_size) / pageBytes(size_class_);
  descriptor_ = opened;
  return descriptor_;
}

void DataFile::reserve(uint64_t page_count) {
  descriptor();
  const std::scoped_lock guard(mutex_);
  if (page_count <= reserved_pages_) return;
  const uint64_t step_max = std::max<uint64_t>(1, kGrowthBytesMax / pageBytes(size_class_));
  const uint64_t step = std::clamp<uint64_t>(reserved_pages_ / 4, 1, step_max);
  try {
    grow(std::max(page_count, reserved_pages_ + step));
  } catch (const SqlError&) {
    // The generous step did not fit; the pages asked for may.
    grow(page_count);
  }
}

void DataFile::grow(uint64_t page_count) {
  const auto start = static_cast<off_t>(reserved_pages_ * pageBytes(size_class_));
  const auto end = static_cast<off_t>(page_count * pageBytes(size_class_));
  int result;
  do {
    result = ::fallocate(descriptor_, 0, start, end - start);
  } while (result != 0 && errno == EINTR);
  // Some file systems cannot reserve space: there a full disk shows when pages are written.
  if (result != 0 && errno == EOPNOTSUPP) result = ::ftruncate(descriptor_, end);
  if (result != 0) raiseIoError("extend", path_, static_cast<uint64_t>(start), errno);
  reserved_pages_ = page_count;
}

IoRequest DataFile::readRequest(PageId id, std::byte* page) {
  return {.descriptor = descriptor(), .memory = page, .bytes = pageBytes(size_class_), .offset = offsetOf(id)};
}

IoRequest DataFile::writeRequest(PageId id, const std::byte* page) {
  return {.descriptor = descriptor(),
          .operation = IoRequest::Operation::Write,
          .memory = const_cast<std::byte*>(page),
          .bytes = pageBytes(size_class_),
          .offset = offsetOf(id)};
}

void DataFile::check(const IoRequest& request) const {
  if (request.error == 0) return;
  if (request.error == IoRequest::kEndOfFile)
    throw SqlError(sqlstate::kDataCorrupted,
                   fmt::format("file \"{}\" ends before the page at offset {}", path_.string(), request.offset));
  raiseIoError(request.isWrite() ? "write" : "read", path_, request.offset, request.error);
}

void DataFile::sync() {
  {
    const std::scoped_lock guard(mutex_);
    if (descriptor_ < 0) return;
  }
  syncOrDie(descriptor_, path_);
}

}  // namespace gnomon::storage
