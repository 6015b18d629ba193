#include "sql/catalog/existing_references.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/assert.h"
#include "sql/catalog/foreign_key_violation.h"
#include "sql/catalog/key_conversion.h"
#include "sql/catalog/key_router.h"
#include "storage/relation/scan.h"
#include "txn/referenced_rows.h"
#include "txn/table.h"

namespace gnomon::sql {
namespace {

using storage::Datum;

/// A unique index of what is referred to, and the table that has it.
struct ReferredIndex {
  txn::Table* table;
  txn::TableIndex* index;
};

class ExistingReferences {
 public:
  ExistingReferences(const TableEntry& child, const ForeignKeyEntry& key, const TableEntry& parent,
                     const IndexEntry& index)
      : child_(child), key_(key), parent_(parent) {
    std::vector<uint32_t> columns;
    for (const IndexColumn& part : index.columns) {
      const auto place =
          static_cast<size_t>(std::ranges::find(key.parent_columns, part.column) - key.parent_columns.begin());
      places_.push_back(place);
      columns.push_back(part.column);
      conversions_.emplace_back(child.columns[key.columns[place]].type, parent.columns[part.column].type);
    }
    if (parent.partitioning) router_.emplace(parent, std::move(columns));
    const size_t leaves = parent.partitioning ? parent.partitioning->leaves().size() : 1;
    for (uint32_t leaf = 0; leaf < leaves; ++leaf) {
      const IndexPtr of_leaf = router_ ? Partitioning::leafIndex(parent, index, leaf) : nullptr;
      CHECK(!router_ || of_leaf != nullptr, "an index that a key needs has a part in each leaf");
      const TableEntry& table = router_ ? *parent.partitioning->leaves()[leaf] : parent;
      indexes_.push_back({table.storage.get(), (of_leaf ? *of_leaf : index).storage.get()});
    }
    if (!indexes_.empty()) encoder_.emplace(indexes_.front().index->encoder().parts());
  }

  /// Of a partition that leaves: rows must not refer to it. `declaring`: the table that has the key.
  void setRemoved(const TableEntry& declaring) { removed_ = &declaring; }

  void require(const CancelToken& cancel) {
    storage::Relation& relation = child_.storage->relation();
    storage::RelationScan scan(relation, child_.storage->readBound());
    storage::RelationScan::Claim claim;
    storage::LeafView leaf;
    while (scan.next(claim, leaf)) {
      cancel.poll();
      keys_.clear();
      for (uint32_t row = leaf.access().row_begin; row < leaf.access().row_end; ++row)
        if (!leaf.isDeleted(row)) take(leaf, row);
      memory_.clear();
      // A leaf is let go before a page of an index is asked for.
      leaf.release();
      lookUp(cancel);
    }
  }

 private:
  /// The values of the key's columns; the number of NULLs among them.
  size_t read(const storage::LeafView& leaf, uint32_t row) {
    size_t nulls = 0;
    values_.clear();
    for (const uint32_t column : key_.columns) {
      bool is_null = false;
      values_.push_back(leaf.value(column, row, is_null));
      nulls += is_null ? 1 : 0;
    }
    return nulls;
  }

  struct Key {
    storage::TupleId id;
    uint32_t leaf = 0;  ///< of what is referred to
    bool is_possible = false;
    storage::EncodedKey encoded;
  };

  void take(const storage::LeafView& leaf, uint32_t row) {
    const size_t nulls = read(leaf, row);
    if (nulls != 0) {
      if (removed_ == nullptr && key_.is_full && nulls != key_.columns.size()) throw mixedNulls(child_, key_);
      return;
    }
    Key& key = keys_.emplace_back();
    key.id = leaf.tupleId(row);
    if (!encoder_) return;
    std::vector<Datum> converted(places_.size());
    for (size_t part = 0; part < places_.size(); ++part) {
      if (!conversions_[part].convert(values_[places_[part]], converted[part], memory_)) return;
      encoder_->set(part, converted[part]);
    }
    if (router_) key.leaf = router_->leafOf(converted.data());
    key.is_possible = key.leaf != Partitioning::kNone && encoder_->encode(key.encoded);
  }

