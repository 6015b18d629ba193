#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/runtime/routine_frame.h"
#include "server/plain_run.h"
#include "server/query_run.h"
#include "server/result_columns.h"
#include "server/value_rows.h"

namespace gnomon::server {

/// The run of a query in a routine; what comes of it refers to it.
struct PieceRun {
  // None, or one of them.
  std::optional<QueryRun> query;
  std::optional<PlainRun> plain;
};

/// The piece that an error is leaving.
struct FailedPiece {
  std::string context_line, text;
};

/// An error that a routine is handling.
struct HandledError {
  const SqlError& error;        ///< as it came
  std::string context;          ///< all of it
  codegen::RoutinePlace place;  ///< where it came from
};

/// What a statement of a routine has given.
struct PieceResult {
  // Rows, as one of these has them.
  std::span<const codegen::ParameterSlot> first;  ///< the first of Piece::Rows::First, as long as the run lives
  HeldRows held;                                  ///< of another query, until values are wanted
  std::vector<ValueRow> rows;                     ///< of what is no query
  uint64_t given = 0;                             ///< how many
  std::shared_ptr<const std::vector<ResultColumn>> columns;  ///< of the rows; null: the piece's
  uint64_t row_count = 0;                                    ///< given, or changed
  bool returns_rows = false;
  std::string command;  ///< of a statement without rows, as tags have it
};

}  // namespace gnomon::server
