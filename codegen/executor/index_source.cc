#include "codegen/executor/index_source.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "base/assert.h"
#include "codegen/executor/execution_state.h"
#include "sql/types/hash.h"
#include "storage/relation/leaf.h"

namespace gnomon::codegen {

namespace {

using storage::EncodedKey;
using storage::KeyBound;
using storage::StoredKind;

/// Tuple ids of a lookup that are charged at a time.
constexpr size_t kIdsPerCharge = 64 << 10;

/// After each claim that many times as many tuples are asked for.
constexpr size_t kClaimGrowth = 4;

/// Where an integer lies that the key's type may not be able to hold.
int sideOfRange(StoredKind kind, const storage::Datum& datum) {
  const auto value = static_cast<int64_t>(datum.lo);
  if (kind == StoredKind::Int16) return value < INT16_MIN ? -1 : value > INT16_MAX ? 1 : 0;
  if (kind == StoredKind::Int32) return value < INT32_MIN ? -1 : value > INT32_MAX ? 1 : 0;
  return 0;
}

bool haveEqualBits(StoredKind kind, const storage::Datum& left, const storage::Datum& right) {
  if (kind == StoredKind::String) return StringValue(left.lo, left.hi).view() == StringValue(right.lo, right.hi).view();
  return left.lo == right.lo && (kind != StoredKind::Int128 || left.hi == right.hi);
}

/// By what tells most of them apart: eight bytes behind those that all have in common.
void sortKeys(std::vector<storage::KeyView>& keys) {
  if (keys.size() < 2) return;
  size_t common = keys.front().size();
  for (const storage::KeyView key : keys) common = std::min(common, storage::commonPrefixBytes(keys.front(), key));
  struct Headed {
    uint64_t head;
    storage::KeyView key;
  };
  std::vector<Headed> headed;
  headed.reserve(keys.size());
  for (const storage::KeyView key : keys) {
    uint64_t head = 0;
    std::memcpy(&head, key.data() + common, std::min(sizeof(head), key.size() - common));
    headed.push_back({std::byteswap(head), key});
  }
  std::ranges::sort(headed, [](const Headed& left, const Headed& right) {
    return left.head != right.head ? left.head < right.head : left.key < right.key;
  });
  std::ranges::transform(headed, keys.begin(), &Headed::key);
}

}  // namespace

void TupleSource::requireUsable() const {
  CHECK(index_->isUsableFor(snapshot()), "who starts an execution has a plan for its snapshot");
}

void TupleSource::countScan() const {
  table().activity().add(txn::TableCount::IndexScans);
  index_->count(txn::TableIndex::Count::Scans);
}

void TupleSource::countRows(uint64_t rows) const {
  table().activity().add(txn::TableCount::IndexRows, rows);
  index_->count(txn::TableIndex::Count::Rows, rows);
}

void TupleSource::begin(const txn::Snapshot& snapshot) {
  setSnapshot(snapshot);
  bound_ = table().readBound();
  has_more_.store(true, std::memory_order_relaxed);
  requireUsable();
}

bool TupleSource::encodeParts(const IndexBoundValue* values, size_t count, EncodedKey& prefix) {
  parts_.resize(count);
  strings_.resize(count);
  for (size_t part = 0; part < count; ++part) {
    const storage::KeyPart& key_part = index().encoder().parts()[part];
    const storage::Datum& datum = values[part].datum;
    if (values[part].is_null != 0 || sideOfRange(key_part.kind, datum) != 0) return false;
    parts_[part].datum = datum;
    if (key_part.kind != StoredKind::String) continue;
    strings_[part] = StringValue(datum.lo, datum.hi);
    parts_[part].string = strings_[part].view();
  }
  try {
    index().encoder().encode(parts_, prefix);
  } catch (const SqlError& error) {
    // Nothing that long is in the index.
    if (!(error.state() == sqlstate::kProgramLimitExceeded)) throw;
    return false;
  }
  return true;
}

bool TupleSource::take(storage::IndexCursor& cursor, size_t count_max, std::vector<storage::TupleId>& ids) const {
  storage::IndexEntry entry;
  while (ids.size() < count_max) {
    if (!cursor.next(entry)) return false;
    if (isBelowBound(entry.id)) ids.push_back(entry.id);
  }
  return true;
}

/// Looks in the leaf at hand first: tuples that are neighbours in the index often are in the table.
bool TupleSource::find(storage::TupleId id, Morsel& morsel, uint32_t& row) const {
  if (morsel.leaf.holds() && morsel.leaf.rowCount() > 0) {
    const storage::LeafAccess& access = morsel.leaf.access();
    if (id >= morsel.leaf.tupleId(access.row_begin) && !(morsel.leaf.tupleId(access.row_end - 1) < id)) {
      row = storage::Leaf::lowerBound(access.page_base, id);
      return morsel.leaf.tupleId(row) == id;
    }
  }
  return table().relation().findStored(id, morsel.leaf, row, columns_);
}

bool TupleSource::see(Morsel& morsel, uint32_t row, txn::VisibleRows::Piece& piece) const {
  return morsel.rows.attachRow(morsel.leaf, row, table().schema(), snapshot(), table().transactions().epochs(), piece);
}

bool TupleSource::next(Morsel& morsel) {
  for (;;) {
    if (morsel.next_tuple == morsel.tuples.size()) {
      morsel.leaf.release();
      morsel.tuples.clear();
      morsel.next_tuple = 0;
      if (!has_more_.load(std::memory_order_relaxed)) return false;
      const std::scoped_lock lock(mutex_);
      if (has_more_.load(std::memory_order_relaxed)) has_more_.store(claim(morsel.tuples), std::memory_order_relaxed);
      if (morsel.tuples.empty()) return false;
      if (claimsEntries()) index_->count(txn::TableIndex::Count::Entries, morsel.tuples.size());
    }
    if (!takeTuple(morsel.tuples[morsel.next_tuple++], morsel)) continue;
    takeNeighbours(morsel);
    countRows(morsel.end - morsel.begin);
    return true;
  }
}

/// Tuples that are claimed one after the other, and lie so behind the piece at hand, become a part of it.
void TupleSource::takeNeighbours(Morsel& morsel) const {
  const storage::LeafAccess& access = morsel.leaf.access();
  if (morsel.data != &access) return;
  const auto begin = static_cast<uint32_t>(morsel.end);
  uint32_t end = begin;
  const auto isNext = [&](size_t next) { return morsel.leaf.tupleId(end) == morsel.tuples[next]; };
  for (size_t next = morsel.next_tuple; next < morsel.tuples.size() && end < access.row_end && isNext(next); ++next)
    ++end;
  if (end == begin) return;
  end = morsel.rows.endOfRun(morsel.leaf, begin, end, snapshot(), table().transactions().epochs());
  morsel.end = end;
  morsel.next_tuple += end - begin;
}

bool TupleSource::takeTuple(storage::TupleId id, Morsel& morsel) {
  uint32_t row = 0;
  return find(id, morsel, row) && takeRow(morsel, row);
}

bool TupleSource::takeRow(Morsel& morsel, uint32_t row) const {
  txn::VisibleRows::Piece piece{};
  if (!see(morsel, row, piece)) return false;
  setPiece(morsel, piece);
  return true;
}

bool TupleSource::takeOne(std::span<const uint64_t> ids, Morsel& morsel, uint32_t& row) const {
  index_->count(txn::TableIndex::Count::Entries, ids.size());
  for (const uint64_t id : ids)
    if (isBelowBound(storage::TupleId{id}) && find(storage::TupleId{id}, morsel, row) && takeRow(morsel, row))
      return true;
  morsel.leaf.release();
  return false;
}

/// The tuples that are left are looked up again.
void TupleSource::suspend(Morsel& morsel) {
  morsel.next_tuple -= morsel.end - morsel.begin;
  clear(morsel);
}

namespace {

/// The keys that begin with the equal parts, and whose next part lies between two bounds: both ends as key bytes. A
/// part's bytes begin with a mark (KeyEncoder); nulls are outside of every bound.
class RangeEnds {
 public:
  RangeEnds(const storage::KeyEncoder& encoder, size_t part, const EncodedKey& prefix)
      : encoder_(encoder), part_(part), low_(prefix), high_(prefix) {}

