#include "server/pgwire/client_socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/wait_event.h"

namespace gnomon::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

bool isTransient(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

int millisecondsUntil(steady_clock::time_point time) {
  const auto left = std::chrono::duration_cast<milliseconds>(time - steady_clock::now()).count() + 1;
  return static_cast<int>(std::clamp<int64_t>(left, 0, 1'000'000));
}

}  // namespace

ClientSocket::ClientSocket(int descriptor, Interrupts& interrupts) : descriptor_(descriptor), interrupts_(interrupts) {
  const int flags = fcntl(descriptor_, F_GETFL);
  fcntl(descriptor_, F_SETFL, flags | O_NONBLOCK);
  const int on = 1;
  // Replies are written in one piece, so waiting for more to send only delays them.
  setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  setsockopt(descriptor_, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
}

ClientSocket::~ClientSocket() {
  close(descriptor_);
}

std::pair<std::string, uint16_t> ClientSocket::peer() const {
  sockaddr_storage address{};
  socklen_t bytes = sizeof(address);
  char host[NI_MAXHOST];
  char port[NI_MAXSERV];
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (getpeername(descriptor_, generic, &bytes) != 0) return {};
  if (getnameinfo(generic, bytes, host, sizeof(host), port, sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return {};
  return {host, static_cast<uint16_t>(std::stoi(port))};
}

void ClientSocket::wait(short events) {
  const WaitScope event(events == POLLIN ? WaitEvent::ClientRead : WaitEvent::ClientWrite);
  pollfd waits[2] = {{descriptor_, events, 0}, {interrupts_.wakeDescriptor(), POLLIN, 0}};
  const int timeout = deadline_ ? millisecondsUntil(*deadline_) : -1;
  const int ready = ::poll(waits, 2, timeout);
  if (ready == 0 && deadline_ && steady_clock::now() >= *deadline_) throw ConnectionLost();
  if (waits[1].revents) {
    interrupts_.drainWake();
    interrupts_.poll();
  }
}

size_t ClientSocket::receive(char* data, size_t bytes) {
  while (true) {
    const ssize_t taken = recv(descriptor_, data, bytes, 0);
    if (taken >= 0) return static_cast<size_t>(taken);
    if (!isTransient(errno)) throw ConnectionLost();
    wait(POLLIN);
  }
}

size_t ClientSocket::send(const char* data, size_t bytes) {
  while (true) {
    const ssize_t sent = ::send(descriptor_, data, bytes, MSG_NOSIGNAL);
    if (sent >= 0) return static_cast<size_t>(sent);
    if (!isTransient(errno)) throw ConnectionLost();
    wait(POLLOUT);
  }
}

bool ClientSocket::sendLast(const char* data, size_t bytes, milliseconds patience) noexcept {
  const auto end = steady_clock::now() + patience;
  while (bytes > 0) {
    const ssize_t sent = ::send(descriptor_, data, bytes, MSG_NOSIGNAL);
    if (sent >= 0) {
      data += sent;
      bytes -= static_cast<size_t>(sent);
      continue;
    }
    if (!isTransient(errno) || steady_clock::now() >= end) return false;
    pollfd waits{descriptor_, POLLOUT, 0};
    ::poll(&waits, 1, millisecondsUntil(end));
  }
  return true;
}

void ClientSocket::finish(milliseconds patience) noexcept {
  const auto end = steady_clock::now() + patience;
  shutdown(descriptor_, SHUT_WR);
  char discarded[4096];
  while (true) {
    const ssize_t taken = recv(descriptor_, discarded, sizeof(discarded), 0);
    if (taken > 0 && steady_clock::now() < end) continue;
    if (taken >= 0 || !isTransient(errno) || steady_clock::now() >= end) return;
    pollfd waits{descriptor_, POLLIN, 0};
    ::poll(&waits, 1, millisecondsUntil(end));
  }
}

}  // namespace gnomon::server
