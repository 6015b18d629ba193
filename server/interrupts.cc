#include "server/interrupts.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace gnomon::server {

Interrupts::Interrupts() : wake_descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (wake_descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

Interrupts::~Interrupts() {
  close(wake_descriptor_);
}

void Interrupts::wake() const {
  const uint64_t one = 1;
  // Fails only when the counter is full, and then it is readable already.
  [[maybe_unused]] const ssize_t written = write(wake_descriptor_, &one, sizeof(one));
}

void Interrupts::drainWake() const {
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t taken = read(wake_descriptor_, &count, sizeof(count));
}

void Interrupts::requestCancel() {
  if (!running_.load(std::memory_order_acquire)) return;
  cancel_.request(CancelToken::Reason::UserRequest);
  wake();
}

void Interrupts::requestTimeout() {
  if (!running_.load(std::memory_order_acquire) || !has_limit_.load(std::memory_order_relaxed)) return;
  timed_out_.store(true, std::memory_order_release);
  cancel_.request(CancelToken::Reason::UserRequest);
  wake();
}

void Interrupts::requestTermination() {
  terminating_.store(true, std::memory_order_release);
  cancel_.request(CancelToken::Reason::Shutdown);
  wake();
}

void Interrupts::raiseTermination() {
  throw SqlError(sqlstate::kAdminShutdown, "terminating connection due to administrator command");
}

}  // namespace gnomon::server
