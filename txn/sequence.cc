#include "txn/sequence.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "base/failpoint.h"
#include "base/sql_error.h"
#include "storage/relation/scan.h"
#include "txn/local_transaction.h"

namespace gnomon::txn {
namespace {

constexpr size_t kFields = 3;
constexpr int64_t kLoggedAhead = 32;
constexpr SqlState kSequenceLimitExceeded("2200H");

std::array<Datum, kFields> rowOf(const SequenceState& state) {
  return {Datum{static_cast<uint64_t>(state.last_value), 0}, Datum{static_cast<uint64_t>(state.log_count), 0},
          Datum{state.is_called ? uint64_t{1} : 0, 0}};
}

/// The value behind `value`; none: there is none before the sequence's end.
std::optional<int64_t> successor(const SequenceRange& range, int64_t value) {
  int64_t next = 0;
  const bool overflows = __builtin_add_overflow(value, range.increment, &next);
  if (overflows || (range.increment > 0 ? next > range.maximum : next < range.minimum)) return std::nullopt;
  return next;
}

[[noreturn]] void raiseEnd(const SequenceRange& range, std::string_view name) {
  const bool ascends = range.increment > 0;
  throw SqlError(kSequenceLimitExceeded,
                 fmt::format("nextval: reached {} value of sequence \"{}\" ({})", ascends ? "maximum" : "minimum", name,
                             ascends ? range.maximum : range.minimum));
}

}  // namespace

Sequence::Sequence(std::shared_ptr<Table> table, const SequenceState& first)
    : table_(std::move(table)), state_(first), written_(first) {
  const CancelToken never;
  LocalTransaction transaction(table_->transactions(), never);
  {
    WriteStatement statement(*table_, transaction.context());
    const std::array<uint8_t, kFields> nulls{};
    row_ = statement.append(rowOf(first).data(), nulls.data());
    statement.finish();
  }
  transaction.commit(CommitWait::Never);
}

Sequence::Sequence(std::shared_ptr<Table> table) : table_(std::move(table)) {
  storage::RowCursor row(table_->relation(), table_->readBound());
  size_t count = 0;
  for (; row.next(); ++count) {
    row_ = row.tupleId();
    state_ = {.last_value = static_cast<int64_t>(row.value(0).lo),
              .log_count = static_cast<int64_t>(row.value(1).lo),
              .is_called = row.value(2).lo != 0};
  }
  if (count != 1)
    throw SqlError(sqlstate::kDataCorrupted,
                   fmt::format("relation {} of a sequence has {} rows instead of one", table_->id().value, count));
  written_ = state_;
}

/// Under the mutex. What the transaction's end may have to collect is collected when it is destroyed, by then without.
void Sequence::write(const SequenceState& state, std::optional<LocalTransaction>& transaction) {
  static const CancelToken never;
  FAILPOINT("sequence.logging");
  TransactionManager& manager = table_->transactions();
  transaction.emplace(manager, never);
  {
    static constexpr std::array<uint32_t, kFields> kColumns = {0, 1, 2};
    const std::array<Datum, kFields> values = rowOf(state);
    const std::array<uint8_t, kFields> nulls{};
    WriteStatement statement(*table_, transaction->context());
    row_ = statement.update(row_, {.columns = kColumns, .values = values.data(), .null_flags = nulls.data()});
    statement.finish();
  }
  transaction->commit(CommitWait::Never);
  written_ = state;
  if (manager.log() != nullptr) logged_ = manager.log()->wal().lastGsn();
  FAILPOINT("sequence.logged");
}

Sequence::Values Sequence::next(const SequenceRange& range, std::string_view name) {
  std::optional<LocalTransaction> transaction;
  const std::scoped_lock lock(mutex_);
  // As PostgreSQL counts, so that log_cnt is what it shows.
  int64_t wanted = range.cache;
  int64_t taken = 0;
  int64_t log_count = state_.log_count;
  Values values{.first = state_.last_value, .last = state_.last_value, .logged = logged_};
  if (!state_.is_called) {
    ++taken;
    --wanted;
  }
  const bool is_to_log = log_count < wanted || !state_.is_called;
  if (is_to_log) {
    int64_t ahead = 0;
    wanted = log_count = __builtin_add_overflow(wanted, kLoggedAhead, &ahead) ? INT64_MAX : ahead;
  }
  int64_t reached = state_.last_value;
  for (; wanted > 0; --wanted) {
    std::optional<int64_t> following = successor(range, reached);
    if (!following) {
      if (taken > 0) break;
      if (!range.is_cycle) raiseEnd(range, name);
      following = range.increment > 0 ? range.minimum : range.maximum;
    }
    reached = *following;
    if (taken >= range.cache) continue;
    --log_count;
    ++taken;
    values.last = reached;
    if (taken == 1) values.first = reached;
  }
  log_count -= wanted;
  if (is_to_log) write({.last_value = reached, .log_count = 0, .is_called = true}, transaction);
  state_ = {.last_value = values.last, .log_count = log_count, .is_called = true};
  values.logged = logged_;
  return values;
}

wal::Gsn Sequence::set(int64_t value, bool is_called) {
  std::optional<LocalTransaction> transaction;
  const std::scoped_lock lock(mutex_);
  const SequenceState state{.last_value = value, .log_count = 0, .is_called = is_called};
  write(state, transaction);
  state_ = state;
  return logged_;
}

SequenceState Sequence::state() const {
  const std::scoped_lock lock(mutex_);
  return state_;
}

void Sequence::settle() {
  std::optional<LocalTransaction> transaction;
  const std::scoped_lock lock(mutex_);
  if (state_.last_value == written_.last_value && state_.is_called == written_.is_called) return;
  state_.log_count = 0;
  write(state_, transaction);
}

}  // namespace gnomon::txn
