#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "base/sql_error.h"
#include "sql/algebra/rewrite.h"
#include "sql/bind/collation.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/no_function.h"
#include "sql/bind/ordered_aggregates.h"
#include "sql/bind/polymorphic_call.h"
#include "sql/bind/routine_body.h"
#include "sql/bind/routine_call.h"
#include "sql/bind/set_functions.h"
#include "sql/bind/stored_expression.h"
#include "sql/bind/stored_reference.h"
#include "sql/bind/stored_text.h"
#include "sql/bind/subquery_joins.h"
#include "sql/catalog/routines.h"
#include "sql/parse/identifier.h"
#include "sql/types/collation.h"
#include "sql/types/record_value.h"

/// Calls of functions that users made.
namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

/// Past that an argument is computed once, however often the body names it.
constexpr uint64_t kRepeatedNodesMax = 8;

std::vector<ExpressionPtr> clonesOf(const std::vector<ExpressionPtr>& expressions) {
  std::vector<ExpressionPtr> clones;
  for (const ExpressionPtr& expression : expressions) clones.push_back(expression->clone());
  return clones;
}

/// Whether each of a set's values is the only field of a row: there are no arrays of them.
bool isHeldInRows(const RoutineEntry& routine) {
  return routine.returns_set &&
         (routine.result.isArray() || routine.result.isVector() || routine.result.kind == TypeKind::Void);
}

/// Puts the value in the place of each column that is the unit.
void substitute(ExpressionPtr& expression, Iu unit, const Expression& value) {
  if (expression->kind == Kind::Column && expression->iu == unit) {
    expression = value.clone();
    return;
  }
  for (ExpressionPtr& child : expression->children) substitute(child, unit, value);
}

/// Whether the value is NULL where the argument is: calls and casts are strict.
bool isNullWith(const Expression& value, const Expression& argument) {
  if (value.equals(argument)) return true;
  if (value.kind != Kind::Call && value.kind != Kind::Cast) return false;
  return std::ranges::any_of(value.children, [&](const ExpressionPtr& child) { return isNullWith(*child, argument); });
}

/// Whether the value is NULL where any of the arguments is.
bool isStrictIn(const Expression& value, const std::vector<ExpressionPtr>& arguments) {
  return std::ranges::all_of(arguments, [&](const ExpressionPtr& argument) {
    return (argument->isConstant() && !argument->value.is_null) || isNullWith(value, *argument);
  });
}

/// A call whose body has become a part of the statement, with the subqueries from `first` on.
void noteCall(const RoutineCall& call, std::vector<ExpressionPtr> inputs, const Expression& value,
              const SubqueryJoins& subqueries, size_t first, RoutineCalls& calls) {
  const auto& joins = subqueries.joins();
  std::vector<Iu> units = subqueries.results(first);
  if (!units.empty()) calls.note(call.entry->oid, clonesOf(inputs), std::move(units));
  // Of those that are volatile by name alone the body says it.
  const auto answersOtherwise = [&] {
    return value.isVolatile() || std::any_of(joins.begin() + static_cast<ptrdiff_t>(first), joins.end(),
                                             [](const auto& join) { return isVolatile(join->inputs[0]); });
  };
  if (calls.isHome(subqueries) && (call.entry->routine->volatility != Volatility::Volatile || !answersOtherwise()))
    calls.add(call.entry->oid, std::move(inputs), value);
}

}  // namespace

/// The arguments as values of the routine's inputs.
ExpressionBinder::Arguments ExpressionBinder::bindInputs(const RoutineCall& call, Arguments arguments) {
  const std::vector<const RoutineEntry::Parameter*> inputs = call.entry->routine->inputs();
  Arguments result;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const RoutineEntry::Parameter& input = *inputs[i];
    const RoutineCall::Input& given = call.inputs[i];
    ExpressionPtr value;
    if (!given.listed.empty()) {
      Arguments elements;
      for (const size_t argument : given.listed)
        elements.push_back(
            toElement(coercion_.toKind(std::move(arguments[argument]), input.type.element()), input.type.element()));
      value = Expression::arrayCall(FunctionId::MakeArray, input.type, std::move(elements));
    } else if (given.argument != RoutineCall::Input::kDefault) {
      value = std::move(arguments[given.argument]);
    } else {
      value = bindParameterDefault(input);
    }
    if (input.type.isDefined()) state_.addType(input.type);
    const bool is_any_row = takesAnyRow(input.type) && value->type.isRecord();
    if (!value->type.isSameAs(input.type) && !is_any_row) value = coercion_.toKind(std::move(value), input.type);
    result.push_back(coercion_.toDomain(std::move(value), input.domain));
  }
  return result;
}

