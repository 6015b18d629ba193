#include "codegen/runtime/merge_target.h"

#include <algorithm>

#include "base/sql_error.h"
#include "codegen/executor/execution_state.h"
#include "codegen/runtime/change_target.h"
#include "codegen/runtime/fired_row.h"

namespace gnomon::codegen {

namespace {

/// Rows that are changed between two looks at the cancel token.
constexpr uint64_t kRowsPerPoll = 256;

}  // namespace

void MergeTarget::apply(ExecutionState& state) {
  using What = sql::Merge::Action::What;
  std::vector<Noted> changed, inserted;
  for (const Action& action : actions_)
    for (unsigned worker = 0; worker < state.workerCount(); ++worker)
      for (char* row : state.localObject<ChangeList>(worker, action.list_slot).rows())
        (action.what == What::Insert ? inserted : changed).push_back({&action, row});
  const auto tupleId = [](const Noted& noted) { return ChangeList::tupleIdOf(noted.row); };
  std::ranges::sort(changed, {}, tupleId);
  const bool has_others = state.program->changes.size() > 1;
  for (size_t i = 0; i < changed.size(); ++i) {
    if (i % kRowsPerPoll == 0) state.context.cancel.poll();
    const bool is_repeated = i > 0 && tupleId(changed[i - 1]) == tupleId(changed[i]);
    if (is_repeated || (has_others && isTouched(tupleId(changed[i]))))
      throw SqlError(SqlState("21000"), "MERGE command cannot affect row a second time")
          .hint("Ensure that not more than one source row matches any one target row.");
    if (changeRow(changed[i])) ++row_count_;
  }
  for (size_t i = 0; i < inserted.size(); ++i) {
    if (i % kRowsPerPoll == 0) state.context.cancel.poll();
    if (appendRow(inserted[i])) ++row_count_;
  }
  if (triggers_) triggers_->end();
}

MergeTarget::Place MergeTarget::placeOf(txn::TupleId known) {
  using sql::Partitioning;
  if (!partitions_ || !partitions_->isPartitioned()) return {table_, statement_, keys_ ? &*keys_ : nullptr, known};
  Place place = placeIn(static_cast<uint32_t>(known.value >> Partitioning::kLeafShift));
  place.id = txn::TupleId{known.value & Partitioning::kTupleMask};
  return place;
}

MergeTarget::Place MergeTarget::placeIn(uint32_t leaf) {
  return {partitions_->leaves()[leaf], partitions_->statement(leaf), partitions_->keys(leaf), {}, leaf};
}

bool MergeTarget::isTouched(txn::TupleId known) {
  const Place place = placeOf(known);
  return place.statement.isTouched(place.id);
}

/// False: a trigger wants it left alone; here and below.
bool MergeTarget::changeRow(const Noted& noted) {
  const txn::TupleId known = ChangeList::tupleIdOf(noted.row);
  const Place place = placeOf(known);
  std::vector<txn::Datum> values;
  std::vector<uint8_t> null_flags;
  if (hasRowTriggers()) {
    lockFired(place.statement, place.id);
    values.resize(table_->columns.size());
    null_flags.resize(table_->columns.size());
    place.statement.read(place.id, values.data(), null_flags.data(), triggers_->memory());
  }
  const RowImage before{values.data(), null_flags.data()};
  if (noted.action->what == sql::Merge::Action::What::Delete) return removeRow(place, before);
  return updateRow(place, *noted.action, before, noted.row,
                   static_cast<uint32_t>(known.value >> sql::Partitioning::kLeafShift));
}

bool MergeTarget::removeRow(const Place& place, RowImage before) {
  if (hasRowTriggers() && !triggers_->beforeDelete(place.table, before)) return false;
  place.statement.remove(place.id);
  if (place.keys != nullptr) place.keys->noteRemoved(place.id);
  if (hasRowTriggers()) triggers_->afterDelete(place.table, before);
  return true;
}

namespace {

/// What an action has noted of all columns.
WritableRow wholeRow(char* noted, size_t columns) {
  auto* const values = reinterpret_cast<txn::Datum*>(noted + ChangeList::valuesOffset(0));
  return {values, reinterpret_cast<uint8_t*>(values + columns)};
}

}  // namespace

/// The row's new values may belong into another leaf than `from`: then it goes there.
bool MergeTarget::updateRow(const Place& place, const Action& action, RowImage before, char* noted, uint32_t from) {
  storage::TupleChange change = ChangeList::changeOf(noted, action.columns);
  if (action.moving.empty()) {
    const txn::TupleId after = place.statement.update(place.id, change);
    if (place.keys != nullptr) place.keys->noteUpdated(place.id, after, change);
    return true;
  }
  const WritableRow row = wholeRow(noted, action.columns.size());
  if (hasRowTriggers()) {
    if (!triggers_->beforeUpdate(place.table, before, row)) return false;
    triggers_->computeGenerated(place.table, row);
  }
  uint32_t to = from;
  if (partitions_ && partitions_->isPartitioned())
    to = partitions_->route(row.values, row.null_flags, scratch_);
  else if (partitions_)
    partitions_->requirePlace(row.values, row.null_flags, scratch_);
  if (to != from) {
    if (hasRowTriggers() && !triggers_->beforeDelete(place.table, before)) return false;
    place.statement.remove(place.id);
    if (place.keys != nullptr) place.keys->noteMoved(place.id, row.values, row.null_flags);
    if (hasRowTriggers()) triggers_->afterDelete(place.table, before);
    return appendTo(placeIn(to), row);
  }
  if (hasRowTriggers()) triggers_->require(place.table, row);
  if (partitions_ && partitions_->isPartitioned()) partitions_->requireOwn(to, row.values, row.null_flags);
  const std::vector<uint32_t> columns =
      hasRowTriggers() ? triggers_->changedColumns(*table_, action.moving, before, row.image()) : action.moving;
  std::vector<txn::Datum> values;
  std::vector<uint8_t> null_flags;
  for (const uint32_t column : columns) {
    values.push_back(row.values[column]);
    null_flags.push_back(row.null_flags[column]);
  }
  change = {columns, values.data(), null_flags.data()};
  const txn::TupleId after = place.statement.update(place.id, change);
  if (place.keys != nullptr) place.keys->noteUpdated(place.id, after, change);
  if (hasRowTriggers()) triggers_->afterUpdate(place.table, before, row.image());
  return true;
}

bool MergeTarget::appendRow(const Noted& noted) {
  const WritableRow row = wholeRow(noted.row, noted.action->columns.size());
  if (partitions_ && partitions_->isPartitioned())
    return appendTo(placeIn(partitions_->route(row.values, row.null_flags, scratch_)), row);
  return appendTo({table_, statement_, keys_ ? &*keys_ : nullptr, {}}, row);
}

bool MergeTarget::appendTo(const Place& place, WritableRow row) {
  if (hasRowTriggers()) {
    if (!triggers_->beforeInsert(place.table, row)) return false;
    triggers_->complete(place.table, row);
  }
  if (partitions_ && partitions_->isPartitioned()) {
    partitions_->requireLeaf(place.leaf, row.values, row.null_flags, scratch_);
    partitions_->requireOwn(place.leaf, row.values, row.null_flags);
  } else if (partitions_) {
    partitions_->requirePlace(row.values, row.null_flags, scratch_);
  }
  const txn::TupleId id = place.statement.append(row.values, row.null_flags);
  if (place.keys != nullptr) place.keys->noteAppended(id, row.values, row.null_flags, 1);
  if (hasRowTriggers()) triggers_->afterInsert(place.table, row.image());
  return true;
}

}  // namespace gnomon::codegen
