#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/comparable.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/sequence_reference.h"
#include "sql/bind/type_name.h"
#include "sql/catalog/sequences.h"
#include "sql/functions/overload.h"
#include "sql/parse/identifier.h"

namespace gnomon::sql {
namespace {

std::string describeCall(const std::vector<std::string>& names, std::span<const ExpressionPtr> arguments) {
  std::string text = names.size() > 1 ? names[0] + "." + names[1] : names[0];
  text += '(';
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) text += ", ";
    text += arguments[i]->type.baseName();
  }
  return text + ')';
}

[[noreturn]] void throwNoFunction(const std::vector<std::string>& names, std::span<const ExpressionPtr> arguments,
                                  OverloadOutcome outcome, int32_t position) {
  if (outcome == OverloadOutcome::Ambiguous)
    throw SqlError(sqlstate::kAmbiguousFunction,
                   fmt::format("function {} is not unique", describeCall(names, arguments)))
        .hint("Could not choose a best candidate function. You might need to add explicit type casts.")
        .position(position);
  throw SqlError(sqlstate::kUndefinedFunction,
                 fmt::format("function {} does not exist", describeCall(names, arguments)))
      .hint("No function matches the given name and argument types. You might need to add explicit type casts.")
      .position(position);
}

bool isArgumentCountOf(std::string_view function, size_t count) {
  return std::ranges::any_of(functionSignatures(function),
                             [count](const Signature& signature) { return signature.argument_count == count; });
}

/// PostgreSQL takes substring's untyped literals for a regular expression too.
bool isPattern(std::span<const ExpressionPtr> arguments) {
  if (arguments.size() < 2 || !coercesImplicitly(arguments[0]->type.kind, TypeKind::Text)) return false;
  return std::ranges::all_of(arguments.subspan(1), [](const ExpressionPtr& argument) {
    const bool is_null = argument->isConstant() && argument->value.is_null;
    return argument->type.isString() && !is_null;
  });
}

/// PostgreSQL has these for bit strings too, which it prefers for an untyped first argument and an integer.
bool isOfBitString(std::string_view name, std::span<const TypeKind> kinds) {
  if (name != "get_bit" && name != "set_bit") return false;
  return kinds.size() > 1 && kinds[0] == TypeKind::Unknown && kinds[1] == TypeKind::Integer;
}

/// With these arguments it cannot decide between bit strings and bytea.
bool isBitStringOrBytea(std::string_view name, std::span<const TypeKind> kinds) {
  if (kinds.empty() || kinds[0] != TypeKind::Unknown) return false;
  if (name == "bit_count") return kinds.size() == 1;
  if (name != "get_bit" && name != "set_bit") return false;
  return kinds.size() > 1 && (kinds[1] == TypeKind::Unknown || kinds[1] == TypeKind::Smallint);
}

}  // namespace

ExpressionPtr ExpressionBinder::bindFunction(const ast::Expression& node) {
  if (node.names.size() > 2) throwNotSupported("cross-database references", node.position);
  const std::string& name = node.names.back();
  const bool in_catalog = node.names.size() == 1 || node.names[0] == "pg_catalog";
  if (in_catalog && !aggregateSignatures(name).empty()) return bindAggregate(node, name);
  const bool names_sequence = in_catalog && takesSequence(name) && isArgumentCountOf(name, node.children.size());
  Arguments arguments = names_sequence ? bindSequenceArguments(node) : bindAll(node.children);
  if (!in_catalog) {
    if (node.names[0] != "public")
      throw SqlError(sqlstate::kInvalidSchemaName, fmt::format("schema \"{}\" does not exist", node.names[0]))
          .position(node.position);
    throwNoFunction(node.names, arguments, OverloadOutcome::None, node.position);
  }
  ExpressionPtr result = bindScalarFunction(node, name, std::move(arguments));
  if (node.is_star || node.is_distinct)
    throw SqlError(sqlstate::kWrongObjectType,
                   node.is_star ? fmt::format("{}(*) specified, but {} is not an aggregate function", name, name)
                                : fmt::format("DISTINCT specified, but {} is not an aggregate function", name))
        .position(node.position);
  return result;
}

