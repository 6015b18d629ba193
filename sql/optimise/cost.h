#pragma once

#include <span>

#include "sql/algebra/operator.h"

namespace gnomon::sql {

/// What EXPLAIN shows as cost: 0.01 for a row that an operator handles, as in PostgreSQL, whose estimates these are
/// not. startup: until the first row can come. Both contain the inputs'.
struct Cost {
  double startup = 0;
  double total = 0;
};

/// Of an operator with estimated rows, from the costs of its inputs.
Cost costOf(const Operator& op, std::span<const Cost> inputs);

/// Bytes of a row of these units, texts guessed.
int widthOf(const std::vector<Iu>& units);

}  // namespace gnomon::sql
