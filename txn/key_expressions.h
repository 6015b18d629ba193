#pragma once

#include <cstdint>

#include "base/arena.h"
#include "storage/relation/schema.h"

namespace gnomon::txn {

/// Computes what stands in an index for a tuple: the parts of its key where some are expressions, and whether the tuple
/// is in a partial index at all.
/// Threads: any number at once.
class KeyExpressions {
 public:
  virtual ~KeyExpressions() = default;

  /// False: the tuple is not in the index. `values` and `null_flags` are the whole row; only the definition's columns
  /// need to be there. Strings of `parts` lie in the row's memory or in `memory`. Failure: what the expressions raise
  /// for this row, as SqlError; 53200.
  virtual bool evaluate(const storage::Datum* values, const uint8_t* null_flags, storage::Datum* parts,
                        uint8_t* part_nulls, Arena& memory) const = 0;
};

}  // namespace gnomon::txn
