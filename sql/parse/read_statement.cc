#include <fmt/format.h>

#include "base/custom_settings.h"
#include "base/sql_error.h"
#include "sql/catalog/own_database.h"
#include "sql/parse/ast_statement.h"
#include "sql/parse/identifier.h"
#include "sql/parse/tree_reader.h"
#include "sql/types/calendar.h"
#include "sql/types/interval.h"

namespace gnomon::sql {
namespace {

/// The value of an option as text; a list or a star is told apart by `is_list`.
void readOptionValue(const PgQuery__Node* node, ast::Option& option) {
  if (node == nullptr) return;
  switch (node->node_case) {
    case PG_QUERY__NODE__NODE_STRING:
      option.value = node->string->sval;
      return;
    case PG_QUERY__NODE__NODE_INTEGER:
      option.value = std::to_string(node->integer->ival);
      return;
    case PG_QUERY__NODE__NODE_FLOAT:
      option.value = node->float_->fval;
      return;
    case PG_QUERY__NODE__NODE_BOOLEAN:
      option.value = node->boolean->boolval ? "true" : "false";
      return;
    case PG_QUERY__NODE__NODE_TYPE_NAME:
      // A word that is no keyword.
      option.is_list = node->type_name->n_names != 1;
      if (!option.is_list) option.value = textOf(*node->type_name->names[0]);
      return;
    case PG_QUERY__NODE__NODE_A_STAR:
      option.is_list = option.is_star = true;
      return;
    case PG_QUERY__NODE__NODE_LIST:
      for (size_t i = 0; i < node->list->n_items; ++i)
        if (node->list->items[i]->node_case == PG_QUERY__NODE__NODE_STRING)
          option.names.emplace_back(node->list->items[i]->string->sval);
      option.is_list = true;
      return;
    default:
      option.is_list = true;
  }
}

int32_t intervalModifier(const PgQuery__TypeName& type) {
  constexpr int32_t kFullPrecision = 0xffff;
  if (type.n_typmods == 0) return -1;
  return static_cast<int32_t>(type.typmods[0]->a_const->ival->ival << 16) | kFullPrecision;
}

/// SET TIME ZONE INTERVAL '...': in hours, as a number is.
std::string zoneHours(const PgQuery__TypeCast& cast) {
  const std::string_view text = cast.arg->a_const->sval->sval;
  const Interval interval = parseInterval(text, intervalModifier(*cast.type_name));
  char shown[kIntervalTextBytesMax];
  const std::string_view value(shown, static_cast<size_t>(printInterval(interval, shown) - shown));
  if (interval.months != 0 || interval.days != 0)
    throw SqlError(sqlstate::kInvalidParameterValue,
                   fmt::format("invalid value for parameter \"TimeZone\": \"INTERVAL '{}'\"", value))
        .detail(fmt::format("Cannot specify {} in time zone interval.", interval.months != 0 ? "months" : "days"));
  return fmt::format("{:.17g}", static_cast<double>(interval.microseconds) / static_cast<double>(kMicrosecondsPerHour));
}

/// One value of SET as text.
std::string settingValue(const PgQuery__Node& node) {
  if (node.node_case == PG_QUERY__NODE__NODE_TYPE_CAST) return zoneHours(*node.type_cast);
  if (node.node_case != PG_QUERY__NODE__NODE_A_CONST) throwNotSupported("this value of a setting");
  const PgQuery__AConst& constant = *node.a_const;
  switch (constant.val_case) {
    case PG_QUERY__A__CONST__VAL_IVAL:
      return std::to_string(constant.ival->ival);
    case PG_QUERY__A__CONST__VAL_FVAL:
      return constant.fval->fval;
    case PG_QUERY__A__CONST__VAL_SVAL:
      return constant.sval->sval;
    default:
      throwNotSupported("this value of a setting", constant.location);
  }
}

bool isUnlogged(const PgQuery__RangeVar& relation) {
  return std::string_view(relation.relpersistence) == "u";
}

}  // namespace

ast::Statement TreeReader::readStatement(const PgQuery__Node& node) {
  const Level level(*this);
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_SELECT_STMT: {
      // Of a set operation it stands in the first SELECT.
      const PgQuery__SelectStmt* first = node.select_stmt;
      while (first->larg != nullptr) first = first->larg;
      into_ = first->into_clause;
      if (into_ == nullptr) return {readQuery(*node.select_stmt)};
      return {readCreateTableAs(*into_, *node.select_stmt)};
    }
    case PG_QUERY__NODE__NODE_CREATE_TABLE_AS_STMT: {
      const PgQuery__CreateTableAsStmt& create = *node.create_table_as_stmt;
      if (create.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW) return {readCreateMaterializedView(create)};
      if (create.query->node_case == PG_QUERY__NODE__NODE_EXECUTE_STMT)
        return {readExecute(*create.query->execute_stmt, ast::Execute::Use::CreateTable)};
      ast::CreateTableAs read = readCreateTableAs(*create.into, *create.query->select_stmt);
      read.if_not_exists = create.if_not_exists;
      return {std::move(read)};
    }
    case PG_QUERY__NODE__NODE_INSERT_STMT:
      return {readInsert(*node.insert_stmt)};
    case PG_QUERY__NODE__NODE_UPDATE_STMT:
      return {readUpdate(*node.update_stmt)};
    case PG_QUERY__NODE__NODE_DELETE_STMT:
      return {readDelete(*node.delete_stmt)};
    case PG_QUERY__NODE__NODE_MERGE_STMT:
      return {readMerge(*node.merge_stmt)};
    case PG_QUERY__NODE__NODE_TRUNCATE_STMT:
      return {readTruncate(*node.truncate_stmt)};
    case PG_QUERY__NODE__NODE_TRANSACTION_STMT:
      return {readTransaction(*node.transaction_stmt)};
    case PG_QUERY__NODE__NODE_CREATE_STMT:
      return {readCreateTable(*node.create_stmt)};
    case PG_QUERY__NODE__NODE_DROP_STMT:
      if (node.drop_stmt->remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_TABLE ||
          node.drop_stmt->remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_VIEW ||
          node.drop_stmt->remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW)
        return {readDropTable(*node.drop_stmt)};
      if (node.drop_stmt->remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_INDEX) return {readDropIndex(*node.drop_stmt)};
      if (node.drop_stmt->remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_SEQUENCE)
        return {readDropSequence(*node.drop_stmt)};
      if (node.drop_stmt->remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_SCHEMA) return {readDropSchema(*node.drop_stmt)};
      if (node.drop_stmt->remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_TYPE ||
          node.drop_stmt->remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_DOMAIN)
        return {readDropType(*node.drop_stmt)};
      if (isRoutineType(node.drop_stmt->remove_type) && isOwnWord(statement_position_))
        return {readExplainRoutine(*node.drop_stmt)};
      if (isRoutineType(node.drop_stmt->remove_type)) return {readDropRoutine(*node.drop_stmt)};
      if (node.drop_stmt->remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_TRIGGER)
        return {readDropTrigger(*node.drop_stmt)};
      if (node.drop_stmt->remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_EXTENSION)
        return {ast::DropExtension{textsOf(node.drop_stmt->n_objects, node.drop_stmt->objects),
                                   node.drop_stmt->missing_ok != 0,
                                   node.drop_stmt->behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE}};
      if (auto other = readDropOther(*node.drop_stmt)) return {std::move(*other)};
      break;
    case PG_QUERY__NODE__NODE_DROP_SUBSCRIPTION_STMT: {
      const PgQuery__DropSubscriptionStmt& subscription = *node.drop_subscription_stmt;
      ast::DropOther drop{.kind = ast::DropOther::Kind::Named,
                          .what = "subscription",
                          .objects = {},
                          .if_exists = subscription.missing_ok != 0};
      drop.objects.emplace_back().name.name = subscription.subname;
      return {std::move(drop)};
    }
    case PG_QUERY__NODE__NODE_CREATE_ENUM_STMT:
      return {readCreateEnum(*node.create_enum_stmt)};
    case PG_QUERY__NODE__NODE_COMPOSITE_TYPE_STMT:
      return {readCreateComposite(*node.composite_type_stmt)};
    case PG_QUERY__NODE__NODE_CREATE_DOMAIN_STMT:
      return {readCreateDomain(*node.create_domain_stmt)};
    case PG_QUERY__NODE__NODE_ALTER_ENUM_STMT:
      return {readAlterEnum(*node.alter_enum_stmt)};
    case PG_QUERY__NODE__NODE_ALTER_DOMAIN_STMT:
      return {readAlterDomain(*node.alter_domain_stmt)};
    case PG_QUERY__NODE__NODE_CALL_STMT:
      return {ast::Call{readFunction(*node.call_stmt->funccall)}};
    case PG_QUERY__NODE__NODE_DO_STMT:
      return {readDoBlock(*node.do_stmt)};
    case PG_QUERY__NODE__NODE_CREATE_FUNCTION_STMT:
      return {readCreateRoutine(*node.create_function_stmt)};
    case PG_QUERY__NODE__NODE_ALTER_FUNCTION_STMT:
      return {readAlterRoutine(*node.alter_function_stmt)};
    case PG_QUERY__NODE__NODE_CREATE_TRIG_STMT:
      return {readCreateTrigger(*node.create_trig_stmt)};
    case PG_QUERY__NODE__NODE_CREATE_SCHEMA_STMT:
      return {readCreateSchema(*node.create_schema_stmt)};
    case PG_QUERY__NODE__NODE_COMMENT_STMT:
      return {readComment(*node.comment_stmt)};
    case PG_QUERY__NODE__NODE_ALTER_OWNER_STMT:
      return readAlterOwner(*node.alter_owner_stmt);
    case PG_QUERY__NODE__NODE_ALTER_OBJECT_SCHEMA_STMT:
      if (isRoutineType(node.alter_object_schema_stmt->object_type))
        return {readMovedRoutine(node.alter_object_schema_stmt->object_type, *node.alter_object_schema_stmt->object, {},
                                 node.alter_object_schema_stmt->newschema)};
      return {readSetSchema(*node.alter_object_schema_stmt)};
    case PG_QUERY__NODE__NODE_VIEW_STMT:
      return {readCreateView(*node.view_stmt)};
    case PG_QUERY__NODE__NODE_REFRESH_MAT_VIEW_STMT:
      return {readRefreshView(*node.refresh_mat_view_stmt)};
    case PG_QUERY__NODE__NODE_CREATE_SEQ_STMT:
      return {readCreateSequence(*node.create_seq_stmt)};
    case PG_QUERY__NODE__NODE_ALTER_SEQ_STMT:
      return {readAlterSequence(*node.alter_seq_stmt)};
    case PG_QUERY__NODE__NODE_VACUUM_STMT:
      return {readVacuum(*node.vacuum_stmt)};
    case PG_QUERY__NODE__NODE_CHECK_POINT_STMT:
      return {ast::Checkpoint{}};
    case PG_QUERY__NODE__NODE_REINDEX_STMT:
      return {readReindex(*node.reindex_stmt)};
    case PG_QUERY__NODE__NODE_CREATE_EXTENSION_STMT:
      return {readCreateExtension(*node.create_extension_stmt)};
    case PG_QUERY__NODE__NODE_ALTER_TABLE_STMT:
      if (node.alter_table_stmt->objtype == PG_QUERY__OBJECT_TYPE__OBJECT_TYPE)
        return {readAlterComposite(*node.alter_table_stmt)};
      if (auto owner = readOwnerOfRelation(*node.alter_table_stmt)) return {std::move(*owner)};
      if (auto firing = readTriggerFiring(*node.alter_table_stmt)) return {std::move(*firing)};
      return {readAlterTable(*node.alter_table_stmt)};
    case PG_QUERY__NODE__NODE_RENAME_STMT:
      if (isRoutineType(node.rename_stmt->rename_type))
        return {
            readMovedRoutine(node.rename_stmt->rename_type, *node.rename_stmt->object, node.rename_stmt->newname, {})};
      if (node.rename_stmt->rename_type == PG_QUERY__OBJECT_TYPE__OBJECT_TYPE ||
          node.rename_stmt->rename_type == PG_QUERY__OBJECT_TYPE__OBJECT_DOMAIN ||
          node.rename_stmt->rename_type == PG_QUERY__OBJECT_TYPE__OBJECT_DOMCONSTRAINT ||
          node.rename_stmt->rename_type == PG_QUERY__OBJECT_TYPE__OBJECT_ATTRIBUTE)
        return readRenameType(*node.rename_stmt);
      return readRename(*node.rename_stmt);
    case PG_QUERY__NODE__NODE_INDEX_STMT:
      return {readCreateIndex(*node.index_stmt)};
    case PG_QUERY__NODE__NODE_COPY_STMT:
      return {readCopy(*node.copy_stmt)};
    case PG_QUERY__NODE__NODE_EXPLAIN_STMT:
      if (node.explain_stmt->query->node_case == PG_QUERY__NODE__NODE_EXECUTE_STMT)
        return {readExecute(*node.explain_stmt->query->execute_stmt, ast::Execute::Use::Explain)};
      return {readExplain(*node.explain_stmt)};
    case PG_QUERY__NODE__NODE_VARIABLE_SET_STMT:
      return readSet(*node.variable_set_stmt);
    case PG_QUERY__NODE__NODE_VARIABLE_SHOW_STMT:
      return {ast::Show{node.variable_show_stmt->name}};
    case PG_QUERY__NODE__NODE_PREPARE_STMT:
      return {readPrepare(*node.prepare_stmt)};
    case PG_QUERY__NODE__NODE_EXECUTE_STMT:
      return {readExecute(*node.execute_stmt, ast::Execute::Use::Run)};
    case PG_QUERY__NODE__NODE_DEALLOCATE_STMT:
      return {ast::Deallocate{node.deallocate_stmt->name}};
    case PG_QUERY__NODE__NODE_DECLARE_CURSOR_STMT:
      return {readDeclareCursor(*node.declare_cursor_stmt)};
    case PG_QUERY__NODE__NODE_FETCH_STMT:
      return {readFetch(*node.fetch_stmt)};
    case PG_QUERY__NODE__NODE_CLOSE_PORTAL_STMT:
      return {ast::CloseCursor{node.close_portal_stmt->portalname}};
    case PG_QUERY__NODE__NODE_DISCARD_STMT:
      return {readDiscard(*node.discard_stmt)};
    case PG_QUERY__NODE__NODE_LISTEN_STMT:
      return {ast::Listen{node.listen_stmt->conditionname}};
    case PG_QUERY__NODE__NODE_UNLISTEN_STMT:
      return {ast::Unlisten{node.unlisten_stmt->conditionname}};
    case PG_QUERY__NODE__NODE_NOTIFY_STMT:
      return {ast::Notify{node.notify_stmt->conditionname, node.notify_stmt->payload}};
    case PG_QUERY__NODE__NODE_CONSTRAINTS_SET_STMT:
      return {readSetConstraints(*node.constraints_set_stmt)};
    case PG_QUERY__NODE__NODE_CREATE_ROLE_STMT:
      return {readCreateRole(*node.create_role_stmt)};
    case PG_QUERY__NODE__NODE_ALTER_ROLE_STMT:
      return {readAlterRole(*node.alter_role_stmt)};
    case PG_QUERY__NODE__NODE_ALTER_ROLE_SET_STMT:
      return {readRoleSetting(*node.alter_role_set_stmt)};
    case PG_QUERY__NODE__NODE_DROP_ROLE_STMT:
      return {readDropRole(*node.drop_role_stmt)};
    case PG_QUERY__NODE__NODE_GRANT_ROLE_STMT:
      return {readGrantRole(*node.grant_role_stmt)};
    case PG_QUERY__NODE__NODE_GRANT_STMT:
      return {readGrant(*node.grant_stmt)};
    case PG_QUERY__NODE__NODE_ALTER_DEFAULT_PRIVILEGES_STMT:
      return {readDefaultPrivileges(*node.alter_default_privileges_stmt)};
    case PG_QUERY__NODE__NODE_REASSIGN_OWNED_STMT:
      return {readReassignOwned(*node.reassign_owned_stmt)};
    case PG_QUERY__NODE__NODE_DROP_OWNED_STMT:
      return {readDropOwned(*node.drop_owned_stmt)};
    case PG_QUERY__NODE__NODE_CREATEDB_STMT:
      return {ast::CreateDatabase{node.createdb_stmt->dbname,
                                  readDatabaseOptions(node.createdb_stmt->n_options, node.createdb_stmt->options)}};
    case PG_QUERY__NODE__NODE_ALTER_DATABASE_STMT:
      return {ast::AlterDatabase{
          node.alter_database_stmt->dbname,
          readDatabaseOptions(node.alter_database_stmt->n_options, node.alter_database_stmt->options)}};
    case PG_QUERY__NODE__NODE_ALTER_DATABASE_SET_STMT:
      return {readDatabaseSetting(*node.alter_database_set_stmt)};
    case PG_QUERY__NODE__NODE_DROPDB_STMT:
      return {readDropDatabase(*node.dropdb_stmt)};
    case PG_QUERY__NODE__NODE_LOCK_STMT:
      return {readLockTable(*node.lock_stmt)};
    default:
      break;
  }
  throwNotSupported(describeStatement(node), statement_position_);
}

