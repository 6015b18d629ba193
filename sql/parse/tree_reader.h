#pragma once

#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/sql_error.h"
#include "sql/parse/ast_body.h"
#include "sql/parse/ast_statement.h"

namespace gnomon::sql {

/// Turns the grammar's tree of one statement into ours. Only for sources of this folder.
///
/// Failure: 0A000 for what Gnomon does not do, with position; 54001 for trees deeper than kTreeDepthMax.
class TreeReader {
 public:
  /// `position` is where the statement begins: what is said of the statement as a whole points there.
  /// `own_words`: what takeOwnWords() has taken from the text.
  explicit TreeReader(int32_t position, std::span<const int32_t> own_words = {})
      : statement_position_(position), own_words_(own_words) {}

  ast::Statement readStatement(const PgQuery__Node& node);

 private:
  // read_statement.cc
  ast::Insert readInsert(const PgQuery__InsertStmt& node);
  ast::Update readUpdate(const PgQuery__UpdateStmt& node);
  ast::Assignment readAssignment(const PgQuery__ResTarget& node);
  ast::TargetParts readTargetParts(const PgQuery__ResTarget& node);
  ast::Delete readDelete(const PgQuery__DeleteStmt& node);
  // read_merge.cc
  ast::Merge readMerge(const PgQuery__MergeStmt& node);
  ast::MergeAction readMergeAction(const PgQuery__MergeWhenClause& node);

  // read_statement.cc
  std::vector<ast::SelectItem> readSelectItems(size_t count, PgQuery__Node* const* nodes);
  ast::OnConflict readOnConflict(const PgQuery__OnConflictClause& node);
  ast::IndexPart readIndexPart(const PgQuery__IndexElem& node);
  ast::Truncate readTruncate(const PgQuery__TruncateStmt& node);
  ast::CreateTable readCreateTable(const PgQuery__CreateStmt& node);
  ast::PartitionSpecification readPartitionSpecification(const PgQuery__PartitionSpec& node);
  ast::PartitionBound readPartitionBound(const PgQuery__PartitionBoundSpec& node);
  ast::TableLike readLike(const PgQuery__TableLikeClause& node, size_t place);
  ast::CreateTableAs readCreateTableAs(const PgQuery__IntoClause& into, const PgQuery__SelectStmt& query);
  static ast::OnCommit readOnCommit(PgQuery__OnCommitAction action, const ast::RelationName& relation);
  // read_constraint.cc
  ast::ColumnDefinition readColumnDefinition(const PgQuery__ColumnDef& node, const std::string& table,
                                             ast::Constraints& constraints);
  void readColumnConstraint(const PgQuery__Constraint& node, const std::string& table, ast::ColumnDefinition& column,
                            ast::Constraints& constraints);
  ast::KeyConstraint readKey(const PgQuery__Constraint& node);
  ast::CheckConstraint readCheck(const PgQuery__Constraint& node);
  ast::ForeignKey readForeignKey(const PgQuery__Constraint& node);
  // read_statement.cc
  ast::CreateIndex readCreateIndex(const PgQuery__IndexStmt& node);
  // read_view.cc
  ast::CreateView readCreateView(const PgQuery__ViewStmt& node);
  ast::CreateTableAs readCreateMaterializedView(const PgQuery__CreateTableAsStmt& node);
  ast::RefreshView readRefreshView(const PgQuery__RefreshMatViewStmt& node);
  ast::SetConstraints readSetConstraints(const PgQuery__ConstraintsSetStmt& node);
  ast::DropTable readDropTable(const PgQuery__DropStmt& node);
  ast::DropIndex readDropIndex(const PgQuery__DropStmt& node);
  std::vector<ast::RelationName> readDroppedNames(const PgQuery__DropStmt& node);
  ast::Copy readCopy(const PgQuery__CopyStmt& node);
  ast::Explain readExplain(const PgQuery__ExplainStmt& node);
  ast::Set readRoutineSetting(const PgQuery__VariableSetStmt& node);
  ast::Statement readSet(const PgQuery__VariableSetStmt& node);
  std::vector<ast::Option> readOptions(size_t count, PgQuery__Node* const* nodes);
  std::vector<ast::ColumnName> readColumnNames(size_t count, PgQuery__Node* const* nodes);

