#include "txn/visible_rows.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/assert.h"

namespace gnomon::txn {

using storage::Leaf;

namespace {

const VersionMap* mapOf(const storage::LeafView& leaf) {
  return static_cast<const VersionMap*>(leaf.frame().version_map.load(std::memory_order_acquire));
}

bool isWanted(std::span<const uint32_t> columns, uint32_t column) {
  return columns.empty() || std::ranges::find(columns, column) != columns.end();
}

}  // namespace

/// What the snapshot sees of a tuple. Former: its versions are at the end of undone_.
VisibleRows::Seen VisibleRows::resolve(const VersionChain* chain, const VersionMap* map, uint64_t stored,
                                       const Snapshot& snapshot) {
  const size_t undone_before = undone_.size();
  const bool is_deleted = (stored & storage::tuple_id_flags::kDeleted) != 0;
  const uint64_t undone_flags = has_unseen_epoch_ ? stored & storage::tuple_id_flags::kVirtual : 0;
  // A virtual deletion is the newest version, a virtual creation the oldest.
  bool exists = !is_deleted || (undone_flags & storage::tuple_id_flags::kVirtuallyDeleted) != 0;
  const Version* version = chain ? chain->newest() : nullptr;
  for (; version && !snapshot.sees(*version); version = version->older.load(std::memory_order_acquire)) {
    if (version->kind == Version::Kind::Updated) undone_.push_back(version);
    if (version->kind == Version::Kind::Deleted) exists = true;
  }
  if (!version) {
    const TupleId id{stored & storage::tuple_id_flags::kIdMask};
    const VersionChain* const created = map ? map->findCreated(id) : nullptr;
    const Version* const creation = created ? created->newest() : nullptr;
    if (creation && !snapshot.sees(*creation)) exists = false;
    if ((undone_flags & storage::tuple_id_flags::kVirtuallyCreated) != 0) exists = false;
  }
  if (exists && undone_.size() != undone_before) return Seen::Former;
  if (exists && is_deleted) return Seen::Undeleted;
  undone_.resize(undone_before);
  // A flag says by itself that there is no tuple.
  return exists || is_deleted ? Seen::AsItLies : Seen::Nothing;
}

void VisibleRows::addHole(uint32_t row, Seen seen, uint32_t undone_begin) {
  if (seen == Seen::AsItLies) return;
  if (seen == Seen::Former) {
    holes_.push_back({row, row + 1, static_cast<int32_t>(formers_.size())});
    formers_.push_back({row, undone_begin, static_cast<uint32_t>(undone_.size())});
    return;
  }
  const int32_t what = seen == Seen::Undeleted ? kUndeleted : kUnseen;
  if (!holes_.empty() && holes_.back().end == row && holes_.back().former == what)
    ++holes_.back().end;
  else
    holes_.push_back({row, row + 1, what});
}

void VisibleRows::findVirtualHoles(const storage::LeafView& leaf, const VersionMap* map, const Snapshot& snapshot) {
  const storage::LeafAccess& access = leaf.access();
  const auto* ids = reinterpret_cast<const uint64_t*>(access.page_base + access.tuple_ids_offset);
  for (uint32_t row = access.row_begin; row < access.row_end; ++row) {
    if (!map && (ids[row] & storage::tuple_id_flags::kVirtual) == 0) continue;
    const VersionChain* const chain = map ? map->find(leaf.tupleId(row)) : nullptr;
    const auto undone_begin = static_cast<uint32_t>(undone_.size());
    addHole(row, resolve(chain, map, ids[row], snapshot), undone_begin);
  }
}

void VisibleRows::findHoles(const storage::LeafView& leaf, const VersionMap& map, const Snapshot& snapshot) {
  constexpr ptrdiff_t kAhead = 8;
  const storage::LeafAccess& access = leaf.access();
  for (const auto& chain : map.created()) {
    const Version* const creation = chain->newest();
    if (!creation || snapshot.sees(*creation)) continue;
    const uint32_t begin = std::max(access.row_begin, Leaf::lowerBound(access.page_base, chain->first()));
    const uint32_t end = std::min(access.row_end, Leaf::lowerBound(access.page_base, chain->end()));
    if (begin < end) holes_.push_back({begin, end, kUnseen});
  }
  const bool has_runs = !holes_.empty();
  const TupleId first = leaf.tupleId(access.row_begin);
  const VersionMap::Chains& tuples = map.tuples();
  auto next = std::ranges::lower_bound(tuples, first, {}, [](const auto& each) { return each->first(); });
  // Versions lie anywhere in memory: some are on their way while others are looked at.
  for (auto ahead = next; ahead != tuples.end() && ahead - next < kAhead; ++ahead)
    __builtin_prefetch((*ahead)->newest());
  for (; next != tuples.end(); ++next) {
    if (tuples.end() - next > kAhead) __builtin_prefetch(next[kAhead]->newest());
    const VersionChain& chain = **next;
    const Version* const newest = chain.newest();
    if (!newest || snapshot.sees(*newest)) continue;
    const TupleId id = chain.first();
    const uint32_t row = Leaf::lowerBound(access.page_base, id);
    if (row >= access.row_end) break;
    if (leaf.tupleId(row) != id) continue;
    const auto undone_begin = static_cast<uint32_t>(undone_.size());
    addHole(row, resolve(&chain, &map, leaf.storedTupleId(row), snapshot), undone_begin);
  }
  // A run comes before what lies in it.
  if (has_runs)
    std::ranges::sort(holes_, [](const Hole& left, const Hole& right) {
      return left.begin != right.begin ? left.begin < right.begin : left.end > right.end;
    });
}

void VisibleRows::noteEpoch(const storage::LeafView& leaf, const Snapshot& snapshot) {
  const auto& header = *reinterpret_cast<const storage::LeafHeader*>(leaf.access().page_base);
  has_unseen_epoch_ = !snapshot.seesEpoch(header.reference_epoch);
  has_versions_ = has_unseen_epoch_ || mapOf(leaf) != nullptr;
  if (!has_versions_) return;
  undeleted_ = leaf.access();
  undeleted_.flagged_count = 0;
}

void VisibleRows::attach(const storage::LeafView& leaf, const storage::RelationSchema& schema, const Snapshot& snapshot,
                         EpochManager& epochs, std::span<const uint32_t> columns) {
  clear();
  is_worth_pruning_ = false;
  const storage::LeafAccess& access = leaf.access();
  if (access.row_begin == access.row_end) return;
  const VersionMap* const map = mapOf(leaf);
  noteEpoch(leaf, snapshot);
  if (!has_versions_) {
    pieces_.push_back({&access, access.row_begin, access.row_end});
    return;
  }
  is_worth_pruning_ = map && map->isWorthPruning();
  const EpochManager::Guard guard(epochs);
  formers_.clear();
  holes_.clear();
  undone_.clear();
  if (has_unseen_epoch_)
    findVirtualHoles(leaf, map, snapshot);
  else
    findHoles(leaf, *map, snapshot);
  if (!formers_.empty()) rebuild(leaf, schema, columns);
  uint32_t position = access.row_begin;
  for (const Hole& hole : holes_) {
    if (hole.end <= position) continue;
    if (position < hole.begin) pieces_.push_back({&access, position, hole.begin});
    position = hole.end;
    if (hole.former == kUnseen) continue;
    if (hole.former == kUndeleted) {
      pieces_.push_back({&undeleted_, hole.begin, hole.end});
      continue;
    }
    const auto copy = static_cast<uint32_t>(hole.former);
    Piece* const last = pieces_.empty() ? nullptr : &pieces_.back();
    if (last && last->access == &copies_.access() && last->end == copy)
      ++last->end;
    else
      pieces_.push_back({&copies_.access(), copy, copy + 1});
  }
  if (position < access.row_end) pieces_.push_back({&access, position, access.row_end});
}

bool VisibleRows::attachRow(const storage::LeafView& leaf, uint32_t row, const storage::RelationSchema& schema,
                            const Snapshot& snapshot, EpochManager& epochs, Piece& piece) {
  const VersionMap* const map = mapOf(leaf);
  const bool is_deleted = leaf.isDeleted(row);
  piece = {&leaf.access(), row, row + 1};
  noteEpoch(leaf, snapshot);
  if (!has_versions_) return !is_deleted;
  const EpochManager::Guard guard(epochs);
  undone_.clear();
  const VersionChain* const chain = map ? map->find(leaf.tupleId(row)) : nullptr;
  const Seen seen = resolve(chain, map, leaf.storedTupleId(row), snapshot);
  if (seen == Seen::Undeleted) {
    piece.access = &undeleted_;
    return true;
  }
  if (seen != Seen::Former) return seen == Seen::AsItLies && !is_deleted;
  formers_.assign(1, {row, 0, static_cast<uint32_t>(undone_.size())});
  rebuild(leaf, schema, {});
  piece = {&copies_.access(), 0, 1};
  return true;
}

void VisibleRows::readFormer(const storage::LeafView& leaf, const Former& former, const storage::RelationSchema& schema,
                             std::span<const uint32_t> columns, Datum* values, uint8_t* null_flags) const {
  for (uint32_t column = 0; column < schema.size(); ++column) {
    bool is_null = schema[column].nullable;
    values[column] = isWanted(columns, column) ? leaf.value(column, former.row, is_null) : Datum{};
    null_flags[column] = is_null ? 1 : 0;
  }
  for (uint32_t i = former.undone_begin; i < former.undone_end; ++i) {
    const Version& version = *undone_[i];
    for (uint32_t n = 0; n < version.column_count; ++n) {
      if (!isWanted(columns, version.columns[n])) continue;
      values[version.columns[n]] = version.values[n];
      null_flags[version.columns[n]] = version.null_flags[n];
    }
  }
}

void VisibleRows::prepareCopies(const storage::RelationSchema& schema, size_t rows, uint64_t string_bytes,
                                TupleId first) {
  // The same for leaves that are nearly alike, so that what is known of its layout can be kept.
  const auto capacity = static_cast<uint32_t>(std::bit_ceil(rows));
  const uint64_t fixed_bytes = storage::leafFixedBytes(schema, schema.version(), capacity);
  const bool is_like_the_last =
      schema_ == &schema && capacity_ == capacity && page_bytes_ >= fixed_bytes + string_bytes;
  if (page_bytes_ < fixed_bytes + string_bytes) {
    page_bytes_ = fixed_bytes + string_bytes;
    page_ = std::make_unique_for_overwrite<std::byte[]>(page_bytes_);
  }
  std::memset(page_.get(), 0, fixed_bytes);
  reinterpret_cast<storage::LeafHeader*>(page_.get())->page.type = storage::PageType::RelationLeaf;
  Leaf::initialise(page_.get(), page_bytes_, schema, capacity, first);
  if (!is_like_the_last) copied_ = std::make_unique<Leaf>(page_.get(), schema);
  schema_ = &schema;
  capacity_ = capacity;
}

/// Puts the former states of rows together, in their order. The page is held, and an epoch guard.
void VisibleRows::rebuild(const storage::LeafView& leaf, const storage::RelationSchema& schema,
                          std::span<const uint32_t> columns) {
  const size_t column_count = schema.size();
  values_.resize(formers_.size() * column_count);
  null_flags_.resize(formers_.size() * column_count);
  uint64_t string_bytes = 0;
  for (size_t i = 0; i < formers_.size(); ++i) {
    Datum* const values = values_.data() + i * column_count;
    uint8_t* const null_flags = null_flags_.data() + i * column_count;
    readFormer(leaf, formers_[i], schema, columns, values, null_flags);
    string_bytes += storage::variableBytes(schema, values, null_flags);
  }
  prepareCopies(schema, formers_.size(), string_bytes, leaf.tupleId(formers_.front().row));
  uint64_t bytes_added = 0;
  const uint32_t appended =
      copied_->append(TupleId{0}, values_.data(), null_flags_.data(), formers_.size(), bytes_added);
  CHECK(appended == formers_.size(), "R1");
  auto* const ids = reinterpret_cast<uint64_t*>(page_.get() + storage::LeafLayout::kTupleIdsOffset);
  for (size_t i = 0; i < formers_.size(); ++i) ids[i] = leaf.tupleId(formers_[i].row).value;
  copies_.attachCopy(page_.get(), schema);
}

}  // namespace gnomon::txn