std::vector<ast::ColumnName> TreeReader::readColumnNames(size_t count, PgQuery__Node* const* nodes) {
  std::vector<ast::ColumnName> names;
  for (size_t i = 0; i < count; ++i) {
    if (nodes[i]->node_case == PG_QUERY__NODE__NODE_STRING) {
      names.push_back({textOf(*nodes[i]), -1});
      continue;
    }
    const PgQuery__ResTarget& target = *nodes[i]->res_target;
    names.push_back({target.name, target.location});
  }
  return names;
}

/// Subscripts side by side are one step.
ast::TargetParts TreeReader::readTargetParts(const PgQuery__ResTarget& node) {
  ast::TargetParts parts;
  for (size_t i = 0; i < node.n_indirection;) {
    ast::TargetPart part;
    size_t end = i;
    while (end < node.n_indirection && node.indirection[end]->node_case == PG_QUERY__NODE__NODE_A_INDICES) ++end;
    if (end > i) {
      part.subscripts = readSubscripts(end - i, node.indirection + i, nullptr);
      part.subscripts->position = node.location;
      i = end;
    } else {
      part.is_star = node.indirection[i]->node_case == PG_QUERY__NODE__NODE_A_STAR;
      if (!part.is_star) part.field = textOf(*node.indirection[i]);
      ++i;
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

ast::Insert TreeReader::readInsert(const PgQuery__InsertStmt& node) {
  ast::Insert insert;
  insert.with = readWith(node.with_clause);
  if (node.override == PG_QUERY__OVERRIDING_KIND__OVERRIDING_USER_VALUE)
    insert.overriding = ast::Insert::Overriding::User;
  else if (node.override == PG_QUERY__OVERRIDING_KIND__OVERRIDING_SYSTEM_VALUE)
    insert.overriding = ast::Insert::Overriding::System;
  insert.relation = readRelation(*node.relation);
  insert.alias = readAlias(node.relation->alias).name;
  for (size_t i = 0; i < node.n_cols; ++i) {
    const PgQuery__ResTarget& target = *node.cols[i]->res_target;
    insert.columns.push_back({target.name, target.location});
    insert.parts.push_back(readTargetParts(target));
  }
  if (node.select_stmt != nullptr) insert.query = readQuery(*node.select_stmt->select_stmt);
  if (node.on_conflict_clause != nullptr) insert.on_conflict = readOnConflict(*node.on_conflict_clause);
  insert.returning = readSelectItems(node.n_returning_list, node.returning_list);
  return insert;
}

ast::OnConflict TreeReader::readOnConflict(const PgQuery__OnConflictClause& node) {
  ast::OnConflict conflict;
  conflict.is_update = node.action == PG_QUERY__ON_CONFLICT_ACTION__ONCONFLICT_UPDATE;
  conflict.position = node.location;
  if (node.infer != nullptr) {
    const PgQuery__InferClause& infer = *node.infer;
    conflict.has_target = true;
    conflict.target_position = infer.location;
    conflict.constraint = infer.conname;
    for (size_t i = 0; i < infer.n_index_elems; ++i) {
      const PgQuery__IndexElem& element = *infer.index_elems[i]->index_elem;
      if (element.ordering != PG_QUERY__SORT_BY_DIR__SORTBY_DEFAULT)
        throw SqlError(SqlState("42P10"), "ASC/DESC is not allowed in ON CONFLICT clause").position(infer.location);
      if (element.nulls_ordering != PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_DEFAULT)
        throw SqlError(SqlState("42P10"), "NULLS FIRST/LAST is not allowed in ON CONFLICT clause")
            .position(infer.location);
      conflict.elements.push_back(readIndexPart(element));
    }
    conflict.predicate = readExpression(infer.where_clause);
  }
  for (size_t i = 0; i < node.n_target_list; ++i)
    conflict.assignments.push_back(readAssignment(*node.target_list[i]->res_target));
  conflict.where = readExpression(node.where_clause);
  return conflict;
}

namespace {

/// `*`, `t.*` or `(row).*`.
bool isStar(const PgQuery__Node& node) {
  const bool is_column = node.node_case == PG_QUERY__NODE__NODE_COLUMN_REF;
  if (!is_column && node.node_case != PG_QUERY__NODE__NODE_A_INDIRECTION) return false;
  const size_t count = is_column ? node.column_ref->n_fields : node.a_indirection->n_indirection;
  PgQuery__Node* const* const parts = is_column ? node.column_ref->fields : node.a_indirection->indirection;
  return count > 0 && parts[count - 1]->node_case == PG_QUERY__NODE__NODE_A_STAR;
}

bool hasStar(const PgQuery__RowExpr& row) {
  return std::any_of(row.args, row.args + row.n_args, [](const PgQuery__Node* item) { return isStar(*item); });
}

}  // namespace

/// A column of SET (a, b) = ROW(...) takes its part of the row.
ast::Assignment TreeReader::readAssignment(const PgQuery__ResTarget& node) {
  ast::Assignment assignment;
  assignment.column = {node.name, node.location};
  assignment.parts = readTargetParts(node);
  const PgQuery__Node* value = node.val;
  if (value->node_case == PG_QUERY__NODE__NODE_MULTI_ASSIGN_REF) {
    const PgQuery__MultiAssignRef& part = *value->multi_assign_ref;
    const bool is_row = part.source->node_case == PG_QUERY__NODE__NODE_ROW_EXPR;
    const bool is_subquery = part.source->node_case == PG_QUERY__NODE__NODE_SUB_LINK;
    // Which columns a star stands for is not known here.
    if (is_subquery || (is_row && hasStar(*part.source->row_expr))) {
      assignment.row_width = static_cast<uint32_t>(part.ncolumns);
      assignment.row_part = static_cast<uint32_t>(part.colno - 1);
      if (assignment.row_part == 0) assignment.value = readExpression(part.source);
      return assignment;
    }
    if (!is_row)
      throw SqlError(sqlstate::kFeatureNotSupported,
                     "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression")
          .position(readExpression(part.source)->position);
    const PgQuery__RowExpr& row = *part.source->row_expr;
    if (row.n_args != static_cast<size_t>(part.ncolumns))
      throw SqlError(sqlstate::kSyntaxError, "number of columns does not match number of values")
          .position(row.location);
    value = row.args[part.colno - 1];
  }
  assignment.value = readExpression(value);
  return assignment;
}

namespace {

/// Of WHERE CURRENT OF; empty: it is another condition.
std::string cursorOf(const PgQuery__Node* where) {
  const bool is_current_of = where != nullptr && where->node_case == PG_QUERY__NODE__NODE_CURRENT_OF_EXPR;
  return is_current_of ? where->current_of_expr->cursor_name : "";
}

}  // namespace

ast::Update TreeReader::readUpdate(const PgQuery__UpdateStmt& node) {
  ast::Update update;
  update.with = readWith(node.with_clause);
  update.returning = readSelectItems(node.n_returning_list, node.returning_list);
  update.relation = readRelation(*node.relation);
  update.alias = readAlias(node.relation->alias);
  for (size_t i = 0; i < node.n_target_list; ++i)
    update.assignments.push_back(readAssignment(*node.target_list[i]->res_target));
  for (size_t i = 0; i < node.n_from_clause; ++i) update.from.push_back(readFromItem(*node.from_clause[i]));
  update.cursor = cursorOf(node.where_clause);
  if (update.cursor.empty()) update.where = readExpression(node.where_clause);
  return update;
}

ast::Delete TreeReader::readDelete(const PgQuery__DeleteStmt& node) {
  ast::Delete result;
  result.with = readWith(node.with_clause);
  result.returning = readSelectItems(node.n_returning_list, node.returning_list);
  result.relation = readRelation(*node.relation);
  result.alias = readAlias(node.relation->alias);
  for (size_t i = 0; i < node.n_using_clause; ++i) result.from.push_back(readFromItem(*node.using_clause[i]));
  result.cursor = cursorOf(node.where_clause);
  if (result.cursor.empty()) result.where = readExpression(node.where_clause);
  return result;
}

ast::Truncate TreeReader::readTruncate(const PgQuery__TruncateStmt& node) {
  ast::Truncate truncate;
  truncate.restarts_identity = node.restart_seqs != 0;
  truncate.is_cascade = node.behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE;
  for (size_t i = 0; i < node.n_relations; ++i)
    truncate.relations.push_back(readRelation(*node.relations[i]->range_var));
  return truncate;
}

ast::OnCommit TreeReader::readOnCommit(PgQuery__OnCommitAction action, const ast::RelationName& relation) {
  if (action == PG_QUERY__ON_COMMIT_ACTION__ONCOMMIT_NOOP) return ast::OnCommit::PreserveRows;
  const bool may_be_temporary = relation.is_temporary || relation.schema == "pg_temp";
  if (!may_be_temporary)
    throw SqlError(sqlstate::kInvalidTableDefinition, "ON COMMIT can only be used on temporary tables");
  if (action == PG_QUERY__ON_COMMIT_ACTION__ONCOMMIT_DELETE_ROWS) return ast::OnCommit::DeleteRows;
  return action == PG_QUERY__ON_COMMIT_ACTION__ONCOMMIT_DROP ? ast::OnCommit::Drop : ast::OnCommit::PreserveRows;
}

ast::CreateTableAs TreeReader::readCreateTableAs(const PgQuery__IntoClause& into, const PgQuery__SelectStmt& query) {
  if (into.access_method[0] != 0) throwNotSupported("CREATE TABLE ... USING", statement_position_);
  if (into.table_space_name[0] != 0) throwNotSupported("TABLESPACE", statement_position_);
  ast::CreateTableAs create;
  create.filling.relation = readRelation(*into.rel);
  create.filling.query = readQuery(query);
  for (size_t i = 0; i < into.n_col_names; ++i) create.columns.push_back(textOf(*into.col_names[i]));
  create.parameters = readOptions(into.n_options, into.options);
  create.has_data = !into.skip_data;
  create.is_unlogged = isUnlogged(*into.rel);
  create.on_commit = readOnCommit(into.on_commit, create.filling.relation);
  return create;
}

ast::CreateTable TreeReader::readCreateTable(const PgQuery__CreateStmt& node) {
  if (node.n_inh_relations > 0 && node.partbound == nullptr) throwNotSupported("INHERITS", statement_position_);
  if (node.of_typename != nullptr) throwNotSupported("CREATE TABLE ... OF", statement_position_);
  if (node.tablespacename[0] != 0) throwNotSupported("TABLESPACE", statement_position_);
  if (node.access_method[0] != 0) throwNotSupported("CREATE TABLE ... USING", statement_position_);
  ast::CreateTable create;
  create.relation = readRelation(*node.relation);
  if (node.partspec != nullptr) create.partition_by = readPartitionSpecification(*node.partspec);
  if (node.partbound != nullptr) {
    create.parent = readRelation(*node.inh_relations[0]->range_var);
    create.bound = readPartitionBound(*node.partbound);
  }
  create.on_commit = readOnCommit(node.oncommit, create.relation);
  create.is_unlogged = isUnlogged(*node.relation);
  create.if_not_exists = node.if_not_exists;
  create.parameters = readOptions(node.n_options, node.options);
  for (size_t i = 0; i < node.n_table_elts; ++i) {
    const PgQuery__Node& element = *node.table_elts[i];
    if (element.node_case == PG_QUERY__NODE__NODE_CONSTRAINT) {
      if (element.constraint->contype == PG_QUERY__CONSTR_TYPE__CONSTR_CHECK)
        create.constraints.checks.push_back(readCheck(*element.constraint));
      else if (element.constraint->contype == PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN)
        create.constraints.foreign_keys.push_back(readForeignKey(*element.constraint));
      else
        create.constraints.keys.push_back(readKey(*element.constraint));
      continue;
    }
    if (element.node_case == PG_QUERY__NODE__NODE_TABLE_LIKE_CLAUSE) {
      create.likes.push_back(readLike(*element.table_like_clause, create.columns.size()));
      continue;
    }
    create.columns.push_back(readColumnDefinition(*element.column_def, create.relation.name, create.constraints));
  }
  return create;
}

/// `place`: how many columns are written before it.
ast::TableLike TreeReader::readLike(const PgQuery__TableLikeClause& node, size_t place) {
  // PostgreSQL's TableLikeOption.
  constexpr uint32_t kComments = 1U << 0, kConstraints = 1U << 2, kDefaults = 1U << 3, kGenerated = 1U << 4,
                     kIdentity = 1U << 5, kIndexes = 1U << 6;
  const uint32_t options = node.options;
  ast::TableLike like{.relation = readRelation(*node.relation), .place = place};
  like.comments = (options & kComments) != 0;
  like.constraints = (options & kConstraints) != 0;
  like.defaults = (options & kDefaults) != 0;
  like.generated = (options & kGenerated) != 0;
  like.identity = (options & kIdentity) != 0;
  like.indexes = (options & kIndexes) != 0;
  return like;
}

ast::CreateIndex TreeReader::readCreateIndex(const PgQuery__IndexStmt& node) {
  const std::string_view method(node.access_method);
  if (method == "gist" || method == "spgist" || method == "brin")
    throwNotSupported(std::string("an index of type ").append(method), statement_position_);
  if (node.table_space[0] != 0) throwNotSupported("TABLESPACE", statement_position_);
  ast::CreateIndex create;
  create.name = node.idxname;
  create.relation = readRelation(*node.relation);
  create.is_unique = node.unique;
  create.nulls_are_equal = node.nulls_not_distinct;
  create.method = method;
  create.is_concurrent = node.concurrent;
  create.parameters = readOptions(node.n_options, node.options);
  for (size_t i = 0; i < node.n_index_including_params; ++i)
    create.included.push_back(readIndexPart(*node.index_including_params[i]->index_elem));
  create.if_not_exists = node.if_not_exists;
  create.where = readExpression(node.where_clause);
  if (create.where) create.where_text = deparseExpression(*node.where_clause);
  for (size_t i = 0; i < node.n_index_params; ++i)
    create.parts.push_back(readIndexPart(*node.index_params[i]->index_elem));
  return create;
}

ast::IndexPart TreeReader::readIndexPart(const PgQuery__IndexElem& node) {
  if (node.n_opclassopts > 0) throwNotSupported("parameters of an operator class", statement_position_);
  ast::IndexPart part;
  if (node.n_opclass > 0) part.operator_class = textOf(*node.opclass[node.n_opclass - 1]);
  part.has_order = node.ordering != PG_QUERY__SORT_BY_DIR__SORTBY_DEFAULT;
  part.has_nulls_order = node.nulls_ordering != PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_DEFAULT;
  part.column = node.name;
  part.collation = textsOf(node.n_collation, node.collation);
  part.expression = readExpression(node.expr);
  if (part.expression) part.expression_text = deparseExpression(*node.expr);
  part.descending = node.ordering == PG_QUERY__SORT_BY_DIR__SORTBY_DESC;
  part.nulls_first = node.nulls_ordering == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_DEFAULT
                         ? part.descending
                         : node.nulls_ordering == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST;
  return part;
}

ast::RelationName relationNamed(size_t count, PgQuery__Node* const* names) {
  const std::vector<std::string> parts = textsOf(count, names);
  const auto own = withoutDatabase(parts, NameKind::Relation);
  ast::RelationName relation;
  if (own.size() == 2) relation.schema = own[0];
  relation.name = own.back();
  return relation;
}

std::vector<ast::RelationName> TreeReader::readDroppedNames(const PgQuery__DropStmt& node) {
  std::vector<ast::RelationName> result;
  for (size_t i = 0; i < node.n_objects; ++i) {
    const PgQuery__List& names = *node.objects[i]->list;
    result.push_back(relationNamed(names.n_items, names.items));
  }
  return result;
}

ast::DropTable TreeReader::readDropTable(const PgQuery__DropStmt& node) {
  return {readDroppedNames(node), node.missing_ok != 0, node.behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE,
          node.remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_VIEW,
          node.remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW};
}

ast::DropIndex TreeReader::readDropIndex(const PgQuery__DropStmt& node) {
  return {readDroppedNames(node), node.missing_ok != 0, node.behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE,
          node.concurrent != 0};
}

std::vector<ast::Option> TreeReader::readOptions(size_t count, PgQuery__Node* const* nodes) {
  std::vector<ast::Option> options;
  for (size_t i = 0; i < count; ++i) {
    const PgQuery__DefElem& element = *nodes[i]->def_elem;
    ast::Option option;
    option.name =
        element.defnamespace[0] == 0 ? element.defname : std::string(element.defnamespace) + "." + element.defname;
    option.position = element.location;
    readOptionValue(element.arg, option);
    options.push_back(std::move(option));
  }
  return options;
}

ast::Copy TreeReader::readCopy(const PgQuery__CopyStmt& node) {
  if (node.is_program) throwNotSupported("COPY ... PROGRAM", statement_position_);
  ast::Copy copy;
  copy.is_from = node.is_from;
  copy.file = node.filename;
  copy.where = readExpression(node.where_clause);
  if (node.relation != nullptr) copy.relation = readRelation(*node.relation);
  if (node.query != nullptr) {
    copy.query = std::make_unique<ast::Statement>(readStatement(*node.query));
  }
  copy.columns = readColumnNames(node.n_attlist, node.attlist);
  copy.options = readOptions(node.n_options, node.options);
  return copy;
}

ast::Explain TreeReader::readExplain(const PgQuery__ExplainStmt& node) {
  ast::Explain explain;
  explain.options = readOptions(node.n_options, node.options);
  explain.statement = std::make_unique<ast::Statement>(readStatement(*node.query));
  return explain;
}

ast::Statement TreeReader::readSet(const PgQuery__VariableSetStmt& node) {
  ast::Set set;
  set.name = node.name;
  set.is_local = node.is_local != 0;
  switch (node.kind) {
    case PG_QUERY__VARIABLE_SET_KIND__VAR_SET_VALUE:
      break;
    case PG_QUERY__VARIABLE_SET_KIND__VAR_SET_DEFAULT:
      return {std::move(set)};
    case PG_QUERY__VARIABLE_SET_KIND__VAR_RESET:
      set.is_reset = true;
      return {std::move(set)};
    case PG_QUERY__VARIABLE_SET_KIND__VAR_RESET_ALL:
      set.is_reset = set.reset_all = true;
      return {std::move(set)};
    case PG_QUERY__VARIABLE_SET_KIND__VAR_SET_MULTI:
      if (set.name == "TRANSACTION" || set.name == "SESSION CHARACTERISTICS")
        return {ast::SetTransaction{readTransactionModes(node.n_args, node.args), set.name != "TRANSACTION"}};
      throwNotSupported("SET " + set.name, statement_position_);
    default:
      set.is_current = true;
      return {std::move(set)};
  }
  if (node.n_args > 1 && CustomSettings::hasDot(set.name))
    throw SqlError(sqlstate::kInvalidParameterValue, fmt::format("SET {} takes only one argument", set.name));
  // A list of names, each of which is as it is said.
  const bool is_list = set.name == "search_path";
  std::string value;
  for (size_t i = 0; i < node.n_args; ++i) {
    if (i > 0) value += ", ";
    value += is_list ? quotedIdentifier(settingValue(*node.args[i])) : settingValue(*node.args[i]);
  }
  set.value = std::move(value);
  return {std::move(set)};
}

}  // namespace gnomon::sql
