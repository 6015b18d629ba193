#pragma once

#include <atomic>

#include "base/sql_error.h"

namespace gnomon {

/// The request that a running statement stop. Set from any thread; polled by the statement at every morsel and in every
/// long loop. Generated code reads `requested` as one byte, atomically.
class CancelToken {
 public:
  enum class Reason : unsigned char { None = 0, UserRequest = 1, Shutdown = 2, ClientGone = 3 };

  void request(Reason reason) { requested_.store(static_cast<unsigned char>(reason), std::memory_order_relaxed); }
  void reset() { requested_.store(0, std::memory_order_relaxed); }
  [[nodiscard]] bool isRequested() const { return requested_.load(std::memory_order_relaxed) != 0; }
  /// Throws 57014 (or 57P01 at shutdown) when a stop was requested.
  void poll() const {
    if (isRequested()) [[unlikely]]
      raise();
  }
  [[noreturn]] void raise() const {
    if (requested_.load() == static_cast<unsigned char>(Reason::Shutdown))
      throw SqlError(sqlstate::kAdminShutdown, "terminating connection due to administrator command");
    throw SqlError(sqlstate::kQueryCanceled, "canceling statement due to user request");
  }

 private:
  std::atomic<unsigned char> requested_{0};
};
static_assert(sizeof(CancelToken) == 1);

}  // namespace gnomon