  // read_transaction.cc
  [[nodiscard]] bool isOwnWord(int32_t position) const { return std::ranges::binary_search(own_words_, position); }
  ast::TransactionModes readTransactionModes(size_t count, PgQuery__Node* const* nodes);
  ast::Transaction readTransaction(const PgQuery__TransactionStmt& node);

  // read_alter_table.cc
  ast::AlterTable readAlterTable(const PgQuery__AlterTableStmt& node);
  ast::AlterCommand readAlterCommand(const PgQuery__AlterTableCmd& node, const std::string& table);

  // read_schema.cc
  ast::CreateSchema readCreateSchema(const PgQuery__CreateSchemaStmt& node);
  ast::DropSchema readDropSchema(const PgQuery__DropStmt& node);
  ast::Comment readComment(const PgQuery__CommentStmt& node);
  ast::Move readSetSchema(const PgQuery__AlterObjectSchemaStmt& node);
  ast::Statement readRename(const PgQuery__RenameStmt& node);

  // read_role.cc
  // read_database.cc
  static std::vector<ast::DatabaseOption> readDatabaseOptions(size_t count, PgQuery__Node* const* nodes);
  ast::DatabaseSetting readDatabaseSetting(const PgQuery__AlterDatabaseSetStmt& node);
  static ast::DropDatabase readDropDatabase(const PgQuery__DropdbStmt& node);
  // read_role.cc
  ast::CreateRole readCreateRole(const PgQuery__CreateRoleStmt& node);
  ast::AlterRole readAlterRole(const PgQuery__AlterRoleStmt& node);
  ast::RoleSetting readRoleSetting(const PgQuery__AlterRoleSetStmt& node);
  static ast::DropRole readDropRole(const PgQuery__DropRoleStmt& node);
  static ast::GrantRole readGrantRole(const PgQuery__GrantRoleStmt& node);
  ast::Grant readGrant(const PgQuery__GrantStmt& node);
  ast::DefaultPrivileges readDefaultPrivileges(const PgQuery__AlterDefaultPrivilegesStmt& node);
  ast::Statement readAlterOwner(const PgQuery__AlterOwnerStmt& node);
  /// Of ALTER TABLE ... OWNER TO alone; nothing: it is another one.
  std::optional<ast::AlterOwner> readOwnerOfRelation(const PgQuery__AlterTableStmt& node);
  static ast::Owned readReassignOwned(const PgQuery__ReassignOwnedStmt& node);
  static ast::Owned readDropOwned(const PgQuery__DropOwnedStmt& node);
  std::vector<ast::RoleOption> readRoleOptions(size_t count, PgQuery__Node* const* nodes);

  // read_sequence.cc
  ast::CreateSequence readCreateSequence(const PgQuery__CreateSeqStmt& node);
  ast::AlterSequence readAlterSequence(const PgQuery__AlterSeqStmt& node);
  ast::DropSequence readDropSequence(const PgQuery__DropStmt& node);
  std::vector<ast::SequenceOption> readSequenceOptions(size_t count, PgQuery__Node* const* nodes);
  ast::SequenceOption readSequenceOption(const PgQuery__DefElem& node);
  ast::IdentityDefinition readIdentity(const PgQuery__Constraint& node);
  void readIdentityChange(const PgQuery__List& node, ast::AlterCommand& command);

  // read_maintenance.cc
  ast::Vacuum readVacuum(const PgQuery__VacuumStmt& node);
  ast::Reindex readReindex(const PgQuery__ReindexStmt& node);
  ast::CreateExtension readCreateExtension(const PgQuery__CreateExtensionStmt& node) const;

