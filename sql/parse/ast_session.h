#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sql/parse/ast_expression.h"

/// The trees of statements about what a session has: settings, transactions, prepared statements, cursors, channels,
/// locks.
namespace gnomon::sql::ast {

/// SET and RESET of a setting.
struct Set {
  std::string name;
  std::optional<std::string> value;  ///< none: DEFAULT or RESET
  bool is_reset = false;
  bool reset_all = false;
  bool is_local = false;
  bool is_current = false;  ///< FROM CURRENT
};

struct Show {
  std::string name;
};

struct TransactionModes {
  std::optional<std::string> isolation;
  std::optional<bool> is_read_only;
  std::optional<bool> is_deferrable;
  bool is_bulk = false;  ///< BULK WRITE
};

struct Transaction {
  enum class Kind : uint8_t { Begin, Start, Commit, Rollback, Savepoint, Release, RollbackTo };
  Kind kind = Kind::Begin;
  TransactionModes modes;  ///< Begin, Start
  std::string savepoint;
  bool chain = false;  ///< Commit, Rollback
};

/// SET TRANSACTION, or SET SESSION CHARACTERISTICS AS TRANSACTION.
struct SetTransaction {
  TransactionModes modes;
  bool is_session = false;
};

/// PREPARE name (types) AS statement. What is prepared is read from the text when it is executed.
struct Prepare {
  std::string name;
  std::vector<TypeName> types;
};

/// EXECUTE name (arguments), by itself or in EXPLAIN and CREATE TABLE ... AS.
struct Execute {
  enum class Use : uint8_t { Run, Explain, CreateTable };
  std::string name;
  std::vector<ExpressionPtr> arguments;
  Use use = Use::Run;
};

struct Deallocate {
  std::string name;  ///< empty: ALL
};

struct DeclareCursor {
  std::string name;
  QueryPtr query;
  bool is_scroll = false;
  bool is_no_scroll = false;
  bool is_insensitive = false;
  bool is_asensitive = false;
  bool is_held = false;  ///< WITH HOLD
  bool is_binary = false;
};

/// FETCH and MOVE.
struct Fetch {
  enum class Direction : uint8_t { Forward, Backward, Absolute, Relative };
  std::string cursor;
  Direction direction = Direction::Forward;
  int64_t count = 1;  ///< INT64_MAX: ALL
  bool is_move = false;
};

struct CloseCursor {
  std::string name;  ///< empty: ALL
};

struct Discard {
  enum class What : uint8_t { All, Plans, Sequences, Temporary };
  What what = What::All;
};

struct Listen {
  std::string channel;
};

struct Unlisten {
  std::string channel;  ///< empty: all of them
};

struct Notify {
  std::string channel;
  std::string payload;
};

struct LockTable {
  std::vector<RelationName> relations;
  uint8_t mode = 0;  ///< as txn::LockMode counts them
  bool is_nowait = false;
};

}  // namespace gnomon::sql::ast
