#include "base/sql_error.h"
#include "sql/parse/tree_reader.h"

namespace gnomon::sql {

ast::Merge TreeReader::readMerge(const PgQuery__MergeStmt& node) {
  if (node.with_clause != nullptr && node.with_clause->recursive != 0)
    throw SqlError(sqlstate::kSyntaxError, "WITH RECURSIVE is not supported for MERGE statement");
  ast::Merge merge;
  merge.with = readWith(node.with_clause);
  merge.relation = readRelation(*node.relation);
  merge.alias = readAlias(node.relation->alias);
  merge.source = readFromItem(*node.source_relation);
  merge.condition = readExpression(node.join_condition);
  for (size_t i = 0; i < node.n_merge_when_clauses; ++i)
    merge.actions.push_back(readMergeAction(*node.merge_when_clauses[i]->merge_when_clause));
  return merge;
}

ast::MergeAction TreeReader::readMergeAction(const PgQuery__MergeWhenClause& node) {
  using What = ast::MergeAction::What;
  ast::MergeAction action;
  action.is_matched = node.matched != 0;
  action.condition = readExpression(node.condition);
  if (node.command_type == PG_QUERY__CMD_TYPE__CMD_DELETE) action.what = What::Delete;
  if (node.command_type == PG_QUERY__CMD_TYPE__CMD_UPDATE) {
    action.what = What::Update;
    for (size_t i = 0; i < node.n_target_list; ++i)
      action.assignments.push_back(readAssignment(*node.target_list[i]->res_target));
  }
  if (node.command_type == PG_QUERY__CMD_TYPE__CMD_INSERT) {
    action.what = What::Insert;
    action.columns = readColumnNames(node.n_target_list, node.target_list);
    for (size_t i = 0; i < node.n_target_list; ++i)
      action.parts.push_back(readTargetParts(*node.target_list[i]->res_target));
    action.values = readExpressions(node.n_values, node.values);
    if (node.override == PG_QUERY__OVERRIDING_KIND__OVERRIDING_USER_VALUE)
      action.overriding = ast::Insert::Overriding::User;
    if (node.override == PG_QUERY__OVERRIDING_KIND__OVERRIDING_SYSTEM_VALUE)
      action.overriding = ast::Insert::Overriding::System;
  }
  return action;
}

}  // namespace gnomon::sql
