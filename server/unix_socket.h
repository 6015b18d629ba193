#pragma once

#include <sys/un.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace gnomon::server {

/// A Unix-domain socket that listens where libpq looks for it: DIRECTORY/.s.PGSQL.PORT.
///
/// A file beside it, .s.PGSQL.PORT.lock, says whose it is: this process has it locked as long as it lives, and its
/// first line is the process's number, as PostgreSQL writes it and heeds it. What a server that was killed has left is
/// taken over; what somebody listens to is not.
/// Threads: the main thread's. Both files go with this.
class UnixSocket {
 public:
  /// Failure: std::system_error, with a sentence for the operator; nothing is left behind then.
  UnixSocket(const std::filesystem::path& directory, uint16_t port);
  ~UnixSocket();
  UnixSocket(const UnixSocket&) = delete;
  UnixSocket& operator=(const UnixSocket&) = delete;

  [[nodiscard]] int descriptor() const { return listener_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// From now on nobody connects any more. The files stay until this goes.
  void close();

 private:
  void lock();
  void takeOver(const sockaddr_un& address);
  void listen(const sockaddr_un& address);

  const std::filesystem::path path_, lock_path_;
  int lock_ = -1;
  bool is_owner_ = false;  ///< of the file beside it, and not somebody who does not lock his
  int listener_ = -1;
};

}  // namespace gnomon::server
