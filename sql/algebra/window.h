#pragma once

#include <cstdint>
#include <vector>

#include "sql/algebra/operator.h"

namespace gnomon::sql {

enum class WindowFunctionId : uint8_t {
  RowNumber,
  Rank,
  DenseRank,
  PercentRank,
  CumeDist,
  Ntile,
  Lag,
  Lead,
  FirstValue,
  LastValue,
  NthValue,
  Aggregate
};

/// Adds columns computed over rows around each row: those of its partition, the rows with equal `partition` (NULLs are
/// equal), in the order of `order`. Rows that are equal there too are peers.
/// Source: SQL:2003, 7.11; Leis et al., "Efficient processing of window functions in analytical SQL queries".
struct Window final : Operator {
  /// A boundary of the rows that a function sees.
  struct Bound {
    enum class Kind : uint8_t { UnboundedPreceding, Preceding, CurrentRow, Following, UnboundedFollowing };
    Kind kind = Kind::UnboundedPreceding;
    /// Preceding, Following. The same for all rows. Rows, Groups: how many, a bigint.
    ExpressionPtr offset;
    ExpressionPtr limit;       ///< Range: where the row's own key is the offset away, of range_key's type
    ExpressionPtr is_invalid;  ///< Range: the offset is negative
  };
  /// The rows that a function sees. Nothing said: up to the row's last peer.
  struct Frame {
    enum class Mode : uint8_t { Rows, Range, Groups };
    enum class Exclusion : uint8_t { None, CurrentRow, Group, Ties };
    Mode mode = Mode::Range;
    Bound start{Bound::Kind::UnboundedPreceding, nullptr, nullptr, nullptr};
    Bound end{Bound::Kind::CurrentRow, nullptr, nullptr, nullptr};
    Exclusion exclusion = Exclusion::None;
    ExpressionPtr range_key;  ///< Range with an offset: the only sort key, perhaps in a wider type
  };
  /// Shape of `arguments`: Ntile: buckets. Lag, Lead: value [, offset [, default]]. FirstValue, LastValue: value.
  /// NthValue: value, number. The value, the default and `iu` have one type. Aggregate: none, see `aggregate`.
  struct Function {
    Iu iu;
    WindowFunctionId function;
    std::vector<ExpressionPtr> arguments;
    Aggregation::Aggregate aggregate;  ///< Aggregate; its iu is the function's
    Frame frame;                       ///< FirstValue, LastValue, NthValue, Aggregate
  };
  Window() : Operator(Kind::Window) {}
  std::vector<ExpressionPtr> partition;
  std::vector<SortKey> order;
  std::vector<Function> functions;
  [[nodiscard]] std::vector<Iu> units() const override;
};

/// What the function sees matters to it.
constexpr bool hasFrame(WindowFunctionId function) {
  return function >= WindowFunctionId::FirstValue;
}

}  // namespace gnomon::sql
