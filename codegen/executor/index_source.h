#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/arena.h"
#include "base/cancel.h"
#include "base/string_value.h"
#include "codegen/executor/morsel_source.h"
#include "sql/algebra/operator.h"
#include "sql/catalog/partitioning.h"
#include "storage/index/index_cursor.h"

namespace gnomon::codegen {

/// A value that bounds a scan of an index, as generated code leaves it.
using IndexBoundValue = sql::KnownValue;

/// Which values bound the scan: `equal_count` of the first key parts, then perhaps two of the next part.
struct IndexRangeShape {
  size_t equal_count = 0;
  bool has_low = false, has_high = false;
  bool is_low_inclusive = false, is_high_inclusive = false;
  bool excludes_nulls = false;  ///< of that part
  bool is_ordered = false;
  bool is_backward = false;
  static constexpr size_t kFirstTuples = 16;
  size_t first_claim = kFirstTuples;  ///< how many tuples are asked for at first; fewer: of many
  std::vector<sql::TableScan::IndexRange::Search> searches = {};  ///< of an inverted index
  [[nodiscard]] size_t valueCount() const { return equal_count + (has_low ? 1 : 0) + (has_high ? 1 : 0); }
};

/// Tuples of a table by their ids; each piece is one tuple, or neighbours. Tuples at or above the table's bound, and
/// those that the snapshot does not see, are left out. The index is not newer than the snapshot.
class TupleSource : public LeafSource {
 public:
  /// `columns`: those whose values are wanted, as far as it is known.
  TupleSource(txn::Table& table, const txn::Snapshot& snapshot, std::shared_ptr<txn::TableIndex> index,
              double estimated_rows, std::vector<uint32_t> columns = {})
      : LeafSource(table, snapshot),
        columns_(std::move(columns)),
        index_(std::move(index)),
        bound_(table.readBound()),
        estimated_rows_(estimated_rows) {
    requireUsable();
  }
  bool next(Morsel& morsel) override;
  void suspend(Morsel& morsel) override;
  [[nodiscard]] uint64_t rowCount() const override { return static_cast<uint64_t>(estimated_rows_); }

 protected:
  /// The next ids for a worker, in the order in which they are to be visited. False: those are the last. One at a time.
  virtual bool claim(std::vector<storage::TupleId>& ids) = 0;
  /// Adds the ids of a cursor's entries until there are `count_max`. False: the cursor is at its end.
  bool take(storage::IndexCursor& cursor, size_t count_max, std::vector<storage::TupleId>& ids) const;
  /// The tuple of one of the ids that the snapshot sees, and whose key it is that a unique index has for them: as the
  /// next piece. `row`: where it is in the leaf. False: it sees none of them.
  bool takeOne(std::span<const uint64_t> ids, Morsel& morsel, uint32_t& row) const;
  /// The tuple in a row of the leaf that is held, as the next piece. False: the snapshot does not see it.
  bool takeRow(Morsel& morsel, uint32_t row) const;
  /// What is claimed are entries of the index, and not what they are looked for by.
  [[nodiscard]] virtual bool claimsEntries() const { return true; }
  /// One of the ids that were claimed, as the next piece. False: there is no such tuple, or the snapshot does not see
  /// it.
  virtual bool takeTuple(storage::TupleId id, Morsel& morsel);

  // Lookups by a whole key of a unique index, which leads to one tuple at most. `values`: of all parts, none NULL.
  [[nodiscard]] bool isWholeKey(size_t part_count) const;
  /// Where tuples were found last may be asked for (storage::KeyHints).
  [[nodiscard]] bool mayHaveHints() const;
  /// Values that are equal have equal bits, which is more than that equal bits mean equal values.
  [[nodiscard]] bool areEqualKeysAlike() const;
  [[nodiscard]] uint64_t keyHash(const IndexBoundValue* values) const;
  using Place = storage::KeyHints::Place;
  /// The columns that are read where a hint leads to, and those of them that have strings.
  struct HintedColumns {
    std::vector<uint32_t> all, strings;
  };
  /// Where it was found last; its frame is null where it was not yet.
  [[nodiscard]] Place placeOf(uint64_t hash) const { return index_->hints().find(hash); }
  /// The tuple is there: it is the next piece. False: it is not.
  bool takeHinted(uint64_t hash, const Place& place, const IndexBoundValue* values, Morsel& morsel) const;
  /// What takeHinted() will read, and then those columns of the row, is asked of memory at once. `like`: a leaf of the
  /// table, which need not be held.
  void prefetchNow(const Place& place, const HintedColumns& columns, const storage::LeafView& like) const;
  // The same ahead of it, where there is time between: hints of a hash, what they lead to, and so on.
  void prefetchHint(uint64_t hash) const { index_->hints().prefetch(hash); }
  void prefetchPlace(const Place& place) const;
  void prefetchRow(const Place& place, const HintedColumns& columns) const;
  void prefetchStrings(const Place& place, const HintedColumns& columns) const;
  /// The tuple of the piece was found in this row of the leaf that is held.
  void noteFound(uint64_t hash, const Morsel& morsel, uint32_t row) const;
  /// `mask`: of the columns that are wanted, some (LeafAccess::columns_read).
  void setHinted(HintedColumns& columns, uint32_t mask = UINT32_MAX) const;
  /// Those whose keys begin so, at once, where they are few. False: there are more, or may be; nothing was added.
  /// `hint`: of the lookup before; null: there is none.
  bool takeRun(const storage::EncodedKey& prefix, bool is_backward, std::vector<storage::TupleId>& ids,
               storage::IndexTree::LeafHint* hint = nullptr) const;
  /// The key bytes of the first key parts with these values. False: no key begins with them; a NULL is one of them, or
  /// an integer that the key's type does not hold. One at a time.
  bool encodeParts(const IndexBoundValue* values, size_t count, storage::EncodedKey& prefix);
  /// Another run begins: takes its snapshot and the table's bound.
  void begin(const txn::Snapshot& snapshot);
  [[nodiscard]] txn::TableIndex& index() const { return *index_; }
  [[nodiscard]] bool isBelowBound(storage::TupleId id) const { return id < bound_; }
  void countScan() const;
  void countRows(uint64_t rows) const;
  static constexpr size_t kTuplesPerClaim = 256;  ///< entries that a worker claims at a time, at most

