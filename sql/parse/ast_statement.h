#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "sql/parse/ast.h"

/// The trees of whole statements: apart from ast.h, since such a large variant costs every file that sees it.
namespace gnomon::sql::ast {

struct Statement;

struct Copy {
  RelationName relation;  ///< unused with a query
  std::vector<ColumnName> columns;
  std::unique_ptr<Statement> query;  ///< of COPY (...) TO; null: none
  std::string file;                  ///< on the server; empty: by messages
  bool is_from = false;
  ExpressionPtr where;
  std::vector<Option> options;
};

struct Explain {
  std::unique_ptr<Statement> statement;
  std::vector<Option> options;
};

struct Statement {
  std::variant<QueryPtr, Insert, Update, Delete, Merge, Truncate, CreateTable, CreateTableAs, CreateView, RefreshView,
               DropTable, CreateIndex, DropIndex, AlterTable, CreateSequence, AlterSequence, DropSequence, CreateSchema,
               AlterSchema, DropSchema, Move, Comment, CreateType, CreateDomain, AlterEnum, AlterDomain, AlterComposite,
               RenameType, DropType, Rename, Vacuum, Checkpoint, Copy, Explain, Set, SetTransaction, Show, Transaction,
               Prepare, Execute, Deallocate, DeclareCursor, Fetch, CloseCursor, Discard, Listen, Unlisten, Notify,
               LockTable, SetConstraints, Reindex, CreateExtension, DropExtension, CreateRole, AlterRole, RenameRole,
               RoleSetting, DropRole, GrantRole, Grant, DefaultPrivileges, AlterOwner, Owned, CreateRoutine,
               DropRoutine, ExplainRoutine, AlterRoutine, Call, DoBlock, CreateTrigger, DropTrigger, RenameTrigger,
               TriggerFiring, CreateDatabase, AlterDatabase, RenameDatabase, DatabaseSetting, DropDatabase, DropOther>
      body;
};

}  // namespace gnomon::sql::ast
