#include "sql/bind/routine_definition.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/language_settings.h"
#include "base/sql_error.h"
#include "sql/bind/creation_path.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/polymorphic_call.h"
#include "sql/bind/routine_body.h"
#include "sql/bind/standard_body.h"
#include "sql/bind/stored_text.h"
#include "sql/bind/type_name.h"
#include "sql/bound_statement.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/routines.h"
#include "sql/catalog/user_types.h"
#include "sql/parse/identifier.h"
#include "sql/pg_catalog/facts.h"
#include "sql/plpgsql/body_place.h"
#include "sql/plpgsql/catalog_types.h"
#include "sql/plpgsql/parser.h"
#include "sql/plpgsql/routine_signature.h"

namespace gnomon::sql {
namespace {

using Parameter = RoutineEntry::Parameter;
using Mode = Parameter::Mode;
using Form = RoutineEntry::Form;

constexpr SqlState kInvalidFunctionDefinition("42P13");
constexpr SqlState kSuccess("00000");

[[noreturn]] void refuse(std::string message, int32_t position = -1) {
  throw SqlError(kInvalidFunctionDefinition, std::move(message)).position(position);
}

/// Types of parameters and results have no modifiers.
NamedType resolveType(BindState& state, const ast::RoutineType& given, DefineRoutineStatement& statement) {
  if (given.is_column) {
    const CatalogView& catalog = state.context.catalog;
    const TablePtr table = catalog.findRelation(given.schema, given.name.schema).stored();
    if (!table) raiseNoRelation(catalog, {given.schema, given.name.schema});
    const auto column = std::ranges::find(table->columns, given.name.name, &ColumnEntry::name);
    if (column == table->columns.end())
      throw SqlError(sqlstate::kUndefinedColumn,
                     fmt::format("column \"{}\" of relation \"{}\" does not exist", given.name.name, table->name))
          .position(given.name.position);
    NamedType type{Type::of(column->type.kind, column->type.isDefined() ? column->type.typmod : -1), column->domain};
    statement.notices.emplace_back(
        kSuccess, fmt::format("type reference {}%TYPE converted to {}", table->name + "." + column->name,
                              shownName(type.type, type.domain)));
    return type;
  }
  ast::TypeName name;
  name.schema = given.name.schema;
  name.name = given.name.name;
  name.is_array = given.name.is_array;
  name.position = given.name.position;
  const NamedType type = resolveRoutineTypeName(name);
  for (const uint32_t oid : {type.domain, type.type.isDefined() ? type.type.definition() : 0U})
    if (const TablePtr entry = oid != 0 ? findTypeEntry(oid) : nullptr)
      if (std::ranges::find(statement.used, entry) == statement.used.end()) statement.used.push_back(entry);
  return type;
}

void bindDefault(BindState& state, const ast::RoutineParameter& given, Parameter& parameter) {
  if (!parameter.isInput()) refuse("only input parameters can have default values");
  BindState own(state.context);
  const StoredText stored(own);
  const Scope none;
  ExpressionBinder binder(own, none, {"DEFAULT expressions"});
  ExpressionPtr value = binder.bind(*given.default_value);
  if (!parameter.type.isPolymorphic() && !Coercion::isPossible(*value, parameter.type, CastContext::Assignment))
    throw SqlError(sqlstate::kDatatypeMismatch,
                   fmt::format("argument of DEFAULT must be type {}, not type {}",
                               shownName(parameter.type, parameter.domain), value->type.baseName()))
        .position(leftmostPosition(*value));
  std::vector<Iu> read;
  value->collectUnits(read);
  if (!read.empty()) throw SqlError(SqlState("42P10"), "cannot use table references in parameter default value");
  parameter.default_text = stored.write(*given.default_value, given.default_text);
}

/// As PostgreSQL's, the error of a parameter has the name as it is, and says not where.
NamedType resolveParameterType(BindState& state, const ast::RoutineType& given, DefineRoutineStatement& statement) try {
  return resolveType(state, given, statement);
} catch (const SqlError& error) {
  if (error.state() != sqlstate::kUndefinedObject || given.is_column) throw;
  const ast::TypeName& name = given.name;
  throw SqlError(sqlstate::kUndefinedObject,
                 fmt::format("type {}{}{} does not exist", name.schema.empty() ? "" : name.schema + ".", name.name,
                             name.is_array ? "[]" : ""));
}

bool isInput(Mode mode) {
  return mode == Mode::In || mode == Mode::InOut || mode == Mode::Variadic;
}

void bindParameters(BindState& state, const ast::CreateRoutine& create, DefineRoutineStatement& statement) {
  RoutineEntry& routine = statement.routine;
  bool has_default = false, has_variadic = false;
  for (const ast::RoutineParameter& given : create.parameters) {
    if (given.type.is_set)
      refuse(create.is_procedure ? "procedures cannot accept set arguments" : "functions cannot accept set arguments");
    const NamedType named = resolveParameterType(state, given.type, statement);
    if (named.type.kind == TypeKind::Void) refuse("SQL function cannot accept type void");
    if (named.type.kind == TypeKind::Trigger && routine.language == RoutineEntry::Language::Plpgsql)
      throw SqlError(sqlstate::kFeatureNotSupported, "PL/pgSQL functions cannot accept type trigger");
    if (named.type.kind == TypeKind::Trigger) refuse("SQL functions cannot have arguments of type trigger");
    if (named.type.kind == TypeKind::Record && named.type.definition() == 0 && isInput(given.mode) &&
        routine.language == RoutineEntry::Language::Sql)
      refuse("SQL functions cannot have arguments of type record");
    Parameter parameter{given.name, named.type, named.domain, given.mode, {}};
    if (parameter.isInput() && has_variadic) refuse("VARIADIC parameter must be the last input parameter");
    if (create.is_procedure && has_variadic) refuse("VARIADIC parameter must be the last parameter");
    if (given.mode == Mode::Variadic) {
      has_variadic = true;
      if (!parameter.type.isArray() && !isPolymorphicArray(parameter.type))
        refuse("VARIADIC parameter must be an array");
    }
    // Inputs have names of their own, and so have columns of the result.
    const auto collides = [&](const Parameter& other) {
      if (other.name != parameter.name || parameter.name.empty()) return false;
      const bool are_separate = (other.mode == Mode::In || other.mode == Mode::Variadic) !=
                                (parameter.mode == Mode::In || parameter.mode == Mode::Variadic);
      const auto isResult = [](const Parameter& each) { return each.mode == Mode::Out || each.mode == Mode::Table; };
      return !(are_separate && (isResult(other) || isResult(parameter)));
    };
    if (std::ranges::any_of(routine.parameters, collides))
      refuse(fmt::format("parameter name \"{}\" used more than once", parameter.name));
    if (given.default_value) {
      bindDefault(state, given, parameter);
      has_default = true;
    } else if (parameter.isInput() && has_default) {
      refuse("input parameters after one with a default value must also have defaults");
    } else if (create.is_procedure && has_default) {
      refuse("procedure OUT parameters cannot appear after one with a default value");
    }
    routine.parameters.push_back(std::move(parameter));
  }
}

void bindResult(BindState& state, const ast::CreateRoutine& create, DefineRoutineStatement& statement) {
  RoutineEntry& routine = statement.routine;
  const std::vector<const Parameter*> outputs = routine.outputs();
  NamedType of_outputs{Type::of(TypeKind::Void)};
  if (outputs.size() == 1 && !create.is_procedure)
    of_outputs = {outputs[0]->type, outputs[0]->domain};
  else if (!outputs.empty())
    of_outputs = {Type::recordOf(0)};
  const bool is_table =
      std::ranges::any_of(outputs, [](const Parameter* output) { return output->mode == Mode::Table; });
  if (!create.result) {
    if (outputs.empty() && !create.is_procedure) refuse("function result type must be specified");
    routine.result = of_outputs.type;
    routine.result_domain = of_outputs.domain;
    return;
  }
  routine.returns_set = create.result->is_set || is_table;
  if (is_table) {
    routine.result = of_outputs.type;
    routine.result_domain = of_outputs.domain;
    return;
  }
  const NamedType named = resolveType(state, *create.result, statement);
  const bool fits = outputs.empty() || (named.type.isSameAs(of_outputs.type) && named.domain == of_outputs.domain);
  if (!fits)
    refuse(fmt::format("function result type must be {} because of OUT parameters",
                       shownName(of_outputs.type, of_outputs.domain)));
  routine.result = named.type;
  routine.result_domain = named.domain;
}

void setOptions(const ast::RoutineOptions& options, RoutineEntry& routine) {
  if (options.volatility) routine.volatility = *options.volatility;
  if (options.is_strict) routine.is_strict = *options.is_strict;
  if (options.is_security_definer) routine.is_security_definer = *options.is_security_definer;
  if (options.is_leakproof) routine.is_leakproof = *options.is_leakproof;
  if (options.parallel) routine.parallel = *options.parallel;
  if (options.cost) {
    if (*options.cost <= 0) throw SqlError(sqlstate::kInvalidParameterValue, "COST must be positive");
    routine.cost = static_cast<float>(*options.cost);
  }
  if (!options.rows) return;
  if (*options.rows <= 0) throw SqlError(sqlstate::kInvalidParameterValue, "ROWS must be positive");
  if (!routine.returns_set)
    throw SqlError(sqlstate::kInvalidParameterValue, "ROWS is not applicable when function does not return a set");
  routine.rows = static_cast<float>(*options.rows);
}

std::vector<DefineRoutineStatement::Setting> settingsOf(const ast::RoutineOptions& options) {
  std::vector<DefineRoutineStatement::Setting> settings;
  for (const ast::Set& set : options.settings) settings.push_back({set.name, set.value, set.is_current});
  return settings;
}

void requireDeterminedResult(const RoutineEntry& routine) {
  const std::vector<const Parameter*> inputs = routine.inputs();
  std::string wrong = undeterminedResult(routine.result, inputs);
  for (const Parameter* output : routine.outputs())
    if (wrong.empty()) wrong = undeterminedResult(output->type, inputs);
  if (!wrong.empty()) throw SqlError(kInvalidFunctionDefinition, "cannot determine result data type").detail(wrong);
}

RoutineEntry::Language languageNamed(const std::string& name) {
  std::string language = name;
  std::ranges::transform(language, language.begin(), [](unsigned char c) { return std::tolower(c); });
  if (language == "sql") return RoutineEntry::Language::Sql;
  if (language == "plpgsql") return RoutineEntry::Language::Plpgsql;
  if (language == "c" || language == "internal") throwNotSupported("LANGUAGE " + language);
  SqlError error(sqlstate::kUndefinedObject, fmt::format("language \"{}\" does not exist", name));
  if (language.starts_with("pl")) error.hint("Use CREATE EXTENSION to load the language into the database.");
  throw error;
}

constexpr const char* kNoFinalQuery = "Function's final statement must be SELECT or INSERT/UPDATE/DELETE RETURNING.";

/// The columns of the final statement of a body that is no single query; void: any.
void requireColumns(const RoutineEntry& routine, const BoundStatement& last) {
  if (routine.result.kind == TypeKind::Void) return;
  const auto* const query = std::get_if<QueryStatement>(&last.body);
  if (query == nullptr || !query->plan || query->plan->root->kind != Operator::Kind::Output)
    throwResultMismatch(routine, kNoFinalQuery);
  const auto& output = static_cast<const Output&>(*query->plan->root).columns;
  const std::vector<RoutineColumn> columns = routineColumns(routine);
  if (columns.empty()) return;
  if (output.size() == 1 && routine.result.isRecord() && output[0].iu->type.isSameAs(routine.result)) return;
  std::vector<Type> given;
  for (const auto& column : output) given.push_back(column.iu->type);
  requireResultColumns(routine, given, columns);
}

/// The body is parsed; what SQL stands in it is bound when it is executed.
void requirePlpgsqlBody(BindState& state, const std::string& body, const plpgsql::Signature& signature,
                        const plpgsql::ParseOptions& options = {}) try {
  plpgsql::CatalogTypes types(state.context.catalog);
  plpgsql::parseRoutine(body, signature, types, options);
} catch (SqlError& error) {
  if (error.position() < 0) throw;
  const int32_t place = plpgsql::placeInStatement(state.context.text, body, error.position());
  if (place < 0) throw error.internalQuery(body);
  throw error.dropPosition().position(place);
}

/// The same of a routine that is defined, with what the session wants to be told. `warnings`: said of the body.
void requirePlpgsqlBody(BindState& state, const RoutineEntry& routine, const CatalogSession* session,
                        std::vector<SqlError>& warnings) {
  using Shadowing = plpgsql::ParseOptions::Shadowing;
  plpgsql::ParseOptions options{.warnings = &warnings};
  if (session != nullptr && extraChecks(session->settings.show("plpgsql.extra_errors")).shadowed_variables)
    options.shadowing = Shadowing::Refused;
  else if (session != nullptr && extraChecks(session->settings.show("plpgsql.extra_warnings")).shadowed_variables)
    options.shadowing = Shadowing::Warned;
  requirePlpgsqlBody(state, routine.body, plpgsql::signatureOf(routine), options);
  for (SqlError& warning : warnings) warning.dropPosition();
}

/// What OR REPLACE must leave as it was.
void requireReplaceable(const TableEntry& before, const DefineRoutineStatement& statement) {
  const RoutineEntry& old = *before.routine;
  const RoutineEntry& routine = statement.routine;
  const auto hint = [&] {
    return fmt::format("Use DROP {} {} first.", old.form == Form::Procedure ? "PROCEDURE" : "FUNCTION",
                       routineSignature(old));
  };
  if (old.form != routine.form)
    throw SqlError(sqlstate::kWrongObjectType, "cannot change routine kind")
        .detail(fmt::format("\"{}\" is a {}.", old.name, routineKindName(old)));
  const auto shape = [](const RoutineEntry& of) {
    std::vector<std::pair<std::string, uint32_t>> result;
    for (const Parameter* output : of.outputs()) result.emplace_back(output->name, typeOidOf(*output));
    return result;
  };
  const bool is_same_type = old.result.isSameAs(routine.result) && old.result_domain == routine.result_domain &&
                            old.returns_set == routine.returns_set;
  if (!is_same_type)
    throw SqlError(kInvalidFunctionDefinition, routine.form == Form::Procedure
                                                   ? "cannot change whether a procedure has output parameters"
                                                   : "cannot change return type of existing function")
        .hint(hint());
  if (routine.result.isRecord() && routine.result.definition() == 0 && shape(old) != shape(routine))
    throw SqlError(kInvalidFunctionDefinition, "cannot change return type of existing function")
        .detail("Row type defined by OUT parameters is different.")
        .hint(hint());
  const auto old_inputs = old.inputs(), inputs = routine.inputs();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!old_inputs[i]->name.empty() && old_inputs[i]->name != inputs[i]->name)
      throw SqlError(kInvalidFunctionDefinition,
                     fmt::format("cannot change name of input parameter \"{}\"", old_inputs[i]->name))
          .hint(hint());
    if (!old_inputs[i]->default_text.empty() && inputs[i]->default_text.empty())
      throw SqlError(kInvalidFunctionDefinition, "cannot remove parameter defaults from existing function")
          .hint(hint());
  }
}