 private:
  void requireUsable() const;
  [[nodiscard]] uint64_t keyHashOf(const storage::LeafView& leaf, uint32_t row) const;
  [[nodiscard]] bool hasKey(const IndexBoundValue* values, const storage::LeafView& leaf, uint32_t row) const;
  bool find(storage::TupleId id, Morsel& morsel, uint32_t& row) const;
  void takeNeighbours(Morsel& morsel) const;
  bool see(Morsel& morsel, uint32_t row, txn::VisibleRows::Piece& piece) const;

  const std::vector<uint32_t> columns_;
  const std::shared_ptr<txn::TableIndex> index_;
  storage::TupleId bound_;
  const double estimated_rows_;
  std::mutex mutex_;
  std::atomic<bool> has_more_{true};  ///< to be claimed
  // Of a key that is being encoded.
  std::vector<storage::KeyValue> parts_;
  std::vector<StringValue> strings_;
};

/// Tuples that an index has for values. Before the first next() they have been stored (values()). A NULL among them:
/// there is no such tuple. What it holds is kept for further runs.
class BoundedSource : public TupleSource {
 public:
  BoundedSource(txn::Table& table, const txn::Snapshot& snapshot, std::shared_ptr<txn::TableIndex> index,
                IndexRangeShape shape, double estimated_rows, std::vector<uint32_t> columns)
      : TupleSource(table, snapshot, std::move(index), estimated_rows, std::move(columns)),
        shape_(std::move(shape)),
        values_(shape_.valueCount()) {}

  /// In the order: equal ..., low, high.
  [[nodiscard]] IndexBoundValue* values() { return values_.data(); }
  [[nodiscard]] const IndexBoundValue* values() const { return values_.data(); }
  void restart(ExecutionState& state) final;

 protected:
  [[nodiscard]] const IndexRangeShape& shape() const { return shape_; }
  [[nodiscard]] bool hasNull() const;

 private:
  const IndexRangeShape shape_;
  std::vector<IndexBoundValue> values_;
};

/// The tuples that a range of an index leads to, in the order of the index. Integers among the values may be outside
/// the range of the key's type.
class IndexSource final : public BoundedSource {
 public:
  IndexSource(txn::Table& table, const txn::Snapshot& snapshot, std::shared_ptr<txn::TableIndex> index,
              IndexRangeShape shape, double estimated_rows, std::vector<uint32_t> columns)
      : BoundedSource(table, snapshot, std::move(index), std::move(shape), estimated_rows, std::move(columns)),
        is_of_one_(isWholeKey(this->shape().equal_count)),
        has_hints_(is_of_one_ && mayHaveHints()),
        first_claim_(this->shape().first_claim),
        tuples_per_claim_(first_claim_) {
    if (has_hints_) setHinted(read_columns_);
  }

  bool next(Morsel& morsel) override;
  void suspend(Morsel& morsel) override;
  [[nodiscard]] bool isOrdered() const override { return shape().is_ordered; }
  [[nodiscard]] bool isOfOne() const { return is_of_one_; }  ///< its bounds are a whole key of a unique index
  bool park() override;
  /// A run whose key is known before its turn, and what it will read is asked of memory: in each step what the step
  /// before has found out.
  class Ahead {
   public:
    /// By the values that are there now.
    void begin(const IndexSource& source);
    /// kStepsAhead times.
    void step(const IndexSource& source);