/// It is no part of the text that is going to be stored, if one is.
ExpressionPtr ExpressionBinder::bindParameterDefault(const RoutineEntry::Parameter& parameter) {
  class Apart {
   public:
    explicit Apart(BindState& state)
        : state_(state),
          stars_(std::exchange(state.stars, nullptr)),
          read_literals_(std::exchange(state.read_literals, nullptr)) {}
    ~Apart() {
      state_.stars = stars_;
      state_.read_literals = read_literals_;
    }
    Apart(const Apart&) = delete;
    Apart& operator=(const Apart&) = delete;

   private:
    BindState& state_;
    std::vector<StarExpansion>* const stars_;
    std::vector<ReadLiteral>* const read_literals_;
  };
  const Apart apart(state_);
  const StoredExpression stored(parameter.default_text);
  const Scope none;
  return ExpressionBinder(state_, none, {"DEFAULT expressions"}).bind(stored.tree());
}

/// Gives a polymorphic routine the types that it has in the call, by the arguments and what is said in the place of
/// others.
void ExpressionBinder::makeConcrete(RoutineCall& call, const Arguments& arguments) {
  if (!call.defined->routine->isPolymorphic()) return;
  const std::vector<const RoutineEntry::Parameter*> inputs = call.defined->routine->inputs();
  PolymorphicCall polymorphic;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const RoutineCall::Input& given = call.inputs[i];
    for (const size_t argument : given.listed)
      polymorphic.add(declaredElement(inputs[i]->type), arguments[argument]->type);
    if (given.argument != RoutineCall::Input::kDefault) {
      polymorphic.add(inputs[i]->type, arguments[given.argument]->type);
    } else if (given.listed.empty() && inputs[i]->type.isPolymorphic()) {
      polymorphic.add(inputs[i]->type, bindParameterDefault(*inputs[i])->type);
    }
  }
  call.entry = concreteRoutine(call.defined, polymorphic);
}

std::optional<RoutineCall> ExpressionBinder::findRoutine(const ast::Expression& node, const Arguments& arguments,
                                                         OverloadOutcome& outcome) {
  const CatalogView& catalog = state_.context.catalog;
  std::vector<TablePtr> candidates;
  const std::optional<uint32_t> oid = node.names.size() == 2 ? oidOf(node.names[0]) : std::nullopt;
  if (oid) {
    if (TablePtr entry = catalog.findEntry(*oid); entry && entry->routine) candidates.push_back(std::move(entry));
  } else {
    candidates = catalog.findRoutines(node.names.size() == 2 ? node.names[0] : "", node.names.back());
  }
  RoutineCall call;
  outcome = chooseRoutine(candidates, arguments, node.argument_names, node.is_variadic, call);
  if (outcome != OverloadOutcome::Found) return std::nullopt;
  const RoutineEntry& routine = *call.defined->routine;
  if (routine.form == RoutineEntry::Form::Procedure)
    throw SqlError(sqlstate::kWrongObjectType,
                   fmt::format("{} is a procedure", describeCall(node.names, arguments, node.argument_names)))
        .hint("To call a procedure, use CALL.")
        .position(node.position);
  refuseAggregateWords(node);
  makeConcrete(call, arguments);
  state_.addTable(call.defined);
  {
    // Also in views it is whoever asks who calls it.
    const AccessNotes::Owner caller(state_.access, 0);
    state_.access.add(call.defined, Privilege::Execute);
  }
  noteStoredName(state_, node.position, node.names.size(), call.entry->oid, routine.name);
  return call;
}

