#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/bind_hosted.h"
#include "sql/bind/collation.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/hypothetical_row.h"
#include "sql/bind/no_function.h"
#include "sql/bind/sequence_reference.h"
#include "sql/bind/set_functions.h"
#include "sql/bind/stored_reference.h"
#include "sql/bind/stored_text.h"
#include "sql/bind/type_name.h"
#include "sql/catalog/sequences.h"
#include "sql/functions/overload.h"
#include "sql/functions/parameter_names.h"
#include "sql/functions/value_function.h"
#include "sql/parse/identifier.h"
#include "sql/pg_catalog/facts.h"
#include "sql/pg_catalog/functions.h"
#include "sql/types/collation.h"

namespace gnomon::sql {
namespace {

bool isArgumentCountOf(std::string_view function, size_t count) {
  return std::ranges::any_of(functionSignatures(function),
                             [count](const Signature& signature) { return signature.argument_count == count; });
}

/// Whether substring's arguments are a text and patterns.
bool isPattern(std::span<const ExpressionPtr> arguments) {
  if (arguments.size() < 2 || !coercesImplicitly(arguments[0]->type.kind, TypeKind::Text)) return false;
  const auto isNull = [](const ExpressionPtr& argument) {
    return argument->type.kind == TypeKind::Unknown && argument->isConstant() && argument->value.is_null;
  };
  const auto isText = [&](const ExpressionPtr& argument) { return argument->type.isString() && !isNull(argument); };
  const auto patterns = arguments.subspan(1);
  return std::ranges::any_of(patterns, isText) && std::ranges::all_of(patterns, [&](const ExpressionPtr& pattern) {
           return isText(pattern) || isNull(pattern);
         });
}

/// age of an untyped literal, which PostgreSQL has for transactions' numbers too.
bool isTimestampOrTransaction(std::string_view name, std::span<const TypeKind> kinds) {
  return name == "age" && kinds.size() == 1 && kinds[0] == TypeKind::Unknown;
}

/// Those of JSON that take a list of arguments.
bool isOfJson(std::string_view name) {
  return name.starts_with("json") && (name.contains("_extract_path") || name.contains("_build_"));
}

/// What WITHIN GROUP orders by: the last arguments of functions that are no aggregates.
std::vector<const ast::Expression*> keysWithinGroup(const ast::Expression& node) {
  std::vector<const ast::Expression*> keys;
  if (node.is_within_group)
    for (const ast::SortItem& item : node.order) keys.push_back(item.expression.get());
  return keys;
}

}  // namespace

ExpressionPtr ExpressionBinder::bindNamedFunction(const ast::Expression& node) {
  const std::string& name = node.names.back();
  const bool in_catalog = node.names.size() == 1 || node.names[0] == "pg_catalog";
  const auto bindGiven = [&] {
    Arguments given = bindAll(node.children);
    for (const ast::Expression* each : keysWithinGroup(node)) given.push_back(bind(*each));
    return given;
  };
  // A name that the system's functions have means them, unless they do not take the arguments.
  if (node.names.size() == 2 ? !in_catalog && node.names[0] != "information_schema" : !pg_catalog::hasProcedure(name)) {
    const std::string& schema = node.names.size() == 2 ? node.names[0] : std::string();
    if (oidOf(schema) || !state_.context.catalog.findRoutines(schema, name).empty()) {
      Arguments arguments = bindGiven();
      OverloadOutcome outcome{};
      if (ExpressionPtr result = bindRoutine(node, arguments, outcome)) return result;
      // A stored expression does not say what it is called now.
      const std::optional<uint32_t> oid = oidOf(schema);
      const TablePtr entry = oid ? state_.context.catalog.findEntry(*oid) : nullptr;
      const std::vector<std::string> shown{entry && entry->routine ? entry->routine->name : name};
      throwNoFunction(oid ? shown : node.names, arguments, outcome, node.position, node.argument_names);
    }
  }
  const bool is_aggregate = in_catalog && !aggregateSignatures(name).empty();
  const bool has_window = in_catalog && node.over && (is_aggregate || isWindowFunction(name));
  if (!node.argument_names.empty() && (is_aggregate || has_window)) {
    // None of them has parameters with names.
    const Arguments given = bindAll(node.children);
    throwNoFunction(node.names, given, OverloadOutcome::None, node.position, node.argument_names);
  }
  if (has_window) return bindWindowFunction(node, name);
  if (is_aggregate) return bindAggregate(node, name);
  if (in_catalog && node.is_within_group && isHypotheticalAggregate(name)) return bindAggregate(node, name);
  if (in_catalog && isWindowFunction(name))
    throw SqlError(sqlstate::kWrongObjectType, fmt::format("window function {} requires an OVER clause", name))
        .position(node.position);
  if (isSetFunction(node)) return bindSetFunction(node);
  const bool names_sequence = in_catalog && takesSequence(name) && isArgumentCountOf(name, node.children.size());
  Arguments arguments = names_sequence ? bindSequenceArguments(node) : bindGiven();
  if (!in_catalog) {
    if (ExpressionPtr result = bindExtensionFunction(state_, coercion_, clause_.name, node, arguments)) return result;
    const CatalogView& catalog = state_.context.catalog;
    if (!catalog.findSchema(catalog.searchPath().actual(node.names[0])) && node.names[0] != kTemporarySchema)
      raiseNoSchema(node.names[0], node.position);
    throwNoFunction(node.names, arguments, OverloadOutcome::None, node.position);
  }
  arguments = arrangeByName(node, std::move(arguments));
  ExpressionPtr result = node.is_variadic && !isOfJson(name) ? bindVariadicCall(node, name, arguments)
                                                             : bindScalarFunction(node, name, std::move(arguments));
  refuseAggregateWords(node);
  return result;
}

ExpressionBinder::Arguments ExpressionBinder::bindArranged(const ast::Expression& node) {
  return arrangeByName(node, bindAll(node.children));
}

/// The arguments in the order of the parameters, defaults in the gaps.
ExpressionBinder::Arguments ExpressionBinder::arrangeByName(const ast::Expression& node, Arguments arguments) {
  const std::vector<std::string>& names = node.argument_names;
  if (names.empty()) return arguments;
  const auto first = static_cast<size_t>(
      std::ranges::find_if(names, [](const std::string& name) { return !name.empty(); }) - names.begin());
  for (size_t i = first; i < names.size(); ++i) {
    if (names[i].empty())
      throw SqlError(sqlstate::kSyntaxError, "positional argument cannot follow named argument")
          .position(leftmostPosition(*arguments[i]));
    if (std::find(names.begin() + static_cast<ptrdiff_t>(first), names.begin() + static_cast<ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<ptrdiff_t>(i))
      throw SqlError(sqlstate::kSyntaxError, fmt::format("argument name \"{}\" used more than once", names[i]))
          .position(node.name_positions[i]);
  }
  const auto places = placeNamedArguments(node.names.back(), names);
  if (!places) throwNoFunction(node.names, arguments, OverloadOutcome::None, node.position, names);
  Arguments arranged;
  for (const ArgumentPlace& place : *places) {
    if (place.argument >= 0)
      arranged.push_back(std::move(arguments[static_cast<size_t>(place.argument)]));
    else
      arranged.push_back(Expression::constant(Value::fromString(Type::of(TypeKind::Unknown), place.default_text)));
  }
  return arranged;
}

/// Failure: where no set may be, before and behind the binding of its arguments.
void ExpressionBinder::refuseSetInCall(const ast::Expression& node) const {
  const auto refuse = [&](const char* message) {
    throw SqlError(sqlstate::kFeatureNotSupported, message).position(node.position);
  };
  if (in_aggregate_) refuse("aggregate function calls cannot contain set-returning function calls");
  if (in_window_) refuse("window function calls cannot contain set-returning function calls");
}

void ExpressionBinder::refuseSet(const ast::Expression& node) const {
  const auto refuse = [&](std::string message) {
    throw SqlError(sqlstate::kFeatureNotSupported, std::move(message)).position(node.position);
  };
  if (clause_.name == kFunctionsInFrom) refuse("set-returning functions must appear at top level of FROM");
  if (clause_.sets == nullptr) refuse(fmt::format("set-returning functions are not allowed in {}", clause_.name));
  if (!choice_.empty())
    throw SqlError(sqlstate::kFeatureNotSupported,
                   fmt::format("set-returning functions are not allowed in {}", choice_))
        .hint("You might be able to move the set-returning function into a LATERAL FROM item.")
        .position(node.position);
}

/// A function that returns sets, in a select list. Of rows: a record of the columns, NULL where the set has ended
/// before another one.
ExpressionPtr ExpressionBinder::bindSetFunction(const ast::Expression& node) {
  refuseSetInCall(node);
  Arguments arguments = bindArranged(node);
  for (const ast::Expression* each : keysWithinGroup(node)) arguments.push_back(bind(*each));
  std::vector<SetCall> calls = bindSetCalls(state_, node, std::move(arguments), node.names.back(), false);
  refuseSet(node);
  std::string names;
  std::vector<Iu> columns;
  for (SetCall& call : calls) {
    columns.push_back(clause_.sets->add(std::move(call)));
    names.append(columns.back()->name).push_back('\0');
  }
  if (columns.size() > 1) return bindPresentRow(columns, names, columns[presentColumn(node)], node.position);
  ExpressionPtr result = Expression::column(columns.front());
  result->position = node.position;
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
      noteObjectLiteral(state_, argument.position, Type::of(TypeKind::Regclass), sequence->oid);
      arguments.push_back(Expression::constant(Value::fromInt(Type::of(TypeKind::Regclass), sequence->oid)));
    } catch (SqlError& error) {
      // What is no sequence is found out when it is executed there.
      if (!(error.state() == sqlstate::kWrongObjectType)) error.position(argument.position);
      throw;
    }
  }
  return arguments;
}

