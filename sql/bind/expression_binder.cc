#include "sql/bind/expression_binder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/sql_error.h"
#include "sql/algebra/rewrite.h"
#include "sql/bind/collation.h"
#include "sql/bind/stored_text.h"
#include "sql/bind/type_name.h"
#include "sql/bind/variable_names.h"
#include "sql/catalog/own_database.h"
#include "sql/functions/function_registry.h"
#include "sql/parse/identifier.h"
#include "sql/types/text_io.h"

namespace gnomon::sql {

using NodeKind = ast::Expression::Kind;

ExpressionPtr ExpressionBinder::bind(const ast::Expression& node) {
  if (&node == known_node_) {
    known_node_ = nullptr;
    return std::move(known_value_);
  }
  ExpressionPtr result = bindKind(node);
  if (result->position < 0) result->position = node.position;
  if (result->type.collation != 0) state_.has_collations = true;
  if (state_.has_collations && isCollatable(result->type)) result->type.collation = derivedCollation(*result).collation;
  return result;
}

ExpressionPtr ExpressionBinder::bindKind(const ast::Expression& node) {
  switch (node.kind) {
    case NodeKind::Column:
      return bindColumn(node);
    case NodeKind::Parameter:
      return bindParameter(node);
    case NodeKind::Integer:
    case NodeKind::Float:
      return bindNumber(node);
    case NodeKind::String:
    case NodeKind::BitString:
    case NodeKind::Boolean:
    case NodeKind::Null:
      return bindLiteral(node);
    case NodeKind::Operator:
      if (node.children.size() == 2 && (isRow(*node.children[0]) || isRow(*node.children[1])))
        return bindRowOperator(node.text, *node.children[0], *node.children[1], node.position);
      return bindOperator(node.text, bindAll(node.children), node.position);
    case NodeKind::Like:
      return bindLike(node);
    case NodeKind::And:
    case NodeKind::Or:
    case NodeKind::Not:
      return bindLogic(node);
    case NodeKind::Function:
      return bindFunction(node);
    case NodeKind::Cast:
      return bindCast(node);
    case NodeKind::Collate:
      return bindCollate(node);
    case NodeKind::Case:
      return bindCase(node);
    case NodeKind::Coalesce:
    case NodeKind::Greatest:
    case NodeKind::Least:
      return bindChoice(node);
    case NodeKind::NullIf:
      return bindNullIf(node);
    case NodeKind::IsDistinct:
    case NodeKind::IsNotDistinct:
      return bindDistinct(node);
    case NodeKind::In:
    case NodeKind::NotIn:
      return bindIn(node);
    case NodeKind::Between:
    case NodeKind::NotBetween:
    case NodeKind::BetweenSymmetric:
    case NodeKind::NotBetweenSymmetric:
      return bindBetween(node);
    case NodeKind::SessionValue:
      return bindSessionValue(node);
    case NodeKind::Subquery:
      return bindScalarSubquery(node);
    case NodeKind::Exists:
      return bindExists(node);
    case NodeKind::Quantified:
      return node.query ? bindQuantified(node) : bindQuantifiedArray(node);
    case NodeKind::Array:
      return bindArray(node, nullptr);
    case NodeKind::ArrayQuery:
      return bindArrayQuery(node);
    case NodeKind::Subscript:
      return bindSubscript(node);
    case NodeKind::Grouping:
      return bindGrouping(node);
    case NodeKind::Row:
      return bindRow(node);
    case NodeKind::Field:
      return bindField(node);
    case NodeKind::Default:
      throw SqlError(sqlstate::kSyntaxError, "DEFAULT is not allowed in this context").position(node.position);
    default:
      return bindTest(node);
  }
}

ExpressionPtr ExpressionBinder::bindCondition(const ast::Expression& node, std::string_view clause) {
  return coercion_.require(bind(node), TypeKind::Boolean, clause);
}

std::vector<ExpressionPtr> ExpressionBinder::bindAll(const std::vector<ast::ExpressionPtr>& nodes) {
  Arguments result;
  result.reserve(nodes.size());
  for (const ast::ExpressionPtr& node : nodes) result.push_back(bind(*node));
  return result;
}

ExpressionPtr ExpressionBinder::copy(const Expression& expression) {
  static constexpr uint64_t kClonedNodesMax = 200'000;
  state_.cloned_nodes += nodeCount(expression);
  if (state_.cloned_nodes > kClonedNodesMax)
    throw SqlError(sqlstate::kStatementTooComplex, "statement is too complex")
        .detail("Nested BETWEEN, CASE and NULLIF would repeat their operands too often.");
  ExpressionPtr result = expression.clone();
  coercion_.refresh(*result);
  return result;
}

ExpressionPtr ExpressionBinder::bindLiteral(const ast::Expression& node) {
  if (node.kind == NodeKind::Null) return Expression::constant(Value::null(Type::of(TypeKind::Unknown)));
  if (node.kind == NodeKind::Boolean)
    return Expression::constant(Value::fromInt(Type::of(TypeKind::Boolean), node.text == "t" ? 1 : 0));
  if (node.kind == NodeKind::BitString) {
    try {
      return Expression::constant(parseText(Type::of(TypeKind::Bit), node.text));
    } catch (SqlError& error) {
      throw error.position(node.position);
    }
  }
  return Expression::constant(Value::fromString(Type::of(TypeKind::Unknown), node.text));
}

ExpressionPtr ExpressionBinder::bindNumber(const ast::Expression& node) {
  int64_t number = 0;
  const char* const end = node.text.data() + node.text.size();
  const auto [stop, error] = std::from_chars(node.text.data(), end, number);
  if (error == std::errc() && stop == end) {
    const bool is_integer = number >= INT32_MIN && number <= INT32_MAX;
    return Expression::constant(Value::fromInt(Type::of(is_integer ? TypeKind::Integer : TypeKind::Bigint), number));
  }
  try {
    return Expression::constant(NumericTyping::constant(parseText(Type::bigNumeric(), node.text)));
  } catch (SqlError& failure) {
    throw failure.position(node.position);
  }
}

/// The scope further in of which this holds; null: there is none. Names of queries further in hide those of queries
/// around them.
const Scope* ExpressionBinder::scopeThat(const std::function<bool(const Scope&)>& knows) {
  auto level = static_cast<int64_t>(state_.outer_levels.size());
  const Scope* scope = &scope_;
  while (!knows(*scope) && level > 0) scope = state_.outer_levels[static_cast<size_t>(--level)].scope;
  if (!knows(*scope)) return nullptr;
  for (AggregateLevel& aggregate : state_.aggregate_levels)
    if (level <= aggregate.written) aggregate.read = std::max(aggregate.read, level);
  return scope;
}

ExpressionPtr ExpressionBinder::bindColumn(const ast::Expression& node) {
  using Conflict = VariableNames::Conflict;
  const VariableNames* const variables = node.is_star ? nullptr : variablesHere();
  if (variables != nullptr && variables->conflict() == Conflict::UseVariable)
    if (ExpressionPtr value = bindVariable(*variables, node)) return value;
  const std::span<const std::string> names = withoutDatabaseOfColumn(node.names, node.position);
  const Scope* scope = node.is_star ? nullptr : scopeThat([&](const Scope& each) {
    return names.size() == 1
               ? each.find(names[0], node.position) != nullptr || each.findHidden(names[0], node.position) != nullptr
               : each.findRange(names.first(names.size() - 1)) != nullptr;
  });
  ExpressionPtr row = scope == nullptr ? bindWholeRow(node) : nullptr;
  const bool is_column = scope != nullptr || row;
  if (is_column && state_.routine != nullptr && state_.routine->mayBeVariable(node.names[0]))
    throw CalledRoutine(state_.routine->oid);
  if (variables != nullptr && is_column && variables->conflict() == Conflict::Error && variables->knows(node.names))
    throw SqlError(sqlstate::kAmbiguousColumn,
                   fmt::format("column reference \"{}\" is ambiguous", fmt::join(node.names, ".")))
        .detail("It could refer to either a PL/pgSQL variable or a table column.")
        .position(node.position);
  if (row) return row;
  if (scope == nullptr && variables != nullptr)
    if (ExpressionPtr value = bindVariable(*variables, node)) return value;
  if (scope == nullptr)
    if (ExpressionPtr value = bindRoutineName(node)) return value;
  if (scope == nullptr) scope = &scope_;
  if (names.size() > 1)
    if (ExpressionPtr call = bindCallOfRow(names, *scope, node.position)) return call;
  const Iu unit = scope->resolve(names, state_.from_levels, node.position);
  state_.noteRead(unit);
  if (names.size() == 1 && state_.made_references != nullptr && state_.view_depth == 0 && node.position >= 0) {
    // As PostgreSQL, a stored query says of which item of FROM a column is.
    const Range* const range = scope->rangeWith(names[0], unit);
    const auto knowsRange = [&](const Scope& each) { return each.findRange(std::span(&range->alias, 1)) != nullptr; };
    if (range != nullptr && scopeThat(knowsRange) == scope)
      state_.stars->push_back(
          {node.position, 1, quotedIdentifier(range->alias) + "." + quotedIdentifier(names[0]), true});
  }
  ExpressionPtr result = Expression::column(unit);
  result->position = node.position;
  return result;
}

/// Of the routine that the statement is a part of; null: none of them are seen from here.
const VariableNames* ExpressionBinder::variablesHere() const {
  return state_.view_depth > 0 || state_.hides_variables ? nullptr : state_.context.variables;
}

ExpressionPtr ExpressionBinder::bindVariable(const VariableNames& variables, const ast::Expression& node) {
  ExpressionPtr value = variables.find(node.names, state_.parameters);
  if (value) value->position = node.position;
  return value;
}

ExpressionPtr ExpressionBinder::bindParameter(const ast::Expression& node) {
  static constexpr uint32_t kParametersMax = 65'535;
  if (state_.routine != nullptr) return bindRoutineParameter(node);
  if (const VariableNames* const variables = variablesHere()) {
    if (ExpressionPtr value = variables->find(node.number, state_.parameters)) return value;
    throw SqlError(sqlstate::kUndefinedParameter, fmt::format("there is no parameter ${}", node.number))
        .position(node.position);
  }
  if (node.number < 1 || node.number > kParametersMax)
    throw SqlError(sqlstate::kUndefinedParameter, fmt::format("there is no parameter ${}", node.number))
        .position(node.position);
  auto result = std::make_unique<Expression>();
  result->kind = Expression::Kind::Parameter;
  result->parameter = node.number - 1;
  if (state_.parameters.size() < node.number) state_.parameters.resize(node.number);
  result->type = state_.parameters[result->parameter];
  result->position = node.position;
  return result;
}

ExpressionPtr ExpressionBinder::bindCollate(const ast::Expression& node) {
  ExpressionPtr value = bind(*node.children[0]);
  const uint16_t collation = resolveCollation(node.names, node.position);
  requireCollatable(value->type, node.position);
  value = coercion_.settle(std::move(value));
  state_.has_collations = true;
  const Type type = value->type.collatedBy(collation);
  ExpressionPtr result = Expression::cast(withoutCollate(std::move(value)), type, true);
  result->is_collate = true;
  return result;
}

ExpressionPtr ExpressionBinder::bindCast(const ast::Expression& node) {
  const NamedType named = resolveTypeName(node.type);
  const Type target = named.type;
  if (target.isDefined()) state_.addType(target);
  noteStoredType(state_, node.type, named);
  const bool is_array = target.isArray() && node.children[0]->kind == NodeKind::Array;
  ExpressionPtr value = is_array ? bindArray(*node.children[0], &target) : bind(*node.children[0]);
  value = coercion_.castExplicitly(std::move(value), target, node.position);
  if (named.domain == 0) return value;
  value = coercion_.toDomain(std::move(value), named.domain);
  value->is_explicit = true;
  return value;
}

ExpressionPtr ExpressionBinder::textConstant(std::string_view text, int32_t position) const {
  ExpressionPtr result = Expression::constant(Value::fromString(Type::of(TypeKind::Text), text));
  result->position = position;
  return result;
}

ExpressionPtr ExpressionBinder::nameConstant(std::string_view text, int32_t position) const {
  ExpressionPtr result = Expression::constant(Value::fromString(Type::of(TypeKind::Name), text));
  result->position = position;
  return result;
}

/// A definition that makes it another one, or a new search path, makes plans anew.
ExpressionPtr ExpressionBinder::currentSchema(int32_t position) const {
  const SchemaPtr schema = state_.context.catalog.creationSchema();
  if (schema) return nameConstant(schema->name, position);
  ExpressionPtr result = Expression::constant(Value::null(Type::of(TypeKind::Name)));
  result->position = position;
  return result;
}

ExpressionPtr ExpressionBinder::bindSessionValue(const ast::Expression& node) {
  state_.is_immutable = false;
  if (node.text == "current_date" || node.text.starts_with("current_time") || node.text.starts_with("localtime")) {
    ExpressionPtr now = makeCall(functionSignatures("now").front(), {}, node.position);
    return coercion_.castExplicitly(std::move(now), resolveTypeName(node.type).type, node.position);
  }
  if (node.text == "current_catalog") return nameConstant(state_.context.database, node.position);
  if (node.text == "current_schema") return currentSchema(node.position);
  if (node.text == "session_user") return nameConstant(state_.context.session_user, node.position);
  return nameConstant(state_.context.user, node.position);
}

ExpressionPtr ExpressionBinder::bindEquality(ExpressionPtr left, ExpressionPtr right) {
  Arguments arguments;
  arguments.push_back(std::move(left));
  arguments.push_back(std::move(right));
  return bindOperator("=", std::move(arguments), -1);
}

}  // namespace gnomon::sql