/// Arguments that are to be computed once for each row become columns beside the clause's input.
ExpressionBinder::Arguments ExpressionBinder::computeOnce(Arguments arguments) {
  auto map = std::make_unique<Map>();
  auto join = std::make_unique<Join>();
  Arguments result;
  for (ExpressionPtr& argument : arguments) {
    if (isSimpleArgument(*argument)) {
      result.push_back(std::move(argument));
      continue;
    }
    const Iu below = state_.plan->makeUnit("argument", argument->type, argument->nullable);
    const Iu above = state_.plan->makeUnit("argument", argument->type, true);
    map->computed.push_back({below, std::move(argument)});
    join->null_extended.emplace_back(below, above);
    result.push_back(Expression::column(above));
  }
  if (map->computed.empty()) return result;
  map->inputs.push_back(oneRow());
  join->inputs.push_back(std::move(map));
  subqueriesHere().add(std::move(join));
  return result;
}

std::shared_ptr<const InformationUnit> ExpressionBinder::boundUnit(const Expression& value) {
  return std::make_shared<const InformationUnit>(InformationUnit{0, "operand", value.type, true});
}

/// The value, so that it can be read several times: `lets` has what a volatile one's unit stands for.
ExpressionPtr ExpressionBinder::repeatable(ExpressionPtr value, Lets& lets) {
  if (!value->isVolatile()) return value;
  lets.emplace_back(boundUnit(*value), std::move(value));
  return Expression::column(lets.back().first.get());
}

/// The expression, with what it reads several times computed before it.
ExpressionPtr ExpressionBinder::withLets(ExpressionPtr body, Lets lets) {
  for (auto& [unit, value] : lets | std::views::reverse)
    body = Expression::let(unit, std::move(value), std::move(body));
  return body;
}

/// A body of one expression, in the call's place.
ExpressionPtr ExpressionBinder::bindRoutineExpression(const RoutineCall& call, const RoutineBody& body,
                                                      Arguments inputs) {
  const RoutineEntry& routine = *call.entry->routine;
  Clause clause{.name = clause_.name};
  SubqueryJoins of_body;
  // What may not be computed has no joins.
  const bool takes_subqueries =
      !is_conditional_ && (in_aggregate_ ? clause_.argument_subqueries : clause_.subqueries) != nullptr;
  if (takes_subqueries) clause.subqueries = &of_body;
  const bool computes_first = takes_subqueries && body.hasSubquery();
  if (computes_first) inputs = computeOnce(std::move(inputs));
  // What is not simple is a unit until it is known how often it is read.
  Arguments shown;
  std::vector<std::pair<Iu, ExpressionPtr>> pending;
  for (ExpressionPtr& input : inputs) {
    if (isSimpleArgument(*input)) {
      shown.push_back(std::move(input));
      continue;
    }
    const Iu unit = state_.plan->makeUnit("argument", input->type, input->nullable);
    pending.emplace_back(unit, std::move(input));
    shown.push_back(Expression::column(unit));
  }
  const RoutineColumn column{routine.name, routine.result, routine.result_domain};
  ExpressionPtr value = body.bindExpression(state_, shown, clause, column);
  if (routine.is_strict && !isStrictIn(*value, shown))
    if (const ExpressionPtr condition = noneIsNull(shown)) value = whereTrue(std::move(value), condition.get());
  std::vector<Iu> read;
  value->collectUnits(read);
  const UnitSet read_by_joins = of_body.reads();
  Arguments once;
  std::vector<Iu> units;
  Lets lets;
  for (auto& [unit, input] : pending) {
    if (read_by_joins.contains(unit)) {
      units.push_back(unit);
      once.push_back(std::move(input));
      continue;
    }
    const auto count = std::ranges::count(read, unit);
    if (count <= 1 || (!input->isVolatile() && nodeCount(*input) <= kRepeatedNodesMax)) {
      if (count > 1) copy(*input);  // counts what is repeated
      substitute(value, unit, *input);
      continue;
    }
    lets.emplace_back(boundUnit(*input), std::move(input));
    substitute(value, unit, *Expression::column(lets.back().first.get()));
  }
  value = withLets(std::move(value), std::move(lets));
  once = computeOnce(std::move(once));
  UnitRenaming renaming;
  for (size_t i = 0; i < units.size(); ++i) {
    substitute(value, units[i], *once[i]);
    renaming[units[i]] = once[i]->iu;
  }
  of_body.rename(renaming);
  if (takes_subqueries) of_body.moveAll(subqueriesHere());
  return value;
}

