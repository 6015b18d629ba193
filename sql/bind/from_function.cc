#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/sql_error.h"
#include "sql/algebra/virtual_scan.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/json_rows.h"
#include "sql/bind/result_name.h"
#include "sql/bind/routine_body.h"
#include "sql/bind/routine_call.h"
#include "sql/bind/set_functions.h"
#include "sql/bind/stored_text.h"
#include "sql/bind/type_name.h"
#include "sql/types/record_value.h"

namespace gnomon::sql {
namespace {

bool readsColumns(const SetCall& call) {
  std::vector<Iu> read;
  for (const ExpressionPtr& argument : call.arguments) argument->collectUnits(read);
  return !read.empty();
}

/// What unnest makes of several arrays has no list of columns.
void requireNoListOfSeveral(const ast::FunctionItem& function) {
  const ast::Expression& node = *function.call;
  if (function.columns.empty() || node.children.size() < 2 || node.names != std::vector<std::string>{"unnest"}) return;
  throw SqlError(sqlstate::kSyntaxError, "UNNEST() with multiple arguments cannot have a column definition list")
      .hint("Use separate UNNEST() calls inside ROWS FROM(), and attach a column definition list to each one.")
      .position(function.columns.front().position);
}

/// A column definition list for rows whose type has a name.
[[noreturn]] void refuseList(const ast::FunctionItem& function) {
  throw SqlError(sqlstate::kSyntaxError,
                 "a column definition list is redundant for a function returning a named composite type")
      .position(function.columns.front().position);
}

/// The fields of the rows that are elements of an array. Failure: 42601; 0A000 for rows of no type in particular, which
/// a list says the columns of.
std::vector<RoutineColumn> columnsOfElements(Type row, const ast::FunctionItem& function) {
  const bool has_type = row.definition() != 0;
  if (has_type && !function.columns.empty()) refuseList(function);
  if (!has_type && function.columns.empty())
    throw SqlError(sqlstate::kSyntaxError, "a column definition list is required for functions returning \"record\"")
        .position(function.call->position);
  if (!has_type) throwNotSupported("a column definition list for an array of rows", function.columns.front().position);
  std::vector<RoutineColumn> columns;
  for (const RecordField& field : recordFields(row.definition()))
    columns.push_back({field.name, field.type, field.domain});
  if (columns.empty()) throwNotSupported("rows without columns in FROM", function.call->position);
  return columns;
}

std::vector<RecordField> listedFields(BindState& state, const std::vector<ast::FunctionColumn>& columns) {
  std::vector<RecordField> fields;
  for (const ast::FunctionColumn& column : columns) {
    const NamedType named = resolveTypeName(column.type);
    noteStoredType(state, column.type, named);
    fields.push_back({column.name, named.type, 0, named.domain});
  }
  return fields;
}

}  // namespace

struct FromBinder::FunctionRows {
  std::vector<SetCall> calls;
  std::vector<ScopeColumn> columns;
  /// Functions that return one row: the values, and what they are called above where other rows may have more.
  std::vector<Map::Computed> values, first_values;
  /// Functions that return records: the row, and what its fields become above.
  struct Fields {
    Iu row;
    std::vector<RoutineColumn> columns;
    std::vector<Iu> units;
    bool tests_domains = false;  ///< of the columns
    uint32_t definition = 0;     ///< the type of rows that they are; 0: none in particular
  };
  std::vector<Fields> fields;
  SubqueryJoins subqueries;
  Iu ordinality = nullptr;

