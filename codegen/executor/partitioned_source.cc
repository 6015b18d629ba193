#include "codegen/executor/partitioned_source.h"

#include <algorithm>

#include "base/assert.h"
#include "codegen/executor/execution_state.h"
#include "codegen/executor/inverted_source.h"
#include "sql/algebra/operator.h"

namespace gnomon::codegen {

namespace {

/// Whether the statement may append rows while it is executed, which it must not see.
bool appendsRows(const ExecutionState& state) {
  using Kind = sql::Operator::Kind;
  const auto& changes = state.program->changes;
  return changes.size() > 1 ||
         std::ranges::any_of(changes, [](const auto& change) { return change.op->kind == Kind::Insert; });
}

}  // namespace

PartitionedSource::PartitionedSource(const Shape& shape, ExecutionState& state)
    : shape_(shape),
      state_(state),
      values_(shape.key_value_count + (shape.range ? shape.range->valueCount() : 0)),
      sources_(shape.table->partitioning->leaves().size()),
      is_stale_(sources_.size()) {
  // The bounds of all leaves are those of the statement's beginning.
  if (!appendsRows(state)) return;
  for (uint32_t leaf = 0; leaf < sources_.size(); ++leaf) sourceOf(leaf);
}

PartitionedSource::~PartitionedSource() = default;

MorselSource& PartitionedSource::sourceOf(uint32_t leaf) {
  std::unique_ptr<MorselSource>& source = sources_[leaf];
  if (source) {
    if (is_stale_[leaf]) source->restart(state_);
    is_stale_[leaf] = false;
    return *source;
  }
  txn::Table& table = *shape_.table->partitioning->leaves()[leaf]->storage;
  const txn::Snapshot& snapshot = state_.context.snapshot;
  if (!shape_.index) {
    source = std::make_unique<TableSource>(table, snapshot, shape_.columns);
    return *source;
  }
  const sql::IndexPtr index = sql::Partitioning::leafIndex(*shape_.table, *shape_.index, leaf);
  CHECK(index != nullptr, "an index of a partitioned table has a part in each leaf");
  if (shape_.range)
    source = makeBoundedSource(table, index->storage, *shape_.range, shape_.estimated_rows, shape_.columns, state_);
  else
    source = std::make_unique<LookupSource>(table, snapshot, index->storage, shape_.estimated_rows, shape_.columns);
  return *source;
}

void PartitionedSource::open() {
  // Executed again by a recursion.
  if (is_open_)
    for (const uint32_t leaf : chosen_) sources_[leaf].reset();
  is_open_ = true;
  chosen_.clear();
  shape_.table->partitioning->select(*shape_.table, shape_.keys, values_.data(), chosen_);
  for (const uint32_t leaf : chosen_) {
    MorselSource& source = sourceOf(leaf);
    if (!shape_.range) continue;
    const auto first = values_.begin() + static_cast<ptrdiff_t>(shape_.key_value_count);
    std::copy(first, values_.end(), static_cast<BoundedSource&>(source).values());
  }
}

void PartitionedSource::openLookup(const std::vector<IndexBoundValue*>& keys, size_t part_count,
                                   const CancelToken& cancel, MemoryAccount& memory) {
  open();
  for (const uint32_t leaf : chosen_)
    static_cast<LookupSource&>(*sources_[leaf]).open(keys, part_count, cancel, memory);
}

bool PartitionedSource::next(Morsel& morsel) {
  for (; morsel.part < chosen_.size(); ++morsel.part) {
    const uint32_t leaf = chosen_[morsel.part];
    if (sources_[leaf]->next(morsel)) {
      PartitionPlace::Shared& place = *state_.localObject<PartitionPlace>(morsel.worker, shape_.place_slot).shared();
      place.id_base = uint64_t{leaf} << sql::Partitioning::kLeafShift;
      place.table_oid = shape_.table->partitioning->leaves()[leaf]->oid;
      morsel.is_last = morsel.is_last && morsel.part + 1 == chosen_.size();
      return true;
    }
    const size_t part = morsel.part;
    morsel.reset();
    morsel.part = part;
  }
  return false;
}

void PartitionedSource::suspend(Morsel& morsel) {
  if (morsel.part < chosen_.size()) sources_[chosen_[morsel.part]]->suspend(morsel);
}

void PartitionedSource::resume(Morsel& morsel) {
  if (morsel.part < chosen_.size()) sources_[chosen_[morsel.part]]->resume(morsel);
}

uint64_t PartitionedSource::rowCount() const {
  if (!is_open_) return static_cast<uint64_t>(shape_.estimated_rows);
  uint64_t rows = 0;
  for (const uint32_t leaf : chosen_) rows += sources_[leaf]->rowCount();
  return rows;
}

/// Ranges of indexes are kept for the next run; what else was read begins anew.
bool PartitionedSource::park() {
  if (!shape_.range) return false;
  for (uint32_t leaf = 0; leaf < sources_.size(); ++leaf) {
    if (!sources_[leaf]) continue;
    sources_[leaf]->park();
    is_stale_[leaf] = true;
  }
  is_open_ = false;
  chosen_.clear();
  return true;
}

void PartitionedSource::restart(ExecutionState& state) {
  if (!appendsRows(state)) return;
  for (uint32_t leaf = 0; leaf < sources_.size(); ++leaf) sourceOf(leaf);
}

sql::KnownValue* rt::partitionedValues(PartitionedSource* source) {
  return source->values();
}

}  // namespace gnomon::codegen