/// Null: there is none for these arguments.
ExpressionPtr ExpressionBinder::bindCatalogFunction(std::string_view name, Arguments& arguments, int32_t position) {
  const auto& functions = pg_catalog::catalogFunctions();
  std::vector<std::span<const TypeKind>> lists;
  std::vector<size_t> numbers;
  for (size_t i = 0; i < functions.size(); ++i) {
    if (functions[i].name != name) continue;
    lists.emplace_back(functions[i].arguments);
    numbers.push_back(i);
  }
  if (lists.empty()) return nullptr;
  std::vector<TypeKind> kinds;
  for (const ExpressionPtr& argument : arguments) kinds.push_back(argument->type.kind);
  size_t chosen = 0;
  if (chooseOverload(lists, kinds, chosen) != OverloadOutcome::Found) return nullptr;
  const pg_catalog::CatalogFunction& function = functions[numbers[chosen]];
  for (size_t i = 0; i < arguments.size(); ++i)
    arguments[i] = function.arguments[i] == TypeKind::Numeric
                       ? coercion_.toBig(coercion_.toKind(std::move(arguments[i]), TypeKind::Numeric))
                       : coercion_.toKind(std::move(arguments[i]), function.arguments[i]);
  state_.is_immutable = false;
  ExpressionPtr call = Expression::arrayCall(pg_catalog::catalogFunctionId(numbers[chosen]), Type::of(function.result),
                                             std::move(arguments));
  call->position = position;
  return call;
}