  /// The columns of the row become columns of their own.
  void addFields(Plan& plan, Fields row);
};

void FromBinder::FunctionRows::addFields(Plan& plan, Fields row) {
  for (const RoutineColumn& column : row.columns) {
    row.units.push_back(plan.makeUnit(column.name, heldInRecord(column.type), true));
    columns.push_back({column.name, row.units.back()});
  }
  fields.push_back(std::move(row));
}

/// A function that a user made, beside others or with the numbers of its rows: the session executes it.
void FromBinder::bindRoutineCall(const ast::FromItem& item, const ast::FunctionItem& function, FunctionRows& rows) {
  const Scope before = scopeBefore();
  const Clause clause{.name = kFunctionsInFrom, .subqueries = &rows.subqueries};
  ExpressionBinder binder(state_, before, clause);
  RoutineCall call;
  std::vector<ExpressionPtr> inputs = binder.bindRoutineInputs(*function.call, call);
  const RoutineEntry& routine = *call.entry->routine;
  const bool is_only = item.functions.size() == 1;
  std::vector<RoutineColumn> columns = columnsOfCall(function, routine);
  ExpressionPtr value = binder.callRoutine(call, std::move(inputs), listedTypes(function));
  const Type row = routine.returns_set ? value->type.element() : value->type;
  const bool takes_alias = is_only && !row.isRecord() && routine.outputs().empty() && !item.alias.name.empty();
  const std::string& name = takes_alias ? item.alias.name : columns.front().name;
  const Iu unit = state_.plan->makeUnit(name, row, true);
  if (routine.returns_set) {
    SetCall set{"unnest", {}, unit};
    set.arguments.push_back(std::move(value));
    rows.calls.push_back(std::move(set));
  } else {
    rows.values.push_back({unit, std::move(value)});
  }
  if (!row.isRecord()) {
    rows.columns.push_back({name, unit});
    return;
  }
  rows.addFields(*state_.plan, {unit, std::move(columns), {}});
}

/// json_to_record, json_populate_record and their kin.
void FromBinder::bindJsonRows(const ast::FunctionItem& function, FunctionRows& rows) {
  const ast::Expression& node = *function.call;
  const Scope before = scopeBefore();
  const Clause clause{.name = kFunctionsInFrom, .subqueries = &rows.subqueries};
  ExpressionBinder binder(state_, before, clause);
  std::vector<ExpressionPtr> arguments = binder.bindArranged(node);
  const bool has_base = arguments.size() > 1;
  const bool has_type = has_base && arguments[0]->type.isRecord() && arguments[0]->type.definition() != 0;
  if (has_type && !function.columns.empty()) refuseList(function);
  std::vector<RecordField> fields;
  if (has_type) {
    fields = recordFields(arguments[0]->type.definition());
  } else if (!function.columns.empty()) {
    if (has_base && arguments[0]->type.isRecord() && !arguments[0]->isConstant())
      throwNotSupported("filling a row of no type in FROM", node.position);
    requireNoTwin(function.columns);
    fields = listedFields(state_, function.columns);
  }
  ExpressionPtr value =
      sql::bindJsonRows(state_, node, std::move(arguments), has_type ? std::vector<RecordField>() : fields);
  if (has_type && fields.empty()) throwNotSupported("rows without columns in FROM", node.position);
  if (fields.empty())
    throw SqlError(sqlstate::kSyntaxError, "a column definition list is required for functions returning \"record\"")
        .position(node.position);
  const bool is_set = isJsonRowSet(node);
  FunctionRows::Fields result{state_.plan->makeUnit("row", is_set ? value->type.element() : value->type, true), {}, {}};
  result.tests_domains = !has_type;
  result.definition = result.row->type.definition();
  if (is_set) {
    SetCall set{"unnest", {}, result.row};
    set.arguments.push_back(std::move(value));
    rows.calls.push_back(std::move(set));
  } else {
    rows.values.push_back({result.row, std::move(value)});
  }
  for (const RecordField& field : fields) result.columns.push_back({field.name, field.type, field.domain});
  rows.addFields(*state_.plan, std::move(result));
}

void FromBinder::bindCalls(const ast::FromItem& item, const ast::FunctionItem& function, FunctionRows& rows) {
  const ast::Expression& node = *function.call;
  requireNoListOfSeveral(function);
  const bool is_only = item.functions.size() == 1 && !item.alias.name.empty();
  const bool takes_alias = is_only && (node.children.size() == 1 || node.names.back() != "unnest");
  const Scope before = scopeBefore();
  const Clause clause{.name = kFunctionsInFrom, .subqueries = &rows.subqueries};
  ExpressionBinder binder(state_, before, clause);
  std::vector<ExpressionPtr> arguments = binder.bindArranged(node);
  const std::string& column = takes_alias ? item.alias.name : node.names.back();
  for (SetCall& call : bindSetCalls(state_, node, std::move(arguments), column, true)) {
    if (const Type row = call.iu->type; row.isRecord() && node.names.back() == "unnest") {
      state_.addType(row);
      rows.addFields(*state_.plan, {call.iu, columnsOfElements(row, function), {}, false, row.definition()});
    } else {
      rows.columns.push_back({call.iu->name, call.iu});
    }
    rows.calls.push_back(std::move(call));
  }
}

/// A function that returns one row, or what the grammar takes for one.
void FromBinder::bindScalarFunction(const ast::FromItem& item, const ast::Expression& node, FunctionRows& rows) {
  const Scope before = scopeBefore();
  const Clause clause{.name = kFunctionsInFrom, .subqueries = &rows.subqueries};
  ExpressionBinder binder(state_, before, clause);
  ExpressionPtr value = binder.coercion().settle(binder.bind(node));
  const std::string name = item.functions.size() == 1 && !item.alias.name.empty() ? item.alias.name : resultName(node);
  const Iu unit = state_.plan->makeUnit(name, value->type, value->nullable);
  rows.columns.push_back({name, unit});
  rows.values.push_back({unit, std::move(value)});
}

/// What ends before another one gives NULLs.
void FromBinder::endWithNulls(FunctionRows& rows) {
  if (rows.calls.size() + rows.values.size() < 2 || rows.calls.empty()) return;
  const auto rename = [&](Iu from, Iu to) {
    const auto column = std::ranges::find(rows.columns, from, &ScopeColumn::iu);
    if (column != rows.columns.end())
      column->iu = to;
    else
      std::ranges::find(rows.fields, from, &FunctionRows::Fields::row)->row = to;
  };
  for (SetCall& call : rows.calls) {
    const Iu unit = state_.plan->makeUnit(call.iu->name, call.iu->type, true);
    rename(std::exchange(call.iu, unit), unit);
  }
  if (rows.values.empty()) return;
  // A row that is always there is the first one.
  std::vector<ExpressionPtr> bounds;
  for (int i = 0; i < 3; ++i) bounds.push_back(Expression::constant(Value::fromInt(Type::of(TypeKind::Integer), 1)));
  const Iu first = state_.plan->makeUnit("first", Type::of(TypeKind::Integer), true);
  rows.calls.push_back({"generate_series", std::move(bounds), first});
  for (const Map::Computed& value : rows.values) {
    std::vector<ExpressionPtr> tested;
    tested.push_back(Expression::column(first));
    const ExpressionPtr is_first = Expression::logic(Expression::Kind::IsNotNull, std::move(tested));
    const Iu unit = state_.plan->makeUnit(value.iu->name, value.iu->type, true);
    rename(value.iu, unit);
    rows.first_values.push_back({unit, whereTrue(Expression::column(value.iu), is_first.get())});
  }
}

/// Series that read nothing are made by the scan of a source of their own; all others for each row that they read, or
/// for a row without columns.
OperatorPtr FromBinder::treeOf(FunctionRows rows, const std::string& name) {
  const auto computed = [](std::vector<Map::Computed> columns, OperatorPtr input) -> OperatorPtr {
    if (columns.empty()) return input;
    auto map = std::make_unique<Map>();
    map->computed = std::move(columns);
    map->inputs.push_back(std::move(input));
    return map;
  };
  const bool is_scan =
      rows.values.empty() && rows.subqueries.empty() &&
      std::ranges::none_of(rows.calls, [](const SetCall& call) { return call.isUnnest() || readsColumns(call); });
  if (is_scan) {
    auto scan = std::make_unique<FunctionScan>();
    scan->alias = name;
    scan->calls = std::move(rows.calls);
    scan->ordinality = rows.ordinality;
    return scan;
  }
  if (rows.calls.empty() && rows.ordinality)
    rows.values.push_back({rows.ordinality, Expression::constant(Value::fromInt(rows.ordinality->type, 1))});
  std::vector<Map::Computed> fields;
  for (const FunctionRows::Fields& each : rows.fields)
    for (size_t i = 0; i < each.units.size(); ++i) {
      ExpressionPtr field = fieldAt(Expression::column(each.row), i, each.units[i]->type);
      if (each.tests_domains)
        field = Coercion(state_).toDomain(checkFieldDomains(state_, std::move(field)), each.columns[i].domain);
      fields.push_back({each.units[i], std::move(field)});
    }
  OperatorPtr tree = computed(std::move(rows.values), rows.subqueries.attach(oneRow()));
  if (!rows.calls.empty()) {
    auto project = std::make_unique<ProjectSet>();
    project->calls = std::move(rows.calls);
    project->ordinality = rows.ordinality;
    project->inputs.push_back(std::move(tree));
    tree = computed(std::move(rows.first_values), std::move(project));
  }
  return computed(std::move(fields), std::move(tree));
}

/// What such functions return is what a relation of the catalog has.
VirtualRelationPtr FromBinder::relationOfFunction(const ast::FromItem& item) const {
  using FunctionRelation = std::pair<std::string_view, std::string_view>;
  static constexpr FunctionRelation kFunctions[] = {{"pg_show_all_settings", "pg_settings"},
                                                    {"pg_timezone_names", "pg_timezone_names"},
                                                    {"pg_timezone_abbrevs", "pg_timezone_abbrevs"},
                                                    {"pg_lock_status", "pg_locks"},
                                                    {"pg_cursor", "pg_cursors"},
                                                    {"pg_prepared_statement", "pg_prepared_statements"}};
  const ast::Expression& node = *item.functions.front().call;
  const bool is_plain = item.functions.size() == 1 && !item.has_ordinality && item.functions.front().columns.empty() &&
                        node.kind == ast::Expression::Kind::Function && node.children.empty();
  if (!is_plain || (node.names.size() > 1 && node.names[0] != "pg_catalog")) return nullptr;
  const auto* const found = std::ranges::find(kFunctions, node.names.back(), &FunctionRelation::first);
  if (found == std::end(kFunctions)) return nullptr;
  return state_.context.catalog.findVirtual("pg_catalog", found->second);
}

FromBinder::Result FromBinder::bindRelationFunction(VirtualRelationPtr relation, const ast::FromItem& item) {
  const std::string& name = item.functions.front().call->names.back();
  auto scan = std::make_unique<VirtualScan>();
  scan->alias = item.alias.name.empty() ? name : item.alias.name;
  std::vector<ScopeColumn> columns;
  for (uint32_t i = 0; i < relation->columns.size(); ++i) {
    const Iu unit = state_.plan->makeUnit(relation->columns[i].name, relation->columns[i].type, true);
    scan->columns.push_back({i, unit});
    columns.push_back({unit->name, unit});
  }
  scan->relation = std::move(relation);
  Result result{std::move(scan), scopeOf(item.alias, name, std::move(columns))};
  nameUnits(result.scope);
  return result;
}

FromBinder::Result FromBinder::bindFunctions(const ast::FromItem& item) {
  if (item.functions.size() == 1 && !item.has_ordinality && isRoutine(*item.functions.front().call))
    return bindRoutine(item);
  if (VirtualRelationPtr relation = relationOfFunction(item)) return bindRelationFunction(std::move(relation), item);
  const ast::Expression& first = *item.functions.front().call;
  const std::string name = resultName(first);
  FunctionRows rows;
  for (const ast::FunctionItem& function : item.functions) {
    if (isRoutine(*function.call)) {
      bindRoutineCall(item, function, rows);
      continue;
    }
    if (isJsonRows(*function.call)) {
      bindJsonRows(function, rows);
      continue;
    }
    if (isSetFunction(*function.call))
      bindCalls(item, function, rows);
    else
      bindScalarFunction(item, *function.call, rows);
    if (!function.columns.empty())
      throw SqlError(sqlstate::kSyntaxError,
                     "a column definition list is only allowed for functions returning \"record\"")
          .position(function.columns.front().position);
  }
  endWithNulls(rows);
  if (item.has_ordinality) {
    rows.ordinality = state_.plan->makeUnit("ordinality", Type::of(TypeKind::Bigint), false);
    rows.columns.push_back({"ordinality", rows.ordinality});
  }
  std::vector<ScopeColumn> columns = rows.columns;
  const bool is_row = rows.fields.size() == 1 && columns.size() == rows.fields.front().units.size();
  const uint32_t relation = is_row ? rows.fields.front().definition : 0;
  const Iu only = columns.front().iu;
  OperatorPtr tree = treeOf(std::move(rows), item.alias.name.empty() ? name : item.alias.name);
  Result result{std::move(tree), scopeOf(item.alias, name, std::move(columns))};
  nameUnits(result.scope);
  // The alias of a row of one value is the value.
  Range& range = result.scope.ranges.back();
  range.relation = relation;
  const bool is_value_set = !isRoutine(first) && isSetFunction(first) && isValueSet(first);
  if (range.columns.size() == 1 && is_value_set) range.hidden.push_back({range.alias, only});
  return result;
}

}  // namespace gnomon::sql