  /// Whether some row has the key.
  [[nodiscard]] bool isThere(const Key& key) const {
    if (!key.is_possible) return false;
    const ReferredIndex& index = indexes_[key.leaf];
    return txn::hasRow(*index.table, *index.index, key.encoded.view());
  }

  void lookUp(const CancelToken& cancel) {
    // Neighbouring keys are in the same pages; the same are looked up once.
    std::ranges::sort(keys_, {}, [](const Key& key) { return std::pair(key.leaf, key.encoded.view()); });
    const Key* found = nullptr;
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (i % 1024 == 0) cancel.poll();
      const Key& key = keys_[i];
      if (removed_ != nullptr) {
        if (isThere(key)) raiseRemoved(key.id);
        continue;
      }
      if (!key.is_possible) raise(key.id);
      if (found != nullptr && found->leaf == key.leaf && found->encoded.view() == key.encoded.view()) continue;
      if (!isThere(key)) raise(key.id);
      found = &key;
    }
  }

  /// A row refers to a partition that is about to be none.
  [[noreturn]] void raiseRemoved(storage::TupleId id) {
    storage::LeafView leaf;
    uint32_t row = 0;
    const bool is_found = child_.storage->relation().findStored(id, leaf, row);
    CHECK(is_found, "nobody else writes to the table");
    read(leaf, row);
    for (size_t part = 0; part < places_.size(); ++part) {
      Datum value;
      const bool is_possible = conversions_[part].convert(values_[places_[part]], value, memory_);
      CHECK(is_possible, "a row of the partition has the value");
      values_[places_[part]] = value;
    }
    throw removedPartition(parent_, key_, *removed_, values_.data());
  }

  [[noreturn]] void raise(storage::TupleId id) {
    storage::LeafView leaf;
    uint32_t row = 0;
    const bool is_found = child_.storage->relation().findStored(id, leaf, row);
    CHECK(is_found, "nobody else writes to the table");
    read(leaf, row);
    throw missingParent(child_, key_, parent_, values_.data());
  }

  const TableEntry& child_;
  const ForeignKeyEntry& key_;
  const TableEntry& parent_;
  const TableEntry* removed_ = nullptr;  ///< rows must not refer to the parent by a key of this table; null: they must
  std::optional<KeyRouter> router_;      ///< none: the parent is not partitioned
  std::vector<ReferredIndex> indexes_;   ///< by leaf
  std::optional<txn::KeyColumns> encoder_;
  std::vector<size_t> places_;  ///< of the index's parts in the key
  std::vector<KeyConversion> conversions_;
  std::vector<Key> keys_;  ///< of a leaf
  std::vector<Datum> values_;
  Arena memory_{nullptr};
};

}  // namespace

namespace {

ExistingReferences referencesOf(const TableEntry& child, const ForeignKeyEntry& key, const TableEntry& parent) {
  const auto index = std::ranges::find(parent.indexes, key.parent_index, &IndexEntry::oid);
  CHECK(index != parent.indexes.end(), "an index that a key needs is not dropped");
  return {child, key, parent, **index};
}

}  // namespace

void requireReferences(const TableEntry& child, const ForeignKeyEntry& key, const TableEntry& parent,
                       const CancelToken& cancel) {
  referencesOf(child, key, parent).require(cancel);
}

void requireNoReferences(const TableEntry& child, const TableEntry& declaring, const ForeignKeyEntry& key,
                         const TableEntry& partition, const CancelToken& cancel) {
  ExistingReferences references = referencesOf(child, key, partition);
  references.setRemoved(declaring);
  references.require(cancel);
}

}  // namespace gnomon::sql
