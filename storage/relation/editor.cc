#include "storage/relation/editor.h"

#include <algorithm>
#include <array>

#include "base/inline_array.h"
#include "storage/page_change.h"
#include "storage/relation/stored_string.h"
#include "storage/row_record.h"

namespace gnomon::storage {

namespace {

/// What a record says at most of the columns that a row gets: where they lie, values, null flags.
uint64_t recordBytes(const RelationSchema& schema, const TupleChange& change) {
  constexpr uint64_t kColumnBytesMax = 64;
  uint64_t bytes = kColumnBytesMax * (1 + change.columns.size());
  for (size_t i = 0; i < change.columns.size(); ++i)
    if (schema[change.columns[i]].kind == StoredKind::String && change.null_flags[i] == 0)
      bytes += outsideBytes(change.values[i]);
  return bytes;
}

/// What some columns of rows hold.
class RowValues {
 public:
  /// The columns outlive it.
  explicit RowValues(std::span<const uint32_t> columns, size_t row_count = 1)
      : columns_(columns), values_(columns.size() * row_count), null_flags_(columns.size() * row_count) {}

  /// `row` of the leaf becomes the one at `index`. Strings lie in the leaf.
  void read(const std::byte* page, const RelationSchema& schema, const LeafLayout& layout, uint32_t row,
            size_t index = 0) {
    const size_t first = index * columns_.size();
    for (size_t i = 0; i < columns_.size(); ++i) {
      bool is_null = false;
      values_[first + i] = readValue(page, schema, layout, columns_[i], row, is_null);
      null_flags_[first + i] = is_null ? 1 : 0;
    }
  }
  [[nodiscard]] TupleChange view(size_t index = 0) const {
    const size_t first = index * columns_.size();
    return {columns_, values_.data() + first, null_flags_.data() + first};
  }

