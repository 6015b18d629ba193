#include "txn/visible_rows.h"

#include <algorithm>
#include <cstring>

#include "base/assert.h"

namespace gnomon::txn {

using storage::Leaf;

/// What the snapshot sees of a tuple, where that is not what lies in the leaf. False: it is.
bool VisibleRows::resolve(const VersionChain* chain, const VersionMap& map, TupleId id, bool is_deleted,
                          const Snapshot& snapshot, Former& former) const {
  former.exists = !is_deleted;
  former.undone.clear();
  const Version* version = chain ? chain->newest() : nullptr;
  for (; version && !snapshot.sees(version->timestamp.load(std::memory_order_acquire));
       version = version->older.load(std::memory_order_acquire)) {
    if (version->kind == Version::Kind::Updated) former.undone.push_back(version);
    if (version->kind == Version::Kind::Deleted) former.exists = true;
  }
  if (!version) {
    const VersionChain* const created = map.findCreated(id);
    const Version* const creation = created ? created->newest() : nullptr;
    if (creation && !snapshot.sees(creation->timestamp.load(std::memory_order_acquire))) former.exists = false;
  }
  if (!former.exists) return !is_deleted;
  return is_deleted || !former.undone.empty();
}

void VisibleRows::attach(const storage::LeafView& leaf, const storage::RelationSchema& schema, const Snapshot& snapshot,
                         EpochManager& epochs, std::span<const uint32_t> columns) {
  clear();
  is_worth_pruning_ = false;
  const storage::LeafAccess& access = leaf.access();
  if (access.row_begin == access.row_end) return;
  const auto* const map = static_cast<const VersionMap*>(leaf.frame().version_map.load(std::memory_order_acquire));
  if (!map) {
    pieces_.push_back({&access, access.row_begin, access.row_end});
    return;
  }
  is_worth_pruning_ = map->isWorthPruning();
  const EpochManager::Guard guard(epochs);
  formers_.clear();
  holes_.clear();
  for (const auto& chain : map->created()) {
    const Version* const creation = chain->newest();
    if (!creation || snapshot.sees(creation->timestamp.load(std::memory_order_acquire))) continue;
    const uint32_t begin = std::max(access.row_begin, Leaf::lowerBound(access.page_base, chain->first()));
    const uint32_t end = std::min(access.row_end, Leaf::lowerBound(access.page_base, chain->end()));
    if (begin < end) holes_.push_back({begin, end, -1});
  }
  const TupleId first = leaf.tupleId(access.row_begin);
  const auto& tuples = map->tuples();
  Former former;
  for (auto chain = std::ranges::lower_bound(tuples, first, {}, [](const auto& each) { return each->first(); });
       chain != tuples.end(); ++chain) {
    if (!(*chain)->newest()) continue;
    const TupleId id = (*chain)->first();
    const uint32_t row = Leaf::lowerBound(access.page_base, id);
    if (row >= access.row_end) break;
    if (leaf.tupleId(row) != id || !resolve(chain->get(), *map, id, leaf.isDeleted(row), snapshot, former)) continue;
    former.row = row;
    holes_.push_back({row, row + 1, former.exists ? static_cast<int32_t>(formers_.size()) : -1});
    if (former.exists) formers_.push_back(former);
  }
  // A run comes before what lies in it.
  std::ranges::sort(holes_, [](const Hole& left, const Hole& right) {
    return left.begin != right.begin ? left.begin < right.begin : left.end > right.end;
  });
  if (!formers_.empty()) rebuild(leaf, schema, columns);
  uint32_t position = access.row_begin;
  for (const Hole& hole : holes_) {
    if (hole.end <= position) continue;
    if (position < hole.begin) pieces_.push_back({&access, position, hole.begin});
    position = hole.end;
    if (hole.former < 0) continue;
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
  const auto* const map = static_cast<const VersionMap*>(leaf.frame().version_map.load(std::memory_order_acquire));
  const bool is_deleted = leaf.isDeleted(row);
  piece = {&leaf.access(), row, row + 1};
  if (!map) return !is_deleted;
  const EpochManager::Guard guard(epochs);
  const TupleId id = leaf.tupleId(row);
  Former former;
  if (!resolve(map->find(id), *map, id, is_deleted, snapshot, former)) return !is_deleted;
  if (!former.exists) return false;
  former.row = row;
  formers_.assign(1, former);
  rebuild(leaf, schema, {});
  piece = {&copies_.access(), 0, 1};
  return true;
}

/// Puts the former states of rows together, in their order. The page is held, and an epoch guard.
void VisibleRows::rebuild(const storage::LeafView& leaf, const storage::RelationSchema& schema,
                          std::span<const uint32_t> columns) {
  const size_t column_count = schema.size();
  values_.assign(formers_.size() * column_count, Datum{});
  null_flags_.assign(formers_.size() * column_count, 0);
  const auto isWanted = [&](uint32_t column) {
    return columns.empty() || std::ranges::find(columns, column) != columns.end();
  };
  uint64_t bytes = 0;
  for (size_t i = 0; i < formers_.size(); ++i) {
    Datum* const values = values_.data() + i * column_count;
    uint8_t* const null_flags = null_flags_.data() + i * column_count;
    for (uint32_t column = 0; column < column_count; ++column) {
      if (!isWanted(column)) {
        null_flags[column] = schema[column].nullable ? 1 : 0;
        continue;
      }
      bool is_null = false;
      values[column] = leaf.value(column, formers_[i].row, is_null);
      null_flags[column] = is_null ? 1 : 0;
    }
    for (const Version* version : formers_[i].undone) {
      for (uint32_t n = 0; n < version->column_count; ++n) {
        if (!isWanted(version->columns[n])) continue;
        values[version->columns[n]] = version->values[n];
        null_flags[version->columns[n]] = version->null_flags[n];
      }
    }
    bytes += storage::variableBytes(schema, values, null_flags);
  }
  const auto capacity = static_cast<uint32_t>(formers_.size());
  const uint64_t fixed_bytes = storage::leafFixedBytes(schema, schema.version(), capacity);
  bytes += fixed_bytes;
  if (page_bytes_ < bytes) {
    page_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    page_bytes_ = bytes;
  }
  std::memset(page_.get(), 0, fixed_bytes);
  reinterpret_cast<storage::LeafHeader*>(page_.get())->page.type = storage::PageType::RelationLeaf;
  Leaf::initialise(page_.get(), page_bytes_, schema, capacity, leaf.tupleId(formers_.front().row));
  Leaf copies(page_.get(), schema);
  for (size_t i = 0; i < formers_.size(); ++i) {
    uint64_t string_bytes = 0;
    const uint32_t appended = copies.append(leaf.tupleId(formers_[i].row), values_.data() + i * column_count,
                                            null_flags_.data() + i * column_count, 1, string_bytes);
    CHECK(appended == 1, "R1");
  }
  copies_.attachCopy(page_.get(), schema);
}

}  // namespace gnomon::txn
