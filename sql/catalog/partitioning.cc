#include "sql/catalog/partitioning.h"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/algebra/index_expressions.h"
#include "sql/catalog/catalog_view.h"
#include "sql/catalog/dependent_keys.h"
#include "sql/catalog/stored_schema.h"
#include "sql/parse/identifier.h"
#include "sql/types/failing_row.h"
#include "sql/types/text_io.h"
#include "txn/key_expressions.h"

namespace gnomon::sql {
namespace {

using storage::EncodedKey;
using storage::KeyValue;
using storage::StoredKind;
using EndKind = PartitionBound::End::Kind;

/// A value with what its bytes refer to.
KeyValue keyValueOf(const Value& value) {
  if (value.is_null) return {{}, {}, true};
  const bool is_string = value.type.physical() == Physical::String;
  return {{value.lo, value.hi}, is_string ? std::string_view(value.bytes) : std::string_view(), false};
}

/// All keys that begin with the ends before MINVALUE or MAXVALUE lie above, or below, what this gives.
void encodeEnd(const storage::KeyEncoder& encoder, const std::vector<PartitionBound::End>& ends, EncodedKey& key) {
  std::vector<KeyValue> values;
  for (const PartitionBound::End& end : ends) {
    if (end.kind != EndKind::Value) break;
    values.push_back(keyValueOf(end.value));
  }
  encoder.encode(values, key);
  if (values.size() < ends.size() && ends[values.size()].kind == EndKind::Maximum)
    key.append(storage::kAboveValuesMark);
}

std::string rowOfKey(const TableEntry& table, const PartitionKey& key, const storage::Datum* values,
                     const uint8_t* null_flags, const Partitioning::Scratch& scratch) {
  std::string names, texts;
  for (size_t i = 0; i < key.parts.size(); ++i) {
    const uint32_t column = key.parts[i].column;
    names.append(names.empty() ? "" : ", ");
    names += key.expressions != nullptr ? key.expressions->texts[i] : quotedIdentifier(table.columns[column].name);
    texts.append(i == 0 ? "" : ", ");
    const storage::Datum& value = key.expressions ? scratch.parts[i] : values[column];
    if ((key.expressions ? scratch.part_nulls[i] : null_flags[column]) != 0)
      texts += "null";
    else
      appendFailingValue(key.types[i], value.lo, value.hi, ByteaOutput::Hex, texts);
  }
  return fmt::format("Partition key of the failing row contains ({}) = ({}).", names, texts);
}

/// Where an integer lies that the part's type may not be able to hold.
int sideOfRange(StoredKind kind, const storage::Datum& datum) {
  const auto value = static_cast<int64_t>(datum.lo);
  if (kind == StoredKind::Int16) return value < INT16_MIN ? -1 : value > INT16_MAX ? 1 : 0;
  if (kind == StoredKind::Int32) return value < INT32_MIN ? -1 : value > INT32_MAX ? 1 : 0;
  return 0;
}

/// The place of a partition among the others.
using Place = std::pair<bool, std::string>;

Place placeOf(const storage::KeyEncoder& encoder, const TableEntry& partition) {
  const PartitionBound& bound = partition.partition->bound;
  EncodedKey key;
  if (!bound.from.empty()) {
    encodeEnd(encoder, bound.from, key);
  } else if (!bound.values.empty()) {
    // By the least of its values.
    std::string least;
    for (const Value& value : bound.values) {
      EncodedKey each;
      const KeyValue part = keyValueOf(value);
      encoder.encode({&part, 1}, each);
      if (least.empty() || each.view() < least) least = each.view();
    }
    return {bound.is_default, least};
  } else if (!bound.is_default) {
    return {false, fmt::format("{:010}{:010}", bound.modulus, bound.remainder)};
  }
  return {bound.is_default, std::string(key.view())};
}

void sortByPlace(const storage::KeyEncoder& encoder, std::vector<TablePtr>& partitions) {
  std::vector<std::pair<Place, TablePtr>> placed;
  placed.reserve(partitions.size());
  for (TablePtr& each : partitions) {
    Place place = placeOf(encoder, *each);
    placed.emplace_back(std::move(place), std::move(each));
  }
  std::ranges::sort(placed, {}, &std::pair<Place, TablePtr>::first);
  for (size_t i = 0; i < placed.size(); ++i) partitions[i] = std::move(placed[i].second);
}

}  // namespace

std::vector<uint32_t> PartitionKey::columns() const {
  if (expressions) return mentionedColumns(*expressions);
  std::vector<uint32_t> result;
  for (const IndexColumn& part : parts) result.push_back(part.column);
  std::ranges::sort(result);
  const auto repeated = std::ranges::unique(result);
  result.erase(repeated.begin(), repeated.end());
  return result;
}

storage::KeyEncoder Partitioning::encoderOf(const PartitionKey& key) {
  std::vector<storage::KeyPart> parts;
  for (const Type type : key.types) parts.push_back(keyPart(type, false, false));
  return storage::KeyEncoder(std::move(parts));
}

Partitioning::Partitioning(std::shared_ptr<const PartitionKey> key, std::vector<TablePtr> partitions)
    : key_(std::move(key)), encoder_(encoderOf(*key_)), partitions_(std::move(partitions)) {
  sortByPlace(encoder_, partitions_);
  uint32_t largest = 0;
  for (const TablePtr& each : partitions_) largest = std::max(largest, each->partition->bound.modulus);
  by_remainder_.assign(largest, kNone);
  for (uint32_t i = 0; i < partitions_.size(); ++i) {
    const TableEntry& partition = *partitions_[i];
    first_leaf_.push_back(static_cast<uint32_t>(leaves_.size()));
    if (partition.partitioning) {
      const auto& below = partition.partitioning->leaves();
      leaves_.insert(leaves_.end(), below.begin(), below.end());
    } else {
      leaves_.push_back(partitions_[i]);
    }
    const PartitionBound& bound = partition.partition->bound;
    if (bound.is_default) default_ = i;
    if (bound.modulus != 0)
      for (uint32_t r = bound.remainder; r < largest; r += bound.modulus) by_remainder_[r] = i;
    if (!bound.from.empty()) {
      Range& range = ranges_.emplace_back();
      range.partition = i;
      encodeEnd(encoder_, bound.from, range.low);
      encodeEnd(encoder_, bound.to, range.high);
    }
    for (const Value& value : bound.values) {
      Listed& listed = listed_.emplace_back();
      listed.partition = i;
      const KeyValue part = keyValueOf(value);
      encoder_.encode({&part, 1}, listed.value);
    }
  }
  std::ranges::sort(listed_, {}, [](const Listed& each) { return each.value.view(); });
}

std::vector<TablePtr> Partitioning::descendants() const {
  std::vector<TablePtr> result;
  for (const TablePtr& each : partitions_) {
    result.push_back(each);
    if (!each->partitioning) continue;
    const std::vector<TablePtr> below = each->partitioning->descendants();
    result.insert(result.end(), below.begin(), below.end());
  }
  return result;
}

void Partitioning::encodeRow(const storage::Datum* values, const uint8_t* null_flags, Scratch& scratch,
                             bool& has_null) const {
  const size_t count = key_->parts.size();
  scratch.values.resize(count);
  scratch.strings.resize(count);
  if (key_->expressions) {
    scratch.parts.resize(count);
    scratch.part_nulls.resize(count);
    scratch.memory.clear();
    key_->evaluator->evaluate(values, null_flags, scratch.parts.data(), scratch.part_nulls.data(), scratch.memory);
  }
  has_null = false;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t column = key_->parts[i].column;
    const storage::Datum& datum = key_->expressions ? scratch.parts[i] : values[column];
    const bool is_null = (key_->expressions ? scratch.part_nulls[i] : null_flags[column]) != 0;
    has_null = has_null || is_null;
    scratch.values[i] = {datum, {}, is_null};
    if (is_null || encoder_.parts()[i].kind != StoredKind::String) continue;
    scratch.strings[i] = StringValue(datum.lo, datum.hi);
    scratch.values[i].string = scratch.strings[i].view();
  }
  scratch.key.clear();
  encoder_.encode(scratch.values, scratch.key);
}

