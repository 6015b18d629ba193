#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace gnomon::server {

/// Connections that may wait to be accepted.
inline constexpr int kListenBacklog = 512;

/// An address and port to listen to.
struct ListenAddress {
  std::string host;  ///< numeric, without brackets
  uint16_t port = 0;
  sockaddr_storage socket_address{};
  socklen_t socket_address_bytes = 0;
};

/// "127.0.0.1:5432", "[::1]:5432", "localhost:5432". Port 0: the system chooses.
/// Failure: std::invalid_argument with a sentence for the operator; also for an address that is not a loopback one,
/// since there is no encryption, and roles without a password trust whoever can connect.
ListenAddress parseListenAddress(std::string_view text);

/// A socket that listens there; `address.port` becomes the port it got. Failure: std::system_error.
int listenOn(ListenAddress& address);

}  // namespace gnomon::server
