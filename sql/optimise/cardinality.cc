#include "sql/optimise/cardinality.h"
#include "sql/algebra/function_scan.h"
#include "sql/algebra/set_operators.h"
#include "sql/algebra/window.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "sql/algebra/rewrite.h"
#include "sql/algebra/virtual_scan.h"
#include "sql/optimise/key_searches.h"
#include "sql/optimise/sample_filter.h"

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

constexpr double kDistinctDates = 2500;
constexpr double kDistinctShortTexts = 25;
constexpr double kDistinctTinyTexts = 10;
constexpr double kDistinctLetters = 3;
constexpr double kRangeSelectivity = 1.0 / 3;
constexpr double kOpenDateRangeSelectivity = 0.5;
constexpr double kClosedRangeSelectivity = 0.1;
constexpr double kUnknownRangeSelectivity = 0.005;
constexpr double kPatternSelectivity = 0.1;
constexpr double kContainmentSelectivity = 0.005;
constexpr double kNullSelectivity = 0.05;
constexpr double kOtherSelectivity = 0.3;
constexpr double kSelectivityMin = 1e-7;
/// How far apart the two bounds of a range are looked for among conditions.
constexpr size_t kPairDistanceMax = 32;

/// Characters of a varchar(n) or char(n); 0: no limit.
int32_t lengthMax(Type type) {
  return type.typmod < 4 ? 0 : type.typmod - 4;
}

double distinctTexts(Type type, double rows) {
  const int32_t length = lengthMax(type);
  if (length == 0 || length > 25) return rows / 10;
  if (length == 1) return kDistinctLetters;
  return length <= 10 ? kDistinctTinyTexts : kDistinctShortTexts;
}

/// A column's distinct values by its type alone.
double distinctByType(Type type, double rows) {
  double distinct = rows;
  switch (type.kind) {
    case TypeKind::Boolean:
      distinct = 2;
      break;
    case TypeKind::Numeric:
    case TypeKind::Real:
    case TypeKind::Double:
      distinct = rows / 10;
      break;
    case TypeKind::Date:
      distinct = kDistinctDates;
      break;
    case TypeKind::Text:
    case TypeKind::Varchar:
    case TypeKind::Char:
    case TypeKind::Bytea:
      distinct = distinctTexts(type, rows);
      break;
    default:
      break;
  }
  return std::clamp(distinct, 1.0, std::max(1.0, rows));
}

/// The column below casts, null when there is another expression.
const Expression* columnOf(const Expression& expression) {
  const Expression* inner = &expression;
  while (inner->kind == Kind::Cast) inner = inner->children[0].get();
  return inner->kind == Kind::Column ? inner : nullptr;
}

bool isLower(FunctionId function) {
  return function == FunctionId::Greater || function == FunctionId::GreaterEqual;
}
bool isUpper(FunctionId function) {
  return function == FunctionId::Less || function == FunctionId::LessEqual;
}

/// A column compared with a constant or parameter by <, <=, > or >=.
bool isRange(const Expression& expression) {
  return isComparison(expression) && (isLower(expression.function) || isUpper(expression.function)) &&
         columnOf(*expression.children[0]) != nullptr && readsNone(*expression.children[1]);
}

/// The bound in days, of a date range with a constant.
std::optional<double> boundInDays(const Expression& range) {
  const Expression& bound = *range.children[1];
  if (bound.kind != Kind::Constant || bound.value.is_null) return std::nullopt;
  if (bound.type.kind == TypeKind::Date) return static_cast<double>(bound.value.asInt());
  if (bound.type.kind == TypeKind::Timestamp || bound.type.kind == TypeKind::TimestampTz)
    return static_cast<double>(bound.value.asInt()) / 86'400'000'000.0;
  return std::nullopt;
}

/// An integer as another one that is not known yet, and what is added to it.
struct Offset {
  const Expression* base;
  int64_t added;
};

std::optional<int64_t> integerConstant(const Expression& expression) {
  constexpr int64_t kFar = int64_t{1} << 40;
  if (expression.kind != Kind::Constant || !expression.type.isInteger() || expression.value.is_null)
    return std::nullopt;
  const int64_t value = expression.value.asInt();
  return value > -kFar && value < kFar ? std::optional(value) : std::nullopt;
}

