#include "codegen/runtime/foreign_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/string_value.h"
#include "codegen/executor/check_evaluator.h"
#include "codegen/runtime/trigger_queue.h"
#include "sql/catalog/dependent_keys.h"
#include "sql/catalog/foreign_key_violation.h"
#include "sql/catalog/key_router.h"
#include "sql/catalog/stored_schema.h"
#include "sql/catalog/triggers.h"
#include "sql/catalog/violation.h"
#include "sql/types/text_io.h"
#include "txn/table.h"

namespace gnomon::codegen {

using sql::ReferentialAction;
using storage::StoredKind;
using txn::Datum;
using txn::TupleId;

namespace {

constexpr TupleId kNone{UINT64_MAX};
constexpr size_t kNoKey = SIZE_MAX;
/// Rows whose references are looked up together.
constexpr size_t kBatchRows = 1024;
/// Events between two looks at the cancel token.
constexpr size_t kEventsPerPoll = 256;

bool isSame(StoredKind kind, const Datum& left, const Datum& right) {
  if (kind == StoredKind::Int128 || kind == StoredKind::Interval) return left == right;
  if (kind != StoredKind::String) return left.lo == right.lo;
  return StringValue(left.lo, left.hi).view() == StringValue(right.lo, right.hi).view();
}

}  // namespace

struct ForeignKeys::TableState {
  std::unique_ptr<txn::WriteStatement> statement;  ///< null: the target's, or none was needed yet
  std::unique_ptr<sql::RowChecker> checker;        ///< null: none was needed yet
  /// Of rows that actions changed, and that got another id by that.
  std::unordered_map<uint64_t, TupleId> successors;
};

struct ForeignKeys::KeyState {
  std::vector<std::unique_ptr<txn::ReferencedRows>> referenced;  ///< by leaf, if the parent is partitioned
  std::unique_ptr<sql::KeyRouter> router;                        ///< null: it is not
  const sql::IndexEntry* index = nullptr;                        ///< of the parent; null: it was not looked for yet
  std::vector<size_t> part_columns;  ///< of the parent's index: its part is of this column of the key
  std::unique_ptr<txn::ReferringRows> referring;
  size_t scanned_events = 0;  ///< without an index the child was read for the keys of events below this
};

ForeignKeys::ForeignKeys(std::shared_ptr<const sql::KeyWork> work, const txn::WriteContext& context,
                         txn::WriteStatement& target, const ForeignKeySettings& settings, MemoryAccount& memory)
    : work_(std::move(work)),
      context_(context),
      settings_(settings),
      memory_(memory),
      target_(target),
      strings_(&memory),
      tables_(work_->tables.size()),
      keys_(work_->keys.size()) {}

ForeignKeys::~ForeignKeys() {
  memory_.release(charged_bytes_);
}

txn::WriteStatement& ForeignKeys::statementOf(size_t table) {
  if (table == 0) return target_;
  std::unique_ptr<txn::WriteStatement>& statement = tables_[table].statement;
  if (!statement) {
    statement = std::make_unique<txn::WriteStatement>(*work_->tables[table].table->storage, context_);
    statement->setPart();
    statement->setNewest(context_.is_read_committed);
  }
  return *statement;
}

/// The index of what the key refers to.
void ForeignKeys::findReferenced(size_t number) {
  KeyState& state = keys_[number];
  if (state.index != nullptr) return;
  const sql::KeyWork::Key& key = work_->keys[number];
  const sql::TableEntry& parent = *work_->tables[key.parent].table;
  const auto index = std::ranges::find(parent.indexes, key.key->parent_index, &sql::IndexEntry::oid);
  CHECK(index != parent.indexes.end(), "an index that a key needs is not dropped");
  state.index = index->get();
  std::vector<uint32_t> columns;
  for (const sql::IndexColumn& part : state.index->columns) {
    columns.push_back(part.column);
    state.part_columns.push_back(
        static_cast<size_t>(std::ranges::find(key.key->parent_columns, part.column) - key.key->parent_columns.begin()));
  }
  if (parent.partitioning) state.router = std::make_unique<sql::KeyRouter>(parent, std::move(columns));
  state.referenced.resize(parent.partitioning ? parent.partitioning->leaves().size() : 1);
}

txn::ReferencedRows& ForeignKeys::referencedIn(size_t number, uint32_t leaf) {
  KeyState& state = keys_[number];
  if (state.referenced[leaf]) return *state.referenced[leaf];
  const sql::TableEntry& parent = *work_->tables[work_->keys[number].parent].table;
  if (!state.router) {
    state.referenced[leaf] = std::make_unique<txn::ReferencedRows>(*parent.storage, state.index->storage, context_);
  } else {
    const sql::IndexPtr index = sql::Partitioning::leafIndex(parent, *state.index, leaf);
    CHECK(index != nullptr, "an index that a key needs has a part in each leaf");
    state.referenced[leaf] =
        std::make_unique<txn::ReferencedRows>(*parent.partitioning->leaves()[leaf]->storage, index->storage, context_);
  }
  return *state.referenced[leaf];
}

/// As ReferencedRows::lock. `references`: as addReference() makes them.
void ForeignKeys::lockReferences(size_t number, const std::vector<Datum>& references, std::vector<uint8_t>& is_found) {
  findReferenced(number);
  KeyState& state = keys_[number];
  if (!state.router) return referencedIn(number, 0).lock(references, is_found);
  const size_t parts = state.part_columns.size();
  const size_t count = references.size() / parts;
  is_found.assign(count, 0);
  std::map<uint32_t, std::vector<size_t>> by_leaf;
  for (size_t i = 0; i < count; ++i)
    if (const uint32_t leaf = state.router->leafOf(references.data() + i * parts); leaf != sql::Partitioning::kNone)
      by_leaf[leaf].push_back(i);
  std::vector<Datum> of_leaf;
  std::vector<uint8_t> found_in_leaf;
  for (const auto& [leaf, rows] : by_leaf) {
    of_leaf.clear();
    for (const size_t row : rows)
      of_leaf.insert(of_leaf.end(), references.begin() + static_cast<ptrdiff_t>(row * parts),
                     references.begin() + static_cast<ptrdiff_t>((row + 1) * parts));
    referencedIn(number, leaf).lock(of_leaf, found_in_leaf);
    for (size_t i = 0; i < rows.size(); ++i) is_found[rows[i]] = found_in_leaf[i];
  }
}

txn::ReferringRows& ForeignKeys::referringBy(size_t number) {
  KeyState& state = keys_[number];
  if (state.referring) return *state.referring;
  const sql::KeyWork::Key& key = work_->keys[number];
  const sql::TableEntry& child = *work_->tables[key.child].table;
  std::vector<storage::KeyPart> parts;
  for (const uint32_t column : key.key->columns)
    parts.push_back(sql::keyPart(child.columns[column].type, false, false));
  state.referring = std::make_unique<txn::ReferringRows>(*child.storage, key.key->columns, parts, context_);
  return *state.referring;
}

void ForeignKeys::push(const Event& event) {
  constexpr size_t kEventsPerCharge = 1024;
  if (events_.size() % kEventsPerCharge == 0) {
    memory_.charge(kEventsPerCharge * sizeof(Event));
    charged_bytes_ += kEventsPerCharge * sizeof(Event);
  }
  events_.push_back(event);
}

ForeignKeys::KeyValues ForeignKeys::read(size_t table, const std::vector<uint32_t>& columns, TupleId id) {
  const sql::TableEntry& entry = *work_->tables[table].table;
  storage::LeafView leaf;
  uint32_t row = 0;
  const bool is_found = entry.storage->relation().findStored(id, leaf, row);
  CHECK(is_found, "a tuple of the transaction's stays until it ends");
  KeyValues result;
  for (const uint32_t column : columns) {
    bool is_null = false;
    Datum value = leaf.value(column, row, is_null);
    if (is_null) ++result.nulls;
    result.null_flags.push_back(is_null ? 1 : 0);
    const bool is_long = !is_null && entry.storage->schema()[column].kind == StoredKind::String &&
                         StringValue(value.lo, value.hi).view().size() > StringValue::kInlineBytesMax;
    if (is_long) {
      const StringValue copy =
          StringValue::refer(strings_.copy(StringValue(value.lo, value.hi).view()), StringValue::Storage::Temporary);
      value = {copy.lo(), copy.hi()};
    }
    result.values.push_back(value);
  }
  return result;
}

/// True: a row with these values refers to nothing. Failure: 23503 where it must not have some of them alone.
bool ForeignKeys::isSatisfied(const sql::KeyWork::Key& key, const KeyValues& values) const {
  if (values.nulls == 0) return false;
  if (key.key->is_full && values.nulls != values.values.size())
    throw sql::mixedNulls(*work_->tables[key.child].table, *key.key);
  return true;
}

/// Adds what the values are in the parent's index. False: there is no such value.
bool ForeignKeys::addReference(size_t number, const std::vector<Datum>& values, std::vector<Datum>& references) {
  const sql::KeyWork::Key& key = work_->keys[number];
  const size_t before = references.size();
  for (const size_t column : keys_[number].part_columns) {
    Datum value;
    if (!key.to_parent[column].convert(values[column], value, strings_)) {
      references.resize(before);
      return false;
    }
    references.push_back(value);
  }
  return true;
}

void ForeignKeys::noteAppended(TupleId first, const Datum* values, const uint8_t* null_flags, size_t row_count) {
  const sql::KeyWork::Table& table = work_->tables[0];
  const size_t column_count = table.table->columns.size();
  std::vector<std::pair<uint32_t, uint32_t>> missing;  // row, key
  std::vector<uint32_t> rows;
  std::vector<Datum> key_values, references;
  std::vector<uint8_t> is_found;
  for (const size_t number : table.outgoing) {
    const sql::KeyWork::Key& key = work_->keys[number];
    findReferenced(number);
    rows.clear();
    references.clear();
    for (uint32_t row = 0; row < row_count; ++row) {
      const size_t offset = row * column_count;
      const auto isNull = [&](uint32_t column) { return null_flags[offset + column] != 0; };
      const auto nulls = std::ranges::count_if(key.key->columns, isNull);
      const bool is_mixed = nulls != 0 && static_cast<size_t>(nulls) != key.key->columns.size();
      if (nulls != 0 && (!is_mixed || !key.key->is_full)) continue;
      key_values.clear();
      for (const uint32_t column : key.key->columns) key_values.push_back(values[offset + column]);
      if (nulls == 0 && addReference(number, key_values, references))
        rows.push_back(row);
      else
        missing.emplace_back(row, static_cast<uint32_t>(number));
    }
    lockReferences(number, references, is_found);
    for (size_t i = 0; i < rows.size(); ++i)
      if (is_found[i] == 0) missing.emplace_back(rows[i], static_cast<uint32_t>(number));
  }
  strings_.clear();
  std::ranges::sort(missing);
  for (const auto& [row, key] : missing) push({0, key, kNone, TupleId{first.value + row}});
}

void ForeignKeys::noteRemoved(TupleId id) {
  if (!work_->tables[0].incoming.empty()) push({0, kAllIncoming, id, kNone});
}

void ForeignKeys::noteMoved(TupleId id, const Datum* values, const uint8_t* null_flags) {
  if (work_->tables[0].incoming.empty()) return;
  const txn::RelationSchema& schema = work_->tables[0].table->storage->schema();
  KeyValues& row = moved_.emplace_back();
  row.values.assign(values, values + schema.size());
  row.null_flags.assign(null_flags, null_flags + schema.size());
  for (size_t column = 0; column < schema.size(); ++column) {
    if (schema[column].kind != StoredKind::String || null_flags[column] != 0) continue;
    const std::string_view text = StringValue(values[column].lo, values[column].hi).view();
    if (text.size() <= StringValue::kInlineBytesMax) continue;
    const StringValue copy = StringValue::refer(moved_strings_.copy(text), StringValue::Storage::Temporary);
    row.values[column] = {copy.lo(), copy.hi()};
  }
  push({.table = 0, .key = kAllIncoming, .before = id, .after = kNone, .moved = moved_.size() - 1});
}

/// The values of the key's columns where the row is now.
ForeignKeys::KeyValues ForeignKeys::movedValues(const Event& event, const sql::KeyWork::Key& key) const {
  const KeyValues& row = moved_[event.moved];
  KeyValues values;
  for (const uint32_t column : key.key->parent_columns) {
    values.values.push_back(row.values[column]);
    values.null_flags.push_back(row.null_flags[column]);
    if (row.null_flags[column] != 0) ++values.nulls;
  }
  return values;
}

void ForeignKeys::noteUpdated(TupleId before, TupleId after, const storage::TupleChange& change) {
  pushTouched(0, before, after, change, kNoKey);
}

/// Of a row that was changed just now: where it may be referred to, and keys of its own that it has to satisfy but for
/// one.
void ForeignKeys::pushTouched(size_t number, TupleId before, TupleId after, const storage::TupleChange& change,
                              size_t passed_key) {
  const sql::KeyWork::Table& table = work_->tables[number];
  // What others refer to is in an index, so a change of it gives the row another id.
  if (!table.incoming.empty() && before != after) push({static_cast<uint32_t>(number), kAllIncoming, before, after});
  if (table.outgoing.empty()) return;
  const txn::RelationSchema& schema = table.table->storage->schema();
  storage::LeafView leaf;
  uint32_t row = 0;
  const bool is_replaced = before != after;
  if (is_replaced) {
    const bool is_found = table.table->storage->relation().findStored(before, leaf, row);
    CHECK(is_found, "a tuple of the transaction's stays until it ends");
  }
  const txn::Version* const version = context_.transaction.newest();
  const auto isChanged = [&](uint32_t column) {
    const auto found = std::ranges::find(change.columns, column);
    if (found == change.columns.end()) return false;
    const auto place = found - change.columns.begin();
    bool was_null = is_replaced ? false : version->nullFlags()[place] != 0;
    const Datum old = is_replaced ? leaf.value(column, row, was_null) : version->values()[place];
    if (was_null || change.null_flags[place] != 0) return was_null != (change.null_flags[place] != 0);
    return !isSame(schema[column].kind, old, change.values[place]);
  };
  // What was put off for the row is put off for its successor.
  const auto isDeferrable = [&](size_t key) { return before != after && work_->keys[key].key->is_deferrable; };
  for (const size_t key : table.outgoing)
    if (isDeferrable(key) || (key != passed_key && std::ranges::any_of(work_->keys[key].key->columns, isChanged)))
      push({static_cast<uint32_t>(number), static_cast<uint32_t>(key), kNone, after});
}

void ForeignKeys::noteDeferred(const txn::DeferredReferences::Row& row) {
  for (const size_t number : work_->tables[0].outgoing)
    if (work_->keys[number].own_number == row.key.second)
      push({0, static_cast<uint32_t>(number), kNone, row.id, row.is_parent_gone});
}

/// False: the key is to be satisfied now.
bool ForeignKeys::defer(size_t number, TupleId id, bool is_parent_gone) {
  const sql::KeyWork::Key& key = work_->keys[number];
  if (!key.key->is_deferrable || context_.deferred == nullptr) return false;
  const txn::DeferredReferences::Key name{work_->tables[key.child].table->oid, key.own_number};
  if (!context_.deferred->isDeferred(name, key.key->is_deferred)) return false;
  context_.deferred->add({.key = name, .id = id, .is_parent_gone = is_parent_gone});
  return true;
}

void ForeignKeys::finish(std::optional<SqlError>* refusal) {
  runEvents(refusal);
  if (refusal && *refusal) return;
  for (TableState& table : tables_)
    if (table.statement) table.statement->finish();
  target_.finish();
}

void ForeignKeys::runEvents(std::optional<SqlError>* refusal) {
  if (events_.empty()) return;
  target_.setNewest(context_.is_read_committed);
  for (size_t event = 0; event < events_.size();) {
    if (event % kEventsPerPoll == 0) context_.patience.cancel.poll();
    if (events_[event].key == kAllIncoming)
      followReferring(event++);
    else
      event = checkReferences(event, refusal);
    strings_.clear();
    if (refusal && *refusal) return;
  }
}

/// What an action has made of the row since.
TupleId ForeignKeys::newestOf(const Event& event) const {
  const auto& successors = tables_[event.table].successors;
  TupleId id = event.after;
  for (auto next = successors.find(id.value); next != successors.end(); next = successors.find(id.value))
    id = next->second;
  return id;
}

/// Looks up the references of the event and of some that follow. Returns the first event that is left.
size_t ForeignKeys::checkReferences(size_t event, std::optional<SqlError>* refusal) {
  struct Batch {
    std::vector<size_t> events;
    std::vector<Datum> references;
    std::vector<uint8_t> is_found;
  };
  std::unordered_map<uint32_t, Batch> batches;
  size_t violated = SIZE_MAX;
  const size_t end_max = std::min(events_.size(), event + kBatchRows);
  size_t end = event;
  const auto readValues = [this](const Event& each) {
    return read(each.table, work_->keys[each.key].key->columns, newestOf(each));
  };
  const auto isGone = [this](const Event& each) {
    storage::LeafView leaf;
    uint32_t row = 0;
    return !work_->tables[each.table].table->storage->relation().findStored(newestOf(each), leaf, row) ||
           leaf.isDeleted(row);
  };
  for (; end < end_max && events_[end].key != kAllIncoming && violated == SIZE_MAX; ++end) {
    const Event& each = events_[end];
    findReferenced(each.key);
    if (isGone(each)) continue;
    const KeyValues values = readValues(each);
    const sql::KeyWork::Key& key = work_->keys[each.key];
    const bool is_mixed = key.key->is_full && values.nulls != 0 && values.nulls != values.values.size();
    if (values.nulls != 0 && !is_mixed) continue;
    Batch& batch = batches[each.key];
    if (!is_mixed && addReference(each.key, values.values, batch.references))
      batch.events.push_back(end);
    else if (!defer(each.key, newestOf(each), each.is_parent_gone))
      violated = end;
  }
  for (auto& [key, batch] : batches) {
    lockReferences(key, batch.references, batch.is_found);
    for (size_t i = 0; i < batch.events.size(); ++i) {
      const Event& each = events_[batch.events[i]];
      if (batch.is_found[i] == 0 && !defer(key, newestOf(each), each.is_parent_gone))
        violated = std::min(violated, batch.events[i]);
    }
  }
  if (violated == SIZE_MAX) return end;
  if (!refusal) throw violationOf(events_[violated]);
  refusal->emplace(violationOf(events_[violated]));
  return end;
}

SqlError ForeignKeys::violationOf(const Event& event) {
  const sql::KeyWork::Key& key = work_->keys[event.key];
  const sql::TableEntry& child = *work_->tables[key.child].table;
  const sql::TableEntry& parent = *work_->tables[key.parent].table;
  KeyValues values = read(event.table, key.key->columns, newestOf(event));
  isSatisfied(key, values);
  if (!event.is_parent_gone) return sql::missingParent(child, *key.key, parent, values.values.data());
  for (size_t i = 0; i < values.values.size(); ++i) {
    const bool is_possible = key.to_parent[i].convert(values.values[i], values.values[i], strings_);
    CHECK(is_possible, "a row of the parent had the value");
  }
  return parentGone(key, values.values);
}

/// `values`: of the parent's columns. Of a partitioned parent the leaf is named, and the part of the key for it.
SqlError ForeignKeys::parentGone(const sql::KeyWork::Key& key, const std::vector<Datum>& values) const {
  const sql::TableEntry& child = key.declared ? *key.declared : *work_->tables[key.child].table;
  const sql::TableEntry& parent = *work_->tables[key.parent].table;
  const sql::ForeignKeyEntry* whole = sql::findKey(child, key.key->name);
  if (parent.partitioning && whole != nullptr) {
    sql::KeyRouter router(parent, key.key->parent_columns);
    if (const uint32_t leaf = router.leafOf(values.data()); leaf != sql::Partitioning::kNone)
      for (const sql::ForeignKeyEntry& part : child.foreign_keys)
        if (part.part_of == whole->number && part.parent == parent.partitioning->leaves()[leaf]->oid)
          return sql::stillReferenced(*parent.partitioning->leaves()[leaf], part, child, values.data());
  }
  return sql::stillReferenced(parent, whole != nullptr ? *whole : *key.key, child, values.data());
}

void ForeignKeys::followReferring(size_t event) {
  for (const size_t key : work_->tables[events_[event].table].incoming) followKey(event, key);
}

/// What the action writes to the columns of rows that refer to the row.
ForeignKeys::KeyChange ForeignKeys::changeOf(const sql::KeyWork::Key& key, const KeyValues* after) {
  const bool is_delete = after == nullptr;
  const ReferentialAction action = is_delete ? key.key->on_delete : key.key->on_update;
  KeyChange change;
  change.columns = is_delete && !key.key->set_columns.empty() ? key.key->set_columns : key.key->columns;
  std::ranges::sort(change.columns);
  const auto repeated = std::ranges::unique(change.columns);
  change.columns.erase(repeated.begin(), repeated.end());
  for (const uint32_t column : change.columns) {
    Datum value;
    bool is_null = true;
    if (action == ReferentialAction::SetDefault) {
      const sql::Value& given = work_->tables[key.child].defaults[column];
      is_null = given.is_null;
      const sql::RegisterPair pair = is_null ? sql::RegisterPair{0, 0} : sql::toRegisters(given);
      value = {pair.lo, pair.hi};
    } else if (action == ReferentialAction::Cascade && !is_delete) {
      const auto place = static_cast<size_t>(std::ranges::find(key.key->columns, column) - key.key->columns.begin());
      is_null = after->null_flags[place] != 0;
      if (!is_null) value = key.to_child[place].assign(after->values[place], strings_);
    }
    change.values.push_back(value);
    change.null_flags.push_back(is_null ? 1 : 0);
  }
  return change;
}

bool ForeignKeys::isSameKey(const sql::KeyWork::Key& key, const KeyValues& before, const KeyValues& after) const {
  const txn::RelationSchema& schema = work_->tables[key.parent].table->storage->schema();
  if (after.nulls != 0) return false;
  for (size_t i = 0; i < before.values.size(); ++i)
    if (!isSame(schema[key.key->parent_columns[i]].kind, before.values[i], after.values[i])) return false;
  return true;
}

/// False: there is no such value.
bool ForeignKeys::toChild(const sql::KeyWork::Key& key, const KeyValues& parent, std::vector<Datum>& values) {
  const size_t before = values.size();
  for (size_t i = 0; i < parent.values.size(); ++i) {
    Datum value;
    if (!key.to_child[i].convert(parent.values[i], value, strings_)) {
      values.resize(before);
      return false;
    }
    values.push_back(value);
  }
  return true;
}

/// Without an index: reads the child once for all events that there are.
void ForeignKeys::prepareScan(size_t event, size_t number) {
  KeyState& state = keys_[number];
  if (referringBy(number).hasIndex() || event < state.scanned_events) return;
  const sql::KeyWork::Key& key = work_->keys[number];
  std::vector<Datum> wanted;
  for (size_t i = event; i < events_.size(); ++i) {
    if (events_[i].key != kAllIncoming || events_[i].table != key.parent) continue;
    const KeyValues values = read(key.parent, key.key->parent_columns, events_[i].before);
    if (values.nulls == 0) toChild(key, values, wanted);
  }
  state.scanned_events = events_.size();
  state.referring->scan(wanted);
}

void ForeignKeys::followKey(size_t event, size_t number) {
  const sql::KeyWork::Key& key = work_->keys[number];
  const Event what = events_[event];
  const bool is_moved = what.moved != kNotMoved && key.moved != nullptr;
  const bool is_delete = what.after == kNone && !is_moved;
  if (what.moved != kNotMoved && key.forbids_moves)
    throw sql::forbiddenMove(*work_->moved_in, key.declared ? *key.declared : *work_->tables[key.child].table,
                             *key.key);
  const KeyValues before = read(what.table, key.key->parent_columns, what.before);
  if (before.nulls != 0) return;
  const KeyValues after = is_moved    ? movedValues(what, key)
                          : is_delete ? KeyValues{}
                                      : read(what.table, key.key->parent_columns, what.after);
  if (!is_delete && isSameKey(key, before, after)) return;
  std::vector<Datum> values;
  if (!toChild(key, before, values)) return;
  const ReferentialAction action = is_delete ? key.key->on_delete : key.key->on_update;
  if (action == ReferentialAction::NoAction || action == ReferentialAction::Restrict)
    return prevent(event, number, before, values, action == ReferentialAction::Restrict);
  const KeyChange change = changeOf(key, is_delete ? nullptr : &after);
  const bool is_removed = action == ReferentialAction::Cascade && is_delete;
  const size_t passed_key = action == ReferentialAction::Cascade ? number : kNoKey;
  // Where another transaction has replaced a row by another meanwhile, that one is to be found.
  for (bool again = true; again;) {
    again = false;
    for (const TupleId id : findReferring(event, number, values)) {
      const Referring row{number, values, id};
      if (!(is_removed ? removeRow(row) : setRow(row, change, passed_key))) again = true;
    }
    if (again) keys_[number].scanned_events = 0;
  }
  // Rows whose default is the old key refer to it as before.
  if (action == ReferentialAction::SetDefault) prevent(event, number, before, values, true);
}

std::vector<TupleId> ForeignKeys::findReferring(size_t event, size_t number, const std::vector<Datum>& values) {
  prepareScan(event, number);
  std::vector<TupleId> ids;
  referringBy(number).find(values.data(), ids);
  return ids;
}

/// Raises 23503 where a row refers to the key. `is_restrict`: also when another row has taken the key over.
void ForeignKeys::prevent(size_t event, size_t number, const KeyValues& before, const std::vector<Datum>& values,
                          bool is_restrict) {
  const sql::KeyWork::Key& key = work_->keys[number];
  for (bool again = true; again;) {
    again = false;
    const std::vector<TupleId> ids = findReferring(event, number, values);
    if (ids.empty() || (!is_restrict && isReferenced(number, before))) return;
    for (const TupleId id : ids) {
      switch (lookAtReferring({number, values, id})) {
        case txn::ReferringRows::Sight::Gone:
          again = true;
          break;
        case txn::ReferringRows::Sight::Other:
          break;
        case txn::ReferringRows::Sight::Referring: {
          if (!is_restrict && defer(number, id, true)) break;
          const bool is_moved = events_[event].moved != kNotMoved && key.moved != nullptr;
          throw sql::stillReferenced(
              is_moved ? *work_->moved_in : *work_->tables[key.parent].table, is_moved ? *key.moved : *key.key,
              key.declared ? *key.declared : *work_->tables[key.child].table, before.values.data());
        }
      }
    }
    if (again) keys_[number].scanned_events = 0;
  }
}

/// Whether a row refers to the key; who is about to delete it, or to replace it by another, is waited for.
txn::ReferringRows::Sight ForeignKeys::lookAtReferring(const Referring& row) {
  using Sight = txn::ReferringRows::Sight;
  txn::ReferringRows& referring = referringBy(row.key);
  const Sight sight = referring.look(row.id, row.values.data(), false);
  if (sight != Sight::Referring || !referring.isBeingDeleted(row.id)) return sight;
  txn::WriteStatement& statement = statementOf(work_->keys[row.key].child);
  statement.setNewest(true);
  const bool is_there = statement.tryLock(row.id, true);
  statement.setNewest(context_.is_read_committed);
  if (!is_there && !context_.is_read_committed)
    throw SqlError(sqlstate::kSerializationFailure, "could not serialize access due to concurrent update");
  return is_there ? referring.look(row.id, row.values.data(), false) : Sight::Gone;
}

bool ForeignKeys::isReferenced(size_t number, const KeyValues& parent) {
  findReferenced(number);
  std::vector<Datum> reference;
  for (const size_t column : keys_[number].part_columns) reference.push_back(parent.values[column]);
  std::vector<uint8_t> is_found;
  lockReferences(number, reference, is_found);
  return is_found[0] != 0;
}

/// Locks a row for an action.
txn::ReferringRows::Sight ForeignKeys::take(const Referring& row) {
  using Sight = txn::ReferringRows::Sight;
  txn::ReferringRows& referring = referringBy(row.key);
  if (!context_.is_read_committed) {
    const Sight sight = referring.look(row.id, row.values.data(), false);
    if (sight != Sight::Referring) return sight;
    if (referring.look(row.id, row.values.data(), true) == Sight::Gone)
      throw SqlError(sqlstate::kSerializationFailure, "could not serialize access due to concurrent update");
  }
  if (!statementOf(work_->keys[row.key].child).tryLock(row.id, false)) return Sight::Gone;
  return referring.isReferring(row.id, row.values.data()) ? Sight::Referring : Sight::Other;
}

/// What the transaction has done to a row, for those who find rows without an index. kNone: it was deleted.
void ForeignKeys::noteChange(size_t table, TupleId before, TupleId after) {
  for (size_t key = 0; key < keys_.size(); ++key) {
    if (work_->keys[key].child != table || !keys_[key].referring) continue;
    if (before != after) keys_[key].referring->noteGone(before);
    if (after != kNone) keys_[key].referring->noteRow(after);
  }
}

/// The row as it is, and as a change makes it.
struct ForeignKeys::RowChange {
  std::vector<Datum> before, after;
  std::vector<uint8_t> before_nulls, after_nulls;
  [[nodiscard]] RowImage old() const { return {before.data(), before_nulls.data()}; }
  WritableRow row() { return {after.data(), after_nulls.data()}; }
};

bool ForeignKeys::firesTriggers(size_t child, sql::TriggerEvent event) const {
  return settings_.triggers != nullptr && sql::hasRowWork(*work_->tables[child].table, event);
}

ForeignKeys::RowChange ForeignKeys::readWhole(size_t child, TupleId id) {
  RowChange row;
  row.before.resize(work_->tables[child].table->columns.size());
  row.before_nulls.resize(row.before.size());
  statementOf(child).read(id, row.before.data(), row.before_nulls.data(), settings_.triggers->memory());
  return row;
}

namespace {

/// What PostgreSQL would execute for an action, which is shown in contexts.
std::string actionText(const sql::TableEntry& child, const sql::ForeignKeyEntry& key, bool is_update,
                       const std::vector<uint32_t>& set, std::string_view value) {
  const auto name = [](const std::string& text) { return "\"" + text + "\""; };
  std::string text =
      fmt::format("{} ONLY {}.{}", is_update ? "UPDATE" : "DELETE FROM", name(child.schema), name(child.name));
  size_t number = 1;
  for (size_t i = 0; is_update && i < set.size(); ++i)
    text += fmt::format("{} {} = {}", i == 0 ? " SET" : ",", name(child.columns[set[i]].name),
                        value.empty() ? fmt::format("${}", number++) : std::string(value));
  for (size_t i = 0; i < key.columns.size(); ++i)
    text += fmt::format(" {} ${} OPERATOR(pg_catalog.=) {}", i == 0 ? "WHERE" : "AND", number++,
                        name(child.columns[key.columns[i]].name));
  return text;
}

}  // namespace

/// The triggers before a row that an action is about to change.
bool ForeignKeys::fireBefore(size_t number, sql::TriggerEvent event, const std::vector<uint32_t>& columns,
                             RowImage before, WritableRow row) try {
  return settings_.triggers->beforeRow(work_->tables[work_->keys[number].child].table, event, columns, before, row);
} catch (SqlError& error) {
  const sql::KeyWork::Key& key = work_->keys[number];
  const bool is_update = event == sql::TriggerEvent::Update;
  const bool is_null =
      key.key->on_delete == ReferentialAction::SetNull || key.key->on_update == ReferentialAction::SetNull;
  const bool is_cascade = key.key->on_update == ReferentialAction::Cascade;
  throw error.addContext(
      fmt::format("SQL statement \"{}\"", actionText(*work_->tables[key.child].table, *key.key, is_update, columns,
                                                     is_cascade ? ""
                                                     : is_null  ? "NULL"
                                                                : "DEFAULT")));
}

/// A locked row goes, between its triggers. False: as removeRow.
bool ForeignKeys::removeFired(size_t key, TupleId id) {
  const size_t child = work_->keys[key].child;
  const sql::TablePtr& table = work_->tables[child].table;
  if (!statementOf(child).tryLock(id, false)) return false;
  const RowChange row = readWhole(child, id);
  if (!fireBefore(key, sql::TriggerEvent::Delete, {}, row.old(), {})) return true;
  if (!statementOf(child).tryRemove(id)) return false;
  noteChange(child, id, kNone);
  if (!work_->tables[child].incoming.empty()) push({static_cast<uint32_t>(child), kAllIncoming, id, kNone});
  settings_.triggers->afterRow(table, table, sql::TriggerEvent::Delete, {}, row.old(), {});
  return true;
}

/// False: it is gone, by another transaction.
bool ForeignKeys::removeRow(const Referring& row) {
  const size_t child = work_->keys[row.key].child;
  // Where an index led to it, it has the key as long as it is there.
  const bool is_sure = context_.is_read_committed && referringBy(row.key).hasIndex();
  if (!is_sure) {
    const txn::ReferringRows::Sight sight = take(row);
    if (sight != txn::ReferringRows::Sight::Referring) return sight == txn::ReferringRows::Sight::Other;
  }
  if (firesTriggers(child, sql::TriggerEvent::Delete)) return removeFired(row.key, row.id);
  if (!statementOf(child).tryRemove(row.id)) return false;
  noteChange(child, row.id, kNone);
  if (!work_->tables[child].incoming.empty()) push({static_cast<uint32_t>(child), kAllIncoming, row.id, kNone});
  return true;
}

/// As removeRow.
bool ForeignKeys::setRow(const Referring& row, const KeyChange& key_change, size_t passed_key) {
  const txn::ReferringRows::Sight sight = take(row);
  if (sight != txn::ReferringRows::Sight::Referring) return sight == txn::ReferringRows::Sight::Other;
  const size_t child = work_->keys[row.key].child;
  const sql::TablePtr& table = work_->tables[child].table;
  KeyChange made;  // by triggers
  storage::TupleChange change{key_change.columns, key_change.values.data(), key_change.null_flags.data()};
  std::optional<RowChange> whole;
  if (firesTriggers(child, sql::TriggerEvent::Update)) {
    whole = readWhole(child, row.id);
    whole->after = whole->before;
    whole->after_nulls = whole->before_nulls;
    for (size_t i = 0; i < change.columns.size(); ++i) {
      whole->after[change.columns[i]] = change.values[i];
      whole->after_nulls[change.columns[i]] = change.null_flags[i];
    }
    if (!fireBefore(row.key, sql::TriggerEvent::Update, key_change.columns, whole->old(), whole->row())) return true;
    for (uint32_t column = 0; column < whole->after.size(); ++column) {
      const bool is_null = whole->after_nulls[column] != 0;
      const bool is_same =
          whole->before_nulls[column] == whole->after_nulls[column] &&
          (is_null || isSame(table->storage->schema()[column].kind, whole->before[column], whole->after[column]));
      if (is_same && !std::ranges::binary_search(key_change.columns, column)) continue;
      made.columns.push_back(column);
      made.values.push_back(whole->after[column]);
      made.null_flags.push_back(whole->after_nulls[column]);
    }
    change = {made.columns, made.values.data(), made.null_flags.data()};
  }
  requireChecks(child, row.id, change);
  TupleId after = row.id;
  const bool is_done = statementOf(child).tryUpdate(after, change);
  CHECK(is_done, "a locked row stays");
  if (after != row.id) tables_[child].successors.emplace(row.id.value, after);
  noteChange(child, row.id, after);
  pushTouched(child, row.id, after, change, passed_key);
  if (whole)
    settings_.triggers->afterRow(table, table, sql::TriggerEvent::Update, key_change.columns, whole->old(),
                                 whole->row().image());
  return true;
}

/// Whether a row of the table may become what the change makes of it.
void ForeignKeys::requireChecks(size_t number, TupleId id, const storage::TupleChange& change) {
  const sql::KeyWork::Table& table = work_->tables[number];
  const sql::TableEntry& entry = *table.table;
  const size_t column_count = entry.columns.size();
  storage::LeafView leaf;
  uint32_t row = 0;
  const bool is_found = entry.storage->relation().findStored(id, leaf, row);
  CHECK(is_found, "a locked row stays");
  std::vector<Datum> values(column_count);
  std::vector<uint8_t> null_flags(column_count);
  for (uint32_t column = 0; column < column_count; ++column) {
    bool is_null = false;
    values[column] = leaf.value(column, row, is_null);
    null_flags[column] = is_null ? 1 : 0;
  }
  for (size_t i = 0; i < change.columns.size(); ++i) {
    values[change.columns[i]] = change.values[i];
    null_flags[change.columns[i]] = change.null_flags[i];
  }
  for (const uint32_t column : change.columns)
    if (entry.columns[column].not_null && null_flags[column] != 0)
      throw sql::notNullViolation(entry, column, values.data(), null_flags.data(), settings_.bytea_output);
  if (!table.checks.usual) return;
  std::unique_ptr<sql::RowChecker>& checker = tables_[number].checker;
  if (!checker)
    checker = compileChecks(table.checks, settings_.policy, settings_.bytea_output, memory_, settings_.session);
  const uint32_t violated = checker->firstViolation(values.data(), null_flags.data());
  if (violated != sql::RowChecker::kNone)
    throw sql::checkViolation(entry, violated, values.data(), null_flags.data(), settings_.bytea_output);
}

}  // namespace gnomon::codegen
