#pragma once

#include <string>
#include <vector>

#include "sql/algebra/operator.h"

namespace gnomon::sql {

/// A set-returning function: generate_series of the unit's type, or unnest of an array of it.
struct SetCall {
  std::string name;
  std::vector<ExpressionPtr> arguments;
  Iu iu;

  [[nodiscard]] bool isUnnest() const { return arguments.size() == 1; }
};

/// Rows that set-returning functions make, side by side: one that has ended gives NULLs until all have. An argument
/// that is NULL makes no rows. They are series whose arguments read no columns.
struct FunctionScan final : Operator {
  using Call = SetCall;
  FunctionScan() : Operator(Kind::FunctionScan) {}
  std::string alias;
  std::vector<Call> calls;
  Iu ordinality = nullptr;  ///< the row's number from 1, a bigint; null: nobody reads it
  [[nodiscard]] std::vector<Iu> units() const override;
};

/// The same rows for each row of the input, whose columns the arguments read, beside that row.
struct ProjectSet final : Operator {
  ProjectSet() : Operator(Kind::ProjectSet) {}
  std::vector<SetCall> calls;
  Iu ordinality = nullptr;  ///< from 1 for each row of the input; null: nobody reads it
  [[nodiscard]] std::vector<Iu> units() const override;
};

}  // namespace gnomon::sql
