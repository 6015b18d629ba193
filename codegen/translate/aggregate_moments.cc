#include "codegen/translate/aggregate_moments.h"

#include "codegen/runtime/moments.h"
#include "codegen/translate/expression_decimal.h"
#include "codegen/translate/expression_values.h"
#include "codegen/translate/value_operations.h"

namespace gnomon::codegen {
namespace {

using sql::AggregateId;
using sql::Type;
using Aggregate = sql::Aggregation::Aggregate;

bool isExact(const Aggregate& aggregate) {
  return sql::isVariance(aggregate.function) && !aggregate.argument->type.isFloat();
}

/// Emits the result where it is not NULL.
SqlValue unlessNull(CodeContext& context, const Aggregate& aggregate, ir::Value is_null, const RuntimeFunction& result,
                    std::initializer_list<ir::Value> arguments) {
  const Type& type = aggregate.iu->type;
  return emitUnlessNull(context, is_null, type, [&] {
    const ir::Value value = context.builder.call(result, arguments);
    return isPairType(type) ? pairResult(context, type, value) : SqlValue{type, value, {}, {}};
  });
}

}  // namespace

uint32_t momentsBytes(const Aggregate& aggregate) {
  if (sql::isRegression(aggregate.function)) return sizeof(PairMoments);
  if (!sql::isVariance(aggregate.function)) return 0;
  return isExact(aggregate) ? sizeof(ExactMoments) : sizeof(DoubleMoments);
}

std::vector<uint32_t> stringsOfMoments(const Aggregate& aggregate) {
  if (momentsBytes(aggregate) != sizeof(ExactMoments)) return {};
  constexpr uint32_t kString = offsetof(BigAccumulator, big_lo);
  return {offsetof(ExactMoments, sum) + kString, offsetof(ExactMoments, squares) + kString};
}

void addToMoments(CodeContext& context, const Aggregate& aggregate, ir::Value state, const SqlValue& argument,
                  const SqlValue& second) {
  ir::Builder& b = context.builder;
  if (sql::isRegression(aggregate.function)) {
    b.call(RUNTIME_FUNCTION(rt::pairMomentsAdd), {state, argument.lo, second.lo});
  } else if (!isExact(aggregate)) {
    b.call(RUNTIME_FUNCTION(rt::doubleMomentsAdd), {state, argument.lo});
  } else if (argument.type.isBig()) {
    b.call(RUNTIME_FUNCTION(rt::exactMomentsAdd), {state, argument.lo, argument.hi, context.groupArena()});
  } else {
    const SqlValue decimal = argument.type.isInteger() ? integerAsDecimal(context, argument) : argument;
    b.call(RUNTIME_FUNCTION(rt::exactMomentsAddDecimal),
           {state, decimalBits(context, decimal), b.constI32(decimal.type.scale), context.groupArena()});
  }
}

void mergeMoments(CodeContext& context, const Aggregate& aggregate, ir::Value into, ir::Value from) {
  ir::Builder& b = context.builder;
  if (sql::isRegression(aggregate.function))
    b.call(RUNTIME_FUNCTION(rt::pairMomentsMerge), {into, from});
  else if (isExact(aggregate))
    b.call(RUNTIME_FUNCTION(rt::exactMomentsMerge), {into, from, context.groupArena()});
  else
    b.call(RUNTIME_FUNCTION(rt::doubleMomentsMerge), {into, from});
}

SqlValue momentsResult(CodeContext& context, const Aggregate& aggregate, ir::Value state) {
  ir::Builder& b = context.builder;
  if (aggregate.function == AggregateId::RegressionCount)
    return {aggregate.iu->type, b.call(RUNTIME_FUNCTION(rt::pairMomentsCount), {state}), {}, {}};
  const ir::Value function = b.constI8(static_cast<int8_t>(aggregate.function));
  if (sql::isRegression(aggregate.function))
    return unlessNull(context, aggregate, b.call(RUNTIME_FUNCTION(rt::pairMomentsIsNull), {state, function}),
                      RUNTIME_FUNCTION(rt::pairMomentsResult), {state, function});
  if (isExact(aggregate))
    return unlessNull(context, aggregate, b.call(RUNTIME_FUNCTION(rt::exactMomentsIsNull), {state, function}),
                      RUNTIME_FUNCTION(rt::exactMomentsResult), {state, function, context.scratchArena()});
  return unlessNull(context, aggregate, b.call(RUNTIME_FUNCTION(rt::doubleMomentsIsNull), {state, function}),
                    RUNTIME_FUNCTION(rt::doubleMomentsResult), {state, function});
}

}  // namespace gnomon::codegen
