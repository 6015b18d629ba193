#include "base/sql_error.h"
#include "sql/catalog/own_database.h"
#include "sql/parse/ast_statement.h"
#include "sql/parse/tree_reader.h"

namespace gnomon::sql {
namespace {

using Kind = ast::AlterDomain::Kind;

ast::RelationName nameOf(const PgQuery__RangeVar& relation) {
  return {relation.schemaname, relation.relname, relation.location};
}

bool isCascade(PgQuery__DropBehavior behavior) {
  return behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE;
}

}  // namespace

ast::RelationName TreeReader::readTypeNameList(size_t count, PgQuery__Node* const* names) {
  const std::vector<std::string> parts = textsOf(count, names);
  const auto own = withoutDatabase(parts, NameKind::Other);
  ast::RelationName result;
  if (own.size() == 2) result.schema = own[0];
  result.name = own.back();
  return result;
}

ast::CreateType TreeReader::readCreateEnum(const PgQuery__CreateEnumStmt& node) {
  ast::CreateType create;
  create.name = readTypeNameList(node.n_type_name, node.type_name);
  create.is_enum = true;
  for (size_t i = 0; i < node.n_vals; ++i) create.labels.push_back(textOf(*node.vals[i]));
  return create;
}

ast::ColumnDefinition TreeReader::readAttribute(const PgQuery__ColumnDef& node) {
  ast::Constraints none;
  return readColumnDefinition(node, {}, none);
}

ast::CreateType TreeReader::readCreateComposite(const PgQuery__CompositeTypeStmt& node) {
  ast::CreateType create;
  create.name = nameOf(*node.typevar);
  for (size_t i = 0; i < node.n_coldeflist; ++i)
    create.attributes.push_back(readAttribute(*node.coldeflist[i]->column_def));
  return create;
}

ast::CreateDomain TreeReader::readCreateDomain(const PgQuery__CreateDomainStmt& node) {
  ast::CreateDomain create;
  create.name = readTypeNameList(node.n_domainname, node.domainname);
  create.value.name = "value";
  create.value.type = readType(*node.type_name);
  if (node.coll_clause != nullptr) readCollation(*node.coll_clause, create.value.type);
  bool is_nullable_stated = false;
  const auto refuse = [](const char* message) { throw SqlError(sqlstate::kSyntaxError, message); };
  for (size_t i = 0; i < node.n_constraints; ++i) {
    const PgQuery__Constraint& constraint = *node.constraints[i]->constraint;
    switch (constraint.contype) {
      case PG_QUERY__CONSTR_TYPE__CONSTR_DEFAULT:
        if (create.value.default_value) refuse("multiple default expressions");
        create.value.default_value = readExpression(constraint.raw_expr);
        create.value.default_text = deparseExpression(*constraint.raw_expr);
        break;
      case PG_QUERY__CONSTR_TYPE__CONSTR_NOTNULL:
        if (is_nullable_stated) refuse("conflicting NULL/NOT NULL constraints");
        create.value.not_null = true;
        break;
      case PG_QUERY__CONSTR_TYPE__CONSTR_NULL:
        if (create.value.not_null) refuse("conflicting NULL/NOT NULL constraints");
        is_nullable_stated = true;
        break;
      case PG_QUERY__CONSTR_TYPE__CONSTR_CHECK:
        create.checks.push_back(readCheck(constraint));
        break;
      case PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE:
        refuse("unique constraints not possible for domains");
        break;
      case PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY:
        refuse("primary key constraints not possible for domains");
        break;
      case PG_QUERY__CONSTR_TYPE__CONSTR_EXCLUSION:
        refuse("exclusion constraints not possible for domains");
        break;
      case PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN:
        refuse("foreign key constraints not possible for domains");
        break;
      default:
        throwNotSupported("this constraint of a domain", constraint.location);
    }
  }
  return create;
}

ast::AlterEnum TreeReader::readAlterEnum(const PgQuery__AlterEnumStmt& node) {
  ast::AlterEnum alter;
  alter.name = readTypeNameList(node.n_type_name, node.type_name);
  const bool renames = node.old_val[0] != 0;
  alter.label = renames ? node.old_val : node.new_val;
  if (renames) alter.new_label = node.new_val;
  alter.neighbour = node.new_val_neighbor;
  alter.is_behind = node.new_val_is_after != 0;
  alter.if_not_exists = node.skip_if_new_val_exists != 0;
  return alter;
}

ast::AlterDomain TreeReader::readAlterDomain(const PgQuery__AlterDomainStmt& node) {
  ast::AlterDomain alter;
  alter.name = readTypeNameList(node.n_type_name, node.type_name);
  alter.constraint = node.name;
  alter.if_exists = node.missing_ok != 0;
  alter.is_cascade = isCascade(node.behavior);
  switch (node.subtype[0]) {
    case 'T':
      alter.kind = node.def == nullptr ? Kind::DropDefault : Kind::SetDefault;
      if (node.def == nullptr) break;
      alter.default_value = readExpression(node.def);
      alter.default_text = deparseExpression(*node.def);
      break;
    case 'N':
      alter.kind = Kind::DropNotNull;
      break;
    case 'O':
      alter.kind = Kind::SetNotNull;
      break;
    case 'C':
      if (node.def->constraint->contype != PG_QUERY__CONSTR_TYPE__CONSTR_CHECK)
        throwNotSupported("ALTER DOMAIN ... ADD of this constraint", statement_position_);
      alter.kind = Kind::AddCheck;
      alter.check = readCheck(*node.def->constraint);
      break;
    case 'X':
      alter.kind = Kind::DropConstraint;
      break;
    default:
      alter.kind = Kind::ValidateConstraint;
  }
  return alter;
}

ast::AlterComposite TreeReader::readAlterComposite(const PgQuery__AlterTableStmt& node) {
  using Change = ast::AlterComposite::Kind;
  ast::AlterComposite alter;
  alter.name = nameOf(*node.relation);
  for (size_t i = 0; i < node.n_cmds; ++i) {
    const PgQuery__AlterTableCmd& command = *node.cmds[i]->alter_table_cmd;
    ast::AlterComposite::Command read;
    read.if_exists = command.missing_ok != 0;
    switch (command.subtype) {
      case PG_QUERY__ALTER_TABLE_TYPE__AT_AddColumn:
        read.kind = Change::Add;
        read.attribute = readAttribute(*command.def->column_def);
        break;
      case PG_QUERY__ALTER_TABLE_TYPE__AT_DropColumn:
        read.kind = Change::Drop;
        break;
      case PG_QUERY__ALTER_TABLE_TYPE__AT_AlterColumnType:
        read.kind = Change::SetType;
        read.attribute.type = readType(*command.def->column_def->type_name);
        break;
      default:
        throwNotSupported("this command of ALTER TYPE", statement_position_);
    }
    if (read.kind != Change::Add) read.attribute.name = command.name;
    alter.commands.push_back(std::move(read));
  }
  return alter;
}

ast::Statement TreeReader::readRenameType(const PgQuery__RenameStmt& node) {
  if (node.rename_type == PG_QUERY__OBJECT_TYPE__OBJECT_ATTRIBUTE) {
    ast::AlterComposite alter;
    alter.name = nameOf(*node.relation);
    ast::AlterComposite::Command& command = alter.commands.emplace_back();
    command.kind = ast::AlterComposite::Kind::Rename;
    command.attribute.name = node.subname;
    command.new_name = node.newname;
    return {std::move(alter)};
  }
  const PgQuery__List& names = *node.object->list;
  if (node.rename_type == PG_QUERY__OBJECT_TYPE__OBJECT_DOMCONSTRAINT) {
    ast::AlterDomain alter;
    alter.name = readTypeNameList(names.n_items, names.items);
    alter.kind = Kind::RenameConstraint;
    alter.constraint = node.subname;
    alter.new_name = node.newname;
    return {std::move(alter)};
  }
  return {ast::RenameType{readTypeNameList(names.n_items, names.items), node.newname,
                          node.rename_type == PG_QUERY__OBJECT_TYPE__OBJECT_DOMAIN}};
}

ast::DropType TreeReader::readDropType(const PgQuery__DropStmt& node) {
  ast::DropType drop;
  for (size_t i = 0; i < node.n_objects; ++i) {
    const PgQuery__TypeName& name = *node.objects[i]->type_name;
    drop.names.push_back(readTypeNameList(name.n_names, name.names));
  }
  drop.if_exists = node.missing_ok != 0;
  drop.is_cascade = isCascade(node.behavior);
  drop.are_domains = node.remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_DOMAIN;
  return drop;
}

}  // namespace gnomon::sql
