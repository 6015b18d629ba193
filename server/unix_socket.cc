#include "server/unix_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "server/listen_address.h"

namespace gnomon::server {
namespace {

[[noreturn]] void fail(int error, const std::filesystem::path& path) {
  throw std::system_error(error, std::generic_category(),
                          fmt::format("cannot listen on Unix socket \"{}\"", path.string()));
}

/// Failure: std::system_error, ENAMETOOLONG.
sockaddr_un addressOf(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string& text = path.native();
  if (text.size() >= sizeof(address.sun_path)) fail(ENAMETOOLONG, path);
  std::ranges::copy(text, address.sun_path);
  return address;
}

int newSocket() {
  return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

}  // namespace

UnixSocket::UnixSocket(const std::filesystem::path& directory, uint16_t port)
    : path_(std::filesystem::absolute(directory) / fmt::format(".s.PGSQL.{}", port)),
      lock_path_(path_.string() + ".lock") {
  const sockaddr_un address = addressOf(path_);
  lock();
  try {
    if (std::filesystem::exists(path_)) takeOver(address);
    listen(address);
  } catch (...) {
    if (is_owner_) ::unlink(lock_path_.c_str());
    ::close(lock_);
    throw;
  }
}

UnixSocket::~UnixSocket() {
  close();
  ::unlink(path_.c_str());
  ::unlink(lock_path_.c_str());
  ::close(lock_);
}

void UnixSocket::close() {
  if (listener_ >= 0) ::close(std::exchange(listener_, -1));
}

void UnixSocket::lock() {
  constexpr mode_t kOwnerOnly = 0600;
  for (;;) {
    lock_ = ::open(lock_path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwnerOnly);
    if (lock_ < 0) fail(errno, path_);
    struct stat held{}, named{};
    if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno == EWOULDBLOCK ? EADDRINUSE : errno;
      ::close(lock_);
      fail(error, path_);
    }
    // Whoever had it may have removed the file between the two calls.
    if (fstat(lock_, &held) == 0 && stat(lock_path_.c_str(), &named) == 0 && held.st_ino == named.st_ino) return;
    ::close(lock_);
  }
}

/// Removes the socket there. Failure: somebody listens to it, or it is none.
void UnixSocket::takeOver(const sockaddr_un& address) {
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
  if (!std::filesystem::is_socket(path_)) fail(EEXIST, path_);
  const int probe = newSocket();
  if (probe < 0) fail(errno, path_);
  const bool is_deserted = connect(probe, generic, sizeof(address)) != 0 && errno == ECONNREFUSED;
  ::close(probe);
  if (!is_deserted) fail(EADDRINUSE, path_);
  if (::unlink(path_.c_str()) != 0) fail(errno, path_);
}

void UnixSocket::listen(const sockaddr_un& address) {
  is_owner_ = true;
  const std::string owner = fmt::format("{}\n", getpid());
  if (ftruncate(lock_, 0) != 0 || ::write(lock_, owner.data(), owner.size()) != static_cast<ssize_t>(owner.size()))
    fail(errno, path_);
  listener_ = newSocket();
  if (listener_ < 0) fail(errno, path_);
  // Who may connect is a matter of roles, not of files.
  constexpr mode_t kAnybody = 0777;
  const bool is_bound = bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  if (is_bound && chmod(path_.c_str(), kAnybody) == 0 && ::listen(listener_, kListenBacklog) == 0) return;
  const int error = errno;
  close();
  if (is_bound) ::unlink(path_.c_str());
  fail(error, path_);
}

}  // namespace gnomon::server
