#include "txn/table_index.h"

#include <algorithm>
#include <bit>

#include "storage/index/index_builder.h"
#include "storage/index/index_cursor.h"
#include "storage/relation/scan.h"
#include "txn/key_values.h"

namespace gnomon::txn {

using storage::EncodedKey;
using storage::KeyView;

namespace {

/// The entries of many tuples, to be put in order.
class KeyRun {
 public:
  static constexpr size_t kBytesMax = size_t{256} << 20;

  void add(KeyView key, TupleId id, bool is_distinct) {
    entries_.push_back({bytes_.size(), static_cast<uint32_t>(key.size()), is_distinct, id});
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
    for (const Entry& entry : entries_) visit(keyOf(entry), entry.id, entry.is_distinct);
  }
  void clear() {
    entries_.clear();
    bytes_.clear();
  }

 private:
  struct Entry {
    size_t begin;
    uint32_t size;
    bool is_distinct;
    TupleId id;
  };
  [[nodiscard]] KeyView keyOf(const Entry& entry) const { return {bytes_.data() + entry.begin, entry.size}; }

  std::vector<Entry> entries_;
  std::vector<char> bytes_;
};

/// Whether computing the same key again would end with the same error: it is about the row, not about what the machine
/// could do at the time (classes 53, 57, 58 and XX).
bool isRaisedEachTime(const SqlError& error) {
  const std::string_view state = error.state().text();
  return state.starts_with("22") || error.state() == sqlstate::kProgramLimitExceeded ||
         error.state() == sqlstate::kFeatureNotSupported;
}

}  // namespace

TableIndex::TableIndex(storage::BufferManager& buffers, RelationId id, IndexDefinition definition,
                       std::unique_ptr<storage::IndexTree> tree)
    : id_(id),
      definition_(std::move(definition)),
      encoder_(definition_.parts),
      tree_(std::move(tree)),
      hints_(buffers.hintMemory()),
      key_mutexes_(definition_.is_unique ? std::make_unique<std::array<std::mutex, kKeyMutexes>>() : nullptr) {}

TableIndex::~TableIndex() = default;

std::optional<uint64_t> TableIndex::pageCount() {
  const std::shared_lock counting(dropped_mutex_);
  if (is_dropped_) return std::nullopt;
  return tree_->pageCount();
}

void TableIndex::markDropped() {
  const std::unique_lock dropping(dropped_mutex_);
  is_dropped_ = true;
}

bool TableIndex::readRow(const Datum* values, const uint8_t* null_flags, KeyValues& key) const {
  if (definition_.expressions) return key.evaluate(*definition_.expressions, values, null_flags);
  for (size_t part = 0; part < definition_.parts.size(); ++part) {
    const uint32_t column = definition_.columns[part];
    key.set(part, values[column], null_flags[column] != 0);
  }
  return true;
}

bool TableIndex::readTuple(const storage::LeafView& leaf, uint32_t row, KeyValues& key) const {
  if (definition_.expressions) {
    for (const uint32_t column : definition_.columns) {
      bool is_null = false;
      const Datum value = leaf.value(column, row, is_null);
      key.setColumn(column, value, is_null);
    }
    return key.evaluateColumns(*definition_.expressions);
  }
  for (size_t part = 0; part < definition_.parts.size(); ++part) {
    bool is_null = false;
    const Datum value = leaf.value(definition_.columns[part], row, is_null);
    key.set(part, value, is_null);
  }
  return true;
}

void TableIndex::findKeys(const storage::LeafView& leaf, uint32_t row, KeyValues& parts,
                          std::vector<EncodedKey>& keys) const {
  keys.clear();
  if (!readTuple(leaf, row, parts)) return;
  if (definition_.extractor)
    parts.extract(*definition_.extractor, keys);
  else
    parts.encode(encoder_, keys.emplace_back());
}

namespace {

/// Entries that are added at once.
constexpr size_t kRunMax = 64;

enum class KeyHolder : uint8_t { Nobody, Somebody, Transaction };

/// Whether a tuple has its key to itself, or a transaction other than `own` decides that by its end.
KeyHolder keyHolder(const storage::LeafView& leaf, uint32_t row, Timestamp own, Timestamp& transaction) {
  const auto* const map = static_cast<const VersionMap*>(leaf.frame().version_map.load(std::memory_order_acquire));
  const bool is_deleted = leaf.isDeleted(row);
  const TupleId id = leaf.tupleId(row);
  if (map) {
    // Who deleted it, or else who appended it.
    const VersionChain* const chain = is_deleted ? map->find(id) : nullptr;
    const Version* version = chain ? chain->newest() : is_deleted ? nullptr : map->findCreated(id);
    while (version && version->isLock()) version = version->older.load(std::memory_order_acquire);
    if (version) {
      transaction = version->timestamp.load(std::memory_order_acquire);
      if (transaction >= kTransactionIdMin && transaction != own) return KeyHolder::Transaction;
    }
  }
  return is_deleted ? KeyHolder::Nobody : KeyHolder::Somebody;
}

}  // namespace

std::unique_ptr<TableIndex::KeyValues> TableIndex::makeKeyValues() const {
  return std::make_unique<KeyValues>(definition_);
}

std::optional<LockManager::Awaited> TableIndex::requireUnique(
    storage::Relation& relation, KeyView key, const KeyValues& parts, Timestamp own, TransactionManager& manager,
    std::optional<TupleId>* holder, std::optional<TupleId> except, std::optional<SqlError>* refusal) {
  if (!tree_->findFirst(key)) return std::nullopt;
  const storage::KeyBound bound{storage::KeyBound::Kind::Inclusive, key};
  storage::IndexCursor cursor(*tree_, {bound, bound});
  storage::IndexEntry entry;
  std::optional<LockManager::Awaited> awaited;
  while (cursor.next(entry)) {
    storage::LeafView leaf;
    uint32_t row = 0;
    if (entry.id == except || !relation.findStored(entry.id, leaf, row)) continue;
    const EpochManager::Guard guard(manager.epochs());
    Timestamp transaction = 0;
    switch (keyHolder(leaf, row, own, transaction)) {
      case KeyHolder::Nobody:
        break;
      case KeyHolder::Somebody:
        leaf.release();
        if (holder) {
          *holder = entry.id;
          return std::nullopt;
        }
        if (!refusal) throw definition_.duplicate(parts.values(), parts.nullFlags(), false);
        refusal->emplace(definition_.duplicate(parts.values(), parts.nullFlags(), false));
        return std::nullopt;
      case KeyHolder::Transaction:
        awaited = manager.locks().awaited(transaction);
    }
  }
  return awaited;
}

std::optional<LockManager::Awaited> TableIndex::tryInsert(storage::Relation& relation, TupleId id, const Datum* values,
                                                          const uint8_t* null_flags, Timestamp own,
                                                          TransactionManager& manager, KeyValues& parts,
                                                          std::optional<TupleId>* holder,
                                                          std::optional<SqlError>* refusal) {
  if (!readRow(values, null_flags, parts)) return std::nullopt;
  if (definition_.extractor) {
    // Of what a failure leaves behind, rollback takes the entries out with the tuple.
    std::vector<EncodedKey> keys;
    parts.extract(*definition_.extractor, keys);
    for (const EncodedKey& each : keys) tree_->insert(each.view(), id);
    parts.releaseStrings();
    return std::nullopt;
  }
  EncodedKey key;
  parts.encode(encoder_, key);
  std::unique_lock<std::mutex> turn;
  if (definition_.is_unique && !parts.isDistinct()) {
    turn = std::unique_lock((*key_mutexes_)[std::hash<KeyView>{}(key.view()) % kKeyMutexes]);
    if (tree_->insertAlone(key.view(), id)) {
      parts.releaseStrings();
      return std::nullopt;
    }
    const auto awaited = requireUnique(relation, key.view(), parts, own, manager, holder, std::nullopt, refusal);
    if (awaited || (holder && *holder) || (refusal && *refusal)) return awaited;
  }
  tree_->insert(key.view(), id);
  parts.releaseStrings();
  return std::nullopt;
}

size_t TableIndex::insertRun(TupleId first, const Datum* values, const uint8_t* null_flags, size_t column_count,
                             size_t row_count, KeyValues& parts, std::vector<EncodedKey>& keys) {
  if (definition_.expressions || definition_.extractor) return 0;
  keys.resize(std::min(row_count, kRunMax));
  uint64_t mutexes = 0;
  static_assert(kKeyMutexes == 64);
  size_t count = 0;
  for (; count < keys.size(); ++count) {
    readRow(values + count * column_count, null_flags + count * column_count, parts);
    if (definition_.is_unique && parts.isDistinct()) break;
    keys[count].clear();
    try {
      parts.encode(encoder_, keys[count]);
    } catch (const SqlError&) {
      // Behind the errors of the rows before it.
      break;
    }
    const KeyView key = keys[count].view();
    if (count > 0 && keys[count - 1].view() >= key) break;
    mutexes |= uint64_t{1} << std::hash<KeyView>{}(key) % kKeyMutexes;
  }
  parts.releaseStrings();
  if (count < 2) return 0;
  // Who holds several took them in this order, who holds one waits for none.
  struct Turns {
    std::array<std::mutex, kKeyMutexes>* mutexes;
    uint64_t held = 0;
    ~Turns() {
      for (; held != 0; held &= held - 1) (*mutexes)[static_cast<size_t>(std::countr_zero(held))].unlock();
    }
  } turns{key_mutexes_.get()};
  for (uint64_t left = definition_.is_unique ? mutexes : 0; left != 0; left &= left - 1) {
    (*key_mutexes_)[static_cast<size_t>(std::countr_zero(left))].lock();
    turns.held |= left & -left;
  }
  return tree_->insertRun(std::span(keys).first(count), first, definition_.is_unique);
}

bool TableIndex::insertUnchecked(storage::Relation& relation, TupleId id, const Datum* values,
                                 const uint8_t* null_flags, Timestamp own, TransactionManager& manager,
                                 KeyValues& parts) {
  if (!readRow(values, null_flags, parts)) return false;
  EncodedKey key;
  parts.encode(encoder_, key);
  std::unique_lock<std::mutex> turn;
  bool is_shared = false;
  if (!parts.isDistinct()) {
    turn = std::unique_lock((*key_mutexes_)[std::hash<KeyView>{}(key.view()) % kKeyMutexes]);
    std::optional<TupleId> holder;
    const auto awaited = requireUnique(relation, key.view(), parts, own, manager, &holder);
    is_shared = awaited || holder;
  }
  tree_->insert(key.view(), id);
  parts.releaseStrings();
  return is_shared;
}

std::optional<LockManager::Awaited> TableIndex::findOther(storage::Relation& relation, TupleId id, const Datum* values,
                                                          const uint8_t* null_flags, Timestamp own,
                                                          TransactionManager& manager, KeyValues& parts) {
  if (!readRow(values, null_flags, parts)) return std::nullopt;
  EncodedKey key;
  parts.encode(encoder_, key);
  if (parts.isDistinct()) return std::nullopt;
  const auto awaited = requireUnique(relation, key.view(), parts, own, manager, nullptr, id);
  parts.releaseStrings();
  return awaited;
}

std::optional<LockManager::Awaited> TableIndex::findHolder(storage::Relation& relation, const Datum* values,
                                                           const uint8_t* null_flags, Timestamp own,
                                                           TransactionManager& manager, KeyValues& parts,
                                                           std::optional<TupleId>& holder) {
  if (!readRow(values, null_flags, parts)) return std::nullopt;
  EncodedKey key;
  parts.encode(encoder_, key);
  if (parts.isDistinct()) return std::nullopt;
  const auto awaited = requireUnique(relation, key.view(), parts, own, manager, &holder);
  parts.releaseStrings();
  return awaited;
}

/// None: the tuple never had an entry, because it is left out, its key is too long for the index, or cannot be
/// computed.
void TableIndex::tryFindKeys(const storage::LeafView& leaf, uint32_t row, KeyValues& parts,
                             std::vector<EncodedKey>& keys) const {
  try {
    findKeys(leaf, row, parts, keys);
  } catch (const SqlError& error) {
    if (!isRaisedEachTime(error)) throw;
    keys.clear();
  }
}

void TableIndex::erase(storage::Relation& relation, const std::vector<TupleId>& ids) {
  std::vector<EncodedKey> keys;
  KeyValues parts(definition_);
  for (const TupleId id : ids) {
    {
      // Nobody waits for a page of the index while the leaf is held.
      storage::LeafView leaf;
      uint32_t row = 0;
      if (!relation.findStored(id, leaf, row)) continue;
      tryFindKeys(leaf, row, parts, keys);
    }
    for (const EncodedKey& key : keys) tree_->erase(key.view(), id);
  }
}

void TableIndex::raiseDuplicate(storage::Relation& relation, TupleId id) const {
  storage::LeafView leaf;
  uint32_t row = 0;
  const bool found = relation.find(id, leaf, row);
  CHECK(found, "X1");
  KeyValues parts(definition_);
  const bool is_in = readTuple(leaf, row, parts);
  CHECK(is_in, "X1");
  throw definition_.duplicate(parts.values(), parts.nullFlags(), true);
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
    run.forEach([&](KeyView key, TupleId id, bool is_distinct) {
      if (++done % 4096 == 0) cancel.poll();
      const bool must_differ = definition_.is_unique && !is_distinct;
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
  std::vector<EncodedKey> keys;
  KeyValues parts(definition_);
  while (scan.next(claim, leaf)) {
    cancel.poll();
    for (uint32_t row = leaf.access().row_begin; row < leaf.access().row_end; ++row) {
      if (leaf.isDeleted(row)) continue;
      findKeys(leaf, row, parts, keys);
      for (const EncodedKey& key : keys) run.add(key.view(), leaf.tupleId(row), parts.isDistinct());
    }
    if (!run.isFull()) continue;
    leaf.release();
    flush();
  }
  flush();
}

}  // namespace gnomon::txn
