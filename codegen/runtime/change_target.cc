#include "codegen/runtime/change_target.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "codegen/executor/execution_state.h"
#include "codegen/runtime/fired_row.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/violation.h"

namespace gnomon::codegen {

namespace {

/// Rows that are changed between two looks at the cancel token.
constexpr uint64_t kRowsPerPoll = 256;
/// In the place of the id of a row that is not changed.
constexpr uint64_t kLeftOut = UINT64_MAX;

txn::TupleId tupleIdOf(const char* row) {
  return ChangeList::tupleIdOf(row);
}

struct KeyedRow {
  txn::TupleId id;
  char* row;
};

/// In the order of their ids: what ascends is merged. `other`: as many.
void sortKeyed(std::span<KeyedRow> keyed, std::span<KeyedRow> other) {
  constexpr size_t kRowsPerRun = 8;
  const std::span<KeyedRow> result = keyed;
  std::vector<size_t> ends;
  for (auto end = keyed.begin(); end != keyed.end();) {
    end = std::ranges::is_sorted_until(end, keyed.end(), {}, &KeyedRow::id);
    ends.push_back(static_cast<size_t>(end - keyed.begin()));
  }
  if (ends.size() * kRowsPerRun > keyed.size()) {
    std::ranges::sort(keyed, {}, &KeyedRow::id);
    return;
  }
  for (; ends.size() > 1; std::swap(keyed, other)) {
    // Neighbours become one.
    size_t kept = 0, begin = 0;
    for (size_t run = 0; run < ends.size(); run += 2) {
      const size_t end = ends[std::min(run + 1, ends.size() - 1)];
      std::ranges::merge(keyed.subspan(begin, ends[run] - begin), keyed.subspan(ends[run], end - ends[run]),
                         other.subspan(begin, end - begin).begin(), {}, &KeyedRow::id, &KeyedRow::id);
      ends[kept++] = begin = end;
    }
    ends.resize(kept);
  }
  if (keyed.data() != result.data()) std::ranges::copy(keyed, result.begin());
}

/// In the order of their ids. Each worker has found its rows in that order, mostly.
void sortRows(std::vector<char*>& rows, MemoryAccount& account) {
  if (std::ranges::is_sorted(rows, {}, tupleIdOf)) return;
  try {
    // Rows lie anywhere: each is looked at once.
    Arena memory(&account);
    const std::span keyed(memory.allocateArray<KeyedRow>(rows.size()), rows.size());
    const std::span other(memory.allocateArray<KeyedRow>(rows.size()), rows.size());
    std::ranges::transform(rows, keyed.begin(), [](char* row) { return KeyedRow{tupleIdOf(row), row}; });
    sortKeyed(keyed, other);
    std::ranges::transform(keyed, rows.begin(), &KeyedRow::row);
  } catch (const SqlError&) {
    // Without that much memory it takes longer.
    std::ranges::sort(rows, {}, tupleIdOf);
  }
}

/// Whether values of these columns lie in slots alone.
bool areSlots(const sql::TableEntry& table, const std::vector<uint32_t>& columns) {
  const storage::RelationSchema& schema = table.storage->schema();
  return std::ranges::none_of(columns,
                              [&](uint32_t column) { return schema[column].kind == storage::StoredKind::String; });
}

}  // namespace

void ChangeTarget::apply(ExecutionState& state) {
  if (std::exchange(is_applied_, true)) return;
  std::vector<char*>& rows = found_;
  rows.clear();
  for (unsigned worker = 0; worker < state.workerCount(); ++worker) {
    const auto& found = state.localObject<ChangeList>(worker, list_slot_).rows();
    rows.insert(rows.end(), found.begin(), found.end());
  }
  sortRows(rows, state.context.memory);
  const bool has_others = state.program->changes.size() > 1;
  const bool makes_runs = isPlain() && moving_.empty() && !has_others && areSlots(*table_, columns_);
  txn::TupleId last{kLeftOut};
  for (size_t i = 0, polled = kRowsPerPoll; i < rows.size(); ++i, ++polled) {
    if (polled >= kRowsPerPoll) {
      state.context.cancel.poll();
      polled = 0;
    }
    const txn::TupleId id = tupleIdOf(rows[i]);
    if (const size_t count = makes_runs && id != last ? applyRun(std::span(rows).subspan(i)) : 0; count != 0) {
      row_count_ += count;
      i += count - 1;
      polled += count - 1;
      last = tupleIdOf(rows[i]);
      continue;
    }
    const bool is_instead = triggers_ && triggers_->isInstead();
    if (!is_instead && (id == last || (has_others && isTouched(id)))) {
      std::memcpy(rows[i], &kLeftOut, sizeof(kLeftOut));
      has_left_out_ = !is_returned_;
      continue;
    }
    last = id;
    if (applyRow(rows[i])) {
      ++row_count_;
      continue;
    }
    std::memcpy(rows[i], &kLeftOut, sizeof(kLeftOut));
    has_left_out_ = !is_returned_;
  }
  if (triggers_) triggers_->end();
}

void ChangeTarget::restart(ExecutionState& state) {
  statement_.emplace(*table_->storage, *state.context.write);
  is_applied_ = has_left_out_ = false;
  row_count_ = 0;
}

bool ChangeTarget::isLeftOut(ExecutionState& state, unsigned worker, uint64_t row) const {
  return tupleIdOf(state.localObject<ChangeList>(worker, list_slot_).rows()[row]).value == kLeftOut;
}

bool ChangeTarget::isTouched(txn::TupleId id) {
  using sql::Partitioning;
  if (!partitions_ || !partitions_->isPartitioned()) return statement_->isTouched(id);
  const auto leaf = static_cast<uint32_t>(id.value >> Partitioning::kLeafShift);
  return partitions_->statement(leaf).isTouched(txn::TupleId{id.value & Partitioning::kTupleMask});
}

void ChangeTarget::change(txn::WriteStatement& statement, ForeignKeys* keys, txn::TupleId id,
                          const storage::TupleChange& change) {
  const txn::TupleId after = statement.update(id, change);
  if (keys) keys->noteUpdated(id, after, change);
}

/// Of a whole row what changes.
storage::TupleChange ChangeTarget::movingPart(const storage::TupleChange& row) {
  moving_values_.clear();
  moving_nulls_.clear();
  for (const uint32_t column : moving_) {
    moving_values_.push_back(row.values[column]);
    moving_nulls_.push_back(row.null_flags[column]);
  }
  return {moving_, moving_values_.data(), moving_nulls_.data()};
}

/// False: a trigger wants it left alone.
bool ChangeTarget::applyRow(char* row) {
  if (triggers_ && triggers_->isInstead()) return applyInstead(row);
  if (triggers_ && triggers_->hasRows()) return applyFired(row);
  if (partitions_ && partitions_->isPartitioned())
    applyToLeaf(row);
  else
    applyToTable(row);
  return true;
}

/// The first of the rows, as many as one change of the table makes; 0: the first is to be changed by itself.
size_t ChangeTarget::applyRun(std::span<char* const> rows) {
  constexpr size_t kRowsMax = 64, kRowsAlone = 16;
  if (rows_alone_ > 0) {
    --rows_alone_;
    return 0;
  }
  rows = rows.first(std::min(rows.size(), kRowsMax));
  // One that comes again is left out.
  const auto end = std::ranges::adjacent_find(
      rows, [](const char* left, const char* right) { return !(tupleIdOf(left) < tupleIdOf(right)); });
  if (end != rows.end()) rows = rows.first(static_cast<size_t>(end - rows.begin()) + 1);
  run_.clear();
  removed_.clear();
  for (const char* const row : rows) {
    if (columns_.empty())
      removed_.push_back(tupleIdOf(row));
    else
      run_.push_back({tupleIdOf(row), ChangeList::changeOf(row, columns_)});
  }
  size_t count = 0;
  if (rows.size() > 1) count = columns_.empty() ? statement_->removeRun(removed_) : statement_->updateRun(run_);
  if (count == 0) rows_alone_ = kRowsAlone;
  return count;
}

void ChangeTarget::applyToTable(const char* row) {
  const txn::TupleId id = tupleIdOf(row);
  ForeignKeys* const keys = keys_ ? &*keys_ : nullptr;
  if (columns_.empty()) {
    statement_->remove(id);
    if (keys) keys->noteRemoved(id);
    return;
  }
  const storage::TupleChange whole = ChangeList::changeOf(row, columns_);
  if (moving_.empty()) return change(*statement_, keys, id, whole);
  if (partitions_) partitions_->requirePlace(whole.values, whole.null_flags, scratch_);
  change(*statement_, keys, id, movingPart(whole));
}

ChangeTarget::Place ChangeTarget::placeOf(txn::TupleId known) {
  using sql::Partitioning;
  if (!partitions_ || !partitions_->isPartitioned()) return {table_, *statement_, keys_ ? &*keys_ : nullptr, known, 0};
  const auto leaf = static_cast<uint32_t>(known.value >> Partitioning::kLeafShift);
  return {partitions_->leaves()[leaf], partitions_->statement(leaf), partitions_->keys(leaf),
          txn::TupleId{known.value & Partitioning::kTupleMask}, leaf};
}

/// Between its triggers.
bool ChangeTarget::applyFired(char* row) {
  const Place place = placeOf(tupleIdOf(row));
  // As it is seen until it is written.
  lockFired(place.statement, place.id);
  const size_t count = table_->columns.size();
  old_values_.resize(count);
  old_nulls_.resize(count);
  place.statement.read(place.id, old_values_.data(), old_nulls_.data(), triggers_->memory());
  const RowImage before{old_values_.data(), old_nulls_.data()};
  if (columns_.empty()) return removeFired(place, before);
  auto* const values = reinterpret_cast<txn::Datum*>(row + ChangeList::valuesOffset(0));
  const WritableRow changed{values, reinterpret_cast<uint8_t*>(values + columns_.size() + values_beside_)};
  if (!updateFired(place, before, changed)) return false;
  if (is_returned_) written_.push_back(reinterpret_cast<char*>(values));
  return true;
}

bool ChangeTarget::removeFired(const Place& place, RowImage before, const WritableRow* moved) {
  if (!triggers_->beforeDelete(place.table, before)) return false;
  place.statement.remove(place.id);
  if (place.keys != nullptr && moved != nullptr)
    place.keys->noteMoved(place.id, moved->values, moved->null_flags);
  else if (place.keys != nullptr)
    place.keys->noteRemoved(place.id);
  triggers_->afterDelete(place.table, before);
  return true;
}

bool ChangeTarget::updateFired(const Place& place, RowImage before, WritableRow row) {
  if (!triggers_->beforeUpdate(place.table, before, row)) return false;
  triggers_->computeGenerated(place.table, row);
  uint32_t to = place.leaf;
  if (partitions_ && partitions_->isPartitioned())
    to = partitions_->route(row.values, row.null_flags, scratch_);
  else if (partitions_)
    partitions_->requirePlace(row.values, row.null_flags, scratch_);
  if (to == place.leaf) {
    triggers_->require(place.table, row);
    if (partitions_ && partitions_->isPartitioned()) partitions_->requireOwn(to, row.values, row.null_flags);
    const std::vector<uint32_t> columns = triggers_->changedColumns(*table_, moving_, before, row.image());
    moving_values_.clear();
    moving_nulls_.clear();
    for (const uint32_t column : columns) {
      moving_values_.push_back(row.values[column]);
      moving_nulls_.push_back(row.null_flags[column]);
    }
    change(place.statement, place.keys, place.id, {columns, moving_values_.data(), moving_nulls_.data()});
    triggers_->afterUpdate(place.table, before, row.image());
    return true;
  }
  // A row that moves is deleted and inserted.
  if (!removeFired(place, before, &row)) return false;
  const sql::TablePtr& leaf = partitions_->leaves()[to];
  if (!triggers_->beforeInsert(leaf, row)) return false;
  triggers_->complete(leaf, row);
  if (triggers_->mayChangeRows()) partitions_->requireLeaf(to, row.values, row.null_flags, scratch_);
  partitions_->requireOwn(to, row.values, row.null_flags);
  const txn::TupleId after = partitions_->statement(to).append(row.values, row.null_flags);
  if (ForeignKeys* const own = partitions_->keys(to)) own->noteAppended(after, row.values, row.null_flags, 1);
  triggers_->afterInsert(leaf, row.image());
  return true;
}

/// Of a view: the values of an UPDATE, then those that the row has had.
bool ChangeTarget::applyInstead(char* row) {
  using sql::TriggerEvent;
  auto* const values = reinterpret_cast<txn::Datum*>(row + ChangeList::valuesOffset(0));
  auto* const null_flags = reinterpret_cast<uint8_t*>(values + columns_.size() + values_beside_);
  const RowImage before{values + columns_.size(), null_flags + columns_.size()};
  if (columns_.empty()) return triggers_->instead(TriggerEvent::Delete, before, {});
  if (!triggers_->instead(TriggerEvent::Update, before, {values, null_flags})) return false;
  if (is_returned_) written_.push_back(reinterpret_cast<char*>(values));
  return true;
}

void ChangeTarget::applyToLeaf(const char* row) {
  using sql::Partitioning;
  const txn::TupleId known = tupleIdOf(row);
  const auto leaf = static_cast<uint32_t>(known.value >> Partitioning::kLeafShift);
  const txn::TupleId id{known.value & Partitioning::kTupleMask};
  if (!columns_.empty() && !moving_.empty()) return move(row, leaf, id);
  txn::WriteStatement& statement = partitions_->statement(leaf);
  ForeignKeys* const keys = partitions_->keys(leaf);
  if (!columns_.empty()) return change(statement, keys, id, ChangeList::changeOf(row, columns_));
  statement.remove(id);
  if (keys) keys->noteRemoved(id);
}

/// The row's new values may belong into another leaf: then it goes there.
void ChangeTarget::move(const char* row, uint32_t from, txn::TupleId id) {
  const storage::TupleChange whole = ChangeList::changeOf(row, columns_);
  const uint32_t to = partitions_->route(whole.values, whole.null_flags, scratch_);
  partitions_->requireOwn(to, whole.values, whole.null_flags);
  txn::WriteStatement& statement = partitions_->statement(from);
  ForeignKeys* const keys = partitions_->keys(from);
  if (to == from) return change(statement, keys, id, movingPart(whole));
  statement.remove(id);
  if (keys) keys->noteMoved(id, whole.values, whole.null_flags);
  const txn::TupleId after = partitions_->statement(to).append(whole.values, whole.null_flags);
  if (ForeignKeys* const own = partitions_->keys(to)) own->noteAppended(after, whole.values, whole.null_flags, 1);
}

namespace {

/// Of a partition that the statement names: that a row does not leave it is tested before constraints, of an INSERT
/// behind them.
void requireOwnPlace(const ChangeList& list, const txn::Datum* values, const uint8_t* null_flags,
                     sql::ByteaOutput output) {
  const sql::TableEntry& table = list.table();
  const sql::CatalogSession* const session = sql::catalogSession();
  if (!table.partition || list.isInsert() || session == nullptr) return;
  sql::Partitioning::Scratch scratch;
  if (sql::belongsTo(table, sql::ancestorsOf(session->catalog, table), values, null_flags, scratch)) return;
  throw sql::partitionViolation(table, values, null_flags, output);
}

}  // namespace

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
  requireOwnPlace(*list, values, null_flags, output);
  throw sql::notNullViolation(sql::tableOfRow(table, values, null_flags), column, values, null_flags, output, &table);
}

void rt::changeCheckViolation(ChangeList* list, uint32_t check, const char* row, bool is_escape) {
  const auto output = is_escape ? sql::ByteaOutput::Escape : sql::ByteaOutput::Hex;
  const sql::TableEntry& table = list->table();
  const auto* values = reinterpret_cast<const txn::Datum*>(row);
  const auto* null_flags = reinterpret_cast<const uint8_t*>(values + table.columns.size());
  requireOwnPlace(*list, values, null_flags, output);
  const sql::TableEntry& leaf = sql::tableOfRow(table, values, null_flags);
  throw sql::checkViolation(leaf, checkOfLeaf(table, leaf, check), values, null_flags, output, &table);
}

void rt::changeViewViolation(ChangeList* list, const std::string* view, const char* row, bool is_escape) {
  const auto output = is_escape ? sql::ByteaOutput::Escape : sql::ByteaOutput::Hex;
  const sql::TableEntry& table = list->table();
  const auto* values = reinterpret_cast<const txn::Datum*>(row);
  const auto* null_flags = reinterpret_cast<const uint8_t*>(values + table.columns.size());
  throw sql::viewViolation(table, *view, values, null_flags, output);
}

}  // namespace gnomon::codegen
