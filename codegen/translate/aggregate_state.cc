#include "codegen/translate/aggregate_state.h"

#include <limits>

#include "base/sql_error.h"
#include "codegen/runtime/big_accumulator.h"
#include "codegen/runtime/collected.h"
#include "codegen/runtime/datetime_runtime.h"
#include "codegen/runtime/numeric_runtime.h"
#include "codegen/translate/aggregate_moments.h"
#include "codegen/translate/expression_array.h"
#include "codegen/translate/expression_values.h"
#include "codegen/translate/value_operations.h"

namespace gnomon::codegen {

using sql::AggregateId;
using sql::Type;
using sql::TypeKind;

namespace {

/// How the sum of values of a type is held: integers of avg() and bigint as int128, the rest as sum()'s result.
Type sumTypeOf(const sql::Aggregation::Aggregate& aggregate) {
  const Type& argument = aggregate.argument->type;
  if (aggregate.function == AggregateId::Sum) return aggregate.iu->type;
  if (argument.isInteger()) return Type::decimal(38, 0);
  if (argument.kind == TypeKind::Real) return Type::of(TypeKind::Double);
  if (argument.kind != TypeKind::Numeric || argument.isBig()) return Type::of(argument.kind);
  constexpr unsigned kRowDigits = 10;
  return Type::decimal(argument.precision + kRowDigits <= Type::kWideDigitsMax ? 38 : 39, argument.scale);
}

ir::Value isInfinite(ir::Builder& b, ir::Value number) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return b.bitOr(b.fcmp(ir::FloatPredicate::Oeq, number, b.constF64(kInfinity)),
                 b.fcmp(ir::FloatPredicate::Oeq, number, b.constF64(-kInfinity)));
}

/// The sum, after raising 22003 when it is infinite though neither operand is.
ir::Value checkedFloatSum(ir::Builder& b, ir::Value total, ir::Value left, ir::Value right) {
  const ir::Value finite_operands = b.bitNot(b.bitOr(isInfinite(b, left), isInfinite(b, right)));
  b.trapIf(b.bitAnd(isInfinite(b, total), finite_operands), TrapCode::DoubleOutOfRange);
  return total;
}

}  // namespace

AggregateState::AggregateState(const sql::Aggregation::Aggregate& aggregate, bool may_be_empty, TupleLayout& layout)
    : aggregate_(aggregate) {
  const Type bigint = Type::of(TypeKind::Bigint);
  const Type boolean = Type::of(TypeKind::Boolean);
  switch (aggregate.function) {
    case AggregateId::CountRows:
    case AggregateId::Count:
      count_ = layout.addField(bigint, false);
      return;
    case AggregateId::Sum:
    case AggregateId::Average:
      sum_type_ = sumTypeOf(aggregate);
      is_big_ = sum_type_.isBig();
      value_ = is_big_ ? layout.addRaw(sizeof(BigAccumulator), {offsetof(BigAccumulator, big_lo)})
                       : layout.addField(sum_type_, false);
      if (aggregate.function == AggregateId::Average) {
        count_ = layout.addField(bigint, false);
      } else if (may_be_empty || aggregate.argument->nullable) {
        seen_ = layout.addField(boolean, false);
      }
      return;
    case AggregateId::JoinTexts:
      value_ = layout.addBound(sizeof(CollectedText));
      return;
    case AggregateId::CollectArray:
    case AggregateId::ConcatenateArrays:
      value_ = layout.addBound(sizeof(CollectedValues));
      return;
    case AggregateId::PercentileContinuous:
    case AggregateId::PercentileDiscrete:
    case AggregateId::MostFrequent:
      value_ = layout.addBound(sizeof(CollectedSample));
      return;
    case AggregateId::Minimum:
    case AggregateId::Maximum:
    case AggregateId::AnyValue:
    case AggregateId::BitAnd:
    case AggregateId::BitOr:
    case AggregateId::BitXor:
      value_ = layout.addField(aggregate.argument->type, false);
      seen_ = layout.addField(boolean, false);
      return;
    default:
      value_ = layout.addRaw(momentsBytes(aggregate), stringsOfMoments(aggregate));
  }
}