/// A body that reads rows: its first row, beside each row of the clause's input. Null: it is to be computed anew for
/// each call, of the inputs as they are now.
ExpressionPtr ExpressionBinder::bindRoutineQuery(const RoutineCall& call, RoutineBody& body, Arguments& inputs) {
  const RoutineEntry& routine = *call.entry->routine;
  const std::vector<RoutineColumn> columns = routineColumns(routine);
  if (columns.empty()) return nullptr;
  inputs = computeOnce(std::move(inputs));
  const ExpressionPtr condition = routine.is_strict ? noneIsNull(inputs) : nullptr;
  RoutineBody::Rows rows = body.bindRows(state_, clonesOf(inputs), columns, true);
  if (!rows.tree) return nullptr;
  Iu unit = rows.units.front();
  std::vector<RecordField> shape;
  if (routine.result.isRecord()) {
    ExpressionPtr record = recordOf(routine, columns, rows.units);
    unit = state_.plan->makeUnit(routine.name, record->type, false);
    for (size_t i = 0; i < columns.size(); ++i) shape.push_back({columns[i].name, record->children[i + 1]->type});
    auto map = std::make_unique<Map>();
    map->computed.push_back({unit, std::move(record)});
    map->inputs.push_back(std::move(rows.tree));
    rows.tree = std::move(map);
  }
  auto join = std::make_unique<Join>();
  join->join_kind = Join::JoinKind::Single;
  const Iu above = state_.plan->makeUnit(unit->name, unit->type, true);
  if (routine.result.isRecord() && routine.result.definition() == 0) state_.record_shapes[above] = std::move(shape);
  join->null_extended.emplace_back(unit, above);
  join->inputs.push_back(std::move(rows.tree));
  subqueriesHere().add(std::move(join));
  return whereTrue(Expression::column(above), condition.get());
}

ExpressionPtr ExpressionBinder::callRoutine(const RoutineCall& call, Arguments inputs,
                                            const std::vector<Type>& listed) {
  const RoutineEntry& routine = *call.entry->routine;
  // Of a body that is a part of the statement it is known what it does.
  if (routine.volatility != Volatility::Immutable) state_.is_immutable = false;
  Arguments arguments;
  arguments.push_back(Expression::constant(Value::fromInt(Type::of(TypeKind::Oid), call.entry->oid)));
  // The body is compiled once, for texts in the order of bytes.
  for (const ExpressionPtr& input : inputs)
    if (state_.has_collations && isOfIcu(derivedCollation(*input).collation))
      throwNotSupported(fmt::format("an argument of function \"{}\" with a collation of ICU", routine.name),
                        input->position);
  for (ExpressionPtr& input : inputs)
    arguments.push_back(input->type.kind == TypeKind::Numeric ? coercion_.toBig(std::move(input)) : std::move(input));
  if (!listed.empty()) {
    RecordBuilder shape(0);
    for (const Type type : listed) shape.addNull(heldInRecord(type));
    arguments.push_back(Expression::constant(Value::fromString(Type::recordOf(0), shape.finish())));
  }
  const Type row = isHeldInRows(routine) ? Type::recordOf(0) : routine.result;
  const Type result = routine.returns_set ? arrayTypeOf(row) : routine.result;
  ExpressionPtr value = Expression::arrayCall(kCallRoutine, result, std::move(arguments));
  return routine.returns_set ? std::move(value) : coercion_.toDomain(std::move(value), routine.result_domain);
}

