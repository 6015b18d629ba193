#include "sql/bind/routine_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/sql_error.h"
#include "sql/algebra/error_freedom.h"
#include "sql/algebra/rewrite.h"
#include "sql/bind/coercion.h"
#include "sql/bind/common_tables.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/query_binder.h"
#include "sql/bind/routine_call.h"
#include "sql/bind/set_functions.h"
#include "sql/bind/stored_expression.h"
#include "sql/catalog/user_types.h"
#include "sql/functions/function_registry.h"
#include "sql/parse/ast_statement.h"
#include "sql/plpgsql/returned_query.h"

namespace gnomon::sql {
namespace {

using NodeKind = ast::Expression::Kind;
using Arguments = std::vector<ExpressionPtr>;

constexpr SqlState kInvalidFunctionDefinition("42P13");

/// While it lives, a routine's body is bound: only its own names mean something, and its inputs. `references`: of a
/// body in the manner of the standard; null: names mean what the session finds.
class BodyScope {
 public:
  BodyScope(BindState& state, const TableEntry& entry, const StoredReferences* references, const Arguments& arguments)
      : state_(state),
        frame_{entry.routine.get(), &arguments, state.routine, entry.oid},
        caller_(state.access, 0),
        before_{.routine = std::exchange(state.routine, &frame_),
                .references = std::exchange(state.references, references),
                .read_literals = std::exchange(state.read_literals, nullptr),
                .top_with = std::exchange(state.top_with, nullptr),
                .is_immutable = std::exchange(state.is_immutable, true),
                .common_tables = std::exchange(state.common_tables, {}),
                .outer_levels = std::exchange(state.outer_levels, {}),
                .aggregate_levels = std::exchange(state.aggregate_levels, {})} {
    constexpr uint32_t kDepthMax = 100;
    if (state.view_depth >= kDepthMax) {
      restore();
      throw SqlError(sqlstate::kStatementTooComplex, "stack depth limit exceeded");
    }
    ++state.view_depth;
  }
  ~BodyScope() {
    --state_.view_depth;
    const bool is_immutable = state_.is_immutable && before_.is_immutable;
    restore();
    state_.is_immutable = is_immutable;
  }
  BodyScope(const BodyScope&) = delete;
  BodyScope& operator=(const BodyScope&) = delete;

 private:
  struct Before {
    const RoutineFrame* routine;
    const StoredReferences* references;
    std::vector<ReadLiteral>* read_literals;
    const ast::With* top_with;
    bool is_immutable;
    std::vector<CommonTableScope> common_tables;
    std::vector<OuterLevel> outer_levels;
    std::vector<AggregateLevel> aggregate_levels;
  };
  void restore() {
    state_.routine = before_.routine;
    state_.references = before_.references;
    state_.read_literals = before_.read_literals;
    state_.top_with = before_.top_with;
    state_.is_immutable = before_.is_immutable;
    state_.common_tables = std::move(before_.common_tables);
    state_.outer_levels = std::move(before_.outer_levels);
    state_.aggregate_levels = std::move(before_.aggregate_levels);
  }

