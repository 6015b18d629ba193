#pragma once

#include "sql/algebra/change_operators.h"
#include "sql/algebra/operator.h"
#include "sql/bind/bind_state.h"
#include "sql/bind/from_binder.h"
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
                const std::vector<std::unique_ptr<ast::FromItem>>& from, const ast::Expression* where, TableUse use);
  /// RETURNING sees the new values: a map computes them, under whatever it reads.
  void computeNewValues(Update& update);
  /// Puts `change` over the rows, and an Output over it when something is returned.
  OperatorPtr finish(OperatorPtr change, const std::vector<ast::SelectItem>& returning);

  BindState& state_;
  OperatorPtr tree_;
  Scope scope_;
  TablePtr table_;
  Iu tuple_id_ = nullptr;
  std::vector<Iu> old_row_;  ///< the target's columns
};

}  // namespace gnomon::sql
