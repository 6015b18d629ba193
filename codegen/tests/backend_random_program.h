#pragma once

#include <cstdint>

#include "codegen/ir/function.h"

namespace gnomon::codegen {

/// A random module for comparing back ends: function 0 is "main", i64(ptr memory, i64, i64, i128, f64), with branches,
/// loops of at most a few rounds, phis, traps, switches, memory in `memory` (kRandomMemoryBytes), runtime calls that
/// may throw, and calls of a helper function. It reads no NaN's sign, which the back ends may choose.
inline constexpr uint64_t kRandomMemoryBytes = 512;
ir::Module randomModule(uint64_t seed);

}  // namespace gnomon::codegen
