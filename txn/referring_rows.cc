#include "txn/referring_rows.h"

#include <algorithm>

#include "storage/index/index_cursor.h"
#include "storage/relation/scan.h"

namespace gnomon::txn {

using storage::EncodedKey;

ReferringRows::ReferringRows(Table& table, std::vector<uint32_t> columns, const std::vector<storage::KeyPart>& parts,
                             const WriteContext& context)
    : table_(table), columns_(std::move(columns)), context_(context), encoder_(parts) {
  chooseIndex();
}

/// One whose first parts are the columns, in any order.
void ReferringRows::chooseIndex() {
  const size_t count = columns_.size();
  for (const auto& index : table_.indexes()) {
    const IndexDefinition& definition = index->definition();
    if (definition.expressions || definition.extractor || definition.parts.size() < count ||
        !index->isUsableFor(newest()))
      continue;
    const auto begin = definition.columns.begin();
    if (!std::is_permutation(columns_.begin(), columns_.end(), begin, begin + static_cast<ptrdiff_t>(count))) continue;
    index_ = index;
    for (size_t part = 0; part < count; ++part)
      order_.push_back(static_cast<size_t>(std::ranges::find(columns_, definition.columns[part]) - columns_.begin()));
    prefix_.emplace(std::vector(definition.parts.begin(), definition.parts.begin() + static_cast<ptrdiff_t>(count)));
    return;
  }
}

Snapshot ReferringRows::newest() const {
  return {context_.manager.lastCommit(), context_.transaction.id(), UINT32_MAX};
}

bool ReferringRows::encode(const Datum* key, EncodedKey& encoded) {
  for (size_t i = 0; i < columns_.size(); ++i) encoder_.set(i, key[i]);
  return encoder_.encode(encoded);
}

template <typename Read>
bool ReferringRows::encodeRow(Read&& read, EncodedKey& encoded) {
  for (size_t i = 0; i < columns_.size(); ++i) {
    bool is_null = false;
    encoder_.set(i, read(columns_[i], is_null));
    if (is_null) return false;
  }
  return encoder_.encode(encoded);
}

void ReferringRows::findInIndex(const Datum* key, std::vector<TupleId>& ids) {
  for (size_t part = 0; part < order_.size(); ++part) prefix_->set(part, key[order_[part]]);
  EncodedKey begin;
  if (!prefix_->encode(begin)) return;
  // Taken before the entries are read: what appears later cannot have the key.
  const Snapshot snapshot = newest();
  EncodedKey end = begin;
  storage::KeyRange range;
  range.low = {storage::KeyBound::Kind::Inclusive, begin.view()};
  if (end.makePrefixEnd()) range.high = {storage::KeyBound::Kind::Exclusive, end.view()};
  storage::IndexCursor cursor(index_->tree(), range);
  storage::IndexEntry entry;
  uint64_t entries = 0;
  while (cursor.next(entry)) {
    if (++entries % 1024 == 0) context_.patience.cancel.poll();
    storage::LeafView leaf;
    uint32_t row = 0;
    VisibleRows::Piece piece{};
    if (!table_.relation().findStored(entry.id, leaf, row)) continue;
    if (rows_.attachRow(leaf, row, table_.schema(), snapshot, context_.manager.epochs(), piece))
      ids.push_back(entry.id);
  }
}

void ReferringRows::scanLeaf(const storage::LeafView& leaf) {
  VisibleRows::Piece piece{};
  EncodedKey key;
  while (rows_.next(piece)) {
    const storage::LeafView& view = rows_.viewOf(piece, leaf);
    for (uint32_t row = piece.begin; row < piece.end; ++row) {
      if (piece.access->flagged_count != 0 && view.isDeleted(row)) continue;
      const auto read = [&](uint32_t column, bool& is_null) { return view.value(column, row, is_null); };
      if (!encodeRow(read, key)) continue;
      if (const auto found = found_.find(std::string(key.view())); found != found_.end())
        found->second.push_back(view.tupleId(row));
    }
  }
}

void ReferringRows::scan(const std::vector<Datum>& keys) {
  found_.clear();
  gone_.clear();
  EncodedKey key;
  for (size_t i = 0; i < keys.size(); i += columns_.size())
    if (encode(keys.data() + i, key)) found_.try_emplace(std::string(key.view()));
  if (found_.empty()) return;
  std::vector<uint32_t> wanted = columns_;
  std::ranges::sort(wanted);
  const Snapshot snapshot = newest();
  storage::RelationScan scan(table_.relation(), table_.readBound(), wanted);
  storage::RelationScan::Claim claim;
  storage::LeafView leaf;
  while (scan.next(claim, leaf)) {
    context_.patience.cancel.poll();
    rows_.attach(leaf, table_.schema(), snapshot, context_.manager.epochs(), wanted);
    scanLeaf(leaf);
  }
}

void ReferringRows::noteRow(TupleId id) {
  if (index_ || found_.empty()) return;
  storage::LeafView leaf;
  uint32_t row = 0;
  EncodedKey key;
  if (!table_.relation().findStored(id, leaf, row)) return;
  if (!encodeRow([&](uint32_t column, bool& is_null) { return leaf.value(column, row, is_null); }, key)) return;
  if (const auto found = found_.find(std::string(key.view())); found != found_.end()) found->second.push_back(id);
}

void ReferringRows::noteGone(TupleId id) {
  if (!index_ && !found_.empty()) gone_.insert(id.value);
}

void ReferringRows::find(const Datum* key, std::vector<TupleId>& ids) {
  if (index_) return findInIndex(key, ids);
  EncodedKey encoded;
  if (!encode(key, encoded)) return;
  const auto found = found_.find(std::string(encoded.view()));
  if (found == found_.end()) return;
  for (const TupleId id : found->second)
    if (!gone_.contains(id.value)) ids.push_back(id);
}

ReferringRows::Sight ReferringRows::look(TupleId id, const Datum* key, bool is_older) {
  EncodedKey wanted;
  EncodedKey has;
  Snapshot snapshot = newest();
  if (is_older) {
    snapshot = context_.snapshot;
    snapshot.command = UINT32_MAX;
  }
  storage::LeafView leaf;
  uint32_t row = 0;
  VisibleRows::Piece piece{};
  if (!table_.relation().findStored(id, leaf, row) ||
      !rows_.attachRow(leaf, row, table_.schema(), snapshot, context_.manager.epochs(), piece))
    return Sight::Gone;
  const storage::LeafView& view = rows_.viewOf(piece, leaf);
  const auto read = [&](uint32_t column, bool& is_null) { return view.value(column, piece.begin, is_null); };
  const bool is_same = encode(key, wanted) && encodeRow(read, has) && has.view() == wanted.view();
  return is_same ? Sight::Referring : Sight::Other;
}

bool ReferringRows::isBeingDeleted(TupleId id) {
  storage::LeafView leaf;
  uint32_t row = 0;
  return !table_.relation().findStored(id, leaf, row) || leaf.isDeleted(row);
}

bool ReferringRows::isReferring(TupleId id, const Datum* key) {
  EncodedKey wanted;
  EncodedKey has;
  if (!encode(key, wanted)) return false;
  storage::LeafView leaf;
  uint32_t row = 0;
  if (!table_.relation().findStored(id, leaf, row) || leaf.isDeleted(row)) return false;
  return encodeRow([&](uint32_t column, bool& is_null) { return leaf.value(column, row, is_null); }, has) &&
         has.view() == wanted.view();
}

}  // namespace gnomon::txn