std::string_view word(ast::RoutineKind kind) {
  static constexpr std::string_view kWords[] = {"function", "procedure", "routine"};
  return kWords[static_cast<size_t>(kind)];
}

bool isOfKind(const TableEntry& entry, ast::RoutineKind kind) {
  if (kind == ast::RoutineKind::Routine) return true;
  return (entry.routine->form == Form::Procedure) == (kind == ast::RoutineKind::Procedure);
}

std::string written(const ast::RelationName& name) {
  return name.schema.empty() ? name.name : name.schema + "." + name.name;
}

DefineRoutineStatement changed(const TablePtr& before) {
  DefineRoutineStatement statement;
  statement.before = before;
  statement.schema = before->schema;
  statement.routine = *before->routine;
  return statement;
}

/// The body as it is kept.
void bindBody(BindState& state, const ast::CreateRoutine& create, DefineRoutineStatement& statement) {
  RoutineEntry& routine = statement.routine;
  if (!create.body && !create.standard_body) refuse("no function body specified");
  if (create.body && create.standard_body) refuse("duplicate function body specified");
  if (create.body) {
    routine.body = *create.body;
    return;
  }
  if (routine.language != RoutineEntry::Language::Sql) refuse("inline SQL function body only valid for language SQL");
  routine.body = bindStandardBody(state, *create.standard_body, routine, statement.used).text();
}

}  // namespace

