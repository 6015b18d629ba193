#include "sql/optimise/key_matches.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "storage/statistics/value_hash.h"

namespace gnomon::sql {
namespace {

/// Of a value that counts as frequent, at least.
constexpr unsigned kSampledRowsMin = 3;
constexpr size_t kFrequentMax = 32;
/// Columns whose samples are looked at.
constexpr size_t kSampledColumnsMax = 16;
/// A correction is believed by half when this many pairs of sampled rows were expected to agree.
constexpr double kPairsDoubted = 4;
constexpr double kCorrectionMax = 1000;
/// Columns with more distinct values for each row, none of which is sampled twice, are taken for unique.
constexpr double kUniqueMin = 0.8;
/// A filter lets a key's value through or not. Mostly not, where it keeps a small part: the mean, which the few large
/// results dominate, is too much to expect.
constexpr double kAllOrNothing = 1.5;

/// The values in samples of several columns, and how many rows of each have them.
class SampledValues {
 public:
  static constexpr size_t kNone = SIZE_MAX;

  SampledValues(size_t column_count, size_t rows_max)
      : column_count_(column_count), slots_(std::bit_ceil(2 * rows_max + 2), kEmpty) {}

  void add(size_t column, uint64_t hash) {
    uint32_t& slot = slotOf(hash);
    if (slot == kEmpty) {
      slot = static_cast<uint32_t>(hashes_.size());
      hashes_.push_back(hash);
      counts_.resize(counts_.size() + column_count_);
    }
    ++counts_[slot * column_count_ + column];
  }
  [[nodiscard]] size_t find(uint64_t hash) {
    const uint32_t slot = slotOf(hash);
    return slot == kEmpty ? kNone : slot;
  }
  [[nodiscard]] size_t size() const { return hashes_.size(); }
  [[nodiscard]] uint64_t hash(size_t value) const { return hashes_[value]; }
  /// One for each column.
  [[nodiscard]] const uint16_t* counts(size_t value) const { return counts_.data() + value * column_count_; }

 private:
  static constexpr uint32_t kEmpty = UINT32_MAX;

  uint32_t& slotOf(uint64_t hash) {
    size_t position = hash & (slots_.size() - 1);
    while (slots_[position] != kEmpty && hashes_[slots_[position]] != hash)
      position = (position + 1) & (slots_.size() - 1);
    return slots_[position];
  }

  const size_t column_count_;
  std::vector<uint32_t> slots_;
  std::vector<uint64_t> hashes_;
  std::vector<uint16_t> counts_;
};

/// Null when the value is.
std::optional<uint64_t> hashOf(const KeyColumn& key, uint32_t row) {
  const storage::StatisticsSnapshot& sample = *key.rows->snapshot;
  if (sample.sampleNulls(row)[key.column] != 0) return std::nullopt;
  const storage::StoredKind kind = sample.schema()[key.column].kind;
  if (!isStoredInteger(kind)) return sample.sampleHash(row, key.column);
  return storage::value_hash::ofWords(static_cast<uint64_t>(sampledInteger(kind, sample.sampleValues(row)[key.column])),
                                      0);
}

/// What is known of one column's values.
struct Spread {
  double rows = 0;        ///< sampled rows that pass
  double with_value = 0;  ///< of these, how many are not null
  double discount = 1;    ///< of each value's sampled rows
  double unseen = 1;      ///< the part of the rows that discounts leave to all values alike
  bool is_unique = false;
  bool is_complete = false;  ///< the sample is the table
  bool is_filtered = false;

  [[nodiscard]] bool isSampled() const { return rows > 0; }
};

/// Makes the parts that KeyMatches is made of.
class SampleComparison {
 public:
  SampleComparison(std::span<const KeyColumn> keys, double domain)
      : keys_(keys.first(std::min(keys.size(), kSampledColumnsMax))),
        domain_(domain),
        values_(keys_.size(), countRows()) {
    for (size_t column = 0; column < keys_.size(); ++column) spreads_.push_back(spreadOf(column));
    chooseFrequent();
    countPairs();
  }

  [[nodiscard]] size_t frequentCount() const { return frequent_.size(); }
  [[nodiscard]] std::vector<double> frequentParts(size_t column);
  [[nodiscard]] double correction(size_t one, size_t other, double rest_domain) const;
  [[nodiscard]] double valuePart(size_t column) const {
    return column < keys_.size() && spreads_[column].isSampled() ? spreads_[column].with_value / spreads_[column].rows
                                                                 : 1;
  }

