#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/sql_error.h"
#include "sql/algebra/operator.h"
#include "sql/copy_statement.h"
#include "sql/database_statement.h"
#include "sql/explain/explain.h"
#include "sql/maintenance_statement.h"
#include "sql/privilege_statement.h"
#include "sql/role_statement.h"
#include "sql/routine_statement.h"
#include "sql/schema_statement.h"
#include "sql/session_statement.h"
#include "sql/table_statement.h"
#include "sql/trigger_statement.h"
#include "sql/type_statement.h"
#include "sql/types/value.h"

namespace gnomon::sql {

/// A SELECT, VALUES, INSERT, UPDATE, DELETE, MERGE, or the query inside COPY (query) TO.
struct QueryStatement {
  std::shared_ptr<Plan> plan;
};

/// SET CONSTRAINTS.
struct SetConstraintsStatement {
  bool are_all = false;
  /// The oids of the tables that have them, and the numbers of foreign keys, oids of indexes or constraint triggers.
  std::vector<std::pair<uint32_t, uint32_t>> keys;
  bool are_deferred = false;
};

struct ExplainStatement {
  enum class What : uint8_t { Plan, Pipelines, Ir };
  std::shared_ptr<Plan> plan;
  What what = What::Plan;
  bool analyze = false;  ///< executes the statement and shows what its operators, or steps, did; not with What::Ir
  bool summary = false;  ///< times of planning and execution
  ExplainOptions options;
};

struct SetStatement {
  std::string name;
  std::optional<std::string> value;  ///< none: to the default (SET x TO DEFAULT, RESET x)
  bool reset_all = false;
  bool is_local = false;    ///< until the transaction ends
  bool is_current = false;  ///< to the value that it has
};

/// SERIALIZABLE is not among them: nobody gets less than he asks for.
enum class IsolationLevel : uint8_t { ReadUncommitted, ReadCommitted, RepeatableRead };

/// What is said of a transaction.
struct TransactionModes {
  std::optional<IsolationLevel> isolation;
  std::optional<bool> is_read_only;
  std::optional<bool> is_deferrable;  ///< without effect below SERIALIZABLE
  bool is_bulk = false;               ///< BULK WRITE
};

struct TransactionStatement {
  enum class Kind : uint8_t { Begin, Commit, Rollback, Savepoint, Release, RollbackTo };
  Kind kind = Kind::Begin;
  TransactionModes modes;  ///< Begin
  std::string savepoint;
  bool chain = false;  ///< Commit, Rollback: the next one begins at once
};

/// Of the transaction at hand, or of those to come.
struct SetTransactionStatement {
  TransactionModes modes;
  bool is_session = false;
};

struct ShowStatement {
  std::string name;  ///< "all" for SHOW ALL
};

}  // namespace gnomon::sql