Offset offsetOf(const Expression& expression) {
  const bool is_sum = expression.kind == Kind::Call && expression.children.size() == 2 && expression.type.isInteger() &&
                      (expression.function == FunctionId::Add || expression.function == FunctionId::Subtract);
  if (is_sum) {
    const bool is_difference = expression.function == FunctionId::Subtract;
    const Expression& left = *expression.children[0];
    const Expression& right = *expression.children[1];
    if (const auto added = integerConstant(right)) {
      const Offset before = offsetOf(left);
      return {.base = before.base, .added = before.added + (is_difference ? -*added : *added)};
    }
    if (const auto added = integerConstant(left); added && !is_difference) {
      const Offset before = offsetOf(right);
      return {.base = before.base, .added = before.added + *added};
    }
  }
  return {.base = &expression, .added = 0};
}

/// How many integers lie between two bounds that are the same value but for what is added to it.
std::optional<double> integersBetween(const Expression& one, const Expression& other) {
  const Expression& low = isLower(one.function) ? one : other;
  const Expression& high = isLower(one.function) ? other : one;
  const Offset from = offsetOf(*low.children[1]);
  const Offset to = offsetOf(*high.children[1]);
  if (!low.children[1]->type.isInteger() || !from.base->equals(*to.base)) return std::nullopt;
  const int64_t between = to.added - from.added - 1 + (low.function == FunctionId::GreaterEqual ? 1 : 0) +
                          (high.function == FunctionId::LessEqual ? 1 : 0);
  return static_cast<double>(std::max<int64_t>(between, 0));
}

/// Of two ranges that bound the same column on either side, against the two taken as independent. `distinct`: values of
/// the column.
double closedRangeSelectivity(const Expression& one, const Expression& other, double distinct) {
  const auto first = boundInDays(one);
  const auto second = boundInDays(other);
  // Bounds that are not known yet are mostly near each other.
  const auto isOpen = [](const Expression& range) { return range.children[1]->kind != Kind::Constant; };
  if (isOpen(one) && isOpen(other)) {
    const auto between = integersBetween(one, other);
    // Not every integer need be a value of the column.
    return between ? std::min(*between / distinct, kUnknownRangeSelectivity) : kUnknownRangeSelectivity;
  }
  if (!first || !second) return kClosedRangeSelectivity;
  return std::clamp(std::abs(*first - *second) / kDistinctDates, 1 / kDistinctDates, 1.0);
}

std::vector<const Expression*> addressesOf(const std::vector<ExpressionPtr>& conditions) {
  std::vector<const Expression*> addresses;
  for (const ExpressionPtr& condition : conditions) addresses.push_back(condition.get());
  return addresses;
}

double bounded(double selectivity) {
  return std::clamp(selectivity, kSelectivityMin, 1.0);
}

}  // namespace

void Cardinality::learn(Iu iu, double distinct_values, double base_rows, bool is_counted) {
  columns_[iu] = {std::max(1.0, distinct_values), std::max(1.0, base_rows), is_counted};
}

bool Cardinality::isCounted(const Expression& expression) const {
  const Expression* column = columnOf(expression);
  const auto found = column == nullptr ? columns_.end() : columns_.find(column->iu);
  return found != columns_.end() && found->second.is_counted;
}

double Cardinality::baseRows(Iu iu) const {
  const auto found = columns_.find(iu);
  return found == columns_.end() ? 1 : found->second.base_rows;
}

double Cardinality::distinctValues(const Expression& expression) const {
  switch (expression.kind) {
    case Kind::Constant:
    case Kind::Parameter:
      return 1;
    case Kind::Column: {
      const auto found = columns_.find(expression.iu);
      return found == columns_.end() ? 1 : found->second.distinct_values;
    }
    case Kind::Case: {
      // Of each THEN, and of the ELSE.
      double sum = distinctValues(*expression.children.back());
      for (size_t i = 1; i < expression.children.size(); i += 2) sum += distinctValues(*expression.children[i]);
      return expression.type.kind == TypeKind::Boolean ? std::min(sum, 2.0) : sum;
    }
    case Kind::Call:
      if (expression.function == FunctionId::Extract || expression.function == FunctionId::DatePart)
        return std::min(kDistinctTinyTexts, distinctValues(*expression.children[1]));
      if (expression.function == FunctionId::Substring)
        return std::min(kDistinctShortTexts, distinctValues(*expression.children[0]));
      break;
    default:
      if (expression.type.kind == TypeKind::Boolean) return 2;
      break;
  }
  double product = 1;
  for (const ExpressionPtr& child : expression.children) product *= distinctValues(*child);
  return product;
}

