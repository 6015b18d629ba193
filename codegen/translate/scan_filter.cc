#include "codegen/translate/scan_filter.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "codegen/executor/query_program.h"
#include "codegen/translate/expression_comparison.h"
#include "codegen/translate/expression_constant.h"
#include "codegen/translate/expression_traits.h"
#include "codegen/translate/expression_values.h"
#include "codegen/translate/value_operations.h"
#include "sql/algebra/rewrite.h"
#include "sql/types/timestamp.h"
#include "storage/relation/leaf_view.h"

namespace gnomon::codegen {

namespace {

using sql::Expression;
using sql::FunctionId;
using sql::Physical;
using sql::Type;
using sql::TypeKind;

constexpr int64_t kNumberMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kNumberMax = std::numeric_limits<int64_t>::max();

bool isPoint(const Type& type) {
  return type.kind == TypeKind::Date || type.kind == TypeKind::Timestamp || type.kind == TypeKind::TimestampTz ||
         type.kind == TypeKind::Time;
}

/// A whole number, or one with a fixed count of digits after the point in 64 bits.
bool isScaled(const Type& type) {
  return type.isInteger() || (type.kind == TypeKind::Numeric && !type.isBig() && type.physical() == Physical::Int64);
}

bool isString(const Type& type) {
  return type.kind == TypeKind::Text || type.kind == TypeKind::Varchar || type.kind == TypeKind::Char;
}

int128 floorOf(int128 number, int128 unit) {
  const int128 quotient = number / unit;
  return number % unit < 0 ? quotient - 1 : quotient;
}

int128 powerOfTen(unsigned exponent) {
  int128 power = 1;
  while (exponent-- > 0) power *= 10;
  return power;
}

/// A constant on the scale of a column: the column's value v stands for v * unit.
struct ScaledConstant {
  int128 number;
  int128 unit = 1;
};

std::optional<ScaledConstant> scaledFor(const Type& column, const Type& type, int64_t bits) {
  if (isPoint(column) && column.kind == type.kind) return ScaledConstant{bits};
  if (column.kind == TypeKind::Date && type.kind == TypeKind::Timestamp) {
    if (!sql::isFiniteTimestamp(bits)) return {};
    return ScaledConstant{bits, sql::kMicrosecondsPerDay};
  }
  if (!isScaled(column) || !isScaled(type) || type.may_be_nan != 0) return {};
  if (column.scale >= type.scale) return ScaledConstant{int128{bits} * powerOfTen(column.scale - type.scale)};
  return ScaledConstant{bits, powerOfTen(type.scale - column.scale)};
}

struct Bounds {
  int64_t low, high;
};

/// The values of a column of `bits` bits between two bounds; low above high: none.
Bounds boundsWithin(int128 low, int128 high, unsigned bits) {
  const auto least = static_cast<int64_t>(-(int128{1} << (bits - 1)));
  const auto greatest = static_cast<int64_t>((int128{1} << (bits - 1)) - 1);
  if (low > greatest || high < least || low > high) return {1, 0};
  return {low < least ? least : static_cast<int64_t>(low), high > greatest ? greatest : static_cast<int64_t>(high)};
}

/// Where `column function constant` holds; NotEqual: where it does not.
Bounds boundsOf(FunctionId function, const ScaledConstant& constant, unsigned bits) {
  const int128 floor = floorOf(constant.number, constant.unit);
  const bool is_exact = constant.number % constant.unit == 0;
  switch (function) {
    case FunctionId::Less:
      return boundsWithin(kNumberMin, is_exact ? floor - 1 : floor, bits);
    case FunctionId::LessEqual:
      return boundsWithin(kNumberMin, floor, bits);
    case FunctionId::Greater:
      return boundsWithin(floor + 1, kNumberMax, bits);
    case FunctionId::GreaterEqual:
      return boundsWithin(is_exact ? floor : floor + 1, kNumberMax, bits);
    default:
      return is_exact ? boundsWithin(floor, floor, bits) : Bounds{1, 0};
  }
}

}  // namespace

bool ScanFilter::canJoin(const Type& type) {
  return isPoint(type) || isScaled(type);
}

void ScanFilter::addJoin(sql::Iu unit, size_t table_slot) {
  const LeafColumn* const column = columnOf(unit);
  if (column != nullptr) joins_.push_back({column, table_slot});
}

bool ScanFilter::take(const Expression& conjunct) {
  if (sql::isComparison(conjunct))
    return takeComparison(conjunct.function, *conjunct.children[0], *conjunct.children[1]);
  if (conjunct.kind != Expression::Kind::InList) return false;
  const LeafColumn* const column = columnOf(*conjunct.children[0]);
  return column != nullptr && takeStrings(*column, std::span(conjunct.children).subspan(1), false);
}

/// Null: not a column of the scan, or one that this leaf may lack.
const LeafColumn* ScanFilter::columnOf(const Expression& expression) const {
  return expression.kind == Expression::Kind::Column ? columnOf(expression.iu) : nullptr;
}

const LeafColumn* ScanFilter::columnOf(sql::Iu unit) const {
  const auto found = std::ranges::find(columns_, unit, &LeafColumn::unit);
  return found == columns_.end() || found->row_mask.isValid() ? nullptr : &*found;
}

ScanFilter::Constant ScanFilter::constantOf(const Expression& expression) {
  if (expression.kind == Expression::Kind::Constant) return constantValue(pipeline_.context, expression.value);
  if (!ExpressionTraits().of(expression).is_constant) return {};
  const std::optional<sql::Value> value = evaluateConstant(pipeline_.context, expression);
  if (!value) return {};
  return constantValue(pipeline_.context, *value);
}

bool ScanFilter::takeComparison(FunctionId function, const Expression& left, const Expression& right) {
  const LeafColumn* const column = columnOf(left);
  const LeafColumn* const other = columnOf(right);
  if (column != nullptr && other != nullptr) return takeColumns(function, *column, *other);
  if (column == nullptr) return other != nullptr && takeComparison(sql::mirrored(function), right, left);
  if (isString(column->type)) {
    if (function != FunctionId::Equal && function != FunctionId::NotEqual) return false;
    ShortStrings strings{};
    strings.is_negated = function == FunctionId::NotEqual;
    if (!addString(*column, right, strings)) return false;
    strings_.push_back({column, pipeline_.context.resources.keep(std::make_unique<ShortStrings>(strings))});
    return true;
  }
  const Constant constant = constantOf(right);
  return constant && !isNullConstant(pipeline_.context, *constant) && takeNumber(function, *column, *constant);
}

bool ScanFilter::takeColumns(FunctionId function, const LeafColumn& left, const LeafColumn& right) {
  const bool is_alike =
      left.type.kind == right.type.kind && left.type.scale == right.type.scale && left.width == right.width;
  if (!is_alike || (!isPoint(left.type) && !isScaled(left.type)) || left.width < 4) return false;
  switch (function) {
    case FunctionId::Less:
      comparisons_.push_back({&left, &right, ColumnComparison::Less});
      return true;
    case FunctionId::LessEqual:
      comparisons_.push_back({&left, &right, ColumnComparison::LessEqual});
      return true;
    case FunctionId::Equal:
      comparisons_.push_back({&left, &right, ColumnComparison::Equal});
      return true;
    case FunctionId::NotEqual:
      comparisons_.push_back({&left, &right, ColumnComparison::NotEqual});
      return true;
    default:
      return takeColumns(sql::mirrored(function), right, left);
  }
}

bool ScanFilter::takeNumber(FunctionId function, const LeafColumn& column, const SqlValue& constant) {
  if (!isPoint(column.type) && !isScaled(column.type)) return false;
  if (!isPoint(constant.type) && !isScaled(constant.type)) return false;
  const auto bits = constantInteger(pipeline_.context, constant.lo);
  if (!bits) return false;
  const std::optional<ScaledConstant> scaled = scaledFor(column.type, constant.type, *bits);
  if (!scaled) return false;
  const Bounds bounds = boundsOf(function, *scaled, column.width * 8);
  addRange({&column, bounds.low, bounds.high, function == FunctionId::NotEqual});
  return true;
}

/// Ranges of one column are met in one test.
void ScanFilter::addRange(const Range& range) {
  for (Range& known : ranges_) {
    if (known.column != range.column || known.is_negated || range.is_negated) continue;
    known.low = std::max(known.low, range.low);
    known.high = std::min(known.high, range.high);
    return;
  }
  ranges_.push_back(range);
}

bool ScanFilter::takeStrings(const LeafColumn& column, std::span<const sql::ExpressionPtr> constants, bool is_negated) {
  if (!isString(column.type) || constants.size() > ShortStrings::kCountMax) return false;
  ShortStrings strings{};
  strings.is_negated = is_negated;
  for (const sql::ExpressionPtr& constant : constants)
    if (!addString(column, *constant, strings)) return false;
  strings_.push_back({&column, pipeline_.context.resources.keep(std::make_unique<ShortStrings>(strings))});
  return true;
}

/// False: the constant is NULL, or too long, or cannot be compared by its bytes.
bool ScanFilter::addString(const LeafColumn& column, const Expression& expression, ShortStrings& strings) {
  Constant constant = constantOf(expression);
  if (!constant || isNullConstant(pipeline_.context, *constant)) return false;
  const TypeKind kind = constant->type.kind;
  if (column.type.kind == TypeKind::Char) {
    bool never_equal = false;
    if (kind != TypeKind::Char && kind != TypeKind::Unknown) return false;
    if (!padConstant(pipeline_.context, column.type, *constant, never_equal) || never_equal) return false;
  } else if (kind != TypeKind::Text && kind != TypeKind::Varchar && kind != TypeKind::Unknown) {
    return false;
  }
  const auto lo = constantInteger(pipeline_.context, constant->lo);
  const auto hi = constantInteger(pipeline_.context, constant->hi);
  if (!lo || !hi || static_cast<uint32_t>(*lo) > StringValue::kInlineBytesMax) return false;
  strings.values[strings.count++] = {static_cast<uint64_t>(*lo), static_cast<uint64_t>(*hi)};
  return true;
}

void ScanFilter::emitNotNull(ir::Value rows, const LeafColumn& column) {
  if (!column.nulls.isValid()) return;
  ir::Builder& b = pipeline_.builder;
  const ir::Value has_none = b.eq(column.null_mask, b.constI64(0));
  b.call(RUNTIME_FUNCTION(rt::selectNotNull), {rows, b.select(has_none, b.constPtr(nullptr), column.nulls)});
}

ir::Value ScanFilter::emit() {
  ir::Builder& b = pipeline_.builder;
  const size_t slot = pipeline_.program.addLocal([](ExecutionState&, unsigned) {
    auto made = std::make_unique<RowSelection>();
    void* address = made.get();
    return QueryProgram::Made{std::move(made), address};
  });
  const ir::Value rows = pipeline_.context.localSlot(slot);
  const ir::Value words = b.call(RUNTIME_FUNCTION(rt::selectRows),
                                 {rows, b.parameter(3), b.parameter(4),
                                  b.load(ir::Type::Ptr, pipeline_.data, offsetof(storage::LeafAccess, page_base)),
                                  b.load(ir::Type::Ptr, pipeline_.data, offsetof(storage::LeafAccess, page_ahead))});
  for (const Range& range : ranges_) {
    emitNotNull(rows, *range.column);
    const std::initializer_list<ir::Value> arguments = {rows, range.column->values, b.constI64(range.low),
                                                        b.constI64(range.high), b.constI1(range.is_negated)};
    if (range.column->width == 2)
      b.call(RUNTIME_FUNCTION(rt::selectInt16Between), arguments);
    else if (range.column->width == 4)
      b.call(RUNTIME_FUNCTION(rt::selectInt32Between), arguments);
    else
      b.call(RUNTIME_FUNCTION(rt::selectInt64Between), arguments);
  }
  for (const Strings& test : strings_) {
    emitNotNull(rows, *test.column);
    b.call(RUNTIME_FUNCTION(rt::selectShortStrings), {rows, test.column->values, b.constPtr(test.strings)});
  }
  for (const Comparison& test : comparisons_) {
    emitNotNull(rows, *test.left);
    emitNotNull(rows, *test.right);
    const std::initializer_list<ir::Value> arguments = {rows, test.left->values, test.right->values,
                                                        b.constI32(static_cast<int32_t>(test.comparison))};
    if (test.left->width == 4)
      b.call(RUNTIME_FUNCTION(rt::selectInt32Compared), arguments);
    else
      b.call(RUNTIME_FUNCTION(rt::selectInt64Compared), arguments);
  }
  for (size_t i = 0; i < joins_.size(); ++i) {
    const LeafColumn& column = *joins_[i].column;
    emitNotNull(rows, column);
    const ir::Value table = pipeline_.context.globalSlot(joins_[i].table_slot);
    const std::initializer_list<ir::Value> arguments = {rows, column.values, table,
                                                        b.constI32(static_cast<int32_t>(i))};
    if (column.width == 2)
      b.call(RUNTIME_FUNCTION(rt::selectInt16Joining), arguments);
    else if (column.width == 4)
      b.call(RUNTIME_FUNCTION(rt::selectInt32Joining), arguments);
    else
      b.call(RUNTIME_FUNCTION(rt::selectInt64Joining), arguments);
  }
  return words;
}

}  // namespace gnomon::codegen
