#include "txn/referenced_rows.h"

#include <algorithm>

#include "storage/index/index_cursor.h"

namespace gnomon::txn {

using storage::EncodedKey;
using storage::KeyView;

namespace {

/// Keys that are looked up between two looks at the cancel token.
constexpr size_t kKeysPerPoll = 256;

/// Calls `visit` with the tuple of each entry of the key until it returns true. False: it never did.
template <typename Visit>
bool visitEntries(TableIndex& index, KeyView key, Visit&& visit) {
  const std::optional<TupleId> first = index.tree().findFirst(key);
  if (!first) return false;
  if (visit(*first)) return true;
  const storage::KeyBound bound{storage::KeyBound::Kind::Inclusive, key};
  storage::IndexCursor cursor(index.tree(), {bound, bound});
  storage::IndexEntry entry;
  while (cursor.next(entry))
    if (entry.id != *first && visit(entry.id)) return true;
  return false;
}

}  // namespace

ReferencedRows::ReferencedRows(Table& table, std::shared_ptr<TableIndex> index, const WriteContext& context)
    : index_(std::move(index)), context_(context), locks_(table, context), columns_(index_->encoder().parts()) {
  if (!context.is_read_committed && !index_->isUsableFor(context.snapshot))
    throw SqlError(sqlstate::kSerializationFailure,
                   "could not serialize access due to an index that is newer than the transaction's snapshot")
        .hint("The transaction might succeed if retried.");
  // A change of a row that leaves its key alone leaves the tuple where it is.
  locks_.setNewest(true);
  locks_.setPart();
}

std::optional<bool> ReferencedRows::tryLock(KeyView key, Timestamp since) {
  bool again = false;
  const bool is_locked = visitEntries(*index_, key, [&](TupleId id) {
    const WriteStatement::Sight sight = locks_.lockReferenced(id, since);
    again = again || sight == WriteStatement::Sight::LookAgain;
    return sight == WriteStatement::Sight::Locked;
  });
  if (!is_locked && again) return std::nullopt;
  return is_locked;
}

bool ReferencedRows::lockKey(KeyView key) {
  EncodedKey* const place =
      remembered_.empty() ? nullptr : &remembered_[std::hash<KeyView>{}(key) % remembered_.size()];
  if (place && place->view() == key) return true;
  for (;;) {
    // What is deleted behind this point may have a successor that the index did not have yet.
    const std::optional<bool> is_locked = tryLock(key, context_.manager.lastCommit());
    if (!is_locked) continue;
    if (*is_locked && place) place->assign(key);
    return *is_locked;
  }
}

void ReferencedRows::lock(const std::vector<Datum>& values, std::vector<uint8_t>& is_found) {
  const size_t parts = columns_.size();
  const size_t count = values.size() / parts;
  is_found.assign(count, 0);
  if (remembered_.empty() && count >= kKeysPerPoll) remembered_.resize(kRemembered);
  if (keys_.size() < count) keys_.resize(count);
  order_.clear();
  for (size_t i = 0; i < count; ++i) {
    for (size_t part = 0; part < parts; ++part) columns_.set(part, values[i * parts + part]);
    if (columns_.encode(keys_[i])) order_.push_back(static_cast<uint32_t>(i));
  }
  // Neighbouring keys are in the same pages; the same are looked up once.
  std::ranges::sort(order_, {}, [this](uint32_t i) { return keys_[i].view(); });
  for (size_t i = 0; i < order_.size(); ++i) {
    if (i % kKeysPerPoll == 0) context_.patience.cancel.poll();
    const bool is_repeated = i > 0 && keys_[order_[i]].view() == keys_[order_[i - 1]].view();
    is_found[order_[i]] = is_repeated ? is_found[order_[i - 1]] : (lockKey(keys_[order_[i]].view()) ? 1 : 0);
  }
}

bool hasRow(Table& table, TableIndex& index, KeyView key) {
  return visitEntries(index, key, [&](TupleId id) {
    storage::LeafView leaf;
    uint32_t row = 0;
    return table.relation().findStored(id, leaf, row) && !leaf.isDeleted(row);
  });
}

}  // namespace gnomon::txn
