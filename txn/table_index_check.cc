#include <fmt/format.h>

#include <algorithm>

#include "storage/index/index_cursor.h"
#include "storage/relation/scan.h"
#include "txn/key_values.h"

namespace gnomon::txn {

using storage::EncodedKey;

/// Compares an index with its relation. Memory for one batch of entries, or one leaf, at a time.
class TableIndex::Check {
 public:
  Check(TableIndex& index, storage::Relation& relation, storage::Findings& findings)
      : index_(index), relation_(relation), findings_(findings), parts_(index.definition_) {}

  uint64_t run() {
    if (index_.definition_.extractor)
      compareInverted();
    else
      compare();
    if (problems_ > kProblemsMax) report(fmt::format("has {} more problems of these kinds", problems_ - kProblemsMax));
    return stale_entries_;
  }

 private:
  /// Further ones are only counted.
  static constexpr uint64_t kProblemsMax = 20;

  void report(const std::string& what) {
    findings_.problems.push_back(
        fmt::format("index {} of relation {} {}", index_.id_.value, relation_.id().value, what));
  }
  template <typename... Arguments>
  void add(fmt::format_string<Arguments...> what, Arguments&&... arguments) {
    if (++problems_ <= kProblemsMax) report(fmt::format(what, std::forward<Arguments>(arguments)...));
  }

  void compare() {
    followEntries(true);
    // N1: a tuple has one entry with its key, so as many entries as tuples are all of them.
    if (index_.definition_.is_partial || live_entries_ != relation_.tupleCount()) findTuplesWithoutEntry();
  }

  /// Keys of large values take long to find: each entry's tuple is looked at only where there are too many entries.
  void compareInverted() {
    const uint64_t expected = findTuplesWithoutEntry();
    followEntries(false);
    // N1: no entry is there twice, so those that are expected, and as many, are all of them.
    if (problems_ == 0 && live_entries_ == expected) return;
    live_entries_ = stale_entries_ = 0;
    followEntries(true);
  }

  /// The tuple's keys. False: they cannot be computed, which is reported.
  bool find(const storage::LeafView& leaf, uint32_t row, TupleId id, std::vector<EncodedKey>& keys) {
    try {
      index_.findKeys(leaf, row, parts_, keys);
      return true;
    } catch (const SqlError& error) {
      add("has no key for tuple {}: {}", id.value, error.message());
      return false;
    }
  }

  /// `looks_at_keys`: whether they are the tuples'.
  void followEntries(bool looks_at_keys) {
    storage::IndexCursor cursor(*index_.tree_, {});
    storage::IndexEntry entry;
    std::vector<EncodedKey> keys;
    EncodedKey previous_key;
    TupleId previous_id;
    bool has_previous = false;
    while (cursor.next(entry)) {
      if (entry.id >= relation_.nextTupleId()) {
        add("has an entry for tuple {}, which never was", entry.id.value);
        continue;
      }
      storage::LeafView leaf;
      uint32_t row = 0;
      if (!relation_.find(entry.id, leaf, row)) {
        ++stale_entries_;
        continue;
      }
      if (!looks_at_keys) {
        ++live_entries_;
        continue;
      }
      const bool is_known = find(leaf, row, entry.id, keys);
      leaf.release();
      if (!is_known) continue;
      if (keys.empty()) {
        add("has an entry for tuple {}, which {}", entry.id.value,
            index_.definition_.is_partial ? "its predicate leaves out" : "has no keys");
        continue;
      }
      if (std::ranges::none_of(keys, [&](const EncodedKey& key) { return key.view() == entry.key; })) {
        add("has an entry for tuple {} with another key than the tuple's", entry.id.value);
        continue;
      }
      ++live_entries_;
      if (!index_.definition_.is_unique || parts_.isDistinct()) continue;
      if (has_previous && previous_key.view() == entry.key)
        add("is unique, and tuples {} and {} have the same key", previous_id.value, entry.id.value);
      previous_key.assign(entry.key);
      previous_id = entry.id;
      has_previous = true;
    }
  }

  /// Returns how many entries there should be.
  uint64_t findTuplesWithoutEntry() {
    storage::RelationScan scan(relation_, relation_.nextTupleId());
    storage::RelationScan::Claim claim;
    storage::LeafView leaf;
    std::vector<std::pair<TupleId, EncodedKey>> tuples;
    std::vector<EncodedKey> keys;
    uint64_t expected = 0;
    while (scan.next(claim, leaf)) {
      for (uint32_t row = leaf.access().row_begin; row < leaf.access().row_end; ++row) {
        if (leaf.isDeleted(row)) continue;
        const TupleId id = leaf.tupleId(row);
        if (!find(leaf, row, id, keys)) continue;
        for (const EncodedKey& key : keys) tuples.emplace_back(id, key);
      }
      // Nobody waits for a page of the index while the leaf is held.
      leaf.release();
      expected += tuples.size();
      for (const auto& [id, key] : tuples)
        if (!index_.tree_->contains(key.view(), id)) add("has no entry for tuple {}", id.value);
      tuples.clear();
    }
    return expected;
  }

  TableIndex& index_;
  storage::Relation& relation_;
  storage::Findings& findings_;
  KeyValues parts_;
  uint64_t live_entries_ = 0;
  uint64_t stale_entries_ = 0;
  uint64_t problems_ = 0;
};

uint64_t TableIndex::check(storage::Relation& relation, storage::Findings& findings) {
  const size_t problems_before = findings.problems.size();
  tree_->check(findings);
  if (findings.problems.size() != problems_before) return 0;
  try {
    return Check(*this, relation, findings).run();
  } catch (const SqlError& error) {
    findings.problems.push_back(
        fmt::format("index {} of relation {} cannot be checked: {}", id_.value, relation.id().value, error.message()));
    return 0;
  }
}

}  // namespace gnomon::txn
