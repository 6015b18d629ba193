#include "sql/pg_catalog/routine_functions.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/name_list.h"
#include "sql/catalog/catalog_session.h"
#include "sql/catalog/routines.h"
#include "sql/catalog/stored_body.h"
#include "sql/parse/identifier.h"
#include "sql/pg_catalog/definitions.h"
#include "sql/pg_catalog/facts.h"
#include "sql/pg_catalog/objects.h"
#include "sql/pg_catalog/relations.h"
#include "sql/pg_catalog/row_maker.h"
#include "sql/types/polymorphic.h"

namespace gnomon::sql::pg_catalog {
namespace {

using enum TypeKind;
using Arguments = std::span<const Value>;
using Parameter = RoutineEntry::Parameter;
using Mode = Parameter::Mode;

const CatalogView& catalog() {
  return requiredCatalogSession().catalog;
}

const ProcedureFacts* factsAt(Arguments arguments) {
  return findProcedureFacts(static_cast<uint32_t>(arguments[0].lo));
}

TablePtr routineAt(Arguments arguments) {
  TablePtr entry = catalog().findEntry(static_cast<uint32_t>(arguments[0].lo));
  return entry && entry->routine ? std::move(entry) : nullptr;
}

std::string defaultOf(const Parameter& parameter) {
  if (parameter.type.isPolymorphic()) return withShownObjects(catalog(), parameter.default_text);
  ColumnEntry column;
  column.name = parameter.name;
  column.type = parameter.type;
  column.domain = parameter.domain;
  column.default_text = parameter.default_text;
  return defaultText(catalog(), column, Parentheses::All).value_or("");
}

std::string parameterText(const Parameter& parameter, bool has_mode, bool has_default) {
  static constexpr std::string_view kModes[] = {"", "", "OUT ", "INOUT ", "VARIADIC ", ""};
  std::string text(has_mode ? kModes[static_cast<size_t>(parameter.mode)] : "");
  if (!parameter.name.empty()) text.append(quotedIdentifier(parameter.name)).append(" ");
  text += typeName(catalog(), typeOidOf(parameter));
  if (has_default && !parameter.default_text.empty()) text.append(" DEFAULT ").append(defaultOf(parameter));
  return text;
}

/// Without columns of a table that it returns.
std::string parameterList(const RoutineEntry& routine, bool has_defaults) {
  std::string text;
  for (const Parameter& parameter : routine.parameters)
    if (parameter.mode != Mode::Table)
      text.append(text.empty() ? "" : ", ")
          .append(routine.form == RoutineEntry::Form::Procedure && parameter.mode == Mode::In ? "IN " : "")
          .append(parameterText(parameter, true, has_defaults));
  return text;
}

std::string resultText(const RoutineEntry& routine) {
  std::string columns;
  for (const Parameter& parameter : routine.parameters)
    if (parameter.mode == Mode::Table)
      columns.append(columns.empty() ? "" : ", ").append(parameterText(parameter, false, false));
  if (!columns.empty()) return fmt::format("TABLE({})", columns);
  const uint32_t type = routine.result_domain != 0 ? routine.result_domain : routine.result.oid();
  return (routine.returns_set ? "SETOF " : "") + typeName(catalog(), type);
}

Value functionResult(Arguments arguments, Type result) {
  if (const TablePtr entry = routineAt(arguments)) {
    if (entry->routine->form == RoutineEntry::Form::Procedure) return Value::null(result);
    return Value::fromString(result, resultText(*entry->routine));
  }
  const ProcedureFacts* const facts = factsAt(arguments);
  if (facts == nullptr) return Value::null(result);
  return Value::fromString(result, (facts->returns_set ? "SETOF " : "") + typeName(catalog(), facts->result));
}

template <bool has_defaults>
Value functionArguments(Arguments arguments, Type result) {
  if (const TablePtr entry = routineAt(arguments))
    return Value::fromString(result, parameterList(*entry->routine, has_defaults));
  const ProcedureFacts* const facts = factsAt(arguments);
  if (facts == nullptr) return Value::null(result);
  std::string text;
  for (const uint32_t argument : facts->arguments)
    text.append(text.empty() ? "" : ", ").append(typeName(catalog(), argument));
  return Value::fromString(result, text);
}

/// `number` from 1, of all parameters.
Value argumentDefault(Arguments arguments, Type result) {
  const TablePtr entry = routineAt(arguments);
  const auto number = static_cast<int64_t>(arguments[1].lo);
  if (!entry || number < 1 || number > static_cast<int64_t>(entry->routine->parameters.size()))
    return Value::null(result);
  const Parameter& parameter = entry->routine->parameters[static_cast<size_t>(number - 1)];
  return parameter.default_text.empty() ? Value::null(result) : Value::fromString(result, defaultOf(parameter));
}

/// SET of a routine. A list of names is one of literals.
std::string settingClause(const std::string& name, const std::string& value) {
  const auto quoted = [](std::string_view text) {
    std::string result = "'";
    for (const char c : text) result.append(c == '\'' ? 2 : 1, c);
    return result + "'";
  };
  std::string list;
  const auto names = name == "search_path" ? splitNameList(value) : std::nullopt;
  if (names)
    for (const std::string& each : *names) list.append(list.empty() ? "" : ", ").append(quoted(each));
  else
    list = quoted(value);
  return fmt::format(" SET {} TO {}\n", quotedIdentifier(name), list);
}

Value functionDefinition(Arguments arguments, Type result) {
  const TablePtr entry = routineAt(arguments);
  if (!entry) {
    if (factsAt(arguments) != nullptr) throwNotSupported("pg_get_functiondef of the system's functions");
    return Value::null(result);
  }
  const RoutineEntry& routine = *entry->routine;
  const bool is_procedure = routine.form == RoutineEntry::Form::Procedure;
  std::string text =
      fmt::format("CREATE OR REPLACE {} {}.{}({})\n", is_procedure ? "PROCEDURE" : "FUNCTION",
                  quotedIdentifier(entry->schema), quotedIdentifier(routine.name), parameterList(routine, true));
  if (!is_procedure) text += fmt::format(" RETURNS {}\n", resultText(routine));
  text += fmt::format(" LANGUAGE {}\n", routine.language == RoutineEntry::Language::Plpgsql ? "plpgsql" : "sql");
  std::string options;
  if (routine.volatility == Volatility::Immutable) options += " IMMUTABLE";
  if (routine.volatility == Volatility::Stable) options += " STABLE";
  if (routine.parallel == RoutineEntry::Parallel::Safe) options += " PARALLEL SAFE";
  if (routine.parallel == RoutineEntry::Parallel::Restricted) options += " PARALLEL RESTRICTED";
  if (routine.is_strict) options += " STRICT";
  if (routine.is_security_definer) options += " SECURITY DEFINER";
  if (routine.is_leakproof) options += " LEAKPROOF";
  constexpr float kUsualCost = 100, kUsualRows = 1000;
  if (routine.cost != kUsualCost) options += fmt::format(" COST {:g}", routine.cost);
  if (routine.rows > 0 && routine.rows != kUsualRows) options += fmt::format(" ROWS {:g}", routine.rows);
  if (!options.empty()) text += options + "\n";
  for (const auto& [name, value] : routine.settings) text += settingClause(name, value);
  if (StoredBody::isOne(routine)) return Value::fromString(result, text + bodyText(catalog(), *entry) + "\n");
  // A delimiter that the body does not have.
  std::string delimiter = is_procedure ? "$procedure" : "$function";
  while (routine.body.contains(delimiter)) delimiter += "x";
  delimiter += "$";
  text += "AS " + delimiter + routine.body + delimiter + "\n";
  return Value::fromString(result, text);
}

Value functionBody(Arguments arguments, Type result) {
  const TablePtr entry = routineAt(arguments);
  if (!entry || !StoredBody::isOne(*entry->routine)) return Value::null(result);
  return Value::fromString(result, bodyText(catalog(), *entry));
}

Value isFunctionVisible(Arguments arguments, Type result) {
  if (const TablePtr entry = routineAt(arguments))
    return Value::fromInt(result, shownRoutine(catalog(), *entry) == routineSignature(*entry->routine) ? 1 : 0);
  return factsAt(arguments) == nullptr ? Value::null(result) : Value::fromInt(result, 1);
}

char modeLetter(Mode mode) {
  static constexpr char kLetters[] = {'i', 'i', 'o', 'b', 'v', 't'};
  return kLetters[static_cast<size_t>(mode)];
}

char letterOf(Volatility volatility) {
  return volatility == Volatility::Immutable ? 'i' : volatility == Volatility::Stable ? 's' : 'v';
}

char letterOf(RoutineEntry::Parallel parallel) {
  static constexpr char kLetters[] = {'u', 'r', 's'};
  return kLetters[static_cast<size_t>(parallel)];
}

void addRoutine(RowMaker& rows, const std::vector<ColumnEntry>& columns, const TableEntry& entry) {
  const RoutineEntry& routine = *entry.routine;
  std::vector<int64_t> inputs, all;
  std::vector<std::string> names, modes;
  std::string defaults;
  uint32_t variadic = 0;
  int64_t default_count = 0;
  bool has_names = false, has_modes = false;
  for (const Parameter& parameter : routine.parameters) {
    all.push_back(typeOidOf(parameter));
    names.push_back(parameter.name);
    modes.emplace_back(1, modeLetter(parameter.mode));
    has_names = has_names || !parameter.name.empty();
    has_modes = has_modes || parameter.mode != Mode::In;
    if (parameter.isInput()) inputs.push_back(typeOidOf(parameter));
    if (parameter.mode == Mode::Variadic) variadic = declaredElement(parameter.type).oid();
    if (parameter.default_text.empty()) continue;
    ++default_count;
    defaults.append(defaults.empty() ? "" : ", ").append(defaultOf(parameter));
  }
  std::vector<std::string> configuration;
  for (const auto& [name, value] : routine.settings) configuration.push_back(fmt::format("{}={}", name, value));
  const auto typeOf = [&](std::string_view name) { return typeOfColumn(columns, name); };
  const auto given = [](bool is_given, const auto& make) { return is_given ? Field(make()) : Field(nullptr); };
  rows.add({entry.oid,
            routine.name,
            schemaOid(entry.schema),
            entry.owner,
            routine.language == RoutineEntry::Language::Plpgsql ? kPlpgsqlLanguageOid : kSqlLanguage,
            static_cast<double>(routine.cost),
            static_cast<double>(routine.rows),
            variadic,
            routine.form == RoutineEntry::Form::Procedure ? 'p' : 'f',
            routine.is_security_definer,
            routine.is_leakproof,
            routine.is_strict,
            routine.returns_set,
            letterOf(routine.volatility),
            letterOf(routine.parallel),
            inputs.size(),
            default_count,
            routine.result_domain != 0 ? routine.result_domain : routine.result.oid(),
            arrayOfNumbers(typeOf("proargtypes"), inputs),
            given(has_modes, [&] { return arrayOfNumbers(typeOf("proallargtypes"), all); }),
            given(has_modes, [&] { return arrayOfTexts(typeOf("proargmodes"), modes); }),
            given(has_names, [&] { return arrayOfTexts(typeOf("proargnames"), names); }),
            given(!defaults.empty(), [&] { return defaults; }),
            StoredBody::isOne(routine) ? std::string() : routine.body,
            given(StoredBody::isOne(routine), [&] { return bodyText(catalog(), entry); }),
            given(!configuration.empty(), [&] { return arrayOfTexts(typeOf("proconfig"), configuration); }),
            aclField(typeOf("proacl"), entry.acl)});
}

}  // namespace

VirtualRows procedureRows(const std::vector<ColumnEntry>& columns) {
  RowMaker rows(columns,
                {"oid",         "proname",        "pronamespace", "proowner",    "prolang",         "procost",
                 "prorows",     "provariadic",    "prokind",      "prosecdef",   "proleakproof",    "proisstrict",
                 "proretset",   "provolatile",    "proparallel",  "pronargs",    "pronargdefaults", "prorettype",
                 "proargtypes", "proallargtypes", "proargmodes",  "proargnames", "proargdefaults",  "prosrc",
                 "prosqlbody",  "proconfig",      "proacl"});
  const Type vector = typeOfColumn(columns, "proargtypes");
  for (const ProcedureFacts& facts : procedureFacts()) {
    const std::vector<int64_t> arguments(facts.arguments.begin(), facts.arguments.end());
    rows.add({facts.oid,
              facts.name,
              kCatalogSchemaOid,
              kRoleOid,
              kInternalLanguage,
              1.0,
              facts.returns_set ? 1000.0 : 0.0,
              0,
              facts.kind,
              false,
              false,
              facts.is_strict,
              facts.returns_set,
              facts.volatility,
              's',
              arguments.size(),
              0,
              facts.result,
              arrayOfNumbers(vector, arguments),
              nullptr,
              nullptr,
              nullptr,
              nullptr,
              facts.name,
              nullptr,
              nullptr,
              nullptr});
  }
  for (const TablePtr& entry : catalog().routines()) addRoutine(rows, columns, *entry);
  return rows.take();
}

std::vector<CatalogFunction> routineFunctions() {
  return {{"pg_get_function_result", {Oid}, Text, functionResult},
          {"pg_get_function_arguments", {Oid}, Text, functionArguments<true>},
          {"pg_get_function_identity_arguments", {Oid}, Text, functionArguments<false>},
          {"pg_get_function_arg_default", {Oid, Integer}, Text, argumentDefault},
          {"pg_get_functiondef", {Oid}, Text, functionDefinition},
          {"pg_get_function_sqlbody", {Oid}, Text, functionBody},
          {"pg_function_is_visible", {Oid}, Boolean, isFunctionVisible}};
}

}  // namespace gnomon::sql::pg_catalog
