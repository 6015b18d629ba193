#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "sql/bind/bind_state.h"
#include "sql/bind/coercion.h"
#include "sql/bind/routine_body.h"
#include "sql/bind/routine_call.h"
#include "sql/bind/scope.h"
#include "sql/parse/ast.h"
#include "sql/routine_statement.h"

namespace gnomon::sql {

/// The kind of arrays of these. Failure: 42704 for void.
Type arrayTypeOf(WantedKind element);

/// The value where the filter holds, elsewhere NULL, and not computed; null: everywhere.
ExpressionPtr whereTrue(ExpressionPtr value, const Expression* filter);

/// The field with this number, from 0, of a record.
ExpressionPtr fieldAt(ExpressionPtr record, size_t index, Type type);

/// For a subscript of jsonb that is a slice: 42804.
[[noreturn]] void throwJsonSlice(const ast::Expression& node);

/// Binds scalar expressions over one scope, and over those of the queries around it.
///
/// An aggregate call becomes a column of the clause's aggregation, or of the one of a query around it whose columns
/// alone it reads; without one aggregates are refused with the clause's name ("aggregate functions are not allowed in
/// WHERE"). A subquery is added to the clause's, and becomes the column that its join adds.
/// Failure: SqlError as PostgreSQL's, with the position of the operator, function or name concerned.
class ExpressionBinder {
 public:
  using Arguments = std::vector<ExpressionPtr>;
  ExpressionBinder(BindState& state, const Scope& scope, Clause clause)
      : state_(state), coercion_(state), scope_(scope), clause_(clause) {}

  /// The expression; its type is Unknown for a bare literal or parameter.
  ExpressionPtr bind(const ast::Expression& node);
  /// A condition. Failure: 42804.
  ExpressionPtr bindCondition(const ast::Expression& node, std::string_view clause);
  /// A window of the WINDOW clause that perhaps no function uses. Failure: as where it is used.
  void checkWindow(const ast::WindowDefinition& window);
  /// Values of the key can be put in order, by the operator of USING where there is one. Failure: 42883, 42809.
  void requireSortable(const ast::SortItem& item, const Expression& key, int32_t position);
  /// left = right, for USING.
  ExpressionPtr bindEquality(ExpressionPtr left, ExpressionPtr right);
  /// The columns of a subquery that gives one row, or none. Failure: 42601 when they are not `width`, in the words for
  /// the comparison at `compared_at`, or for an assignment (-1).
  std::vector<ExpressionPtr> bindRowSubquery(const ast::Expression& node, size_t width, int32_t compared_at = -1);
  /// The values of (a, b) = (SELECT ...) or ROW(...). Failure: 42601 when they are not `width`.
  std::vector<ExpressionPtr> bindAssignedRow(const ast::Expression& node, size_t width);
  [[nodiscard]] Coercion& coercion() { return coercion_; }
  /// A copy, within the limit on what one statement may copy (54001).
  ExpressionPtr copy(const Expression& expression);

