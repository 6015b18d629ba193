#include "base/sql_error.h"
#include "sql/parse/tree_reader.h"

/// BEGIN to ROLLBACK, savepoints, and what SET says of transactions.
namespace gnomon::sql {

namespace {

bool isTrue(const PgQuery__Node& node) {
  const PgQuery__AConst& constant = *node.a_const;
  return constant.val_case == PG_QUERY__A__CONST__VAL_BOOLVAL ? constant.boolval->boolval != 0
                                                              : constant.ival != nullptr && constant.ival->ival != 0;
}

}  // namespace

ast::TransactionModes TreeReader::readTransactionModes(size_t count, PgQuery__Node* const* nodes) {
  ast::TransactionModes modes;
  for (size_t i = 0; i < count; ++i) {
    const PgQuery__DefElem& mode = *nodes[i]->def_elem;
    const std::string_view name = mode.defname;
    if (name == "transaction_isolation") {
      modes.isolation = mode.arg->a_const->sval->sval;
    } else if (name == "transaction_read_only") {
      modes.is_read_only = isTrue(*mode.arg);
      // As everywhere, what is said last counts.
      if (isOwnWord(mode.location)) modes.is_bulk = true;
      if (*modes.is_read_only) modes.is_bulk = false;
    } else if (name == "transaction_deferrable") {
      modes.is_deferrable = isTrue(*mode.arg);
    }
  }
  return modes;
}

ast::Transaction TreeReader::readTransaction(const PgQuery__TransactionStmt& node) {
  using Kind = ast::Transaction::Kind;
  ast::Transaction transaction;
  transaction.modes = readTransactionModes(node.n_options, node.options);
  transaction.savepoint = node.savepoint_name;
  transaction.chain = node.chain != 0;
  switch (node.kind) {
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_BEGIN:
      transaction.kind = Kind::Begin;
      break;
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_START:
      transaction.kind = Kind::Start;
      break;
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_COMMIT:
      transaction.kind = Kind::Commit;
      break;
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK:
      transaction.kind = Kind::Rollback;
      break;
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_SAVEPOINT:
      transaction.kind = Kind::Savepoint;
      break;
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_RELEASE:
      transaction.kind = Kind::Release;
      break;
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK_TO:
      transaction.kind = Kind::RollbackTo;
      break;
    default:
      throwNotSupported("two-phase commit", statement_position_);
  }
  return transaction;
}

}  // namespace gnomon::sql
