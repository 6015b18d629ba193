#include "base/sql_error.h"
#include "sql/parse/tree_reader.h"

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
    default:
      option.is_list = true;
  }
}

/// One value of SET as text.
std::string settingValue(const PgQuery__Node& node) {
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

std::string_view constraintName(PgQuery__ConstrType type) {
  switch (type) {
    case PG_QUERY__CONSTR_TYPE__CONSTR_EXCLUSION:
      return "EXCLUDE constraints";
    case PG_QUERY__CONSTR_TYPE__CONSTR_GENERATED:
      return "generated columns";
    default:
      return "deferrable constraints";
  }
}

/// The words that qualify the constraint before them; empty: it is a constraint.
std::string_view attributeName(PgQuery__ConstrType type) {
  switch (type) {
    case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_DEFERRABLE:
      return "DEFERRABLE";
    case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_NOT_DEFERRABLE:
      return "NOT DEFERRABLE";
    case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_DEFERRED:
      return "INITIALLY DEFERRED";
    case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_IMMEDIATE:
      return "INITIALLY IMMEDIATE";
    default:
      return {};
  }
}
bool isDeferrable(PgQuery__ConstrType type) {
  return type == PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY || type == PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE ||
         type == PG_QUERY__CONSTR_TYPE__CONSTR_EXCLUSION || type == PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN;
}

ReferentialAction referentialAction(const char* code) {
  switch (code[0]) {
    case 'r':
      return ReferentialAction::Restrict;
    case 'c':
      return ReferentialAction::Cascade;
    case 'n':
      return ReferentialAction::SetNull;
    case 'd':
      return ReferentialAction::SetDefault;
    default:
      return ReferentialAction::NoAction;
  }
}

std::vector<std::string> textsOf(size_t count, PgQuery__Node* const* nodes) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < count; ++i) texts.push_back(textOf(*nodes[i]));
  return texts;
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
      if (create.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW) break;
      if (create.query->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
        throwNotSupported("CREATE TABLE ... AS EXECUTE", statement_position_);
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
    case PG_QUERY__NODE__NODE_TRUNCATE_STMT:
      return {readTruncate(*node.truncate_stmt)};
    case PG_QUERY__NODE__NODE_TRANSACTION_STMT:
      return {readTransaction(*node.transaction_stmt)};
    case PG_QUERY__NODE__NODE_CREATE_STMT:
      return {readCreateTable(*node.create_stmt)};
    case PG_QUERY__NODE__NODE_DROP_STMT:
      if (node.drop_stmt->remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_TABLE ||
          node.drop_stmt->remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_VIEW)
        return {readDropTable(*node.drop_stmt)};
      if (node.drop_stmt->remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_INDEX) return {readDropIndex(*node.drop_stmt)};
      if (node.drop_stmt->remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_SEQUENCE)
        return {readDropSequence(*node.drop_stmt)};
      break;
    case PG_QUERY__NODE__NODE_VIEW_STMT:
      return {readCreateView(*node.view_stmt)};
    case PG_QUERY__NODE__NODE_CREATE_SEQ_STMT:
      return {readCreateSequence(*node.create_seq_stmt)};
    case PG_QUERY__NODE__NODE_ALTER_SEQ_STMT:
      return {readAlterSequence(*node.alter_seq_stmt)};
    case PG_QUERY__NODE__NODE_VACUUM_STMT:
      return {readVacuum(*node.vacuum_stmt)};
    case PG_QUERY__NODE__NODE_CHECK_POINT_STMT:
      return {ast::Checkpoint{}};
    case PG_QUERY__NODE__NODE_ALTER_TABLE_STMT:
      return {readAlterTable(*node.alter_table_stmt)};
    case PG_QUERY__NODE__NODE_RENAME_STMT:
      return {readRename(*node.rename_stmt)};
    case PG_QUERY__NODE__NODE_INDEX_STMT:
      return {readCreateIndex(*node.index_stmt)};
    case PG_QUERY__NODE__NODE_COPY_STMT:
      return {readCopy(*node.copy_stmt)};
    case PG_QUERY__NODE__NODE_EXPLAIN_STMT:
      return {readExplain(*node.explain_stmt)};
    case PG_QUERY__NODE__NODE_VARIABLE_SET_STMT:
      return readSet(*node.variable_set_stmt);
    case PG_QUERY__NODE__NODE_VARIABLE_SHOW_STMT:
      return {ast::Show{node.variable_show_stmt->name}};
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
    if (target.n_indirection > 0) throwNotSupported("subscripts", target.location);
    names.push_back({target.name, target.location});
  }
  return names;
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
  insert.columns = readColumnNames(node.n_cols, node.cols);
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

