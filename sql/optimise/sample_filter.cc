#include "sql/optimise/sample_filter.h"

#include <algorithm>

#include "base/sql_error.h"
#include "base/string_value.h"
#include "sql/algebra/rewrite.h"
#include "sql/optimise/constant_folding.h"
#include "sql/types/cast.h"
#include "sql/types/like_pattern.h"

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

/// A cast below another is rare, and each costs.
constexpr unsigned kCastsMax = 2;

bool areComparedAsIntegers(Type left, Type right) {
  return left.kind == right.kind && isHeldAsInteger(left) && isHeldAsInteger(right) && left.scale == right.scale;
}

}  // namespace

bool isHeldAsInteger(Type type) {
  switch (type.kind) {
    case TypeKind::Boolean:
    case TypeKind::Smallint:
    case TypeKind::Integer:
    case TypeKind::Bigint:
    case TypeKind::Money:
    case TypeKind::Date:
    case TypeKind::Timestamp:
    case TypeKind::TimestampTz:
    case TypeKind::Time:
      return true;
    case TypeKind::Numeric:
      return type.form == NumericForm::Small;
    default:
      return false;
  }
}

int64_t sampledInteger(storage::StoredKind kind, const storage::Datum& datum) {
  if (kind == storage::StoredKind::Int16) return static_cast<int16_t>(datum.lo);
  if (kind == storage::StoredKind::Int32) return static_cast<int32_t>(datum.lo);
  return static_cast<int64_t>(datum.lo);
}

bool isStoredInteger(storage::StoredKind kind) {
  return kind == storage::StoredKind::Bool1 || kind == storage::StoredKind::Int16 ||
         kind == storage::StoredKind::Int32 || kind == storage::StoredKind::Int64;
}

SampleFilter::SampleFilter(const storage::StatisticsSnapshot& sample, const TableScan& scan)
    : sample_(sample), scan_(scan), row_count_(std::min(sample.sampleSize(), kRowsMax)) {}

std::vector<bool> SampleFilter::passing(const std::vector<const Expression*>& predicates,
                                        std::vector<const Expression*>& undecided) const {
  std::vector<bool> passes(row_count_, true);
  for (const Expression* predicate : predicates) {
    Verdict verdict;
    try {
      verdict = evaluate(*predicate);
    } catch (const SqlError&) {
      // It is raised when the statement runs, if at all.
    }
    if (!verdict) {
      undecided.push_back(predicate);
      continue;
    }
    for (uint32_t row = 0; row < row_count_; ++row) passes[row] = passes[row] && (*verdict)[row] == Truth::True;
  }
  return passes;
}

/// The column in the stored table.
std::optional<uint32_t> SampleFilter::columnOf(const Expression& expression) const {
  if (expression.kind != Kind::Column) return std::nullopt;
  const auto found = std::ranges::find(scan_.columns, expression.iu, &TableScan::Column::iu);
  if (found == scan_.columns.end() || found->index >= sample_.schema().size()) return std::nullopt;
  const bool is_text = sample_.schema()[found->index].kind == storage::StoredKind::String;
  for (uint32_t row = 0; is_text && row < row_count_; ++row)
    if (sample_.sampleIsCut(row, found->index)) return std::nullopt;
  return found->index;
}

bool SampleFilter::isDecidable(const Expression& value) const {
  const Expression* inner = &value;
  for (unsigned casts = 0; inner->kind == Kind::Cast && casts < kCastsMax; ++casts) inner = inner->children[0].get();
  return inner->kind == Kind::Constant || columnOf(*inner).has_value();
}

Value SampleFilter::valueOf(const Expression& value, uint32_t row) const {
  if (value.kind == Kind::Constant) return value.value;
  if (value.kind == Kind::Cast) return castValue(valueOf(*value.children[0], row), value.type, value.is_explicit);
  const uint32_t column = *columnOf(value);
  if (sample_.sampleNulls(row)[column] != 0) return Value::null(value.type);
  const storage::Datum& datum = sample_.sampleValues(row)[column];
  const storage::StoredKind kind = sample_.schema()[column].kind;
  if (isHeldAsInteger(value.type)) return Value::fromInt(value.type, sampledInteger(kind, datum));
  if (kind != storage::StoredKind::String) return {value.type, false, datum.lo, datum.hi, {}};
  return Value::fromString(value.type, StringValue(datum.lo, datum.hi).view());
}

