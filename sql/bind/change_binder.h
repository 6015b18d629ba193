#pragma once

#include "sql/algebra/change_operators.h"
#include "sql/algebra/operator.h"
#include "sql/bind/bind_state.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/updatable_view.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// Binds UPDATE and DELETE: a scan of the target, joined with the other tables of FROM or USING, under the change.
class ChangeBinder {
 public:
  explicit ChangeBinder(BindState& state) : state_(state) {}

  OperatorPtr bind(const ast::Update& update);
  OperatorPtr bind(const ast::Delete& node);

 private:
  /// Binds the rows to be changed: tree_, scope_, table_, tuple_id_, old_row_.
  void bindRows(const ast::RelationName& relation, const ast::Alias& alias,
                const std::vector<std::unique_ptr<ast::FromItem>>& from, const ast::Expression* where,
                const std::string& cursor, TableUse use);
  void bindTarget(const ast::RelationName& relation, const ast::Alias& alias, const std::string& cursor, TableUse use);
  void bindInstead(const TablePtr& view, const ast::RelationName& relation, const ast::Alias& alias);
  /// Columns that a view computes are computed of the row as it is going to be.
  void renewViewRow(const Update& update);
  /// A map computes the new values of the columns, so that they can be read.
  void computeNewValues(Update& update, const std::vector<uint32_t>& columns);
  /// Adds the generated columns that follow from those that change.
  void addGenerated(Update& update, bool is_returned);
  /// `moves`: rows may go to other partitions.
  OperatorPtr finishWritten(std::unique_ptr<Update> update, const std::vector<ast::SelectItem>& returning, bool moves);
  void addMovedOid(OperatorPtr& tree, const std::vector<Iu>& row);
  /// Puts `change` over the rows, and an Output over it when something is returned.
  OperatorPtr finish(OperatorPtr change, const std::vector<ast::SelectItem>& returning);

  BindState& state_;
  OperatorPtr tree_;
  Scope scope_;
  TablePtr table_;
  std::optional<UpdatableView> view_;  ///< through which it is changed
  std::optional<TableEntry> called_;   ///< as a stored text calls it, if that calls it otherwise
  bool is_instead_ = false;            ///< the target is a view whose triggers change it
  FromEntry name_;                     ///< of that
  std::vector<TablePtr> ancestors_;    ///< of a partition
  Iu tuple_id_ = nullptr;
  std::vector<Iu> old_row_;  ///< the target's columns
};

}  // namespace gnomon::sql
