#pragma once

#include <cstdint>

namespace gnomon::sql {

/// What an aggregate computes, as FunctionId for calls.
enum class AggregateId : uint8_t {
  CountRows,
  Count,
  Sum,
  Average,
  Minimum,
  Maximum,
  BitAnd,
  BitOr,
  BitXor,
  VariancePopulation,
  VarianceSample,
  DeviationPopulation,
  DeviationSample,
  // Of two arguments (y, x)
  RegressionCount,
  RegressionAverageX,
  RegressionAverageY,
  RegressionSumXX,
  RegressionSumYY,
  RegressionSumXY,
  RegressionSlope,
  RegressionIntercept,
  RegressionR2,
  CovariancePopulation,
  CovarianceSample,
  Correlation,
  AnyValue,  ///< of a value that is not NULL; the binder's own
  // Of all values, in the order the aggregate asks for, or any
  JoinTexts,          ///< string_agg(value, delimiter)
  CollectArray,       ///< array_agg, NULLs included
  ConcatenateArrays,  ///< array_agg of arrays: one dimension more
  // Of the sorted values that are not NULL; the second argument is the fraction, or an array of them
  PercentileContinuous,
  PercentileDiscrete,
  MostFrequent,  ///< mode
};

/// Whether it is 0 where there are no rows, not NULL.
constexpr bool isCount(AggregateId function) {
  return function == AggregateId::CountRows || function == AggregateId::Count ||
         function == AggregateId::RegressionCount;
}
constexpr bool isVariance(AggregateId function) {
  return function >= AggregateId::VariancePopulation && function <= AggregateId::DeviationSample;
}
/// Whether its value depends on the order of the rows.
constexpr bool dependsOnOrder(AggregateId function) {
  return function >= AggregateId::JoinTexts && function <= AggregateId::ConcatenateArrays;
}
/// Whether it sorts the values itself: WITHIN GROUP (ORDER BY value).
constexpr bool isOrderedSet(AggregateId function) {
  return function >= AggregateId::PercentileContinuous;
}
/// Whether it has two arguments.
constexpr bool isRegression(AggregateId function) {
  return function >= AggregateId::RegressionCount && function <= AggregateId::Correlation;
}

}  // namespace gnomon::sql
