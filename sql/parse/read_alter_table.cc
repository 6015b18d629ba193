#include "base/sql_error.h"
#include "sql/parse/tree_reader.h"

namespace gnomon::sql {
namespace {

using Kind = ast::AlterCommand::Kind;

/// The words of a command that Gnomon does not know.
std::string_view commandName(PgQuery__AlterTableType type) {
  switch (type) {
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetStatistics:
      return "SET STATISTICS";
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetStorage:
      return "SET STORAGE";
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetCompression:
      return "SET COMPRESSION";
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AlterConstraint:
      return "ALTER CONSTRAINT";
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ChangeOwner:
      return "OWNER TO";
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ClusterOn:
      return "CLUSTER ON";
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetTableSpace:
      return "SET TABLESPACE";
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetLogged:
      return "SET LOGGED";
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetUnLogged:
      return "SET UNLOGGED";
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddInherit:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropInherit:
      return "INHERIT";
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DetachPartitionFinalize:
      return "DETACH PARTITION ... FINALIZE";
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropExpression:
      return "generated columns";
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableRowSecurity:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DisableRowSecurity:
      return "row security";
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ReplicaIdentity:
      return "REPLICA IDENTITY";
    default:
      return "this command";
  }
}

}  // namespace

ast::AlterCommand TreeReader::readAlterCommand(const PgQuery__AlterTableCmd& node, const std::string& table) {
  ast::AlterCommand command;
  command.name = node.name;
  command.is_cascade = node.behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE;
  switch (node.subtype) {
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddColumn:
      command.kind = Kind::AddColumn;
      command.if_not_exists = node.missing_ok;
      command.column = readColumnDefinition(*node.def->column_def, table, command.constraints);
      break;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropColumn:
      command.kind = Kind::DropColumn;
      command.if_exists = node.missing_ok;
      break;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ColumnDefault:
      command.kind = node.def == nullptr ? Kind::DropDefault : Kind::SetDefault;
      if (node.def == nullptr) break;
      command.default_value = readExpression(node.def);
      command.default_text = deparseExpression(*node.def);
      break;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetNotNull:
      command.kind = Kind::SetNotNull;
      break;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropNotNull:
      command.kind = Kind::DropNotNull;
      break;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddIndexConstraint:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddConstraint:
      if (node.def->constraint->contype == PG_QUERY__CONSTR_TYPE__CONSTR_CHECK) {
        command.kind = Kind::AddCheck;
        command.constraints.checks.push_back(readCheck(*node.def->constraint));
      } else if (node.def->constraint->contype == PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN) {
        command.kind = Kind::AddForeignKey;
        command.constraints.foreign_keys.push_back(readForeignKey(*node.def->constraint));
      } else {
        command.kind = Kind::AddKey;
        command.constraints.keys.push_back(readKey(*node.def->constraint));
      }
      break;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ValidateConstraint:
      command.kind = Kind::ValidateConstraint;
      break;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropConstraint:
      command.kind = Kind::DropConstraint;
      command.if_exists = node.missing_ok;
      break;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetRelOptions:
      command.kind = Kind::SetParameters;
      command.parameters = readOptions(node.def->list->n_items, node.def->list->items);
      break;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ResetRelOptions:
      command.kind = Kind::ResetParameters;
      command.parameters = readOptions(node.def->list->n_items, node.def->list->items);
      break;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddIdentity:
      command.kind = Kind::AddIdentity;
      command.identity = readIdentity(*node.def->constraint);
      break;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetIdentity:
      command.kind = Kind::SetIdentity;
      readIdentityChange(*node.def->list, command);
      break;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropExpression:
      command.kind = Kind::DropExpression;
      command.if_exists = node.missing_ok;
      break;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AlterColumnType:
      command.kind = Kind::SetType;
      command.column.name = node.name;
      command.column.position = node.def->column_def->location;
      command.column.type = readType(*node.def->column_def->type_name);
      if (node.def->column_def->coll_clause != nullptr)
        readCollation(*node.def->column_def->coll_clause, command.column.type);
      command.conversion = readExpression(node.def->column_def->raw_default);
      break;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AttachPartition:
      command.kind = Kind::AttachPartition;
      command.partition = readRelation(*node.def->partition_cmd->name);
      if (node.def->partition_cmd->bound != nullptr)
        command.bound = readPartitionBound(*node.def->partition_cmd->bound);
      break;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DetachPartition:
      command.kind = Kind::DetachPartition;
      command.is_concurrent = node.def->partition_cmd->concurrent != 0;
      command.partition = readRelation(*node.def->partition_cmd->name);
      break;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropIdentity:
      command.kind = Kind::DropIdentity;
      command.if_exists = node.missing_ok;
      break;
    default:
      throwNotSupported(std::string("ALTER TABLE: ").append(commandName(node.subtype)), statement_position_);
  }
  return command;
}

ast::AlterTable TreeReader::readAlterTable(const PgQuery__AlterTableStmt& node) {
  ast::AlterTable alter;
  if (node.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_VIEW)
    alter.what = ast::AlterTable::What::View;
  else if (node.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW)
    alter.what = ast::AlterTable::What::MaterializedView;
  else if (node.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_INDEX && node.n_cmds == 1 &&
           node.cmds[0]->alter_table_cmd->subtype == PG_QUERY__ALTER_TABLE_TYPE__AT_AttachPartition)
    alter.what = ast::AlterTable::What::Index;
  else if (node.objtype != PG_QUERY__OBJECT_TYPE__OBJECT_TABLE)
    throwNotSupported("ALTER of something else than a table or view", statement_position_);
  in_alter_table_ = true;
  alter.relation = readRelation(*node.relation);
  alter.if_exists = node.missing_ok;
  for (size_t i = 0; i < node.n_cmds; ++i)
    alter.commands.push_back(readAlterCommand(*node.cmds[i]->alter_table_cmd, alter.relation.name));
  return alter;
}

}  // namespace gnomon::sql