bool AggregateState::isBits() const {
  return aggregate_.function >= AggregateId::BitAnd && aggregate_.function <= AggregateId::BitXor;
}

bool AggregateState::isMoments() const {
  return sql::isVariance(aggregate_.function) || sql::isRegression(aggregate_.function);
}

void AggregateState::addBits(CodeContext& context, const TupleLayout& layout, ir::Value group, ir::Value addend) const {
  ir::Builder& b = context.builder;
  const int64_t offset = layout.offset(value_);
  const ir::Value bits = layout.load(context, value_, group).lo;
  b.store(aggregate_.function == AggregateId::BitXor ? b.bitXor(bits, addend) : b.bitOr(bits, addend), group, offset);
}

bool AggregateState::isSum() const {
  return aggregate_.function == AggregateId::Sum || aggregate_.function == AggregateId::Average;
}

void AggregateState::markSeen(CodeContext& context, const TupleLayout& layout, ir::Value group) const {
  if (seen_ != kNone) context.builder.store(context.builder.constI8(1), group, layout.offset(seen_));
}

void AggregateState::addToCount(CodeContext& context, const TupleLayout& layout, ir::Value group,
                                ir::Value addend) const {
  ir::Builder& b = context.builder;
  b.store(b.add(b.load(ir::Type::I64, group, layout.offset(count_)), addend), group, layout.offset(count_));
}

/// An argument as a value of the sum's type.
SqlValue AggregateState::widened(CodeContext& context, const SqlValue& argument) const {
  ir::Builder& b = context.builder;
  const ir::Type from = irTypeOf(argument.type);
  const ir::Type to = irTypeOf(sum_type_);
  SqlValue value = argument;
  value.type = sum_type_;
  if (ir::isInteger(from) && ir::isInteger(to) && from != to) value.lo = b.sext(argument.lo, to);
  return value;
}

void AggregateState::addToSum(CodeContext& context, const TupleLayout& layout, ir::Value group,
                              const SqlValue& addend) const {
  ir::Builder& b = context.builder;
  const int64_t offset = layout.offset(value_);
  const SqlValue sum = layout.load(context, value_, group);
  switch (sum_type_.physical()) {
    case sql::Physical::Int64:
      return b.store(
          b.addTrap(sum.lo, addend.lo,
                    sum_type_.kind == TypeKind::Money ? TrapCode::MoneyOutOfRange : TrapCode::BigintOutOfRange),
          group, offset);
    case sql::Physical::Int128:
      return b.store(sum_type_.isCheckedDecimal() ? b.addTrap(sum.lo, addend.lo, TrapCode::DecimalOverflow)
                                                  : b.add(sum.lo, addend.lo),
                     group, offset);
    case sql::Physical::Float32:
      return b.storeF32(checkedFloatSum(b, b.roundToFloat(b.fadd(sum.lo, addend.lo)), sum.lo, addend.lo), group,
                        offset);
    case sql::Physical::Float64:
      return b.store(checkedFloatSum(b, b.fadd(sum.lo, addend.lo), sum.lo, addend.lo), group, offset);
    case sql::Physical::Interval: {
      const ir::Value total = b.call(RUNTIME_FUNCTION(rt::addIntervals), {sum.lo, sum.hi, addend.lo, addend.hi});
      SqlValue value = sum;
      value.lo = b.lo64(total);
      value.hi = b.hi64(total);
      return storeValue(context, value, group, offset);
    }
    default:
      throwNotSupported("sum(" + sum_type_.name() + ")");
  }
}