/// A literal names its sequence now, whatever name that gets later; anything else does so when it is executed.
ExpressionBinder::Arguments ExpressionBinder::bindSequenceArguments(const ast::Expression& node) {
  Arguments arguments;
  for (const ast::ExpressionPtr& child : node.children) {
    const bool is_cast = arguments.empty() && isRegclassCast(*child);
    const ast::Expression& argument = is_cast ? *child->children[0] : *child;
    if (!arguments.empty() || argument.kind != ast::Expression::Kind::String) {
      arguments.push_back(bind(argument));
      continue;
    }
    try {
      const TablePtr sequence = findSequence(state_.context.catalog, argument.text);
      state_.addTable(sequence);
      arguments.push_back(Expression::constant(Value::fromInt(Type::of(TypeKind::Bigint), sequence->oid)));
    } catch (SqlError& error) {
      // What is no sequence is found out when it is executed there.
      if (!(error.state() == sqlstate::kWrongObjectType)) error.position(argument.position);
      throw;
    }
  }
  return arguments;
}

/// pg_get_serial_sequence(table, column): of literals. Null: it is another function.
ExpressionPtr ExpressionBinder::bindOwnedSequence(std::string_view name, const Arguments& arguments, int32_t position) {
  if (name != "pg_get_serial_sequence" || arguments.size() != 2) return nullptr;
  state_.is_immutable = false;
  if (std::ranges::any_of(arguments, [](const ExpressionPtr& each) { return !each->isConstant(); }))
    throwNotSupported("pg_get_serial_sequence of something else than literals", position);
  const Value none = Value::null(Type::of(TypeKind::Text));
  if (arguments[0]->value.is_null || arguments[1]->value.is_null) return Expression::constant(none);
  const std::string text(arguments[0]->value.bytes), column(arguments[1]->value.bytes);
  const TablePtr table = findRelation(state_.context.catalog, text);
  if (table == nullptr) throw SqlError(sqlstate::kUndefinedTable, fmt::format("relation \"{}\" does not exist", text));
  state_.addTable(table);
  const auto found = std::ranges::find(table->columns, column, &ColumnEntry::name);
  if (found == table->columns.end() || column.empty())
    throw SqlError(sqlstate::kUndefinedColumn,
                   fmt::format("column \"{}\" of relation \"{}\" does not exist", column, table->name));
  const auto owned =
      ownedSequences(state_.context.catalog, table->oid, static_cast<uint32_t>(found - table->columns.begin()));
  if (owned.empty()) return Expression::constant(none);
  state_.addTable(owned.front());
  return textConstant("public." + quotedIdentifier(owned.front()->name), position);
}

ExpressionPtr ExpressionBinder::bindScalarFunction(const ast::Expression& node, std::string_view name,
                                                   Arguments arguments) {
  if (ExpressionPtr result = bindSessionFunction(name, arguments, node.position)) {
    state_.is_immutable = false;
    return result;
  }
  if (ExpressionPtr result = bindOwnedSequence(name, arguments, node.position)) return result;
  const auto signatures = functionSignatures(name);
  if (name == "timezone" && arguments.size() == 2 && arguments[1]->type.kind == TypeKind::Time)
    throwNotSupported("type \"time with time zone\"", node.position);
  if ((name == "age" && arguments.size() == 1) || (name == "to_timestamp" && arguments.size() == 2))
    throwNotSupported(
        fmt::format("function \"{}\" with {} argument{}", name, arguments.size(), arguments.size() == 1 ? "" : "s"),
        node.position);
  std::vector<TypeKind> kinds;
  for (const ExpressionPtr& argument : arguments) kinds.push_back(argument->type.kind);
  if (name == "substring" && isPattern(arguments))
    throwNotSupported("SUBSTRING with a regular expression", node.position);
  if (isOfBitString(name, kinds)) throwNotSupported("type \"bit\"", node.position);
  const Signature* chosen = nullptr;
  OverloadOutcome outcome = chooseFunction(signatures, kinds, chosen);
  if (outcome == OverloadOutcome::Found && isBitStringOrBytea(name, kinds)) outcome = OverloadOutcome::Ambiguous;
  if (outcome == OverloadOutcome::Found) return makeCall(*chosen, std::move(arguments), node.position);
  // float8(x), date('...'): a cast written as a call.
  const auto kind = findTypeKind(name);
  if (outcome == OverloadOutcome::None && kind && arguments.size() == 1 &&
      Coercion::isPossible(*arguments[0], *kind, CastContext::Explicit))
    return coercion_.castExplicitly(std::move(arguments[0]), Type::of(*kind), node.position);
  if (signatures.empty() && isMissingFunction(name))
    throwNotSupported(fmt::format("function \"{}\"", name), node.position);
  throwNoFunction(node.names, arguments, outcome, node.position);
}