uint32_t Partitioning::lookUp(std::string_view key, bool has_null) const {
  switch (key_->strategy) {
    case PartitionStrategy::Hash:
      return by_remainder_.empty() ? kNone : by_remainder_[XXH3_64bits(key.data(), key.size()) % by_remainder_.size()];
    case PartitionStrategy::List: {
      const auto found =
          std::ranges::lower_bound(listed_, key, {}, [](const Listed& each) { return each.value.view(); });
      return found != listed_.end() && found->value.view() == key ? found->partition : default_;
    }
    case PartitionStrategy::Range:
      break;
  }
  if (has_null) return default_;
  auto found = std::ranges::upper_bound(ranges_, key, {}, [](const Range& each) { return each.low.view(); });
  if (found == ranges_.begin()) return default_;
  --found;
  return key < found->high.view() ? found->partition : default_;
}

uint32_t Partitioning::find(const storage::Datum* values, const uint8_t* null_flags, Scratch& scratch) const {
  bool has_null = false;
  encodeRow(values, null_flags, scratch, has_null);
  return lookUp(scratch.key.view(), has_null);
}

uint32_t Partitioning::tryFindLeaf(const storage::Datum* values, const uint8_t* null_flags, Scratch& scratch) const {
  const uint32_t found = find(values, null_flags, scratch);
  if (found == kNone) return kNone;
  const TableEntry& partition = *partitions_[found];
  if (!partition.partitioning) return first_leaf_[found];
  const uint32_t below = partition.partitioning->tryFindLeaf(values, null_flags, scratch);
  return below == kNone ? kNone : first_leaf_[found] + below;
}

