#include "server/listen_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace gnomon::server {
namespace {

bool isLoopback(const sockaddr_in& address) {
  return (ntohl(address.sin_addr.s_addr) >> 24) == 127;
}
bool isLoopback(const sockaddr_in6& address) {
  return IN6_IS_ADDR_LOOPBACK(&address.sin6_addr);
}

template <typename Address>
bool fill(ListenAddress& result, Address address) {
  std::memcpy(&result.socket_address, &address, sizeof(address));
  result.socket_address_bytes = sizeof(address);
  return isLoopback(address);
}

}  // namespace

ListenAddress parseListenAddress(std::string_view text) {
  const auto fail = [&](const char* why) {
    throw std::invalid_argument(fmt::format("cannot listen on \"{}\": {}", text, why));
  };
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || text.ends_with(']'))
    fail("an address and a port are wanted, as in 127.0.0.1:5432");
  ListenAddress result;
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  const auto parsed = std::from_chars(port.data(), port.data() + port.size(), result.port);
  if (port.empty() || parsed.ec != std::errc() || parsed.ptr != port.data() + port.size())
    fail("the port is not a number from 0 to 65535");
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  result.host = host == "localhost" ? "127.0.0.1" : std::string(host);
  bool is_loopback = false;
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  if (inet_pton(AF_INET, result.host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(result.port);
    is_loopback = fill(result, v4);
  } else if (inet_pton(AF_INET6, result.host.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(result.port);
    is_loopback = fill(result, v6);
  } else {
    fail("the address is not numeric");
  }
  if (!is_loopback)
    fail(
        "connections are not encrypted, and roles without a password trust every client, so only loopback addresses "
        "(127.0.0.1, ::1) are allowed");
  return result;
}

int listenOn(ListenAddress& address) {
  const int descriptor = socket(address.socket_address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "socket");
  const int on = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(descriptor, reinterpret_cast<const sockaddr*>(&address.socket_address), address.socket_address_bytes) != 0 ||
      listen(descriptor, kListenBacklog) != 0) {
    const int error = errno;
    close(descriptor);
    throw std::system_error(error, std::generic_category(),
                            fmt::format("cannot listen on {}:{}", address.host, address.port));
  }
  sockaddr_storage bound{};
  socklen_t bytes = sizeof(bound);
  if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &bytes) == 0)
    address.port = ntohs(bound.ss_family == AF_INET ? reinterpret_cast<sockaddr_in&>(bound).sin_port
                                                    : reinterpret_cast<sockaddr_in6&>(bound).sin6_port);
  return descriptor;
}

}  // namespace gnomon::server