ExpressionPtr ExpressionBinder::bindSessionFunction(std::string_view name, const Arguments& arguments,
                                                    int32_t position) {
  if (name == "pg_typeof" && arguments.size() == 1) return textConstant(arguments[0]->type.baseName(), position);
  if (!arguments.empty()) return nullptr;
  if (name == "version") return textConstant(state_.context.version, position);
  if (name == "current_database") return textConstant(state_.context.database, position);
  if (name == "current_schema") return textConstant("public", position);
  if (name == "current_user" || name == "session_user") return textConstant(state_.context.user, position);
  return nullptr;
}

ExpressionPtr ExpressionBinder::bindAggregate(const ast::Expression& node, std::string_view name) {
  if (in_aggregate_)
    throw SqlError(sqlstate::kGroupingError, "aggregate function calls cannot be nested").position(node.position);
  if (aggregation_ == nullptr)
    throw SqlError(sqlstate::kGroupingError, fmt::format("aggregate functions are not allowed in {}", clause_))
        .position(node.position);
  in_aggregate_ = true;
  Arguments arguments = bindAll(node.children);
  in_aggregate_ = false;
  const auto signatures = aggregateSignatures(name);
  if (node.is_star && signatures[0].takes_any)
    return addAggregate({name, AggregateId::CountRows, TypeKind::Unknown, TypeKind::Bigint, true}, nullptr, false,
                        node.position);
  if (name == "count" && arguments.empty())
    throw SqlError(sqlstate::kWrongObjectType, "count(*) must be used to call a parameterless aggregate function")
        .position(node.position);
  if (arguments.size() != 1) throwNoFunction(node.names, arguments, OverloadOutcome::None, node.position);
  if (signatures[0].takes_any) {
    // DISTINCT sorts, for which a parameter becomes text.
    arguments[0] =
        node.is_distinct ? coercion_.settle(std::move(arguments[0])) : coercion_.settleAny(std::move(arguments[0]));
    if (node.is_distinct) requireEquality(arguments[0]->type, leftmostPosition(*arguments[0]));
    return addAggregate(signatures[0], std::move(arguments[0]), node.is_distinct, node.position);
  }
  std::vector<std::span<const TypeKind>> candidates;
  for (const AggregateSignature& signature : signatures) candidates.emplace_back(&signature.argument, 1);
  const TypeKind kind = arguments[0]->type.kind;
  size_t index = 0;
  const OverloadOutcome outcome = chooseOverload(candidates, {&kind, 1}, index);
  if (outcome != OverloadOutcome::Found) throwNoFunction(node.names, arguments, outcome, node.position);
  return addAggregate(signatures[index], std::move(arguments[0]), node.is_distinct, node.position);
}

Type ExpressionBinder::aggregateType(const AggregateSignature& signature, ExpressionPtr& argument) {
  if (signature.takes_any) return Type::of(TypeKind::Bigint);
  argument = coercion_.toKind(std::move(argument), signature.argument);
  if (signature.result != TypeKind::Numeric) return Type::of(signature.result);
  const Type result = coercion_.typing().aggregate(signature.function, argument->type);
  if (result.isBig() && signature.function != AggregateId::Average && argument->type.kind == TypeKind::Numeric)
    argument = coercion_.toBig(std::move(argument));
  return result;
}

ExpressionPtr ExpressionBinder::addAggregate(const AggregateSignature& signature, ExpressionPtr argument,
                                             bool is_distinct, int32_t position) {
  const Type type = aggregateType(signature, argument);
  Iu unit = nullptr;
  for (const Aggregation::Aggregate& known : aggregation_->aggregates) {
    const bool same_argument =
        known.argument == nullptr ? argument == nullptr : argument != nullptr && known.argument->equals(*argument);
    if (known.function == signature.function && known.distinct == is_distinct && same_argument) unit = known.iu;
  }
  if (unit == nullptr) {
    const bool is_count = signature.function == AggregateId::Count || signature.function == AggregateId::CountRows;
    unit = state_.plan->makeUnit(std::string(signature.name), type, !is_count);
    aggregation_->aggregates.push_back({unit, signature.function, std::move(argument), is_distinct});
  }
  ExpressionPtr result = Expression::column(unit);
  result->position = position;
  return result;
}

}  // namespace gnomon::sql