uint32_t Partitioning::findLeaf(const TableEntry& table, const storage::Datum* values, const uint8_t* null_flags,
                                Scratch& scratch) const {
  const uint32_t found = find(values, null_flags, scratch);
  if (found == kNone)
    throw SqlError(sqlstate::kCheckViolation, fmt::format("no partition of relation \"{}\" found for row", table.name))
        .detail(rowOfKey(table, *key_, values, null_flags, scratch))
        .table(table.schema, table.name);
  const TableEntry& partition = *partitions_[found];
  if (!partition.partitioning) return first_leaf_[found];
  return first_leaf_[found] + partition.partitioning->findLeaf(partition, values, null_flags, scratch);
}

std::vector<uint32_t> Partitioning::all() const {
  std::vector<uint32_t> result(partitions_.size());
  for (uint32_t i = 0; i < result.size(); ++i) result[i] = i;
  return result;
}

std::vector<uint32_t> Partitioning::candidatesOfAny(const KnownKey& known, const KnownValue* values) const {
  const KnownKey one{.table = known.table, .equal_count = 1};
  std::vector<uint32_t> result;
  for (size_t i = 0; i < known.any_count; ++i) {
    const std::vector<uint32_t> found = candidates(one, values + i);
    result.insert(result.end(), found.begin(), found.end());
  }
  std::ranges::sort(result);
  const auto repeated = std::ranges::unique(result);
  result.erase(repeated.begin(), repeated.end());
  return result;
}

/// The partitions, ascending.
std::vector<uint32_t> Partitioning::candidates(const KnownKey& known, const KnownValue* values) const {
  if (known.any_count != 0) return candidatesOfAny(known, values);
  EncodedKey low;
  std::vector<KeyValue> parts(known.valueCount());
  std::vector<StringValue> strings(known.valueCount());
  int low_side = 0, high_side = 0;
  for (size_t i = 0; i < known.valueCount(); ++i) {
    // Nothing is equal to NULL, or above or below it.
    if (values[i].is_null != 0) return {};
    const bool is_equal = i < known.equal_count;
    const storage::KeyPart& part = encoder_.parts()[is_equal ? i : known.equal_count];
    const int side = sideOfRange(part.kind, values[i].datum);
    if (is_equal && side != 0) return {};
    if (!is_equal) (i == known.equal_count && known.has_low ? low_side : high_side) = side;
    parts[i] = {values[i].datum, {}, false};
    if (part.kind != StoredKind::String) continue;
    strings[i] = StringValue(values[i].datum.lo, values[i].datum.hi);
    parts[i].string = strings[i].view();
    // A longer one may be in no key; so it tells nothing.
    if (parts[i].string.size() > storage::kKeyBytesMax / 4) return all();
  }
  encoder_.encode({parts.data(), known.equal_count}, low);
  if (known.equal_count == key_->parts.size()) {
    const uint32_t found = lookUp(low.view(), false);
    return found == kNone ? std::vector<uint32_t>() : std::vector<uint32_t>{found};
  }
  if (key_->strategy == PartitionStrategy::Hash) return all();
  if ((known.has_low && low_side > 0) || (known.has_high && high_side < 0)) return {};
  EncodedKey high(low.view());
  const auto append = [&](size_t value, EncodedKey& key) {
    EncodedKey part;
    storage::KeyEncoder({encoder_.parts()[known.equal_count]}).encode({&parts[value], 1}, part);
    key.append(part.view());
  };
  if (known.has_low && low_side == 0) append(known.equal_count, low);
  // Keys that begin with the high value itself may be meant as well.
  if (known.has_high && high_side == 0) append(known.equal_count + (known.has_low ? 1 : 0), high);
  high.append('\xff');
  std::vector<uint32_t> result;
  for (const Range& range : ranges_)
    if (range.low.view() < high.view() && low.view() < range.high.view()) result.push_back(range.partition);
  for (const Listed& listed : listed_)
    if (listed.value.view() < high.view() && low.view() <= listed.value.view()) result.push_back(listed.partition);
  if (default_ != kNone) result.push_back(default_);
  std::ranges::sort(result);
  const auto repeated = std::ranges::unique(result);
  result.erase(repeated.begin(), repeated.end());
  return result;
}

