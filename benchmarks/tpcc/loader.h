#pragma once

#include <cstdint>

#include "benchmarks/oltp/connection.h"

namespace gnomon::tpcc {

/// The initial population (specification 5.11, clause 4.3.3), by COPY. Equal seeds give equal rows, whoever loads which
/// warehouse when; all times are the first of January 2026.
void loadItems(oltp::Connection& connection, uint64_t seed);
/// The warehouse with its districts, customers, history, stock, orders and their lines.
void loadWarehouse(oltp::Connection& connection, uint64_t seed, int32_t warehouse);

}  // namespace gnomon::tpcc
