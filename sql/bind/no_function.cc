#include "sql/bind/no_function.h"

#include <fmt/format.h>

#include "base/sql_error.h"
#include "sql/functions/parameter_names.h"

namespace gnomon::sql {
namespace {

std::string calledName(const std::vector<std::string>& names) {
  return names.size() > 1 ? names[0] + "." + names[1] : names[0];
}

}  // namespace

std::string describeCall(const std::vector<std::string>& names, std::span<const ExpressionPtr> arguments,
                         std::span<const std::string> argument_names) {
  std::string text = calledName(names) + '(';
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) text += ", ";
    if (i < argument_names.size() && !argument_names[i].empty()) text.append(argument_names[i]).append(" => ");
    text += arguments[i]->type.baseName();
  }
  return text + ')';
}

void throwNoFunction(const std::vector<std::string>& names, std::span<const ExpressionPtr> arguments,
                     OverloadOutcome outcome, int32_t position, std::span<const std::string> argument_names) {
  if (outcome == OverloadOutcome::Ambiguous)
    throw SqlError(sqlstate::kAmbiguousFunction,
                   fmt::format("function {} is not unique", describeCall(names, arguments, argument_names)))
        .hint("Could not choose a best candidate function. You might need to add explicit type casts.")
        .position(position);
  throw SqlError(sqlstate::kUndefinedFunction,
                 fmt::format("function {} does not exist", describeCall(names, arguments, argument_names)))
      .hint("No function matches the given name and argument types. You might need to add explicit type casts.")
      .position(position);
}

void throwNoNamedFunction(const ast::Expression& node, std::span<ExpressionPtr> arranged, OverloadOutcome outcome) {
  if (node.argument_names.empty()) throwNoFunction(node.names, arranged, outcome, node.position);
  const auto places = placeNamedArguments(node.names.back(), node.argument_names);
  std::vector<ExpressionPtr> written(node.argument_names.size());
  for (size_t i = 0; places && i < places->size(); ++i)
    if ((*places)[i].argument >= 0) written[static_cast<size_t>((*places)[i].argument)] = std::move(arranged[i]);
  throwNoFunction(node.names, written, outcome, node.position, node.argument_names);
}

void refuseAggregateWords(const ast::Expression& node) {
  const std::string name = calledName(node.names);
  const std::string word = node.is_star             ? fmt::format("{}(*)", name)
                           : node.is_distinct       ? "DISTINCT"
                           : node.is_within_group   ? "WITHIN GROUP"
                           : !node.order.empty()    ? "ORDER BY"
                           : node.filter != nullptr ? "FILTER"
                                                    : "";
  if (!word.empty())
    throw SqlError(sqlstate::kWrongObjectType,
                   fmt::format("{} specified, but {} is not an aggregate function", word, name))
        .position(node.position);
  if (node.over)
    throw SqlError(sqlstate::kWrongObjectType,
                   fmt::format("OVER specified, but {} is not a window function nor an aggregate function", name))
        .position(node.position);
}

}  // namespace gnomon::sql