ExpressionPtr ExpressionBinder::bindScalarFunction(const ast::Expression& node, std::string_view name,
                                                   Arguments arguments) {
  if (ExpressionPtr result = bindSessionFunction(name, arguments, node.position)) {
    state_.is_immutable = false;
    return result;
  }
  if (ExpressionPtr result = bindHostedFunction(state_, coercion_, name, arguments, node.position)) return result;
  if (ExpressionPtr result = bindCatalogFunction(name, arguments, node.position)) return result;
  if (ExpressionPtr result = bindSystemFunction(name, arguments, node.position)) return result;
  if (ExpressionPtr result = bindJsonFunction(node, name, arguments)) return result;
  if (ExpressionPtr result = bindTextFunction(name, arguments, node.position)) return result;
  if (ExpressionPtr result = bindArrayFunction(name, arguments, node.position)) return result;
  const auto signatures = functionSignatures(name);
  if (name == "overlaps") return bindOverlaps(node, std::move(arguments));
  std::vector<TypeKind> kinds;
  for (const ExpressionPtr& argument : arguments) kinds.push_back(argument->type.kind);
  if (name == "substring" && arguments.size() == 3 && isPattern(arguments)) {
    // SUBSTRING(text SIMILAR pattern ESCAPE escape)
    Arguments pattern;
    for (size_t i = 1; i < 3; ++i) pattern.push_back(coercion_.toKind(std::move(arguments[i]), TypeKind::Text));
    arguments.resize(1);
    arguments.push_back(Expression::call(FunctionId::SimilarPattern, Type::of(TypeKind::Text), std::move(pattern)));
    kinds.resize(1);
    kinds.push_back(TypeKind::Text);
  }
  const Signature* chosen = nullptr;
  OverloadOutcome outcome = chooseFunction(signatures, kinds, chosen);
  const bool is_ambiguous = isTimestampOrTransaction(name, kinds);
  if (outcome == OverloadOutcome::Found && is_ambiguous) outcome = OverloadOutcome::Ambiguous;
  if (outcome == OverloadOutcome::Found && chosen->function == FunctionId::Age && arguments.size() == 1)
    return bindAgeToday(*chosen, std::move(arguments[0]), node.position);
  if (outcome == OverloadOutcome::Found) return makeCall(*chosen, std::move(arguments), node.position);
  if (ExpressionPtr result = bindEnumFunction(name, arguments, node.position)) return result;
  if (OverloadOutcome of_users{}; outcome == OverloadOutcome::None && node.names.size() == 1)
    if (ExpressionPtr result = bindRoutine(node, arguments, of_users)) return result;
  if (node.names.size() == 1)
    if (ExpressionPtr result = bindExtensionFunction(state_, coercion_, clause_.name, node, arguments)) return result;
  // float8(x), date('...'): a cast written as a call. None of rows.
  const auto kind = findTypeKind(name);
  if (outcome == OverloadOutcome::None && kind && arguments.size() == 1 && node.argument_names.empty() &&
      !arguments[0]->type.isRecord() && Coercion::isPossible(*arguments[0], *kind, CastContext::Explicit))
    return coercion_.castExplicitly(std::move(arguments[0]), Type::of(*kind), node.position);
  if (signatures.empty() && isMissingFunction(name))
    throwNotSupported(fmt::format("function \"{}\"", name), node.position);
  throwNoNamedFunction(node, arguments, outcome);
}

