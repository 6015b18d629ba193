#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sql/algebra/operator.h"

namespace gnomon::sql {

/// All rows of all inputs. `values[i]` is over input i: one for each column, of exactly its type.
struct Union final : Operator {
  Union() : Operator(Kind::Union) {}
  std::vector<Iu> columns;
  std::vector<std::vector<ExpressionPtr>> values;
  [[nodiscard]] std::vector<Iu> units() const override { return columns; }
};

/// The rows of one of Plan::shared, which is executed once for all its scans.
struct SharedScan final : Operator {
  struct Column {
    size_t index;  ///< in the columns of the shared plan's Output
    Iu iu;
  };
  SharedScan() : Operator(Kind::SharedScan) {}
  const SharedPlan* source = nullptr;
  std::vector<Column> columns;
  [[nodiscard]] std::vector<Iu> units() const override;
};

/// inputs[0] once, then inputs[1] again and again over the rows that were added last, until it adds none.
/// `values[i]`: as of a Union. With `is_distinct` rows that were there before are not added; NULLs are equal.
/// Source: SQL:1999, recursive queries, by semi-naive evaluation.
struct Recursion final : Operator {
  Recursion() : Operator(Kind::Recursion) {}
  std::string name;
  std::vector<Iu> columns;
  std::array<std::vector<ExpressionPtr>, 2> values;
  bool is_distinct = false;
  [[nodiscard]] std::vector<Iu> units() const override { return columns; }
};

/// The rows that a recursion added last; stands in its inputs[1]. It is written once, but copies may stand beside it.
struct WorkingScan final : Operator {
  struct Column {
    size_t index;  ///< in Recursion::columns
    Iu iu;
  };
  WorkingScan() : Operator(Kind::WorkingScan) {}
  const Recursion* recursion = nullptr;
  std::vector<Column> columns;
  [[nodiscard]] std::vector<Iu> units() const override;
};

/// The tree scans rows of a recursion that it is inside of.
bool readsWorkingRows(const Operator& root);

}  // namespace gnomon::sql