void AggregateState::takeExtreme(CodeContext& context, const TupleLayout& layout, ir::Value group,
                                 const SqlValue& candidate, bool copy_string) const {
  ir::Builder& b = context.builder;
  const ir::Value seen = b.ne(b.load(ir::Type::I8, group, layout.offset(seen_)), b.constI8(0));
  const ir::Block take = b.createBlock("");
  const ir::Block done = b.createBlock("");
  if (aggregate_.function == AggregateId::AnyValue) {
    b.condBr(seen, done, take);
  } else {
    const ir::Block compare = b.createBlock("");
    b.condBr(seen, compare, take);
    b.setBlock(compare);
    const SqlValue current = layout.load(context, value_, group);
    const ir::Value order = compareValues(context, candidate, current);
    const auto better = aggregate_.function == AggregateId::Minimum ? ir::IntPredicate::Slt : ir::IntPredicate::Sgt;
    b.condBr(b.icmp(better, order, b.constI32(0)), take, done);
  }
  b.setBlock(take);
  SqlValue kept = candidate;
  kept.is_null = {};
  if (copy_string) kept = copyValue(context, kept, context.groupArena());
  layout.store(context, value_, kept, group);
  markSeen(context, layout, group);
  b.br(done);
  b.setBlock(done);
}

/// string_agg passes over NULLs, a delimiter that is NULL is none; array_agg takes NULLs, of rows its condition lets
/// pass.
void AggregateState::collect(Pipeline& pipeline, const TupleLayout& layout, ir::Value group, const SqlValue& argument,
                             const SqlValue& second) const {
  ir::Builder& b = pipeline.builder;
  CodeContext& context = pipeline.context;
  const ir::Value state = b.ptrAdd(group, layout.offset(value_));
  const ir::Value is_null = isNull(context, argument);
  if (aggregate_.function == AggregateId::JoinTexts) {
    return pipeline.emitIf(b.bitNot(is_null), [&] {
      const ir::Value no_delimiter = isNull(context, second);
      const ir::Value delimiter_lo = b.select(no_delimiter, b.constI64(0), second.lo);
      const ir::Value delimiter_hi = b.select(no_delimiter, b.constI64(0), second.hi);
      b.call(RUNTIME_FUNCTION(rt::collectText),
             {state, argument.lo, argument.hi, delimiter_lo, delimiter_hi, context.groupArena()});
    });
  }
  if (sql::isOrderedSet(aggregate_.function)) {
    const bool has_fraction = second.lo.isValid();
    const bool is_list = has_fraction && second.type.isArray();
    return pipeline.emitIf(b.bitNot(is_null), [&] {
      const DatumWords words = datumWords(context, argument);
      ir::Value fraction_lo = b.constI64(0);
      if (has_fraction) fraction_lo = is_list ? second.lo : b.bitcast(second.lo, ir::Type::I64);
      b.call(RUNTIME_FUNCTION(rt::collectSample),
             {state, typeConstant(context, argument.type), words.lo, words.hi, fraction_lo,
              is_list ? second.hi : b.constI64(0), has_fraction ? isNull(context, second) : b.constI1(false),
              b.constI1(is_list), context.groupArena()});
    });
  }
  const auto add = [&] {
    const DatumWords words = datumWords(context, argument);
    b.call(RUNTIME_FUNCTION(rt::collectValue),
           {state, typeConstant(context, argument.type), words.lo, words.hi, is_null, context.groupArena()});
  };
  if (!second.lo.isValid()) return add();
  pipeline.emitIf(isTrue(context, second), add);
}

SqlValue AggregateState::collected(CodeContext& context, const TupleLayout& layout, ir::Value group) const {
  ir::Builder& b = context.builder;
  const ir::Value state = b.ptrAdd(group, layout.offset(value_));
  const ir::Value arena = context.executionArena();
  const ir::Value is_empty = b.eq(b.load(ir::Type::I64, state), b.constI64(0));
  const Type& type = aggregate_.iu->type;
  return emitUnlessNull(context, is_empty, type, [&] {
    if (sql::isOrderedSet(aggregate_.function)) {
      const auto function = aggregate_.function == AggregateId::PercentileContinuous ? OrderedSet::Continuous
                            : aggregate_.function == AggregateId::PercentileDiscrete ? OrderedSet::Discrete
                                                                                     : OrderedSet::Mode;
      const bool is_list = aggregate_.second != nullptr && aggregate_.second->type.isArray();
      const ir::Value slot = b.allocaBytes(sizeof(ParameterSlot));
      b.call(RUNTIME_FUNCTION(rt::orderedSet),
             {state, b.constI8(static_cast<int8_t>(function)), typeConstant(context, aggregate_.argument->type),
              b.constI1(is_list), b.constI1(aggregate_.is_descending), slot, arena});
      return loadSlot(context, type, slot);
    }
    if (aggregate_.function == AggregateId::JoinTexts)
      return pairResult(context, type, b.call(RUNTIME_FUNCTION(rt::collectedText), {state}));
    const RuntimeFunction& encode = aggregate_.function == AggregateId::CollectArray
                                        ? RUNTIME_FUNCTION(rt::collectedArray)
                                        : RUNTIME_FUNCTION(rt::concatenatedArrays);
    return pairResult(context, type, b.call(encode, {state, typeConstant(context, type.element()), arena}));
  });
}

