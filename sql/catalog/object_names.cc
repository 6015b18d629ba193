#include "sql/catalog/object_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/sql_error.h"
#include "sql/bind/type_name.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/object_path.h"
#include "sql/catalog/roles.h"
#include "sql/catalog/routines.h"
#include "sql/parse/ast_statement.h"
#include "sql/parse/identifier.h"
#include "sql/parse/parser.h"
#include "sql/pg_catalog/facts.h"
#include "sql/pg_catalog/objects.h"
#include "sql/types/collation.h"
#include "sql/types/integer.h"

namespace gnomon::sql {
namespace {

std::string relationName(const CatalogView& catalog, uint32_t oid) {
  if (const TablePtr table = findTable(catalog, oid)) return catalog.shownName(*table);
  if (const auto found = pg_catalog::findIndex(catalog, oid); found.table != nullptr)
    return catalog.shownName(ObjectPath{found.table->schema, found.index->name});
  for (const VirtualRelationPtr& relation : catalog.virtualRelations())
    if (relation->oid == oid) return catalog.shownName(ObjectPath{relation->schema, relation->name});
  return std::to_string(oid);
}

std::string procedureName(uint32_t oid, bool with_arguments) {
  const CatalogView& catalog = requiredCatalogSession().catalog;
  if (const TablePtr entry = catalog.findEntry(oid); entry && entry->routine) {
    const std::string shown = shownRoutine(catalog, *entry);
    if (with_arguments) return shown;
    // A name that others have as well does not find it.
    const bool is_alone = catalog.findRoutines("", entry->routine->name).size() == 1;
    const bool is_visible = is_alone && shown == routineSignature(*entry->routine);
    return (is_visible ? "" : quotedIdentifier(entry->schema) + ".") + quotedIdentifier(entry->routine->name);
  }
  const pg_catalog::ProcedureFacts* const facts = pg_catalog::findProcedureFacts(oid);
  if (facts == nullptr) return std::to_string(oid);
  std::string name = quotedIdentifier(facts->name);
  // A name that others have as well does not find it.
  const auto& all = pg_catalog::procedureFacts();
  if (!with_arguments)
    return std::ranges::count(all, facts->name, &pg_catalog::ProcedureFacts::name) == 1 ? name : "pg_catalog." + name;
  std::string arguments;
  for (const uint32_t argument : facts->arguments)
    arguments.append(arguments.empty() ? "" : ",")
        .append(pg_catalog::typeName(requiredCatalogSession().catalog, argument));
  return name + "(" + arguments + ")";
}

uint32_t findRelationOid(const CatalogView& catalog, std::string_view text) {
  const ObjectPath path = readObjectPath(text);
  const FoundRelation found = catalog.findRelation(path);
  if (!found) raiseNoRelation(catalog, path);
  return found.oid();
}

/// The rows of a table are a type of its name.
uint32_t findTypeOid(const CatalogView& catalog, std::string_view text) {
  std::vector<ParsedStatement> parsed;
  try {
    parsed = parse(fmt::format("SELECT NULL::{}", text));
  } catch (const SqlError&) {
    throw SqlError(sqlstate::kSyntaxError, fmt::format("invalid type name \"{}\"", text));
  }
  const auto* const query =
      parsed.size() == 1 && parsed[0].tree ? std::get_if<ast::QueryPtr>(&parsed[0].tree->body) : nullptr;
  const bool is_cast = query != nullptr && (*query)->items.size() == 1 &&
                       (*query)->items[0].expression->kind == ast::Expression::Kind::Cast;
  if (!is_cast) throw SqlError(sqlstate::kSyntaxError, fmt::format("invalid type name \"{}\"", text));
  ast::TypeName name = (*query)->items[0].expression->type;
  name.position = -1;
  for (const pg_catalog::TypeFacts& facts : pg_catalog::typeFacts())
    if (facts.kind == 'p' && facts.name == name.name && (name.schema.empty() || name.schema == "pg_catalog"))
      return name.is_array ? facts.array : facts.oid;
  if (const TablePtr table = catalog.findRelation(name.schema, name.name).stored())
    if (!table->sequence) return name.is_array ? pg_catalog::rowArrayOid(*table) : pg_catalog::rowTypeOid(*table);
  const NamedType named = resolveTypeName(name);
  return named.domain != 0 ? named.domain : named.type.oid();
}

uint32_t findProcedureOid(std::string_view text) {
  const ObjectPath path = readObjectPath(text);
  std::vector<uint32_t> found;
  if (path.schema.empty() || path.schema == "pg_catalog")
    for (const pg_catalog::ProcedureFacts& facts : pg_catalog::procedureFacts())
      if (facts.name == path.name) found.push_back(facts.oid);
  for (const TablePtr& entry : requiredCatalogSession().catalog.findRoutines(path.schema, path.name))
    found.push_back(entry->oid);
  if (found.empty()) throw SqlError(sqlstate::kUndefinedFunction, fmt::format("function \"{}\" does not exist", text));
  if (found.size() > 1) throw SqlError(SqlState("42725"), fmt::format("more than one function named \"{}\"", text));
  return found.front();
}

uint32_t findSignatureOid(const CatalogView& catalog, std::string_view text) {
  const size_t open = text.find('(');
  if (open == std::string_view::npos || !text.ends_with(')'))
    throw SqlError(sqlstate::kInvalidTextRepresentation, "expected a left parenthesis");
  const ObjectPath path = readObjectPath(text.substr(0, open));
  std::vector<uint32_t> arguments;
  for (std::string_view rest = text.substr(open + 1, text.size() - open - 2); !rest.empty();) {
    const size_t end = std::min(rest.find(','), rest.size());
    arguments.push_back(findTypeOid(catalog, rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (path.schema.empty() || path.schema == "pg_catalog")
    for (const pg_catalog::ProcedureFacts& facts : pg_catalog::procedureFacts())
      if (facts.name == path.name && facts.arguments == arguments) return facts.oid;
  const std::string key = routineKey(path.name, arguments);
  for (const TablePtr& entry : catalog.findRoutines(path.schema, path.name))
    if (entry->name == key) return entry->oid;
  throw SqlError(sqlstate::kUndefinedFunction, fmt::format("function \"{}\" does not exist", text));
}

/// The name of what is in no schema. Failure: 42602.
std::string readBareName(std::string_view text) {
  try {
    ObjectPath path = readObjectPath(text);
    if (path.schema.empty()) return std::move(path.name);
  } catch (const SqlError& error) {
    if (error.state() != sqlstate::kFeatureNotSupported) throw;
  }
  throw SqlError(sqlstate::kInvalidName, "invalid name syntax");
}

/// A name with or without a schema; which is none of an identifier.
ObjectPath readOperatorPath(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  if (text.empty()) throw SqlError(sqlstate::kInvalidName, "invalid name syntax");
  const size_t point = text.rfind('.');
  if (point == std::string_view::npos) return {{}, std::string(text)};
  return {readObjectPath(text.substr(0, point)).name, std::string(text.substr(point + 1))};
}

/// The operators of the name. Failure: 3F000.
std::vector<const pg_catalog::OperatorFacts*> findOperators(const CatalogView& catalog, const ObjectPath& path) {
  std::vector<const pg_catalog::OperatorFacts*> found;
  if (!path.schema.empty() && catalog.findSchema(path.schema) == nullptr) raiseNoSchema(path.schema);
  if (!path.schema.empty() && path.schema != "pg_catalog") return found;
  for (const pg_catalog::OperatorFacts& facts : pg_catalog::operatorFacts())
    if (facts.name == path.name) found.push_back(&facts);
  return found;
}

[[noreturn]] void raiseNoOperator(std::string_view text) {
  throw SqlError(sqlstate::kUndefinedFunction, fmt::format("operator does not exist: {}", text));
}

uint32_t findOperatorOid(const CatalogView& catalog, std::string_view text) {
  const auto found = findOperators(catalog, readOperatorPath(text));
  if (found.empty()) raiseNoOperator(text);
  if (found.size() > 1) throw SqlError(SqlState("42725"), fmt::format("more than one operator named {}", text));
  return found.front()->oid;
}

uint32_t findOperatorSignatureOid(const CatalogView& catalog, std::string_view text) {
  const size_t open = text.find('(');
  if (open == std::string_view::npos)
    throw SqlError(sqlstate::kInvalidTextRepresentation, "expected a left parenthesis");
  if (!text.ends_with(')')) throw SqlError(sqlstate::kInvalidTextRepresentation, "expected a right parenthesis");
  std::vector<uint32_t> arguments;
  for (std::string_view rest = text.substr(open + 1, text.size() - open - 2); !rest.empty();) {
    const size_t end = std::min(rest.find(','), rest.size());
    const std::string_view argument = trimSpace(rest.substr(0, end));
    const auto isSame = [](char left, char right) { return std::tolower(static_cast<unsigned char>(left)) == right; };
    const bool is_none = std::ranges::equal(argument, std::string_view("none"), isSame);
    arguments.push_back(is_none ? 0 : findTypeOid(catalog, argument));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (arguments.size() == 1)
    throw SqlError(SqlState("42P02"), "missing argument")
        .hint("Use NONE to denote the missing argument of a unary operator.");
  if (arguments.size() != 2)
    throw SqlError(sqlstate::kTooManyArguments, "too many arguments").hint("Provide two argument types for operator.");
  for (const pg_catalog::OperatorFacts* const facts : findOperators(catalog, readOperatorPath(text.substr(0, open))))
    if (facts->left == arguments[0] && facts->right == arguments[1]) return facts->oid;
  raiseNoOperator(text);
}

std::string operatorName(const CatalogView& catalog, uint32_t oid, bool with_arguments) {
  const pg_catalog::OperatorFacts* const facts = pg_catalog::findOperatorFacts(oid);
  if (facts == nullptr) return std::to_string(oid);
  const auto& all = pg_catalog::operatorFacts();
  // A name that others have as well does not find it.
  if (!with_arguments)
    return (std::ranges::count(all, facts->name, &pg_catalog::OperatorFacts::name) == 1 ? "" : "pg_catalog.") +
           std::string(facts->name);
  return fmt::format("{}({},{})", facts->name, facts->left == 0 ? "NONE" : pg_catalog::typeName(catalog, facts->left),
                     pg_catalog::typeName(catalog, facts->right));
}

uint32_t findCollationOid(std::string_view text) {
  const ObjectPath path = readObjectPath(text);
  const bool is_here = path.schema.empty() || path.schema == "pg_catalog";
  const std::optional<uint16_t> found = findCollation(path.name);
  if (!is_here || !found)
    throw SqlError(sqlstate::kUndefinedObject,
                   fmt::format("collation \"{}\" for encoding \"UTF8\" does not exist", path.shown()));
  return knownCollation(*found).oid;
}

std::string collationName(uint32_t oid) {
  const auto known = std::ranges::find(allCollations(), oid, &Collation::oid);
  return known == allCollations().end() ? std::to_string(oid) : quotedIdentifier(known->name);
}

}  // namespace

std::string objectName(TypeKind kind, uint32_t oid) {
  const CatalogSession& session = requiredCatalogSession();
  switch (kind) {
    case TypeKind::Regclass:
      return relationName(session.catalog, oid);
    case TypeKind::Regtype: {
      std::string name = pg_catalog::typeName(session.catalog, oid);
      return name == "???" ? std::to_string(oid) : name;
    }
    case TypeKind::Regproc:
      return procedureName(oid, false);
    case TypeKind::Regprocedure:
      return procedureName(oid, true);
    case TypeKind::Regoper:
    case TypeKind::Regoperator:
      return operatorName(session.catalog, oid, kind == TypeKind::Regoperator);
    case TypeKind::Regcollation:
      return collationName(oid);
    case TypeKind::Regnamespace: {
      const std::string name = schemaName(oid);
      return name.empty() ? std::to_string(oid) : quotedIdentifier(name);
    }
    default:
      if (const RolePtr role = session.catalog.findRole(oid)) return quotedIdentifier(role->name);
      return std::to_string(oid);
  }
}

uint32_t findObject(TypeKind kind, std::string_view text) {
  const CatalogSession& session = requiredCatalogSession();
  switch (kind) {
    case TypeKind::Regclass:
      return findRelationOid(session.catalog, text);
    case TypeKind::Regtype:
      return findTypeOid(session.catalog, text);
    case TypeKind::Regproc:
      return findProcedureOid(text);
    case TypeKind::Regprocedure:
      return findSignatureOid(session.catalog, text);
    case TypeKind::Regoper:
      return findOperatorOid(session.catalog, text);
    case TypeKind::Regoperator:
      return findOperatorSignatureOid(session.catalog, text);
    case TypeKind::Regcollation:
      return findCollationOid(text);
    case TypeKind::Regnamespace: {
      const std::string name = readBareName(text);
      const uint32_t oid = schemaOid(session.catalog.searchPath().actual(name));
      if (oid == 0) raiseNoSchema(name);
      return oid;
    }
    default:
      return requireRole(session.catalog, readBareName(text))->oid;
  }
}

}  // namespace gnomon::sql
