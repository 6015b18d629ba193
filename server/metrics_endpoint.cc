#include "server/metrics_endpoint.h"

#include <httplib.h>

#include <cerrno>
#include <system_error>

#include "base/metrics.h"
#include "base/wait_event.h"

namespace gnomon::server {

MetricsEndpoint::MetricsEndpoint(const ListenAddress& address) : server_(std::make_unique<httplib::Server>()) {
  constexpr time_t kPatienceSeconds = 5;
  server_->new_task_queue = [] { return new httplib::ThreadPool(1); };
  server_->set_keep_alive_max_count(1);
  server_->set_read_timeout(kPatienceSeconds);
  server_->set_write_timeout(kPatienceSeconds);
  server_->Get("/metrics", [](const httplib::Request&, httplib::Response& response) {
    response.set_content(Metrics::instance().print(), "text/plain; version=0.0.4; charset=utf-8");
  });
  if (address.port == 0)
    port_ = server_->bind_to_any_port(address.host);
  else if (server_->bind_to_port(address.host, address.port))
    port_ = address.port;
  if (port_ <= 0)
    throw std::system_error(errno ? errno : EADDRINUSE, std::generic_category(), "cannot listen for metrics");
  thread_ = std::thread([this] {
    const BackgroundThread self("metrics");
    server_->listen_after_bind();
    has_ended_ = true;
  });
}

MetricsEndpoint::~MetricsEndpoint() {
  // A stop that comes before the beginning is not heard.
  while (!has_ended_ && !server_->is_running()) std::this_thread::yield();
  server_->stop();
  thread_.join();
}

}  // namespace gnomon::server