void Partitioning::selectFrom(const TableEntry& table, std::span<const KnownKey> keys, const KnownValue* values,
                              uint32_t base, std::vector<uint32_t>& leaves) const {
  const auto known = std::ranges::find(keys, table.oid, &KnownKey::table);
  const std::vector<uint32_t> chosen = known == keys.end() ? all() : candidates(*known, values + known->first_value);
  for (const uint32_t each : chosen) {
    const TableEntry& partition = *partitions_[each];
    if (partition.partitioning)
      partition.partitioning->selectFrom(partition, keys, values, base + first_leaf_[each], leaves);
    else
      leaves.push_back(base + first_leaf_[each]);
  }
}

void Partitioning::select(const TableEntry& table, std::span<const KnownKey> keys, const KnownValue* values,
                          std::vector<uint32_t>& leaves) const {
  selectFrom(table, keys, values, 0, leaves);
}

IndexPtr Partitioning::leafIndex(const TableEntry& table, const IndexEntry& index, uint32_t leaf) {
  const Partitioning& partitioning = *table.partitioning;
  const auto after = std::ranges::upper_bound(partitioning.first_leaf_, leaf);
  const auto child = static_cast<size_t>(after - partitioning.first_leaf_.begin()) - 1;
  // Partitions without leaves begin where the next one does; the last of them has the leaf.
  const TableEntry& partition = *partitioning.partitions_[child];
  const auto found = std::ranges::find(partition.indexes, index.oid, &IndexEntry::parent);
  if (found == partition.indexes.end()) return nullptr;
  return partition.partitioning ? leafIndex(partition, **found, leaf - partitioning.first_leaf_[child]) : *found;
}

bool Partitioning::isEmptyRange(const PartitionKey& key, const PartitionBound& bound) {
  const storage::KeyEncoder encoder = encoderOf(key);
  EncodedKey low, high;
  encodeEnd(encoder, bound.from, low);
  encodeEnd(encoder, bound.to, high);
  return low.view() >= high.view();
}

TablePtr Partitioning::overlapping(const PartitionBound& bound) const {
  if (bound.is_default) return defaultPartition();
  if (bound.modulus != 0) {
    for (const TablePtr& each : partitions_) {
      const PartitionBound& other = each->partition->bound;
      const uint32_t smaller = std::min(other.modulus, bound.modulus);
      if (other.remainder % smaller == bound.remainder % smaller) return each;
    }
    return nullptr;
  }
  for (const Value& value : bound.values) {
    EncodedKey key;
    const KeyValue part = keyValueOf(value);
    encoder_.encode({&part, 1}, key);
    for (const Listed& listed : listed_)
      if (listed.value.view() == key.view()) return partitions_[listed.partition];
  }
  if (bound.from.empty()) return nullptr;
  EncodedKey low, high;
  encodeEnd(encoder_, bound.from, low);
  encodeEnd(encoder_, bound.to, high);
  for (const Range& range : ranges_)
    if (range.low.view() < high.view() && low.view() < range.high.view()) return partitions_[range.partition];
  return nullptr;
}

std::shared_ptr<const Partitioning> withPartitions(const Partitioning& before, std::vector<TablePtr> partitions) {
  return std::make_shared<const Partitioning>(before.sharedKey(), std::move(partitions));
}

std::vector<TablePtr> ancestorsOf(const CatalogView& catalog, const TableEntry& table) {
  std::vector<TablePtr> result;
  for (const TableEntry* each = &table; each->partition;) {
    TablePtr parent = findTable(catalog, each->partition->parent);
    // Somebody is about to drop it.
    if (parent == nullptr) break;
    each = parent.get();
    result.push_back(std::move(parent));
  }
  return result;
}

bool belongsTo(const TableEntry& partition, std::span<const TablePtr> ancestors, const storage::Datum* values,
               const uint8_t* null_flags, Partitioning::Scratch& scratch) {
  uint32_t below = partition.oid;
  for (const TablePtr& ancestor : ancestors) {
    const Partitioning& partitioning = *ancestor->partitioning;
    const uint32_t found = partitioning.find(values, null_flags, scratch);
    if (found == Partitioning::kNone || partitioning.partitions()[found]->oid != below) return false;
    below = ancestor->oid;
  }
  return true;
}

const TableEntry& tableOfRow(const TableEntry& table, const storage::Datum* values, const uint8_t* null_flags) {
  if (!table.partitioning) return table;
  Partitioning::Scratch scratch;
  return *table.partitioning->leaves()[table.partitioning->findLeaf(table, values, null_flags, scratch)];
}

}  // namespace gnomon::sql