  /// All keys with the prefix.
  void useWholePrefix() { has_high_ = high_.makePrefixEnd(); }
  /// All keys whose next part is not null.
  void useValues() {
    low_.append(storage::kLeastValueMark);
    high_.append(storage::kAboveValuesMark);
    has_high_ = true;
  }
  /// Keys from, or above, the value of the next part. `is_inclusive`: that value itself too.
  void bound(bool is_low, bool is_inclusive, const EncodedKey& prefix, const storage::KeyValue& value) {
    const bool begins = is_low != encoder_.parts()[part_].descending;
    EncodedKey key(prefix.view());
    EncodedKey part;
    storage::KeyEncoder({encoder_.parts()[part_]}).encode({&value, 1}, part);
    key.append(part.view());
    // What stands behind all keys that begin so is their end, or the beginning of what lies above them.
    const bool behind = begins != is_inclusive;
    if (behind && !key.makePrefixEnd()) return;
    (begins ? low_ : high_) = key;
    if (!begins) has_high_ = true;
  }
  [[nodiscard]] storage::KeyRange range() const {
    storage::KeyRange range;
    range.low = {KeyBound::Kind::Inclusive, low_.view()};
    if (has_high_) range.high = {KeyBound::Kind::Exclusive, high_.view()};
    return range;
  }