 private:
  static constexpr size_t kUsualColumns = 8;
  const std::span<const uint32_t> columns_;
  InlineArray<Datum, kUsualColumns> values_;
  InlineArray<uint8_t, kUsualColumns> null_flags_;
};

/// Says in the record what the rows held. Returns the bytes that it takes at most with what they get.
uint64_t describeRows(PageChange& record, const RelationSchema& schema, std::span<const RowUpdate> befores,
                      std::span<const RowUpdate> changes) {
  // The record has what a row gets and what it had; the one that undoes it, too.
  uint64_t bytes = 2 * RowBefore::write(record, befores, schema);
  for (const RowUpdate& each : changes) bytes += 2 * recordBytes(schema, each.change);
  // Each is undone by a record of its own.
  record.undoTakes(bytes + changes.size() * RowRange::kRecordBytesMax + (changes.size() - 1) * wal::kCompensationBytes);
  return bytes;
}

}  // namespace

void RelationEditor::expect(Frame& leaf, TupleId id) {
  frame_ = &leaf;
  page_id_ = leaf.page_id.load();
  layout_changes_ = relation_.tree_->layoutChanges();
  first_id_ = id;
  next_first_id_ = id.value + 1;
  is_range_known_ = false;
  leaf_.reset();
}

ExclusiveGuard RelationEditor::lockLeaf(TupleId id) {
  if (frame_ && first_id_ <= id && id.value < next_first_id_) {
    ExclusiveGuard guard(*frame_);
    if (layout_changes_ == relation_.tree_->layoutChanges() && frame_->page_id.load() == page_id_) {
      if (!leaf_) leaf_.emplace(guard.page(), relation_.schema());
      return guard;
    }
    guard.releaseUnchanged();
  }
  frame_ = nullptr;
  ExclusiveGuard guard = relation_.tree_->findLeafExclusive(id, next_first_id_);
  relation_.requireSound(guard);
  leaf_.emplace(guard.page(), relation_.schema());
  page_id_ = guard.frame().page_id.load();
  first_id_ = id;
  is_range_known_ = true;
  layout_changes_ = relation_.tree_->layoutChanges();
  frame_ = &guard.frame();
  return guard;
}

void RelationEditor::logFlag(const ExclusiveGuard& guard, uint32_t row, uint32_t rows, wal::RecordType type,
                             uint64_t undo_count) {
  PageChange change(relation_.buffers_, relation_.id(), type);
  change.undoTakes(undo_count * RowRange::kRecordBytesMax + (undo_count - 1) * wal::kCompensationBytes);
  change.mean(RowRange{leaf_->tupleId(row), rows}.view());
  change.change(guard.frame());
  change.operation(type == record_types::kRowsDeleted ? PageOperation::DeleteRows : PageOperation::RestoreRows,
                   {row, rows});
  change.finish();
}

bool RelationEditor::markDeleted(TupleId id) {
  return markDeleted(id, 0);
}

bool RelationEditor::markVirtuallyDeleted(TupleId id, uint64_t epoch) {
  return markDeleted(id, epoch);
}

size_t RelationEditor::markRunDeleted(std::span<const TupleId> ids) {
  constexpr size_t kRowsMax = 256;
  ids = ids.first(std::min(ids.size(), kRowsMax));
  ExclusiveGuard guard = lockLeaf(ids.front());
  uint32_t row = 0, count = 0;
  for (; count < ids.size(); ++count) {
    const TupleId id = ids[count];
    uint32_t found = 0;
    const bool is_here =
        id.value == ids.front().value + count && id.value < next_first_id_ && leaf_->findLive(id, found);
    if (!is_here || (observer_ && !observer_->mayChange(guard.frame(), id))) break;
    row = found - count;
  }
  if (count < 2) {
    guard.releaseUnchanged();
    return 0;
  }
  uint32_t told = 0;
  try {
    for (; observer_ && told < count; ++told) observer_->beforeDelete(guard.frame(), ids[told]);
    logFlag(guard, row, count, record_types::kRowsDeleted, count);
  } catch (...) {
    for (; told > 0; --told) observer_->onFailure();
    throw;
  }
  leaf_->markRowsDeleted(row, count);
  relation_.deleted_count_.fetch_add(count, std::memory_order_relaxed);
  return count;
}

bool RelationEditor::markDeleted(TupleId id, uint64_t epoch) {
  ExclusiveGuard guard = lockLeaf(id);
  uint32_t row;
  if (!leaf_->findLive(id, row)) {
    guard.releaseUnchanged();
    return false;
  }
  if (observer_) observer_->beforeDelete(guard.frame(), id);
  try {
    logFlag(guard, row, 1, record_types::kRowsDeleted);
  } catch (...) {
    if (observer_) observer_->onFailure();
    throw;
  }
  leaf_->markRowsDeleted(row, 1);
  if (epoch != 0) leaf_->enterEpoch(epoch);
  if (epoch != 0) leaf_->flagVirtual(row, 1, tuple_id_flags::kVirtuallyDeleted);
  relation_.deleted_count_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

TupleId RelationEditor::restoreVirtuallyDeleted(TupleId from, TupleId to, uint64_t epoch) {
  ExclusiveGuard guard = lockLeaf(from);
  const uint32_t end = leaf_->referenceEpoch() == epoch ? leaf_->lowerBound(to) : 0;
  bool is_changed = false;
  for (uint32_t row = leaf_->lowerBound(from); row < end; ++row) {
    uint32_t run_end = row;
    // One record says that ids follow each other.
    while (run_end < end && leaf_->isVirtuallyDeleted(run_end) &&
           leaf_->tupleId(run_end).value == leaf_->tupleId(row).value + (run_end - row))
      ++run_end;
    if (run_end == row) continue;
    logFlag(guard, row, run_end - row, record_types::kRowsRestored);
    leaf_->unmarkRowsDeleted(row, run_end - row);
    relation_.deleted_count_.fetch_sub(run_end - row, std::memory_order_relaxed);
    is_changed = true;
    row = run_end - 1;
  }
  if (!is_changed) guard.releaseUnchanged();
  return TupleId{next_first_id_};
}

bool RelationEditor::visit(TupleId id, const std::function<void(Frame& frame)>& visit) {
  ExclusiveGuard guard = lockLeaf(id);
  uint32_t row;
  const bool is_live = leaf_->findLive(id, row);
  if (is_live) visit(guard.frame());
  guard.releaseUnchanged();
  return is_live;
}

bool RelationEditor::unmarkDeleted(TupleId id) {
  ExclusiveGuard guard = lockLeaf(id);
  uint32_t row;
  if (!leaf_->findDeleted(id, row)) {
    guard.releaseUnchanged();
    return false;
  }
  logFlag(guard, row, 1, record_types::kRowsRestored);
  leaf_->unmarkDeleted(id);
  relation_.deleted_count_.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

void RelationEditor::markAppendedDeleted(TupleId first, uint64_t count) {
  ExclusiveGuard guard = lockLeaf(first);
  const uint32_t row = leaf_->lowerBound(first);
  const uint32_t end = leaf_->lowerBound(TupleId{first.value + count});
  uint32_t live = 0;
  for (uint32_t other = row; other < end; ++other) live += leaf_->isDeleted(other) ? 0 : 1;
  if (live == 0) return guard.releaseUnchanged();
  logFlag(guard, row, end - row, record_types::kRowsDeleted);
  leaf_->markRowsDeleted(row, end - row);
  relation_.deleted_count_.fetch_add(live, std::memory_order_relaxed);
}

/// None: it is of slots alone.
std::optional<Leaf::Demand> RelationEditor::demandOf(uint32_t row, const TupleChange& change) const {
  if (leaf_->isOfSlots(change)) return std::nullopt;
  return leaf_->demandOf(row, change);
}

bool RelationEditor::update(TupleId id, const TupleChange& change) {
  relation_.noteNans(change);
  ExclusiveGuard guard = lockLeaf(id);
  uint32_t row;
  if (!leaf_->findLive(id, row)) {
    guard.releaseUnchanged();
    return false;
  }
  std::optional<Leaf::Demand> demand = demandOf(row, change);
  if (demand && !is_range_known_ && leaf_->needsRoom(*demand)) {
    // How much room there should be depends on whether it is the last leaf.
    guard.releaseUnchanged();
    frame_ = nullptr;
    return update(id, change);
  }
  RowValues before(change.columns);
  before.read(guard.page(), relation_.schema(), leaf_->layout(), row);
  if (observer_) observer_->beforeUpdate(guard.frame(), *leaf_, row, before.view());
  try {
    LeafUpdate done = updateInPlace(guard, row, before.view(), change, demand);
    while (done.page_bytes_needed != 0) {
      // Room for the larger page comes from pages that nobody holds.
      const uint64_t tuple_bytes = leaf_->tupleBytesWith(row, change);
      guard.releaseUnchanged();
      moveLeaf(id, done.page_bytes_needed, tuple_bytes);
      // Others may have changed the leaf since it was let go, but not this tuple.
      guard = lockLeaf(id);
      CHECK(leaf_->findLive(id, row), "R2");
      demand = demandOf(row, change);
      before.read(guard.page(), relation_.schema(), leaf_->layout(), row);
      done = updateInPlace(guard, row, before.view(), change, demand);
    }
    if (done.string_bytes_added != 0)
      relation_.variable_bytes_.fetch_add(static_cast<uint64_t>(done.string_bytes_added), std::memory_order_relaxed);
  } catch (...) {
    if (observer_) observer_->onFailure();
    throw;
  }
  return true;
}

LeafUpdate RelationEditor::updateInPlace(const ExclusiveGuard& guard, uint32_t row, const TupleChange& before,
                                         const TupleChange& change, const std::optional<Leaf::Demand>& demand) {
  const TupleId id = leaf_->tupleId(row);
  const RowUpdate back{id, before}, forth{id, change};
  if (!demand) {
    changeSlots(guard, {&row, 1}, {&back, 1}, {&forth, 1});
    return {};
  }
  PageChange record(relation_.buffers_, relation_.id(), record_types::kRowUpdated);
  const uint64_t row_bytes = describeRows(record, relation_.schema(), {&back, 1}, {&forth, 1});
  record.prepare(row_bytes + (leaf_->needsRoom(*demand) ? PageChange::imageBytes(guard.frame()) : 0));
  const LeafUpdate done = leaf_->update(row, change, *demand, guard.frame().pageBytes(), next_first_id_ == UINT64_MAX);
  if (done.page_bytes_needed != 0) return done;
  if (done.is_rearranged) {
    relation_.tree_->noteLayoutChange();
    record.image(guard.frame());
  } else {
    record.change(guard.frame());
    leaf_->describeUpdate(row, change.columns, record);
  }
  return done;
}

/// Changes of slots alone, of the rows that hold what `befores` says.
void RelationEditor::changeSlots(const ExclusiveGuard& guard, std::span<const uint32_t> rows,
                                 std::span<const RowUpdate> befores, std::span<const RowUpdate> changes) {
  PageChange record(relation_.buffers_, relation_.id(), record_types::kRowUpdated);
  record.prepare(describeRows(record, relation_.schema(), befores, changes));
  record.change(guard.frame());
  const size_t values = changes.size() * changes.front().change.columns.size();
  std::byte* const said = record.beginOperations(2 * kValueOperationBytesMax * values);
  std::byte* end = said;
  for (size_t i = 0; i < rows.size(); ++i) end = leaf_->changeSlots(rows[i], changes[i].change, end);
  if (said != nullptr) record.endOperations(end);
}

size_t RelationEditor::updateRun(std::span<const RowUpdate> rows) {
  constexpr size_t kRowsMax = 64, kValuesMax = 512;
  const std::span<const uint32_t> columns = rows.front().change.columns;
  const size_t rows_max = kValuesMax / std::max<size_t>(columns.size(), 1);
  if (rows_max < 2) return 0;
  rows = rows.first(std::min({rows.size(), kRowsMax, rows_max}));
  ExclusiveGuard guard = lockLeaf(rows.front().id);
  std::array<uint32_t, kRowsMax> found;
  size_t count = 0;
  for (; count < rows.size(); ++count) {
    const auto& [id, change] = rows[count];
    const bool is_here = id.value < next_first_id_ && leaf_->findLive(id, found[count]) && leaf_->isOfSlots(change);
    if (!is_here || (observer_ && !observer_->mayChange(guard.frame(), id))) break;
  }
  if (count < 2) {
    guard.releaseUnchanged();
    return 0;
  }
  rows = rows.first(count);
  RowValues before(columns, count);
  std::array<RowUpdate, kRowsMax> befores;
  size_t told = 0;
  try {
    for (; told < count; ++told) {
      before.read(guard.page(), relation_.schema(), leaf_->layout(), found[told], told);
      befores[told] = {rows[told].id, before.view(told)};
      if (observer_) observer_->beforeUpdate(guard.frame(), *leaf_, found[told], befores[told].change);
      relation_.noteNans(rows[told].change);
    }
    changeSlots(guard, std::span(found).first(count), std::span(befores).first(count), rows);
  } catch (...) {
    for (; observer_ && told > 0; --told) observer_->onFailure();
    throw;
  }
  return count;
}

void RelationEditor::moveLeaf(TupleId id, uint64_t page_bytes, uint64_t tuple_bytes) {
  const SizeClass size_class = leafSizeClass(page_bytes, tuple_bytes);
  ExclusiveGuard fresh = relation_.buffers_.allocate(size_class, relation_.id(), PageType::RelationLeaf);
  const std::scoped_lock changing(relation_.structure_mutex_);
  const auto fill = [this](const ExclusiveGuard& before, const ExclusiveGuard& to) {
    if (before.frame().pageBytes() >= to.frame().pageBytes()) return false;
    Leaf::copy(before.page(), before.frame().pageBytes(), to.page(), to.frame().pageBytes(), relation_.schema());
    return true;
  };
  relation_.tree_->replaceLeaf(id, std::move(fresh), fill);
}

}  // namespace gnomon::storage