  // read_type_statement.cc
  ast::CreateType readCreateEnum(const PgQuery__CreateEnumStmt& node);
  ast::CreateType readCreateComposite(const PgQuery__CompositeTypeStmt& node);
  ast::CreateDomain readCreateDomain(const PgQuery__CreateDomainStmt& node);
  ast::AlterEnum readAlterEnum(const PgQuery__AlterEnumStmt& node);
  ast::AlterDomain readAlterDomain(const PgQuery__AlterDomainStmt& node);
  ast::AlterComposite readAlterComposite(const PgQuery__AlterTableStmt& node);
  ast::DropType readDropType(const PgQuery__DropStmt& node);
  /// RENAME of a type or domain, an attribute, a constraint of a domain.
  ast::Statement readRenameType(const PgQuery__RenameStmt& node);
  ast::RelationName readTypeNameList(size_t count, PgQuery__Node* const* names);
  ast::ColumnDefinition readAttribute(const PgQuery__ColumnDef& node);
  // read_routine.cc
  /// Takes SETOF and %TYPE out of the node.
  ast::RoutineType readRoutineType(PgQuery__TypeName& node);
  bool readRoutineOption(const PgQuery__DefElem& node, ast::RoutineOptions& options);
  ast::CreateRoutine readCreateRoutine(const PgQuery__CreateFunctionStmt& node);
  // read_body.cc
  std::shared_ptr<const ast::StandardBody> readStandardBody(PgQuery__Node& node);
  ast::BodyStatement readBodyStatement(PgQuery__Node& node);
  // read_routine.cc
  static ast::DoBlock readDoBlock(const PgQuery__DoStmt& node);
  ast::RoutineName readRoutineName(const PgQuery__ObjectWithArgs& node);
  ast::ExplainRoutine readExplainRoutine(const PgQuery__DropStmt& node);
  ast::DropRoutine readDropRoutine(const PgQuery__DropStmt& node);
  ast::AlterRoutine readAlterRoutine(const PgQuery__AlterFunctionStmt& node);
  /// RENAME TO and SET SCHEMA.
  ast::AlterRoutine readMovedRoutine(PgQuery__ObjectType type, const PgQuery__Node& routine, std::string new_name,
                                     std::string new_schema);
  // read_trigger.cc
  ast::CreateTrigger readCreateTrigger(const PgQuery__CreateTrigStmt& node);
  ast::DropTrigger readDropTrigger(const PgQuery__DropStmt& node);
  /// Nothing: it is of something else.
  std::optional<ast::DropOther> readDropOther(const PgQuery__DropStmt& node);
  /// Of ALTER TABLE; nothing: it has other commands.
  std::optional<ast::TriggerFiring> readTriggerFiring(const PgQuery__AlterTableStmt& node);
  // read_session.cc
  ast::Prepare readPrepare(const PgQuery__PrepareStmt& node);
  ast::Execute readExecute(const PgQuery__ExecuteStmt& node, ast::Execute::Use use);
  ast::DeclareCursor readDeclareCursor(const PgQuery__DeclareCursorStmt& node);
  static ast::Fetch readFetch(const PgQuery__FetchStmt& node);
  static ast::Discard readDiscard(const PgQuery__DiscardStmt& node);
  ast::LockTable readLockTable(const PgQuery__LockStmt& node);

  // read_query.cc
  ast::QueryPtr readQuery(const PgQuery__SelectStmt& node);
  ast::With readWith(const PgQuery__WithClause* clause);
  void rejectQueryClauses(const PgQuery__SelectStmt& node);
  void readSetOperation(const PgQuery__SelectStmt& node, ast::Query& query);
  std::unique_ptr<ast::FromItem> readFromItem(const PgQuery__Node& node);
  // read_search.cc
  void readSearch(const PgQuery__CommonTableExpr& node, bool is_recursive, ast::CommonTable& table);
  // read_query.cc
  std::unique_ptr<ast::FromItem> readSample(const PgQuery__RangeTableSample& node);
  std::unique_ptr<ast::FromItem> readFunctions(const PgQuery__RangeFunction& node);
  std::unique_ptr<ast::FromItem> readJoin(const PgQuery__JoinExpr& node);
  ast::RelationName readRelation(const PgQuery__RangeVar& node);
  ast::Alias readAlias(const PgQuery__Alias* node);
  /// Of a value.
  ast::ExpressionPtr readSubscripts(size_t count, PgQuery__Node* const* nodes, ast::ExpressionPtr value);
  ast::SortItem readSortItem(const PgQuery__SortBy& node);
  void readGroupBy(const PgQuery__SelectStmt& node, ast::Query& query);
  std::unique_ptr<ast::WindowDefinition> readWindow(const PgQuery__WindowDef& node);
  ast::RowLock readRowLock(const PgQuery__LockingClause& node);