DefineRoutineStatement bindCreateRoutine(BindState& state, const ast::CreateRoutine& create) {
  DefineRoutineStatement statement;
  RoutineEntry& routine = statement.routine;
  routine.name = create.name.name;
  routine.form = create.is_procedure ? Form::Procedure : Form::Function;
  statement.schema = creationPath(state.context.catalog, create.name, PlacePosition::None).schema;
  if (!create.language && !create.standard_body) refuse("no language specified");
  routine.language = languageNamed(create.language.value_or("sql"));
  bindParameters(state, create, statement);
  bindResult(state, create, statement);
  requireDeterminedResult(routine);
  bindBody(state, create, statement);
  if (routine.returns_set) routine.rows = 1000;
  setOptions(create.options, routine);
  statement.settings = settingsOf(create.options);
  const TablePtr before = state.context.catalog.findEntry(ObjectPath{statement.schema, routineKey(routine)});
  if (before && create.is_replacing) {
    requireReplaceable(*before, statement);
    statement.before = before;
    std::erase(statement.used, before);
  }
  if (routine.language == RoutineEntry::Language::Plpgsql) {
    const CatalogSession* const session = catalogSession();
    if (session == nullptr || session->settings.flag(SettingId::CheckFunctionBodies))
      requirePlpgsqlBody(state, withIntegers(routine), session, statement.notices);
    return statement;
  }
  if (routine.result.kind == TypeKind::Trigger) refuse("SQL functions cannot return type trigger");
  return statement;
}

