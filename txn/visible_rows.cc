#include "txn/visible_rows.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <ranges>
#include <utility>

#include "base/assert.h"
#include "storage/relation/column_slots.h"

namespace gnomon::txn {

using storage::Leaf;

namespace {

const VersionMap* mapOf(const storage::LeafView& leaf) {
  return static_cast<const VersionMap*>(leaf.frame().version_map.load(std::memory_order_acquire));
}

template <typename T>
void prefetchLines(const T* first, size_t count) {
  constexpr size_t kLineBytes = 64;
  const auto* const bytes = reinterpret_cast<const std::byte*>(first);
  for (size_t offset = 0; offset < count * sizeof(T); offset += kLineBytes) __builtin_prefetch(bytes + offset);
}

bool isWanted(std::span<const uint32_t> columns, uint32_t column) {
  return columns.empty() || std::ranges::find(columns, column) != columns.end();
}

/// What the snapshot must look at beside the chain.
void prefetchVersion(const VersionChain& chain, const Snapshot& snapshot) {
  const Version* const version = chain.newest();
  if (version && !chain.loneUpdateFor(snapshot)) version->prefetch();
}

/// Versions lie anywhere in memory: so many are on their way at a time.
void prefetchBehind(const VersionChain* chain, const VersionChain* end, const Snapshot& snapshot) {
  constexpr ptrdiff_t kChains = 12;
  if (end - chain > kChains) prefetchVersion(chain[kChains], snapshot);
}

/// The newest version, which the snapshot does not see, is an update, and all others are as the snapshot sees them.
bool isLoneUpdate(const Version& newest, const Snapshot& snapshot) {
  if (newest.kind != Version::Kind::Updated) return false;
  const Version* const older = newest.older.load(std::memory_order_acquire);
  return !older || snapshot.sees(*older);
}

bool hasFixedWidth(const storage::RelationSchema& schema, std::span<const uint32_t> columns) {
  return !columns.empty() && std::ranges::none_of(columns, [&](uint32_t column) {
    return schema[column].kind == storage::StoredKind::String;
  });
}

/// The chain of the first row of the leaf that is wanted, or of one behind it.
const VersionChain* firstFrom(const storage::LeafView& leaf, const VersionMap& map) {
  const VersionChains& chains = map.tuples();
  const TupleId from = leaf.tupleId(leaf.access().row_begin);
  return chains.empty() || chains.begin()->first() >= from ? chains.begin() : chains.lowerBound(from);
}

}  // namespace

struct VisibleRows::Rows {
  explicit Rows(const storage::LeafView& leaf)
      : page(leaf.access().page_base), begin(leaf.access().row_begin), end(leaf.access().row_end) {
    const auto& header = *reinterpret_cast<const storage::LeafHeader*>(page);
    ids = reinterpret_cast<const uint64_t*>(page + storage::LeafLayout::kTupleIdsOffset);
    first = ids[0] & storage::tuple_id_flags::kIdMask;
    is_dense = (ids[header.tuple_count - 1] & storage::tuple_id_flags::kIdMask) - first == header.tuple_count - 1;
    is_flagged = header.flagged_count != 0;
  }
  /// Of a tuple with an id not below the leaf's first; `end`, or behind it: it is not here.
  [[nodiscard]] uint32_t find(TupleId id) const {
    if (is_dense) return static_cast<uint32_t>(std::min<uint64_t>(id.value - first, end));
    const uint32_t row = Leaf::lowerBound(page, id);
    return row < end && (ids[row] & storage::tuple_id_flags::kIdMask) == id.value ? row : end;
  }
  /// Without virtual flags where none is set.
  [[nodiscard]] uint64_t stored(uint32_t row, TupleId id) const { return is_flagged ? ids[row] : id.value; }

