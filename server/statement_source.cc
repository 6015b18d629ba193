#include "server/statement_source.h"

#include "sql/parse/ast.h"
#include "sql/parse/ast_statement.h"

namespace gnomon::server {

bool endsFailedBlock(const sql::ParsedStatement& statement) {
  using Kind = sql::ast::Transaction::Kind;
  if (!statement.tree) return false;
  const auto* transaction = std::get_if<sql::ast::Transaction>(&statement.tree->body);
  return transaction && (transaction->kind == Kind::Commit || transaction->kind == Kind::Rollback ||
                         transaction->kind == Kind::RollbackTo);
}

bool endsFailedBlock(const sql::BoundStatement& statement) {
  using Kind = sql::TransactionStatement::Kind;
  const auto* transaction = std::get_if<sql::TransactionStatement>(&statement.body);
  return transaction && (transaction->kind == Kind::Commit || transaction->kind == Kind::Rollback ||
                         transaction->kind == Kind::RollbackTo);
}

}  // namespace gnomon::server