 private:
  const storage::KeyEncoder& encoder_;
  const size_t part_;
  EncodedKey low_, high_;
  bool has_high_ = false;
};

}  // namespace

/// Not where two tuples may have one key for a while.
bool TupleSource::isWholeKey(size_t part_count) const {
  const txn::IndexDefinition& definition = index_->definition();
  return definition.is_unique && !index_->deferral() && part_count == definition.parts.size();
}

/// Where equal bits mean equal keys. A tuple's key never changes: it goes, and another one comes.
bool TupleSource::mayHaveHints() const {
  const txn::IndexDefinition& definition = index_->definition();
  if (definition.expressions || definition.is_partial || definition.extractor) return false;
  return std::ranges::all_of(definition.parts, [](const storage::KeyPart& part) {
    return part.kind != StoredKind::Float32 && part.kind != StoredKind::Float64 && part.kind != StoredKind::Interval;
  });
}

bool TupleSource::areEqualKeysAlike() const {
  return std::ranges::none_of(index_->definition().parts, [](const storage::KeyPart& part) {
    return part.kind == StoredKind::String && (part.is_blank_padded || part.append_ordered != nullptr);
  });
}

/// Those of the key are compared.
void TupleSource::setHinted(HintedColumns& columns, uint32_t mask) const {
  columns.all = index_->definition().columns;
  std::ranges::copy_if(columns_, std::back_inserter(columns.all),
                       [mask](uint32_t column) { return (mask >> column % 32 & 1) != 0; });
  columns.strings.clear();
  std::ranges::copy_if(columns.all, std::back_inserter(columns.strings), [&](uint32_t column) {
    return column < table().schema().size() && table().schema()[column].kind == StoredKind::String;
  });
}

namespace {

uint64_t addToKeyHash(uint64_t hash, const storage::KeyPart& part, const storage::Datum& datum) {
  const bool is_string = part.kind == StoredKind::String;
  return sql::combineHash(hash, is_string ? sql::hashBytes(StringValue(datum.lo, datum.hi).view()) : datum.lo);
}

}  // namespace

uint64_t TupleSource::keyHash(const IndexBoundValue* values) const {
  uint64_t hash = 0;
  for (const storage::KeyPart& part : index_->definition().parts) hash = addToKeyHash(hash, part, (values++)->datum);
  return hash;
}

bool TupleSource::hasKey(const IndexBoundValue* values, const storage::LeafView& leaf, uint32_t row) const {
  const txn::IndexDefinition& definition = index_->definition();
  const storage::LeafAccess& access = leaf.access();
  for (size_t part = 0; part < definition.parts.size(); ++part) {
    const uint32_t column = definition.columns[part];
    // Most keys are such integers, and none of them null.
    if (definition.parts[part].kind == StoredKind::Int32 && column < access.column_count &&
        access.null_offsets[column] == 0) {
      int32_t found;
      std::memcpy(&found, access.page_base + access.column_offsets[column] + row * sizeof(found), sizeof(found));
      if (found != static_cast<int64_t>(values[part].datum.lo)) return false;
      continue;
    }
    bool is_null = false;
    const storage::Datum found = leaf.value(column, row, is_null);
    if (is_null || !haveEqualBits(definition.parts[part].kind, found, values[part].datum)) return false;
  }
  return true;
}

bool TupleSource::takeHinted(uint64_t hash, const Place& place, const IndexBoundValue* values, Morsel& morsel) const {
  if (!table().relation().findAt(*place.frame, place.row, morsel.leaf)) return false;
  const bool is_taken = hasKey(values, morsel.leaf, place.row) && isBelowBound(morsel.leaf.tupleId(place.row)) &&
                        takeRow(morsel, place.row);
  if (is_taken)
    index_->hints().noteHit(hash, place);
  else
    morsel.leaf.release();
  return is_taken;
}

void TupleSource::prefetchNow(const Place& place, const HintedColumns& columns, const storage::LeafView& like) const {
  const storage::Relation& relation = table().relation();
  relation.prefetchAt(*place.frame, place.row, columns.all, like);
  if (!columns.strings.empty()) relation.prefetchStrings(*place.frame, place.row, columns.strings);
}

void TupleSource::prefetchPlace(const Place& place) const {
  table().relation().prefetchPlace(*place.frame, place.row);
}

void TupleSource::prefetchRow(const Place& place, const HintedColumns& columns) const {
  table().relation().prefetchRow(*place.frame, place.row, columns.all);
  txn::VisibleRows::prefetch(*place.frame, txn::VisibleRows::Ahead::Map, snapshot(), table().transactions().epochs(),
                             columns.all);
}

void TupleSource::prefetchStrings(const Place& place, const HintedColumns& columns) const {
  if (!columns.strings.empty()) table().relation().prefetchStrings(*place.frame, place.row, columns.strings);
  txn::VisibleRows::prefetch(*place.frame, txn::VisibleRows::Ahead::Tuples, snapshot(), table().transactions().epochs(),
                             columns.all);
}

/// That of a row's key; 0: a part is NULL.
uint64_t TupleSource::keyHashOf(const storage::LeafView& leaf, uint32_t row) const {
  const txn::IndexDefinition& definition = index_->definition();
  uint64_t hash = 0;
  for (size_t part = 0; part < definition.parts.size(); ++part) {
    bool is_null = false;
    const storage::Datum datum = leaf.value(definition.columns[part], row, is_null);
    if (is_null) return 0;
    hash = addToKeyHash(hash, definition.parts[part], datum);
  }
  return hash;
}

/// The rows behind it are mostly looked for later, or sooner: their keys lie beside its own, and a descent less is
/// worth many notes. Not where keys have strings, which lie elsewhere.
void TupleSource::noteFound(uint64_t hash, const Morsel& morsel, uint32_t row) const {
  constexpr uint32_t kNeighbours = 15;
  storage::KeyHints& hints = index_->hints();
  storage::Frame& frame = morsel.leaf.frame();
  if (!hints.noteMiss(hash, frame, row, table().tupleCountEstimate())) return;
  const auto isString = [](const storage::KeyPart& part) { return part.kind == StoredKind::String; };
  if (std::ranges::any_of(index_->definition().parts, isString)) return;
  std::array<uint64_t, kNeighbours> hashes;
  const uint32_t count = std::min(kNeighbours, morsel.leaf.access().row_end - row - 1);
  for (uint32_t i = 0; i < count; ++i) {
    hashes[i] = keyHashOf(morsel.leaf, row + 1 + i);
    hints.prefetch(hashes[i]);
  }
  for (uint32_t i = 0; i < count; ++i)
    if (hashes[i] != 0) hints.noteNeighbour(hashes[i], frame, row + 1 + i);
}

/// False: there is no such tuple, or it has to be looked for as those of other bounds are (is_taken_).
bool IndexSource::takeKey(Morsel& morsel) {
  const bool uses_hints = has_hints_ && !hasNull();
  const uint64_t hash = uses_hints ? keyHash(values()) : 0;
  if (const Place place = uses_hints ? placeOf(hash) : Place{}; place.frame != nullptr) {
    if (hash != asked_hash_) prefetchNow(place, read_columns_, morsel.leaf);
    if (takeHinted(hash, place, values(), morsel)) {
      index().count(txn::TableIndex::Count::Entries, 1);
      countScan();
      countRows(1);
      return true;
    }
  }
  EncodedKey key;
  storage::PrefixRun run{.count = 0, .is_whole = true, .tuple_ids = {}};
  if (!hasNull() && encodeParts(values(), shape().equal_count, key)) index().tree().findRun(key.view(), run);
  if (!run.is_whole) {
    is_taken_.store(false, std::memory_order_relaxed);
    return false;
  }
  countScan();
  uint32_t row = 0;
  if (!takeOne({run.tuple_ids, run.count}, morsel, row)) return false;
  countRows(1);
  if (uses_hints) noteFound(hash, morsel, row);
  return true;
}

void IndexSource::Ahead::begin(const IndexSource& source) {
  hash_ = source.has_hints_ && !source.hasNull() ? source.keyHash(source.values()) : 0;
  next_ = hash_ != 0 ? Next::Place : Next::Nothing;
  if (hash_ != 0) source.prefetchHint(hash_);
}

void IndexSource::Ahead::step(const IndexSource& source) {
  switch (next_) {
    case Next::Place:
      place_ = source.placeOf(hash_);
      if (place_.frame == nullptr) {
        *this = Ahead();
        return;
      }
      source.prefetchPlace(place_);
      next_ = Next::Row;
      return;
    case Next::Row:
      source.prefetchRow(place_, source.read_columns_);
      next_ = Next::Strings;
      return;
    case Next::Strings:
      source.prefetchStrings(place_, source.read_columns_);
      next_ = Next::Nothing;
      return;
    case Next::Nothing:
      return;
  }
}

void IndexSource::noteRead(uint32_t columns) {
  if (columns == read_mask_ || !has_hints_) return;
  read_mask_ = columns;
  setHinted(read_columns_, columns);
}

bool IndexSource::next(Morsel& morsel) {
  if (!is_of_one_ || is_open_) return TupleSource::next(morsel);
  if (is_taken_.exchange(true, std::memory_order_relaxed)) {
    morsel.leaf.release();
    return false;
  }
  if (takeKey(morsel)) return morsel.is_last = true;
  return is_taken_.load(std::memory_order_relaxed) ? false : TupleSource::next(morsel);
}

void IndexSource::suspend(Morsel& morsel) {
  if (!is_of_one_ || is_open_) return TupleSource::suspend(morsel);
  if (morsel.begin < morsel.end) is_taken_.store(false, std::memory_order_relaxed);
  clear(morsel);
}

bool IndexSource::park() {
  is_open_ = is_in_range_ = false;
  is_taken_.store(false, std::memory_order_relaxed);
  // Where more had to be asked for, since the first ones are deleted, it will be so again.
  const size_t asked = std::exchange(claims_, 0);
  if (asked > 2)
    first_claim_ = std::min(first_claim_ * kClaimGrowth, IndexRangeShape::kFirstTuples);
  else if (asked == 1)
    first_claim_ = std::max(first_claim_ / kClaimGrowth, shape().first_claim);
  tuples_per_claim_ = first_claim_;
  return true;
}

void BoundedSource::restart(ExecutionState& state) {
  begin(state.context.snapshot);
}

bool BoundedSource::hasNull() const {
  return std::ranges::any_of(values_, [](const IndexBoundValue& value) { return value.is_null != 0; });
}

/// Those that begin with the prefix, if there are few of them: without a cursor.
bool TupleSource::takeRun(const EncodedKey& prefix, bool is_backward, std::vector<storage::TupleId>& ids,
                          storage::IndexTree::LeafHint* hint) const {
  storage::PrefixRun run;
  index().tree().findRun(prefix.view(), run, hint);
  if (!run.is_whole) return false;
  for (uint32_t i = 0; i < run.count; ++i) {
    const storage::TupleId id{run.tuple_ids[is_backward ? run.count - 1 - i : i]};
    if (isBelowBound(id)) ids.push_back(id);
  }
  return true;
}

void IndexSource::open(std::vector<storage::TupleId>& ids) {
  is_open_ = true;
  countScan();
  if (hasNull()) return;
  EncodedKey prefix;
  if (!encodeParts(values(), shape().equal_count, prefix)) return;
  const bool has_run = shape().equal_count > 0 && !shape().has_low && !shape().has_high && !shape().excludes_nulls &&
                       shape().first_claim == IndexRangeShape::kFirstTuples;
  if (!has_run || !takeRun(prefix, shape().is_backward, ids)) openCursor(prefix);
}

void IndexSource::openCursor(const EncodedKey& prefix) {
  const size_t part = shape().equal_count;
  RangeEnds ends(index().encoder(), part, prefix);
  if (shape().has_low || shape().has_high || shape().excludes_nulls)
    ends.useValues();
  else
    ends.useWholePrefix();
  size_t next = part;
  for (const bool is_low : {true, false}) {
    if (!(is_low ? shape().has_low : shape().has_high)) continue;
    const storage::Datum& datum = values()[next++].datum;
    const storage::KeyPart& key_part = index().encoder().parts()[part];
    const int side = sideOfRange(key_part.kind, datum);
    // Below every value, a lower bound bounds nothing and an upper one leaves nothing.
    if (side != 0 && (side < 0) != is_low) return;
    if (side != 0) continue;
    const StringValue string = key_part.kind == StoredKind::String ? StringValue(datum.lo, datum.hi) : StringValue();
    std::string_view bytes = string.view();
    // A longer value cannot be in a key: its beginning bounds as well, as the filters look at the rows again.
    const bool is_cut = bytes.size() > storage::kKeyBytesMax / 4;
    if (is_cut) bytes = bytes.substr(0, storage::kKeyBytesMax / 4);
    if (is_cut && !is_low) continue;
    const bool is_inclusive = is_cut || (is_low ? shape().is_low_inclusive : shape().is_high_inclusive);
    ends.bound(is_low, is_inclusive, prefix, {datum, bytes, false});
  }
  const storage::KeyRange range = ends.range();
  if (range.high.kind == KeyBound::Kind::Exclusive && range.low.key >= range.high.key) return;
  const auto direction = shape().is_backward ? storage::ScanDirection::Backward : storage::ScanDirection::Forward;
  if (cursor_)
    cursor_->restart(range);
  else
    cursor_.emplace(index().tree(), range, direction, storage::CursorContent::TupleIds);
  is_in_range_ = true;
}

bool IndexSource::claim(std::vector<storage::TupleId>& ids) {
  if (!is_open_) open(ids);
  if (is_in_range_) is_in_range_ = take(*cursor_, tuples_per_claim_, ids);
  ++claims_;
  tuples_per_claim_ = std::min(tuples_per_claim_ * kClaimGrowth, kTuplesPerClaim);
  return is_in_range_;
}

void FoundTuples::charge(MemoryAccount& memory, uint64_t bytes) {
  memory.charge(bytes);
  memory_ = &memory;
  charged_bytes_ += bytes;
}

bool FoundTuples::claim(size_t count, std::vector<storage::TupleId>& ids) {
  const size_t end = std::min(ids_.size(), next_ + count);
  ids.assign(ids_.begin() + static_cast<ptrdiff_t>(next_), ids_.begin() + static_cast<ptrdiff_t>(end));
  next_ = end;
  return next_ < ids_.size();
}

void FoundTuples::release() {
  if (memory_ != nullptr) memory_->release(charged_bytes_);
  charged_bytes_ = 0;
  ids_ = {};
  next_ = 0;
}

/// Adds the tuples whose keys begin so. `cancel` and `memory`: null: nobody asks, or counts.
void LookupSource::lookUp(const EncodedKey& prefix, storage::IndexTree::LeafHint* hint, const CancelToken* cancel,
                          MemoryAccount* memory, std::vector<storage::TupleId>& ids) {
  const auto charge = [&](size_t before) {
    if (memory != nullptr) found_.charge(*memory, (ids.size() - before) * sizeof(storage::TupleId));
  };
  const size_t first = ids.size();
  if (takeRun(prefix, false, ids, hint)) return charge(first);
  EncodedKey end = prefix;
  storage::KeyRange range;
  range.low = {KeyBound::Kind::Inclusive, prefix.view()};
  if (end.makePrefixEnd()) range.high = {KeyBound::Kind::Exclusive, end.view()};
  storage::IndexCursor cursor(index().tree(), range, storage::ScanDirection::Forward, storage::CursorContent::TupleIds);
  for (bool is_more = true; is_more;) {
    if (cancel != nullptr) cancel->poll();
    const size_t before = ids.size();
    is_more = take(cursor, before + kIdsPerCharge, ids);
    charge(before);
  }
}

void LookupSource::open(const std::vector<IndexBoundValue*>& keys, size_t part_count, const CancelToken& cancel,
                        MemoryAccount& memory) {
  countScan();
  if (keys.size() <= kHintedKeysMax && isWholeKey(part_count) && mayHaveHints() && areEqualKeysAlike())
    return openHinted(keys, part_count, memory);
  found_.charge(memory, keys.size() * sizeof(storage::KeyView));
  // In the order of the index: neighbouring keys are in the same page.
  Arena key_bytes(&memory);
  std::vector<storage::KeyView> prefixes;
  prefixes.reserve(keys.size());
  EncodedKey prefix;
  for (const IndexBoundValue* values : keys)
    if (encodeParts(values, part_count, prefix)) prefixes.push_back(key_bytes.copy(prefix.view()));
  sortKeys(prefixes);
  const auto repeated = std::ranges::unique(prefixes);
  prefixes.erase(repeated.begin(), repeated.end());
  size_t looked_up = 0;
  storage::IndexTree::LeafHint hint;
  for (const storage::KeyView bytes : prefixes) {
    prefix.assign(bytes);
    if (looked_up++ % kTuplesPerClaim == 0) cancel.poll();
    lookUp(prefix, &hint, &cancel, &memory, found_.ids());
  }
  std::ranges::sort(found_.ids());
}

/// Of equal keys the first one stays.
void LookupSource::dropRepeated(size_t part_count) {
  constexpr uint32_t kFree = UINT32_MAX;
  const auto isEqual = [&](const Key& left, const Key& right) {
    if (left.hash != right.hash) return false;
    for (size_t part = 0; part < part_count; ++part)
      if (!haveEqualBits(index().definition().parts[part].kind, left.values[part].datum, right.values[part].datum))
        return false;
    return true;
  };
  std::vector<uint32_t> places(std::bit_ceil(2 * keys_.size() + 1), kFree);
  uint32_t count = 0;
  for (const Key& key : keys_) {
    size_t place = key.hash & (places.size() - 1);
    while (places[place] != kFree && !isEqual(keys_[places[place]], key)) place = (place + 1) & (places.size() - 1);
    if (places[place] != kFree) continue;
    places[place] = count;
    keys_[count++] = key;
  }
  keys_.erase(keys_.begin() + count, keys_.end());
}

/// Keys take the places of tuple ids.
void LookupSource::openHinted(const std::vector<IndexBoundValue*>& keys, size_t part_count, MemoryAccount& memory) {
  constexpr size_t kPlaceBytesMax = 4 * sizeof(uint32_t);
  found_.charge(memory, keys.size() * (sizeof(Key) + sizeof(storage::TupleId) + kPlaceBytesMax));
  setHinted(hinted_columns_);
  keys_.reserve(keys.size());
  for (const IndexBoundValue* values : keys) {
    const bool has_null =
        std::any_of(values, values + part_count, [](const IndexBoundValue& value) { return value.is_null != 0; });
    if (!has_null) keys_.push_back({.hash = keyHash(values), .values = values});
  }
  dropRepeated(part_count);
  for (size_t key = 0; key < keys_.size(); ++key) found_.ids().push_back(storage::TupleId{kKeyMark | key});
}

bool LookupSource::takeTuple(storage::TupleId id, Morsel& morsel) {
  if ((id.value & kKeyMark) == 0) return TupleSource::takeTuple(id, morsel);
  const size_t number = id.value & ~kKeyMark;
  lookAhead(number);
  const Key& key = keys_[number];
  const Place place = placeOf(key.hash);
  if (place.frame == nullptr || !takeHinted(key.hash, place, key.values, morsel)) return takeLookedUp(key, morsel);
  index().count(txn::TableIndex::Count::Entries, 1);
  return true;
}

/// What the keys behind this one lead to is asked of memory: hints first, then what they lead to, and so on.
void LookupSource::lookAhead(size_t number) {
  constexpr size_t kStringsAhead = 2, kRowsAhead = 4, kPlacesAhead = 7, kHintsAhead = 10;
  // Of the first one, for all up to there.
  const auto forEachUpTo = [&](size_t ahead, const auto& prefetch) {
    for (size_t key = number == 0 ? 0 : number + ahead; key <= number + ahead && key < keys_.size(); ++key)
      prefetch(keys_[key]);
  };
  forEachUpTo(kHintsAhead, [&](const Key& key) { prefetchHint(key.hash); });
  forEachUpTo(kPlacesAhead, [&](Key& key) {
    key.place = placeOf(key.hash);
    if (key.place.frame != nullptr) prefetchPlace(key.place);
  });
  forEachUpTo(kRowsAhead, [&](const Key& key) {
    if (key.place.frame != nullptr) prefetchRow(key.place, hinted_columns_);
  });
  forEachUpTo(kStringsAhead, [&](const Key& key) {
    if (key.place.frame != nullptr) prefetchStrings(key.place, hinted_columns_);
  });
}

/// By the index.
bool LookupSource::takeLookedUp(const Key& key, Morsel& morsel) {
  EncodedKey prefix;
  {
    const std::scoped_lock lock(encoder_mutex_);
    if (!encodeParts(key.values, index().definition().parts.size(), prefix)) return false;
  }
  std::vector<storage::TupleId> ids;
  lookUp(prefix, nullptr, nullptr, nullptr, ids);
  std::vector<uint64_t> numbers;
  for (const storage::TupleId id : ids) numbers.push_back(id.value);
  uint32_t row = 0;
  if (!takeOne(numbers, morsel, row)) return false;
  noteFound(key.hash, morsel, row);
  return true;
}

IndexBoundValue* rt::indexBoundValues(BoundedSource* source) {
  return source->values();
}

IndexBoundValue* rt::lookupNextKey(LookupKeys* keys) {
  return keys->next();
}

}  // namespace gnomon::codegen