  /// The fields of a value of type record or of rows, as far as they are known, and the value. Failure: 42809 for
  /// others, 42703 for a record whose fields nobody knows.
  std::vector<RecordField> fieldsOf(const Expression& record, std::string_view wanted);
  /// (value).*: one value for each field.
  std::vector<std::pair<std::string, ExpressionPtr>> bindAllFields(const ast::Expression& node);
  /// variable.*: the same for a routine's variable; empty: it names something else.
  std::vector<std::pair<std::string, ExpressionPtr>> bindVariableFields(const ast::Expression& star);
  /// The field of the record that is assigned to, and its number. Failure: 42804, 42703.
  std::pair<size_t, RecordField> assignedField(const std::string& field, const Expression& record,
                                               std::string_view name, int32_t position);
  /// SET column.field = value: the column's new value.
  ExpressionPtr bindFieldAssignment(const std::string& field, ExpressionPtr column, ExpressionPtr value,
                                    std::string_view name, int32_t position);
  /// SET column[i] = value: the column's new value. Failure: 42804.
  ExpressionPtr bindElementAssignment(const ast::Expression& part, ExpressionPtr column, ExpressionPtr value,
                                      std::string_view name);
  /// The function that users made which the call means, and its inputs. Failure: 42883, 42725.
  std::vector<ExpressionPtr> bindRoutineInputs(const ast::Expression& node, RoutineCall& call);
  /// CALL of a procedure. Failure: 42883, 42725, 42809.
  CallStatement bindCall(const ast::Expression& node);
  /// The arguments of a call of one of the system's functions, in the order of its parameters. Failure: 42883, 42601.
  Arguments bindArranged(const ast::Expression& node);
  /// A call that the session executes for each row: of a set the array of its rows.
  /// `listed`: the types of the columns that the statement lists for a function that returns records.
  ExpressionPtr callRoutine(const RoutineCall& call, Arguments inputs, const std::vector<Type>& listed = {});

 private:
  // expression_binder.cc
  ExpressionPtr bindKind(const ast::Expression& node);
  ExpressionPtr bindLiteral(const ast::Expression& node);
  ExpressionPtr bindNumber(const ast::Expression& node);
  const Scope* scopeThat(const std::function<bool(const Scope&)>& knows);
  ExpressionPtr bindColumn(const ast::Expression& node);
  [[nodiscard]] const VariableNames* variablesHere() const;
  std::vector<std::pair<std::string, ExpressionPtr>> fieldsOfRecord(ExpressionPtr record);
  ExpressionPtr bindVariable(const VariableNames& variables, const ast::Expression& node);
  ExpressionPtr bindParameter(const ast::Expression& node);
  ExpressionPtr bindCollate(const ast::Expression& node);
  uint16_t icuCollation(const ExpressionPtr& value, int32_t position);
  ExpressionPtr bindCollated(const Signature& signature, Arguments& arguments, int32_t position);
  ExpressionPtr bindCast(const ast::Expression& node);
  ExpressionPtr bindSessionValue(const ast::Expression& node);
  ExpressionPtr textConstant(std::string_view text, int32_t position) const;
  ExpressionPtr nameConstant(std::string_view text, int32_t position) const;
  ExpressionPtr currentSchema(int32_t position) const;
  Arguments bindAll(const std::vector<ast::ExpressionPtr>& nodes);

  // bind_operator.cc
  ExpressionPtr bindOperator(std::string_view name, Arguments arguments, int32_t position);
  ExpressionPtr bindConcatenation(Arguments& arguments);
  ExpressionPtr bindLike(const ast::Expression& node);
  ExpressionPtr makeCall(const Signature& signature, Arguments arguments, int32_t position);
  void alignKinds(const Signature& signature, Arguments& arguments);
  Type resultType(const Signature& signature, Arguments& arguments);
  Type fieldType(const Arguments& arguments);

