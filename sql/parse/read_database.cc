#include <fmt/format.h>

#include "sql/parse/ast_statement.h"
#include "sql/parse/tree_reader.h"

namespace gnomon::sql {

std::vector<ast::DatabaseOption> TreeReader::readDatabaseOptions(size_t count, PgQuery__Node* const* nodes) {
  std::vector<ast::DatabaseOption> options;
  for (size_t i = 0; i < count; ++i) {
    const PgQuery__DefElem& node = *nodes[i]->def_elem;
    ast::DatabaseOption option{.name = node.defname, .value = {}, .position = node.location};
    if (node.arg != nullptr && node.arg->node_case == PG_QUERY__NODE__NODE_INTEGER)
      option.value = std::to_string(node.arg->integer->ival);
    else if (node.arg != nullptr && node.arg->node_case == PG_QUERY__NODE__NODE_FLOAT)
      option.value = node.arg->float_->fval;
    else if (node.arg != nullptr && node.arg->node_case == PG_QUERY__NODE__NODE_BOOLEAN)
      option.value = node.arg->boolean->boolval ? "true" : "false";
    else if (node.arg != nullptr)
      option.value = textOf(*node.arg);
    options.push_back(std::move(option));
  }
  return options;
}

ast::DatabaseSetting TreeReader::readDatabaseSetting(const PgQuery__AlterDatabaseSetStmt& node) {
  ast::Statement set = readSet(*node.setstmt);
  if (!std::holds_alternative<ast::Set>(set.body))
    throwNotSupported("ALTER DATABASE ... SET TRANSACTION", statement_position_);
  return {node.dbname, std::get<ast::Set>(std::move(set.body))};
}

ast::DropDatabase TreeReader::readDropDatabase(const PgQuery__DropdbStmt& node) {
  ast::DropDatabase drop{.name = node.dbname, .if_exists = node.missing_ok != 0};
  for (size_t i = 0; i < node.n_options; ++i) {
    const PgQuery__DefElem& option = *node.options[i]->def_elem;
    if (std::string_view(option.defname) != "force")
      throw SqlError(sqlstate::kSyntaxError, fmt::format("unrecognized DROP DATABASE option \"{}\"", option.defname))
          .position(option.location);
    drop.is_forced = true;
  }
  return drop;
}

}  // namespace gnomon::sql