 private:
  [[nodiscard]] size_t countRows() const {
    size_t rows = 0;
    for (const KeyColumn& key : keys_) rows += key.rows != nullptr ? key.rows->passing : 0;
    return rows;
  }
  [[nodiscard]] Spread spreadOf(size_t column);
  void chooseFrequent();
  void countPairs();
  [[nodiscard]] double pairsWithItself(size_t one, size_t other) const;
  [[nodiscard]] bool isFrequent(size_t value) const { return frequent_of_[value] != SampledValues::kNone; }

  const std::span<const KeyColumn> keys_;
  const double domain_;
  mutable SampledValues values_;
  std::vector<Spread> spreads_;
  std::vector<size_t> frequent_;     ///< values
  std::vector<size_t> frequent_of_;  ///< of each value its place among them, or kNone
  std::vector<double> rest_rows_;    ///< of each column: sampled rows with other values
  std::vector<double> pairs_;        ///< of each two columns: pairs of such rows that agree
};

Spread SampleComparison::spreadOf(size_t column) {
  const KeyColumn& key = keys_[column];
  Spread spread;
  if (key.rows == nullptr || key.rows->passing == 0) return spread;
  const storage::StatisticsSnapshot& sample = *key.rows->snapshot;
  spread.rows = key.rows->passing;
  spread.is_filtered = key.rows->passing < key.rows->passes.size();
  spread.is_complete = sample.sampleIsComplete() && sample.sampleSize() >= key.table_rows;
  spread.is_unique = sample.column(key.column).is_sampled_once && key.distinct_values >= kUniqueMin * key.table_rows;
  for (uint32_t row = 0; row < key.rows->passes.size(); ++row) {
    if (!key.rows->passes[row]) continue;
    const auto hash = hashOf(key, row);
    if (!hash) continue;
    spread.with_value += 1;
    values_.add(column, *hash);
  }
  double seen = 0, once = 0, twice = 0;
  for (size_t value = 0; value < values_.size(); ++value) {
    const unsigned count = values_.counts(value)[column];
    seen += count > 0;
    once += count == 1;
    twice += count == 2;
  }
  spread.discount = once > 0 ? once / (once + 2 * twice) : 0.5;
  spread.unseen = spread.discount * seen / spread.rows;
  return spread;
}

void SampleComparison::chooseFrequent() {
  std::vector<std::pair<double, size_t>> candidates;
  for (size_t value = 0; value < values_.size(); ++value) {
    double weight = 0;
    for (size_t column = 0; column < keys_.size(); ++column) {
      const unsigned count = values_.counts(value)[column];
      if (count >= kSampledRowsMin) weight += count / spreads_[column].rows;
    }
    if (weight > 0) candidates.emplace_back(-weight, value);
  }
  const size_t chosen = std::min(candidates.size(), kFrequentMax);
  std::ranges::partial_sort(candidates, candidates.begin() + static_cast<std::ptrdiff_t>(chosen));
  frequent_of_.assign(values_.size(), SampledValues::kNone);
  for (size_t i = 0; i < chosen; ++i) {
    frequent_of_[candidates[i].second] = frequent_.size();
    frequent_.push_back(candidates[i].second);
  }
}

void SampleComparison::countPairs() {
  const size_t count = keys_.size();
  rest_rows_.assign(count, 0);
  pairs_.assign(count * count, 0);
  std::vector<size_t> present;
  for (size_t value = 0; value < values_.size(); ++value) {
    if (isFrequent(value)) continue;
    const uint16_t* rows = values_.counts(value);
    present.clear();
    for (size_t column = 0; column < count; ++column) {
      if (rows[column] == 0) continue;
      rest_rows_[column] += rows[column];
      for (const size_t before : present) pairs_[before * count + column] += double{1} * rows[before] * rows[column];
      present.push_back(column);
    }
  }
  for (size_t one = 0; one < count; ++one)
    for (size_t other = one + 1; other < count; ++other) pairs_[one * count + other] -= pairsWithItself(one, other);
}

/// The same column of the same table twice: a row agrees with itself, more often in a sample than in the table.
double SampleComparison::pairsWithItself(size_t one, size_t other) const {
  const KeyColumn& left = keys_[one];
  const KeyColumn& right = keys_[other];
  if (left.rows == nullptr || right.rows == nullptr || left.column != right.column) return 0;
  if (left.rows->snapshot != right.rows->snapshot) return 0;
  double pairs = 0;
  for (uint32_t row = 0; row < left.rows->passes.size(); ++row) {
    if (!left.rows->passes[row] || !right.rows->passes[row]) continue;
    const auto hash = hashOf(left, row);
    if (hash && !isFrequent(values_.find(*hash))) pairs += 1;
  }
  const double sampled_part = left.rows->snapshot->sampleSize() / std::max(1.0, left.table_rows);
  return pairs * (1 - std::min(1.0, sampled_part));
}

std::vector<double> SampleComparison::frequentParts(size_t column) {
  std::vector<double> parts(frequent_.size(), 1 / domain_);
  if (column >= keys_.size() || !spreads_[column].isSampled()) return parts;
  const KeyColumn& key = keys_[column];
  const Spread& spread = spreads_[column];
  const double sampled = key.rows->snapshot->sampleSize();
  const double rows = spread.rows * std::max(1.0, key.table_rows / sampled);
  const double passes = std::clamp((rows - spread.rows) / std::max(1.0, key.distinct_values - sampled), 0.0, 1.0);
  for (size_t i = 0; i < frequent_.size(); ++i) {
    const double count = values_.counts(frequent_[i])[column];
    if (spread.is_complete)
      parts[i] = count / spread.rows;
    else if (spread.is_unique)
      parts[i] = (count > 0 ? 1 : std::pow(passes, kAllOrNothing)) / rows;
    else
      parts[i] = std::max(0.0, count - spread.discount) / spread.rows + spread.unseen / domain_;
  }
  if (!spread.is_unique || !spread.is_filtered) return parts;
  // Of a unique value whose row is sampled and does not pass, no row passes.
  for (uint32_t row = 0; row < key.rows->passes.size(); ++row) {
    if (key.rows->passes[row]) continue;
    const auto hash = hashOf(key, row);
    const size_t value = hash ? values_.find(*hash) : SampledValues::kNone;
    if (value != SampledValues::kNone && isFrequent(value)) parts[frequent_of_[value]] = 0;
  }
  return parts;
}

double SampleComparison::correction(size_t one, size_t other, double rest_domain) const {
  if (std::max(one, other) >= keys_.size()) return 1;
  for (const size_t column : {one, other}) {
    const Spread& spread = spreads_[column];
    // A whole key: the other column's rows have one match each.
    if (!spread.isSampled() || (spread.is_unique && !spread.is_filtered)) return 1;
  }
  const double expected = rest_rows_[one] * rest_rows_[other] / rest_domain;
  const double found = std::max(0.0, pairs_[std::min(one, other) * keys_.size() + std::max(one, other)]);
  return (found + kPairsDoubted) / (expected + kPairsDoubted);
}

}  // namespace

bool KeyColumn::canCompare(Type type) {
  if (type.kind == TypeKind::Numeric) return false;
  return isHeldAsInteger(type) || type.kind == TypeKind::Text || type.kind == TypeKind::Varchar ||
         type.kind == TypeKind::Bytea || type.kind == TypeKind::Uuid;
}

KeyMatches::KeyMatches(std::span<const KeyColumn> columns, double domain) {
  SampleComparison samples(columns, domain);
  rest_domain_ = std::max(1.0, domain - static_cast<double>(samples.frequentCount()));
  for (size_t i = 0; i < columns.size(); ++i) {
    Column column;
    column.relation = RelationSet{1} << columns[i].relation;
    column.frequent = samples.frequentParts(i);
    column.rest = samples.valuePart(i);
    for (const double part : column.frequent) column.rest -= part;
    column.rest = std::max(column.rest, 0.0);
    for (size_t before = 0; before < i; ++before)
      column.correction.push_back(samples.correction(before, i, rest_domain_));
    relations_ |= column.relation;
    columns_.push_back(std::move(column));
  }
}

double KeyMatches::share(RelationSet set) {
  const RelationSet concerned = set & relations_;
  if (std::popcount(concerned) < 2) return 1;
  const auto [entry, is_new] = known_.try_emplace(concerned, 0);
  if (is_new) entry->second = computeShare(concerned);
  return entry->second;
}

double KeyMatches::computeShare(RelationSet set) const {
  std::vector<double> frequent(columns_[0].frequent.size(), 1);
  double rest = rest_domain_;
  double corrections = 1;
  for (size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    if ((column.relation & set) == 0) continue;
    for (size_t value = 0; value < frequent.size(); ++value) frequent[value] *= column.frequent[value];
    rest *= column.rest / rest_domain_;
    for (size_t before = 0; before < i; ++before)
      if ((columns_[before].relation & set) != 0) corrections *= column.correction[before];
    corrections = std::clamp(corrections, 1 / kCorrectionMax, kCorrectionMax);
  }
  double result = rest * corrections;
  for (const double part : frequent) result += part;
  return result;
}

}  // namespace gnomon::sql