  const std::byte* page;
  const uint64_t* ids;
  uint64_t first;
  uint32_t begin, end;
  bool is_dense;    ///< ids have no gaps
  bool is_flagged;  ///< some tuple is flagged deleted
};

/// What the snapshot sees of a tuple. Former: its versions are at the end of undone_, or it is `lone`.
VisibleRows::Seen VisibleRows::resolve(const Version* newest, const VersionMap* map, uint64_t stored,
                                       const Snapshot& snapshot, const VersionChain::LoneUpdate* lone) {
  const size_t undone_before = undone_.size();
  const bool is_deleted = (stored & storage::tuple_id_flags::kDeleted) != 0;
  const uint64_t undone_flags = has_unseen_epoch_ ? stored & storage::tuple_id_flags::kVirtual : 0;
  // A virtual deletion is the newest version, a virtual creation the oldest.
  bool exists = !is_deleted || (undone_flags & storage::tuple_id_flags::kVirtuallyDeleted) != 0;
  const Version* version = lone ? nullptr : newest;
  for (; version && !snapshot.sees(*version); version = version->older.load(std::memory_order_acquire)) {
    if (version->kind == Version::Kind::Updated) undone_.push_back(version);
    if (version->kind == Version::Kind::Deleted) exists = true;
  }
  if (!version) {
    const TupleId id{stored & storage::tuple_id_flags::kIdMask};
    const Version* const creation = map ? map->findCreated(id) : nullptr;
    if (creation && !snapshot.sees(*creation)) exists = false;
    if ((undone_flags & storage::tuple_id_flags::kVirtuallyCreated) != 0) exists = false;
  }
  if (exists && (lone || undone_.size() != undone_before)) return Seen::Former;
  if (exists && is_deleted) return Seen::Undeleted;
  undone_.resize(undone_before);
  // A flag says by itself that there is no tuple.
  return exists || is_deleted ? Seen::AsItLies : Seen::Nothing;
}

void VisibleRows::addFormer(uint32_t row, TupleId id, const VersionChain::LoneUpdate* lone) {
  formers_.add({lone, row, static_cast<uint32_t>(undone_.size()), into().size()});
  into().ids().add(id);
}

void VisibleRows::addHole(uint32_t row, TupleId id, Seen seen, const VersionChain::LoneUpdate* lone) {
  if (seen == Seen::AsItLies) return;
  if (seen == Seen::Former) {
    holes_.push_back({row, row + 1, static_cast<int32_t>(formers_.size())});
    addFormer(row, id, lone);
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
    addHole(row, leaf.tupleId(row), resolve(chain ? chain->newest() : nullptr, map, ids[row], snapshot));
  }
}

void VisibleRows::findUnseenRuns(const storage::LeafView& leaf, const VersionMap& map, const Snapshot& snapshot) {
  const storage::LeafAccess& access = leaf.access();
  for (const VersionChain& chain : map.created()) {
    const Version* const creation = chain.newest();
    if (!creation || snapshot.sees(*creation)) continue;
    const uint32_t begin = std::max(access.row_begin, Leaf::lowerBound(access.page_base, creation->id));
    const uint32_t end = std::min(access.row_end, Leaf::lowerBound(access.page_base, creation->end));
    if (begin < end) holes_.push_back({begin, end, kUnseen});
  }
}

bool VisibleRows::findNoted(const storage::LeafView& leaf, const VersionMap& map, const storage::RelationSchema& schema,
                            const Snapshot& snapshot, std::span<const uint32_t> columns, Order order) {
  if (!map.created().empty()) return false;
  const auto updates = map.loneUpdatesFor(snapshot);
  if (!updates) return false;
  if (!isWanted(columns, updates->column)) return true;
  return order == Order::Any && columns.size() == 1 && putTogether(Rows(leaf), *updates, schema);
}

/// Of the only column that is wanted.
bool VisibleRows::putTogether(const Rows& rows, const VersionMap::LoneUpdates& updates,
                              const storage::RelationSchema& schema) {
  if (!rows.is_dense || rows.is_flagged || !storage::isWord(schema[updates.column].kind)) return false;
  const size_t count = updates.ids.size();
  if (!gathered_.makeRoom(schema, count, kGatheredRows)) return false;
  // In variables of their own, so that the loop keeps them in registers.
  const storage::ColumnSlots to = gathered_.slots(updates.column);
  const uint64_t first_id = rows.first;
  const uint64_t row_count = rows.end - rows.begin;
  storage::LeafGap* gap = gaps_.room(count);
  uint32_t copy = gathered_.size();
  TupleId* const ids = gathered_.ids().room(count) - copy;
  for (size_t i = 0; i < count; ++i) {
    const TupleId id = updates.ids[i];
    const uint64_t row = id.value - first_id;
    if (row - rows.begin >= row_count) continue;
    ids[copy] = id;
    to.storeWord(copy++, updates.values[i], false);
    *gap++ = {static_cast<uint32_t>(row), static_cast<uint32_t>(row) + 1};
  }
  gaps_.endAt(gap);
  gathered_.ids().endAt(ids + copy);
  return true;
}

/// Lone updates from `chain` on that are known without a look at their versions: returns where there is another chain.
/// `put(update, row, copy)`: false where the update is of a column that is not wanted, so that the row is seen as it
/// lies.
template <bool kDense, typename Put>
const VersionChain* VisibleRows::addLoneUpdates(const Rows& rows, const VersionChain* chain, const VersionChain* end,
                                                const Snapshot& snapshot, const Put& put) {
  // In variables of their own, so that the loop keeps them in registers.
  const Timestamp unbegun = snapshot.unbegun, own = snapshot.own;
  const uint64_t first = rows.first;
  const uint32_t row_end = rows.end;
  const auto count_max = static_cast<size_t>(end - chain);
  storage::LeafGap* gap = gaps_.room(count_max);
  CopiedRows& copies = into();
  uint32_t copy = copies.size();
  TupleId* const ids = copies.ids().room(count_max) - copy;
  for (; chain != end; ++chain) {
    if (!chain->newest()) continue;
    const VersionChain::LoneUpdate& lone = chain->loneUpdate();
    if (lone.writer < unbegun || lone.writer == own) break;
    const TupleId id = chain->first();
    const uint64_t found = kDense ? id.value - first : rows.find(id);
    if (found >= row_end) continue;
    const auto row = static_cast<uint32_t>(found);
    if (!put(lone, row, copy)) continue;
    ids[copy++] = id;
    *gap++ = {row, row + 1};
  }
  gaps_.endAt(gap);
  copies.ids().endAt(ids + copy);
  return chain;
}

/// From `chain` on, until another kind of change comes: returns its chain.
const VersionChain* VisibleRows::findLoneUpdates(const Rows& rows, const VersionChain* chain, const VersionChain* end,
                                                 const Snapshot& snapshot, std::span<const uint32_t> columns,
                                                 const storage::ColumnSlots* words) {
  const auto put_off = [&](const VersionChain::LoneUpdate& lone, uint32_t row, uint32_t copy) {
    if (!isWanted(columns, lone.column)) return false;
    formers_.add({&lone, row, static_cast<uint32_t>(undone_.size()), copy});
    return true;
  };
  for (;; ++chain) {
    if (words && rows.is_dense)
      chain = addLoneUpdates<true>(rows, chain, end, snapshot,
                                   [to = *words](const VersionChain::LoneUpdate& lone, uint32_t, uint32_t copy) {
                                     if (lone.column != to.column) return false;
                                     to.storeWord(copy, lone.value, lone.null_flag != 0);
                                     return true;
                                   });
    else if (rows.is_dense)
      chain = addLoneUpdates<true>(rows, chain, end, snapshot, put_off);
    else
      chain = addLoneUpdates<false>(rows, chain, end, snapshot, put_off);
    if (chain == end) return end;
    has_read_versions_ = true;
    prefetchBehind(chain, end, snapshot);
    // It may have gone meanwhile.
    const Version* const version = chain->newest();
    if (!version || snapshot.sees(*version)) continue;
    if (!isLoneUpdate(*version, snapshot)) return chain;
    const uint32_t row = rows.find(chain->first());
    if (row >= rows.end) continue;
    undone_.push_back(version);
    addFormer(row, chain->first(), nullptr);
    gaps_.add({row, row + 1});
  }
}

void VisibleRows::findHoles(const storage::LeafView& leaf, const VersionMap& map, const storage::RelationSchema& schema,
                            const Snapshot& snapshot, std::span<const uint32_t> columns, Order order) {
  findUnseenRuns(leaf, map, snapshot);
  const bool has_runs = !holes_.empty();
  const storage::LeafAccess& access = leaf.access();
  const Rows rows(leaf);
  const VersionChain* const end = map.tuples().end();
  const VersionChain* chain = firstFrom(leaf, map);
  if (chain != end && !has_runs && !rows.is_flagged) {
    const auto count = static_cast<size_t>(end - chain);
    const bool can_wait = order == Order::Any && hasFixedWidth(schema, columns);
    is_gathering_ = can_wait && gathered_.makeRoom(schema, count, kGatheredRows);
    is_gathered_full_ = can_wait && !is_gathering_;
    const uint32_t gathered_before = gathered_.size();
    storage::ColumnSlots words;
    const bool is_at_once = is_gathering_ && columns.size() == 1 && storage::isWord(schema[columns.front()].kind);
    if (is_at_once) words = gathered_.slots(columns.front());
    const VersionChain* const behind =
        findLoneUpdates(rows, chain, end, snapshot, columns, is_at_once ? &words : nullptr);
    if (behind == end && order == Order::Any) return;
    if (is_gathering_) {
      gathered_.ids().endAt(gathered_.ids().begin() + gathered_before);
      clearFound();
    } else {
      chain = behind;
      gaps_.clear();
      for (const Former& former : formers_)
        holes_.push_back({former.row, former.row + 1, static_cast<int32_t>(former.copy)});
    }
  }
  for (; chain != end; ++chain) {
    const Version* const version = chain->newest();
    if (!version) continue;
    const VersionChain::LoneUpdate* const lone = chain->loneUpdateFor(snapshot);
    if (!lone) {
      has_read_versions_ = true;
      prefetchBehind(chain, end, snapshot);
      if (snapshot.sees(*version)) continue;
    }
    const TupleId id = chain->first();
    const uint32_t row = rows.find(id);
    if (row < access.row_end) addHole(row, id, resolve(version, &map, rows.stored(row, id), snapshot, lone), lone);
  }
  // A run comes before what lies in it.
  if (has_runs)
    std::ranges::sort(holes_, [](const Hole& left, const Hole& right) {
      return left.begin != right.begin ? left.begin < right.begin : left.end > right.end;
    });
}

void VisibleRows::prefetch(storage::Frame& frame, Ahead what, const Snapshot& snapshot, EpochManager& epochs,
                           std::span<const uint32_t> columns) {
  // More would drive one another out of the caches before they are looked at.
  constexpr size_t kChainsMax = 64;
  if (what == Ahead::Frame) return __builtin_prefetch(&frame.version_map);
  const auto* const map = static_cast<const VersionMap*>(frame.version_map.load(std::memory_order_acquire));
  if (!map) return;
  if (what == Ahead::Map) return __builtin_prefetch(map);
  const EpochManager::Guard reading(epochs);
  if (frame.version_map.load(std::memory_order_acquire) != map || map->isSeenBy(snapshot)) return;
  const VersionChains& chains = map->tuples();
  if (what == Ahead::Tuples) return chains.prefetchIds();
  if (what == Ahead::Chains) {
    const auto updates = map->loneUpdatesFor(snapshot);
    if (!updates) return prefetchLines(chains.begin(), std::min(chains.size(), kChainsMax));
    if (!isWanted(columns, updates->column)) return;
    prefetchLines(updates->ids.data(), updates->ids.size());
    return prefetchLines(updates->values.data(), updates->values.size());
  }
  if (!frame.latch.tryLockShared()) return;
  const storage::SharedGuard guard(frame, storage::SharedGuard::Adopt{});
  if (frame.version_map.load(std::memory_order_acquire) != map) return;
  for (const VersionChain& chain : std::span(chains.begin(), std::min(chains.size(), kChainsMax)))
    prefetchVersion(chain, snapshot);
}

const VersionMap* VisibleRows::note(const storage::LeafView& leaf, const Snapshot& snapshot) {
  const auto& header = *reinterpret_cast<const storage::LeafHeader*>(leaf.access().page_base);
  const VersionMap* const map = mapOf(leaf);
  has_unseen_epoch_ = !snapshot.seesEpoch(header.reference_epoch);
  const bool is_seen = !map || map->isSeenBy(snapshot);
  has_versions_ = has_unseen_epoch_ || !is_seen;
  has_read_versions_ = false;
  if (!has_versions_) return nullptr;
  undeleted_ = leaf.access();
  undeleted_.flagged_count = 0;
  return is_seen ? nullptr : map;
}

void VisibleRows::attach(const storage::LeafView& leaf, const storage::RelationSchema& schema, const Snapshot& snapshot,
                         EpochManager& epochs, std::span<const uint32_t> columns, Order order) {
  clear();
  if (std::exchange(is_gathered_given_, false)) gathered_.clear();
  is_worth_pruning_ = false;
  const storage::LeafAccess& access = leaf.access();
  if (access.row_begin == access.row_end) return;
  if (const VersionMap* const map = mapOf(leaf)) is_worth_pruning_ = map->isWorthPruning();
  const VersionMap* const map = note(leaf, snapshot);
  if (!has_versions_) {
    pieces_.push_back({&access, access.row_begin, access.row_end});
    return;
  }
  clearFound();
  is_gathered_full_ = false;
  if (!has_unseen_epoch_ && findNoted(leaf, *map, schema, snapshot, columns, order)) return addFewPieces(access);
  const EpochManager::Guard guard(epochs);
  if (has_unseen_epoch_)
    findVirtualHoles(leaf, map, snapshot);
  else
    findHoles(leaf, *map, schema, snapshot, columns, order);
  if (!formers_.empty()) rebuild(leaf, schema, columns);
  if (order == Order::Any)
    addFewPieces(access);
  else
    addPieces(access);
}

void VisibleRows::clearFound() {
  formers_.clear();
  copies_.clear();
  is_gathering_ = false;
  gaps_.clear();
  holes_.clear();
  undone_.clear();
}

void VisibleRows::addPieces(const storage::LeafAccess& access) {
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

void VisibleRows::addFewPieces(const storage::LeafAccess& access) {
  uint32_t position = access.row_begin;
  for (const Hole& hole : holes_) {
    // It lies in a run of tuples that are not seen.
    if (hole.end <= position) {
      CHECK(hole.former < 0, "what is put together is seen");
      continue;
    }
    if (hole.former == kUndeleted) pieces_.push_back({&undeleted_, hole.begin, hole.end});
    // Tuples that are not seen may begin in one run of such and end in another.
    const uint32_t begin = std::max(position, hole.begin);
    position = hole.end;
    if (!gaps_.empty() && gaps_.back().end == begin)
      gaps_.back().end = hole.end;
    else
      gaps_.add({begin, hole.end});
  }
  if (!copies_.empty()) pieces_.push_back({&copies_.access(), 0, copies_.size()});
  gaps_.add(storage::kNoLeafGap);
  gapped_ = access;
  gapped_.gaps = gaps_.data();
  if (gaps_.front().begin != access.row_begin || gaps_.front().end != access.row_end)
    pieces_.push_back({&gapped_, access.row_begin, access.row_end});
  Piece piece{};
  if ((gathered_.size() >= kGatheredRows || is_gathered_full_) && takeGathered(piece)) pieces_.push_back(piece);
}

bool VisibleRows::takeGathered(Piece& piece) {
  if (gathered_.empty() || is_gathered_given_) return false;
  gathered_.finish();
  is_gathered_given_ = true;
  piece = {&gathered_.access(), 0, gathered_.size()};
  return true;
}

bool VisibleRows::attachRow(const storage::LeafView& leaf, uint32_t row, const storage::RelationSchema& schema,
                            const Snapshot& snapshot, EpochManager& epochs, Piece& piece) {
  const VersionMap* const map = note(leaf, snapshot);
  const bool is_deleted = leaf.isDeleted(row);
  piece = {&leaf.access(), row, row + 1};
  if (!has_versions_) return !is_deleted;
  const EpochManager::Guard guard(epochs);
  undone_.clear();
  const VersionChain* const chain = map ? map->find(leaf.tupleId(row)) : nullptr;
  const Seen seen = resolve(chain ? chain->newest() : nullptr, map, leaf.storedTupleId(row), snapshot);
  if (seen == Seen::Undeleted) {
    piece.access = &undeleted_;
    return true;
  }
  if (seen != Seen::Former) return seen == Seen::AsItLies && !is_deleted;
  formers_.clear();
  copies_.clear();
  is_gathering_ = false;
  addFormer(row, leaf.tupleId(row), nullptr);
  rebuild(leaf, schema, {});
  piece = {&copies_.access(), 0, 1};
  return true;
}

uint32_t VisibleRows::endOfRun(const storage::LeafView& leaf, uint32_t begin, uint32_t end, const Snapshot& snapshot,
                               EpochManager& epochs) {
  if (!has_versions_) return end;
  const VersionMap* const map = mapOf(leaf);
  const EpochManager::Guard guard(epochs);
  const VersionChain* const chains_end = map ? map->tuples().end() : nullptr;
  const VersionChain* chain = map ? map->tuples().lowerBound(leaf.tupleId(begin)) : nullptr;
  undone_.clear();
  for (uint32_t row = begin; row < end; ++row) {
    const TupleId id = leaf.tupleId(row);
    while (chain != chains_end && chain->first() < id) ++chain;
    const bool is_changed = chain != chains_end && chain->first() == id;
    const uint64_t stored = leaf.storedTupleId(row);
    if (resolve(is_changed ? chain->newest() : nullptr, map, stored, snapshot) != Seen::AsItLies) return row;
    // Others may be seen without the flag.
    if (leaf.isDeleted(row)) return row;
  }
  return end;
}

void VisibleRows::readFormer(const storage::LeafView& leaf, size_t number, const storage::RelationSchema& schema,
                             std::span<const uint32_t> columns, Datum* values, uint8_t* null_flags) const {
  for (uint32_t column = 0; column < schema.size(); ++column) {
    bool is_null = schema[column].nullable;
    values[column] = isWanted(columns, column) ? leaf.value(column, formers_[number].row, is_null) : Datum{};
    null_flags[column] = is_null ? 1 : 0;
  }
  if (const auto* const lone = formers_[number].lone; lone && isWanted(columns, lone->column)) {
    values[lone->column] = {lone->value, 0};
    null_flags[lone->column] = lone->null_flag;
  }
  for (const Version* const undone : undoneOf(formers_[number])) {
    const Version& version = *undone;
    for (uint32_t n = 0; n < version.column_count; ++n) {
      const uint32_t column = version.columns()[n];
      if (!isWanted(columns, column)) continue;
      values[column] = version.values()[n];
      null_flags[column] = version.nullFlags()[n];
    }
  }
}

/// Puts the former states of rows together, in their order. The page is held, and an epoch guard.
void VisibleRows::rebuild(const storage::LeafView& leaf, const storage::RelationSchema& schema,
                          std::span<const uint32_t> columns) {
  if (hasFixedWidth(schema, columns))
    rebuildFixed(leaf, schema, columns);
  else
    rebuildAny(leaf, schema, columns);
  if (!is_gathering_) copies_.finish();
}

/// The oldest of the versions that has it knows it.
Datum VisibleRows::formerValue(const storage::LeafView& leaf, const Former& former, uint32_t column,
                               bool& is_null) const {
  for (const Version* const version : undoneOf(former) | std::views::reverse) {
    for (uint32_t n = 0; n < version->column_count; ++n) {
      if (version->columns()[n] != column) continue;
      is_null = version->nullFlags()[n] != 0;
      return version->values()[n];
    }
  }
  return leaf.value(column, former.row, is_null);
}

void VisibleRows::rebuildFixed(const storage::LeafView& leaf, const storage::RelationSchema& schema,
                               std::span<const uint32_t> columns) {
  if (!is_gathering_) copies_.makeRoom(schema);
  for (const uint32_t column : columns) {
    const storage::ColumnSlots slots = into().slots(column);
    for (const Former& former : formers_) {
      bool is_null = former.lone && former.lone->null_flag != 0;
      const bool is_changed = former.lone && former.lone->column == column;
      const Datum value = is_changed ? Datum{former.lone->value, 0} : formerValue(leaf, former, column, is_null);
      slots.store(former.copy, value, is_null);
    }
  }
}

void VisibleRows::rebuildAny(const storage::LeafView& leaf, const storage::RelationSchema& schema,
                             std::span<const uint32_t> columns) {
  const size_t column_count = schema.size();
  values_.resize(formers_.size() * column_count);
  null_flags_.resize(formers_.size() * column_count);
  for (size_t i = 0; i < formers_.size(); ++i)
    readFormer(leaf, i, schema, columns, values_.data() + i * column_count, null_flags_.data() + i * column_count);
  copies_.fill(schema, values_.data(), null_flags_.data());
}

}  // namespace gnomon::txn
