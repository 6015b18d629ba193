#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/no_function.h"
#include "sql/bind/polymorphic_call.h"
#include "sql/catalog/routines.h"

/// CALL.
namespace gnomon::sql {
namespace {

using Mode = RoutineEntry::Parameter::Mode;

/// The routine as CALL sees it: what it only gives back has an argument, too.
TablePtr withAllInputs(const TablePtr& entry) {
  const bool has_plain_output = std::ranges::any_of(entry->routine->parameters,
                                                    [](const auto& parameter) { return parameter.mode == Mode::Out; });
  if (!has_plain_output) return entry;
  auto routine = std::make_shared<RoutineEntry>(*entry->routine);
  for (RoutineEntry::Parameter& parameter : routine->parameters)
    if (parameter.mode == Mode::Out) parameter.mode = Mode::In;
  auto seen = std::make_shared<TableEntry>(*entry);
  seen->routine = std::move(routine);
  return seen;
}

std::string shownCall(const ast::Expression& node, std::span<const ExpressionPtr> arguments) {
  std::string text;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) text += ", ";
    if (i < node.argument_names.size() && !node.argument_names[i].empty()) text += node.argument_names[i] + " => ";
    text += arguments[i]->type.baseName();
  }
  return fmt::format("{}({})", fmt::join(node.names, "."), text);
}

/// The parameter that a value for the argument goes to; none: it is no variable. A row that a variable of PL/pgSQL has
/// is made of its fields, and whether it is NULL says a parameter of its own, which stands for the variable.
std::optional<uint32_t> writtenParameter(const Expression& argument) {
  using Kind = Expression::Kind;
  const Expression* written = &argument;
  if (argument.kind == Kind::Case && argument.type.isRecord() && argument.children[0]->kind == Kind::IsNotNull)
    written = argument.children[0]->children[0].get();
  return written->kind == Kind::Parameter ? std::optional(written->parameter) : std::nullopt;
}

}  // namespace

CallStatement ExpressionBinder::bindCall(const ast::Expression& node) {
  Arguments arguments = bindAll(node.children);
  const CatalogView& catalog = state_.context.catalog;
  std::vector<TablePtr> stored = catalog.findRoutines(node.names.size() == 2 ? node.names[0] : "", node.names.back());
  std::vector<TablePtr> candidates;
  for (const TablePtr& entry : stored) candidates.push_back(withAllInputs(entry));
  RoutineCall call;
  const OverloadOutcome outcome = chooseRoutine(candidates, arguments, node.argument_names, node.is_variadic, call);
  if (outcome == OverloadOutcome::Ambiguous)
    throw SqlError(sqlstate::kAmbiguousFunction, fmt::format("procedure {} is not unique", shownCall(node, arguments)))
        .hint("Could not choose a best candidate procedure. You might need to add explicit type casts.")
        .position(node.position);
  if (outcome != OverloadOutcome::Found)
    throw SqlError(sqlstate::kUndefinedFunction, fmt::format("procedure {} does not exist", shownCall(node, arguments)))
        .hint("No procedure matches the given name and argument types. You might need to add explicit type casts.")
        .position(node.position);
  CallStatement statement;
  const auto place = std::ranges::find(stored, call.entry->oid, [](const TablePtr& entry) { return entry->oid; });
  statement.routine = *place;
  if (call.entry->routine->form != RoutineEntry::Form::Procedure)
    throw SqlError(sqlstate::kWrongObjectType, fmt::format("{} is not a procedure", shownCall(node, arguments)))
        .hint("To call a function, use SELECT.")
        .position(node.position);
  state_.addTable(statement.routine);
  state_.access.add(statement.routine, Privilege::Execute);
  if (statement.routine->routine->isPolymorphic()) {
    makeConcrete(call, arguments);
    std::vector<Type> inputs;
    for (size_t i = 0; i < call.entry->routine->parameters.size(); ++i)
      if ((*place)->routine->parameters[i].isInput()) inputs.push_back(call.entry->routine->parameters[i].type);
    statement.routine = concreteRoutine(*place, inputs);
  }
  const RoutineEntry& routine = *statement.routine->routine;
  for (size_t i = 0; i < routine.parameters.size(); ++i) {
    if (!routine.parameters[i].isOutput()) continue;
    const size_t given = call.inputs[i].argument;
    const bool is_same =
        given != RoutineCall::Input::kDefault && arguments[given]->type.isSameAs(routine.parameters[i].type);
    statement.outputs.push_back(is_same ? writtenParameter(*arguments[given]) : std::nullopt);
  }
  Arguments all = bindInputs(call, std::move(arguments));
  for (size_t i = 0; i < routine.parameters.size(); ++i)
    if (routine.parameters[i].isInput()) statement.inputs.push_back(std::move(all[i]));
  return statement;
}

}  // namespace gnomon::sql
