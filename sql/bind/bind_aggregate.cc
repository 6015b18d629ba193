#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/algebra/rewrite.h"
#include "sql/bind/collation.h"
#include "sql/bind/comparable.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/hypothetical_row.h"
#include "sql/bind/no_function.h"
#include "sql/functions/overload.h"
#include "sql/parse/written_alike.h"
#include "sql/types/collation.h"

namespace gnomon::sql {
namespace {

bool isSame(const ExpressionPtr& one, const ExpressionPtr& other) {
  if (one == nullptr || other == nullptr) return one == other;
  return one->equals(*other) && !one->isVolatile();
}

/// Keys that are the argument as it was written mean what the call made of it.
void orderByArgument(const Expression& written, const Expression& argument, std::vector<SortKey>& order) {
  for (SortKey& key : order)
    if (key.expression->equals(written)) key.expression = argument.clone();
}

}  // namespace

ExpressionPtr whereTrue(ExpressionPtr value, const Expression* filter) {
  if (filter == nullptr) return value;
  auto result = std::make_unique<Expression>();
  result->kind = Expression::Kind::Case;
  result->type = value->type;
  ExpressionPtr otherwise = Expression::constant(Value::null(value->type));
  result->children.push_back(filter->clone());
  result->children.push_back(std::move(value));
  result->children.push_back(std::move(otherwise));
  return result;
}

struct ExpressionBinder::AggregateCall {
  ExpressionPtr argument = nullptr;  ///< null: of count(*)
  ExpressionPtr second = nullptr;
  bool is_distinct = false;
  ExpressionPtr filter = nullptr;
  std::vector<SortKey> order = {};
};

ExpressionPtr ExpressionBinder::bindAggregate(const ast::Expression& node, std::string_view name) {
  // Its columns decide whose it is; subqueries in it are refused where aggregates are. One that it stands in itself
  // must be of another query.
  const bool is_within = in_aggregate_;
  const auto own_level = static_cast<int64_t>(state_.outer_levels.size());
  state_.aggregate_levels.push_back({own_level});
  in_aggregate_ = true;
  Arguments arguments = bindAll(node.children);
  // What is asked for before WITHIN GROUP does not decide, but must not be of a query further in.
  const int64_t direct = node.is_within_group ? std::exchange(state_.aggregate_levels.back().read, -1) : -1;
  std::vector<SortKey> order;
  for (const ast::SortItem& item : node.order) {
    // What is an argument as well is bound once: of a function that is a query here, another one would be another
    // value.
    const auto argument = std::ranges::find_if(
        node.children, [&](const ast::ExpressionPtr& each) { return isWrittenAlike(*each, *item.expression); });
    ExpressionPtr key =
        coercion_.settle(argument == node.children.end() || node.is_within_group
                             ? bind(*item.expression)
                             : arguments[static_cast<size_t>(argument - node.children.begin())]->clone());
    requireSortable(item, *key, leftmostPosition(*key));
    order.push_back({std::move(key), item.descending, item.nulls_first});
  }
  in_aggregate_ = is_within;
  const Clause filter_clause{.name = "FILTER", .subqueries = clause_.argument_subqueries};
  ExpressionPtr filter =
      node.filter ? ExpressionBinder(state_, scope_, filter_clause).bindCondition(*node.filter, "FILTER") : nullptr;
  const AggregateLevel bound = std::move(state_.aggregate_levels.back());
  state_.aggregate_levels.pop_back();
  const int64_t level = bound.read < 0 ? own_level : bound.read;
  if (direct > level)
    throw SqlError(sqlstate::kGroupingError,
                   "outer-level aggregate cannot contain a lower-level variable in its direct arguments")
        .position(leftmostPosition(*arguments.front()));
  for (AggregateLevel& around : state_.aggregate_levels) around.within.push_back(level);
  Aggregation& aggregation = aggregationOf(node, level);
  if (level != own_level && clause_.argument_subqueries != nullptr) {
    // The subqueries in it are the other query's, too.
    SubqueryJoins& theirs = *state_.outer_levels[static_cast<size_t>(level)].clause->argument_subqueries;
    for (const ExpressionPtr& argument : arguments) clause_.argument_subqueries->moveRead(*argument, theirs);
    for (const SortKey& key : order) clause_.argument_subqueries->moveRead(*key.expression, theirs);
    if (filter) clause_.argument_subqueries->moveRead(*filter, theirs);
  }
  if (std::ranges::find(bound.within, level) != bound.within.end() ||
      std::ranges::find(state_.aggregate_levels, level, &AggregateLevel::written) != state_.aggregate_levels.end())
    throw SqlError(sqlstate::kGroupingError, "aggregate function calls cannot be nested").position(node.position);
  return makeAggregate(aggregation, node, name, std::move(arguments), std::move(filter), std::move(order));
}

/// The collation of ICU that orders the text; 0: it has none, or is no text.
uint16_t ExpressionBinder::icuCollation(const ExpressionPtr& value, int32_t position) {
  if (!state_.has_collations || !isCollatable(value->type)) return 0;
  const uint16_t collation = comparisonCollation({&value, 1});
  if (!isOfIcu(collation)) return 0;
  if (value->type.isArray() || value->type.kind == TypeKind::Char)
    throwNotSupported(fmt::format("the order of type {} by a collation of ICU", value->type.baseName()), position);
  return collation;
}

/// The aggregate as a column of the aggregation.
ExpressionPtr ExpressionBinder::makeAggregate(Aggregation& aggregation, const ast::Expression& node,
                                              std::string_view name, Arguments arguments, ExpressionPtr filter,
                                              std::vector<SortKey> order) {
  if (isHypotheticalAggregate(name)) {
    requireHypotheticalRow(node, arguments, order);
    for (const SortKey& key : order)
      if (icuCollation(key.expression, node.position) != 0)
        throwNotSupported("a hypothetical row by a collation of ICU", node.position);
    const HypotheticalRow row = placeHypotheticalRow(coercion_, order, arguments, [&](ExpressionPtr asked) {
      return directArgument(aggregation, std::move(asked));
    });
    const auto count = [&](ExpressionPtr counted, bool is_distinct) {
      AggregateCall call{std::move(counted), nullptr, is_distinct, filter ? filter->clone() : nullptr};
      return addAggregate(aggregation, aggregateSignatures("count")[0], std::move(call), node.position);
    };
    ExpressionPtr result = hypotheticalResult(name, row, count);
    result->position = node.position;
    return result;
  }
  const auto signatures = aggregateSignatures(name);
  if (isOrderedSet(signatures[0].function))
    return bindOrderedSet(aggregation, node, signatures[0], std::move(arguments), std::move(filter), std::move(order));
  if (node.is_within_group) {
    for (SortKey& key : order) arguments.push_back(std::move(key.expression));
    if (arguments.size() != 1) throwNoFunction(node.names, arguments, OverloadOutcome::None, node.position);
    throw SqlError(sqlstate::kWrongObjectType,
                   fmt::format("{} is not an ordered-set aggregate, so it cannot have WITHIN GROUP", name))
        .position(node.position);
  }
  if (dependsOnOrder(signatures[0].function))
    return bindCollection(aggregation, node, signatures, std::move(arguments), std::move(filter), std::move(order));
  if (node.is_star && signatures[0].takes_any) {
    if (filter == nullptr)
      return addAggregate(aggregation, {name, AggregateId::CountRows, TypeKind::Unknown, TypeKind::Bigint, true}, {},
                          node.position);
    ExpressionPtr one = Expression::constant(Value::fromInt(Type::of(TypeKind::Integer), 1));
    return addAggregate(aggregation, signatures[0], {std::move(one), nullptr, false, std::move(filter)}, node.position);
  }
  if (name == "count" && arguments.empty())
    throw SqlError(sqlstate::kWrongObjectType, "count(*) must be used to call a parameterless aggregate function")
        .position(node.position);
  if (isRegression(signatures[0].function))
    return bindPairAggregate(aggregation, node, signatures[0], std::move(arguments), std::move(filter));
  if (arguments.size() != 1) throwNoFunction(node.names, arguments, OverloadOutcome::None, node.position);
  if (signatures[0].takes_any) {
    // DISTINCT sorts, for which a parameter becomes text.
    arguments[0] =
        node.is_distinct ? coercion_.settle(std::move(arguments[0])) : coercion_.settleAny(std::move(arguments[0]));
    if (node.is_distinct) requireEquality(arguments[0]->type, leftmostPosition(*arguments[0]));
    return addAggregate(aggregation, signatures[0],
                        {std::move(arguments[0]), nullptr, node.is_distinct, std::move(filter)}, node.position);
  }
  const bool is_extreme =
      signatures[0].function == AggregateId::Minimum || signatures[0].function == AggregateId::Maximum;
  if (is_extreme && state_.has_collations)
    if (const uint16_t collation = icuCollation(arguments[0], node.position); collation != 0) {
      ExpressionPtr key = addAggregate(
          aggregation, {name, signatures[0].function, TypeKind::Bytea, TypeKind::Bytea},
          {orderKey(std::move(arguments[0]), collation), nullptr, node.is_distinct, std::move(filter)}, node.position);
      return textOfKey(std::move(key), Type::of(TypeKind::Text).collatedBy(collation));
    }
  if (is_extreme && (arguments[0]->type.isArray() || arguments[0]->type.isEnum()) && name.starts_with('m')) {
    const TypeKind kind = arguments[0]->type.kind;
    return addAggregate(aggregation, {name, signatures[0].function, kind, kind},
                        {std::move(arguments[0]), nullptr, node.is_distinct, std::move(filter)}, node.position);
  }
  std::vector<std::span<const TypeKind>> candidates;
  for (const AggregateSignature& signature : signatures) candidates.emplace_back(&signature.argument, 1);
  const TypeKind kind = arguments[0]->type.kind;
  size_t index = 0;
  const OverloadOutcome outcome = chooseOverload(candidates, {&kind, 1}, index);
  if (outcome != OverloadOutcome::Found) throwNoFunction(node.names, arguments, outcome, node.position);
  return addAggregate(aggregation, signatures[index],
                      {std::move(arguments[0]), nullptr, node.is_distinct, std::move(filter)}, node.position);
}

/// What an ordered-set aggregate is asked for, in what it reads. That only grouped columns are read is known later.
ExpressionPtr ExpressionBinder::directArgument(Aggregation& aggregation, ExpressionPtr argument) {
  if (argument->isVolatile()) throwNotSupported("a volatile argument before WITHIN GROUP", leftmostPosition(*argument));
  if (readsNone(*argument)) return argument;
  std::vector<Iu> read;
  argument->collectUnits(read);
  if (clause_.argument_subqueries != nullptr &&
      std::ranges::any_of(read, [&](Iu unit) { return clause_.argument_subqueries->adds(unit); }))
    throwNotSupported("a subquery before WITHIN GROUP", leftmostPosition(*argument));
  for (const Map::Computed& known : aggregation.direct)
    if (known.expression->equals(*argument)) return Expression::column(known.iu);
  const Iu unit = state_.plan->makeUnit("direct", argument->type, true);
  aggregation.direct.push_back({unit, std::move(argument)});
  return Expression::column(unit);
}

/// percentile_cont, percentile_disc, mode.
ExpressionPtr ExpressionBinder::bindOrderedSet(Aggregation& aggregation, const ast::Expression& node,
                                               const AggregateSignature& signature, Arguments arguments,
                                               ExpressionPtr filter, std::vector<SortKey> order) {
  const bool is_mode = signature.function == AggregateId::MostFrequent;
  if (!node.is_within_group) {
    if (arguments.size() != (is_mode ? 1 : 2))
      throwNoFunction(node.names, arguments, OverloadOutcome::None, node.position);
    throw SqlError(sqlstate::kWrongObjectType,
                   fmt::format("WITHIN GROUP is required for ordered-set aggregate {}", signature.name))
        .position(node.position);
  }
  const bool is_continuous = signature.function == AggregateId::PercentileContinuous;
  const auto fail = [&] {
    for (SortKey& key : order) arguments.push_back(std::move(key.expression));
    throwNoFunction(node.names, arguments, OverloadOutcome::None, node.position);
  };
  if (order.size() != 1 || arguments.size() != (is_mode ? 0 : 1)) fail();
  ExpressionPtr value = std::move(order[0].expression);
  Type type = value->type;
  uint16_t collation = 0;
  if (is_continuous) {
    const TypeKind kind = type.kind == TypeKind::Interval ? TypeKind::Interval : TypeKind::Double;
    if (!coercesImplicitly(type.kind, kind)) {
      order[0].expression = std::move(value);
      fail();
    }
    value = coercion_.toKind(std::move(value), kind);
    type = value->type;
  } else {
    value = toElement(std::move(value), type);
    type = WantedKind(type).type();
    collation = icuCollation(value, node.position);
    if (collation != 0) {
      value = orderKey(std::move(value), collation);
      type = value->type;
    }
  }
  ExpressionPtr fraction;
  if (!is_mode) {
    const bool is_list = arguments[0]->type.isArray();
    const TypeKind kind = is_list ? arrayOf(TypeKind::Double) : TypeKind::Double;
    if (!coercesImplicitly(arguments[0]->type.kind, kind)) {
      order[0].expression = std::move(value);
      fail();
    }
    fraction = coercion_.toKind(std::move(arguments[0]), kind);
    fraction = directArgument(aggregation, std::move(fraction));
    if (is_list && collation != 0) throwNotSupported("several percentiles by a collation of ICU", node.position);
    if (is_list && type.isArray())
      throw SqlError(sqlstate::kUndefinedObject,
                     fmt::format("could not find array type for data type {}", type.baseName()));
    if (is_list) type = type.array();
  }
  const Iu unit = state_.plan->makeUnit(std::string(signature.name), type, true);
  Aggregation::Aggregate aggregate{unit, signature.function, whereTrue(std::move(value), filter.get()), false,
                                   std::move(fraction)};
  aggregate.is_descending = order[0].descending;
  aggregation.aggregates.push_back(std::move(aggregate));
  ExpressionPtr result = Expression::column(unit);
  result->position = node.position;
  if (collation != 0) return textOfKey(std::move(result), Type::of(TypeKind::Text).collatedBy(collation));
  return result;
}

/// string_agg, array_agg, and those of JSON, which are arrays at first.
ExpressionPtr ExpressionBinder::bindCollection(Aggregation& aggregation, const ast::Expression& node,
                                               std::span<const AggregateSignature> signatures, Arguments arguments,
                                               ExpressionPtr filter, std::vector<SortKey> order) {
  const std::string_view finish = bindJsonAggregate(node, signatures[0].name, arguments, filter);
  AggregateCall call{.is_distinct = node.is_distinct, .order = std::move(order)};
  AggregateSignature signature = signatures[0];
  Type type;
  if (signature.function == AggregateId::JoinTexts) {
    const auto fits = [&](TypeKind kind) {
      return arguments.size() == 2 && coercesImplicitly(arguments[0]->type.kind, kind) &&
             coercesImplicitly(arguments[1]->type.kind, kind);
    };
    const bool is_open = arguments.size() == 2 && arguments[0]->type.kind == TypeKind::Unknown &&
                         arguments[1]->type.kind == TypeKind::Unknown;
    const TypeKind kind = !is_open && fits(TypeKind::Bytea) ? TypeKind::Bytea : TypeKind::Text;
    if (!fits(kind)) throwNoFunction(node.names, arguments, OverloadOutcome::None, node.position);
    type = Type::of(kind);
    const ExpressionPtr written[] = {arguments[0]->clone(), arguments[1]->clone()};
    call.argument = whereTrue(coercion_.toKind(std::move(arguments[0]), kind), filter.get());
    call.second = coercion_.toKind(std::move(arguments[1]), kind);
    if (call.is_distinct) {
      orderByArgument(*written[0], *call.argument, call.order);
      orderByArgument(*written[1], *call.second, call.order);
    }
  } else {
    if (arguments.size() != 1 || node.is_star)
      throwNoFunction(node.names, arguments, OverloadOutcome::None, node.position);
    if (arguments[0]->type.kind == TypeKind::Unknown)
      throwNoFunction(node.names, arguments, OverloadOutcome::Ambiguous, node.position);
    call.argument = std::move(arguments[0]);
    const bool is_nested = call.argument->type.isArray();
    if (is_nested) signature.function = AggregateId::ConcatenateArrays;
    const WantedKind wanted = call.argument->type;
    type = is_nested ? wanted.type() : arrayTypeOf(wanted);
    if (!is_nested) {
      const ExpressionPtr written = call.is_distinct ? call.argument->clone() : nullptr;
      call.argument = toElement(std::move(call.argument), wanted);
      if (written) orderByArgument(*written, *call.argument, call.order);
    }
    call.second = std::move(filter);
  }
  if (call.is_distinct) {
    requireEquality(call.argument->type, leftmostPosition(*call.argument));
    for (const SortKey& key : call.order)
      if (!key.expression->equals(*call.argument) && !(call.second && key.expression->equals(*call.second)))
        throw SqlError(sqlstate::kInvalidColumnReference,
                       "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list")
            .position(leftmostPosition(*key.expression));
  }
  if (state_.has_collations && isCollatable(type)) type.collation = derivedCollation({&call.argument, 1}).collation;
  if (call.is_distinct && icuCollation(call.argument, node.position) != 0)
    throwNotSupported(fmt::format("DISTINCT in {} by a collation of ICU", signature.name), node.position);
  if (state_.has_collations)
    for (SortKey& key : call.order)
      if (isCollatable(key.expression->type)) key.expression = orderKey(std::move(key.expression));
  const Iu unit = state_.plan->makeUnit(std::string(signature.name), type, true);
  Aggregation::Aggregate aggregate{unit, signature.function, std::move(call.argument), call.is_distinct,
                                   std::move(call.second)};
  aggregate.order = std::move(call.order);
  aggregation.aggregates.push_back(std::move(aggregate));
  ExpressionPtr result = Expression::column(unit);
  result->position = node.position;
  if (finish.empty()) return result;
  Arguments collected;
  collected.push_back(std::move(result));
  return callJson(finish, Type::of(signatures[0].result), std::move(collected), node.position);
}

ExpressionPtr ExpressionBinder::bindGrouping(const ast::Expression& node) {
  constexpr size_t kArgumentsMax = 31;
  if (in_aggregate_)
    throw SqlError(sqlstate::kGroupingError, "aggregate function calls cannot be nested").position(node.position);
  if (node.children.size() > kArgumentsMax)
    throw SqlError(sqlstate::kTooManyArguments, "GROUPING must have fewer than 32 arguments").position(node.position);
  // A function of a user that is a query here is the grouping key if it is called with the same.
  const Clause clause{.name = "GROUPING", .subqueries = clause_.subqueries, .calls = clause_.calls};
  // As of an aggregate, its columns decide whose it is.
  const auto own_level = static_cast<int64_t>(state_.outer_levels.size());
  state_.aggregate_levels.push_back({own_level});
  Arguments arguments = ExpressionBinder(state_, scope_, clause).bindAll(node.children);
  const int64_t read = state_.aggregate_levels.back().read;
  state_.aggregate_levels.pop_back();
  for (ExpressionPtr& argument : arguments) argument = coercion_.settle(std::move(argument));
  const bool is_own = read < 0 || read == own_level;
  const Clause& owner = is_own ? clause_ : *state_.outer_levels[static_cast<size_t>(read)].clause;
  if (owner.groupings == nullptr)
    throw SqlError(sqlstate::kGroupingError, fmt::format("grouping operations are not allowed in {}", owner.name))
        .position(node.position);
  Iu unit = nullptr;
  for (const GroupingCall& known : *owner.groupings)
    if (std::ranges::equal(known.arguments, arguments,
                           [](const ExpressionPtr& one, const ExpressionPtr& other) { return one->equals(*other); }))
      unit = known.iu;
  if (unit == nullptr) {
    unit = state_.plan->makeUnit("grouping", Type::of(TypeKind::Integer), false);
    owner.groupings->push_back({unit, std::move(arguments)});
  }
  ExpressionPtr result = Expression::column(unit);
  result->position = node.position;
  return result;
}

ExpressionPtr ExpressionBinder::bindPairAggregate(Aggregation& aggregation, const ast::Expression& node,
                                                  const AggregateSignature& signature, Arguments arguments,
                                                  ExpressionPtr filter) {
  const auto fits = [&](const ExpressionPtr& argument) {
    return coercesImplicitly(argument->type.kind, signature.argument);
  };
  if (arguments.size() != 2 || !fits(arguments[0]) || !fits(arguments[1]))
    throwNoFunction(node.names, arguments, OverloadOutcome::None, node.position);
  if (node.is_distinct) throwNotSupported("DISTINCT in an aggregate of two arguments", node.position);
  if (filter != nullptr && filter->isVolatile())
    throwNotSupported("a volatile FILTER of an aggregate of two arguments", node.position);
  ExpressionPtr second = coercion_.toKind(std::move(arguments[1]), signature.argument);
  return addAggregate(aggregation, signature, {std::move(arguments[0]), std::move(second), false, std::move(filter)},
                      node.position);
}

Type ExpressionBinder::aggregateType(const AggregateSignature& signature, ExpressionPtr& argument) {
  if (signature.takes_any) return Type::of(TypeKind::Bigint);
  argument = coercion_.toKind(std::move(argument), signature.argument);
  if (argument->type.isDefined()) return argument->type;
  if (signature.result != TypeKind::Numeric) return Type::of(signature.result);
  const bool is_variance = isVariance(signature.function);
  const Type result =
      is_variance ? Type::bigNumeric() : coercion_.typing().aggregate(signature.function, argument->type);
  const bool takes_scaled = is_variance || signature.function == AggregateId::Average;
  if (result.isBig() && argument->type.kind == TypeKind::Numeric && (!takes_scaled || argument->type.may_be_nan != 0))
    argument = coercion_.toBig(std::move(argument));
  return result;
}

/// Of the query at the level. Failure: 42803.
Aggregation& ExpressionBinder::aggregationOf(const ast::Expression& node, int64_t level) const {
  const bool is_own = level == static_cast<int64_t>(state_.outer_levels.size());
  const Clause& clause = is_own ? clause_ : *state_.outer_levels[static_cast<size_t>(level)].clause;
  if (clause.aggregation == nullptr)
    throw SqlError(sqlstate::kGroupingError, fmt::format("aggregate functions are not allowed in {}", clause.name))
        .position(node.position);
  return *clause.aggregation;
}

ExpressionPtr ExpressionBinder::addAggregate(Aggregation& aggregation, const AggregateSignature& signature,
                                             AggregateCall call, int32_t position) {
  const Type type = aggregateType(signature, call.argument);
  if (call.argument != nullptr) call.argument = whereTrue(std::move(call.argument), call.filter.get());
  if (call.second != nullptr) call.second = whereTrue(std::move(call.second), call.filter.get());
  Iu unit = nullptr;
  for (const Aggregation::Aggregate& known : aggregation.aggregates)
    if (known.function == signature.function && known.distinct == call.is_distinct &&
        isSame(known.argument, call.argument) && isSame(known.second, call.second))
      unit = known.iu;
  if (unit == nullptr) {
    unit = state_.plan->makeUnit(std::string(signature.name), type, !isCount(signature.function));
    aggregation.aggregates.push_back(
        {unit, signature.function, std::move(call.argument), call.is_distinct, std::move(call.second)});
  }
  ExpressionPtr result = Expression::column(unit);
  result->position = position;
  return result;
}

}  // namespace gnomon::sql
