#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "server/kept_rows.h"
#include "server/portal.h"
#include "sql/algebra/operator.h"
#include "sql/session_statement.h"

namespace gnomon::server {

/// Where a portal's client stands among its rows, and the way back: what FETCH and MOVE go by.
///
/// A cursor that can scroll keeps the rows that it has gone past. One that was not declared SCROLL, and could go back
/// only because PostgreSQL's could, stops to keep them when they are many.
/// Source: PostgreSQL's DoPortalRunFetch and PortalRunSelect.
/// Invariants:  C1  while rows are kept these are all from the first one; of a held cursor that cannot scroll, all that
///                  are left
/// Threads: the session's. Failure: SqlError, ConnectionLost; where it stands then is open.
class Cursor {
 public:
  struct Options {
    bool is_scrollable = false;
    bool may_stop_scrolling = false;  ///< see above
    bool is_held = false;             ///< WITH HOLD
    bool is_binary = false;
    std::shared_ptr<const std::string> text;  ///< that made it
    int64_t created_us = 0;                   ///< since 1970
  };
  /// Over a portal that gives rows, which outlives this object. `memory_bytes_max`: for rows that are kept.
  Cursor(Portal& portal, Options options, uint64_t memory_bytes_max);

  [[nodiscard]] const Options& options() const { return options_; }
  /// Past the end of its transaction.
  [[nodiscard]] bool isKept() const { return is_kept_; }
  [[nodiscard]] bool isAtEnd() const { return at_end_; }
  [[nodiscard]] bool isOnRow() const { return !at_start_ && !at_end_; }
  /// Of its query, for WHERE CURRENT OF.
  [[nodiscard]] std::span<const sql::Output::Position> positions() const { return positions_; }
  /// Where it is on a row: by position, the tuple's id.
  [[nodiscard]] std::span<const uint64_t> tupleIds() const { return tuple_ids_; }

  /// Goes there, and gives `rows` those that FETCH answers with. The number of these; of MOVE (`is_move`) of those it
  /// went past. Failure: 55000 backwards where it cannot scroll.
  uint64_t fetch(const sql::FetchStatement& statement, RowSink& rows);
  /// Before its transaction is committed: keeps what is left of the rows, and is held from then on.
  void hold();

 private:
  static constexpr uint64_t kAll = UINT64_MAX;

  uint64_t fetchShown(const sql::FetchStatement& statement, RowSink& rows);
  uint64_t forward(uint64_t count, RowSink& rows);
  uint64_t backward(uint64_t count, RowSink& rows);
  uint64_t forwardKept(uint64_t count, RowSink& rows);
  uint64_t fetchForward(int64_t count, bool is_move, RowSink& rows);
  uint64_t fetchCurrent(bool is_move, RowSink& rows);
  uint64_t fetchAbsolute(int64_t count, RowSink& rows);
  uint64_t fetchRelative(int64_t count, bool is_move, RowSink& rows);
  void rewind();
  void requireScrollable() const;
  void stopScrolling();

  Portal& portal_;
  Options options_;
  const std::span<const sql::Output::Position> positions_;  ///< of the statement's plan
  std::vector<uint64_t> tuple_ids_;
  KeptRows kept_;
  NoRows none_;
  bool keeps_;              ///< rows that it goes past
  bool is_kept_ = false;    ///< all the rows there are to come are among the kept ones
  uint64_t kept_from_ = 0;  ///< number of the first kept row, from 0
  uint64_t position_ = 0;   ///< of the current row, from 1; at the end: of the last
  bool at_start_ = true;    ///< before the first row
  bool at_end_ = false;     ///< behind the last row
};

}  // namespace gnomon::server