void AggregateState::updateWith(Pipeline& pipeline, const TupleLayout& layout, ir::Value group,
                                const SqlValue& argument, const SqlValue& second) const {
  CodeContext& context = pipeline.context;
  if (isMoments()) return addToMoments(context, aggregate_, momentsAt(context, layout, group), argument, second);
  if (isBits()) {
    const bool is_and = aggregate_.function == AggregateId::BitAnd;
    addBits(context, layout, group, is_and ? context.builder.bitNot(argument.lo) : argument.lo);
    return markSeen(context, layout, group);
  }
  if (!isSum() && aggregate_.function != AggregateId::Count) return takeExtreme(context, layout, group, argument, true);
  if (isSum()) {
    if (is_big_) {
      const ir::Value state = context.builder.ptrAdd(group, layout.offset(value_));
      context.builder.call(RUNTIME_FUNCTION(rt::bigSumAdd), {state, argument.lo, argument.hi, context.groupArena()});
    } else {
      addToSum(context, layout, group, widened(context, argument));
    }
    markSeen(context, layout, group);
  }
  if (count_ != kNone) addToCount(context, layout, group, context.builder.constI64(1));
}

void AggregateState::update(Pipeline& pipeline, const TupleLayout& layout, ir::Value group, const SqlValue& argument,
                            const SqlValue& second) const {
  ir::Builder& b = pipeline.builder;
  if (aggregate_.function == AggregateId::CountRows) return addToCount(pipeline.context, layout, group, b.constI64(1));
  if (isCollected()) return collect(pipeline, layout, group, argument, second);
  const ir::Value is_null = anyNull(pipeline.context, {argument.is_null, second.is_null});
  if (!is_null.isValid()) return updateWith(pipeline, layout, group, argument, second);
  if (aggregate_.function == AggregateId::Count)
    return addToCount(pipeline.context, layout, group, b.zext(b.bitNot(is_null), ir::Type::I64));
  pipeline.emitIf(b.bitNot(is_null), [&] { updateWith(pipeline, layout, group, argument, second); });
}

void AggregateState::merge(CodeContext& context, const TupleLayout& layout, ir::Value group, ir::Value from) const {
  ir::Builder& b = context.builder;
  if (count_ != kNone) addToCount(context, layout, group, b.load(ir::Type::I64, from, layout.offset(count_)));
  if (aggregate_.function == AggregateId::CountRows || aggregate_.function == AggregateId::Count) return;
  if (isMoments())
    return mergeMoments(context, aggregate_, momentsAt(context, layout, group), momentsAt(context, layout, from));
  if (isCollected()) {
    const RuntimeFunction& merge_states = aggregate_.function == AggregateId::JoinTexts
                                              ? RUNTIME_FUNCTION(rt::mergeTexts)
                                          : sql::isOrderedSet(aggregate_.function) ? RUNTIME_FUNCTION(rt::mergeSamples)
                                                                                   : RUNTIME_FUNCTION(rt::mergeValues);
    b.call(merge_states,
           {b.ptrAdd(group, layout.offset(value_)), b.ptrAdd(from, layout.offset(value_)), context.groupArena()});
    return;
  }
  if (isSum() || isBits()) {
    if (isBits()) {
      addBits(context, layout, group, layout.load(context, value_, from).lo);
    } else if (is_big_) {
      b.call(RUNTIME_FUNCTION(rt::bigSumMerge),
             {b.ptrAdd(group, layout.offset(value_)), b.ptrAdd(from, layout.offset(value_)), context.groupArena()});
    } else {
      addToSum(context, layout, group, layout.load(context, value_, from));
    }
    if (seen_ != kNone) {
      const ir::Value seen =
          b.bitOr(b.load(ir::Type::I8, group, layout.offset(seen_)), b.load(ir::Type::I8, from, layout.offset(seen_)));
      b.store(seen, group, layout.offset(seen_));
    }
    return;
  }
  const ir::Block take = b.createBlock("");
  const ir::Block done = b.createBlock("");
  b.condBr(b.ne(b.load(ir::Type::I8, from, layout.offset(seen_)), b.constI8(0)), take, done);
  b.setBlock(take);
  takeExtreme(context, layout, group, layout.load(context, value_, from), false);
  b.br(done);
  b.setBlock(done);
}

