#pragma once

#include <string>
#include <vector>

#include "sql/algebra/function_scan.h"
#include "sql/algebra/operator.h"
#include "sql/bind/bind_state.h"
#include "sql/bind/query_binder.h"
#include "sql/bind/scope.h"
#include "sql/bind/table_use.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// Binds FROM: the tree as written and the names it offers.
class FromBinder {
 public:
  struct Result {
    OperatorPtr tree;
    Scope scope;
  };
  explicit FromBinder(BindState& state) : state_(state) {}

  /// Items between commas become inner joins without condition. An empty list is one row of no columns.
  Result bind(const std::vector<std::unique_ptr<ast::FromItem>>& items);
  /// A scan of every column of a table. Failure: as findTable().
  Result bindTable(const ast::RelationName& name, const ast::Alias& alias, TableUse use);
  /// The table. Failure: 42P01; 0A000 for system catalogs; for views what says that `use` wants a table.
  TablePtr findTable(const ast::RelationName& name, TableUse use);
  /// The view of the name; null: there is none, or a table that hides it.
  [[nodiscard]] VirtualRelationPtr findVirtual(const ast::RelationName& name) const;
  /// The table of a name that is no view's. Failure: 42P01; 0A000 for system catalogs.
  TablePtr findStored(const ast::RelationName& name);

 private:
  Result bindItem(const ast::FromItem& item);
  Result bindRelation(const ast::RelationName& name, const ast::Alias& alias);
  Result bindStored(TablePtr table, const ast::RelationName& name, const ast::Alias& alias);
  Result bindView(uint32_t oid, const std::string& name, const std::string& text, const std::vector<ColumnEntry>& names,
                  const ast::Alias& alias);
  void addTableOid(Result& result, uint32_t oid);
  Result bindVirtual(VirtualRelationPtr relation, const ast::Alias& alias);
  Result bindSubquery(const ast::FromItem& item);
  /// The names of the items that stand before the one that is bound.
  [[nodiscard]] Scope scopeBefore() const;
  QueryBinder::Result bindLateral(const ast::Query& query);
  Result bindBarred(const ast::FromItem& item, bool is_nullable);
  static void refuseReads(Operator& preserved, const Operator& partners);
  Result bindFunctions(const ast::FromItem& item);
  Result bindScalarFunction(const ast::FromItem& item);
  std::vector<SetCall> bindCalls(const ast::Expression& node, const std::string& column);
  Result bindDerived(QueryBinder::Result query, const ast::Alias& alias, std::string name);
  Result bindJoin(const ast::FromItem& item);
  /// The names of columns to be joined on: USING's, or what both sides of NATURAL have in common.
  static std::vector<std::string> sharedColumns(const ast::FromItem& item, const Scope& left, const Scope& right);
  void bindJoinCondition(const ast::FromItem& item, const std::vector<std::string>& shared, const Scope& left,
                         const Scope& right, Join& join, SubqueryJoins& subqueries);
  static void selectPartners(Join& join, SubqueryJoins& subqueries, std::vector<ExpressionPtr> conditions);
  /// Columns of the preserved side's partner become nullable.
  void extendWithNulls(const Operator& input, std::vector<std::pair<Iu, Iu>>& extended, Scope& scope);
  Scope mergeScopes(const ast::FromItem& item, const std::vector<std::string>& shared, Scope left, Scope right,
                    OperatorPtr& tree);
  Iu mergedColumn(const ast::FromItem& item, Iu left, Iu right, OperatorPtr& tree);
  Scope scopeOf(const ast::Alias& alias, std::string table_name, std::vector<ScopeColumn> columns);
  void nameUnits(const Scope& scope);

  BindState& state_;
  std::vector<const Scope*> before_;  ///< items that stand before the one that is bound
};

}  // namespace gnomon::sql
