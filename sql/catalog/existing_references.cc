#include "sql/catalog/existing_references.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/assert.h"
#include "sql/catalog/foreign_key_violation.h"
#include "sql/catalog/key_conversion.h"
#include "storage/relation/scan.h"
#include "txn/referenced_rows.h"
#include "txn/table.h"

namespace gnomon::sql {
namespace {

using storage::Datum;

class ExistingReferences {
 public:
  ExistingReferences(const TableEntry& child, const ForeignKeyEntry& key, const TableEntry& parent,
                     const IndexEntry& index)
      : child_(child), key_(key), parent_(parent), index_(*index.storage), encoder_(index_.encoder().parts()) {
    for (const IndexColumn& part : index.columns) {
      const auto place =
          static_cast<size_t>(std::ranges::find(key.parent_columns, part.column) - key.parent_columns.begin());
      places_.push_back(place);
      conversions_.emplace_back(child.columns[key.columns[place]].type, parent.columns[part.column].type);
    }
  }

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

  void take(const storage::LeafView& leaf, uint32_t row) {
    const size_t nulls = read(leaf, row);
    if (nulls != 0) {
      if (key_.is_full && nulls != key_.columns.size()) throw mixedNulls(child_, key_);
      return;
    }
    Key& key = keys_.emplace_back();
    key.id = leaf.tupleId(row);
    for (size_t part = 0; part < places_.size(); ++part) {
      Datum value;
      if (!conversions_[part].convert(values_[places_[part]], value, memory_)) return;
      encoder_.set(part, value);
    }
    key.is_possible = encoder_.encode(key.encoded);
  }

  void lookUp(const CancelToken& cancel) {
    // Neighbouring keys are in the same pages; the same are looked up once.
    std::ranges::sort(keys_, {}, [](const Key& key) { return key.encoded.view(); });
    std::optional<storage::KeyView> found;
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (i % 1024 == 0) cancel.poll();
      const Key& key = keys_[i];
      if (!key.is_possible) raise(key.id);
      if (found == key.encoded.view()) continue;
      if (!txn::hasRow(*parent_.storage, index_, key.encoded.view())) raise(key.id);
      found = key.encoded.view();
    }
  }

  [[noreturn]] void raise(storage::TupleId id) {
    storage::LeafView leaf;
    uint32_t row = 0;
    const bool is_found = child_.storage->relation().findStored(id, leaf, row);
    CHECK(is_found, "nobody else writes to the table");
    read(leaf, row);
    throw missingParent(child_, key_, parent_, values_.data());
  }

  struct Key {
    storage::TupleId id;
    bool is_possible = false;
    storage::EncodedKey encoded;
  };
  const TableEntry& child_;
  const ForeignKeyEntry& key_;
  const TableEntry& parent_;
  txn::TableIndex& index_;
  txn::KeyColumns encoder_;
  std::vector<size_t> places_;  ///< of the index's parts in the key
  std::vector<KeyConversion> conversions_;
  std::vector<Key> keys_;  ///< of a leaf
  std::vector<Datum> values_;
  Arena memory_{nullptr};
};

}  // namespace

void requireReferences(const TableEntry& child, const ForeignKeyEntry& key, const TableEntry& parent,
                       const CancelToken& cancel) {
  const auto index = std::ranges::find(parent.indexes, key.parent_index, &IndexEntry::oid);
  CHECK(index != parent.indexes.end(), "an index that a key needs is not dropped");
  ExistingReferences(child, key, parent, **index).require(cancel);
}

}  // namespace gnomon::sql