/// A column of SET (a, b) = ROW(...) takes its part of the row.
ast::Assignment TreeReader::readAssignment(const PgQuery__ResTarget& node) {
  ast::Assignment assignment{{node.name, node.location}, nullptr, false, nullptr};
  for (size_t i = 0; i < node.n_indirection; ++i)
    assignment.is_field = assignment.is_field || node.indirection[i]->node_case != PG_QUERY__NODE__NODE_A_INDICES;
  if (node.n_indirection > 0 && !assignment.is_field) {
    assignment.part = readSubscripts(node.n_indirection, node.indirection, nullptr);
    assignment.part->position = node.location;
  }
  const PgQuery__Node* value = node.val;
  if (value->node_case == PG_QUERY__NODE__NODE_MULTI_ASSIGN_REF) {
    const PgQuery__MultiAssignRef& part = *value->multi_assign_ref;
    if (part.source->node_case == PG_QUERY__NODE__NODE_SUB_LINK) {
      assignment.row_width = static_cast<uint32_t>(part.ncolumns);
      assignment.row_part = static_cast<uint32_t>(part.colno - 1);
      if (assignment.row_part == 0) assignment.value = readExpression(part.source);
      return assignment;
    }
    if (part.source->node_case != PG_QUERY__NODE__NODE_ROW_EXPR)
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

ast::Update TreeReader::readUpdate(const PgQuery__UpdateStmt& node) {
  if (node.where_clause != nullptr && node.where_clause->node_case == PG_QUERY__NODE__NODE_CURRENT_OF_EXPR)
    throwNotSupported("WHERE CURRENT OF", statement_position_);
  ast::Update update;
  update.with = readWith(node.with_clause);
  update.returning = readSelectItems(node.n_returning_list, node.returning_list);
  update.relation = readRelation(*node.relation);
  update.alias = readAlias(node.relation->alias);
  for (size_t i = 0; i < node.n_target_list; ++i)
    update.assignments.push_back(readAssignment(*node.target_list[i]->res_target));
  for (size_t i = 0; i < node.n_from_clause; ++i) update.from.push_back(readFromItem(*node.from_clause[i]));
  update.where = readExpression(node.where_clause);
  return update;
}

ast::Delete TreeReader::readDelete(const PgQuery__DeleteStmt& node) {
  if (node.where_clause != nullptr && node.where_clause->node_case == PG_QUERY__NODE__NODE_CURRENT_OF_EXPR)
    throwNotSupported("WHERE CURRENT OF", statement_position_);
  ast::Delete result;
  result.with = readWith(node.with_clause);
  result.returning = readSelectItems(node.n_returning_list, node.returning_list);
  result.relation = readRelation(*node.relation);
  result.alias = readAlias(node.relation->alias);
  for (size_t i = 0; i < node.n_using_clause; ++i) result.from.push_back(readFromItem(*node.using_clause[i]));
  result.where = readExpression(node.where_clause);
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

void TreeReader::requirePlainTable(const PgQuery__RangeVar& relation) const {
  if (std::string_view(relation.relpersistence) == "t")
    throwNotSupported("CREATE TEMPORARY TABLE", statement_position_);
  if (std::string_view(relation.relpersistence) == "u") throwNotSupported("CREATE UNLOGGED TABLE", statement_position_);
}

ast::CreateTableAs TreeReader::readCreateTableAs(const PgQuery__IntoClause& into, const PgQuery__SelectStmt& query) {
  requirePlainTable(*into.rel);
  if (into.access_method[0] != 0) throwNotSupported("CREATE TABLE ... USING", statement_position_);
  if (into.table_space_name[0] != 0) throwNotSupported("TABLESPACE", statement_position_);
  ast::CreateTableAs create;
  create.filling.relation = readRelation(*into.rel);
  create.filling.query = readQuery(query);
  for (size_t i = 0; i < into.n_col_names; ++i) create.columns.push_back(textOf(*into.col_names[i]));
  create.parameters = readOptions(into.n_options, into.options);
  create.has_data = !into.skip_data;
  return create;
}

ast::CreateTable TreeReader::readCreateTable(const PgQuery__CreateStmt& node) {
  requirePlainTable(*node.relation);
  if (node.partbound != nullptr || node.partspec != nullptr)
    throwNotSupported("partitioned tables", statement_position_);
  if (node.n_inh_relations > 0) throwNotSupported("INHERITS", statement_position_);
  if (node.of_typename != nullptr) throwNotSupported("CREATE TABLE ... OF", statement_position_);
  if (node.tablespacename[0] != 0) throwNotSupported("TABLESPACE", statement_position_);
  if (node.access_method[0] != 0) throwNotSupported("CREATE TABLE ... USING", statement_position_);
  ast::CreateTable create;
  create.relation = readRelation(*node.relation);
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
    if (element.node_case == PG_QUERY__NODE__NODE_TABLE_LIKE_CLAUSE)
      throwNotSupported("CREATE TABLE ... LIKE", element.table_like_clause->relation->location);
    create.columns.push_back(readColumnDefinition(*element.column_def, create.relation.name, create.constraints));
  }
  return create;
}

ast::KeyConstraint TreeReader::readKey(const PgQuery__Constraint& node) {
  const bool is_primary = node.contype == PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY;
  if (!is_primary && node.contype != PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE)
    throwNotSupported(constraintName(node.contype), node.location);
  if (node.deferrable || node.initdeferred) throwNotSupported("deferrable constraints", node.location);
  if (node.n_including > 0) throwNotSupported("INCLUDE", node.location);
  if (node.n_options > 0) throwNotSupported("WITH of a constraint's index", node.location);
  if (node.indexname[0] != 0) throwNotSupported("USING INDEX", node.location);
  if (node.indexspace[0] != 0) throwNotSupported("TABLESPACE", node.location);
  if (node.nulls_not_distinct) throwNotSupported("NULLS NOT DISTINCT", node.location);
  ast::KeyConstraint key{node.conname, {}, is_primary, node.location};
  for (size_t i = 0; i < node.n_keys; ++i) key.columns.push_back(textOf(*node.keys[i]));
  return key;
}

ast::CheckConstraint TreeReader::readCheck(const PgQuery__Constraint& node) {
  if (node.is_no_inherit) throwNotSupported("NO INHERIT", node.location);
  ast::CheckConstraint check;
  check.name = node.conname;
  in_check_ = true;
  check.expression = readExpression(node.raw_expr);
  in_check_ = false;
  check.expression_text = deparseExpression(*node.raw_expr);
  check.is_not_valid = node.skip_validation;
  return check;
}

ast::ForeignKey TreeReader::readForeignKey(const PgQuery__Constraint& node) {
  if (node.deferrable || node.initdeferred) throwNotSupported("deferrable constraints", node.location);
  ast::ForeignKey key;
  key.name = node.conname;
  key.columns = textsOf(node.n_fk_attrs, node.fk_attrs);
  key.parent = readRelation(*node.pktable);
  key.parent_columns = textsOf(node.n_pk_attrs, node.pk_attrs);
  key.on_delete = referentialAction(node.fk_del_action);
  key.on_update = referentialAction(node.fk_upd_action);
  key.set_columns = textsOf(node.n_fk_del_set_cols, node.fk_del_set_cols);
  key.is_full = node.fk_matchtype[0] == 'f';
  key.is_not_valid = node.skip_validation;
  return key;
}

ast::ColumnDefinition TreeReader::readColumnDefinition(const PgQuery__ColumnDef& node, const std::string& table,
                                                       ast::Constraints& constraints) {
  ast::ColumnDefinition column;
  column.name = node.colname;
  column.position = node.location;
  column.type = readType(*node.type_name);
  if (node.coll_clause != nullptr) throwNotSupported("COLLATE", node.coll_clause->location);
  if (node.compression[0] != 0) throwNotSupported("COMPRESSION", node.location);
  bool may_be_deferrable = false;
  for (size_t i = 0; i < node.n_constraints; ++i) {
    const PgQuery__Constraint& constraint = *node.constraints[i]->constraint;
    const std::string_view attribute = attributeName(constraint.contype);
    if (attribute.empty())
      may_be_deferrable = isDeferrable(constraint.contype);
    else if (!may_be_deferrable)
      throw SqlError(sqlstate::kSyntaxError, "misplaced " + std::string(attribute) + " clause")
          .position(constraint.location);
    readColumnConstraint(constraint, table, column, constraints);
    if (column.identity && column.default_value)
      throw SqlError(sqlstate::kSyntaxError, "both default and identity specified for column \"" + column.name +
                                                 "\" of table \"" + table + "\"")
          .position(constraint.location);
  }
  return column;
}

void TreeReader::readColumnConstraint(const PgQuery__Constraint& node, const std::string& table,
                                      ast::ColumnDefinition& column, ast::Constraints& constraints) {
  switch (node.contype) {
    case PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY:
    case PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE:
      constraints.keys.push_back(readKey(node));
      constraints.keys.back().columns = {column.name};
      return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_CHECK:
      constraints.checks.push_back(readCheck(node));
      return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN:
      constraints.foreign_keys.push_back(readForeignKey(node));
      constraints.foreign_keys.back().columns = {column.name};
      return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_NULL:
    case PG_QUERY__CONSTR_TYPE__CONSTR_NOTNULL:
      (node.contype == PG_QUERY__CONSTR_TYPE__CONSTR_NULL ? column.nullable_stated : column.not_null) = true;
      if (column.not_null && column.nullable_stated)
        throw SqlError(sqlstate::kSyntaxError, "conflicting NULL/NOT NULL declarations for column \"" + column.name +
                                                   "\" of table \"" + table + "\"")
            .position(node.location);
      return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_DEFAULT:
      if (column.default_value)
        throw SqlError(sqlstate::kSyntaxError, "multiple default values specified for column \"" + column.name +
                                                   "\" of table \"" + table + "\"")
            .position(node.location);
      column.default_value = readExpression(node.raw_expr);
      column.default_text = deparseExpression(*node.raw_expr);
      return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_IDENTITY:
      if (column.identity)
        throw SqlError(sqlstate::kSyntaxError,
                       "multiple identity specifications for column \"" + column.name + "\" of table \"" + table + "\"")
            .position(node.location);
      column.identity = readIdentity(node);
      if (column.nullable_stated)
        throw SqlError(sqlstate::kSyntaxError, "conflicting NULL/NOT NULL declarations for column \"" + column.name +
                                                   "\" of table \"" + table + "\"")
            .position(node.location);
      column.not_null = true;
      return;
    default:
      throwNotSupported(constraintName(node.contype), node.location);
  }
}

ast::CreateIndex TreeReader::readCreateIndex(const PgQuery__IndexStmt& node) {
  if (node.concurrent) throwNotSupported("CREATE INDEX CONCURRENTLY", statement_position_);
  if (std::string_view(node.access_method) != "btree")
    throwNotSupported(std::string("an index of type ") + node.access_method, statement_position_);
  if (node.n_index_including_params > 0) throwNotSupported("INCLUDE", statement_position_);
  if (node.n_options > 0) throwNotSupported("CREATE INDEX ... WITH", node.options[0]->def_elem->location);
  if (node.table_space[0] != 0) throwNotSupported("TABLESPACE", statement_position_);
  if (node.nulls_not_distinct) throwNotSupported("NULLS NOT DISTINCT", statement_position_);
  ast::CreateIndex create;
  create.name = node.idxname;
  create.relation = readRelation(*node.relation);
  create.is_unique = node.unique;
  create.if_not_exists = node.if_not_exists;
  create.where = readExpression(node.where_clause);
  if (create.where) create.where_text = deparseExpression(*node.where_clause);
  for (size_t i = 0; i < node.n_index_params; ++i)
    create.parts.push_back(readIndexPart(*node.index_params[i]->index_elem));
  return create;
}

ast::IndexPart TreeReader::readIndexPart(const PgQuery__IndexElem& node) {
  if (node.n_collation > 0) throwNotSupported("COLLATE", statement_position_);
  if (node.n_opclass > 0) throwNotSupported("an operator class", statement_position_);
  ast::IndexPart part;
  part.column = node.name;
  part.expression = readExpression(node.expr);
  if (part.expression) part.expression_text = deparseExpression(*node.expr);
  part.descending = node.ordering == PG_QUERY__SORT_BY_DIR__SORTBY_DESC;
  part.nulls_first = node.nulls_ordering == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_DEFAULT
                         ? part.descending
                         : node.nulls_ordering == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST;
  return part;
}

std::vector<ast::RelationName> TreeReader::readDroppedNames(const PgQuery__DropStmt& node) {
  std::vector<ast::RelationName> result;
  for (size_t i = 0; i < node.n_objects; ++i) {
    const PgQuery__List& names = *node.objects[i]->list;
    if (names.n_items > 2) throwNotSupported("relations of other databases", statement_position_);
    ast::RelationName relation;
    if (names.n_items == 2) relation.schema = textOf(*names.items[0]);
    relation.name = textOf(*names.items[names.n_items - 1]);
    result.push_back(std::move(relation));
  }
  return result;
}

ast::DropTable TreeReader::readDropTable(const PgQuery__DropStmt& node) {
  return {readDroppedNames(node), node.missing_ok != 0, node.behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE,
          node.remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_VIEW};
}

ast::CreateView TreeReader::readCreateView(const PgQuery__ViewStmt& node) {
  if (std::string_view(node.view->relpersistence) == "t")
    throwNotSupported("CREATE TEMPORARY VIEW", statement_position_);
  if (node.n_options > 0) throwNotSupported("options of views", statement_position_);
  if (node.with_check_option != PG_QUERY__VIEW_CHECK_OPTION__NO_CHECK_OPTION)
    throwNotSupported("WITH CHECK OPTION", statement_position_);
  ast::CreateView create;
  create.relation = readRelation(*node.view);
  for (size_t i = 0; i < node.n_aliases; ++i) create.columns.push_back(textOf(*node.aliases[i]));
  create.query = readQuery(*node.query->select_stmt);
  create.text = deparseQuery(*node.query);
  create.is_replacing = node.replace != 0;
  return create;
}

ast::DropIndex TreeReader::readDropIndex(const PgQuery__DropStmt& node) {
  if (node.concurrent) throwNotSupported("DROP INDEX CONCURRENTLY", statement_position_);
  return {readDroppedNames(node), node.missing_ok != 0, node.behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE};
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

ast::Vacuum TreeReader::readVacuum(const PgQuery__VacuumStmt& node) {
  ast::Vacuum vacuum;
  vacuum.is_vacuum = node.is_vacuumcmd != 0;
  vacuum.options = readOptions(node.n_options, node.options);
  for (size_t i = 0; i < node.n_rels; ++i) {
    const PgQuery__VacuumRelation& relation = *node.rels[i]->vacuum_relation;
    vacuum.has_columns = vacuum.has_columns || relation.n_va_cols > 0;
    vacuum.relations.push_back(readRelation(*relation.relation));
  }
  return vacuum;
}

ast::Copy TreeReader::readCopy(const PgQuery__CopyStmt& node) {
  if (node.is_program) throwNotSupported("COPY ... PROGRAM", statement_position_);
  if (node.filename[0] != 0) throwNotSupported("COPY with a file on the server", statement_position_);
  if (node.where_clause != nullptr) throwNotSupported("COPY ... WHERE", statement_position_);
  ast::Copy copy;
  copy.is_from = node.is_from;
  if (node.relation != nullptr) copy.relation = readRelation(*node.relation);
  if (node.query != nullptr) {
    if (node.query->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
      throwNotSupported("COPY (" + describeStatement(*node.query) + ")", statement_position_);
    copy.query = readQuery(*node.query->select_stmt);
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
      throwNotSupported("SET ... FROM CURRENT", statement_position_);
  }
  std::string value;
  for (size_t i = 0; i < node.n_args; ++i) {
    if (i > 0) value += ", ";
    value += settingValue(*node.args[i]);
  }
  set.value = std::move(value);
  return {std::move(set)};
}

}  // namespace gnomon::sql