  // bind_notation.cc
  ExpressionPtr bindFunction(const ast::Expression& node);
  const Range* findWholeRow(const ast::Expression& node);
  ExpressionPtr tryField(ExpressionPtr& record, const std::string& name);
  ExpressionPtr bindCallOfRow(std::span<const std::string> names, const Scope& scope, int32_t position);
  ExpressionPtr bindCallOfValue(const std::string& name, const Expression& value, const ast::Expression* inner,
                                int32_t position);
  ExpressionPtr bindColumnOfCall(const ast::Expression& node, ExpressionPtr& value);
  // bind_function.cc
  ExpressionPtr bindNamedFunction(const ast::Expression& node);
  ExpressionPtr bindScalarFunction(const ast::Expression& node, std::string_view name, Arguments arguments);
  ExpressionPtr bindSetFunction(const ast::Expression& node);
  void refuseSetInCall(const ast::Expression& node) const;
  void refuseSet(const ast::Expression& node) const;
  Arguments arrangeByName(const ast::Expression& node, Arguments arguments);
  Arguments bindSequenceArguments(const ast::Expression& node);
  ExpressionPtr bindCatalogFunction(std::string_view name, Arguments& arguments, int32_t position);
  ExpressionPtr bindSystemFunction(std::string_view name, Arguments& arguments, int32_t position);
  ExpressionPtr bindSessionFunction(std::string_view name, const Arguments& arguments, int32_t position);
  ExpressionPtr bindAgeToday(const Signature& signature, ExpressionPtr argument, int32_t position);
  // bind_overlaps.cc
  ExpressionPtr bindOverlaps(const ast::Expression& node, Arguments arguments);
  ExpressionPtr compare(std::string_view name, const Expression& left, const Expression& right, int32_t position);
  // bind_aggregate.cc
  struct AggregateCall;
  ExpressionPtr bindAggregate(const ast::Expression& node, std::string_view name);
  Aggregation& aggregationOf(const ast::Expression& node, int64_t level) const;
  ExpressionPtr bindGrouping(const ast::Expression& node);
  ExpressionPtr bindPairAggregate(Aggregation& aggregation, const ast::Expression& node,
                                  const AggregateSignature& signature, Arguments arguments, ExpressionPtr filter);
  ExpressionPtr addAggregate(Aggregation& aggregation, const AggregateSignature& signature, AggregateCall call,
                             int32_t position);
  Type aggregateType(const AggregateSignature& signature, ExpressionPtr& argument);
  ExpressionPtr makeAggregate(Aggregation& aggregation, const ast::Expression& node, std::string_view name,
                              Arguments arguments, ExpressionPtr filter, std::vector<SortKey> order = {});
  ExpressionPtr directArgument(Aggregation& aggregation, ExpressionPtr argument);
  ExpressionPtr bindOrderedSet(Aggregation& aggregation, const ast::Expression& node,
                               const AggregateSignature& signature, Arguments arguments, ExpressionPtr filter,
                               std::vector<SortKey> order);
  ExpressionPtr bindCollection(Aggregation& aggregation, const ast::Expression& node,
                               std::span<const AggregateSignature> signatures, Arguments arguments,
                               ExpressionPtr filter, std::vector<SortKey> order);

  // bind_window.cc
  struct WindowKeys;
  static bool isWindowFunction(std::string_view name);
  /// A function with OVER.
  ExpressionPtr bindWindowFunction(const ast::Expression& node, std::string_view name);
  Type bindWindowArguments(const ast::Expression& node, Arguments& arguments);
  WindowKeys bindWindowKeys(const ast::WindowDefinition& written);
  Window::Frame bindFrame(const WindowKeys& keys, int32_t position);
  ExpressionPtr bindFrameOffset(const ast::Expression& node, Window::Frame::Mode mode);
  ExpressionPtr timePart(ExpressionPtr interval, int32_t position);
  void bindRangeBound(const SortKey& key, ExpressionPtr offset, bool is_start, Window::Bound& bound);
  void boundEndless(const SortKey& key, const Expression& offset, bool is_least, Window::Bound& bound);

