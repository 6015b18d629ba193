#include "txn/table_index.h"

#include <algorithm>

#include "base/string_value.h"
#include "storage/index/index_builder.h"
#include "storage/index/index_cursor.h"
#include "storage/relation/scan.h"

namespace gnomon::txn {

using storage::EncodedKey;
using storage::KeyView;

namespace {

/// Key parts of one row; most keys have few.
class KeyValues {
 public:
  explicit KeyValues(size_t count) : values_(count), strings_(count) {}

  void set(size_t part, const storage::KeyPart& shape, const Datum& datum, bool is_null) {
    values_[part] = {datum, {}, is_null};
    has_null_ = has_null_ || is_null;
    if (is_null || shape.kind != storage::StoredKind::String) return;
    strings_[part] = StringValue(datum.lo, datum.hi);
    values_[part].string = strings_[part].view();
  }
  [[nodiscard]] std::span<const storage::KeyValue> values() const { return values_; }
  [[nodiscard]] bool hasNull() const { return has_null_; }

 private:
  std::vector<storage::KeyValue> values_;
  std::vector<StringValue> strings_;  ///< short texts lie in here
  bool has_null_ = false;
};

/// The entries of many tuples, to be put in order.
class KeyRun {
 public:
  static constexpr size_t kBytesMax = size_t{256} << 20;

  void add(KeyView key, TupleId id, bool has_null) {
    entries_.push_back({bytes_.size(), static_cast<uint32_t>(key.size()), has_null, id});
    bytes_.insert(bytes_.end(), key.begin(), key.end());
  }
  [[nodiscard]] bool isFull() const { return bytes_.size() + entries_.size() * sizeof(Entry) > kBytesMax; }
  void sort() {
    std::ranges::sort(entries_, [this](const Entry& left, const Entry& right) {
      const int order = keyOf(left).compare(keyOf(right));
      return order != 0 ? order < 0 : left.id < right.id;
    });
  }
  template <typename Visit>
  void forEach(Visit&& visit) const {
    for (const Entry& entry : entries_) visit(keyOf(entry), entry.id, entry.has_null);
  }
  void clear() {
    entries_.clear();
    bytes_.clear();
  }

 private:
  struct Entry {
    size_t begin;
    uint32_t size;
    bool has_null;
    TupleId id;
  };
  [[nodiscard]] KeyView keyOf(const Entry& entry) const { return {bytes_.data() + entry.begin, entry.size}; }

