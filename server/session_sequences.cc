#include "server/session_sequences.h"

#include <fmt/format.h>

#include "base/sql_error.h"
#include "server/session_context.h"
#include "sql/catalog/access.h"
#include "sql/catalog/dependent_keys.h"
#include "sql/catalog/sequences.h"
#include "txn/sequence.h"
#include "txn/table.h"

namespace gnomon::server {

uint32_t SessionSequences::find(std::string_view name) const {
  return sql::findSequence(session_.transaction.catalog(), name)->oid;
}

bool SessionSequences::isCurrent(const Known& known) const {
  return known.entry && session_.transaction.catalog().find(known.entry->path()) == known.entry;
}

/// The transaction holds the sequence's lock afterwards, so nobody else changes it.
SessionSequences::Known& SessionSequences::use(uint32_t oid, txn::LockMode mode) {
  Known& known = known_[oid];
  const txn::Locker locker = session_.transaction.locker();
  for (;;) {
    if (!isCurrent(known)) {
      sql::TablePtr now = sql::findTable(session_.transaction.catalog(), oid);
      if (!now || !now->sequence) {
        known_.erase(oid);
        throw SqlError(sqlstate::kUndefinedTable, fmt::format("relation with OID {} does not exist", oid));
      }
      // What is held of a sequence that was altered, or restarted, is not of what it is now.
      if (known.entry && known.entry->sequence->counter != now->sequence->counter) known.cached = known.last;
      known.entry = std::move(now);
    }
    try {
      locker.owner.acquire(known.entry->storage->lock(), mode, locker.patience);
    } catch (const SqlError& error) {
      // Dropped while we waited.
      if (!(error.state() == sqlstate::kUndefinedTable)) throw;
    }
    if (isCurrent(known)) return known;
  }
}

void SessionSequences::require(const Known& known, sql::Privilege any) const {
  sql::requireAnyRight(session_.transaction.catalog(), *known.entry, any);
}

int64_t SessionSequences::next(uint32_t oid, bool is_identity) {
  Known& known = use(oid, txn::LockMode::RowExclusive);
  if (!known.entry->is_temporary) session_.transaction.requireMayWrite("nextval()");
  if (!is_identity) require(known, sql::Privilege::Usage | sql::Privilege::Update);
  if (known.last != known.cached) {
    known.last += known.increment;
  } else {
    const sql::SequenceEntry& sequence = *known.entry->sequence;
    const txn::Sequence::Values values = sequence.counter->next(sequence.range, known.entry->name);
    known.last = values.first;
    known.cached = values.last;
    known.increment = sequence.range.increment;
    known.logged = values.logged;
    known.has_value = true;
  }
  session_.transaction.noteSequence(known.logged);
  last_used_ = oid;
  return known.last;
}

int64_t SessionSequences::current(uint32_t oid) {
  const Known& known = use(oid, txn::LockMode::AccessShare);
  require(known, sql::Privilege::Usage | sql::Privilege::Select);
  if (!known.has_value)
    throw SqlError(sqlstate::kObjectNotInPrerequisiteState,
                   fmt::format("currval of sequence \"{}\" is not yet defined in this session", known.entry->name));
  return known.last;
}

int64_t SessionSequences::last() {
  if (last_used_ == 0 || !sql::findTable(session_.transaction.catalog(), last_used_))
    throw SqlError(sqlstate::kObjectNotInPrerequisiteState, "lastval is not yet defined in this session");
  const Known& known = use(last_used_, txn::LockMode::AccessShare);
  require(known, sql::Privilege::Usage | sql::Privilege::Select);
  return known.last;
}

void SessionSequences::set(uint32_t oid, int64_t value, bool is_called) {
  Known& known = use(oid, txn::LockMode::RowExclusive);
  if (!known.entry->is_temporary) session_.transaction.requireMayWrite("setval()");
  require(known, sql::Privilege::Update);
  const sql::SequenceEntry& sequence = *known.entry->sequence;
  if (value < sequence.range.minimum || value > sequence.range.maximum)
    throw SqlError(sqlstate::kNumericValueOutOfRange,
                   fmt::format("setval: value {} is out of bounds for sequence \"{}\" ({}..{})", value,
                               known.entry->name, sequence.range.minimum, sequence.range.maximum));
  known.logged = sequence.counter->set(value, is_called);
  if (is_called) {
    known.last = value;
    known.has_value = true;
  }
  known.cached = known.last;
  session_.transaction.noteSequence(known.logged);
}

}  // namespace gnomon::server
