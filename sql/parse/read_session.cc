#include "base/sql_error.h"
#include "sql/parse/tree_reader.h"

namespace gnomon::sql {

ast::Prepare TreeReader::readPrepare(const PgQuery__PrepareStmt& node) {
  ast::Prepare prepare{node.name, {}};
  for (size_t i = 0; i < node.n_argtypes; ++i) prepare.types.push_back(readType(*node.argtypes[i]->type_name));
  return prepare;
}

ast::Execute TreeReader::readExecute(const PgQuery__ExecuteStmt& node, ast::Execute::Use use) {
  return {node.name, readExpressions(node.n_params, node.params), use};
}

ast::DeclareCursor TreeReader::readDeclareCursor(const PgQuery__DeclareCursorStmt& node) {
  // The grammar's CURSOR_OPT_*.
  constexpr int32_t kBinary = 1, kScroll = 2, kNoScroll = 4, kInsensitive = 8, kAsensitive = 16, kHold = 32;
  const auto is = [&node](int32_t option) { return (node.options & option) != 0; };
  ast::DeclareCursor declare;
  declare.name = node.portalname;
  declare.query = readQuery(*node.query->select_stmt);
  declare.is_binary = is(kBinary);
  declare.is_scroll = is(kScroll);
  declare.is_no_scroll = is(kNoScroll);
  declare.is_insensitive = is(kInsensitive);
  declare.is_asensitive = is(kAsensitive);
  declare.is_held = is(kHold);
  return declare;
}

ast::Fetch TreeReader::readFetch(const PgQuery__FetchStmt& node) {
  using Direction = ast::Fetch::Direction;
  ast::Fetch fetch{node.portalname, Direction::Forward, node.how_many, node.ismove != 0};
  switch (node.direction) {
    case PG_QUERY__FETCH_DIRECTION__FETCH_BACKWARD:
      fetch.direction = Direction::Backward;
      break;
    case PG_QUERY__FETCH_DIRECTION__FETCH_ABSOLUTE:
      fetch.direction = Direction::Absolute;
      break;
    case PG_QUERY__FETCH_DIRECTION__FETCH_RELATIVE:
      fetch.direction = Direction::Relative;
      break;
    default:
      break;
  }
  return fetch;
}

ast::Discard TreeReader::readDiscard(const PgQuery__DiscardStmt& node) {
  using What = ast::Discard::What;
  switch (node.target) {
    case PG_QUERY__DISCARD_MODE__DISCARD_PLANS:
      return {What::Plans};
    case PG_QUERY__DISCARD_MODE__DISCARD_SEQUENCES:
      return {What::Sequences};
    case PG_QUERY__DISCARD_MODE__DISCARD_TEMP:
      return {What::Temporary};
    default:
      return {What::All};
  }
}

ast::LockTable TreeReader::readLockTable(const PgQuery__LockStmt& node) {
  ast::LockTable lock;
  for (size_t i = 0; i < node.n_relations; ++i) lock.relations.push_back(readRelation(*node.relations[i]->range_var));
  // The grammar counts from 1.
  lock.mode = static_cast<uint8_t>(node.mode - 1);
  lock.is_nowait = node.nowait != 0;
  return lock;
}

}  // namespace gnomon::sql
