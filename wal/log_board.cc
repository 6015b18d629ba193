#include "wal/log_board.h"

#include <cstdlib>

#include "base/logging.h"
#include "base/sql_error.h"

namespace gnomon::wal {

LogHealth::LogHealth(std::function<void(const std::string&)> on_fatal) : on_fatal_(std::move(on_fatal)) {}

void LogHealth::fail(const std::string& reason) {
  if (!has_failed_.exchange(true, std::memory_order_acq_rel)) {
    if (!on_fatal_) {
      logLine(LogLevel::Fatal, "the log cannot be written: {}", reason);
      std::abort();
    }
    on_fatal_(reason);
  }
  throwFailed();
}

void LogHealth::throwFailed() {
  throw SqlError(sqlstate::kIoError, "the log cannot be written any more");
}

}  // namespace gnomon::wal
