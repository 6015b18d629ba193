#include "storage/control_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/atomic_file.h"

namespace gnomon::storage {

namespace {

constexpr std::array<char, 8> kMagic = {'G', 'N', 'O', 'M', 'O', 'N', 'D', 'B'};
constexpr const char* kControlName = "gnomon.control";
constexpr const char* kLockName = "gnomon.pid";

uint64_t checksumOf(const ControlData& data) {
  constexpr size_t kStart = offsetof(ControlData, format_version);
  return XXH3_64bits(reinterpret_cast<const char*>(&data) + kStart, sizeof(data) - kStart);
}

/// What a directory may hold and still count as empty: what an interrupted creation or the file system leaves.
bool isIgnorable(const std::filesystem::path& name) {
  return name == kLockName || name == std::string(kControlName) + ".new" || name == "lost+found";
}

bool isPermission(int error) {
  return error == EACCES || error == EPERM || error == EROFS;
}

}  // namespace

void ControlFile::raise(DirectoryError::Reason reason, const std::string& what) const {
  throw DirectoryError(reason, fmt::format("data directory \"{}\" {}", directory_.string(), what));
}

void ControlFile::raiseErrno(const std::string& what) const {
  const int error = errno;
  raise(isPermission(error) ? DirectoryError::Reason::NotPermitted : DirectoryError::Reason::Io,
        fmt::format("{}: {}", what, std::strerror(error)));
}

ControlFile::ControlFile(std::filesystem::path directory) : directory_(std::move(directory)) {
  try {
    if (!std::filesystem::exists(directory_)) {
      makeFolders(directory_);
      std::filesystem::permissions(directory_, std::filesystem::perms::owner_all);
    }
    if (!std::filesystem::exists(directory_ / kControlName)) {
      const std::filesystem::directory_iterator entries(directory_);
      const bool is_empty = std::all_of(begin(entries), end(entries),
                                        [](const auto& entry) { return isIgnorable(entry.path().filename()); });
      if (!is_empty) raise(DirectoryError::Reason::NotOurs, "is not empty and was not created by Gnomon");
    }
    lock();
    read();
  } catch (const std::system_error& error) {
    if (lock_descriptor_ >= 0) ::close(lock_descriptor_);
    errno = error.code().value();
    raiseErrno("cannot be used");
  } catch (...) {
    if (lock_descriptor_ >= 0) ::close(lock_descriptor_);
    throw;
  }
}

ControlFile::~ControlFile() {
  if (lock_descriptor_ >= 0) ::close(lock_descriptor_);
}

void ControlFile::lock() {
  const std::filesystem::path path = directory_ / kLockName;
  lock_descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_descriptor_ < 0) raiseErrno("cannot be locked");
  if (::flock(lock_descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) raiseErrno("cannot be locked");
    char text[32] = {};
    const ssize_t count = ::pread(lock_descriptor_, text, sizeof(text) - 1, 0);
    std::string pid(text, static_cast<size_t>(std::max<ssize_t>(count, 0)));
    pid.erase(pid.find_last_not_of('\n') + 1);
    raise(DirectoryError::Reason::Locked, fmt::format("is in use by the server with pid {}", pid));
  }
  const std::string pid = fmt::format("{}\n", ::getpid());
  if (::ftruncate(lock_descriptor_, 0) != 0 ||
      ::pwrite(lock_descriptor_, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size()))
    raiseErrno("cannot be locked");
}

void ControlFile::read() {
  const std::optional<std::string> contents = readFile(directory_ / kControlName);
  if (!contents) {
    data_.magic = kMagic;
    data_.format_version = kFormatVersion;
    data_.state = ControlData::State::Creating;
    is_new_ = true;
    write();
    return;
  }
  if (contents->size() < kMagic.size() || std::memcmp(contents->data(), kMagic.data(), kMagic.size()) != 0)
    raise(DirectoryError::Reason::NotOurs, fmt::format("has a file {} that is not Gnomon's", kControlName));
  std::memcpy(&data_, contents->data(), std::min(contents->size(), sizeof(data_)));
  // Before the checksum: another format may have another length.
  if (contents->size() >= offsetof(ControlData, state) && data_.format_version != kFormatVersion)
    raise(DirectoryError::Reason::FormatVersion,
          fmt::format("has format version {}, this server needs {}", data_.format_version, kFormatVersion));
  if (contents->size() != sizeof(data_) || data_.checksum != checksumOf(data_))
    raise(DirectoryError::Reason::Damaged, fmt::format("has a damaged file {}", kControlName));
  is_new_ = data_.state == ControlData::State::Creating;
  was_clean_ = data_.state == ControlData::State::Clean;
}

void ControlFile::requireClean() const {
  if (!was_clean_) raise(DirectoryError::Reason::Unclean, "was not shut down cleanly");
}

void ControlFile::write() {
  data_.checksum = checksumOf(data_);
  replaceFile(directory_, kControlName, {reinterpret_cast<const char*>(&data_), sizeof(data_)});
}

void ControlFile::mark(ControlData::State state) {
  data_.state = state;
  try {
    write();
  } catch (const std::system_error& error) {
    errno = error.code().value();
    raiseErrno("cannot be written");
  }
}

}  // namespace gnomon::storage
