#include "storage/statistics/statistics_snapshot.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "storage/statistics/value_hash.h"

namespace gnomon::storage {
namespace {

/// Where of the rows fed this share have values of their own, the sketch's standard error of 8 % begins to matter, and
/// where it is as good as all of them.
constexpr double kDifferentMin = 0.72, kDifferentMax = 0.88;

/// Distinct values among `rows` draws from `domain` equally likely ones.
double occupiedOf(double domain, double rows) {
  return domain * -std::expm1(-rows / domain);
}

}  // namespace

StatisticsSnapshot::StatisticsSnapshot(RelationSchema schema, const History& history,
                                       std::vector<ColumnEstimate> columns, std::vector<ReservoirSample::Row> sample)
    : schema_(std::move(schema)),
      row_count_(history.row_count),
      columns_(std::move(columns)),
      sample_(std::move(sample)) {
  decodeSample();
  correctColumns(history);
}

void StatisticsSnapshot::decodeSample() {
  const size_t count = sample_.size() * schema_.size();
  values_.reserve(count);
  hashes_.reserve(count);
  null_flags_.reserve(count);
  cut_flags_.reserve(count);
  for (const ReservoirSample::Row& row : sample_) {
    ByteReader in(row.bytes);
    for (const StoredColumn& column : schema_) {
      const SampleValue value = decodeSampleValue(in, column.kind);
      values_.push_back(value.datum);
      hashes_.push_back(value.hash);
      null_flags_.push_back(value.is_null ? 1 : 0);
      cut_flags_.push_back(value.is_cut ? 1 : 0);
    }
    if (in.remaining() != 0)
      throw SqlError(sqlstate::kDataCorrupted, "damaged statistics: a sampled row is longer than the schema says");
  }
}

/// A sketch can be wrong where the sample cannot: at least what the sample holds, at most one value for each row.
void StatisticsSnapshot::correctColumns(const History& history) {
  for (uint32_t index = 0; index < columns_.size(); ++index) {
    ColumnEstimate& column = columns_[index];
    double sampled_nulls = 0;
    for (uint32_t row = 0; row < sampleSize(); ++row) sampled_nulls += sampleNulls(row)[index] != 0 ? 1 : 0;
    if (sampleIsComplete()) column.null_count = static_cast<uint64_t>(sampled_nulls);
    column.null_count = std::min(column.null_count, row_count_);
    SampleCounts sampled = countSample({&index, 1});
    sampled.distinct -= sampled_nulls > 0 ? 1 : 0;
    if (sampled_nulls >= kFrequentRows) sampled.frequent -= 1, sampled.frequent_rows -= sampled_nulls;
    column.is_sampled_once = sampled.distinct + sampled_nulls >= static_cast<double>(sample_.size());
    double distinct = column.distinct_count;
    if (history.feed_shift != 0) distinct = extrapolate(column, sampled, sampled_nulls, history);
    if (history.removed_count > row_count_ / 2) distinct = estimateFromSample(distinct, sampled);
    const double most = static_cast<double>(row_count_ - column.null_count);
    column.distinct_count =
        sampleIsComplete() ? sampled.distinct : std::round(std::min(std::max(distinct, sampled.distinct), most));
  }
}

/// From the distinct values of some rows to those of all. Values that are frequent in the sample are all known; of the
/// others it is assumed that they have equally many rows, r each, of which at least one was seen with probability
/// 1 - (1 - share)^r. That holds for rows drawn independently. Where equal values stand together (the lines of an
/// order), the number of runs is the better estimate, and an upper bound.
double StatisticsSnapshot::extrapolate(const ColumnEstimate& column, const SampleCounts& sampled, double sampled_nulls,
                                       const History& history) const {
  const double share = std::ldexp(1.0, -static_cast<int>(history.feed_shift));
  const double with_value = static_cast<double>(sample_.size()) - sampled_nulls;
  const double others_share = with_value > 0 ? 1 - sampled.frequent_rows / with_value : 1;
  const double value_rows = static_cast<double>(row_count_ - column.null_count);
  const double rows = value_rows * others_share;
  const double seen = column.distinct_count - sampled.frequent;
  if (seen <= 0 || rows <= 0) return column.distinct_count;
  const double distinct_max = std::max(seen, rows);
  double low = seen, high = distinct_max;
  for (unsigned round = 0; round < 40 && high - low > 0.5; ++round) {
    const double middle = (low + high) / 2;
    const double expected = -middle * std::expm1(rows / middle * std::log1p(-share));
    (expected < seen ? low : high) = middle;
  }
  double distinct = (low + high) / 2;
  // Nearly all different: the sketch's error decides between some rows for each value and one. Up to halfway, then.
  const double certainty = (seen / (rows * share) - kDifferentMin) / (kDifferentMax - kDifferentMin);
  distinct *= std::pow(distinct_max / distinct, std::clamp(certainty, 0.0, 1.0) / 2);
  // Rows are added and removed alike: the share of those that repeat their neighbour's value stays.
  const double added = static_cast<double>(row_count_ + history.removed_count);
  const double runs = value_rows * std::max(0.0, 1 - static_cast<double>(column.repeated_count) / added);
  return std::max(column.distinct_count, std::min(sampled.frequent + distinct, runs));
}

/// After many removals a sketch is unsure of values with many rows, but those the sample knows well. Where most sampled
/// rows share their value with another, the estimate is kept between Chao's lower bound and the number there would be
/// if every value sampled once stood for values of one row each.
double StatisticsSnapshot::estimateFromSample(double sketched, const SampleCounts& sampled) const {
  const auto size = static_cast<double>(sample_.size());
  if (sampled.once * 2 >= size) return sketched;
  const double low = sampled.distinct + sampled.once * (sampled.once - 1) / (2 * (sampled.twice + 1));
  const double high = sampled.distinct + sampled.once * (static_cast<double>(row_count_) / size - 1);
  // Chao's bound knows nothing of the number of rows: where most of them are sampled it is too high.
  return std::clamp(sketched, std::min(low, high), high);
}

double StatisticsSnapshot::nullFraction(uint32_t column) const {
  if (row_count_ == 0) return 0;
  return static_cast<double>(columns_[column].null_count) / static_cast<double>(row_count_);
}

bool StatisticsSnapshot::sampleIsThin() const {
  return sample_.size() < std::min<uint64_t>(row_count_, ReservoirSample::kCapacity) / 2;
}

StatisticsSnapshot::SampleCounts StatisticsSnapshot::countSample(std::span<const uint32_t> columns) const {
  std::vector<uint64_t> rows(sample_.size());
  for (size_t row = 0; row < rows.size(); ++row)
    for (const uint32_t column : columns)
      rows[row] = value_hash::combine(rows[row], hashes_[row * schema_.size() + column]);
  std::ranges::sort(rows);
  SampleCounts counts;
  for (size_t start = 0, end = 0; start < rows.size(); start = end) {
    while (end < rows.size() && rows[end] == rows[start]) ++end;
    const auto length = static_cast<double>(end - start);
    counts.distinct += 1;
    counts.once += end - start == 1 ? 1 : 0;
    counts.twice += end - start == 2 ? 1 : 0;
    if (end - start >= kFrequentRows) counts.frequent += 1, counts.frequent_rows += length;
    counts.equal_pairs += length * (length - 1) / 2;
  }
  return counts;
}

double StatisticsSnapshot::groupCountOf(uint32_t column) const {
  const ColumnEstimate& estimate = columns_[column];
  const double groups = estimate.distinct_count + (estimate.null_count != 0 ? 1 : 0);
  return std::min(std::max(groups, 1.0), static_cast<double>(row_count_));
}

double StatisticsSnapshot::groupCount(std::span<const uint32_t> columns) const {
  if (row_count_ == 0) return 0;
  if (columns.empty()) return 1;
  if (sampleIsComplete()) return countSample(columns).distinct;
  if (columns.size() == 1) return groupCountOf(columns.front());
  return combinedGroups(columns);
}

/// After Freitag and Neumann, "Every Row Counts": the sketches give the truth of each column, the sample gives how far
/// the columns depend on one another. Departure: the dependence is measured by how often two sampled rows agree. If
/// p(S) is the chance that two rows agree in the columns S, then for independent columns p(all) is the product of the
/// p(c), and when the others follow from column m it is p(m). Where log p(all) lies between these two, the logarithm of
/// the number of groups is taken to lie between those of d(m) and of the product of all d(c).
double StatisticsSnapshot::combinedGroups(std::span<const uint32_t> columns) const {
  const auto rows = static_cast<double>(row_count_);
  const uint32_t main = *std::ranges::max_element(columns, {}, [&](uint32_t c) { return groupCountOf(c); });
  const double pairs = static_cast<double>(sample_.size()) * static_cast<double>(sample_.size() - 1) / 2;
  // Half a pair stands for what a sample without equal pairs cannot tell.
  const auto agreement = [&](std::span<const uint32_t> set) {
    return std::log((countSample(set).equal_pairs + 0.5) / (pairs + 0.5));
  };
  double others_groups = 0, others_agreement = 0;  // logarithms
  for (const uint32_t& column : columns) {
    if (column == main) continue;
    others_groups += std::log(groupCountOf(column));
    others_agreement += agreement({&column, 1});
  }
  const SampleCounts together = countSample(columns);
  double independence = 1;
  if (sample_.size() > 1 && others_agreement < 0)
    independence = std::clamp((agreement(columns) - agreement({&main, 1})) / others_agreement, 0.0, 1.0);

  const double main_groups = groupCountOf(main);
  const auto groupsAt = [&](double share) {
    return std::max(main_groups, occupiedOf(main_groups * std::exp(others_groups * share), rows));
  };
  // With few equal pairs the measure is weak: without any, halfway to independence.
  const double weight = 1 / (2 + together.equal_pairs);
  const double groups = std::pow(groupsAt(independence), 1 - weight) * std::pow(groupsAt(1), weight);
  return std::clamp(groups, std::min(together.distinct, rows), rows);
}

}  // namespace gnomon::storage
