#include "server/plpgsql/gathered_insert.h"

#include <algorithm>

#include "codegen/ir/trap.h"
#include "server/plain_run.h"
#include "txn/write_statement.h"

namespace gnomon::server {

namespace {

/// Rows that were put alone, one after the other, until their piece is known to gain nothing.
constexpr uint8_t kLoneRowsMax = 4;

}  // namespace

bool GatheredInsert::isPossible(Piece& piece) {
  KeptPlan& kept = piece.statement->kept;
  return piece.is_change && piece.lone_rows < kLoneRowsMax &&
         piece.format.framing == codegen::OutputFormat::Framing::FirstRow && kept.query &&
         kept.are_parameters_expected && knownTraits(kept).gathers_rows;
}

bool GatheredInsert::add(std::span<const codegen::ParameterSlot> parameters) {
  KeptPlan& kept = piece_->statement->kept;
  const codegen::Parameters given{parameters, {}};
  if (work_ == nullptr) {
    if (!Planner(session_).lockKept(kept, piece_->format)) return false;
    SessionTransaction& transaction = session_.transaction;
    if (kept.traits.writes_stored) transaction.requireMayWrite(kept.query->bound->command);
    transaction.beginWriting(kept.traits.expected_changes);
    // The plan reads no table, so any snapshot is as good as another.
    if (!kept.query->isUsableFor({})) return false;
    work_ = QueryWork::begin(session_.parked, kept.query, session_.settings, kept.parked_place);
    startWork(session_, *work_, piece_->format, given, {}, nullptr);
  } else {
    session_.interrupts.poll();
    work_->execution->restart(given, {}, nullptr);
  }
  try {
    work_->execution->run(0, [](std::span<const char>) {});
  } catch (const codegen::DecimalOverflow&) {
    return false;
  } catch (const SqlError& error) {
    // There may be room for the row alone.
    if (error.state() != sqlstate::kOutOfMemory || row_count_ == 0) throw;
    return false;
  }
  ++row_count_;
  polls_ = 0;
  return true;
}

bool GatheredInsert::standsBeside(const KeptPlan& kept) {
  if (!kept.query || kept.traits.of != kept.query.get() || !kept.traits.is_plain || kept.traits.looks_at_keys ||
      session_.transaction.isReadCommitted())
    return false;
  const std::vector<sql::TablePtr>& tables = kept.query->bound->tables;
  const uint32_t own = piece_->statement->kept.query->bound->written.front()->oid;
  if (std::ranges::find(tables, own, &sql::TableEntry::oid) != tables.end()) return false;
  if (beside_count_ < beside_.size()) beside_[beside_count_++] = kept.query.get();
  return true;
}

void GatheredInsert::put() {
  if (row_count_ == 0) return;
  piece_->lone_rows = row_count_ == 1 ? piece_->lone_rows + 1 : 0;
  SessionTransaction& transaction = session_.transaction;
  transaction.beginWriting(static_cast<double>(row_count_));
  txn::TransactionManager::SnapshotGuard guard;
  const txn::Snapshot seen = transaction.takeSnapshot(guard);
  const txn::WriteContext write = transaction.writeContext(seen, &work_->memory);
  try {
    work_->execution->put(seen, write);
  } catch (...) {
    // Undone while the context is there.
    work_.reset();
    throw;
  }
  if (std::optional<SqlError> refusal = std::move(work_->refusal)) {
    work_.reset();
    throw SqlError(std::move(*refusal));
  }
  session_.parked.put(std::move(work_), piece_->statement->kept.parked_place);
}

}  // namespace gnomon::server