void AggregateState::copy(CodeContext& context, const TupleLayout& layout, ir::Value from, ir::Value to) const {
  for (const size_t field : {value_, count_, seen_})
    if (field != kNone) layout.store(context, field, layout.load(context, field, from), to);
}

SqlValue AggregateState::average(CodeContext& context, const TupleLayout& layout, ir::Value group,
                                 ir::Value count) const {
  ir::Builder& b = context.builder;
  SqlValue value{aggregate_.iu->type, {}, {}, {}};
  ir::Value pair;
  if (is_big_) {
    pair = b.call(RUNTIME_FUNCTION(rt::bigSumAverage),
                  {b.ptrAdd(group, layout.offset(value_)), count, context.scratchArena()});
  } else {
    const SqlValue sum = layout.load(context, value_, group);
    if (sum_type_.kind == TypeKind::Double) {
      value.lo = b.fdiv(sum.lo, b.sitofp(count));
      return value;
    }
    pair = sum_type_.kind == TypeKind::Interval
               ? b.call(RUNTIME_FUNCTION(rt::divideInterval), {sum.lo, sum.hi, b.sitofp(count)})
               : b.call(RUNTIME_FUNCTION(rt::averageDecimal),
                        {sum.lo, b.constI32(sum_type_.scale), count, context.scratchArena()});
  }
  value.lo = b.lo64(pair);
  value.hi = b.hi64(pair);
  return value;
}

SqlValue AggregateState::result(CodeContext& context, const TupleLayout& layout, ir::Value group) const {
  ir::Builder& b = context.builder;
  if (aggregate_.function == AggregateId::CountRows || aggregate_.function == AggregateId::Count)
    return layout.load(context, count_, group);
  if (aggregate_.function == AggregateId::Average) {
    const ir::Value count = b.load(ir::Type::I64, group, layout.offset(count_));
    const ir::Value is_empty = b.eq(count, b.constI64(0));
    SqlValue value = average(context, layout, group, b.select(is_empty, b.constI64(1), count));
    value.is_null = is_empty;
    return value;
  }
  if (isCollected()) return collected(context, layout, group);
  if (isMoments()) return momentsResult(context, aggregate_, momentsAt(context, layout, group));
  SqlValue value;
  if (is_big_) {
    const ir::Value pair =
        b.call(RUNTIME_FUNCTION(rt::bigSumResult), {b.ptrAdd(group, layout.offset(value_)), context.scratchArena()});
    value = {aggregate_.iu->type, b.lo64(pair), b.hi64(pair), {}};
  } else {
    value = layout.load(context, value_, group);
    value.type = aggregate_.iu->type;
    if (aggregate_.function == AggregateId::BitAnd) value.lo = b.bitNot(value.lo);
  }
  if (seen_ != kNone) value.is_null = b.eq(b.load(ir::Type::I8, group, layout.offset(seen_)), b.constI8(0));
  return value;
}

}  // namespace gnomon::codegen
