#pragma once

#include <optional>
#include <span>
#include <vector>

#include "codegen/runtime/row_selection.h"
#include "codegen/translate/pipeline.h"

namespace gnomon::codegen {

/// Where a column's values lie in the leaf of this call.
struct LeafColumn {
  sql::Iu unit;
  uint32_t number;  ///< of the table's columns
  sql::Type type;
  uint32_t width;
  ir::Value values;
  ir::Value nulls;      ///< invalid: never NULL
  ir::Value null_mask;  ///< for the bitmap's byte number: all ones, or zero when the leaf has no bitmap
  ir::Value base;       ///< what makes a stored text's offset an address
  /// For the row's number: all ones, or zero when the leaf does not hold the column; invalid: ones.
  ir::Value row_mask;
};

/// The conjuncts of a scan that compare a column with constants or with another column, as tests of whole columns
/// (RowSelection): numbers, dates and times, short strings.
class ScanFilter {
 public:
  ScanFilter(Pipeline& pipeline, std::span<const LeafColumn> columns) : pipeline_(pipeline), columns_(columns) {}
  /// Whether the conjunct has become a test. If not, each row has to be asked.
  bool take(const sql::Expression& conjunct);
  /// Rows that join with none in a table, whose key is the unit, need not leave the scan. `table_slot`: global, of a
  /// JoinTable that is complete before the scan.
  void addJoin(sql::Iu unit, size_t table_slot);
  [[nodiscard]] size_t count() const { return ranges_.size() + comparisons_.size() + strings_.size() + joins_.size(); }
  /// Emits the tests of the rows of this call, before the loop; the words of the selection.
  ir::Value emit();
  /// Whether a join's key of the type can be looked up for whole columns.
  [[nodiscard]] static bool canJoin(const sql::Type& type);

 private:
  struct Range {
    const LeafColumn* column;
    int64_t low, high;
    bool is_negated;
  };
  struct Comparison {
    const LeafColumn* left;
    const LeafColumn* right;
    ColumnComparison comparison;
  };
  struct Strings {
    const LeafColumn* column;
    const ShortStrings* strings;
  };
  struct Joining {
    const LeafColumn* column;
    size_t table_slot;
  };
  using Constant = std::optional<SqlValue>;

  const LeafColumn* columnOf(const sql::Expression& expression) const;
  const LeafColumn* columnOf(sql::Iu unit) const;
  Constant constantOf(const sql::Expression& expression);
  bool takeComparison(sql::FunctionId function, const sql::Expression& left, const sql::Expression& right);
  bool takeColumns(sql::FunctionId function, const LeafColumn& left, const LeafColumn& right);
  bool takeNumber(sql::FunctionId function, const LeafColumn& column, const SqlValue& constant);
  bool takeStrings(const LeafColumn& column, std::span<const sql::ExpressionPtr> constants, bool is_negated);
  bool addString(const LeafColumn& column, const sql::Expression& constant, ShortStrings& strings);
  void addRange(const Range& range);
  void emitNotNull(ir::Value rows, const LeafColumn& column);

  Pipeline& pipeline_;
  const std::span<const LeafColumn> columns_;
  std::vector<Range> ranges_;
  std::vector<Comparison> comparisons_;
  std::vector<Strings> strings_;
  std::vector<Joining> joins_;
};

}  // namespace gnomon::codegen
