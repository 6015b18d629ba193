#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sql/algebra/function_scan.h"
#include "sql/algebra/operator.h"
#include "sql/bind/bind_state.h"
#include "sql/bind/query_binder.h"
#include "sql/bind/routine_body.h"
#include "sql/bind/routine_call.h"
#include "sql/bind/scope.h"
#include "sql/bind/table_use.h"
#include "sql/parse/ast.h"

namespace gnomon::sql {

/// A scan of every column of the table.
std::unique_ptr<TableScan> scanOf(BindState& state, TablePtr table, std::string alias);

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
  Result bindOne(const ast::FromItem& item) { return bindItem(item); }
  /// A scan of every column of a table. Failure: as findTable().
  Result bindTable(const ast::RelationName& name, const ast::Alias& alias, TableUse use);
  /// What the name means. Failure: none; nothing then.
  [[nodiscard]] FoundRelation find(const ast::RelationName& name) const;
  /// The table. Failure: 42P01, 3F000; 0A000 for system catalogs; for views what says that `use` wants a table.
  TablePtr findTable(const ast::RelationName& name, TableUse use);
  /// Adds ctid, for statements that mention it, of a scan below. `id`: the unit of its tuple ids; null: it gets one.
  void addTuplePlace(Result& result, TableScan& scan, Iu id = nullptr);
  /// Adds the system column tableoid, where the statement may mean it.
  void addTableOid(Result& result, const TableEntry& table);
  /// The same of rows that are written, whose values are given.
  void addTableOid(Result& result, const TableEntry& table, const std::vector<Iu>& row);
  /// The system's relation of the name; null: there is none.
  [[nodiscard]] VirtualRelationPtr findVirtual(const ast::RelationName& name) const;
  /// The table of a name that is no view's. Failure: 42P01; 0A000 for system catalogs.
  TablePtr findStored(const ast::RelationName& name);
  /// For a text that is going to be stored: what a change changes is named there. `behind`: what follows the name.
  void noteTarget(const ast::RelationName& name, const std::string& behind = {});
  /// The table with the names that a stored text has for its columns; those that it does not know have none. Nothing:
  /// they have their own.
  [[nodiscard]] std::optional<TableEntry> calledTable(const ast::RelationName& name, const TableEntry& table) const;
  /// Adds what LOCK TABLE locks to the statement's tables: a table, or a view and the tables that it reads; returns
  /// what has the name. Failure:
  /// 42P01; 42809; 0A000 for system catalogs.
  TablePtr addLocked(const ast::RelationName& name);

 private:
  /// Null: the name is none of a stored query.
  [[nodiscard]] const StoredReference* referenceOf(const ast::RelationName& name) const;
  /// What a query calls a column of the relation; empty: it does not know it.
  [[nodiscard]] std::string columnName(const ast::RelationName& name, uint32_t column, const std::string& now) const;
  void noteReference(const ast::RelationName& name, const FoundRelation& found, const std::string& behind = {});
  [[nodiscard]] std::string schemaOf(const TableEntry& table, const ast::RelationName& name) const;
  Result bindItem(const ast::FromItem& item);
  Result bindRelation(const ast::RelationName& name, const ast::Alias& alias);
  Result bindCommon(CommonTableScope& table, const ast::RelationName& name, const ast::Alias& alias);
  // from_sample.cc
  void sampleRows(const ast::FromItem& item, Result& result);
  Result bindStored(TablePtr table, const ast::RelationName& name, const ast::Alias& alias);
  Result bindView(uint32_t oid, const ast::RelationName& name, std::string_view text,
                  const StoredReferences* references, const std::vector<ColumnEntry>& names, const ast::Alias& alias);
  [[nodiscard]] bool isMentioned(std::string_view name) const;
  void addConstantOid(Result& result, uint32_t oid);
  void addRowVersion(Result& result);
  void addPartitionOid(Result& result);
  Result bindVirtual(VirtualRelationPtr relation, const ast::Alias& alias);
  Result bindSubquery(const ast::FromItem& item);
  /// The names of the items that stand before the one that is bound.
  [[nodiscard]] Scope scopeBefore() const;
  QueryBinder::Result bindLateral(const ast::Query& query);
  Result bindBarred(const ast::FromItem& item, bool is_nullable);
  Result bindFunctions(const ast::FromItem& item);
  [[nodiscard]] VirtualRelationPtr relationOfFunction(const ast::FromItem& item) const;
  Result bindRelationFunction(VirtualRelationPtr relation, const ast::FromItem& item);
  // from_json.cc
  // from_routine.cc
  [[nodiscard]] bool isRoutine(const ast::Expression& node) const;
  std::vector<RoutineColumn> columnsOfCall(const ast::FunctionItem& function, const RoutineEntry& routine);
  static void requireNoTwin(const std::vector<ast::FunctionColumn>& columns);
  std::vector<Type> listedTypes(const ast::FunctionItem& function);
  Result bindRoutine(const ast::FromItem& item);
  RoutineBody::Rows inlineInFrom(const RoutineCall& call, const std::vector<ExpressionPtr>& inputs,
                                 const std::vector<RoutineColumn>& columns, OperatorPtr& left);
  RoutineBody::Rows callInFrom(ExpressionPtr value, bool returns_set, const std::vector<RoutineColumn>& columns,
                               OperatorPtr left);
  // from_function.cc
  struct FunctionRows;
  void bindCalls(const ast::FromItem& item, const ast::FunctionItem& function, FunctionRows& rows);
  void bindJsonRows(const ast::FunctionItem& function, FunctionRows& rows);
  void bindRoutineCall(const ast::FromItem& item, const ast::FunctionItem& function, FunctionRows& rows);
  void bindScalarFunction(const ast::FromItem& item, const ast::Expression& node, FunctionRows& rows);
  void endWithNulls(FunctionRows& rows);
  OperatorPtr treeOf(FunctionRows rows, const std::string& name);
  Result bindDerived(QueryBinder::Result query, const ast::Alias& alias, std::string name);
  Result bindJoin(const ast::FromItem& item);
  /// The names of columns to be joined on: USING's, or what both sides of NATURAL have in common.
  static std::vector<std::string> sharedColumns(const ast::FromItem& item, const Scope& left, const Scope& right);
  void bindJoinCondition(const ast::FromItem& item, const std::vector<std::string>& shared, const Scope& left,
                         const Scope& right, Join& join, SubqueryJoins& subqueries);
  /// Columns of the preserved side's partner become nullable.
  void extendWithNulls(const Operator& input, std::vector<std::pair<Iu, Iu>>& extended, Scope& scope);
  static void markRows(Join& join, bool is_left, Scope& scope);
  Scope mergeScopes(const ast::FromItem& item, const std::vector<std::string>& shared, Scope left, Scope right,
                    OperatorPtr& tree);
  Iu mergedColumn(const ast::FromItem& item, Iu left, Iu right, OperatorPtr& tree);
  Scope scopeOf(const ast::Alias& alias, std::string table_name, std::vector<ScopeColumn> columns);
  void nameUnits(const Scope& scope);

  BindState& state_;
  std::vector<const Scope*> before_;  ///< items that stand before the one that is bound
};

/// What is read of ONLY a partitioned table.
OperatorPtr withoutRows(OperatorPtr input);

}  // namespace gnomon::sql
