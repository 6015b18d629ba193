#include "storage/data_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/sql_error.h"

namespace gnomon::storage {

namespace {

/// Files grow by a quarter, by at most this much at a time.
constexpr uint64_t kGrowthBytesMax = uint64_t{64} << 20;

[[noreturn]] void raise(const char* action, const std::filesystem::path& path, uint64_t offset, int error) {
  const bool is_full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  throw SqlError(
      is_full ? sqlstate::kDiskFull : sqlstate::kIoError,
      fmt::format("could not {} file \"{}\" at offset {}: {}", action, path.string(), offset, std::strerror(error)));
}

}  // namespace

DataFile::DataFile(std::filesystem::path path, SizeClass size_class)
    : path_(std::move(path)), size_class_(size_class) {}

DataFile::~DataFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

int DataFile::descriptor() {
  const std::scoped_lock guard(mutex_);
  if (descriptor_ >= 0) return descriptor_;
  const int opened = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (opened < 0) raise("open", path_, 0, errno);
  struct stat status;
  if (::fstat(opened, &status) != 0) {
    const int error = errno;
    ::close(opened);
    raise("open", path_, 0, error);
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
  if (result != 0) raise("extend", path_, static_cast<uint64_t>(start), errno);
  reserved_pages_ = page_count;
}

void DataFile::read(PageId id, std::byte* page) {
  const int file = descriptor();
  const uint64_t bytes = pageBytes(size_class_);
  for (uint64_t done = 0; done < bytes;) {
    const ssize_t count = ::pread(file, page + done, bytes - done, static_cast<off_t>(offsetOf(id) + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) raise("read", path_, offsetOf(id) + done, errno);
    if (count == 0)
      throw SqlError(sqlstate::kDataCorrupted,
                     fmt::format("file \"{}\" ends before the page at offset {}", path_.string(), offsetOf(id)));
    done += static_cast<uint64_t>(count);
  }
}

void DataFile::write(PageId id, const std::byte* head, size_t head_bytes, const std::byte* page) {
  const int file = descriptor();
  const uint64_t bytes = pageBytes(size_class_);
  for (uint64_t done = 0; done < bytes;) {
    std::array<iovec, 2> parts;
    int part_count = 0;
    if (done < head_bytes) parts[part_count++] = {const_cast<std::byte*>(head) + done, head_bytes - done};
    const uint64_t body = std::max<uint64_t>(done, head_bytes);
    if (body < bytes) parts[part_count++] = {const_cast<std::byte*>(page) + body, bytes - body};
    const ssize_t count = ::pwritev(file, parts.data(), part_count, static_cast<off_t>(offsetOf(id) + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) raise("write", path_, offsetOf(id) + done, errno);
    done += static_cast<uint64_t>(count);
  }
}

void DataFile::sync() {
  {
    const std::scoped_lock guard(mutex_);
    if (descriptor_ < 0) return;
  }
  if (::fdatasync(descriptor_) == 0) return;
  spdlog::critical("could not sync file \"{}\": {}", path_.string(), std::strerror(errno));
  std::abort();
}

}  // namespace gnomon::storage