DoStatement bindDo(BindState& state, const ast::DoBlock& block) {
  if (!block.body) throw SqlError(sqlstate::kSyntaxError, "no inline code specified");
  if (languageNamed(block.language.value_or("plpgsql")) != RoutineEntry::Language::Plpgsql)
    throw SqlError(sqlstate::kFeatureNotSupported, "language \"sql\" does not support inline code execution");
  requirePlpgsqlBody(state, *block.body, plpgsql::blockSignature());
  return {*block.body};
}

void checkRoutineBody(BindState& state, const DefineRoutineStatement& statement) try {
  const RoutineEntry& routine = statement.routine;
  if (routine.language != RoutineEntry::Language::Sql) return;
  const TablePtr entry = state.context.catalog.findEntry(ObjectPath{statement.schema, routineKey(routine)});
  CHECK(entry != nullptr, "the routine was defined");
  RoutineBody body(*entry);
  // What it means is known by its calls.
  if (routine.isPolymorphic()) return;
  if (body.isQuery()) {
    BindState own(state.context);
    std::vector<ExpressionPtr> inputs;
    for (const Parameter* input : routine.inputs())
      inputs.push_back(Expression::column(own.plan->makeUnit(input->name, input->type, true)));
    // What a record is made of may be known where the function is called only.
    const std::vector<RoutineColumn> columns = routineColumns(routine);
    if (!columns.empty()) body.bindRows(own, std::move(inputs), columns, !routine.returns_set);
    return;
  }
  BindContext context = state.context;
  context.routine = entry;
  context.parameter_types.clear();
  for (const Parameter* input : routine.inputs()) context.parameter_types.push_back(input->type);
  BoundStatement last;
  for (const ParsedStatement& parsed : body.statements()) {
    last = bind(parsed, context);
    if (!std::holds_alternative<QueryStatement>(last.body))
      throwNotSupported(fmt::format("{} in a function in LANGUAGE sql", last.command));
  }
  requireColumns(routine, last);
} catch (SqlError& error) {
  throw error.dropPosition();
}

