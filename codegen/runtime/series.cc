#include "codegen/runtime/series.h"

#include <algorithm>

#include "base/sql_error.h"
#include "sql/types/timestamp.h"
#include "sql/types/timestamptz.h"

namespace gnomon::codegen {
namespace {

using sql::BigNumeric;

/// Room for the numbers of the morsels that workers ask for behind the last row.
constexpr uint64_t kCountMax = INT64_MAX;

[[noreturn]] void throwStepOfZero() {
  throw SqlError(sqlstate::kInvalidParameterValue, "step size cannot equal zero");
}

[[noreturn]] void throwOutOfRange() {
  throw SqlError(sqlstate::kDatetimeFieldOverflow, "timestamp out of range");
}

/// Values from start to stop.
uint64_t countBetween(int128 start, int128 stop, int128 step) {
  if (step > 0 ? start > stop : start < stop) return 0;
  const int128 steps = (stop - start) / step;
  return steps >= static_cast<int128>(kCountMax) ? kCountMax : static_cast<uint64_t>(steps) + 1;
}

void checkNumber(const BigNumeric& number, const char* what) {
  if (number.isNaN()) throw SqlError(sqlstate::kInvalidParameterValue, std::string(what) + " cannot be NaN");
  if (!number.isFinite()) throw SqlError(sqlstate::kInvalidParameterValue, std::string(what) + " cannot be infinity");
}

BigNumeric decoded(uint64_t lo, uint64_t hi) {
  const StringValue bytes(lo, hi);
  return BigNumeric::decode(bytes.view());
}

}  // namespace

void Series::setIntegers(int64_t start, int64_t stop, int64_t by) {
  if (by == 0) throwStepOfZero();
  count = countBetween(start, stop, by);
  first = start;
  step = by;
}

void Series::setNumerics(const BigNumeric& start, const BigNumeric& stop, const BigNumeric& by) {
  checkNumber(start, "start value");
  checkNumber(stop, "stop value");
  checkNumber(by, "step size");
  if (by.sign() == 0) throwStepOfZero();
  numeric_first = start;
  numeric_step = by;
  const BigNumeric distance = stop - start;
  count = 0;
  if (distance.sign() != 0 && distance.sign() != by.sign()) return;
  int64_t steps = 0;
  const bool is_countable = BigNumeric::divide(distance, by, 0, false).toInt64(steps);
  count = is_countable && steps < INT64_MAX ? static_cast<uint64_t>(steps) + 1 : kCountMax;
}

void Series::setPoints(int64_t start, int64_t stop, sql::Interval by, bool is_utc) {
  const int128 span = by.span();
  if (span == 0) throwStepOfZero();
  count = 0;
  if (span > 0 ? start > stop : start < stop) return;
  if (!sql::isFiniteTimestamp(start)) throwNotSupported("generate_series from an infinite timestamp");
  const bool is_linear = by.months == 0 && (by.days == 0 || !is_utc);
  is_listed = !is_linear;
  if (is_linear) return setLinearPoints(start, stop, span);
  listPoints(start, stop, by, is_utc);
}

/// The point behind the last one must exist, too.
void Series::setLinearPoints(int64_t start, int64_t stop, int128 by) {
  const uint64_t values = countBetween(start, stop, by);
  const int128 behind = static_cast<int128>(start) + static_cast<int128>(values) * by;
  if (behind < sql::kTimestampMin || behind >= sql::kTimestampEnd) throwOutOfRange();
  count = values;
  first = start;
  step = static_cast<int64_t>(by);
}

void Series::listPoints(int64_t start, int64_t stop, sql::Interval by, bool is_utc) {
  const bool ascends = by.span() > 0;
  for (int64_t point = start; ascends ? point <= stop : point >= stop;) {
    if (list.size() == kListedMax)
      throwNotSupported("generate_series of more than 16777216 timestamps by the calendar");
    list.push_back(point);
    point = is_utc ? sql::addIntervalToUtc(point, by) : sql::addInterval(point, by);
  }
  count = list.size();
}

uint64_t SeriesSource::rowCount() const {
  uint64_t rows = 0;
  for (const Series& series : series_) rows = std::max(rows, series.count);
  return rows;
}

bool SeriesSource::next(Morsel& morsel) {
  const uint64_t row_count = rowCount();
  const uint64_t begin = next_.fetch_add(kMorselRows);
  if (begin >= row_count) return false;
  morsel.data = nullptr;
  morsel.begin = begin;
  morsel.end = std::min(row_count, begin + kMorselRows);
  return true;
}

bool SeriesSource::park() {
  for (Series& series : series_) series = Series();
  next_.store(0, std::memory_order_relaxed);
  return true;
}

void rt::seriesSetIntegers(SeriesSource* source, uint64_t index, int64_t start, int64_t stop, int64_t step) {
  source->series(index).setIntegers(start, stop, step);
}

void rt::seriesSetNumerics(SeriesSource* source, uint64_t index, uint64_t start_lo, uint64_t start_hi, uint64_t stop_lo,
                           uint64_t stop_hi, uint64_t step_lo, uint64_t step_hi) {
  source->series(index).setNumerics(decoded(start_lo, start_hi), decoded(stop_lo, stop_hi), decoded(step_lo, step_hi));
}

void rt::seriesSetPoints(SeriesSource* source, uint64_t index, int64_t start, int64_t stop, uint64_t step_lo,
                         uint64_t step_hi, bool is_utc) {
  source->series(index).setPoints(start, stop, sql::Interval::fromBits(step_lo, step_hi), is_utc);
}

void rt::seriesClear(SeriesSource* source, uint64_t index) {
  source->series(index).clear();
}

uint64_t rt::seriesCount(SeriesSource* source, uint64_t index) {
  return source->series(index).count;
}
int64_t rt::seriesFirst(SeriesSource* source, uint64_t index) {
  return source->series(index).first;
}
int64_t rt::seriesStep(SeriesSource* source, uint64_t index) {
  return source->series(index).step;
}

int64_t rt::seriesPoint(SeriesSource* source, uint64_t index, uint64_t number) {
  const Series& series = source->series(index);
  if (number >= series.count) return 0;
  return series.is_listed ? series.list[number] : series.first + static_cast<int64_t>(number) * series.step;
}

/// The first value keeps its digits, the others show those of the step as well.
StringValue rt::seriesNumeric(SeriesSource* source, uint64_t index, uint64_t number, Arena* arena) {
  const Series& series = source->series(index);
  if (number >= series.count) return copied(BigNumeric().encoded(), arena);
  if (number == 0) return copied(series.numeric_first.encoded(), arena);
  return copied((series.numeric_first + series.numeric_step * BigNumeric(static_cast<int128>(number))).encoded(),
                arena);
}

}  // namespace gnomon::codegen