  // bind_routine.cc
  /// A call of a function that users made; null: none fits, as `outcome` says, and the arguments are still there.
  ExpressionPtr bindRoutine(const ast::Expression& node, Arguments& arguments, OverloadOutcome& outcome);
  void makeConcrete(RoutineCall& call, const Arguments& arguments);
  std::optional<RoutineCall> findRoutine(const ast::Expression& node, const Arguments& arguments,
                                         OverloadOutcome& outcome);
  ExpressionPtr bindParameterDefault(const RoutineEntry::Parameter& parameter);
  Arguments bindInputs(const RoutineCall& call, Arguments arguments);
  Arguments computeOnce(Arguments arguments);
  /// Values that an expression reads several times and computes once, by the units that stand for them.
  using Lets = std::vector<std::pair<std::shared_ptr<const InformationUnit>, ExpressionPtr>>;
  static std::shared_ptr<const InformationUnit> boundUnit(const Expression& value);
  ExpressionPtr repeatable(ExpressionPtr value, Lets& lets);
  static ExpressionPtr withLets(ExpressionPtr body, Lets lets);
  ExpressionPtr bindRoutineExpression(const RoutineCall& call, const RoutineBody& body, Arguments inputs);
  ExpressionPtr bindRoutineQuery(const RoutineCall& call, RoutineBody& body, Arguments& inputs);
  ExpressionPtr callForRow(const RoutineCall& call, Arguments inputs);
  [[nodiscard]] bool isInlined(const RoutineEntry& routine, const RoutineBody& body) const;
  ExpressionPtr recordOf(const RoutineEntry& routine, const std::vector<RoutineColumn>& columns,
                         const std::vector<Iu>& units);
  ExpressionPtr bindRoutineSet(const ast::Expression& node, const RoutineCall& call, RoutineBody& body,
                               Arguments inputs);
  /// What the routine whose body is bound means by the name, or $n; null: nothing.
  ExpressionPtr bindRoutineName(const ast::Expression& node);
  ExpressionPtr bindRoutineParameter(const ast::Expression& node);

  // bind_text_function.cc
  /// Null: another function, or it has none of these arguments.
  ExpressionPtr bindTextFunction(std::string_view name, Arguments& arguments, int32_t position);
  ExpressionPtr bindJoinedTexts(std::string_view name, Arguments& arguments);
  ExpressionPtr bindQuotation(std::string_view name, Arguments& arguments, int32_t position);
  ExpressionPtr bindNullCount(std::string_view name, Arguments& arguments);
  /// name(..., VARIADIC array).
  ExpressionPtr variadicArray(ExpressionPtr argument);
  ExpressionPtr bindVariadicCall(const ast::Expression& node, std::string_view name, Arguments& arguments);
  /// The value as clients see it; several as one text (sql/types/text_list.h).
  ExpressionPtr outputText(ExpressionPtr value);
  ExpressionPtr textList(Arguments values);

  // bind_array.cc
  /// ARRAY[...]; `target`: the array type it is cast to, null: none.
  ExpressionPtr bindArray(const ast::Expression& node, const Type* target);
  ExpressionPtr bindNestedArray(Arguments arrays, int32_t position);
  ExpressionPtr bindArrayQuery(const ast::Expression& node);
  /// The array of the column's values, in the order of the query's rows.
  ExpressionPtr collectArray(OperatorPtr query, Iu column);
  ExpressionPtr bindSubscript(const ast::Expression& node);
  ExpressionPtr bindArrayBound(const ast::Expression& node);
  void addSliceBounds(const ast::Expression& node, Arguments& arguments);
  /// value op ANY (array), or ALL (array).
  ExpressionPtr bindQuantifiedArray(const ast::Expression& node);
  /// Null: another function or operator, or it has none of these arguments.
  ExpressionPtr bindArrayFunction(std::string_view name, Arguments& arguments, int32_t position);
  ExpressionPtr bindArrayOperator(std::string_view name, Arguments& arguments, int32_t position);
  ExpressionPtr callArrayFunction(FunctionId function, std::string_view letters, char result, WantedKind element,
                                  Arguments& arguments, int32_t position);
  ExpressionPtr toElement(ExpressionPtr value, WantedKind wanted);

  // bind_json.cc
  /// Null: another function, or it has none of these arguments.
  ExpressionPtr bindJsonFunction(const ast::Expression& node, std::string_view name, Arguments& arguments);
  ExpressionPtr callJson(std::string_view name, Type result, Arguments arguments, int32_t position);
  /// What an aggregate of JSON collects, and the function that makes its value of that; empty: another aggregate.
  std::string_view bindJsonAggregate(const ast::Expression& node, std::string_view name, Arguments& arguments,
                                     const ExpressionPtr& filter);
  ExpressionPtr bindJsonSubscript(const ast::Expression& node, ExpressionPtr value);
  ExpressionPtr bindJsonStep(const ast::Expression& node);

