#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sql/algebra/change_operators.h"
#include "sql/bind/bind_state.h"
#include "sql/bind/table_use.h"
#include "sql/bind/view_definition.h"

namespace gnomon::sql {

/// Why rows cannot be written through a view with this query, in PostgreSQL's words for a DETAIL; empty: they can.
/// Those of a view that it reads in turn are not asked for.
std::string_view notUpdatableReason(const CatalogView& catalog, const ViewEntry& view);
/// Of a column of a view that can be written through: of which column of the relation that the view reads it is the
/// value; none: of none, or of a system column.
std::vector<std::optional<uint32_t>> updatableColumns(const CatalogView& catalog, const ViewEntry& view,
                                                      size_t column_count);
/// Whether rows can be written through the view, down to a table; whether its column `column` can be.
bool isUpdatable(const CatalogView& catalog, const TableEntry& view);
bool isColumnUpdatable(const CatalogView& catalog, const TableEntry& view, uint32_t column);

/// For WITH CHECK OPTION: 0A000 where the view cannot be written through.
void requireCheckable(BindState& state, const ViewEntry& view, const std::vector<ColumnEntry>& columns);

/// A view whose rows are those of one table, perhaps by way of other such views, and what a change of its rows makes of
/// that table's. Lives while the statement is bound.
class UpdatableView {
 public:
  /// Failure: 55000 where a view of these cannot be written through; as FromBinder::findTable for what they read.
  /// `called`: the view as a stored text calls it, if that calls it otherwise.
  UpdatableView(BindState& state, TablePtr view, TableUse use, const std::optional<TableEntry>& called = {});

  [[nodiscard]] const TablePtr& table() const { return table_; }
  /// The table with the view's names and defaults for its columns: those that the view does not have are without a
  /// name.
  [[nodiscard]] const TableEntry& shape() const { return shape_; }
  /// The table's columns for the ones that are named, or for all in the view's order. `count`: how many values there
  /// are. Failure: 42703, 42701; 0A000 for columns that are computed.
  [[nodiscard]] std::vector<uint32_t> targets(const std::vector<ast::ColumnName>& names, size_t count) const;
  /// The same where parts of columns are named. Failure: 0A000 besides for a column under two names.
  [[nodiscard]] std::vector<uint32_t> targetsOfParts(const std::vector<ast::ColumnName>& names,
                                                     const std::vector<ast::TargetParts>& parts) const;
  /// Columns of SET can be written. Failure: 42703; 0A000 for columns that are computed.
  void requireAssignable(const std::vector<ast::Assignment>& assignments) const;
  /// These columns of the table are changed: rights on what shows them are wanted of who asks and of the views' owners.
  void noteChange(Privilege right, const std::vector<uint32_t>& columns);
  /// All of its columns are the table's, each once.
  [[nodiscard]] bool isPlain() const;
  [[nodiscard]] bool hasChecks() const;

  /// The names of the view's row over a row of the table, which `tree` gives. Columns that are computed are added to
  /// that. `filters`: only rows of the view are left.
  Scope bindRow(const FromEntry& name, const std::vector<Iu>& row, OperatorPtr& tree, bool filters);
  /// The checks of the table with those of WITH CHECK OPTION. Failure: 0A000 for conditions with subqueries.
  void addChecks(RowChecks& checks);

 private:
  /// One view, from the outermost.
  struct Level {
    TablePtr view;
    std::unique_ptr<StoredReferences> references;
    std::unique_ptr<StoredQuery> query;
    std::vector<std::optional<uint32_t>> columns;  ///< of what it reads
  };
  [[nodiscard]] const std::string& name() const { return levels_.front().view->name; }
  [[noreturn]] void raiseComputed(const ast::ColumnName& column) const;
  [[nodiscard]] size_t viewColumn(const ast::ColumnName& column) const;
  void makeShape();
  template <typename Bind>
  auto inView(const Level& level, Bind&& bind);
  Scope sourceScope(const Level& level, const TableEntry& read, const std::vector<Iu>& row);

  BindState& state_;
  const TableUse use_;
  std::vector<ColumnEntry> names_;  ///< of the view, as they are written
  std::vector<Level> levels_;
  TablePtr table_;
  TableEntry shape_;
  std::vector<std::optional<uint32_t>> columns_;  ///< of the outermost view: the table's
};

}  // namespace gnomon::sql
