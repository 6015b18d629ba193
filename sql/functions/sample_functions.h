#pragma once

#include <cstdint>
#include <vector>

#include "sql/functions/value_function.h"

namespace gnomon::sql {

/// Adds what TABLESAMPLE asks: "$sample_cutoff" of a percentage and "$sample_seed" of what REPEATABLE says, once, and
/// "$bernoulli" and "$system" of a row's tuple id, the cutoff and the seed: whether the row is in the sample.
///
/// Source: PostgreSQL's methods, with tuple ids in the place of blocks and offsets. A tuple's chance depends on nothing
/// but its id and the seed, so the same seed gives the same rows as long as these are there. Rows of 128 ids are
/// a block of SYSTEM. Failure: 2202H, 2202G.
void addSampleFunctions(std::vector<ValueFunction>& functions);

}  // namespace gnomon::sql