  // bind_condition.cc
  ExpressionPtr bindLogic(const ast::Expression& node);
  ExpressionPtr bindTest(const ast::Expression& node);
  ExpressionPtr bindDistinct(const ast::Expression& node);
  ExpressionPtr bindBetween(const ast::Expression& node);
  ExpressionPtr bindRange(Expression& value, Expression& low, Expression& high, bool is_negated, int32_t position);
  ExpressionPtr bindIn(const ast::Expression& node);
  ExpressionPtr bindInList(ExpressionPtr value, Arguments items, bool is_negated, int32_t position);
  ExpressionPtr bindCase(const ast::Expression& node);
  ExpressionPtr bindNullIf(const ast::Expression& node);
  ExpressionPtr bindChoice(const ast::Expression& node);

  // bind_record.cc
  /// The items of a row, or arguments, each `t.*` among them being the columns that it stands for.
  Arguments bindRowItems(const std::vector<ast::ExpressionPtr>& nodes);
  /// ROW(...) as a value.
  ExpressionPtr bindRow(const ast::Expression& node);
  /// The row of an item of FROM; null: it names none.
  ExpressionPtr bindWholeRow(const ast::Expression& node);
  ExpressionPtr bindField(const ast::Expression& node);
  ExpressionPtr fieldOf(ExpressionPtr record, const std::vector<RecordField>& fields, size_t index);
  /// = <> < <= > >= of enums or records; null: neither is one.
  ExpressionPtr bindDefinedComparison(std::string_view name, Arguments& arguments, int32_t position);
  /// Null: another function.
  ExpressionPtr bindEnumFunction(std::string_view name, Arguments& arguments, int32_t position);
  /// A row of the columns with these names, each of which ends with a zero; NULL where `present` is.
  ExpressionPtr bindPresentRow(const std::vector<Iu>& columns, const std::string& names, Iu present, int32_t position);
  // bind_row.cc
  static bool isRow(const ast::Expression& node) { return node.kind == ast::Expression::Kind::Row; }
  /// left op right, column by column. Failure: 42601 of different lengths, 0A000 without columns.
  ExpressionPtr compareRows(std::string_view name, Arguments left, Arguments right, int32_t position);
  ExpressionPtr bindRowOrder(std::string_view name, Arguments left, Arguments right, int32_t position);
  /// An operator with rows on both sides.
  ExpressionPtr bindRowOperator(std::string_view name, const ast::Expression& left, const ast::Expression& right,
                                int32_t position);
  ExpressionPtr bindRowTest(const ast::Expression& node);
  ExpressionPtr bindRowDistinct(const ast::Expression& node);
  ExpressionPtr bindRowBetween(const ast::Expression& node);
  ExpressionPtr bindRowIn(const ast::Expression& node);
  // bind_subquery.cc
  SubqueryJoins& subqueriesHere() const;
  OperatorPtr bindQuery(const ast::Expression& node, std::vector<Iu>& columns);
  ExpressionPtr bindScalarSubquery(const ast::Expression& node);
  ExpressionPtr bindExists(const ast::Expression& node);
  ExpressionPtr bindQuantified(const ast::Expression& node);

  BindState& state_;
  Coercion coercion_;
  const Scope& scope_;
  const Clause clause_;
  bool in_aggregate_ = false;
  bool in_window_ = false;  ///< an argument of a window function is bound
  /// CASE, COALESCE and the like, whose operands are bound: they take no sets.
  std::string_view choice_;
  bool is_conditional_ = false;                  ///< what is bound may not be computed
  const ast::Expression* known_node_ = nullptr;  ///< it has been bound already; null: none
  ExpressionPtr known_value_;                    ///< of that node; it is taken once
};

}  // namespace gnomon::sql