double Cardinality::equalShare(const Expression& comparison) const {
  return 1 / std::max(distinctValues(*comparison.children[0]), distinctValues(*comparison.children[1]));
}

double Cardinality::comparisonSelectivity(const Expression& call) const {
  const Expression& left = *call.children[0];
  const double equal = equalShare(call);
  if (call.function == FunctionId::Equal) return equal;
  if (call.function == FunctionId::NotEqual) return 1 - equal;
  const bool is_date = left.type.kind == TypeKind::Date || left.type.kind == TypeKind::Timestamp ||
                       left.type.kind == TypeKind::TimestampTz;
  return is_date && isRange(call) ? kOpenDateRangeSelectivity : kRangeSelectivity;
}

double Cardinality::conjunctionSelectivity(const std::vector<ExpressionPtr>& conditions) const {
  return conjunctionSelectivity(addressesOf(conditions));
}

double Cardinality::conjunctionSelectivity(const std::vector<const Expression*>& conditions) const {
  double result = 1;
  std::vector<bool> counted(conditions.size());
  for (size_t i = 0; i < conditions.size(); ++i) {
    if (counted[i]) continue;
    double part = selectivity(*conditions[i]);
    const size_t end = isRange(*conditions[i]) ? std::min(conditions.size(), i + kPairDistanceMax) : 0;
    for (size_t j = i + 1; j < end; ++j) {
      if (counted[j] || !isRange(*conditions[j])) continue;
      if (columnOf(*conditions[i]->children[0])->iu != columnOf(*conditions[j]->children[0])->iu) continue;
      if (isLower(conditions[i]->function) == isLower(conditions[j]->function)) continue;
      part = closedRangeSelectivity(*conditions[i], *conditions[j],
                                    std::max(1.0, distinctValues(*columnOf(*conditions[i]->children[0]))));
      counted[j] = true;
      break;
    }
    result *= part;
  }
  return bounded(result);
}

double Cardinality::selectivity(const Expression& predicate) const {
  switch (predicate.kind) {
    case Kind::Constant:
      return isTrueConstant(predicate) ? 1 : kSelectivityMin;
    case Kind::And:
      return conjunctionSelectivity(predicate.children);
    case Kind::Or: {
      double none = 1;
      for (const ExpressionPtr& child : predicate.children) none *= 1 - selectivity(*child);
      return bounded(1 - none);
    }
    case Kind::Not:
    case Kind::IsNotTrue:
      return bounded(1 - selectivity(*predicate.children[0]));
    case Kind::IsTrue:
      return selectivity(*predicate.children[0]);
    case Kind::IsNull:
      return predicate.children[0]->nullable ? kNullSelectivity : kSelectivityMin;
    case Kind::IsNotNull:
      return predicate.children[0]->nullable ? 1 - kNullSelectivity : 1;
    case Kind::IsDistinct:
      return bounded(1 - equalShare(predicate));
    case Kind::IsNotDistinct:
      return bounded(equalShare(predicate));
    case Kind::InList:
      return bounded(static_cast<double>(predicate.children.size() - 1) / distinctValues(*predicate.children[0]));
    case Kind::AnyOf: {
      constexpr double kElementsUnknown = 10;
      if (predicate.function != FunctionId::Equal) return kOtherSelectivity;
      return bounded(kElementsUnknown / distinctValues(*predicate.children[0]));
    }
    case Kind::Column:
      return 0.5;
    case Kind::Call:
      if (isComparison(predicate)) return bounded(comparisonSelectivity(predicate));
      if (predicate.function == FunctionId::Like || predicate.function == FunctionId::ILike ||
          predicate.function == FunctionId::StartsWith)
        return kPatternSelectivity;
      return kOtherSelectivity;
    case Kind::ArrayCall:
      return isContainment(predicate) ? kContainmentSelectivity : kOtherSelectivity;
    default:
      return kOtherSelectivity;
  }
}

std::shared_ptr<const SampledRows> Cardinality::sampleOf(const TableScan& scan,
                                                         const std::vector<const Expression*>& predicates,
                                                         std::vector<const Expression*>& undecided) const {
  auto snapshot = statistics_.snapshot(*scan.table);
  if (snapshot == nullptr || snapshot->sampleSize() == 0 || snapshot->sampleIsThin()) return nullptr;
  auto rows = std::make_shared<SampledRows>();
  rows->passes = SampleFilter(*snapshot, scan).passing(predicates, undecided);
  rows->passing = static_cast<uint32_t>(std::ranges::count(rows->passes, true));
  rows->snapshot = std::move(snapshot);
  return rows;
}

