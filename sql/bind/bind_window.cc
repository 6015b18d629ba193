#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/sql_error.h"
#include "sql/bind/collation.h"
#include "sql/bind/comparable.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/no_function.h"
#include "sql/bind/window_calls.h"
#include "sql/functions/function_registry.h"
#include "sql/functions/overload.h"
#include "sql/functions/value_function.h"

namespace gnomon::sql {
namespace {

using Bound = Window::Bound;
using Frame = Window::Frame;

/// What a window function takes and gives, as pg_proc has it.
struct WindowSignature {
  std::string_view name;
  WindowFunctionId function;
  size_t arguments_min, arguments_max;
  TypeKind result;  ///< Unknown: the value's
};

constexpr WindowSignature kSignatures[] = {
    {"row_number", WindowFunctionId::RowNumber, 0, 0, TypeKind::Bigint},
    {"rank", WindowFunctionId::Rank, 0, 0, TypeKind::Bigint},
    {"dense_rank", WindowFunctionId::DenseRank, 0, 0, TypeKind::Bigint},
    {"percent_rank", WindowFunctionId::PercentRank, 0, 0, TypeKind::Double},
    {"cume_dist", WindowFunctionId::CumeDist, 0, 0, TypeKind::Double},
    {"ntile", WindowFunctionId::Ntile, 1, 1, TypeKind::Integer},
    {"lag", WindowFunctionId::Lag, 1, 3, TypeKind::Unknown},
    {"lead", WindowFunctionId::Lead, 1, 3, TypeKind::Unknown},
    {"first_value", WindowFunctionId::FirstValue, 1, 1, TypeKind::Unknown},
    {"last_value", WindowFunctionId::LastValue, 1, 1, TypeKind::Unknown},
    {"nth_value", WindowFunctionId::NthValue, 2, 2, TypeKind::Unknown},
};

const WindowSignature* findSignature(std::string_view name) {
  const auto* const found = std::ranges::find(kSignatures, name, &WindowSignature::name);
  return found == std::end(kSignatures) ? nullptr : found;
}

[[noreturn]] void refuse(std::string message, int32_t position) {
  throw SqlError(sqlstate::kWindowingError, std::move(message)).position(position);
}

std::string_view nameOf(Frame::Mode mode) {
  return mode == Frame::Mode::Rows ? "ROWS" : mode == Frame::Mode::Range ? "RANGE" : "GROUPS";
}

bool hasOffset(Bound::Kind kind) {
  return kind == Bound::Kind::Preceding || kind == Bound::Kind::Following;
}

/// The types in which a RANGE with an offset is computed: they hold every bound. Nothing: there is none.
struct RangeTypes {
  TypeKind key, offset;
};

std::optional<RangeTypes> rangeTypes(TypeKind key) {
  switch (key) {
    case TypeKind::Smallint:
    case TypeKind::Integer:
    case TypeKind::Bigint:
    case TypeKind::Numeric:
      return RangeTypes{TypeKind::Numeric, TypeKind::Numeric};
    case TypeKind::Real:
    case TypeKind::Double:
      return RangeTypes{TypeKind::Double, TypeKind::Double};
    case TypeKind::Date:
    case TypeKind::Timestamp:
      return RangeTypes{TypeKind::Timestamp, TypeKind::Interval};
    case TypeKind::TimestampTz:
    case TypeKind::TimeTz:
    case TypeKind::Interval:
      return RangeTypes{key, TypeKind::Interval};
    case TypeKind::Time:
      return RangeTypes{TypeKind::Interval, TypeKind::Interval};
    default:
      return std::nullopt;
  }
}

/// PostgreSQL has an in_range function for values of the kinds.
bool isRangeOffset(TypeKind key, TypeKind offset) {
  const auto is_integer = [](TypeKind kind) { return Type::of(kind).isInteger(); };
  if (is_integer(key)) return is_integer(offset);
  return coercesImplicitly(offset, rangeTypes(key)->offset);
}

}  // namespace

bool ExpressionBinder::isWindowFunction(std::string_view name) {
  return findSignature(name) != nullptr;
}

/// The window that the clause describes, with what it takes from another one.
struct ExpressionBinder::WindowKeys {
  std::vector<ExpressionPtr> partition;
  std::vector<SortKey> order;
  const ast::WindowDefinition* frame = nullptr;
};

ExpressionBinder::WindowKeys ExpressionBinder::bindWindowKeys(const ast::WindowDefinition& written) {
  const auto require = [&](const std::string& name) -> const ast::WindowDefinition& {
    const ast::WindowDefinition* const found = clause_.windows->find(name);
    if (found == nullptr)
      throw SqlError(sqlstate::kUndefinedObject, fmt::format("window \"{}\" does not exist", name))
          .position(written.position);
    return *found;
  };
  const bool is_reference = !written.name.empty() && clause_.windows->find(written.name) != &written;
  if (is_reference) return bindWindowKeys(require(written.name));
  WindowKeys keys;
  if (!written.base.empty()) {
    const ast::WindowDefinition& base = require(written.base);
    if (&base == &written || (!written.name.empty() && !clause_.windows->isBefore(base, written)))
      throw SqlError(sqlstate::kUndefinedObject, fmt::format("window \"{}\" does not exist", written.base))
          .position(written.position);
    keys = bindWindowKeys(base);
    if (!written.partition.empty())
      refuse(fmt::format("cannot override PARTITION BY clause of window \"{}\"", written.base), written.position);
    if (!written.order.empty() && !keys.order.empty())
      refuse(fmt::format("cannot override ORDER BY clause of window \"{}\"", written.base), written.position);
    if (base.has_frame) {
      SqlError error(sqlstate::kWindowingError,
                     fmt::format("cannot copy window \"{}\" because it has a frame clause", written.base));
      if (written.name.empty() && written.order.empty() && !written.has_frame)
        error.hint("Omit the parentheses in this OVER clause.");
      throw error.position(written.position);
    }
  }
  Clause clause = clause_;
  clause.windows = nullptr;
  clause.name = "window definitions";
  ExpressionBinder binder(state_, scope_, clause);
  for (const ast::ExpressionPtr& node : written.partition) {
    keys.partition.push_back(coercion_.settle(binder.bind(*node)));
    requireOrdering(keys.partition.back()->type, node->position);
  }
  for (const ast::SortItem& item : written.order) {
    keys.order.push_back({coercion_.settle(binder.bind(*item.expression)), item.descending, item.nulls_first});
    ExpressionPtr& key = keys.order.back().expression;
    requireSortable(item, *key, item.expression->position);
    if (state_.has_collations && isCollatable(key->type)) key = orderKey(std::move(key));
  }
  keys.frame = &written;
  return keys;
}

/// Rows and Groups: how many. Failure: 42P10 when it reads columns.
ExpressionPtr ExpressionBinder::bindFrameOffset(const ast::Expression& node, Frame::Mode mode) {
  const std::string_view name = nameOf(mode);
  const std::string clause = fmt::format("window {}", name);
  SubqueryJoins subqueries;
  const bool takes_subqueries = clause_.subqueries != nullptr;
  const Clause bound{.name = clause, .subqueries = takes_subqueries ? &subqueries : nullptr};
  ExpressionPtr value = ExpressionBinder(state_, scope_, bound).bind(node);
  if (mode != Frame::Mode::Range) value = coercion_.require(std::move(value), TypeKind::Bigint, name);
  if (readsScope(*value, subqueries, scope_))
    throw SqlError(sqlstate::kInvalidColumnReference, fmt::format("argument of {} must not contain variables", name))
        .position(leftmostPosition(*value));
  if (value->isVolatile()) throwNotSupported("a volatile offset of a frame", node.position);
  if (takes_subqueries) subqueries.moveAll(*clause_.subqueries);
  return value;
}

/// An interval without its months and days.
ExpressionPtr ExpressionBinder::timePart(ExpressionPtr interval, int32_t position) {
  Arguments truncated;
  truncated.push_back(coercion_.toKind(textConstant("day", position), TypeKind::Text));
  truncated.push_back(copy(*interval));
  Arguments operands;
  operands.push_back(std::move(interval));
  operands.push_back(Expression::call(FunctionId::DateTruncate, Type::of(TypeKind::Interval), std::move(truncated)));
  return bindOperator("-", std::move(operands), position);
}

/// The bound as a value that keys are compared with, and whether the offset is one.
void ExpressionBinder::bindRangeBound(const SortKey& key, ExpressionPtr offset, bool is_start, Bound& bound) {
  const TypeKind kind = key.expression->type.kind;
  const auto types = rangeTypes(kind);
  const std::string unsupported = fmt::format(
      "RANGE with offset PRECEDING/FOLLOWING is not supported for column type {}", key.expression->type.baseName());
  const int32_t position = leftmostPosition(*offset);
  if (!types) throw SqlError(sqlstate::kFeatureNotSupported, unsupported).position(position);
  if (offset->type.kind == TypeKind::Unknown)
    offset = coercion_.toKind(std::move(offset), types->offset == TypeKind::Interval ? TypeKind::Interval : kind);
  if (!isRangeOffset(kind, offset->type.kind))
    throw SqlError(sqlstate::kFeatureNotSupported,
                   fmt::format("{} and offset type {}", unsupported, offset->type.baseName()))
        .hint("Cast the offset value to an appropriate type.")
        .position(position);
  offset = coercion_.castExplicitly(std::move(offset), Type::of(types->offset), position);
  if (kind == TypeKind::Time || kind == TypeKind::TimeTz) offset = timePart(std::move(offset), position);
  ExpressionPtr zero = coercion_.castExplicitly(
      types->offset == TypeKind::Interval ? textConstant("0", position)
                                          : Expression::constant(Value::fromInt(Type::of(TypeKind::Integer), 0)),
      offset->type, position);
  Arguments sides;
  sides.push_back(copy(*offset));
  sides.push_back(std::move(zero));
  bound.is_invalid = bindOperator("<", std::move(sides), position);
  const bool may_be_endless = types->offset != TypeKind::Interval && kind != TypeKind::Smallint &&
                              kind != TypeKind::Integer && kind != TypeKind::Bigint;
  const ExpressionPtr given = may_be_endless ? copy(*offset) : nullptr;
  Arguments operands;
  operands.push_back(coercion_.castExplicitly(copy(*key.expression), Type::of(types->key), position));
  operands.push_back(std::move(offset));
  const bool is_below = (bound.kind == Bound::Kind::Preceding) != key.descending;
  bound.limit = kind == TypeKind::TimeTz
                    ? Expression::arrayCall(internalFunction(is_below ? "$range_below" : "$range_above", 2),
                                            Type::of(kind), std::move(operands))
                    : bindOperator(is_below ? "-" : "+", std::move(operands), position);
  // Of scaled decimals that are never NaN neither the key nor the offset is infinite.
  if (given && !bound.limit->type.isFixedNumeric()) boundEndless(key, *given, is_start != key.descending, bound);
}

/// NaN is no offset. From an infinite key an infinite offset leads to every number, and to nothing that is none.
void ExpressionBinder::boundEndless(const SortKey& key, const Expression& offset, bool is_least, Bound& bound) {
  const int32_t position = leftmostPosition(offset);
  const auto named = [&](const char* name, Type type) {
    return coercion_.castExplicitly(textConstant(name, position), type, position);
  };
  const auto compare = [&](std::string_view name, const Expression& value) {
    Arguments sides;
    sides.push_back(copy(value));
    sides.push_back(named("NaN", value.type));
    return bindOperator(name, std::move(sides), position);
  };
  Arguments reasons;
  reasons.push_back(std::move(bound.is_invalid));
  reasons.push_back(compare("=", offset));
  bound.is_invalid = Expression::logic(Expression::Kind::Or, std::move(reasons));
  Arguments conditions;
  conditions.push_back(compare("=", *bound.limit));
  conditions.push_back(compare("<>", *key.expression));
  const ExpressionPtr is_endless = Expression::logic(Expression::Kind::And, std::move(conditions));
  auto limit = std::make_unique<Expression>();
  limit->kind = Expression::Kind::Case;
  limit->type = bound.limit->type;
  limit->nullable = bound.limit->nullable;
  limit->children.push_back(is_endless->clone());
  limit->children.push_back(named(is_least ? "-Infinity" : "Infinity", bound.limit->type));
  limit->children.push_back(std::move(bound.limit));
  bound.limit = std::move(limit);
}

Frame ExpressionBinder::bindFrame(const WindowKeys& keys, int32_t position) {
  const ast::WindowDefinition& written = *keys.frame;
  Frame frame;
  frame.mode = written.mode;
  frame.start.kind = written.start;
  frame.end.kind = written.end;
  frame.exclusion = written.exclusion;
  if (frame.mode == Frame::Mode::Groups && keys.order.empty())
    refuse("GROUPS mode requires an ORDER BY clause", position);
  const bool is_range = frame.mode == Frame::Mode::Range;
  if (is_range && (hasOffset(written.start) || hasOffset(written.end)) && keys.order.size() != 1)
    refuse("RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column", position);
  for (const bool is_start : {true, false}) {
    const ast::Expression* const node = is_start ? written.start_offset.get() : written.end_offset.get();
    if (node == nullptr) continue;
    Bound& bound = is_start ? frame.start : frame.end;
    ExpressionPtr offset = bindFrameOffset(*node, frame.mode);
    if (is_range)
      bindRangeBound(keys.order[0], std::move(offset), is_start, bound);
    else
      bound.offset = std::move(offset);
  }
  if (!frame.start.limit && !frame.end.limit) return frame;
  const Expression& key = *keys.order[0].expression;
  frame.range_key =
      coercion_.castExplicitly(copy(key), Type::of(rangeTypes(key.type.kind)->key), leftmostPosition(key));
  std::vector<ExpressionPtr*> compared{&frame.range_key};
  for (Bound* bound : {&frame.start, &frame.end})
    if (bound->limit) compared.push_back(&bound->limit);
  coercion_.unify(compared, "RANGE");
  return frame;
}

/// The arguments as the function takes them; its result's type. Failure: 42883.
Type ExpressionBinder::bindWindowArguments(const ast::Expression& node, Arguments& arguments) {
  const WindowSignature& signature = *findSignature(node.names.back());
  const bool is_count_right =
      arguments.size() >= signature.arguments_min && arguments.size() <= signature.arguments_max;
  const bool is_value = signature.result == TypeKind::Unknown;
  const size_t number = is_value ? 1 : 0;
  const auto fails = [&] { throwNoFunction(node.names, arguments, OverloadOutcome::None, node.position); };
  if (!is_count_right) fails();
  if (arguments.size() > number && !coercesImplicitly(arguments[number]->type.kind, TypeKind::Integer)) fails();
  if (arguments.size() > number) arguments[number] = coercion_.toKind(std::move(arguments[number]), TypeKind::Integer);
  if (!is_value) return Type::of(signature.result);
  if (arguments.size() < 3) {
    if (arguments[0]->type.kind == TypeKind::Unknown)
      throw SqlError(sqlstate::kDatatypeMismatch,
                     "could not determine polymorphic type because input has type unknown");
    return arguments[0]->type;
  }
  const Expression* const both[] = {arguments[0].get(), arguments[2].get()};
  const TypeKind common = coercion_.commonKind(both, "");
  if (common == TypeKind::Unknown && both[0]->type.kind != TypeKind::Unknown) fails();
  ExpressionPtr* const values[] = {&arguments[0], &arguments[2]};
  return coercion_.unify(values, node.names.back());
}

void ExpressionBinder::checkWindow(const ast::WindowDefinition& window) {
  bindFrame(bindWindowKeys(window), window.position);
}

ExpressionPtr ExpressionBinder::bindWindowFunction(const ast::Expression& node, std::string_view name) {
  if (in_aggregate_)
    throw SqlError(sqlstate::kGroupingError, "aggregate function calls cannot contain window function calls")
        .position(node.position);
  if (in_window_) refuse("window function calls cannot be nested", node.position);
  const WindowSignature* const signature = findSignature(name);
  const bool is_aggregate = signature == nullptr && !aggregateSignatures(name).empty();
  in_window_ = true;
  Arguments arguments = bindAll(node.children);
  ExpressionPtr filter;
  if (node.filter) filter = bindCondition(*node.filter, "FILTER");
  in_window_ = false;
  if ((is_aggregate && isOrderedSet(aggregateSignatures(name).front().function)) || node.is_within_group)
    throw SqlError(sqlstate::kFeatureNotSupported,
                   fmt::format("OVER is not supported for ordered-set aggregate {}", name))
        .position(node.position);
  if (node.is_distinct)
    throw SqlError(sqlstate::kFeatureNotSupported, "DISTINCT is not implemented for window functions")
        .position(node.position);
  if (!node.order.empty() && is_aggregate)
    throw SqlError(sqlstate::kFeatureNotSupported, "aggregate ORDER BY is not implemented for window functions")
        .position(node.position);
  if (filter && !is_aggregate)
    throw SqlError(sqlstate::kFeatureNotSupported, "FILTER is not implemented for non-aggregate window functions")
        .position(node.position);
  if (node.is_star && !is_aggregate)
    throw SqlError(sqlstate::kWrongObjectType,
                   fmt::format("{}(*) specified, but {} is not an aggregate function", name, name))
        .position(node.position);
  Window::Function function{};
  ExpressionPtr result;
  if (is_aggregate) {
    Aggregation own;
    function.function = WindowFunctionId::Aggregate;
    result = makeAggregate(own, node, name, std::move(arguments), std::move(filter));
    function.aggregate = std::move(own.aggregates.back());
    function.iu = function.aggregate.iu;
  } else {
    function.function = signature->function;
    const Type type = bindWindowArguments(node, arguments);
    const bool is_nullable = signature->function == WindowFunctionId::Ntile ? arguments[0]->nullable
                                                                            : signature->result == TypeKind::Unknown;
    function.arguments = std::move(arguments);
    function.iu = state_.plan->makeUnit(std::string(name), type, is_nullable);
  }
  if (clause_.windows == nullptr)
    refuse(fmt::format("window functions are not allowed in {}", clause_.name), node.position);
  WindowKeys keys = bindWindowKeys(*node.over);
  Frame frame = bindFrame(keys, node.over->position);
  if (hasFrame(function.function)) function.frame = std::move(frame);
  ExpressionPtr column =
      Expression::column(clause_.windows->add(std::move(keys.partition), std::move(keys.order), std::move(function)));
  column->position = node.position;
  const bool is_finished = result != nullptr && result->kind != Expression::Kind::Column;
  if (!is_finished) return column;
  // What an aggregate of JSON makes of its array, or one of texts of its key.
  result->children[0] = std::move(column);
  return result;
}

}  // namespace gnomon::sql
