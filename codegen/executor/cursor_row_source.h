#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "codegen/executor/morsel_source.h"
#include "codegen/runtime/session_functions.h"
#include "sql/catalog/table_entry.h"

namespace gnomon::codegen {

/// The row of a table, or of a partition of it, where a cursor of the session stands: WHERE CURRENT OF. A row that was
/// updated since is the one that the snapshot sees; no row, when it sees none.
///
/// Before the first next() the cursor has been named (open()). Threads: the session's.
class CursorRowSource final : public MorselSource {
 public:
  /// Immutable, of the program.
  struct Shape {
    sql::TablePtr table;
    std::vector<uint32_t> columns;     ///< those whose values are wanted
    std::optional<size_t> place_slot;  ///< local: PartitionPlace; none: it is not partitioned
  };
  CursorRowSource(const Shape& shape, ExecutionState& state) : shape_(shape), state_(state) {}

  /// Failure: as SessionFunctions::currentRow().
  void open(SessionFunctions& session, std::string_view cursor);
  bool next(Morsel& morsel) override;
  void suspend(Morsel& morsel) override;
  [[nodiscard]] uint64_t rowCount() const override { return 1; }
  [[nodiscard]] bool isOrdered() const override { return true; }

 private:
  bool find(txn::Table& table, storage::TupleId id, Morsel& morsel) const;

  const Shape& shape_;
  ExecutionState& state_;
  std::optional<uint64_t> id_;  ///< as TableScan::kTupleId; none: there is no row, or it was read
  bool is_read_ = false;
};

namespace rt {
/// `parameter`: TableScan::CursorRow::parameter. Failure: as CursorRowSource::open(); 42704 for a name that is NULL.
void openCursorRow(CursorRowSource* source, SessionFunctions* session, uint64_t name_lo, uint64_t name_hi, bool is_null,
                   int32_t parameter);
}  // namespace rt

}  // namespace gnomon::codegen