std::shared_ptr<const SampledRows> Cardinality::sampledRows(const TableScan& scan) const {
  const auto known = scan.columns.empty() ? samples_.end() : samples_.find(scan.columns[0].iu);
  if (known != samples_.end() && known->second.filter_count == scan.filters.size()) return known->second.rows;
  std::vector<const Expression*> undecided;
  return sampleOf(scan, addressesOf(scan.filters), undecided);
}

double Cardinality::sampledSelectivity(const SampledRows* rows, const std::vector<const Expression*>& predicates,
                                       const std::vector<const Expression*>& undecided) const {
  if (rows == nullptr || undecided.size() == predicates.size()) return conjunctionSelectivity(predicates);
  double selectivity = std::max(double{1} * rows->passing, 0.5) / static_cast<double>(rows->passes.size());
  // One row more or less is chance: where the distinct counts say that it is rarer, they know better.
  if (rows->passing <= 1 && !rows->snapshot->sampleIsComplete()) {
    std::vector<const Expression*> decided;
    for (const Expression* predicate : predicates)
      if (std::ranges::find(undecided, predicate) == undecided.end()) decided.push_back(predicate);
    selectivity = std::min(selectivity, conjunctionSelectivity(decided));
  }
  return bounded(selectivity * conjunctionSelectivity(undecided));
}

double Cardinality::scanSelectivity(const TableScan& scan, const std::vector<const Expression*>& predicates) const {
  if (predicates.empty()) return 1;
  std::vector<const Expression*> undecided;
  const auto rows = sampleOf(scan, predicates, undecided);
  return sampledSelectivity(rows.get(), predicates, undecided);
}

void Cardinality::learnTable(const TableScan& scan) {
  const double rows = std::max(1.0, statistics_.rowCount(*scan.table));
  const auto snapshot = statistics_.snapshot(*scan.table);
  for (const TableScan::Column& column : scan.columns) {
    const bool is_unique = std::ranges::any_of(scan.table->indexes, [&](const IndexPtr& index) {
      return index->is_unique && index->is_valid && !index->expressions && index->columns.size() == 1 &&
             index->columns[0].column == column.index;
    });
    if (is_unique || column.index == TableScan::kTupleId || column.index == TableScan::kTableOid)
      learn(column.iu, rows, rows, true);
    else if (snapshot != nullptr && column.index < snapshot->schema().size())
      learn(column.iu, std::min(snapshot->column(column.index).distinct_count, rows), rows, true);
    else
      learn(column.iu, distinctByType(column.iu->type, rows), rows);
  }
}

void Cardinality::estimateScan(TableScan& scan) {
  const double rows = std::max(1.0, statistics_.rowCount(*scan.table));
  learnTable(scan);
  scan.estimated_rows = scan.cursor_row ? 1 : rows;
  if (!scan.filters.empty() && !scan.cursor_row) {
    const std::vector<const Expression*> predicates = addressesOf(scan.filters);
    std::vector<const Expression*> undecided;
    const auto sampled = sampleOf(scan, predicates, undecided);
    scan.estimated_rows = std::max(1.0, rows * sampledSelectivity(sampled.get(), predicates, undecided));
    if (!scan.columns.empty()) samples_[scan.columns[0].iu] = {sampled, predicates.size()};
  }
  // A column held to a few constants has that few values: joins on it are estimated accordingly.
  for (const ExpressionPtr& filter : scan.filters) {
    const bool is_list = filter->kind == Kind::InList;
    if (!is_list && !(isEquality(*filter) && readsNone(*filter->children[1]))) continue;
    const Expression* column = columnOf(*filter->children[0]);
    if (column == nullptr) continue;
    const double values = is_list ? static_cast<double>(filter->children.size() - 1) : 1;
    learn(column->iu, std::min(values, distinctValues(*column)), rows, isCounted(*column));
  }
}

/// The part of the left rows that have a match: the values of the right keys are taken to be among those of the left.
double Cardinality::testedShare(const Join& join) const {
  constexpr double kShareMax = 0.9, kWithoutKey = 0.5;
  if (join.keys.empty()) return kWithoutKey;
  const double right = join.inputs[1]->estimated_rows;
  double share = 1;
  for (const Join::Key& key : join.keys)
    share = std::min(share, std::min(distinctValues(*key.right), right) / distinctValues(*key.left));
  return bounded(std::min(share, kShareMax) * (join.conditions.empty() ? 1 : kShareMax));
}