TablePtr findRoutine(BindState& state, const ast::RoutineName& name, ast::RoutineKind kind) {
  const CatalogView& catalog = state.context.catalog;
  const auto& [schema, plain] = std::pair(name.name.schema, name.name.name);
  if (!schema.empty() && !catalog.findSchema(catalog.searchPath().actual(schema))) raiseNoSchema(schema);
  std::vector<TablePtr> found = catalog.findRoutines(schema, plain);
  if (found.empty() && (schema.empty() || schema == "pg_catalog") && pg_catalog::hasProcedure(plain))
    throwNotSupported(fmt::format("changing the system's function \"{}\"", plain));
  if (!name.has_arguments) {
    std::erase_if(found, [&](const TablePtr& entry) { return !isOfKind(*entry, kind); });
    if (found.empty())
      throw SqlError(sqlstate::kUndefinedFunction,
                     fmt::format("could not find a {} named \"{}\"", word(kind), written(name.name)));
    if (found.size() > 1)
      throw SqlError(sqlstate::kAmbiguousFunction,
                     fmt::format("{} name \"{}\" is not unique", word(kind), written(name.name)))
          .hint(fmt::format("Specify the argument list to select the {} unambiguously.", word(kind)));
    return found.front();
  }
  std::vector<uint32_t> types;
  std::string shown;
  for (const ast::TypeName& argument : name.arguments) {
    const NamedType named = resolveRoutineTypeName(argument);
    types.push_back(named.domain != 0 ? named.domain : named.type.oid());
    shown.append(shown.empty() ? "" : ", ").append(shownName(named.type, named.domain));
  }
  const std::string key = routineKey(plain, types);
  const auto entry = std::ranges::find(found, key, [](const TablePtr& each) { return each->name; });
  if (entry == found.end())
    throw SqlError(sqlstate::kUndefinedFunction,
                   fmt::format("{} {}({}) does not exist", word(kind), written(name.name), shown));
  if (!isOfKind(**entry, kind))
    throw SqlError(sqlstate::kWrongObjectType,
                   fmt::format("{}({}) is not a {}", written(name.name), shown, word(kind)));
  return *entry;
}

