#include "sql/bind/session_binder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/binder.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/row_lock_binder.h"
#include "sql/bind/type_name.h"
#include "sql/catalog/user_types.h"
#include "sql/parse/ast_statement.h"

namespace gnomon::sql {
namespace {

const SqlState kInvalidCursorDefinition("42P11");

/// Whether PostgreSQL's executor could go through this backwards (ExecSupportsBackwardScan).
bool canGoBackward(const Operator& op) {
  switch (op.kind) {
    case Operator::Kind::Sort:
    case Operator::Kind::TableScan:
    case Operator::Kind::VirtualScan:
    case Operator::Kind::FunctionScan:
    case Operator::Kind::SharedScan:
      return true;
    // One row is a Result there.
    case Operator::Kind::Values:
      return static_cast<const Values&>(op).rows.size() > 1;
    case Operator::Kind::Output:
    case Operator::Kind::Selection:
    case Operator::Kind::Map:
    case Operator::Kind::Limit:
    case Operator::Kind::Union:
      return std::ranges::all_of(op.inputs, [](const OperatorPtr& input) { return canGoBackward(*input); });
    default:
      return false;
  }
}

/// What holds of a query that locks rows.
void checkLocking(const ast::DeclareCursor& declare) {
  const std::string locking = std::string(rowLockName(declare.query->locks.front().strength));
  if (declare.is_held)
    throw SqlError(sqlstate::kFeatureNotSupported,
                   fmt::format("DECLARE CURSOR WITH HOLD ... {} is not supported", locking))
        .detail("Holdable cursors must be READ ONLY.");
  if (declare.is_scroll)
    throw SqlError(sqlstate::kFeatureNotSupported,
                   fmt::format("DECLARE SCROLL CURSOR ... {} is not supported", locking))
        .detail("Scrollable cursors must be READ ONLY.");
  if (declare.is_insensitive)
    throw SqlError(kInvalidCursorDefinition, fmt::format("DECLARE INSENSITIVE CURSOR ... {} is not valid", locking))
        .detail("Insensitive cursors must be READ ONLY.");
}

}  // namespace

PrepareStatement bindPrepare(const ast::Prepare& prepare) {
  PrepareStatement result{prepare.name, {}};
  for (const ast::TypeName& type : prepare.types) {
    const NamedType named = resolveTypeName(type);
    result.types.push_back(named.type);
    // Modifiers of parameters mean nothing.
    if (result.types.back().modifier() != -1) result.types.back() = Type::of(result.types.back().kind);
  }
  return result;
}

std::vector<uint32_t> parameterDomains(const ParsedStatement& statement) {
  std::vector<uint32_t> domains;
  for (const ast::TypeName& type : std::get<ast::Prepare>(statement.tree->body).types)
    domains.push_back(resolveTypeName(type).domain);
  return domains;
}

DeclareCursorStatement bindDeclareCursor(const ast::DeclareCursor& declare, const Output& root) {
  using Scroll = DeclareCursorStatement::Scroll;
  const auto conflict = [](std::string_view left, std::string_view right) {
    return SqlError(kInvalidCursorDefinition, fmt::format("cannot specify both {} and {}", left, right));
  };
  if (declare.is_scroll && declare.is_no_scroll) throw conflict("SCROLL", "NO SCROLL");
  if (declare.is_asensitive && declare.is_insensitive) throw conflict("ASENSITIVE", "INSENSITIVE");
  if (!declare.query->locks.empty()) checkLocking(declare);
  DeclareCursorStatement result;
  result.name = declare.name;
  result.scroll = declare.is_scroll ? Scroll::Yes : declare.is_no_scroll ? Scroll::No : Scroll::Possible;
  result.can_scroll = root.locks.empty() && canGoBackward(root);
  result.is_held = declare.is_held;
  result.is_binary = declare.is_binary;
  return result;
}

FetchStatement bindFetch(const ast::Fetch& fetch) {
  static_assert(static_cast<int>(ast::Fetch::Direction::Relative) ==
                static_cast<int>(FetchStatement::Direction::Relative));
  return {fetch.cursor, static_cast<FetchStatement::Direction>(fetch.direction), fetch.count, fetch.is_move};
}

LockTableStatement bindLockTable(BindState& state, const ast::LockTable& lock) {
  LockTableStatement result{
      .tables = {}, .named = {}, .mode = static_cast<txn::LockMode>(lock.mode), .is_nowait = lock.is_nowait};
  for (const ast::RelationName& relation : lock.relations)
    result.named.push_back(FromBinder(state).addLocked({relation.schema, relation.name, -1}));
  result.tables = state.tables;
  return result;
}

namespace {

/// Adds those of the name in the schema; whether there are any.
bool addConstraints(const CatalogView& catalog, const std::string& schema, const std::string& name,
                    SetConstraintsStatement& result) {
  bool is_found = false;
  const auto requireDeferrable = [&](bool is_deferrable) {
    is_found = true;
    if (!is_deferrable)
      throw SqlError(sqlstate::kWrongObjectType, fmt::format("constraint \"{}\" is not deferrable", name));
  };
  for (const TablePtr& table : catalog.tables()) {
    if (table->schema != schema) continue;
    for (const ForeignKeyEntry& key : table->foreign_keys) {
      if (key.name != name) continue;
      requireDeferrable(key.is_deferrable);
      result.keys.emplace_back(table->oid, key.number);
    }
    for (const IndexPtr& index : table->indexes)
      if (index->is_constraint && index->name == name) {
        requireDeferrable(index->is_deferrable);
        result.keys.emplace_back(table->oid, index->oid);
      }
    for (const TriggerEntry& trigger : table->triggers)
      if (trigger.is_constraint && trigger.name == name) {
        requireDeferrable(trigger.is_deferrable);
        result.keys.emplace_back(table->oid, trigger.constraint);
      }
    for (const CheckEntry& check : table->checks)
      if (check.name == name) requireDeferrable(false);
  }
  return is_found;
}

}  // namespace

SetConstraintsStatement bindSetConstraints(const BindState& state, const ast::SetConstraints& set) {
  const CatalogView& catalog = state.context.catalog;
  SetConstraintsStatement result{.are_all = set.names.empty(), .keys = {}, .are_deferred = set.are_deferred};
  for (const ast::RelationName& name : set.names) {
    std::vector<std::string> schemas = catalog.searchPath().schemas;
    if (!name.schema.empty()) {
      schemas = {catalog.searchPath().actual(name.schema)};
      if (!catalog.findSchema(schemas.front())) raiseNoSchema(name.schema);
    }
    const bool is_found = std::ranges::any_of(
        schemas, [&](const std::string& schema) { return addConstraints(catalog, schema, name.name, result); });
    if (!is_found)
      throw SqlError(sqlstate::kUndefinedObject, fmt::format("constraint \"{}\" does not exist", name.name));
  }
  return result;
}

namespace {

std::string shownDomain(Type type, uint32_t domain) {
  return domain == 0 ? type.baseName() : shownName(type, domain);
}

/// With the modifier that the type below the domain has. Failure: XX000.
ExpressionPtr toDomain(Coercion& coercion, ExpressionPtr value, uint32_t domain) {
  Type type;
  uint32_t found = 0;
  if (!userTypeFromOid(domain, type, found))
    throw SqlError(sqlstate::kInternalError, fmt::format("cache lookup failed for type {}", domain));
  return coercion.toDomain(coercion.toType(std::move(value), type, false), domain);
}

}  // namespace

std::vector<ExpressionPtr> bindArguments(const ParsedStatement& statement, std::span<const Type> types,
                                         std::span<const uint32_t> domains, BindContext& context) {
  const auto& execute = std::get<ast::Execute>(statement.tree->body);
  if (execute.arguments.size() != types.size())
    throw SqlError(sqlstate::kSyntaxError,
                   fmt::format("wrong number of parameters for prepared statement \"{}\"", execute.name))
        .detail(fmt::format("Expected {} parameters but got {}.", types.size(), execute.arguments.size()));
  BindState state(context);
  const Scope scope;
  ExpressionBinder binder(state, scope, {"EXECUTE parameters"});
  std::vector<ExpressionPtr> arguments;
  for (size_t i = 0; i < types.size(); ++i) {
    ExpressionPtr argument = binder.bind(*execute.arguments[i]);
    const uint32_t domain = i < domains.size() ? domains[i] : 0;
    if (!Coercion::isPossible(*argument, types[i], CastContext::Assignment))
      throw SqlError(sqlstate::kDatatypeMismatch,
                     fmt::format("parameter ${} of type {} cannot be coerced to the expected type {}", i + 1,
                                 argument->type.baseName(), shownDomain(types[i], domain)))
          .hint("You will need to rewrite or cast the expression.")
          .position(leftmostPosition(*argument));
    if (domain != 0) argument = toDomain(binder.coercion(), std::move(argument), domain);
    arguments.push_back(binder.coercion().toType(std::move(argument), types[i], false));
  }
  if (!state.parameters.empty()) throw SqlError(sqlstate::kUndefinedParameter, "there is no parameter $1");
  return arguments;
}

}  // namespace gnomon::sql
