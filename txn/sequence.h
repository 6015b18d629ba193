#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "txn/sequence_state.h"
#include "txn/table.h"
#include "wal/gsn.h"

namespace gnomon::txn {

class LocalTransaction;

/// The values of a sequence that are given out, one after the other, to whoever asks: no transaction takes any back.
///
/// Shape: a relation of one row: last value (int64), log count (int64), is called (bool). The row is ahead of what was
/// given (by 32 values, as PostgreSQL), so that most values cost no log record; after a crash the sequence goes on
/// where the row stands, and values in between are never given. The row is changed by a transaction of its own, which
/// commits at once and is not waited for: commits that follow depend on it (wal/README.md), and who commits nothing
/// waits for its GSN. Invariants:  N1  the row is not behind any value that was given Threads: any; a mutex is held
/// while values are taken, for the time of a log record once in 32 values. Failpoints: sequence.logging,
/// sequence.logged (kill).
class Sequence {
 public:
  /// A relation that is empty gets its row; nobody else uses it. Failure: 53100, 53200.
  Sequence(std::shared_ptr<Table> table, const SequenceState& first);
  /// Reads its row. Failure: XX001 when there is not exactly one.
  explicit Sequence(std::shared_ptr<Table> table);

  /// Values that the caller alone may use: first, first + increment, ..., last.
  struct Values {
    int64_t first;
    int64_t last;
    wal::Gsn logged;  ///< a commit must not be acknowledged before everything up to here is stable
  };
  /// Takes up to `cache` values. `name` is for errors. Failure: 2200H at the end of a sequence that does not cycle;
  /// 53100.
  Values next(const SequenceRange& range, std::string_view name);
  /// Goes on behind `value`, or with it. Failure: 53100.
  wal::Gsn set(int64_t value, bool is_called);
  [[nodiscard]] SequenceState state() const;
  /// Makes the row say exactly where the sequence stands, so that a clean restart skips nothing. Nobody uses it any
  /// more. Failure: 53100; the row is as it was.
  void settle();

 private:
  void write(const SequenceState& state, std::optional<LocalTransaction>& transaction);

  const std::shared_ptr<Table> table_;
  TupleId row_{0};
  mutable std::mutex mutex_;  ///< guards what follows
  SequenceState state_;
  SequenceState written_;
  wal::Gsn logged_{0};
};

}  // namespace gnomon::txn