void Cardinality::estimateJoin(Join& join) {
  const double left = join.inputs[0]->estimated_rows;
  const double right = join.inputs[1]->estimated_rows;
  double domain = 1;
  double base_rows = std::max(left, right);
  for (const Join::Key& key : join.keys) {
    // Of counted columns the values of one are taken to be among the other's. Guesses are rather too high than too low.
    const double one = distinctValues(*key.left);
    const double other = distinctValues(*key.right);
    domain *= isCounted(*key.left) && isCounted(*key.right) ? std::max(one, other) : std::min(one, other);
    std::vector<Iu> units;
    key.left->collectUnits(units);
    key.right->collectUnits(units);
    for (const Iu unit : units) base_rows = std::min(base_rows, baseRows(unit));
  }
  if (join.keys.size() > 1) domain = std::min(domain, base_rows);
  double rows = left * right / std::max(1.0, domain) * conjunctionSelectivity(join.conditions);
  switch (join.join_kind) {
    case Join::JoinKind::Inner:
      break;
    case Join::JoinKind::LeftOuter:
      rows = std::max(rows, left);
      break;
    case Join::JoinKind::FullOuter:
      rows = std::max({rows, left, right});
      break;
    case Join::JoinKind::Single:
    case Join::JoinKind::Mark:
    case Join::JoinKind::Gate:
      rows = left;
      break;
    case Join::JoinKind::Semi:
      rows = left * testedShare(join);
      break;
    case Join::JoinKind::Anti:
      rows = left * (1 - testedShare(join));
      break;
  }
  join.estimated_rows = std::max(1.0, rows);
  if (join.mark) learn(join.mark, 2, join.estimated_rows);
  for (const auto* extended : {&join.null_extended, &join.left_extended}) {
    for (const auto& [low, high] : *extended) {
      const auto found = columns_.find(low);
      if (found != columns_.end()) learn(high, found->second.distinct_values, found->second.base_rows);
    }
  }
}

void Cardinality::estimateAggregation(Aggregation& aggregation) {
  double groups = 1;
  for (const Aggregation::Key& key : aggregation.keys) groups *= distinctValues(*key.expression);
  const double rows = std::max(1.0, std::min(groups, aggregation.inputs[0]->estimated_rows));
  aggregation.estimated_rows = rows;
  for (const Aggregation::Key& key : aggregation.keys)
    learn(key.iu, std::min(rows, distinctValues(*key.expression)), rows);
  // Of all rows there is one value, which is no guess.
  const bool is_counted = aggregation.keys.empty();
  for (const Aggregation::Aggregate& aggregate : aggregation.aggregates) learn(aggregate.iu, rows, rows, is_counted);
}

namespace {

/// How often a recursion adds as many rows as at first; PostgreSQL's guess.
constexpr double kRecursionSteps = 10;

double limitedRows(double rows, const ExpressionPtr& limit) {
  if (limit == nullptr || limit->kind != Kind::Constant || limit->value.is_null) return rows;
  return std::clamp(static_cast<double>(limit->value.asInt()), 1.0, std::max(1.0, rows));
}

}  // namespace

namespace {

/// Of an integer series between constants; PostgreSQL's guess of anything else.
double seriesRows(const FunctionScan::Call& call) {
  constexpr double kRowsUnknown = 1000;
  constexpr double kElementsUnknown = 10;
  if (call.isUnnest()) return kElementsUnknown;
  double bounds[3] = {0, 0, 1};
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const Expression& argument = *call.arguments[i];
    if (!argument.isConstant() || argument.value.is_null || !argument.type.isInteger()) return kRowsUnknown;
    bounds[i] = static_cast<double>(argument.value.asInt());
  }
  return bounds[2] == 0 ? kRowsUnknown : std::max(1.0, std::floor((bounds[1] - bounds[0]) / bounds[2]) + 1);
}

}  // namespace

