#include "server/pgwire/client_socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <thread>

#include "base/wait_event.h"

namespace gnomon::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// What it takes to fall asleep and to be woken, on a machine that is virtual.
constexpr std::chrono::microseconds kSoon{100};
/// A client that lets the server wait no longer is busy.
constexpr milliseconds kShort{10};

/// Of busy clients, for each processor: with more it is seldom the client's turn soon.
constexpr unsigned kClientsInTurn = 6;

std::atomic<unsigned> busy_clients{0};

unsigned processorCount() {
  static const unsigned count = std::thread::hardware_concurrency();
  return count;
}

bool isTransient(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

int millisecondsUntil(steady_clock::time_point time) {
  const auto left = std::chrono::duration_cast<milliseconds>(time - steady_clock::now()).count() + 1;
  return static_cast<int>(std::clamp<int64_t>(left, 0, 1'000'000));
}

}  // namespace

ClientSocket::ClientSocket(int descriptor, Interrupts& interrupts) : descriptor_(descriptor), interrupts_(interrupts) {
  const timeval patience{.tv_sec = 0, .tv_usec = std::chrono::microseconds(kShort).count()};
  setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  const int on = 1;
  // Replies are written in one piece, so waiting for more to send only delays them.
  setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  setsockopt(descriptor_, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
}

ClientSocket::~ClientSocket() {
  close(descriptor_);
}

std::pair<std::string, int32_t> ClientSocket::peer() const {
  sockaddr_storage address{};
  socklen_t bytes = sizeof(address);
  char host[NI_MAXHOST];
  char port[NI_MAXSERV];
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (getpeername(descriptor_, generic, &bytes) != 0) return {};
  if (generic->sa_family == AF_UNIX) return {"", kNoPort};
  if (getnameinfo(generic, bytes, host, sizeof(host), port, sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return {};
  return {host, std::stoi(port)};
}

void ClientSocket::BusyMark::set(bool is_busy) {
  if (is_busy == is_set_) return;
  is_set_ = is_busy;
  if (is_busy)
    busy_clients.fetch_add(1, std::memory_order_relaxed);
  else
    busy_clients.fetch_sub(1, std::memory_order_relaxed);
}

void ClientSocket::wait(short events, std::optional<milliseconds> patience) {
  const WaitScope event(events == POLLIN ? WaitEvent::ClientRead : WaitEvent::ClientWrite);
  pollfd waits[2] = {{descriptor_, events, 0}, {interrupts_.wakeDescriptor(), POLLIN, 0}};
  int timeout = deadline_ ? millisecondsUntil(*deadline_) : -1;
  if (patience && (timeout < 0 || timeout > patience->count())) timeout = static_cast<int>(patience->count());
  const int ready = ::poll(waits, 2, timeout);
  if (ready == 0 && deadline_ && steady_clock::now() >= *deadline_) throw ConnectionLost();
  if (waits[1].revents) {
    interrupts_.drainWake();
    interrupts_.poll();
    if (events == POLLIN && attention_) attention_();
  }
}

std::optional<size_t> ClientSocket::tryReceive(char* data, size_t bytes) {
  return receive(data, bytes, MSG_DONTWAIT);
}

std::optional<size_t> ClientSocket::receive(char* data, size_t bytes, int flags) {
  const ssize_t taken = recv(descriptor_, data, bytes, flags);
  if (taken >= 0) return static_cast<size_t>(taken);
  if (!isTransient(errno)) throw ConnectionLost();
  return std::nullopt;
}

std::optional<size_t> ClientSocket::receiveSoon(char* data, size_t bytes) {
  const WaitScope event(WaitEvent::ClientRead);
  const auto end = steady_clock::now() + kSoon;
  while (isProcessorFree() && steady_clock::now() < end) {
    // Whoever else has work for this processor goes first.
    sched_yield();
    if (const auto taken = tryReceive(data, bytes)) return taken;
  }
  return std::nullopt;
}

/// Waits for kShort at most. That is one system call, not two, if nothing else can come that is to be told soon; a
/// request that the session end is then heard a little later.
std::optional<size_t> ClientSocket::receiveShortly(char* data, size_t bytes) {
  if (is_attention_likely_ && is_attention_likely_()) {
    wait(POLLIN, kShort);
    return tryReceive(data, bytes);
  }
  const WaitScope event(WaitEvent::ClientRead);
  return receive(data, bytes, 0);
}

/// Lets others have the processor for a moment: the client may be who waits for it.
std::optional<size_t> ClientSocket::receiveInTurn(char* data, size_t bytes) {
  const WaitScope event(WaitEvent::ClientRead);
  sched_yield();
  return tryReceive(data, bytes);
}

size_t ClientSocket::receive(char* data, size_t bytes) {
  const auto begun = steady_clock::now();
  const bool is_in_turn = busy_.isSet() && areClientsFew();
  std::optional<size_t> taken;
  if (is_quick_ || is_in_turn || !busy_.isSet()) taken = tryReceive(data, bytes);
  if (taken) return *taken;
  if (is_quick_) taken = receiveSoon(data, bytes);
  if (!taken && is_in_turn) taken = receiveInTurn(data, bytes);
  if (!taken && busy_.isSet()) {
    taken = receiveShortly(data, bytes);
    busy_.set(taken.has_value());
  }
  while (!taken) {
    wait(POLLIN);
    taken = tryReceive(data, bytes);
  }
  const auto waited = steady_clock::now() - begun;
  is_quick_ = waited < kSoon;
  busy_.set(waited < kShort);
  return *taken;
}

bool ClientSocket::isProcessorFree() {
  return processorCount() > 1 && busy_clients.load(std::memory_order_relaxed) <= processorCount() / 2;
}

bool ClientSocket::areClientsFew() {
  return busy_clients.load(std::memory_order_relaxed) <= kClientsInTurn * processorCount();
}

size_t ClientSocket::trySend(const char* data, size_t bytes) {
  const ssize_t sent = ::send(descriptor_, data, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0) return static_cast<size_t>(sent);
  if (!isTransient(errno)) throw ConnectionLost();
  return 0;
}

size_t ClientSocket::send(const char* data, size_t bytes) {
  while (true) {
    if (const size_t sent = trySend(data, bytes); sent > 0 || bytes == 0) return sent;
    wait(POLLOUT);
  }
}

bool ClientSocket::sendLast(const char* data, size_t bytes, milliseconds patience) noexcept {
  const auto end = steady_clock::now() + patience;
  while (bytes > 0) {
    const ssize_t sent = ::send(descriptor_, data, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
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
    const ssize_t taken = recv(descriptor_, discarded, sizeof(discarded), MSG_DONTWAIT);
    if (taken > 0 && steady_clock::now() < end) continue;
    if (taken >= 0 || !isTransient(errno) || steady_clock::now() >= end) return;
    pollfd waits{descriptor_, POLLIN, 0};
    ::poll(&waits, 1, millisecondsUntil(end));
  }
}

}  // namespace gnomon::server
