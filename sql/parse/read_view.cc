#include "base/sql_error.h"
#include "sql/parse/tree_reader.h"

namespace gnomon::sql {
namespace {

/// A word is read as a type's name.
CheckOption readCheckOption(const PgQuery__Node* node) {
  std::string value;
  if (node != nullptr && node->node_case == PG_QUERY__NODE__NODE_STRING) value = node->string->sval;
  if (node != nullptr && node->node_case == PG_QUERY__NODE__NODE_TYPE_NAME && node->type_name->n_names > 0)
    value = textOf(*node->type_name->names[node->type_name->n_names - 1]);
  if (value == "local") return CheckOption::Local;
  if (value == "cascaded") return CheckOption::Cascaded;
  throw SqlError(sqlstate::kInvalidParameterValue, "invalid value for enum option \"check_option\": " + value)
      .detail("Valid values are \"local\" and \"cascaded\".");
}

}  // namespace

ast::CreateView TreeReader::readCreateView(const PgQuery__ViewStmt& node) {
  ast::CreateView create;
  for (size_t i = 0; i < node.n_options; ++i) {
    const PgQuery__DefElem& option = *node.options[i]->def_elem;
    if (std::string_view(option.defname) == "check_option")
      create.check_option = readCheckOption(option.arg);
    else
      create.options.push_back(readOptions(1, &node.options[i]).front());
  }
  if (node.with_check_option == PG_QUERY__VIEW_CHECK_OPTION__LOCAL_CHECK_OPTION)
    create.check_option = CheckOption::Local;
  if (node.with_check_option == PG_QUERY__VIEW_CHECK_OPTION__CASCADED_CHECK_OPTION)
    create.check_option = CheckOption::Cascaded;
  create.relation = readRelation(*node.view);
  for (size_t i = 0; i < node.n_aliases; ++i) create.columns.push_back(textOf(*node.aliases[i]));
  create.query = readQuery(*node.query->select_stmt);
  create.text = deparseQuery(*node.query);
  create.is_replacing = node.replace != 0;
  return create;
}

ast::CreateTableAs TreeReader::readCreateMaterializedView(const PgQuery__CreateTableAsStmt& node) {
  if (node.query->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
    throwNotSupported("CREATE MATERIALIZED VIEW ... AS EXECUTE", statement_position_);
  ast::CreateTableAs create = readCreateTableAs(*node.into, *node.query->select_stmt);
  create.if_not_exists = node.if_not_exists != 0;
  create.is_materialized = true;
  create.text = deparseQuery(*node.query);
  return create;
}

ast::RefreshView TreeReader::readRefreshView(const PgQuery__RefreshMatViewStmt& node) {
  return {readRelation(*node.relation), node.concurrent != 0, node.skip_data == 0};
}

ast::SetConstraints TreeReader::readSetConstraints(const PgQuery__ConstraintsSetStmt& node) {
  ast::SetConstraints set;
  for (size_t i = 0; i < node.n_constraints; ++i) set.names.push_back(readRelation(*node.constraints[i]->range_var));
  set.are_deferred = node.deferred != 0;
  return set;
}

}  // namespace gnomon::sql
