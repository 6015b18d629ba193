#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sql/catalog/table_entry.h"
#include "sql/types/type.h"
#include "txn/lock_manager.h"

/// Statements about what a session has: prepared statements, cursors, channels, locks. The session knows these, not the
/// catalog, so what they name is looked up when they are executed.
namespace gnomon::sql {

struct Plan;

/// The statement behind AS is bound when this is executed.
struct PrepareStatement {
  std::string name;
  std::vector<Type> types;  ///< of its parameters; Unknown: inferred
};

/// EXECUTE, by itself or in EXPLAIN and CREATE TABLE ... AS. Its arguments are bound by bindArguments().
struct ExecuteStatement {
  enum class Use : uint8_t { Run, Explain, CreateTable };
  std::string name;
  Use use = Use::Run;
};

struct DeallocateStatement {
  std::string name;  ///< empty: ALL
};

/// DECLARE name CURSOR FOR a query, whose own statement is bound anew when this is executed.
struct DeclareCursorStatement {
  enum class Scroll : uint8_t { Possible, Yes, No };
  std::string name;
  Scroll scroll = Scroll::Possible;  ///< Possible: if it costs nothing
  bool can_scroll = false;           ///< for nothing, as PostgreSQL's plan of the query could
  bool is_held = false;              ///< WITH HOLD
  bool is_binary = false;
};

/// FETCH and MOVE.
struct FetchStatement {
  enum class Direction : uint8_t { Forward, Backward, Absolute, Relative };
  static constexpr int64_t kAll = INT64_MAX;
  std::string cursor;
  Direction direction = Direction::Forward;
  int64_t count = 1;
  bool is_move = false;
};

struct CloseStatement {
  std::string name;  ///< empty: ALL
};

struct DiscardStatement {
  enum class What : uint8_t { All, Plans, Sequences, Temporary };
  What what = What::All;
};

struct ListenStatement {
  std::string channel;
};

struct UnlistenStatement {
  std::string channel;  ///< empty: all of them
};

struct NotifyStatement {
  std::string channel;
  std::string payload;
};

/// LOCK TABLE. The tables of views are among those to be locked.
struct LockTableStatement {
  std::vector<TablePtr> tables;
  std::vector<TablePtr> named = {};  ///< of which who asks needs some right to lock them
  txn::LockMode mode = txn::LockMode::AccessExclusive;
  bool is_nowait = false;
};

}  // namespace gnomon::sql
