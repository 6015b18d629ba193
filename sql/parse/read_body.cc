#include <utility>

#include "base/sql_error.h"
#include "sql/parse/ast_statement.h"
#include "sql/parse/query_of_value.h"
#include "sql/parse/tree_reader.h"

/// Bodies of routines in the manner of the SQL standard.
namespace gnomon::sql {
namespace {

/// PostgreSQL's name of a statement that is neither a query nor a change; empty: it is one.
std::string commandOf(const PgQuery__Node& node) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_SELECT_STMT:
    case PG_QUERY__NODE__NODE_INSERT_STMT:
    case PG_QUERY__NODE__NODE_UPDATE_STMT:
    case PG_QUERY__NODE__NODE_DELETE_STMT:
    case PG_QUERY__NODE__NODE_MERGE_STMT:
      return {};
    case PG_QUERY__NODE__NODE_CREATE_STMT:
      return "CREATE TABLE";
    case PG_QUERY__NODE__NODE_TRUNCATE_STMT:
      return "TRUNCATE TABLE";
    case PG_QUERY__NODE__NODE_EXPLAIN_STMT:
      return "EXPLAIN";
    case PG_QUERY__NODE__NODE_COPY_STMT:
      return "COPY";
    case PG_QUERY__NODE__NODE_VARIABLE_SET_STMT:
      return node.variable_set_stmt->kind == PG_QUERY__VARIABLE_SET_KIND__VAR_RESET ||
                     node.variable_set_stmt->kind == PG_QUERY__VARIABLE_SET_KIND__VAR_RESET_ALL
                 ? "RESET"
                 : "SET";
    case PG_QUERY__NODE__NODE_VARIABLE_SHOW_STMT:
      return "SHOW";
    case PG_QUERY__NODE__NODE_GRANT_STMT:
      return node.grant_stmt->is_grant != 0 ? "GRANT" : "REVOKE";
    case PG_QUERY__NODE__NODE_DROP_STMT:
      if (node.drop_stmt->remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_TABLE) return "DROP TABLE";
      break;
    default:
      break;
  }
  return describeStatement(node);
}

const PgQuery__IntoClause* intoOf(const PgQuery__SelectStmt& node) {
  return node.larg != nullptr ? intoOf(*node.larg) : node.into_clause;
}

}  // namespace

ast::BodyStatement TreeReader::readBodyStatement(PgQuery__Node& node) {
  ast::BodyStatement statement;
  if (node.node_case == PG_QUERY__NODE__NODE_RETURN_STMT) {
    QueryOfValue query(*node.return_stmt->returnval);
    statement = readBodyStatement(query.node());
    statement.is_return = true;
    return statement;
  }
  statement.command = commandOf(node);
  try {
    if (node.node_case == PG_QUERY__NODE__NODE_SELECT_STMT)
      if (const PgQuery__IntoClause* const into = intoOf(*node.select_stmt))
        throw SqlError(sqlstate::kSyntaxError, "SELECT ... INTO is not allowed here").position(into->rel->location);
    statement.parsed.tree = std::make_shared<const ast::Statement>(readStatement(node));
    if (statement.command.empty()) statement.text = deparseQuery(node);
  } catch (const SqlError& error) {
    statement.parsed.rejection = error;
  }
  return statement;
}

/// Of several statements it is a list of lists of them.
std::shared_ptr<const ast::StandardBody> TreeReader::readStandardBody(PgQuery__Node& node) {
  auto body = std::make_shared<ast::StandardBody>();
  if (node.node_case != PG_QUERY__NODE__NODE_LIST) {
    body->statements.push_back(readBodyStatement(node));
    return body;
  }
  body->is_atomic = true;
  for (size_t i = 0; i < node.list->n_items; ++i) {
    if (node.list->items[i]->node_case != PG_QUERY__NODE__NODE_LIST) continue;
    const PgQuery__List& statements = *node.list->items[i]->list;
    for (size_t each = 0; each < statements.n_items; ++each)
      body->statements.push_back(readBodyStatement(*statements.items[each]));
  }
  return body;
}

}  // namespace gnomon::sql
