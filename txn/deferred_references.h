#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "storage/relation/schema.h"

namespace gnomon::txn {

/// What a transaction has put off: rows whose references by deferred foreign keys are to be looked up before it
/// commits, and rows whose keys in deferred unique indexes others may have; and which keys are deferred, as SET
/// CONSTRAINTS says.
///
/// Keys are known by the table that has them and their number there; a unique index by its oid. Threads: one at a time.
class DeferredReferences {
 public:
  using Key = std::pair<uint32_t, uint32_t>;
  struct Row {
    Key key;
    storage::TupleId id;          ///< of the table that has the key
    bool is_parent_gone = false;  ///< what it referred to was deleted or changed; otherwise it was written itself
    bool is_unique = false;       ///< of a unique index
    bool is_checked = false;      ///< since it was added, by SET CONSTRAINTS
  };
  struct Modes {
    std::optional<bool> all;  ///< deferred; none: as each key is declared
    std::map<Key, bool> keys;
  };

  [[nodiscard]] bool isDeferred(const Key& key, bool is_initially) const {
    const auto found = modes_.keys.find(key);
    return found != modes_.keys.end() ? found->second : modes_.all.value_or(is_initially);
  }
  void setAll(bool is_deferred) { modes_ = {is_deferred, {}}; }
  void set(const Key& key, bool is_deferred) { modes_.keys[key] = is_deferred; }

  void add(const Row& row) { rows_.push_back(row); }
  [[nodiscard]] std::vector<Row>& rows() { return rows_; }
  /// Whether rows of the table have not been looked at yet.
  [[nodiscard]] bool isPending(uint32_t table) const {
    return std::ranges::any_of(rows_, [table](const Row& row) { return !row.is_checked && row.key.first == table; });
  }

  [[nodiscard]] size_t mark() const { return rows_.size(); }
  [[nodiscard]] const Modes& modes() const { return modes_; }
  /// The transaction goes back to a mark and the modes of then. What was looked at since is looked at again.
  void undoTo(size_t mark, Modes modes) {
    if (rows_.size() > mark) rows_.resize(mark);
    for (Row& row : rows_) row.is_checked = false;
    modes_ = std::move(modes);
  }
  void clear() {
    rows_.clear();
    modes_ = {};
  }

 private:
  std::vector<Row> rows_;
  Modes modes_;
};

}  // namespace gnomon::txn
