#include "codegen/executor/index_source.h"

#include <algorithm>

#include "base/string_value.h"
#include "storage/relation/leaf.h"

namespace gnomon::codegen {

namespace {

using storage::EncodedKey;
using storage::KeyBound;
using storage::StoredKind;

/// Entries that a worker claims at a time.
constexpr size_t kTuplesPerClaim = 256;

/// Where an integer lies that the key's type may not be able to hold.
int sideOfRange(StoredKind kind, const storage::Datum& datum) {
  const auto value = static_cast<int64_t>(datum.lo);
  if (kind == StoredKind::Int16) return value < INT16_MIN ? -1 : value > INT16_MAX ? 1 : 0;
  if (kind == StoredKind::Int32) return value < INT32_MIN ? -1 : value > INT32_MAX ? 1 : 0;
  return 0;
}

}  // namespace

/// False: no key begins with these values.
bool IndexSource::encodeEqual(EncodedKey& prefix) const {
  std::vector<storage::KeyValue> parts(shape_.equal_count);
  std::vector<StringValue> strings(shape_.equal_count);
  for (size_t part = 0; part < shape_.equal_count; ++part) {
    const storage::KeyPart& key_part = index_->encoder().parts()[part];
    if (sideOfRange(key_part.kind, values_[part].datum) != 0) return false;
    parts[part].datum = values_[part].datum;
    if (key_part.kind != StoredKind::String) continue;
    strings[part] = StringValue(parts[part].datum.lo, parts[part].datum.hi);
    parts[part].string = strings[part].view();
  }
  try {
    index_->encoder().encode(parts, prefix);
  } catch (const SqlError& error) {
    if (!(error.state() == sqlstate::kProgramLimitExceeded)) throw;
    return false;
  }
  return true;
}

namespace {

/// The keys that begin with the equal parts, and whose next part lies between two bounds: both ends as key bytes. A
/// part's bytes begin with a mark for values and nulls; nulls are outside of every bound.
class RangeEnds {
 public:
  RangeEnds(const storage::KeyEncoder& encoder, size_t part, const EncodedKey& prefix)
      : encoder_(encoder), part_(part), low_(prefix), high_(prefix) {}

  /// All keys with the prefix.
  void useWholePrefix() { has_high_ = high_.makePrefixEnd(); }
  /// All keys whose next part is not null.
  void useValues() {
    constexpr char kValue = 2;
    low_.append(kValue);
    high_.append(kValue);
    has_high_ = high_.makePrefixEnd();
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

void IndexSource::open() {
  is_open_ = true;
  if (std::ranges::any_of(values_, [](const IndexBoundValue& value) { return value.is_null != 0; })) return;
  EncodedKey prefix;
  if (!encodeEqual(prefix)) return;
  const size_t part = shape_.equal_count;
  RangeEnds ends(index_->encoder(), part, prefix);
  if (shape_.has_low || shape_.has_high)
    ends.useValues();
  else
    ends.useWholePrefix();
  size_t next = part;
  for (const bool is_low : {true, false}) {
    if (!(is_low ? shape_.has_low : shape_.has_high)) continue;
    const storage::Datum& datum = values_[next++].datum;
    const storage::KeyPart& key_part = index_->encoder().parts()[part];
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
    const bool is_inclusive = is_cut || (is_low ? shape_.is_low_inclusive : shape_.is_high_inclusive);
    ends.bound(is_low, is_inclusive, prefix, {datum, bytes, false});
  }
  const storage::KeyRange range = ends.range();
  if (range.high.kind == KeyBound::Kind::Exclusive && range.low.key >= range.high.key) return;
  cursor_ = std::make_unique<storage::IndexCursor>(index_->tree(), range);
}

bool IndexSource::claimMore(Morsel& morsel) {
  morsel.tuples.clear();
  morsel.next_tuple = 0;
  const std::scoped_lock lock(mutex_);
  if (!is_open_) open();
  storage::IndexEntry entry;
  while (cursor_ && morsel.tuples.size() < kTuplesPerClaim) {
    if (!cursor_->next(entry)) {
      cursor_.reset();
      break;
    }
    if (entry.id < bound_) morsel.tuples.push_back(entry.id);
  }
  return !morsel.tuples.empty();
}

/// Looks in the leaf at hand first: tuples that are neighbours in the index often are in the table.
bool IndexSource::find(storage::TupleId id, Morsel& morsel, uint32_t& row) const {
  if (morsel.leaf.holds() && morsel.leaf.rowCount() > 0) {
    const storage::LeafAccess& access = morsel.leaf.access();
    if (id >= morsel.leaf.tupleId(0) && !(morsel.leaf.tupleId(access.row_end - 1) < id)) {
      row = storage::Leaf::lowerBound(access.page_base, id);
      return morsel.leaf.tupleId(row) == id && !morsel.leaf.isDeleted(row);
    }
  }
  return table().relation().find(id, morsel.leaf, row);
}

bool IndexSource::next(Morsel& morsel) {
  for (;;) {
    if (morsel.next_tuple == morsel.tuples.size()) {
      morsel.leaf.release();
      if (!claimMore(morsel)) return false;
    }
    uint32_t row = 0;
    if (!find(morsel.tuples[morsel.next_tuple++], morsel, row)) continue;
    morsel.data = &morsel.leaf.access();
    morsel.begin = row;
    uint32_t end = row + 1;
    while (morsel.next_tuple < morsel.tuples.size() && end < morsel.leaf.access().row_end &&
           morsel.leaf.tupleId(end) == morsel.tuples[morsel.next_tuple]) {
      ++end;
      ++morsel.next_tuple;
    }
    morsel.end = end;
    return true;
  }
}

IndexBoundValue* rt::indexBoundValues(IndexSource* source) {
  return source->values();
}

}  // namespace gnomon::codegen