ExplainRoutineStatement bindExplainRoutine(BindState& state, const ast::ExplainRoutine& explain) {
  TablePtr routine = findRoutine(state, explain.name, explain.kind);
  if (routine->routine->language != RoutineEntry::Language::Plpgsql)
    throwNotSupported("EXPLAIN of a routine in LANGUAGE sql");
  if (routine->routine->isPolymorphic()) throwNotSupported("EXPLAIN of a polymorphic routine");
  return {std::move(routine)};
}

DropRoutineStatement bindDropRoutine(BindState& state, const ast::DropRoutine& drop) {
  DropRoutineStatement statement;
  statement.is_cascade = drop.is_cascade;
  for (const ast::RoutineName& name : drop.names) {
    try {
      TablePtr found = findRoutine(state, name, drop.kind);
      if (std::ranges::find(statement.routines, found) == statement.routines.end())
        statement.routines.push_back(std::move(found));
    } catch (SqlError& error) {
      const bool is_missing = error.state() == sqlstate::kUndefinedFunction ||
                              error.state() == sqlstate::kUndefinedObject ||
                              error.state() == sqlstate::kInvalidSchemaName;
      if (!drop.if_exists || !is_missing) throw;
      std::string message = error.message();
      // The types as the grammar has them.
      if (error.state() == sqlstate::kUndefinedFunction && name.has_arguments) {
        std::string types;
        for (const ast::TypeName& type : name.arguments)
          types.append(types.empty() ? "" : ",")
              .append(type.schema.empty() ? "" : type.schema + ".")
              .append(type.name)
              .append(type.is_array ? "[]" : "");
        message = fmt::format("{} {}({}) does not exist", word(drop.kind), written(name.name), types);
      }
      if (message.starts_with("could not find a "))
        message = fmt::format("{} {}() does not exist", word(drop.kind), written(name.name));
      statement.notices.emplace_back(kSuccess, message + ", skipping");
    }
  }
  return statement;
}

DefineRoutineStatement bindAlterRoutine(BindState& state, const ast::AlterRoutine& alter) {
  DefineRoutineStatement statement = changed(findRoutine(state, alter.name, alter.kind));
  if (!alter.new_name.empty()) statement.routine.name = alter.new_name;
  if (!alter.new_schema.empty())
    statement.schema =
        creationPath(state.context.catalog, {alter.new_schema, alter.new_name}, PlacePosition::None).schema;
  setOptions(alter.options, statement.routine);
  statement.settings = settingsOf(alter.options);
  return statement;
}

}  // namespace gnomon::sql
