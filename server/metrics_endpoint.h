#pragma once

#include <atomic>
#include <memory>
#include <thread>

#include "server/listen_address.h"

namespace httplib {
class Server;
}

namespace gnomon::server {

/// Serves /metrics over HTTP, in Prometheus' text format, while it lives. One request at a time, in a thread of its
/// own.
class MetricsEndpoint {
 public:
  /// Port 0: the system chooses. Failure: std::system_error when the address is not to be had.
  explicit MetricsEndpoint(const ListenAddress& address);
  ~MetricsEndpoint();
  MetricsEndpoint(const MetricsEndpoint&) = delete;
  MetricsEndpoint& operator=(const MetricsEndpoint&) = delete;

  [[nodiscard]] int port() const { return port_; }

 private:
  const std::unique_ptr<httplib::Server> server_;
  int port_ = 0;
  std::atomic<bool> has_ended_{false};
  std::thread thread_;
};

}  // namespace gnomon::server
