#pragma once

#include <spdlog/spdlog.h>

#include <chrono>
#include <thread>

#include "base/sql_error.h"
#include "storage/page.h"

namespace gnomon::txn {

/// Repeats a change that undoes another until there is room for it: memory, or in the log.
template <typename Change>
void untilRoom(storage::RelationId relation, Change&& change) {
  constexpr std::chrono::milliseconds kPause{10};
  for (int attempt = 0;; ++attempt) {
    try {
      return change();
    } catch (const SqlError& error) {
      if (error.state() != sqlstate::kOutOfMemory && error.state() != sqlstate::kDiskFull) throw;
      if (attempt % 1000 == 0)
        spdlog::error("rollback of a change of relation {} waits for room: {}", relation.value, error.message());
    }
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace gnomon::txn