SampleFilter::Verdict SampleFilter::evaluate(const Expression& predicate) const {
  switch (predicate.kind) {
    case Kind::Constant:
      if (predicate.value.is_null) return Truths(row_count_, Truth::Null);
      return Truths(row_count_, isTrueConstant(predicate) ? Truth::True : Truth::False);
    case Kind::Column: {
      const auto column = columnOf(predicate);
      if (!column || predicate.type.kind != TypeKind::Boolean) return std::nullopt;
      Truths result(row_count_);
      for (uint32_t row = 0; row < row_count_; ++row) {
        const bool is_true = sample_.sampleValues(row)[*column].lo != 0;
        result[row] = sample_.sampleNulls(row)[*column] != 0 ? Truth::Null : is_true ? Truth::True : Truth::False;
      }
      return result;
    }
    case Kind::And:
    case Kind::Or:
    case Kind::Not:
    case Kind::IsTrue:
    case Kind::IsNotTrue:
    case Kind::IsFalse:
    case Kind::IsNotFalse:
      return evaluateLogic(predicate);
    case Kind::IsNull:
    case Kind::IsNotNull:
      return evaluateNull(predicate);
    case Kind::InList:
      return evaluateInList(predicate);
    case Kind::Call:
      if (isComparison(predicate))
        return evaluateComparison(*predicate.children[0], *predicate.children[1], predicate.function);
      if (predicate.function == FunctionId::Like || predicate.function == FunctionId::ILike)
        return evaluateLike(predicate);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

SampleFilter::Verdict SampleFilter::evaluateLogic(const Expression& predicate) const {
  Verdict result = evaluate(*predicate.children[0]);
  for (size_t i = 1; result && i < predicate.children.size(); ++i) {
    const Verdict next = evaluate(*predicate.children[i]);
    if (!next) return std::nullopt;
    // False decides an AND, True an OR; Null comes before the other.
    const Truth decisive = predicate.kind == Kind::And ? Truth::False : Truth::True;
    for (uint32_t row = 0; row < row_count_; ++row) {
      Truth& truth = (*result)[row];
      const Truth other = (*next)[row];
      if (truth != decisive && (other == decisive || other == Truth::Null)) truth = other;
    }
  }
  if (!result || predicate.kind == Kind::And || predicate.kind == Kind::Or) return result;
  for (Truth& truth : *result) {
    bool holds = false;
    if (predicate.kind == Kind::Not && truth == Truth::Null) continue;
    if (predicate.kind == Kind::Not || predicate.kind == Kind::IsFalse) holds = truth == Truth::False;
    if (predicate.kind == Kind::IsTrue) holds = truth == Truth::True;
    if (predicate.kind == Kind::IsNotTrue) holds = truth != Truth::True;
    if (predicate.kind == Kind::IsNotFalse) holds = truth != Truth::False;
    truth = holds ? Truth::True : Truth::False;
  }
  return result;
}

SampleFilter::Verdict SampleFilter::evaluateNull(const Expression& test) const {
  const auto column = columnOf(*test.children[0]);
  if (!column) return std::nullopt;
  Truths result(row_count_);
  for (uint32_t row = 0; row < row_count_; ++row) {
    const bool is_null = sample_.sampleNulls(row)[*column] != 0;
    result[row] = is_null == (test.kind == Kind::IsNull) ? Truth::True : Truth::False;
  }
  return result;
}

/// Without making values of them.
SampleFilter::Verdict SampleFilter::compareNumbers(const Expression& left, const Expression& right,
                                                   FunctionId function) const {
  const auto one = columnOf(left);
  const auto other = columnOf(right);
  if ((!one && left.kind != Kind::Constant) || (!other && right.kind != Kind::Constant)) return std::nullopt;
  Truths result(row_count_);
  for (uint32_t row = 0; row < row_count_; ++row) {
    const storage::Datum* values = sample_.sampleValues(row);
    const uint8_t* nulls = sample_.sampleNulls(row);
    const bool is_null =
        (one ? nulls[*one] != 0 : left.value.is_null) || (other ? nulls[*other] != 0 : right.value.is_null);
    const int64_t first = one ? sampledInteger(sample_.schema()[*one].kind, values[*one]) : left.value.asInt();
    const int64_t second = other ? sampledInteger(sample_.schema()[*other].kind, values[*other]) : right.value.asInt();
    const bool holds = comparisonHolds(function, first < second ? -1 : (first > second ? 1 : 0));
    result[row] = is_null ? Truth::Null : holds ? Truth::True : Truth::False;
  }
  return result;
}

SampleFilter::Verdict SampleFilter::evaluateComparison(const Expression& left, const Expression& right,
                                                       FunctionId function) const {
  if (!isDecidable(left) || !isDecidable(right)) return std::nullopt;
  if (areComparedAsIntegers(left.type, right.type))
    if (Verdict verdict = compareNumbers(left, right, function)) return verdict;
  Truths result(row_count_);
  // Constants, and casts of them, once.
  const bool left_is_fixed = readsNone(left), right_is_fixed = readsNone(right);
  Value one = left_is_fixed ? valueOf(left, 0) : Value{};
  Value other = right_is_fixed ? valueOf(right, 0) : Value{};
  for (uint32_t row = 0; row < row_count_; ++row) {
    if (!left_is_fixed) one = valueOf(left, row);
    if (!right_is_fixed) other = valueOf(right, row);
    if (one.is_null || other.is_null) {
      result[row] = Truth::Null;
      continue;
    }
    const auto order = compareValues(one, other);
    if (!order) return std::nullopt;
    result[row] = comparisonHolds(function, *order) ? Truth::True : Truth::False;
  }
  return result;
}

SampleFilter::Verdict SampleFilter::evaluateInList(const Expression& list) const {
  constexpr size_t kValuesMax = 64;
  if (list.children.size() > kValuesMax) return std::nullopt;
  Truths result(row_count_, Truth::False);
  for (size_t i = 1; i < list.children.size(); ++i) {
    const Verdict equal = evaluateComparison(*list.children[0], *list.children[i], FunctionId::Equal);
    if (!equal) return std::nullopt;
    for (uint32_t row = 0; row < row_count_; ++row)
      if (result[row] != Truth::True && (*equal)[row] != Truth::False) result[row] = (*equal)[row];
  }
  return result;
}

SampleFilter::Verdict SampleFilter::evaluateLike(const Expression& call) const {
  if (call.children.size() != 2 || call.children[1]->kind != Kind::Constant || !isDecidable(*call.children[0]))
    return std::nullopt;
  if (call.children[1]->value.is_null) return Truths(row_count_, Truth::Null);
  const Expression& text = *call.children[0];
  const LikeUnit unit = text.type.kind == TypeKind::Bytea    ? LikeUnit::Byte
                        : call.function == FunctionId::ILike ? LikeUnit::CaselessCharacter
                                                             : LikeUnit::Character;
  const LikePattern pattern(call.children[1]->value.bytes, unit);
  const auto column = columnOf(text);
  Truths result(row_count_);
  for (uint32_t row = 0; row < row_count_; ++row) {
    if (column && sample_.sampleNulls(row)[*column] == 0) {
      const storage::Datum& datum = sample_.sampleValues(row)[*column];
      result[row] = pattern.matches(StringValue(datum.lo, datum.hi).view()) ? Truth::True : Truth::False;
      continue;
    }
    const Value value = valueOf(text, row);
    result[row] = value.is_null ? Truth::Null : pattern.matches(value.bytes) ? Truth::True : Truth::False;
  }
  return result;
}

}  // namespace gnomon::sql
