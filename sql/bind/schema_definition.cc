#include "sql/bind/schema_definition.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/creation_path.h"
#include "sql/bind/table_use.h"
#include "sql/catalog/access.h"
#include "sql/catalog/roles.h"
#include "sql/parse/ast.h"
#include "sql/parse/ast_statement.h"

namespace gnomon::sql {
namespace {

using Kind = ast::Move::Kind;

constexpr SqlState kReservedName("42939");
constexpr SqlState kSuccess("00000");

void requireUsersName(const std::string& name) {
  if (name.starts_with("pg_"))
    throw SqlError(kReservedName, fmt::format("unacceptable schema name \"{}\"", name))
        .detail("The prefix \"pg_\" is reserved for system schemas.");
}

[[noreturn]] void raiseKind(const std::string& name, std::string_view wanted) {
  throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is not {}", name, wanted));
}

/// ALTER TABLE does for views, sequences and indexes too, where it says what they have in common.
void requireKind(const CatalogView& catalog, const MoveStatement& found, const ast::Move& move) {
  const std::string& name = move.relation.name;
  const bool is_index = found.index != nullptr;
  const bool is_move = !move.new_schema.empty();
  if (is_move && is_index)
    throw SqlError(sqlstate::kWrongObjectType, fmt::format("cannot change schema of index \"{}\"", name))
        .hint("Change the schema of the table instead.");
  if (move.kind == Kind::View && (is_index || !found.table->view)) raiseKind(name, "a view");
  if (move.kind == Kind::MaterializedView && (is_index || !found.table->materialized))
    raiseKind(name, "a materialized view");
  if (move.kind == Kind::Sequence && (is_index || !found.table->sequence)) raiseKind(name, "a sequence");
  const TablePtr owner = found.table->sequence ? findTable(catalog, found.table->sequence->owner) : nullptr;
  if (is_move && found.table->sequence && found.table->sequence->owner != 0)
    throw SqlError(sqlstate::kFeatureNotSupported, "cannot move an owned sequence into another schema")
        .detail(fmt::format("Sequence \"{}\" is linked to table \"{}\".", name, owner ? owner->name : ""));
}

/// In the order in which they can need one another. Failure: 42P15, 42P16 for what belongs elsewhere.
std::vector<std::shared_ptr<ast::Statement>> orderedElements(const ast::CreateSchema& create,
                                                             const std::string& schema) {
  constexpr int kRanks = 4;
  const auto rankOf = [](const ast::Statement& element) {
    return std::holds_alternative<ast::CreateSequence>(element.body) ? 0
           : std::holds_alternative<ast::CreateTable>(element.body)  ? 1
           : std::holds_alternative<ast::CreateView>(element.body)   ? 2
                                                                     : 3;
  };
  const auto require = [&](const ast::RelationName& name) {
    if (!name.schema.empty() && name.schema != schema)
      throw SqlError(SqlState("42P15"),
                     fmt::format("CREATE specifies a schema ({}) different from the one being created "
                                 "({})",
                                 name.schema, schema));
    if (name.is_temporary)
      throw SqlError(sqlstate::kInvalidTableDefinition, "cannot create temporary relation in non-temporary schema")
          .position(name.position);
  };
  for (const auto& element : create.elements) {
    if (const auto* table = std::get_if<ast::CreateTable>(&element->body)) require(table->relation);
    if (const auto* sequence = std::get_if<ast::CreateSequence>(&element->body)) require(sequence->relation);
    if (const auto* view = std::get_if<ast::CreateView>(&element->body)) require(view->relation);
    if (const auto* index = std::get_if<ast::CreateIndex>(&element->body)) require(index->relation);
  }
  std::vector<std::shared_ptr<ast::Statement>> ordered;
  for (int rank = 0; rank < kRanks; ++rank)
    for (const auto& element : create.elements)
      if (rankOf(*element) == rank) ordered.push_back(element);
  return ordered;
}

}  // namespace

CreateSchemaStatement bindCreateSchema(const BindState& state, const ast::CreateSchema& create) {
  const CatalogView& catalog = state.context.catalog;
  const uint32_t owner = create.owner ? requireRole(catalog, *create.owner)->oid : catalog.actors().current;
  requireRightOnDatabase(catalog, Privilege::Create);
  if (!isMemberOf(catalog, catalog.actors().current, owner))
    throw SqlError(sqlstate::kInsufficientPrivilege,
                   fmt::format("must be member of role \"{}\"", roleName(catalog, owner)));
  CreateSchemaStatement result{.name = create.name.empty() ? roleName(catalog, owner) : create.name,
                               .if_not_exists = create.if_not_exists,
                               .owner = owner};
  requireUsersName(result.name);
  result.elements = orderedElements(create, result.name);
  return result;
}

AlterSchemaStatement bindAlterSchema(const BindState& state, const ast::AlterSchema& alter) {
  if (alter.new_name.empty()) {
    const uint32_t owner = requireRole(state.context.catalog, alter.owner)->oid;
    if (!state.context.catalog.findSchema(alter.name)) raiseNoSchema(alter.name);
    return {alter.name, {}, owner};
  }
  if (!state.context.catalog.findSchema(alter.name)) raiseNoSchema(alter.name);
  if (state.context.catalog.findSchema(alter.new_name))
    throw SqlError(SqlState("42P06"), fmt::format("schema \"{}\" already exists", alter.new_name));
  requireUsersName(alter.new_name);
  return {alter.name, alter.new_name};
}

DropSchemaStatement bindDropSchema(const ast::DropSchema& drop) {
  return {drop.names, drop.if_exists, drop.is_cascade};
}

MoveStatement bindMove(BindState& state, const ast::Move& move) {
  const CatalogView& catalog = state.context.catalog;
  MoveStatement result;
  const ObjectPath written{move.relation.schema, move.relation.name};
  const FoundRelation found = catalog.findRelation(written);
  if (!found) {
    if (!move.if_exists) raiseNoRelation(catalog, written);
    result.notices.emplace_back(kSuccess, fmt::format("relation \"{}\" does not exist, skipping", written.name));
    return result;
  }
  if (found.system)
    throw SqlError(sqlstate::kInsufficientPrivilege,
                   fmt::format("permission denied: \"{}\" is a system catalog", written.name));
  result.table = found.table;
  result.index = found.index;
  requireKind(catalog, result, move);
  if (found.index)
    requireIndexOwner(catalog, *found.table, found.index->name);
  else
    requireOwner(catalog, *found.table);
  result.path = found.index ? ObjectPath{found.table->schema, found.index->name} : found.table->path();
  if (!move.new_name.empty()) {
    if (const SchemaPtr schema = catalog.findSchema(result.path.schema))
      requireRight(catalog, *schema, Privilege::Create);
    result.path.name = move.new_name;
    if (catalog.isTaken(result.path))
      throw SqlError(sqlstate::kDuplicateTable, fmt::format("relation \"{}\" already exists", move.new_name));
    return result;
  }
  const std::string& schema = catalog.searchPath().actual(move.new_schema);
  if (!catalog.findSchema(schema) && schema != catalog.searchPath().temporary) raiseNoSchema(move.new_schema);
  if (found.table->is_temporary || isTemporaryPath(catalog, {schema, {}}))
    throw SqlError(sqlstate::kFeatureNotSupported, "cannot move objects into or out of temporary schemas");
  if (const SchemaPtr entry = catalog.findSchema(schema)) requireRight(catalog, *entry, Privilege::Create);
  result.path.schema = schema;
  if (schema != kCatalogSchema && schema != "information_schema") return result;
  throwNotSupported(fmt::format("changing schema \"{}\"", schema));
}

}  // namespace gnomon::sql