   private:
    friend class IndexSource;
    enum class Next : uint8_t { Place, Row, Strings, Nothing };
    uint64_t hash_ = 0;
    Place place_;
    Next next_ = Next::Nothing;
  };
  static constexpr int kStepsAhead = 3;  ///< behind begin()
  /// The run that comes now.
  void expect(const Ahead& ahead) { asked_hash_ = ahead.next_ == Ahead::Next::Nothing ? ahead.hash_ : 0; }
  /// What the last run has read of its row (LeafAccess::columns_read): the next one is taken to read the same.
  void noteRead(uint32_t columns);

 private:
  bool claim(std::vector<storage::TupleId>& ids) override;
  bool takeKey(Morsel& morsel);
  void open(std::vector<storage::TupleId>& ids);
  void openCursor(const storage::EncodedKey& prefix);

  const bool is_of_one_;  ///< isOfOne()
  const bool has_hints_;  ///< such keys can be compared with the columns of a row
  HintedColumns read_columns_;
  uint32_t read_mask_ = UINT32_MAX;    ///< noteRead()
  uint64_t asked_hash_ = 0;            ///< of a key whose row memory was asked for; 0: none
  std::atomic<bool> is_taken_{false};  ///< the tuple with that key, if there is one
  bool is_open_ = false;
  bool is_in_range_ = false;                    ///< the cursor has not come to its end
  size_t first_claim_;                          ///< of the next run
  size_t claims_ = 0;                           ///< of this one
  size_t tuples_per_claim_;                     ///< it grows: who wants few rows gets few
  std::optional<storage::IndexCursor> cursor_;  ///< kept from one run to the next
};

/// The keys that one worker found on the build side of a join, `part_count` values each.
class LookupKeys final : public RuntimeObject {
 public:
  explicit LookupKeys(size_t part_count, MemoryAccount& memory) : part_count_(part_count), memory_(&memory) {}
  /// Memory for the values of the next key.
  IndexBoundValue* next() {
    auto* key = memory_.allocateArray<IndexBoundValue>(part_count_);
    keys_.push_back(key);
    return key;
  }
  [[nodiscard]] const std::vector<IndexBoundValue*>& keys() const { return keys_; }

 private:
  const size_t part_count_;
  Arena memory_;
  std::vector<IndexBoundValue*> keys_;
};

/// Tuple ids that have been found, for which memory is charged.
class FoundTuples {
 public:
  FoundTuples() = default;
  FoundTuples(const FoundTuples&) = delete;
  FoundTuples& operator=(const FoundTuples&) = delete;
  ~FoundTuples() { release(); }
  [[nodiscard]] std::vector<storage::TupleId>& ids() { return ids_; }
  /// Failure: 53200.
  void charge(MemoryAccount& memory, uint64_t bytes);
  /// The next ones. False: those are the last.
  bool claim(size_t count, std::vector<storage::TupleId>& ids);
  /// None are left.
  void release();

 private:
  MemoryAccount* memory_ = nullptr;
  uint64_t charged_bytes_ = 0;
  std::vector<storage::TupleId> ids_;
  size_t next_ = 0;
};

/// The tuples that an index has for a set of keys, each once. Of many keys all are looked up at first, and their tuples
/// come in the order of their ids; a few keys of a unique index may lead to where their tuples were found last, one
/// after the other.
class LookupSource final : public TupleSource {
 public:
  using TupleSource::TupleSource;
  /// Once, before the first next(). The values outlive this. Failure: 57014; 53200 when there are more tuples than
  /// memory.
  void open(const std::vector<IndexBoundValue*>& keys, size_t part_count, const CancelToken& cancel,
            MemoryAccount& memory);

 private:
  /// Of more keys the pages that they lead to are better visited in their order.
  static constexpr size_t kHintedKeysMax = 1024;
  /// Marks the number of a key among tuple ids.
  static constexpr uint64_t kKeyMark = uint64_t{1} << 62;
  struct Key {
    uint64_t hash;
    const IndexBoundValue* values;
    Place place = {};  ///< where its row is asked for
  };

  bool claim(std::vector<storage::TupleId>& ids) override { return found_.claim(kTuplesPerClaim, ids); }
  [[nodiscard]] bool claimsEntries() const override { return keys_.empty(); }
  bool takeTuple(storage::TupleId id, Morsel& morsel) override;
  bool takeLookedUp(const Key& key, Morsel& morsel);
  void lookAhead(size_t number);
  void dropRepeated(size_t part_count);
  void openHinted(const std::vector<IndexBoundValue*>& keys, size_t part_count, MemoryAccount& memory);
  void lookUp(const storage::EncodedKey& prefix, storage::IndexTree::LeafHint* hint, const CancelToken* cancel,
              MemoryAccount* memory, std::vector<storage::TupleId>& ids);

  FoundTuples found_;
  std::vector<Key> keys_;  ///< where hints are followed: each once
  HintedColumns hinted_columns_;
  std::mutex encoder_mutex_;  ///< guards what encodes keys
};

namespace rt {
IndexBoundValue* indexBoundValues(BoundedSource* source);
IndexBoundValue* lookupNextKey(LookupKeys* keys);
}  // namespace rt

}  // namespace gnomon::codegen