/// The columns of a row that the routine returns as a value.
ExpressionPtr ExpressionBinder::recordOf(const RoutineEntry& routine, const std::vector<RoutineColumn>& columns,
                                         const std::vector<Iu>& units) {
  std::string names;
  for (const RoutineColumn& column : columns) names.append(column.name).push_back('\0');
  const Type text = Type::of(TypeKind::Text);
  Arguments fields;
  fields.push_back(
      Expression::constant(routine.result.definition() != 0 ? Value::null(text) : Value::fromString(text, names)));
  for (const Iu unit : units) {
    ExpressionPtr field = Expression::column(unit);
    if (field->type.kind == TypeKind::Numeric) field = coercion_.toBig(std::move(field));
    fields.push_back(std::move(field));
  }
  return Expression::arrayCall(FunctionId::MakeRecord, routine.result, std::move(fields));
}

/// The same for a function that returns no set. A row is made once, whatever fields of it are read.
ExpressionPtr ExpressionBinder::callForRow(const RoutineCall& call, Arguments inputs) {
  Arguments made;
  made.push_back(callRoutine(call, std::move(inputs)));
  const bool takes_subqueries = (in_aggregate_ ? clause_.argument_subqueries : clause_.subqueries) != nullptr;
  if (!made.front()->type.isRecord() || is_conditional_ || !takes_subqueries) return std::move(made.front());
  made = computeOnce(std::move(made));
  if (made.front()->type.definition() == 0)
    for (const RoutineColumn& column : routineColumns(*call.entry->routine))
      state_.record_shapes[made.front()->iu].push_back({column.name, heldInRecord(column.type)});
  return std::move(made.front());
}

/// The rows of a function in a select list, as the elements of an array.
ExpressionPtr ExpressionBinder::bindRoutineSet(const ast::Expression& node, const RoutineCall& call, RoutineBody& body,
                                               Arguments inputs) {
  const RoutineEntry& routine = *call.entry->routine;
  refuseSetInCall(node);
  refuseSet(node);
  ExpressionPtr array;
  if (isInlined(routine, body) && !routine.result.isRecord() && !isHeldInRows(routine)) {
    inputs = computeOnce(std::move(inputs));
    const ExpressionPtr condition = routine.is_strict ? noneIsNull(inputs) : nullptr;
    RoutineBody::Rows rows = body.bindRows(state_, clonesOf(inputs), routineColumns(routine), false);
    if (rows.tree) array = whereTrue(collectArray(std::move(rows.tree), rows.units.front()), condition.get());
  }
  if (!array) array = callRoutine(call, std::move(inputs));
  const Type element = array->type.element();
  SetCall set{"unnest", {}, state_.plan->makeUnit(routine.name, element, true)};
  if (element.isRecord() && element.definition() == 0)
    for (const RoutineColumn& column : routineColumns(routine))
      state_.record_shapes[set.iu].push_back({column.name, heldInRecord(column.type)});
  set.arguments.push_back(std::move(array));
  ExpressionPtr result = Expression::column(clause_.sets->add(std::move(set)));
  if (isHeldInRows(routine)) result = fieldAt(std::move(result), 0, routine.result);
  result->position = node.position;
  return result;
}

/// Whether the body becomes a part of the statement. What is volatile may see what the statement itself changes.
bool ExpressionBinder::isInlined(const RoutineEntry& routine, const RoutineBody& body) const {
  if (!body.isQuery(state_)) return false;
  if (body.expression() != nullptr && !body.hasSubquery() && !routine.returns_set) return true;
  // What may not be computed is no join.
  const bool takes_subqueries = (in_aggregate_ ? clause_.argument_subqueries : clause_.subqueries) != nullptr;
  return takes_subqueries && !is_conditional_ && !(routine.volatility == Volatility::Volatile && state_.changes_rows);
}

namespace {

/// In a body that is stored, an input has no name, but its number.
void noteInput(BindState& state, const ast::Expression& node, size_t place, size_t input) {
  const std::string shown = fmt::format("${}", input + 1);
  const bool is_field = node.names.size() > place + 1;
  noteStoredText(state, node.position, node.names.size(),
                 is_field ? fmt::format("({}).{}", shown, quotedIdentifier(node.names.back())) : shown);
}

}  // namespace

