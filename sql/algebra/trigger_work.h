#pragma once

#include <cstdint>
#include <vector>

#include "sql/algebra/check_expressions.h"
#include "sql/catalog/table_entry.h"

namespace gnomon::sql {

/// What triggers of a table, or of its partitions, have to do with a statement that changes its rows.
struct TriggerWork {
  struct Change {
    TriggerEvent event;
    std::vector<uint32_t> columns;  ///< Update: those that change, ascending
  };
  TablePtr table;               ///< that the statement names
  std::vector<Change> changes;  ///< that the statement may make, in the order in which triggers fire before it
  bool has_rows = false;        ///< each row concerns triggers
  /// Triggers may make other rows of those that are written: what they have to satisfy is tested behind these.
  bool has_before_rows = false;
  bool is_instead = false;  ///< of a view: triggers write in its place
  CheckForms checks;        ///< that rows have to pass behind them; null: none

  [[nodiscard]] const Change* changeOf(TriggerEvent event) const {
    for (const Change& change : changes)
      if (change.event == event) return &change;
    return nullptr;
  }
};

}  // namespace gnomon::sql
