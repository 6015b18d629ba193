#include "codegen/runtime/merge_target.h"

#include <algorithm>

#include "base/sql_error.h"
#include "codegen/executor/execution_state.h"
#include "codegen/runtime/change_target.h"

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
      for (const char* row : state.localObject<ChangeList>(worker, action.list_slot).rows())
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
    changeRow(changed[i]);
  }
  for (size_t i = 0; i < inserted.size(); ++i) {
    if (i % kRowsPerPoll == 0) state.context.cancel.poll();
    appendRow(inserted[i]);
  }
  row_count_ = changed.size() + inserted.size();
}

MergeTarget::Place MergeTarget::placeOf(txn::TupleId known) {
  using sql::Partitioning;
  if (!partitions_ || !partitions_->isPartitioned()) return {statement_, keys_ ? &*keys_ : nullptr, known};
  const auto leaf = static_cast<uint32_t>(known.value >> Partitioning::kLeafShift);
  return {partitions_->statement(leaf), partitions_->keys(leaf), txn::TupleId{known.value & Partitioning::kTupleMask}};
}

bool MergeTarget::isTouched(txn::TupleId known) {
  const Place place = placeOf(known);
  return place.statement.isTouched(place.id);
}

void MergeTarget::changeRow(const Noted& noted) {
  const txn::TupleId known = ChangeList::tupleIdOf(noted.row);
  const Place place = placeOf(known);
  if (noted.action->what == sql::Merge::Action::What::Delete) {
    place.statement.remove(place.id);
    if (place.keys != nullptr) place.keys->noteRemoved(place.id);
    return;
  }
  updateRow(place, *noted.action, ChangeList::changeOf(noted.row, noted.action->columns),
            static_cast<uint32_t>(known.value >> sql::Partitioning::kLeafShift));
}

/// The row's new values may belong into another leaf than `from`: then it goes there.
void MergeTarget::updateRow(const Place& place, const Action& action, const storage::TupleChange& row, uint32_t from) {
  std::vector<txn::Datum> values;
  std::vector<uint8_t> null_flags;
  storage::TupleChange change = row;
  if (!action.moving.empty()) {
    uint32_t to = from;
    if (partitions_->isPartitioned()) {
      to = partitions_->route(row.values, row.null_flags, scratch_);
      partitions_->requireOwn(to, row.values, row.null_flags);
    } else {
      partitions_->requirePlace(row.values, row.null_flags, scratch_);
    }
    if (to != from) {
      place.statement.remove(place.id);
      if (place.keys != nullptr) place.keys->noteMoved(place.id, row.values, row.null_flags);
      return appendTo({partitions_->statement(to), partitions_->keys(to), {}}, row);
    }
    for (const uint32_t column : action.moving) {
      values.push_back(row.values[column]);
      null_flags.push_back(row.null_flags[column]);
    }
    change = {action.moving, values.data(), null_flags.data()};
  }
  const txn::TupleId after = place.statement.update(place.id, change);
  if (place.keys != nullptr) place.keys->noteUpdated(place.id, after, change);
}

void MergeTarget::appendRow(const Noted& noted) {
  const storage::TupleChange row = ChangeList::changeOf(noted.row, noted.action->columns);
  if (!partitions_) return appendTo({statement_, keys_ ? &*keys_ : nullptr, {}}, row);
  if (!partitions_->isPartitioned()) {
    partitions_->requirePlace(row.values, row.null_flags, scratch_);
    return appendTo({statement_, keys_ ? &*keys_ : nullptr, {}}, row);
  }
  const uint32_t leaf = partitions_->route(row.values, row.null_flags, scratch_);
  partitions_->requireOwn(leaf, row.values, row.null_flags);
  appendTo({partitions_->statement(leaf), partitions_->keys(leaf), {}}, row);
}

void MergeTarget::appendTo(const Place& place, const storage::TupleChange& row) {
  const txn::TupleId id = place.statement.append(row.values, row.null_flags);
  if (place.keys != nullptr) place.keys->noteAppended(id, row.values, row.null_flags, 1);
}

}  // namespace gnomon::codegen
