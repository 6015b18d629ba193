#pragma once

#include <utility>
#include <vector>

#include "codegen/translate/scope.h"
#include "codegen/translate/tuple_layout.h"

namespace gnomon::codegen {

class Pipeline;

/// The one row of a dependent join's left input, which a step before has stored: the code of the right input reads it
/// as it reads parameters.
struct KnownRow {
  TupleLayout layout{0};
  std::vector<std::pair<sql::Iu, size_t>> units;  ///< and their fields
  size_t slot = 0;                                ///< global: where the row lies

  /// The row outlives what is emitted.
  void bind(Pipeline& pipeline) const;
};

}  // namespace gnomon::codegen
