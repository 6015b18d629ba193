#pragma once

#include <optional>
#include <vector>

#include "sql/algebra/change_operators.h"
#include "sql/bind/bind_state.h"
#include "sql/bind/key_work_binder.h"
#include "sql/bind/scope.h"
#include "sql/bind/subquery_guard.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// Binds MERGE: the source joined with a scan of the target, so that its rows without a match are there too where an
/// action wants them, under the Merge.
class MergeBinder {
 public:
  explicit MergeBinder(BindState& state) : state_(state) {}

  OperatorPtr bind(const ast::Merge& merge);

 private:
  /// Binds both tables and their join: tree_, scopes, table_, tuple_id_, old_row_.
  void noteAccess(const ast::MergeAction& action);
  void bindTriggers(Merge& merge, const RowChanges& changes);
  void bindRows(const ast::Merge& merge);
  /// The target's columns and its tuple id as they are seen above the join.
  void extendTarget(Join& join);
  [[nodiscard]] const TableEntry& shape() const { return called_ ? *called_ : *table_; }
  Merge::Action bindAction(const ast::MergeAction& node, SubqueryGuard& guard);
  void bindUpdate(const ast::MergeAction& node, Merge::Action& action);
  void bindInsert(const ast::MergeAction& node, Merge::Action& action);
  void bindValues(const ast::MergeAction& node, const std::vector<uint32_t>& targets, std::vector<ExpressionPtr>& row);

  BindState& state_;
  OperatorPtr tree_;
  Scope source_, both_;
  TablePtr table_;
  std::optional<TableEntry> called_;  ///< as a stored text calls it, if that calls it otherwise
  std::vector<TablePtr> ancestors_;   ///< of a partition
  Iu tuple_id_ = nullptr;
  std::vector<Iu> old_row_;  ///< the target's columns
  SubqueryJoins subqueries_;
};

}  // namespace gnomon::sql