  BindState& state_;
  const RoutineFrame frame_;
  const AccessNotes::Owner caller_;  ///< also in views
  Before before_;
};

/// A function whose call needs more than its arguments.
bool needsRows(const ast::Expression& node) {
  if (node.kind == NodeKind::Grouping) return true;
  if (node.kind != NodeKind::Function) return false;
  return node.over || node.is_star || node.is_distinct || node.filter || node.is_within_group || !node.order.empty() ||
         !aggregateSignatures(node.names.back()).empty() || isSetFunction(node);
}

bool isSubquery(const ast::Expression& node) {
  return node.query != nullptr;
}

bool contains(const ast::Expression& node, bool (*is_wanted)(const ast::Expression&)) {
  bool found = false;
  forEachNode(node, [&](const ast::Expression& part) { found = found || is_wanted(part); });
  return found;
}

/// At most the first of the query's rows: LIMIT least(limit, 1).
void keepFirst(ast::Query& query) {
  auto one = std::make_unique<ast::Expression>();
  one->kind = NodeKind::Integer;
  one->text = "1";
  if (!query.limit) {
    query.limit = std::move(one);
    return;
  }
  auto least = std::make_unique<ast::Expression>();
  least->kind = NodeKind::Least;
  least->children.push_back(std::move(query.limit));
  least->children.push_back(std::move(one));
  query.limit = std::move(least);
}

/// Whether the query gives one row, whatever it reads.
bool givesOneRow(const ast::Query& query) {
  if (query.set_operation != ast::Query::SetOperation::None || !query.group_by.empty() || query.having ||
      query.rows.size() > 1 || query.limit || query.offset)
    return false;
  if (!query.rows.empty()) return true;
  const auto isAggregate = [](const ast::Expression& node) {
    return node.kind == NodeKind::Function && !node.over && !aggregateSignatures(node.names.back()).empty();
  };
  const auto hasAggregate = [&](const ast::SelectItem& item) {
    return item.expression->kind != NodeKind::Column && contains(*item.expression, isAggregate);
  };
  const auto hasSet = [](const ast::SelectItem& item) {
    return contains(*item.expression,
                    [](const ast::Expression& node) { return node.kind == NodeKind::Function && isSetFunction(node); });
  };
  if (std::ranges::any_of(query.items, hasSet)) return false;
  return (query.from.empty() && !query.where) || std::ranges::any_of(query.items, hasAggregate);
}

}  // namespace

ExpressionPtr noneIsNull(const Arguments& arguments) {
  Arguments tests;
  for (const ExpressionPtr& argument : arguments) {
    Arguments tested;
    tested.push_back(argument->clone());
    tests.push_back(Expression::logic(Expression::Kind::IsNotNull, std::move(tested)));
  }
  if (tests.empty()) return nullptr;
  return tests.size() == 1 ? std::move(tests.front()) : Expression::logic(Expression::Kind::And, std::move(tests));
}

bool isSimpleArgument(const Expression& expression) {
  return expression.kind == Expression::Kind::Constant || expression.kind == Expression::Kind::Column ||
         expression.kind == Expression::Kind::Parameter;
}

std::vector<RoutineColumn> routineColumns(const RoutineEntry& routine) {
  std::vector<RoutineColumn> columns;
  const auto outputs = routine.outputs();
  size_t number = 0;
  for (const RoutineEntry::Parameter* output : outputs) {
    ++number;
    columns.push_back(
        {output->name.empty() ? fmt::format("column{}", number) : output->name, output->type, output->domain});
  }
  if (columns.size() == 1 && outputs[0]->name.empty()) columns[0].name = routine.name;
  const bool is_record = routine.result.isRecord();
  if (!columns.empty() && !(columns.size() == 1 && columns[0].type.isRecord())) return columns;
  if (!is_record) {
    columns.push_back({routine.name, routine.result, routine.result_domain});
    return columns;
  }
  columns.clear();
  if (routine.result.definition() == 0) return columns;
  for (const RecordField& field : recordFields(routine.result.definition()))
    columns.push_back({field.name, field.type, field.domain});
  return columns;
}

namespace {

bool isPlpgsql(const RoutineEntry& routine) {
  return routine.language == RoutineEntry::Language::Plpgsql;
}

/// Those that may become a part of the statement that calls: of a function in PL/pgSQL the query whose rows it returns,
/// if that is all it does. What is volatile sees what others have done since the statement began.
std::vector<ParsedStatement> statementsOf(const RoutineEntry& routine, const BodyText& text) {
  if (routine.language == RoutineEntry::Language::Sql) return parse(text.sql());
  const bool hides_found =
      std::ranges::find(routine.parameters, "found", &RoutineEntry::Parameter::name) != routine.parameters.end();
  // The fields of a record are known when it is there.
  const bool takes_record = std::ranges::any_of(routine.parameters, [](const RoutineEntry::Parameter& parameter) {
    return parameter.type.isRecord() && parameter.type.definition() == 0;
  });
  if (!isPlpgsql(routine) || !routine.returns_set || routine.volatility == Volatility::Volatile || hides_found ||
      takes_record)
    return {};
  const std::optional<std::string_view> query = plpgsql::onlyReturnedQuery(routine.body);
  if (!query) return {};
  // What is wrong with it is told with the place in the body.
  try {
    std::vector<ParsedStatement> parsed = parse(std::string(*query));
    const auto isRejected = [](const ParsedStatement& statement) { return statement.rejection.has_value(); };
    if (std::ranges::none_of(parsed, isRejected)) return parsed;
  } catch (const SqlError&) {
  }
  return {};
}

}  // namespace

bool RoutineFrame::mayBeVariable(const std::string& name) const {
  if (!isPlpgsql(*routine)) return false;
  return name == routine->name || name == "found" ||
         std::ranges::find(routine->parameters, name, &RoutineEntry::Parameter::name) != routine->parameters.end();
}

RoutineBody::RoutineBody(const TableEntry& entry)
    : entry_(entry), text_(*entry.routine), parsed_(statementsOf(*entry.routine, text_)) {
  for (const ParsedStatement& statement : parsed_)
    if (statement.rejection) throw SqlError(*statement.rejection).dropPosition();
}

bool RoutineBody::isQuery(const BindState& state) const {
  const bool calls_itself = state.routine != nullptr && state.routine->isWithin(*entry_.routine);
  const std::vector<uint32_t>& called = state.context.called;
  return !calls_itself && std::ranges::find(called, entry_.oid) == called.end() && isQuery();
}

bool RoutineBody::isQuery() const {
  if (parsed_.size() != 1 || entry_.routine->hasSurroundings() || entry_.routine->result.kind == TypeKind::Void ||
      entry_.routine->form == RoutineEntry::Form::Procedure)
    return false;
  return std::holds_alternative<ast::QueryPtr>(parsed_.front().tree->body) && query().locks.empty() &&
         std::ranges::none_of(query().with.tables, [](const auto& table) { return table.change != nullptr; });
}

const ast::Query& RoutineBody::query() const {
  return *std::get<ast::QueryPtr>(parsed_.front().tree->body);
}

const ast::Expression* RoutineBody::expression() const {
  return onlyExpression(query());
}

const ast::Expression* onlyExpression(const ast::Query& only) {
  const bool is_plain = only.set_operation == ast::Query::SetOperation::None && only.with.tables.empty() &&
                        only.from.empty() && !only.where && only.group_by.empty() && only.grouping_sets.empty() &&
                        !only.having && only.rows.empty() && only.order_by.empty() && !only.limit && !only.offset &&
                        !only.is_distinct && only.distinct_on.empty() && only.windows.empty() && only.items.size() == 1;
  if (!is_plain) return nullptr;
  const ast::Expression& item = *only.items.front().expression;
  const bool is_star = (item.kind == NodeKind::Column || item.kind == NodeKind::Field) && item.is_star;
  return is_star || contains(item, needsRows) ? nullptr : &item;
}

bool RoutineBody::hasSubquery() const {
  return sql::hasSubquery(*expression());
}

bool hasSubquery(const ast::Expression& expression) {
  return contains(expression, isSubquery);
}

void throwResultMismatch(const RoutineEntry& routine, std::string detail) {
  throw SqlError(kInvalidFunctionDefinition, fmt::format("return type mismatch in function declared to return {}",
                                                         shownName(routine.result, routine.result_domain)))
      .detail(std::move(detail));
}

void requireResultColumns(const RoutineEntry& routine, std::span<const Type> given,
                          const std::vector<RoutineColumn>& columns) {
  const bool is_scalar = !routine.result.isRecord();
  if (is_scalar && given.size() != 1) throwResultMismatch(routine, "Final statement must return exactly one column.");
  if (given.size() > columns.size()) throwResultMismatch(routine, "Final statement returns too many columns.");
  if (given.size() < columns.size()) throwResultMismatch(routine, "Final statement returns too few columns.");
  for (size_t i = 0; i < given.size(); ++i) {
    if (Coercion::isPossible(*Expression::constant(Value::null(given[i])), columns[i].type, CastContext::Assignment))
      continue;
    throwResultMismatch(
        routine, is_scalar ? fmt::format("Actual return type is {}.", given[i].baseName())
                           : fmt::format("Final statement returns {} instead of {} at column {}.", given[i].baseName(),
                                         shownName(columns[i].type, columns[i].domain), i + 1));
  }
}

void requireRowColumns(uint32_t relation, const std::vector<RoutineColumn>& columns) {
  const std::vector<RecordField> given = recordFields(relation);
  const auto refuse = [](std::string detail) {
    throw SqlError(sqlstate::kDatatypeMismatch, "function return row and query-specified return row do not match")
        .detail(std::move(detail));
  };
  if (given.size() != columns.size())
    refuse(fmt::format("Returned row contains {} attribute{}, but query expects {}.", given.size(),
                       given.size() == 1 ? "" : "s", columns.size()));
  for (size_t i = 0; i < given.size(); ++i)
    if (!given[i].type.isSameAs(columns[i].type))
      refuse(fmt::format("Returned type {} at ordinal position {}, but query expects {}.", given[i].type.baseName(),
                         i + 1, columns[i].type.baseName()));
}

std::vector<ExpressionPtr> RoutineBody::convert(BindState& state, Arguments values,
                                                const std::vector<RoutineColumn>& columns) const {
  Coercion coercion(state);
  std::vector<Type> given;
  for (ExpressionPtr& value : values) {
    value = coercion.settle(std::move(value));
    given.push_back(value->type);
  }
  requireResultColumns(*entry_.routine, given, columns);
  for (size_t i = 0; i < values.size(); ++i) {
    const Type wanted = columns[i].type;
    if (!given[i].isSameAs(wanted)) values[i] = coercion.toKind(std::move(values[i]), wanted);
    if (wanted.modifier() >= 0 && wanted.modifier() != values[i]->type.modifier())
      values[i] = coercion.toType(std::move(values[i]), wanted, false);
    values[i] = coercion.toDomain(std::move(values[i]), columns[i].domain);
  }
  return values;
}

/// Of a body in PL/pgSQL, whose errors are told with the place in it: nothing can fail, and the columns are what the
/// function returns, as they are.
void RoutineBody::requireSimple(BindState& state, OperatorPtr& tree, const std::vector<Iu>& units,
                                const std::vector<RoutineColumn>& columns) const {
  const auto isAsReturned = [](Iu unit, const RoutineColumn& wanted) {
    return unit != nullptr && wanted.domain == 0 && unit->type.isSameAs(wanted.type) &&
           (wanted.type.modifier() < 0 || wanted.type.modifier() == unit->type.modifier());
  };
  if (!std::ranges::equal(units, columns, isAsReturned) || !neverRaises(tree, units)) throw CalledRoutine(entry_.oid);
  state.access.require(state.context.catalog);
}

RoutineBody::Rows RoutineBody::bindRows(BindState& state, Arguments arguments,
                                        const std::vector<RoutineColumn>& columns, bool first_only) {
  auto& query = *std::get<ast::QueryPtr>(parsed_.front().tree->body);
  if (first_only && !givesOneRow(query)) keepFirst(query);
  const BodyScope scope(state, entry_, text_.references(), arguments);
  QueryBinder::Result bound = [&] {
    try {
      QueryBinder::Result result = QueryBinder(state).bind(query);
      std::vector<Iu> units;
      for (const QueryBinder::Column& column : result.columns) units.push_back(column.iu);
      if (isPlpgsql(*entry_.routine)) requireSimple(state, result.tree, units, columns);
      return result;
    } catch (SqlError& error) {
      if (isPlpgsql(*entry_.routine)) throw CalledRoutine(entry_.oid);
      throw error.dropPosition();
    }
  }();
  shareLocking(state, bound);
  if (entry_.routine->volatility == Volatility::Volatile && isVolatile(bound.tree)) return {};
  Arguments values;
  for (const QueryBinder::Column& column : bound.columns) values.push_back(Expression::column(column.iu));
  // The only column may be the whole row.
  const Type returned = entry_.routine->result;
  const bool is_listed = returned.isRecord() && returned.definition() == 0 && entry_.routine->outputs().empty();
  const bool is_row = values.size() == 1 && values[0]->type.isRecord() && values[0]->type.definition() != 0;
  const bool is_partition = is_row && returned.isRecord() && returned.definition() != 0 &&
                            Coercion::isPossible(*values[0], returned, CastContext::Implicit);
  if (is_partition) values[0] = Coercion(state).toKind(std::move(values[0]), returned);
  if (is_row && (is_listed || values[0]->type.isSameAs(returned))) {
    const std::vector<RecordField> fields = recordFields(values[0]->type.definition());
    if (is_listed) requireRowColumns(values[0]->type.definition(), columns);
    const ExpressionPtr record = std::move(values[0]);
    values.clear();
    for (size_t i = 0; i < fields.size(); ++i) values.push_back(fieldAt(record->clone(), i, fields[i].type));
  }
  values = convert(state, std::move(values), columns);
  auto map = std::make_unique<Map>();
  Rows rows;
  // They are no columns of a table, and have the modifiers that the routine says.
  for (size_t i = 0; i < values.size(); ++i) {
    Type type = values[i]->type;
    if (!type.isDefined()) type.typmod = columns[i].type.typmod;
    rows.units.push_back(state.plan->makeUnit(columns[i].name, type, values[i]->nullable));
    map->computed.push_back({rows.units.back(), std::move(values[i])});
  }
  rows.tree = std::move(bound.tree);
  if (!map->computed.empty()) {
    map->inputs.push_back(std::move(rows.tree));
    rows.tree = std::move(map);
  }
  return rows;
}

ExpressionPtr RoutineBody::bindExpression(BindState& state, const Arguments& arguments, const Clause& clause,
                                          const RoutineColumn& column) const {
  const Scope none;
  const BodyScope scope(state, entry_, text_.references(), arguments);
  try {
    Arguments values;
    values.push_back(ExpressionBinder(state, none, clause).bind(*expression()));
    if (hasSettingsCast(*values.front())) state.is_immutable = false;
    return std::move(convert(state, std::move(values), {column}).front());
  } catch (SqlError& error) {
    throw error.dropPosition().addContext(fmt::format("SQL function \"{}\" during inlining", entry_.routine->name));
  }
}

}  // namespace gnomon::sql
