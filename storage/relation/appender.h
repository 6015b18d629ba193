#pragma once

#include <cstddef>
#include <cstdint>

#include "storage/relation/relation.h"

namespace gnomon::storage {

/// Is told of tuples that were appended to a leaf, which is still held exclusively: ids from `first` on. What it throws
/// ends the call, and these are flagged deleted.
class AppendObserver {
 public:
  virtual ~AppendObserver() = default;
  virtual void onAppended(Frame& leaf, TupleId first, uint32_t count) = 0;
};

/// Appends tuples at the right edge of a relation.
///
/// Threads: an appender is one thread's; several may append to a relation, a batch at a time. The last leaf is held
/// exclusively only inside a call, so readers get in between calls; batches of a few hundred rows cost little per row
/// and hold nobody up for long. Failure: 53200, 53100; 54000 for a tuple over the largest page. Rows of the failed call
/// that were appended before stay, those of which an observer was told.
class RelationAppender {
 public:
  /// `observer`: outlives the appender; null: nobody wants to know.
  explicit RelationAppender(Relation& relation, AppendObserver* observer = nullptr)
      : relation_(relation), observer_(observer) {}

  /// Tuples to come are virtually created in this bulk epoch; 0: in none. The observer hears of them all the same.
  void enterEpoch(uint64_t epoch) { epoch_ = epoch; }

  /// Appends one row: values[c] and null_flags[c] (non-zero: null) for each column c. String bytes are copied.
  TupleId append(const Datum* values, const uint8_t* null_flags) { return appendBatch(values, null_flags, 1); }
  /// Appends rows given one after the other: values[row * columns + c]. Returns the first id; the others follow.
  TupleId appendBatch(const Datum* values, const uint8_t* null_flags, size_t row_count);

 private:
  [[nodiscard]] Relation::AppendPosition& position() const { return relation_.append_position_; }
  ExclusiveGuard currentLeaf();
  /// A leaf that takes at least the given row: the current one rearranged, or a new one.
  ExclusiveGuard makeRoom(ExclusiveGuard current, const Datum* values, const uint8_t* null_flags);
  void changeCapacity(const ExclusiveGuard& guard, uint32_t capacity);
  bool changeVersion(const ExclusiveGuard& guard, uint64_t row_bytes);
  /// Failure: 53100; nothing has happened but what appending did to the page.
  void logAppended(const ExclusiveGuard& guard, const LeafHeader& before, uint32_t rows);
  void takeBack(const ExclusiveGuard& guard, uint32_t row, uint32_t rows);
  ExclusiveGuard addLeaf(uint64_t row_variable_bytes);
  void remember(const ExclusiveGuard& leaf);

  Relation& relation_;
  AppendObserver* const observer_;
  uint64_t epoch_ = 0;
};

}  // namespace gnomon::storage