  std::vector<Entry> entries_;
  std::vector<char> bytes_;
};

}  // namespace

TableIndex::TableIndex(RelationId id, IndexDefinition definition, std::unique_ptr<storage::IndexTree> tree)
    : id_(id), definition_(std::move(definition)), encoder_(definition_.parts), tree_(std::move(tree)) {}

bool TableIndex::hasColumn(uint32_t column) const {
  return std::ranges::find(definition_.columns, column) != definition_.columns.end();
}

bool TableIndex::encode(const Datum* values, const uint8_t* null_flags, EncodedKey& key) const {
  KeyValues parts(definition_.parts.size());
  for (size_t part = 0; part < definition_.parts.size(); ++part) {
    const uint32_t column = definition_.columns[part];
    parts.set(part, definition_.parts[part], values[column], null_flags[column] != 0);
  }
  encoder_.encode(parts.values(), key);
  return parts.hasNull();
}

bool TableIndex::encodeTuple(const storage::LeafView& leaf, uint32_t row, EncodedKey& key) const {
  KeyValues parts(definition_.parts.size());
  for (size_t part = 0; part < definition_.parts.size(); ++part) {
    bool is_null = false;
    const Datum value = leaf.value(definition_.columns[part], row, is_null);
    parts.set(part, definition_.parts[part], value, is_null);
  }
  encoder_.encode(parts.values(), key);
  return parts.hasNull();
}

void TableIndex::requireUnique(storage::Relation& relation, KeyView key, const Datum* values,
                               const uint8_t* null_flags) {
  if (!tree_->findFirst(key)) return;
  const storage::KeyBound bound{storage::KeyBound::Kind::Inclusive, key};
  storage::IndexCursor cursor(*tree_, {bound, bound});
  storage::IndexEntry entry;
  while (cursor.next(entry)) {
    storage::LeafView leaf;
    uint32_t row = 0;
    if (!relation.find(entry.id, leaf, row)) continue;
    std::vector<Datum> parts;
    std::vector<uint8_t> nulls;
    for (const uint32_t column : definition_.columns) {
      parts.push_back(values[column]);
      nulls.push_back(null_flags[column]);
    }
    throw definition_.duplicate(parts.data(), nulls.data(), false);
  }
}

void TableIndex::insert(storage::Relation& relation, TupleId id, const Datum* values, const uint8_t* null_flags) {
  EncodedKey key;
  const bool has_null = encode(values, null_flags, key);
  if (definition_.is_unique && !has_null) requireUnique(relation, key.view(), values, null_flags);
  tree_->insert(key.view(), id);
}

/// False: the key is too long for the index, so that the tuple never had an entry.
bool TableIndex::tryEncodeTuple(const storage::LeafView& leaf, uint32_t row, EncodedKey& key) const {
  try {
    encodeTuple(leaf, row, key);
    return true;
  } catch (const SqlError& error) {
    if (!(error.state() == sqlstate::kProgramLimitExceeded)) throw;
    return false;
  }
}

void TableIndex::erase(storage::Relation& relation, const std::vector<TupleId>& ids) {
  EncodedKey key;
  for (const TupleId id : ids) {
    {
      // Nobody waits for a page of the index while the leaf is held.
      storage::LeafView leaf;
      uint32_t row = 0;
      if (!relation.findStored(id, leaf, row) || !tryEncodeTuple(leaf, row, key)) continue;
    }
    tree_->erase(key.view(), id);
  }
}

void TableIndex::raiseDuplicate(storage::Relation& relation, TupleId id) const {
  storage::LeafView leaf;
  uint32_t row = 0;
  const bool found = relation.find(id, leaf, row);
  CHECK(found, "X1");
  std::vector<Datum> parts;
  std::vector<uint8_t> nulls(definition_.columns.size(), 0);
  for (const uint32_t column : definition_.columns) {
    bool is_null = false;
    parts.push_back(leaf.value(column, row, is_null));
  }
  throw definition_.duplicate(parts.data(), nulls.data(), true);
}

// The first run is written as it is sorted, page after page; what does not fit into memory with it is inserted in runs.
void TableIndex::build(storage::Relation& relation, TupleId bound, const CancelToken& cancel) {
  KeyRun run;
  bool is_first = true;
  const auto flush = [&] {
    run.sort();
    cancel.poll();
    EncodedKey previous;
    storage::IndexBuilder builder(*tree_);
    uint64_t done = 0;
    run.forEach([&](KeyView key, TupleId id, bool has_null) {
      if (++done % 4096 == 0) cancel.poll();
      const bool must_differ = definition_.is_unique && !has_null;
      if (must_differ && done > 1 && previous.view() == key) raiseDuplicate(relation, id);
      if (must_differ && !is_first && tree_->findFirst(key)) raiseDuplicate(relation, id);
      previous.assign(key);
      if (is_first)
        builder.add(key, id);
      else
        tree_->insert(key, id);
    });
    if (is_first) builder.finish();
    is_first = false;
    run.clear();
  };
  storage::RelationScan scan(relation, bound);
  storage::RelationScan::Claim claim;
  storage::LeafView leaf;
  EncodedKey key;
  while (scan.next(claim, leaf)) {
    cancel.poll();
    for (uint32_t row = leaf.access().row_begin; row < leaf.access().row_end; ++row) {
      if (leaf.isDeleted(row)) continue;
      const bool has_null = encodeTuple(leaf, row, key);
      run.add(key.view(), leaf.tupleId(row), has_null);
    }
    if (!run.isFull()) continue;
    leaf.release();
    flush();
  }
  flush();
}

}  // namespace gnomon::txn