  // read_expression.cc
  ast::ExpressionPtr readExpression(const PgQuery__Node* node);  ///< null: null
  ast::ExpressionPtr readConstant(const PgQuery__AConst& node);
  ast::ExpressionPtr readColumn(const PgQuery__ColumnRef& node);
  ast::ExpressionPtr readOperator(const PgQuery__AExpr& node);
  ast::ExpressionPtr readLike(const PgQuery__AExpr& node);
  ast::ExpressionPtr readList(const PgQuery__AExpr& node, ast::Expression::Kind kind);
  ast::ExpressionPtr readLogic(const PgQuery__BoolExpr& node);
  ast::ExpressionPtr readTest(const PgQuery__Node& node);
  ast::ExpressionPtr readPattern(const PgQuery__AExpr& node);
  ast::ExpressionPtr readFunction(const PgQuery__FuncCall& node);
  void readArguments(const PgQuery__FuncCall& node, ast::Expression& call);
  ast::ExpressionPtr readSubquery(const PgQuery__SubLink& node);
  ast::ExpressionPtr readCase(const PgQuery__CaseExpr& node);
  ast::ExpressionPtr readSessionValue(const PgQuery__SQLValueFunction& node);
  std::vector<ast::ExpressionPtr> readExpressions(size_t count, PgQuery__Node* const* nodes);
  ast::TypeName readType(const PgQuery__TypeName& node);

  /// Counts the recursion.
  class Level {
   public:
    explicit Level(TreeReader& reader);
    ~Level() { --reader_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    TreeReader& reader_;
  };

  uint32_t depth_ = 0;
  /// Of an expression in CHECK. Failure: PostgreSQL's error for what Gnomon does not know; it has no position in ALTER
  /// TABLE.
  void refuseInCheck(SqlState state, const char* message, int32_t position) const;

  const PgQuery__IntoClause* into_ = nullptr;  ///< INTO of the statement itself
  bool in_check_ = false;                      ///< in the expression of a CHECK
  bool in_alter_table_ = false;
  const int32_t statement_position_;
  const std::span<const int32_t> own_words_;
};

/// What a statement that Gnomon does not do is called: "CREATE VIEW".
std::string describeStatement(const PgQuery__Node& node);
/// Whether it is a function or a procedure.
constexpr bool isRoutineType(PgQuery__ObjectType type) {
  return type == PG_QUERY__OBJECT_TYPE__OBJECT_FUNCTION || type == PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE ||
         type == PG_QUERY__OBJECT_TYPE__OBJECT_ROUTINE;
}
ast::RoutineKind routineKindOf(PgQuery__ObjectType type);
/// The text of a String node.
std::string textOf(const PgQuery__Node& node);
/// The number of a large object. Failure: 22003, 22P02.
uint32_t readOid(const PgQuery__Node& node);
/// The last name of a list of names that may be qualified with pg_catalog only.
std::string operatorName(size_t count, PgQuery__Node* const* names, int32_t position);
/// The texts of a list of them.
std::vector<std::string> textsOf(size_t count, PgQuery__Node* const* nodes);
/// The relation that strings name: [[database.]schema.]name. Failure: 0A000 for another database.
ast::RelationName relationNamed(size_t count, PgQuery__Node* const* names);
/// COLLATE behind a column's type.
void readCollation(const PgQuery__CollateClause& clause, ast::TypeName& type);
/// A role that is named.
RoleName readRoleName(const PgQuery__RoleSpec& node);
std::vector<RoleName> readRoleNames(size_t count, PgQuery__Node* const* nodes);
/// The SQL text of an expression.
std::string deparseExpression(PgQuery__Node& expression);
/// A SELECT as SQL. Failure: 0A000.
std::string deparseQuery(PgQuery__Node& query);

}  // namespace gnomon::sql
