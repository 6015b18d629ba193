#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "sql/optimise/join_enumeration.h"
#include "sql/optimise/sample_filter.h"

namespace gnomon::sql {

/// A relation's column that a class of equal columns joins by.
struct KeyColumn {
  size_t relation = 0;
  std::shared_ptr<const SampledRows> rows;  ///< null: nothing is known of how its values are spread
  uint32_t column = 0;                      ///< of the sample
  double table_rows = 1;
  double distinct_values = 1;  ///< in the table

  /// Sampled values have hashes that are equal just when SQL calls the values equal, over columns of this type and
  /// those the binder joins it with.
  static bool canCompare(Type type);
};

/// How large a part of all combinations of some relations' rows agrees in a class of equal columns.
///
/// Evenly spread values would give 1 / domain for each relation after the first. Two things are seen in the samples:
///   frequent values  of which the rows of each relation are counted; their parts are multiplied value by value
///   correlation      for the rest of two columns, how many pairs of sampled rows agree against how many should
/// Of three and more columns the corrections of their pairs are multiplied, as if the logarithms of the numbers of rows
/// were normally distributed. Where few pairs are expected a correction stays near 1.
/// Source: frequent values as in PostgreSQL's eqjoinsel, over more than two columns; the part of a value in a sample by
/// absolute discounting (Ney, Essen and Kneser, 1994).
/// Cost: some 10 ns for each sampled row and, by share(), for each column and frequent value. Threads: one.
class KeyMatches {
 public:
  /// domain: distinct values of all columns together.
  KeyMatches(std::span<const KeyColumn> columns, double domain);

  /// Of the rows of those relations of the set that have a column here; 1 for fewer than two.
  [[nodiscard]] double share(RelationSet set);

 private:
  struct Column {
    RelationSet relation;
    std::vector<double> frequent;    ///< the part of the rows that has each frequent value
    double rest = 1;                 ///< the part that has another value
    std::vector<double> correction;  ///< for each column before
  };
  [[nodiscard]] double computeShare(RelationSet set) const;

  std::vector<Column> columns_;
  double rest_domain_;
  RelationSet relations_ = 0;
  std::unordered_map<RelationSet, double> known_;
};

}  // namespace gnomon::sql