/// age(x): between x and the beginning of today.
ExpressionPtr ExpressionBinder::bindAgeToday(const Signature& signature, ExpressionPtr argument, int32_t position) {
  const TypeKind kind = signature.arguments[0];
  ExpressionPtr today = makeCall(functionSignatures("now").front(), {}, position);
  today = coercion_.castExplicitly(std::move(today), Type::of(TypeKind::Date), position);
  Arguments arguments;
  arguments.push_back(coercion_.castExplicitly(std::move(today), Type::of(kind), position));
  arguments.push_back(std::move(argument));
  const TypeKind kinds[] = {kind, kind};
  const Signature* chosen = nullptr;
  chooseFunction(functionSignatures("age"), kinds, chosen);
  return makeCall(*chosen, std::move(arguments), position);
}

/// Of any value, or of the transaction.
ExpressionPtr ExpressionBinder::bindSystemFunction(std::string_view name, Arguments& arguments, int32_t position) {
  ExpressionPtr call;
  if (name == "pg_column_size" && arguments.size() == 1) {
    if (arguments[0]->type.kind != TypeKind::Unknown || !arguments[0]->isConstant())
      arguments[0] = coercion_.settle(std::move(arguments[0]));
    if (arguments[0]->type.kind == TypeKind::Numeric) arguments[0] = coercion_.toBig(std::move(arguments[0]));
    call = Expression::arrayCall(internalFunction("$pg_column_size", 1), Type::of(TypeKind::Integer),
                                 std::move(arguments));
  }
  const bool is_number = name == "pg_current_xact_id", is_number_if_any = name == "pg_current_xact_id_if_assigned";
  if ((is_number || is_number_if_any) && arguments.empty()) {
    const std::string_view below = is_number ? "txid_current" : "txid_current_if_assigned";
    Arguments number;
    number.push_back(makeCall(functionSignatures(below).front(), {}, position));
    call = Expression::arrayCall(internalFunction("$xid8", 1), Type::of(TypeKind::Xid8), std::move(number));
  }
  if (name == "age" && arguments.size() == 1 && arguments[0]->type.kind == TypeKind::Xid) {
    arguments.push_back(makeCall(functionSignatures("txid_current").front(), {}, position));
    call = Expression::arrayCall(internalFunction("$xid_age", 2), Type::of(TypeKind::Integer), std::move(arguments));
  }
  if (call == nullptr) return nullptr;
  state_.is_immutable = false;
  call->position = position;
  return call;
}

ExpressionPtr ExpressionBinder::bindSessionFunction(std::string_view name, const Arguments& arguments,
                                                    int32_t position) {
  if (name == "pg_typeof" && arguments.size() == 1)
    return Expression::constant(Value::fromInt(Type::of(TypeKind::Regtype), arguments[0]->type.oid()));
  if (name == "pg_collation_for" && arguments.size() == 1) {
    const bool is_literal = arguments[0]->type.kind == TypeKind::Unknown;
    if (is_literal) return Expression::constant(Value::null(Type::of(TypeKind::Text)));
    requireCollatable(arguments[0]->type, position);
    const uint16_t collation = derivedCollation(*arguments[0]).collation;
    if (collation == kIndeterminateCollation) return Expression::constant(Value::null(Type::of(TypeKind::Text)));
    return textConstant(quotedIdentifier(knownCollation(collation).name), position);
  }
  if (!arguments.empty()) return nullptr;
  // There are no standby servers, and sessions begin after recovery.
  if (name == "pg_is_in_recovery") return Expression::constant(Value::fromInt(Type::of(TypeKind::Boolean), 0));
  if (name == "getdatabaseencoding") return textConstant("UTF8", position);
  if (name == "version") return textConstant(state_.context.version, position);
  if (name == "current_database") return nameConstant(state_.context.database, position);
  if (name == "current_schema") return currentSchema(position);
  if (name == "current_user") return nameConstant(state_.context.user, position);
  if (name == "getpgusername") return nameConstant(state_.context.user, position);
  if (name == "session_user") return nameConstant(state_.context.session_user, position);
  return nullptr;
}

}  // namespace gnomon::sql
