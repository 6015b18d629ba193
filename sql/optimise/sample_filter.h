#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sql/algebra/operator.h"
#include "storage/statistics/statistics_snapshot.h"

namespace gnomon::sql {

/// Types whose values are ordered as the integers that hold them.
bool isHeldAsInteger(Type type);
/// An integer of the sample, which need not be extended beyond its size there.
int64_t sampledInteger(storage::StoredKind kind, const storage::Datum& datum);
bool isStoredInteger(storage::StoredKind kind);

/// The rows of a table's sample that pass a scan's filters, as far as these can be decided.
struct SampledRows {
  std::shared_ptr<const storage::StatisticsSnapshot> snapshot;
  std::vector<bool> passes;  ///< for each row of the sample
  uint32_t passing = 0;
};

/// Evaluates the filters of a scan on the rows of the table's sample.
///
/// Source: paper 2, section 3.2. Decides comparisons of columns, constants and casts of them, LIKE with a constant
/// pattern, IN lists of constants, IS NULL and its kin, AND, OR and NOT over these. Parameters, other functions and
/// texts the sample holds the beginning of only stay undecided.
/// Threads: one. Cost: some 10 ns for each comparison and row, over 100 where numbers have to be cast.
class SampleFilter {
 public:
  static constexpr uint32_t kRowsMax = 1024;

  SampleFilter(const storage::StatisticsSnapshot& sample, const TableScan& scan);

  /// For each row whether all those predicates are TRUE that can be decided; the others are added to `undecided`.
  [[nodiscard]] std::vector<bool> passing(const std::vector<const Expression*>& predicates,
                                          std::vector<const Expression*>& undecided) const;

 private:
  enum class Truth : int8_t { False, True, Null };
  using Truths = std::vector<Truth>;
  using Verdict = std::optional<Truths>;

  [[nodiscard]] Verdict evaluate(const Expression& predicate) const;
  [[nodiscard]] Verdict evaluateLogic(const Expression& predicate) const;
  [[nodiscard]] Verdict evaluateComparison(const Expression& left, const Expression& right, FunctionId function) const;
  [[nodiscard]] Verdict compareNumbers(const Expression& left, const Expression& right, FunctionId function) const;
  [[nodiscard]] Verdict evaluateInList(const Expression& list) const;
  [[nodiscard]] Verdict evaluateLike(const Expression& call) const;
  [[nodiscard]] Verdict evaluateNull(const Expression& test) const;
  [[nodiscard]] std::optional<uint32_t> columnOf(const Expression& expression) const;
  [[nodiscard]] bool isDecidable(const Expression& value) const;
  [[nodiscard]] Value valueOf(const Expression& value, uint32_t row) const;

  const storage::StatisticsSnapshot& sample_;
  const TableScan& scan_;
  const uint32_t row_count_;
};

}  // namespace gnomon::sql
