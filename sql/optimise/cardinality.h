#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sql/algebra/operator.h"
#include "sql/optimise/sample_filter.h"
#include "storage/statistics/statistics_snapshot.h"
#include "txn/version.h"

namespace gnomon::sql {

/// What is known about stored tables. Threads: const calls from any thread.
class TableStatistics {
 public:
  virtual ~TableStatistics() = default;
  /// Rows of the table as of now, roughly; at least 1.
  [[nodiscard]] virtual double rowCount(const TableEntry& table) const = 0;
  /// A sample and distinct counts; null: nothing is known.
  [[nodiscard]] virtual std::shared_ptr<const storage::StatisticsSnapshot> snapshot(const TableEntry&) const {
    return nullptr;
  }
  /// Whether rows may be read by way of the index.
  [[nodiscard]] virtual bool isUsable(const IndexEntry&) const { return true; }
};

/// What the tables keep themselves.
class StoredTableStatistics final : public TableStatistics {
 public:
  StoredTableStatistics() = default;
  /// For a plan that is only executed with this snapshot: indexes that are newer are not used.
  explicit StoredTableStatistics(const txn::Snapshot& executed_with) : executed_with_(executed_with) {}
  [[nodiscard]] double rowCount(const TableEntry& table) const override;
  [[nodiscard]] std::shared_ptr<const storage::StatisticsSnapshot> snapshot(const TableEntry& table) const override;
  [[nodiscard]] bool isUsable(const IndexEntry& index) const override;

 private:
  const std::optional<txn::Snapshot> executed_with_;
};

/// Estimates rows of operators and selectivities of predicates.
///
/// Filters of a scan are evaluated on the table's sample. What it cannot decide, and all other predicates, are guessed
/// from distinct counts. A column's distinct values: from the table's statistics; without them its table's rows for
/// integers, fixed guesses for dates and short strings (the .cc has the table). Columns of aggregations and maps: from
/// the operator's estimated rows.
struct Union;
struct SharedScan;

class Cardinality {
 public:
  explicit Cardinality(const TableStatistics& statistics) : statistics_(statistics) {}

  /// Sets estimated_rows of the operator, whose inputs' are set already, and learns its columns.
  void estimate(Operator& op);
  /// Learns a scan's columns as they are in the table, before its filters.
  void learnTable(const TableScan& scan);
  /// The same for a whole tree, bottom-up.
  void estimateTree(Operator& root);

  /// The part of the rows for which the predicate is TRUE, in (0, 1].
  [[nodiscard]] double selectivity(const Expression& predicate) const;
  /// The part of a stored table's rows for which all predicates, over the scan's columns, are TRUE.
  [[nodiscard]] double scanSelectivity(const TableScan& scan, const std::vector<const Expression*>& predicates) const;
  /// The rows of a stored table's sample that pass the scan's filters; null: there is no sample.
  [[nodiscard]] std::shared_ptr<const SampledRows> sampledRows(const TableScan& scan) const;
  /// Distinct values of an expression over known columns, at least 1.
  [[nodiscard]] double distinctValues(const Expression& expression) const;
  /// The expression is a stored column whose distinct values were counted, not guessed.
  [[nodiscard]] bool isCounted(const Expression& expression) const;
  /// Rows of the stored table a unit comes from, before filters; the estimate of its operator otherwise.
  [[nodiscard]] double baseRows(Iu iu) const;
  [[nodiscard]] const TableStatistics& statistics() const { return statistics_; }

 private:
  struct Column {
    double distinct_values;
    double base_rows;
    bool is_counted = false;  ///< distinct_values come from statistics
  };
  /// What the sample says of a scan, kept for its joins.
  struct ScanSample {
    std::shared_ptr<const SampledRows> rows;
    size_t filter_count = 0;
  };
  [[nodiscard]] std::shared_ptr<const SampledRows> sampleOf(const TableScan& scan,
                                                            const std::vector<const Expression*>& predicates,
                                                            std::vector<const Expression*>& undecided) const;
  [[nodiscard]] double sampledSelectivity(const SampledRows* rows, const std::vector<const Expression*>& predicates,
                                          const std::vector<const Expression*>& undecided) const;
  void learn(Iu iu, double distinct_values, double base_rows, bool is_counted = false);
  void estimateScan(TableScan& scan);
  void estimateJoin(Join& join);
  [[nodiscard]] double testedShare(const Join& join) const;
  void estimateAggregation(Aggregation& aggregation);
  void estimateUnion(Union& node);
  void estimateSharedScan(SharedScan& scan);
  /// Of the pairs of values, those that are equal.
  [[nodiscard]] double equalShare(const Expression& comparison) const;
  [[nodiscard]] double comparisonSelectivity(const Expression& call) const;
  [[nodiscard]] double conjunctionSelectivity(const std::vector<const Expression*>& conditions) const;
  [[nodiscard]] double conjunctionSelectivity(const std::vector<ExpressionPtr>& conditions) const;

  const TableStatistics& statistics_;
  std::unordered_map<Iu, Column> columns_;
  std::unordered_map<Iu, ScanSample> samples_;  ///< by a scan's first column
};

}  // namespace gnomon::sql
