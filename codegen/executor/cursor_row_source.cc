#include "codegen/executor/cursor_row_source.h"

#include <fmt/format.h>

#include "base/sql_error.h"
#include "base/string_value.h"
#include "codegen/executor/execution_state.h"
#include "codegen/executor/partitioned_source.h"

namespace gnomon::codegen {

void CursorRowSource::open(SessionFunctions& session, std::string_view cursor) {
  id_ = session.currentRow(*shape_.table, cursor);
  is_read_ = false;
}

/// Whether the snapshot sees it; the morsel has it then.
bool CursorRowSource::find(txn::Table& table, storage::TupleId id, Morsel& morsel) const {
  uint32_t row = 0;
  txn::VisibleRows::Piece piece{};
  if (!table.relation().findStored(id, morsel.leaf, row, shape_.columns) ||
      !morsel.rows.attachRow(morsel.leaf, row, table.schema(), state_.context.snapshot, table.transactions().epochs(),
                             piece))
    return false;
  morsel.data = piece.access;
  morsel.begin = piece.begin;
  morsel.end = piece.end;
  return true;
}

bool CursorRowSource::next(Morsel& morsel) {
  morsel.leaf.release();
  if (!id_ || is_read_) return false;
  is_read_ = true;
  const uint64_t leaf = *id_ >> sql::Partitioning::kLeafShift;
  const sql::TableEntry& entry =
      shape_.table->partitioning ? *shape_.table->partitioning->leaves()[leaf] : *shape_.table;
  txn::Table& table = *entry.storage;
  storage::TupleId id{*id_ & sql::Partitioning::kTupleMask};
  while (!find(table, id, morsel)) {
    morsel.leaf.release();
    if (!table.transactions().movedTuples().follow(table, id)) return false;
  }
  if (shape_.place_slot) {
    PartitionPlace::Shared& place = *state_.localObject<PartitionPlace>(morsel.worker, *shape_.place_slot).shared();
    place.id_base = leaf << sql::Partitioning::kLeafShift;
    place.table_oid = entry.oid;
  }
  return true;
}

/// It is looked up again.
void CursorRowSource::suspend(Morsel& morsel) {
  is_read_ = morsel.begin == morsel.end;
  morsel.begin = morsel.end = 0;
  morsel.rows.clear();
  morsel.leaf.release();
}

void rt::openCursorRow(CursorRowSource* source, SessionFunctions* session, uint64_t name_lo, uint64_t name_hi,
                       bool is_null, int32_t parameter) {
  if (session == nullptr) throwNotSupported("WHERE CURRENT OF outside of a session");
  if (is_null) throw SqlError(sqlstate::kUndefinedObject, fmt::format("no value found for parameter {}", parameter));
  source->open(*session, StringValue(name_lo, name_hi).view());
}

}  // namespace gnomon::codegen