void Cardinality::estimate(Operator& op) {
  const double below = op.inputs.empty() ? 0 : op.inputs[0]->estimated_rows;
  switch (op.kind) {
    case Operator::Kind::TableScan:
      return estimateScan(static_cast<TableScan&>(op));
    case Operator::Kind::VirtualScan:
      op.estimated_rows = static_cast<VirtualScan&>(op).relation->rows_expected;
      for (const Iu unit : op.units()) learn(unit, op.estimated_rows, op.estimated_rows);
      return;
    case Operator::Kind::FunctionScan:
      op.estimated_rows = 0;
      for (const FunctionScan::Call& call : static_cast<FunctionScan&>(op).calls)
        op.estimated_rows = std::max(op.estimated_rows, seriesRows(call));
      for (const Iu unit : op.units()) learn(unit, op.estimated_rows, op.estimated_rows);
      return;
    case Operator::Kind::ProjectSet: {
      double rows = 0;
      for (const SetCall& call : static_cast<ProjectSet&>(op).calls) rows = std::max(rows, seriesRows(call));
      op.estimated_rows = below * rows;
      for (const SetCall& call : static_cast<ProjectSet&>(op).calls)
        learn(call.iu, op.estimated_rows, op.estimated_rows);
      if (const Iu number = static_cast<ProjectSet&>(op).ordinality) learn(number, rows, op.estimated_rows);
      return;
    }
    case Operator::Kind::Join:
      return estimateJoin(static_cast<Join&>(op));
    case Operator::Kind::Aggregation:
      return estimateAggregation(static_cast<Aggregation&>(op));
    case Operator::Kind::Selection:
      op.estimated_rows = std::max(1.0, below * conjunctionSelectivity(static_cast<Selection&>(op).conditions));
      return;
    case Operator::Kind::Map:
      op.estimated_rows = below;
      for (const Map::Computed& computed : static_cast<Map&>(op).computed)
        learn(computed.iu, std::min(below, distinctValues(*computed.expression)), below);
      return;
    case Operator::Kind::Window:
      op.estimated_rows = below;
      for (const Window::Function& function : static_cast<Window&>(op).functions) learn(function.iu, below, below);
      return;
    case Operator::Kind::Sort:
      op.estimated_rows = limitedRows(below, static_cast<Sort&>(op).limit);
      return;
    case Operator::Kind::Limit:
      op.estimated_rows = limitedRows(below, static_cast<Limit&>(op).limit);
      return;
    case Operator::Kind::Output:
      op.estimated_rows = limitedRows(below, static_cast<Output&>(op).limit);
      return;
    case Operator::Kind::Values: {
      const auto& values = static_cast<Values&>(op);
      op.estimated_rows = static_cast<double>(values.rows.size());
      for (const Iu unit : values.columns) learn(unit, op.estimated_rows, op.estimated_rows);
      return;
    }
    case Operator::Kind::Union:
      return estimateUnion(static_cast<Union&>(op));
    case Operator::Kind::SharedScan:
      return estimateSharedScan(static_cast<SharedScan&>(op));
    case Operator::Kind::Recursion: {
      op.estimated_rows = below * kRecursionSteps;
      for (const Iu unit : op.units()) learn(unit, op.estimated_rows, op.estimated_rows);
      return;
    }
    case Operator::Kind::WorkingScan: {
      const Recursion& recursion = *static_cast<WorkingScan&>(op).recursion;
      op.estimated_rows = recursion.inputs.empty() ? 1 : std::max(1.0, recursion.inputs[0]->estimated_rows);
      for (const Iu unit : op.units()) learn(unit, op.estimated_rows, op.estimated_rows);
      return;
    }
    default:
      op.estimated_rows = below;
  }
}

void Cardinality::estimateUnion(Union& node) {
  node.estimated_rows = 0;
  for (const OperatorPtr& input : node.inputs) node.estimated_rows += input->estimated_rows;
  for (size_t column = 0; column < node.columns.size(); ++column) {
    double values = 0;
    for (const auto& list : node.values) values += distinctValues(*list[column]);
    learn(node.columns[column], std::max(1.0, std::min(values, node.estimated_rows)), node.estimated_rows);
  }
}

void Cardinality::estimateSharedScan(SharedScan& scan) {
  const auto& output = static_cast<const Output&>(*scan.source->root);
  scan.estimated_rows = output.estimated_rows;
  for (const SharedScan::Column& column : scan.columns) {
    const auto found = columns_.find(output.columns[column.index].iu);
    if (found != columns_.end()) learn(column.iu, found->second.distinct_values, found->second.base_rows);
  }
}

void Cardinality::estimateTree(Operator& root) {
  for (OperatorPtr& input : root.inputs) estimateTree(*input);
  estimate(root);
}

}  // namespace gnomon::sql
