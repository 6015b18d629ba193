#include "sql/bind/comment_definition.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/extension_definition.h"
#include "sql/bind/routine_definition.h"
#include "sql/bind/type_name.h"
#include "sql/catalog/access.h"

namespace gnomon::sql {
namespace {

using What = ast::Comment::What;

/// "a table", "an index".
std::string_view kindOf(What what) {
  switch (what) {
    case What::View:
      return "a view";
    case What::Sequence:
      return "a sequence";
    case What::MaterializedView:
      return "a materialized view";
    case What::Index:
      return "an index";
    default:
      return "a table";
  }
}

bool isOfKind(const FoundRelation& found, What what) {
  const TablePtr table = found.stored();
  switch (what) {
    case What::Table:
      return found.system ? found.system->kind == 'r' : table && !table->query() && !table->sequence;
    case What::View:
      return found.system ? found.system->kind == 'v' : table && table->view;
    case What::MaterializedView:
      return table && table->materialized;
    case What::Sequence:
      return table && table->sequence;
    case What::Index:
      return found.index != nullptr;
    default:
      return true;
  }
}

/// Whether it is one of the system's types.
bool typeKindNamed(const ObjectPath& name) {
  return (name.schema.empty() || name.schema == kCatalogSchema) && findTypeKind(name.name).has_value();
}

uint32_t columnNumber(const FoundRelation& found, const ast::Comment& comment) {
  if (found.index || found.table->sequence)
    throw SqlError(sqlstate::kWrongObjectType,
                   fmt::format("cannot set comment on relation \"{}\"", comment.relation.name))
        .detail(fmt::format("This operation is not supported for {}.", found.index ? "indexes" : "sequences"));
  const auto& columns = found.table->columns;
  const auto column = std::ranges::find(columns, comment.name, &ColumnEntry::name);
  if (column != columns.end()) return static_cast<uint32_t>(column - columns.begin());
  if (isSystemColumn(comment.name)) throwNotSupported("comments on system columns");
  throw SqlError(sqlstate::kUndefinedColumn,
                 fmt::format("column \"{}\" of relation \"{}\" does not exist", comment.name, comment.relation.name));
}

void requireConstraint(const FoundRelation& found, const ast::Comment& comment) {
  const TablePtr table = found.stored();
  const auto isNamed = [&](const IndexPtr& index) { return index->is_constraint && index->name == comment.name; };
  if (table && (hasCheckOrForeignKey(*table, comment.name) || std::ranges::any_of(table->indexes, isNamed))) return;
  throw SqlError(sqlstate::kUndefinedObject,
                 fmt::format("constraint \"{}\" for table \"{}\" does not exist", comment.name, comment.relation.name));
}

/// Of a type, domain or constraint of a domain. Failure: 42704, 42809.
CommentStatement bindTypeComment(const CatalogView& catalog, const ast::Comment& comment) {
  const ObjectPath written{comment.relation.schema, comment.relation.name};
  const TablePtr type = catalog.findType(written.schema, written.name);
  if (!type) {
    if (typeKindNamed(written)) throwNotSupported("comments on what is the system's");
    throw SqlError(sqlstate::kUndefinedObject, fmt::format("type \"{}\" does not exist", written.shown()));
  }
  if (!type->type) throwNotSupported("comments on the row type of a table");
  const bool is_domain = type->type->form == TypeEntry::Form::Domain;
  if (comment.what != What::Type && !is_domain)
    throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is not a domain", written.shown()));
  requireOwner(catalog, *type);
  CommentStatement result;
  result.comment = comment.comment;
  result.name = comment.name;
  result.table = type;
  if (comment.what != What::DomainConstraint) return result;
  result.what = CommentStatement::What::Constraint;
  if (!hasCheckOrForeignKey(*type, comment.name))
    throw SqlError(sqlstate::kUndefinedObject, fmt::format("constraint \"{}\" for domain {} does not exist",
                                                           comment.name, catalog.shownName(*type)));
  return result;
}

}  // namespace

CommentStatement bindComment(BindState& state, const ast::Comment& comment) {
  const CatalogView& catalog = state.context.catalog;
  CommentStatement result;
  result.comment = comment.comment;
  result.name = comment.name;
  if (comment.what == What::Schema) {
    result.what = CommentStatement::What::Schema;
    const SchemaPtr schema = catalog.findSchema(catalog.searchPath().actual(comment.name));
    if (!schema) raiseNoSchema(comment.name);
    if (isSystemSchema(schema->oid)) throwNotSupported(fmt::format("changing schema \"{}\"", schema->name));
    result.name = schema->name;
    return result;
  }
  if (comment.what == What::Database) {
    result.what = CommentStatement::What::Database;
    const DatabasePtr database = catalog.findDatabase(comment.name);
    if (!database)
      result.notices.emplace_back(sqlstate::kInvalidCatalogName,
                                  fmt::format("database \"{}\" does not exist", comment.name));
    else
      requireOwner(catalog, *database);
    return result;
  }
  if (comment.what == What::LargeObject) {
    result.what = CommentStatement::What::LargeObject;
    result.large_object = comment.large_object;
    return result;
  }
  if (comment.what == What::Extension) {
    result.table = requireExtension(catalog, comment.name);
    return result;
  }
  if (comment.what == What::Routine) {
    result.table = findRoutine(state, comment.routine, comment.routine_kind);
    return result;
  }
  if (comment.what == What::Type || comment.what == What::Domain || comment.what == What::DomainConstraint)
    return bindTypeComment(catalog, comment);
  const ObjectPath written{comment.relation.schema, comment.relation.name};
  FoundRelation found = catalog.findRelation(written);
  // Attributes of a composite type are columns of its relation.
  const TablePtr type =
      found || comment.what != What::Column ? nullptr : catalog.findType(written.schema, written.name);
  if (type && type->type && type->type->form == TypeEntry::Form::Composite) found.table = type;
  if (!found) raiseNoRelation(catalog, written);
  if (!isOfKind(found, comment.what))
    throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is not {}", written.name, kindOf(comment.what)));
  if (found.system) throwNotSupported("comments on what is the system's");
  if (found.index)
    requireIndexOwner(catalog, *found.table, found.index->name);
  else
    requireOwner(catalog, *found.table,
                 comment.what == What::Column || comment.what == What::Trigger ? "relation" : "");
  result.table = found.table;
  if (comment.what == What::Column) {
    result.what = CommentStatement::What::Column;
    result.column = columnNumber(found, comment);
  } else if (comment.what == What::Trigger) {
    result.what = CommentStatement::What::Trigger;
    if (std::ranges::find(found.table->triggers, comment.name, &TriggerEntry::name) == found.table->triggers.end())
      throw SqlError(sqlstate::kUndefinedObject, fmt::format("trigger \"{}\" for table \"{}\" does not exist",
                                                             comment.name, comment.relation.name));
  } else if (comment.what == What::Constraint) {
    result.what = CommentStatement::What::Constraint;
    requireConstraint(found, comment);
  } else if (found.index) {
    result.what = CommentStatement::What::Index;
    result.name = found.index->name;
  }
  return result;
}

}  // namespace gnomon::sql
