#include "base/temporary_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "base/failpoint.h"
#include "base/file_io.h"
#include "base/metrics.h"

namespace gnomon {

namespace {

constexpr SqlState kConfigurationLimitExceeded("53400");

/// Where the file system knows no files without names, one that loses its name at once.
int openUnnamed(const std::filesystem::path& directory) {
  const int descriptor = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return descriptor;
  std::string name = (directory / "temporary.XXXXXX").string();
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

void TemporarySpace::charge(uint64_t bytes) {
  const uint64_t used = used_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (used <= limit_bytes_) return;
  used_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  throw SqlError(kConfigurationLimitExceeded,
                 fmt::format("temporary file size exceeds temp_file_limit ({}kB)", limit_bytes_ / 1024));
}

TemporaryFile::TemporaryFile(TemporarySpace& space) : space_(space), descriptor_(openUnnamed(space.directory())) {
  if (descriptor_ < 0) raiseIoError("create temporary", space_.directory(), 0, errno);
  Metrics::instance().add(CounterId::TemporaryFiles);
}

TemporaryFile::~TemporaryFile() {
  ::close(descriptor_);
  space_.release(bytes_);
  Metrics::instance().add(CounterId::TemporaryBytes, bytes_);
}

uint64_t TemporaryFile::append(std::span<const char> bytes) {
  space_.charge(bytes.size());
  const uint64_t begin = bytes_;
  for (size_t done = 0; done < bytes.size();) {
    const int injected = FAILPOINT_ERROR("temporary_file_write");
    const ssize_t written = injected != 0 ? -1
                                          : ::pwrite(descriptor_, bytes.data() + done, bytes.size() - done,
                                                     static_cast<off_t>(begin + done));
    if (written >= 0) {
      done += static_cast<size_t>(written);
      continue;
    }
    const int error = injected != 0 ? injected : errno;
    if (error == EINTR) continue;
    space_.release(bytes.size());
    raiseIoError("write temporary", space_.directory(), begin + done, error);
  }
  bytes_ += bytes.size();
  return begin;
}

void TemporaryFile::read(uint64_t offset, std::span<char> bytes) const {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t got =
        ::pread(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (got > 0) {
      done += static_cast<size_t>(got);
      continue;
    }
    if (got < 0 && errno == EINTR) continue;
    raiseIoError("read temporary", space_.directory(), offset + done, got < 0 ? errno : EIO);
  }
}

}  // namespace gnomon
