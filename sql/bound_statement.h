#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "sql/statement.h"

namespace gnomon::sql {

/// One statement, bound: what the session executes.
struct BoundStatement {
  std::variant<QueryStatement, TruncateStatement, CreateTableStatement, CreateTableAsStatement, CreateViewStatement,
               RefreshViewStatement, DropTableStatement, CreateIndexStatement, AlterTableStatement,
               CreateSequenceStatement, AlterSequenceStatement, DropSequenceStatement, CreateSchemaStatement,
               AlterSchemaStatement, DropSchemaStatement, MoveStatement, CommentStatement, DefineTypeStatement,
               DropTypeStatement, VacuumStatement, CheckpointStatement, DropIndexStatement, CopyFromStatement,
               CopyToStatement, ExplainStatement, SetStatement, SetTransactionStatement, ShowStatement,
               TransactionStatement, PrepareStatement, ExecuteStatement, DeallocateStatement, DeclareCursorStatement,
               FetchStatement, CloseStatement, DiscardStatement, ListenStatement, UnlistenStatement, NotifyStatement,
               LockTableStatement, SetConstraintsStatement, PartitionStatement, ReindexStatement, ExtensionStatement,
               AttachIndexStatement, CreateRoleStatement, AlterRoleStatement, RenameRoleStatement, RoleSettingStatement,
               DropRoleStatement, GrantRoleStatement, GrantStatement, DefaultPrivilegesStatement, OwnerStatement,
               OwnedStatement, DefineRoutineStatement, DropRoutineStatement, ExplainRoutineStatement,
               DefineTriggersStatement, CallStatement, DoStatement, CreateDatabaseStatement, AlterDatabaseStatement,
               DatabaseSettingStatement, DropDatabaseStatement>
      body;
  std::vector<Type> parameters;   ///< types of $1, $2, ... after inference
  std::vector<TablePtr> tables;   ///< every table read or written: to be locked shared before execution
  std::vector<TablePtr> written;  ///< those among them whose rows INSERT, UPDATE, DELETE, MERGE or COPY FROM changes
  bool changes_in_with = false;   ///< a query of WITH is a change
  std::vector<TablePtr> also_written;  ///< those whose rows foreign keys may change
  std::vector<TablePtr> row_locked;    ///< those whose rows SELECT FOR UPDATE, FOR SHARE or foreign keys lock
  std::string locking;                 ///< "SELECT FOR UPDATE" and so on; empty: it does not
  Actors actors;                       ///< who asked, and what he was allowed: Catalog::accessVersion()
  uint64_t access_version = 0;
  /// "SELECT", "INSERT", "CREATE TABLE", ...: the command tag without counts.
  std::string command;
};

}  // namespace gnomon::sql
