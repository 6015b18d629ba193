#include <array>

#include "sql/parse/tree_reader.h"

namespace gnomon::sql {
namespace {

struct NamedStatement {
  PgQuery__Node__NodeCase node_case;
  const char* name;
};

constexpr NamedStatement kStatements[] = {
    {PG_QUERY__NODE__NODE_UPDATE_STMT, "UPDATE"},
    {PG_QUERY__NODE__NODE_DELETE_STMT, "DELETE"},
    {PG_QUERY__NODE__NODE_MERGE_STMT, "MERGE"},
    {PG_QUERY__NODE__NODE_TRUNCATE_STMT, "TRUNCATE"},
    {PG_QUERY__NODE__NODE_ALTER_TABLE_STMT, "ALTER TABLE"},
    {PG_QUERY__NODE__NODE_RENAME_STMT, "ALTER ... RENAME"},
    {PG_QUERY__NODE__NODE_VIEW_STMT, "CREATE VIEW"},
    {PG_QUERY__NODE__NODE_INDEX_STMT, "CREATE INDEX"},
    {PG_QUERY__NODE__NODE_CREATE_SEQ_STMT, "CREATE SEQUENCE"},
    {PG_QUERY__NODE__NODE_ALTER_SEQ_STMT, "ALTER SEQUENCE"},
    {PG_QUERY__NODE__NODE_CREATE_SCHEMA_STMT, "CREATE SCHEMA"},
    {PG_QUERY__NODE__NODE_CREATE_FUNCTION_STMT, "CREATE FUNCTION"},
    {PG_QUERY__NODE__NODE_ALTER_FUNCTION_STMT, "ALTER FUNCTION"},
    {PG_QUERY__NODE__NODE_CREATE_TRIG_STMT, "CREATE TRIGGER"},
    {PG_QUERY__NODE__NODE_RULE_STMT, "CREATE RULE"},
    {PG_QUERY__NODE__NODE_CREATE_DOMAIN_STMT, "CREATE DOMAIN"},
    {PG_QUERY__NODE__NODE_ALTER_DOMAIN_STMT, "ALTER DOMAIN"},
    {PG_QUERY__NODE__NODE_CREATE_ENUM_STMT, "CREATE TYPE"},
    {PG_QUERY__NODE__NODE_COMPOSITE_TYPE_STMT, "CREATE TYPE"},
    {PG_QUERY__NODE__NODE_CREATE_RANGE_STMT, "CREATE TYPE"},
    {PG_QUERY__NODE__NODE_DEFINE_STMT, "this CREATE statement"},
    {PG_QUERY__NODE__NODE_ALTER_ENUM_STMT, "ALTER TYPE"},
    {PG_QUERY__NODE__NODE_ALTER_TYPE_STMT, "ALTER TYPE"},
    {PG_QUERY__NODE__NODE_CREATE_CAST_STMT, "CREATE CAST"},
    {PG_QUERY__NODE__NODE_CREATE_EXTENSION_STMT, "CREATE EXTENSION"},
    {PG_QUERY__NODE__NODE_ALTER_EXTENSION_STMT, "ALTER EXTENSION"},
    {PG_QUERY__NODE__NODE_CREATEDB_STMT, "CREATE DATABASE"},
    {PG_QUERY__NODE__NODE_DROPDB_STMT, "DROP DATABASE"},
    {PG_QUERY__NODE__NODE_ALTER_DATABASE_STMT, "ALTER DATABASE"},
    {PG_QUERY__NODE__NODE_ALTER_DATABASE_SET_STMT, "ALTER DATABASE"},
    {PG_QUERY__NODE__NODE_CREATE_ROLE_STMT, "CREATE ROLE"},
    {PG_QUERY__NODE__NODE_ALTER_ROLE_STMT, "ALTER ROLE"},
    {PG_QUERY__NODE__NODE_ALTER_ROLE_SET_STMT, "ALTER ROLE"},
    {PG_QUERY__NODE__NODE_DROP_ROLE_STMT, "DROP ROLE"},
    {PG_QUERY__NODE__NODE_GRANT_ROLE_STMT, "GRANT and REVOKE"},
    {PG_QUERY__NODE__NODE_GRANT_STMT, "GRANT and REVOKE"},
    {PG_QUERY__NODE__NODE_ALTER_DEFAULT_PRIVILEGES_STMT, "ALTER DEFAULT PRIVILEGES"},
    {PG_QUERY__NODE__NODE_ALTER_OWNER_STMT, "ALTER ... OWNER TO"},
    {PG_QUERY__NODE__NODE_ALTER_OBJECT_SCHEMA_STMT, "ALTER ... SET SCHEMA"},
    {PG_QUERY__NODE__NODE_ALTER_SYSTEM_STMT, "ALTER SYSTEM"},
    {PG_QUERY__NODE__NODE_CREATE_TABLE_SPACE_STMT, "CREATE TABLESPACE"},
    {PG_QUERY__NODE__NODE_DROP_TABLE_SPACE_STMT, "DROP TABLESPACE"},
    {PG_QUERY__NODE__NODE_CREATE_POLICY_STMT, "CREATE POLICY"},
    {PG_QUERY__NODE__NODE_CREATE_STATS_STMT, "CREATE STATISTICS"},
    {PG_QUERY__NODE__NODE_CREATE_PUBLICATION_STMT, "CREATE PUBLICATION"},
    {PG_QUERY__NODE__NODE_CREATE_SUBSCRIPTION_STMT, "CREATE SUBSCRIPTION"},
    {PG_QUERY__NODE__NODE_REFRESH_MAT_VIEW_STMT, "REFRESH MATERIALIZED VIEW"},
    {PG_QUERY__NODE__NODE_COMMENT_STMT, "COMMENT"},
    {PG_QUERY__NODE__NODE_SEC_LABEL_STMT, "SECURITY LABEL"},
    {PG_QUERY__NODE__NODE_CLUSTER_STMT, "CLUSTER"},
    {PG_QUERY__NODE__NODE_REINDEX_STMT, "REINDEX"},
    {PG_QUERY__NODE__NODE_CHECK_POINT_STMT, "CHECKPOINT"},
    {PG_QUERY__NODE__NODE_LOCK_STMT, "LOCK TABLE"},
    {PG_QUERY__NODE__NODE_CONSTRAINTS_SET_STMT, "SET CONSTRAINTS"},
    {PG_QUERY__NODE__NODE_DISCARD_STMT, "DISCARD"},
    {PG_QUERY__NODE__NODE_PREPARE_STMT, "PREPARE"},
    {PG_QUERY__NODE__NODE_EXECUTE_STMT, "EXECUTE"},
    {PG_QUERY__NODE__NODE_DEALLOCATE_STMT, "DEALLOCATE"},
    {PG_QUERY__NODE__NODE_DECLARE_CURSOR_STMT, "DECLARE CURSOR"},
    {PG_QUERY__NODE__NODE_FETCH_STMT, "FETCH"},
    {PG_QUERY__NODE__NODE_CLOSE_PORTAL_STMT, "CLOSE"},
    {PG_QUERY__NODE__NODE_LISTEN_STMT, "LISTEN"},
    {PG_QUERY__NODE__NODE_UNLISTEN_STMT, "UNLISTEN"},
    {PG_QUERY__NODE__NODE_NOTIFY_STMT, "NOTIFY"},
    {PG_QUERY__NODE__NODE_LOAD_STMT, "LOAD"},
    {PG_QUERY__NODE__NODE_DO_STMT, "DO"},
    {PG_QUERY__NODE__NODE_CALL_STMT, "CALL"},
    {PG_QUERY__NODE__NODE_DROP_OWNED_STMT, "DROP OWNED"},
    {PG_QUERY__NODE__NODE_REASSIGN_OWNED_STMT, "REASSIGN OWNED"},
    {PG_QUERY__NODE__NODE_SELECT_STMT, "SELECT"},
    {PG_QUERY__NODE__NODE_INSERT_STMT, "INSERT"},
};

const char* transactionName(PgQuery__TransactionStmtKind kind) {
  static constexpr std::array kNames = {"this statement",
                                        "BEGIN",
                                        "START TRANSACTION",
                                        "COMMIT",
                                        "ROLLBACK",
                                        "SAVEPOINT",
                                        "RELEASE",
                                        "ROLLBACK TO SAVEPOINT",
                                        "PREPARE TRANSACTION",
                                        "COMMIT PREPARED",
                                        "ROLLBACK PREPARED"};
  const auto index = static_cast<size_t>(kind);
  return kNames[index < kNames.size() ? index : 0];
}

const char* droppedObject(PgQuery__ObjectType type) {
  switch (type) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_VIEW:
      return "DROP VIEW";
    case PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW:
      return "DROP MATERIALIZED VIEW";
    case PG_QUERY__OBJECT_TYPE__OBJECT_INDEX:
      return "DROP INDEX";
    case PG_QUERY__OBJECT_TYPE__OBJECT_SEQUENCE:
      return "DROP SEQUENCE";
    case PG_QUERY__OBJECT_TYPE__OBJECT_SCHEMA:
      return "DROP SCHEMA";
    case PG_QUERY__OBJECT_TYPE__OBJECT_TYPE:
      return "DROP TYPE";
    case PG_QUERY__OBJECT_TYPE__OBJECT_DOMAIN:
      return "DROP DOMAIN";
    case PG_QUERY__OBJECT_TYPE__OBJECT_FUNCTION:
      return "DROP FUNCTION";
    case PG_QUERY__OBJECT_TYPE__OBJECT_EXTENSION:
      return "DROP EXTENSION";
    case PG_QUERY__OBJECT_TYPE__OBJECT_TRIGGER:
      return "DROP TRIGGER";
    default:
      return "this DROP statement";
  }
}

}  // namespace

std::string describeStatement(const PgQuery__Node& node) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_TRANSACTION_STMT:
      return transactionName(node.transaction_stmt->kind);
    case PG_QUERY__NODE__NODE_DROP_STMT:
      return droppedObject(node.drop_stmt->remove_type);
    case PG_QUERY__NODE__NODE_VACUUM_STMT:
      return node.vacuum_stmt->is_vacuumcmd ? "VACUUM" : "ANALYZE";
    case PG_QUERY__NODE__NODE_CREATE_TABLE_AS_STMT:
      return node.create_table_as_stmt->objtype == PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW ? "CREATE MATERIALIZED VIEW"
                                                                                         : "CREATE TABLE AS";
    default:
      break;
  }
  for (const NamedStatement& statement : kStatements)
    if (statement.node_case == node.node_case) return statement.name;
  return "this statement";
}

}  // namespace gnomon::sql
