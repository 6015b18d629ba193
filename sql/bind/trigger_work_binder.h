#pragma once

#include <memory>
#include <vector>

#include "sql/algebra/trigger_work.h"
#include "sql/bind/bind_state.h"

namespace gnomon::sql {

/// What triggers of the table have to do with these changes, in the order in which those before the statement fire;
/// null: none fires. `checks`: what the statement tests of rows; where triggers may change these it is left to them.
std::shared_ptr<const TriggerWork> bindTriggerWork(const TablePtr& table, std::vector<TriggerWork::Change> changes,
                                                   const RowChecks& checks);

/// The same of a view whose rows triggers change.
std::shared_ptr<const TriggerWork> insteadWork(const TablePtr& view, TriggerWork::Change change);

/// The columns that change where triggers may change more than `assigned`, ascending.
std::vector<uint32_t> columnsChangedWith(const TriggerWork* work, const TableEntry& table,
                                         const std::vector<uint32_t>& assigned);

}  // namespace gnomon::sql
