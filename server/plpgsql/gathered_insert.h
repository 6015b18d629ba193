#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "server/parked_executions.h"
#include "server/plpgsql/piece.h"
#include "server/session_context.h"

namespace gnomon::sql::plpgsql {
struct Fragment;
struct Statement;
}  // namespace gnomon::sql::plpgsql

namespace gnomon::server {

/// Rows of an INSERT in a loop of a routine on their way into the table: one statement of many rows is executed in the
/// place of many statements.
///
/// Rules:  G1  of PendingRows
///         G2  beside them plain statements of other tables are executed, which ask nothing of foreign keys; above READ
///             COMMITTED alone, since there a statement behind one that waited for a key sees what was committed
///             meanwhile. One that would have to wait for a row begins again behind them
///         G3  a piece of which rows are put one by one all the same gathers none any more
/// Threads: the session's. Goes without put(): the rows are dropped.
class GatheredInsert {
 public:
  /// Whether executions of the piece may gather rows.
  static bool isPossible(Piece& piece);
  /// `statement`: of the routine, which is the piece.
  GatheredInsert(SessionContext& session, PiecePtr piece, const sql::plpgsql::Statement* statement,
                 const sql::plpgsql::Fragment& fragment)
      : session_(session), piece_(std::move(piece)), statement_(statement), fragment_(fragment) {}

  [[nodiscard]] bool isOf(const Piece& piece) const { return &*piece_ == &piece && isOfPlan(piece.statement->kept); }
  [[nodiscard]] const Piece& piece() const { return *piece_; }
  [[nodiscard]] const sql::plpgsql::Statement* statement() const { return statement_; }
  [[nodiscard]] const sql::plpgsql::Fragment& fragment() const { return fragment_; }

  /// Computes a row for the parameters, which are those that the piece reads. False: it was not, and is to be inserted
  /// by itself behind the others. Failure: that of the statement, but for keys.
  bool add(std::span<const codegen::ParameterSlot> parameters);
  [[nodiscard]] bool isFull() const {
    return row_count_ >= kRowsMax || work_->memory.usedBytes() >= std::min(kBytesMax, work_->limits.memory_bytes / 8);
  }
  /// Asked now and then by loops: none has come for many rounds.
  [[nodiscard]] bool isOld() { return ++polls_ > kPollsMax; }
  /// PendingRows::mayWaitFor().
  [[nodiscard]] bool mayWaitFor(const KeptPlan& kept) {
    const auto end = beside_.begin() + beside_count_;
    return may_wait_ && (std::find(beside_.begin(), end, kept.query.get()) != end || standsBeside(kept));
  }
  /// It says no from now on.
  void endWaiting() { may_wait_ = false; }
  /// Inserts the rows; once. Failure: that of the statement, which is undone when this goes.
  void put();

 private:
  static constexpr uint64_t kRowsMax = 512;
  static constexpr uint64_t kBytesMax = uint64_t{1} << 20;
  static constexpr uint32_t kPollsMax = 4;
  bool standsBeside(const KeptPlan& kept);
  [[nodiscard]] bool isOfPlan(const KeptPlan& kept) const { return work_ == nullptr || work_->query == kept.query; }

  SessionContext& session_;
  const PiecePtr piece_;
  const sql::plpgsql::Statement* const statement_;
  const sql::plpgsql::Fragment& fragment_;
  std::unique_ptr<QueryWork> work_;  ///< null: it has not begun
  uint64_t row_count_ = 0;
  uint32_t polls_ = 0;  ///< since the last row
  bool may_wait_ = true;
  std::array<const CompiledQuery*, 4> beside_{};  ///< plans that were executed beside them, and live as long as they do
  size_t beside_count_ = 0;
};

}  // namespace gnomon::server
