#include "base/sql_error.h"
#include "sql/catalog/own_database.h"
#include "sql/parse/ast_statement.h"
#include "sql/parse/tree_reader.h"

namespace gnomon::sql {

ast::CreateSchema TreeReader::readCreateSchema(const PgQuery__CreateSchemaStmt& node) {
  ast::CreateSchema create;
  create.name = node.schemaname;
  if (node.authrole != nullptr) create.owner = readRoleName(*node.authrole);
  create.if_not_exists = node.if_not_exists != 0;
  for (size_t i = 0; i < node.n_schema_elts; ++i)
    create.elements.push_back(std::make_shared<ast::Statement>(readStatement(*node.schema_elts[i])));
  return create;
}

ast::DropSchema TreeReader::readDropSchema(const PgQuery__DropStmt& node) {
  ast::DropSchema drop;
  for (size_t i = 0; i < node.n_objects; ++i) drop.names.push_back(textOf(*node.objects[i]));
  drop.if_exists = node.missing_ok != 0;
  drop.is_cascade = node.behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE;
  return drop;
}

ast::Comment TreeReader::readComment(const PgQuery__CommentStmt& node) {
  using What = ast::Comment::What;
  ast::Comment result;
  result.comment = node.comment;
  if (node.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_SCHEMA) {
    result.what = What::Schema;
    result.name = textOf(*node.object);
    return result;
  }
  if (node.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_DATABASE) {
    result.what = What::Database;
    result.name = textOf(*node.object);
    return result;
  }
  if (node.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_EXTENSION) {
    result.what = What::Extension;
    result.name = textOf(*node.object);
    return result;
  }
  if (node.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_LARGEOBJECT) {
    result.what = What::LargeObject;
    result.large_object = readOid(*node.object);
    return result;
  }
  if (isRoutineType(node.objtype)) {
    const ast::AlterRoutine named = readMovedRoutine(node.objtype, *node.object, {}, {});
    result.what = What::Routine;
    result.routine = named.name;
    result.routine_kind = named.kind;
    return result;
  }
  switch (node.objtype) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABLE:
      break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_VIEW:
      result.what = What::View;
      break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW:
      result.what = What::MaterializedView;
      break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_SEQUENCE:
      result.what = What::Sequence;
      break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_INDEX:
      result.what = What::Index;
      break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_COLUMN:
      result.what = What::Column;
      break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABCONSTRAINT:
      result.what = What::Constraint;
      break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_TRIGGER:
      result.what = What::Trigger;
      break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_TYPE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_DOMAIN:
      result.what = node.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_TYPE ? What::Type : What::Domain;
      result.relation = readTypeNameList(node.object->type_name->n_names, node.object->type_name->names);
      return result;
    case PG_QUERY__OBJECT_TYPE__OBJECT_DOMCONSTRAINT: {
      const PgQuery__TypeName& domain = *node.object->list->items[0]->type_name;
      result.what = What::DomainConstraint;
      result.relation = readTypeNameList(domain.n_names, domain.names);
      result.name = textOf(*node.object->list->items[1]);
      return result;
    }
    default:
      throwNotSupported("COMMENT ON this kind of object", statement_position_);
  }
  const PgQuery__List& names = *node.object->list;
  size_t count = names.n_items;
  if (result.what == What::Column || result.what == What::Constraint || result.what == What::Trigger)
    result.name = textOf(*names.items[--count]);
  if (count == 0) throw SqlError(sqlstate::kSyntaxError, "column name must be qualified");
  const std::vector<std::string> parts = textsOf(count, names.items);
  const auto own = withoutDatabase(parts, NameKind::Relation);
  result.relation.name = own.back();
  if (own.size() == 2) result.relation.schema = own[0];
  return result;
}

ast::Move TreeReader::readSetSchema(const PgQuery__AlterObjectSchemaStmt& node) {
  ast::Move move;
  switch (node.object_type) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABLE:
      move.kind = ast::Move::Kind::Table;
      break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_VIEW:
      move.kind = ast::Move::Kind::View;
      break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_SEQUENCE:
      move.kind = ast::Move::Kind::Sequence;
      break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW:
      move.kind = ast::Move::Kind::MaterializedView;
      break;
    default:
      throwNotSupported("ALTER ... SET SCHEMA of something else than a table, view or sequence", statement_position_);
  }
  move.relation = readRelation(*node.relation);
  move.new_schema = node.newschema;
  move.if_exists = node.missing_ok != 0;
  return move;
}

ast::Statement TreeReader::readRename(const PgQuery__RenameStmt& node) {
  using What = ast::Rename::What;
  const auto rename = [&](What what) {
    return ast::Rename{readRelation(*node.relation), what, node.subname, node.newname, node.missing_ok != 0};
  };
  const auto move = [&](ast::Move::Kind kind) {
    return ast::Move{readRelation(*node.relation), kind, {}, node.newname, node.missing_ok != 0};
  };
  switch (node.rename_type) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABLE:
      return {rename(What::Table)};
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABCONSTRAINT:
      return {rename(What::Constraint)};
    case PG_QUERY__OBJECT_TYPE__OBJECT_SEQUENCE:
      return {rename(What::Sequence)};
    case PG_QUERY__OBJECT_TYPE__OBJECT_COLUMN:
      if (node.relation_type == PG_QUERY__OBJECT_TYPE__OBJECT_TABLE) return {rename(What::Column)};
      if (node.relation_type != PG_QUERY__OBJECT_TYPE__OBJECT_VIEW &&
          node.relation_type != PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW)
        break;
      {
        ast::Rename of_view = rename(What::Column);
        of_view.of = node.relation_type == PG_QUERY__OBJECT_TYPE__OBJECT_VIEW ? ast::Rename::Of::View
                                                                              : ast::Rename::Of::MaterializedView;
        return {std::move(of_view)};
      }
    case PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW:
      return {move(ast::Move::Kind::MaterializedView)};
    case PG_QUERY__OBJECT_TYPE__OBJECT_VIEW:
      return {move(ast::Move::Kind::View)};
    case PG_QUERY__OBJECT_TYPE__OBJECT_INDEX:
      return {move(ast::Move::Kind::Index)};
    case PG_QUERY__OBJECT_TYPE__OBJECT_SCHEMA:
      return {ast::AlterSchema{node.subname, node.newname, {}}};
    case PG_QUERY__OBJECT_TYPE__OBJECT_DATABASE:
      return {ast::RenameDatabase{node.subname, node.newname}};
    case PG_QUERY__OBJECT_TYPE__OBJECT_TRIGGER:
      return {ast::RenameTrigger{readRelation(*node.relation), node.subname, node.newname}};
    case PG_QUERY__OBJECT_TYPE__OBJECT_ROLE:
      return {ast::RenameRole{node.subname, node.newname}};
    default:
      break;
  }
  throwNotSupported(
      "ALTER ... RENAME of something else than a schema, table, its column or constraint, index, view or sequence",
      statement_position_);
}

}  // namespace gnomon::sql
