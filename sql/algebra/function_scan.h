#pragma once

#include <string>
#include <vector>

#include "sql/algebra/operator.h"

namespace gnomon::sql {

/// Rows that set-returning functions make, side by side: one that has ended gives NULLs until all have. An argument
/// that is NULL makes no rows. Arguments read no columns.
struct FunctionScan final : Operator {
  struct Call {
    std::string name;  ///< the only function so far is generate_series; the unit's type says which
    std::vector<ExpressionPtr> arguments;
    Iu iu;
  };
  FunctionScan() : Operator(Kind::FunctionScan) {}
  std::string alias;
  std::vector<Call> calls;
  Iu ordinality = nullptr;  ///< the row's number from 1, a bigint; null: nobody reads it
  [[nodiscard]] std::vector<Iu> units() const override;
};

}  // namespace gnomon::sql
