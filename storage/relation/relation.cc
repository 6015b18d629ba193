#include "storage/relation/relation.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "base/sql_error.h"
#include "storage/relation/editor.h"
#include "storage/relation/leaf_count.h"
#include "storage/relation/schema_bytes.h"

namespace gnomon::storage {

Relation::Relation(BufferManager& buffers, RelationId id, RelationSchema schema)
    : buffers_(buffers),
      id_(id),
      schema_(std::move(schema)),
      tree_(std::make_unique<RelationTree>(buffers, id, schema_)),
      next_tuple_id_(0),
      tuple_count_(0),
      deleted_count_(0),
      leaf_count_(1),
      variable_bytes_(0),
      counts_strings_(true),
      tail_end_(0),
      holds_nan_(schema_.holdsNan()) {}

Relation::Relation(BufferManager& buffers, RelationId id, RelationSchema schema, const RelationState& state)
    : buffers_(buffers),
      id_(id),
      schema_(std::move(schema)),
      tree_(std::make_unique<RelationTree>(buffers, id, schema_, state.root)),
      next_tuple_id_(state.next_tuple_id),
      tuple_count_(state.tuple_count),
      deleted_count_(state.deleted_count),
      leaf_count_(state.leaf_count),
      variable_bytes_(state.variable_bytes & ~RelationState::kStringsCounted),
      counts_strings_((state.variable_bytes & RelationState::kStringsCounted) != 0),
      is_estimate_(state.is_estimate != 0),
      tail_end_(state.next_tuple_id),
      holds_nan_(schema_.holdsNan()) {}

void Relation::changeSchema(RelationSchema schema) {
  const auto isNanWhereMissing = [](const StoredColumn& column) {
    return column.greatest_is_nan && column.missing && isGreatest(column.kind, column.missing->datum());
  };
  if (holdsNan() || std::ranges::any_of(schema, isNanWhereMissing)) schema.noteNan();
  RegisteredRelation changed = registered();
  changed.schema = serialiseSchema(schema);
  buffers_.registry().changeRelation(buffers_, id_, changed);
  schema_ = std::move(schema);
  holds_nan_.store(schema_.holdsNan(), std::memory_order_release);
  append_position_.frame = nullptr;
}

void Relation::noteNans(const Datum* values, const uint8_t* null_flags, size_t row_count) {
  if (holdsNan()) return;
  for (size_t row = 0; row < row_count; ++row)
    for (const uint32_t column : schema_.nanColumns()) {
      const size_t place = row * schema_.size() + column;
      if (null_flags[place] == 0 && isGreatest(schema_[column].kind, values[place])) [[unlikely]]
        return setHoldsNan();
    }
}

void Relation::noteNans(const TupleChange& change) {
  if (holdsNan() || schema_.nanColumns().empty()) return;
  for (size_t i = 0; i < change.columns.size(); ++i) {
    const StoredColumn& column = schema_[change.columns[i]];
    if (column.greatest_is_nan && change.null_flags[i] == 0 && isGreatest(column.kind, change.values[i])) [[unlikely]]
      return setHoldsNan();
  }
}

/// Whoever comes second waits until it is on stable storage.
void Relation::setHoldsNan() {
  const std::scoped_lock lock(nan_mutex_);
  if (holdsNan()) return;
  RelationSchema schema = schema_;
  schema.noteNan();
  RegisteredRelation changed = registered();
  changed.schema = serialiseSchema(schema);
  buffers_.registry().changeRelation(buffers_, id_, changed);
  holds_nan_.store(true, std::memory_order_release);
}

bool Relation::tryRestoreSchema(const SchemaMark& mark) {
  if (nextTupleId().value != mark.next_tuple_id || tree_->layoutChanges() != mark.layout_changes) return false;
  try {
    changeSchema(mark.schema);
  } catch (const SqlError&) {
    return false;
  }
  return true;
}

namespace {

/// Leaves up to the number are of the class, where leaves grow: 32 MiB of 64 KiB, then of 128 KiB up to 64 MiB, of
/// 256 KiB up to 128 MiB; beyond of 512 KiB, which scans as fast as larger ones.
struct LeafGrowth {
  uint64_t leaves_max;
  SizeClass size_class;
};
constexpr LeafGrowth kLeafGrowth[] = {
    {512, SizeClass{0}}, {768, SizeClass{1}}, {1024, SizeClass{2}}, {UINT64_MAX, SizeClass{3}}};

}  // namespace

SizeClass Relation::nextLeafClass() const {
  if (const std::optional<SizeClass> fixed = schema_.leafClass()) return *fixed;
  return std::ranges::find_if(kLeafGrowth, [&](const LeafGrowth& step) { return leafCount() < step.leaves_max; })
      ->size_class;
}

uint64_t Relation::leafBytes() const {
  const uint64_t leaves = leafCount();
  if (const std::optional<SizeClass> fixed = schema_.leafClass()) return leaves * pageBytes(*fixed);
  uint64_t bytes = 0;
  uint64_t counted = 0;
  for (const LeafGrowth& step : kLeafGrowth) {
    const uint64_t until = std::min(leaves, step.leaves_max);
    bytes += (until - counted) * pageBytes(step.size_class);
    counted = until;
  }
  return bytes;
}

double Relation::averageVariableBytes() const {
  const uint64_t tuples = tuple_count_.load(std::memory_order_relaxed);
  if (tuples == 0) return 0;
  return static_cast<double>(variable_bytes_.load(std::memory_order_relaxed)) / static_cast<double>(tuples);
}

bool Relation::find(TupleId id, LeafView& leaf, uint32_t& row) {
  if (!findStored(id, leaf, row)) return false;
  if (!leaf.isDeleted(row)) return true;
  leaf.release();
  return false;
}

bool Relation::findStored(TupleId id, LeafView& leaf, uint32_t& row, std::span<const uint32_t> columns) {
  leaf.release();
  uint64_t next_first_id;
  SharedGuard guard = tree_->findLeaf(id, next_first_id, {&leaf, columns});
  Frame& frame = guard.frame();
  leaf.attach(std::move(guard), schema_, TupleId{}, TupleId{UINT64_MAX});
  row = Leaf::lowerBound(frame.page, id);
  if (row < leaf.access().row_end && leaf.tupleId(row) == id) return true;
  leaf.release();
  return false;
}

void Relation::prefetchAt(const Frame& frame, uint32_t row, std::span<const uint32_t> columns,
                          const LeafView& like) const {
  tree_->prefetchAt(frame, row, {&like, columns});
}

void Relation::prefetchPlace(const Frame& frame, uint32_t row) const {
  tree_->prefetchAt(frame, row, {});
}

void Relation::prefetchRow(const Frame& frame, uint32_t row, std::span<const uint32_t> columns) const {
  const std::span page = buffers_.pageOf(frame);
  if (const LeafLayout* const layout = layoutAhead(page, id_, schema_, row))
    prefetchValues(page.data(), *layout, row, columns);
}

void Relation::prefetchStrings(const Frame& frame, uint32_t row, std::span<const uint32_t> columns) const {
  const std::span page = buffers_.pageOf(frame);
  if (const LeafLayout* const layout = layoutAhead(page, id_, schema_, row))
    storage::prefetchStrings(page.data(), *layout, row, columns);
}

bool Relation::findAt(Frame& frame, uint32_t row, LeafView& leaf) {
  leaf.release();
  const auto isHot = [&frame] { return frame.state.load(std::memory_order_relaxed) == FrameState::Hot; };
  if (!isHot() || !frame.latch.tryLockShared()) return false;
  SharedGuard guard(frame, SharedGuard::Adopt{});
  const PageHeader& header = frame.header();
  if (!isHot() || header.type != PageType::RelationLeaf || header.relation_id != id_) return false;
  __builtin_prefetch(frame.version_map.load(std::memory_order_relaxed));
  buffers_.countHit(frame);
  leaf.attach(std::move(guard), schema_, TupleId{}, TupleId{UINT64_MAX});
  if (row < leaf.access().row_end) return true;
  leaf.release();
  return false;
}

void Relation::attach(TupleId from, TupleId to, LeafView& leaf) {
  leaf.release();
  uint64_t next_first_id;
  leaf.attach(tree_->findLeaf(from, next_first_id), schema_, from, to);
}

void Relation::tryPrune(Frame& frame, PageId page) {
  if (!frame.latch.tryLockExclusive()) return;
  ExclusiveGuard guard(frame, ExclusiveGuard::Adopt{});
  if (frame.page_id.load() == page && frame.version_map.load() != nullptr) buffers_.pruneVersions(frame);
  guard.releaseUnchanged();
}

bool Relation::markDeleted(TupleId id) {
  return RelationEditor(*this).markDeleted(id);
}

bool Relation::unmarkDeleted(TupleId id) {
  return RelationEditor(*this).unmarkDeleted(id);
}

bool Relation::update(TupleId id, const TupleChange& change) {
  return RelationEditor(*this).update(id, change);
}

void Relation::requireSound(const ExclusiveGuard& guard) const {
  Leaf::requireSound(guard.page(), guard.frame().pageBytes(), schema_);
}

void Relation::truncate(TupleId bound) {
  const std::scoped_lock appending(append_mutex_);
  truncateLocked(bound);
  if (bound < nextTupleId()) next_tuple_id_.store(bound.value, std::memory_order_release);
}

bool Relation::truncateTail(TupleId first, TupleId end) {
  const std::scoped_lock appending(append_mutex_);
  if (end.value != tail_end_) return false;
  truncateLocked(first);
  return true;
}

/// Under append_mutex_.
void Relation::truncateLocked(TupleId bound) {
  const std::scoped_lock changing(structure_mutex_);
  // As many tuples as there are ids: these have no gaps.
  const bool is_dense = deleted_count_.load() == 0 && tuple_count_.load() == tail_end_;
  RelationTree::Tally dropped = tree_->truncate(bound, TupleId{is_dense ? tail_end_ : 0});
  tail_end_ = std::min(tail_end_, bound.value);
  // Of leaves that were not read the average is taken off.
  if (dropped.unseen_tuples > 0 && variable_bytes_.load() > 0) counts_strings_ = false;
  dropped.variable_bytes += static_cast<uint64_t>(averageVariableBytes() * static_cast<double>(dropped.unseen_tuples));
  dropped.variable_bytes = std::min(dropped.variable_bytes, variable_bytes_.load());
  dropped.tuples += dropped.unseen_tuples;
  // First the tuples: tupleCount() subtracts the deleted ones.
  deleted_count_.fetch_sub(dropped.deleted, std::memory_order_relaxed);
  tuple_count_.fetch_sub(dropped.tuples, std::memory_order_relaxed);
  subtractLeaves(leaf_count_, dropped.leaves);
  variable_bytes_.fetch_sub(dropped.variable_bytes, std::memory_order_relaxed);
}

RegisteredRelation Relation::registered() const {
  RelationSchema schema = schema_;
  if (holdsNan()) schema.noteNan();
  return {.kind = TreeKind::Relation, .state = state(), .schema = serialiseSchema(schema)};
}

RelationState Relation::state() const {
  return RelationState{
      .root = tree_->root(),
      .next_tuple_id = next_tuple_id_.load(),
      .tuple_count = tuple_count_.load(),
      .deleted_count = deleted_count_.load(),
      .leaf_count = leaf_count_.load(),
      .variable_bytes = variable_bytes_.load() | (counts_strings_ ? RelationState::kStringsCounted : 0),
      .is_estimate = is_estimate_ ? uint64_t{1} : 0,
      .spare = 0};
}

void Relation::check(Findings& findings) {
  const size_t problems_before = findings.problems.size();
  const RelationTree::Tally seen = tree_->check(findings);
  // Counts mean nothing where pages are missing.
  if (findings.problems.size() != problems_before || is_estimate_) return;
  const auto compare = [&](const char* what, uint64_t counted, uint64_t recorded) {
    if (counted != recorded)
      findings.problems.push_back(
          fmt::format("relation {} has {} {}, its entry says {}", id_.value, counted, what, recorded));
  };
  compare("tuples", seen.tuples, tuple_count_.load());
  compare("deleted tuples", seen.deleted, deleted_count_.load());
  compare("leaves", seen.leaves, leaf_count_.load());
  if (counts_strings_) compare("string bytes", seen.variable_bytes, variable_bytes_.load());
}

void Relation::audit() {
  Findings findings;
  check(findings);
  for (const std::string& problem : findings.problems) spdlog::critical("{}", problem);
  CHECK(findings.problems.empty(), "T1");
}

}  // namespace gnomon::storage
