#pragma once

#include <cstdint>

#include "benchmarks/oltp/connection.h"

namespace gnomon::tatp {

/// Subscribers `first` to `last` with all that belongs to them (description 1.0, section 2.2), by COPY. Equal seeds
/// give equal rows for equal ranges.
void loadSubscribers(oltp::Connection& connection, uint64_t seed, int32_t first, int32_t last);

}  // namespace gnomon::tatp
