#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/arena.h"
#include "codegen/executor/morsel_source.h"
#include "codegen/runtime/register_value.h"
#include "sql/types/big_numeric.h"
#include "sql/types/interval.h"

namespace gnomon::codegen {

/// The values of one generate_series in one execution: value n, from 0, is first + n * step, unless they are listed.
///
/// Shape: `first` and `step` of integers and of points in time (microseconds) whose step is one number; `list` of those
/// whose step has months, or days by the clock of a time zone: each value is found from the one before.
struct Series {
  static constexpr uint64_t kListedMax = uint64_t{1} << 24;

  uint64_t count = 0;
  int64_t first = 0;
  int64_t step = 0;
  bool is_listed = false;
  std::vector<int64_t> list;
  sql::BigNumeric numeric_first, numeric_step;

  /// The bounds are inclusive. Failure: 22023 for a step of zero, bounds and steps that are no numbers; 22008 for
  /// points in time out of range, which is where a series without end gets; 0A000 for series that go nowhere.
  void clear() {
    count = 0;
    is_listed = false;
    list.clear();
  }
  void setIntegers(int64_t start, int64_t stop, int64_t by);
  void setNumerics(const sql::BigNumeric& start, const sql::BigNumeric& stop, const sql::BigNumeric& by);
  /// `is_utc`: days and months are those of the session's clock.
  void setPoints(int64_t start, int64_t stop, sql::Interval by, bool is_utc);

 private:
  void setLinearPoints(int64_t start, int64_t stop, int128 by);
  void listPoints(int64_t start, int64_t stop, sql::Interval by, bool is_utc);
};

/// The rows of a FunctionScan, by number: as many as its longest series has. `data`: null.
/// A step before the pipeline sets the series. Few rows come in order.
class SeriesSource final : public MorselSource {
 public:
  explicit SeriesSource(size_t series_count) : series_(series_count) {}
  bool next(Morsel& morsel) override;
  [[nodiscard]] uint64_t rowCount() const override;
  [[nodiscard]] bool isOrdered() const override { return rowCount() <= kOrderedRowsMax; }
  [[nodiscard]] Series& series(size_t index) { return series_[index]; }
  bool park() override;

 private:
  static constexpr uint64_t kMorselRows = 4096;
  static constexpr uint64_t kOrderedRowsMax = 100'000;
  std::vector<Series> series_;
  std::atomic<uint64_t> next_{0};
};

namespace rt {
void seriesSetIntegers(SeriesSource* source, uint64_t index, int64_t start, int64_t stop, int64_t step);
void seriesSetNumerics(SeriesSource* source, uint64_t index, uint64_t start_lo, uint64_t start_hi, uint64_t stop_lo,
                       uint64_t stop_hi, uint64_t step_lo, uint64_t step_hi);
void seriesSetPoints(SeriesSource* source, uint64_t index, int64_t start, int64_t stop, uint64_t step_lo,
                     uint64_t step_hi, bool is_utc);
/// The series has no values until it is set again.
void seriesClear(SeriesSource* source, uint64_t index);
uint64_t seriesCount(SeriesSource* source, uint64_t index);
int64_t seriesFirst(SeriesSource* source, uint64_t index);
int64_t seriesStep(SeriesSource* source, uint64_t index);
/// Value `number` of points in time; zero behind the last one.
int64_t seriesPoint(SeriesSource* source, uint64_t index, uint64_t number);
StringValue seriesNumeric(SeriesSource* source, uint64_t index, uint64_t number, Arena* arena);
}  // namespace rt

}  // namespace gnomon::codegen