/// A column that is named alike comes first.
ExpressionPtr ExpressionBinder::bindRoutineName(const ast::Expression& node) {
  if (state_.routine == nullptr || node.is_star) return nullptr;
  const RoutineEntry& routine = *state_.routine->routine;
  const std::vector<const RoutineEntry::Parameter*> inputs = routine.inputs();
  // name, name.field, function.name, function.name.field
  const size_t first = node.names.size() > 1 && node.names[0] == routine.name ? 1 : 0;
  for (const size_t place : {first, size_t{0}}) {
    const auto found = std::ranges::find(inputs, node.names[place], &RoutineEntry::Parameter::name);
    if (found == inputs.end() || node.names.size() > place + 2) continue;
    ExpressionPtr value = copy(*(*state_.routine->arguments)[static_cast<size_t>(found - inputs.begin())]);
    value->position = node.position;
    noteInput(state_, node, place, static_cast<size_t>(found - inputs.begin()));
    if (node.names.size() == place + 1) return value;
    if (ExpressionPtr field = tryField(value, node.names.back())) return field;
    if (ExpressionPtr call = bindCallOfValue(node.names.back(), *value, nullptr, node.position)) return call;
    // Says of a value without fields that it has none.
    fieldsOf(*value, node.names.back());
    return nullptr;
  }
  return nullptr;
}

ExpressionPtr ExpressionBinder::bindRoutineParameter(const ast::Expression& node) {
  const auto& arguments = *state_.routine->arguments;
  if (node.number < 1 || node.number > arguments.size())
    throw SqlError(sqlstate::kUndefinedParameter, fmt::format("there is no parameter ${}", node.number))
        .position(node.position);
  ExpressionPtr value = copy(*arguments[node.number - 1]);
  value->position = node.position;
  return value;
}

std::vector<ExpressionPtr> ExpressionBinder::bindRoutineInputs(const ast::Expression& node, RoutineCall& call) {
  Arguments arguments = bindAll(node.children);
  OverloadOutcome outcome{};
  auto found = findRoutine(node, arguments, outcome);
  if (!found) throwNoFunction(node.names, arguments, outcome, node.position, node.argument_names);
  call = std::move(*found);
  return bindInputs(call, std::move(arguments));
}

ExpressionPtr ExpressionBinder::bindRoutine(const ast::Expression& node, Arguments& arguments,
                                            OverloadOutcome& outcome) {
  const auto call = findRoutine(node, arguments, outcome);
  if (!call) return nullptr;
  const RoutineEntry& routine = *call->entry->routine;
  Arguments inputs = bindInputs(*call, std::move(arguments));
  RoutineBody body(*call->entry);
  if (routine.returns_set) return bindRoutineSet(node, *call, body, std::move(inputs));
  ExpressionPtr result;
  RoutineCalls* const calls = in_aggregate_ || is_conditional_ ? nullptr : clause_.calls;
  if (calls != nullptr)
    if (const Expression* known = calls->find(call->entry->oid, inputs, subqueriesHere())) {
      result = copy(*known);
      result->position = node.position;
      return result;
    }
  if (isInlined(routine, body)) {
    Arguments shown;
    const size_t joins_before = calls == nullptr ? 0 : subqueriesHere().joins().size();
    if (calls != nullptr) shown = clonesOf(inputs);
    result = body.expression() != nullptr && !routine.result.isRecord()
                 ? bindRoutineExpression(*call, body, std::move(inputs))
                 : bindRoutineQuery(*call, body, inputs);
    if (result && calls != nullptr) noteCall(*call, std::move(shown), *result, subqueriesHere(), joins_before, *calls);
  }
  if (!result) result = callForRow(*call, std::move(inputs));
  result->position = node.position;
  if (result->function == FunctionId::CheckDomain) result->children[0]->position = node.position;
  return result;
}

}  // namespace gnomon::sql
