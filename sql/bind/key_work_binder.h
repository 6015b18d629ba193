#pragma once

#include <memory>
#include <vector>

#include "sql/algebra/key_work.h"
#include "sql/bind/bind_state.h"

namespace gnomon::sql {

/// What a statement does to the rows of its table.
struct RowChanges {
  bool inserts = false;
  bool deletes = false;
  std::vector<uint32_t> updated = {};  ///< columns, ascending
  bool may_move = false;               ///< updated rows may go to other partitions
};

/// What foreign keys ask of the statement; null: nothing. The tables that it needs for that, and how it locks them, are
/// added to the state. Failure: those of defaults that keys set; 0A000 for such that are no constants.
std::shared_ptr<const KeyWork> bindKeyWork(BindState& state, const TablePtr& table, const RowChanges& changes);

}  // namespace gnomon::sql
