#include "codegen/runtime/change_target.h"

#include <algorithm>
#include <cstring>

#include "codegen/executor/execution_state.h"
#include "sql/catalog/violation.h"

namespace gnomon::codegen {

namespace {

/// Rows that are changed between two looks at the cancel token.
constexpr uint64_t kRowsPerPoll = 256;
/// In the place of the id of a row that is there already.
constexpr uint64_t kRepeated = UINT64_MAX;

txn::TupleId tupleIdOf(const char* row) {
  uint64_t id;
  std::memcpy(&id, row, sizeof(id));
  return txn::TupleId{id};
}

}  // namespace

uint64_t ChangeTarget::finish(ExecutionState& state) {
  std::vector<char*> rows;
  for (unsigned worker = 0; worker < state.workerCount(); ++worker) {
    const auto& found = state.localObject<ChangeList>(worker, list_slot_).rows();
    rows.insert(rows.end(), found.begin(), found.end());
  }
  if (!std::ranges::is_sorted(rows, {}, tupleIdOf)) std::ranges::sort(rows, {}, tupleIdOf);
  takeOutRepeated(state, rows);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i % kRowsPerPoll == 0) state.context.cancel.poll();
    apply(rows[i]);
  }
  if (keys_)
    keys_->finish();
  else
    statement_.finish();
  return rows.size();
}

/// Of the rows in the order of their ids those that have the id of the one before; nor are they put out.
void ChangeTarget::takeOutRepeated(ExecutionState& state, std::vector<char*>& rows) const {
  size_t kept = 0;
  for (char* const row : rows) {
    if (kept > 0 && tupleIdOf(rows[kept - 1]) == tupleIdOf(row))
      std::memcpy(row, &kRepeated, sizeof(kRepeated));
    else
      rows[kept++] = row;
  }
  const bool are_all_kept = kept == rows.size();
  rows.resize(kept);
  if (are_all_kept || !state.program->has_output) return;
  for (unsigned worker = 0; worker < state.workerCount(); ++worker) {
    const auto& found = state.localObject<ChangeList>(worker, list_slot_).rows();
    state.localObject<OutputSink>(worker, state.program->output_slot).shared()->filter([&](uint64_t row) {
      return tupleIdOf(found[row]).value != kRepeated;
    });
  }
}

void ChangeTarget::apply(const char* row) {
  const txn::TupleId id = tupleIdOf(row);
  if (columns_.empty()) {
    statement_.remove(id);
    if (keys_) keys_->noteRemoved(id);
    return;
  }
  const auto* values = reinterpret_cast<const txn::Datum*>(row + ChangeList::valuesOffset(0));
  const auto* null_flags = reinterpret_cast<const uint8_t*>(row + ChangeList::valuesOffset(columns_.size()));
  const storage::TupleChange change{columns_, values, null_flags};
  const txn::TupleId after = statement_.update(id, change);
  if (keys_) keys_->noteUpdated(id, after, change);
}

char* rt::changeNextRow(ChangeList* list) {
  return list->nextRow();
}

char* rt::changeFailingRow(ChangeList* list) {
  return list->failingRow();
}

void rt::changeNullViolation(ChangeList* list, uint32_t column, const char* row, bool is_escape) {
  const auto output = is_escape ? sql::ByteaOutput::Escape : sql::ByteaOutput::Hex;
  const sql::TableEntry& table = list->table();
  const auto* values = reinterpret_cast<const txn::Datum*>(row);
  const auto* null_flags = reinterpret_cast<const uint8_t*>(values + table.columns.size());
  throw sql::notNullViolation(table, column, values, null_flags, output);
}

void rt::changeCheckViolation(ChangeList* list, uint32_t check, const char* row, bool is_escape) {
  const auto output = is_escape ? sql::ByteaOutput::Escape : sql::ByteaOutput::Hex;
  const sql::TableEntry& table = list->table();
  const auto* values = reinterpret_cast<const txn::Datum*>(row);
  const auto* null_flags = reinterpret_cast<const uint8_t*>(values + table.columns.size());
  throw sql::checkViolation(table, check, values, null_flags, output);
}

}  // namespace gnomon::codegen
