#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "storage/relation/schema.h"
#include "storage/statistics/reservoir_sample.h"

namespace gnomon::storage {

/// What is known of one column. Counts are of rows, and estimates.
struct ColumnEstimate {
  uint64_t null_count = 0;
  double distinct_count = 0;     ///< values other than null
  uint64_t repeated_count = 0;   ///< rows whose successor has the same value, as far as they were seen together
  bool is_sampled_once = false;  ///< no value other than null occurs in two rows of the sample
};

/// The statistics of a relation at one time, for the optimiser; does not change.
///
/// Threads: any number of readers. Lifetime: the sample's texts lie in the snapshot.
class StatisticsSnapshot {
 public:
  struct History {
    uint64_t row_count;
    uint64_t removed_count;   ///< values of each column that were deleted or updated
    unsigned feed_shift = 0;  ///< the sketches saw one row in 2^shift
  };
  /// `columns` holds what the sketches saw, their distinct values, and numbers of rows as for the whole relation; the
  /// sample corrects it where it knows better. Failure: XX001 when the rows do not fit the schema.
  StatisticsSnapshot(RelationSchema schema, const History& history, std::vector<ColumnEstimate> columns,
                     std::vector<ReservoirSample::Row> sample);
  StatisticsSnapshot(const StatisticsSnapshot&) = delete;
  StatisticsSnapshot& operator=(const StatisticsSnapshot&) = delete;

  [[nodiscard]] const RelationSchema& schema() const { return schema_; }
  [[nodiscard]] uint64_t rowCount() const { return row_count_; }
  [[nodiscard]] const ColumnEstimate& column(uint32_t index) const { return columns_[index]; }
  [[nodiscard]] double nullFraction(uint32_t column) const;

  /// Number of groups of GROUP BY these columns: distinct combinations, a null being a value of its own.
  [[nodiscard]] double groupCount(std::span<const uint32_t> columns) const;

  [[nodiscard]] uint32_t sampleSize() const { return static_cast<uint32_t>(sample_.size()); }
  /// The sample holds every row: what is counted in it is exact.
  [[nodiscard]] bool sampleIsComplete() const { return sample_.size() == row_count_; }
  /// Deletes have left less than half of what a sample should hold: ANALYZE would help.
  [[nodiscard]] bool sampleIsThin() const;
  /// One sampled row, as RelationAppender takes it: values[c] and null_flags[c].
  [[nodiscard]] const Datum* sampleValues(uint32_t row) const { return values_.data() + row * schema_.size(); }
  [[nodiscard]] const uint8_t* sampleNulls(uint32_t row) const { return null_flags_.data() + row * schema_.size(); }
  [[nodiscard]] TupleId sampleId(uint32_t row) const { return sample_[row].id; }
  /// value_hash::of the value; of equal integers of different sizes it may differ.
  [[nodiscard]] uint64_t sampleHash(uint32_t row, uint32_t column) const {
    return hashes_[row * schema_.size() + column];
  }
  /// The sampled text is only the start of the value: equality and suffixes cannot be tested on it.
  [[nodiscard]] bool sampleIsCut(uint32_t row, uint32_t column) const {
    return cut_flags_[row * schema_.size() + column] != 0;
  }

 private:
  /// What the sample tells of a set of columns.
  struct SampleCounts {
    double distinct = 0;  ///< combinations in the sample
    double once = 0;      ///< of these, how many occur in one row
    double twice = 0;     ///< ... in two rows
    double frequent = 0;  ///< ... in at least kFrequentRows rows
    double frequent_rows = 0;
    double equal_pairs = 0;
  };
  static constexpr size_t kFrequentRows = 4;

  void decodeSample();
  void correctColumns(const History& history);
  [[nodiscard]] double extrapolate(const ColumnEstimate& column, const SampleCounts& sampled, double sampled_nulls,
                                   const History& history) const;
  [[nodiscard]] double estimateFromSample(double sketched, const SampleCounts& sampled) const;
  [[nodiscard]] SampleCounts countSample(std::span<const uint32_t> columns) const;
  /// Number of groups of one column.
  [[nodiscard]] double groupCountOf(uint32_t column) const;
  [[nodiscard]] double combinedGroups(std::span<const uint32_t> columns) const;

  const RelationSchema schema_;
  const uint64_t row_count_;
  std::vector<ColumnEstimate> columns_;
  const std::vector<ReservoirSample::Row> sample_;
  // For each row of the sample in turn, one entry for each column.
  std::vector<Datum> values_;
  std::vector<uint64_t> hashes_;
  std::vector<uint8_t> null_flags_, cut_flags_;
};

}  // namespace gnomon::storage
