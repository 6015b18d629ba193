#pragma once

#include <cstdint>
#include <memory>

#include "sql/types/type.h"
#include "txn/sequence_state.h"

namespace gnomon::txn {
class Sequence;
}  // namespace gnomon::txn

namespace gnomon::sql {

/// What is said of a sequence.
struct SequenceDefinition {
  TypeKind type = TypeKind::Bigint;  ///< Smallint, Integer or Bigint
  int64_t start = 1;
  txn::SequenceRange range;
  uint32_t owner = 0;         ///< the table with which it goes; 0: none
  uint32_t owner_column = 0;  ///< in TableEntry::columns, with which it goes as well
  bool is_identity = false;   ///< the column is an identity column
};

/// A sequence as the catalog knows it: a part of its TableEntry, whose columns are those of its row. Immutable once
/// published.
struct SequenceEntry : SequenceDefinition {
  txn::SequenceState first;  ///< where new storage of it begins
  std::shared_ptr<txn::Sequence> counter;
};
using SequencePtr = std::shared_ptr<const SequenceEntry>;

}  // namespace gnomon::sql
