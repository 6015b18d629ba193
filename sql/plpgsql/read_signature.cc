#include <fmt/format.h>

#include "sql/plpgsql/reader.h"

/// What is declared before the body begins.
namespace gnomon::sql::plpgsql {
namespace {

VariableType scalar(TypeKind kind, std::string name, bool is_collatable = false) {
  VariableType type;
  type.type = Type::of(kind);
  type.name = std::move(name);
  type.is_collatable = is_collatable;
  return type;
}

VariableType anyRecord() {
  VariableType type;
  type.shape = VariableType::Shape::Record;
  type.type = Type::recordOf(0);
  type.name = "record";
  return type;
}

const SqlState kInvalidFunctionDefinition("42P13");

}  // namespace

void checkSignature(const Signature& signature) {
  using Mode = Parameter::Mode;
  const auto refuse = [](const VariableType& type, std::string_view what) {
    if (type.shape == VariableType::Shape::Pseudo)
      throw SqlError(sqlstate::kFeatureNotSupported,
                     fmt::format("PL/pgSQL functions cannot {} type {}", what, type.name));
  };
  const auto isResult = [](const Parameter& parameter) {
    return parameter.mode == Mode::Out || parameter.mode == Mode::Table;
  };
  if (signature.result) refuse(*signature.result, "return");
  for (const Parameter& parameter : signature.parameters)
    if (isResult(parameter)) refuse(parameter.type, "return");
  for (const Parameter& parameter : signature.parameters)
    if (!isResult(parameter)) refuse(parameter.type, "accept");
}

void Reader::declareSignature() {
  using Kind = Signature::Kind;
  routine_.scopes.push(Scopes::Entry::Kind::Block, signature_.name);
  switch (signature_.kind) {
    case Kind::Function:
    case Kind::Procedure:
      declareParameters();
      break;
    case Kind::Trigger:
      declareTriggerVariables();
      break;
    case Kind::EventTrigger:
      declareEventVariables();
      break;
    case Kind::InlineBlock:
      break;
  }
  routine_.found = declare("found", scalar(TypeKind::Boolean, "boolean"), 0);
}

void Reader::declareParameters() {
  using Mode = Parameter::Mode;
  std::vector<DatumId> outputs;
  for (size_t i = 0; i < signature_.parameters.size(); ++i) {
    const Parameter& parameter = signature_.parameters[i];
    const std::string number = fmt::format("${}", i + 1);
    const std::string& name = parameter.name.empty() ? number : parameter.name;
    const DatumId id = declare(name, parameter.type, 0, false);
    if (parameter.mode != Mode::Out && parameter.mode != Mode::Table) routine_.inputs.push_back(id);
    if (parameter.mode != Mode::In && parameter.mode != Mode::Variadic) outputs.push_back(id);
    const auto kind =
        datumOf(id).kind == Datum::Kind::Record ? Scopes::Entry::Kind::Record : Scopes::Entry::Kind::Variable;
    routine_.scopes.add(kind, id, number);
    if (parameter.name.empty()) continue;
    if (routine_.scopes.isDeclaredHere(name))
      throw SqlError(kInvalidFunctionDefinition, fmt::format("parameter name \"{}\" used more than once", name));
    routine_.scopes.add(kind, id, name);
  }
  const bool is_procedure = signature_.kind == Signature::Kind::Procedure;
  if (outputs.size() > 1 || (outputs.size() == 1 && is_procedure)) {
    routine_.output = addList(std::move(outputs), 0);
  } else if (outputs.size() == 1) {
    routine_.output = outputs[0];
  } else if (signature_.polymorphic_result) {
    declare("$0", *signature_.polymorphic_result, 0);
  }
}

void Reader::declareTriggerVariables() {
  if (!signature_.parameters.empty())
    throw SqlError(kInvalidFunctionDefinition, "trigger functions cannot have declared arguments")
        .hint("The arguments of the trigger can be accessed through TG_NARGS and TG_ARGV instead.");
  const VariableType row = signature_.trigger_row.value_or(anyRecord());
  routine_.new_row = declare("new", row, 0);
  routine_.old_row = declare("old", row, 0);
  const VariableType text = scalar(TypeKind::Text, "text", true);
  const VariableType name = scalar(TypeKind::Name, "name", true);
  declareProvided("tg_name", name, Provided::TriggerName);
  declareProvided("tg_when", text, Provided::TriggerWhen);
  declareProvided("tg_level", text, Provided::TriggerLevel);
  declareProvided("tg_op", text, Provided::TriggerOperation);
  declareProvided("tg_relid", scalar(TypeKind::Oid, "oid"), Provided::TriggerRelation);
  declareProvided("tg_relname", name, Provided::TriggerTable);
  declareProvided("tg_table_name", name, Provided::TriggerTable);
  declareProvided("tg_table_schema", name, Provided::TriggerSchema);
  declareProvided("tg_nargs", scalar(TypeKind::Integer, "integer"), Provided::TriggerArgumentCount);
  declareProvided("tg_argv", scalar(arrayOf(TypeKind::Text), "text[]", true), Provided::TriggerArguments);
}

void Reader::declareEventVariables() {
  if (!signature_.parameters.empty())
    throw SqlError(kInvalidFunctionDefinition, "event trigger functions cannot have declared arguments");
  declareProvided("tg_event", scalar(TypeKind::Text, "text", true), Provided::Event);
  declareProvided("tg_tag", scalar(TypeKind::Text, "text", true), Provided::EventTag);
}

DatumId Reader::declareProvided(std::string_view name, VariableType type, Provided provided) {
  const DatumId id = declare(name, std::move(type), 0);
  datumOf(id).provided = provided;
  return id;
}

}  // namespace gnomon::sql::plpgsql
