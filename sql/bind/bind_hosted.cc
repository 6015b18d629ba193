#include "sql/bind/bind_hosted.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/catalog/extensions.h"
#include "sql/functions/extension_functions.h"
#include "sql/functions/hosted_functions.h"
#include "sql/functions/overload.h"

namespace gnomon::sql {
namespace {

using Arguments = std::vector<ExpressionPtr>;

/// The entry of the function's extension; null: the database has not got it, or the name does not mean its schema.
TablePtr entryOf(const BindState& state, const ast::Expression& node, const ExtensionFunction& function) {
  const CatalogView& catalog = state.context.catalog;
  TablePtr entry = installedExtension(catalog, function.extension);
  if (!entry) return nullptr;
  const std::string& schema = extensionSchema(*entry);
  const auto& searched = catalog.searchPath().schemas;
  // A view keeps what it was bound to.
  const bool is_found = node.names.size() == 2
                            ? node.names[0] == schema
                            : state.view_depth > 0 || std::ranges::find(searched, schema) != searched.end();
  return is_found ? std::move(entry) : nullptr;
}

ExpressionPtr numberOf(uint32_t function) {
  return Expression::constant(Value::fromInt(Type::of(TypeKind::Oid), function));
}

/// The one of these overloads that takes the arguments; null: none does.
template <typename Function>
const Function* chosenOf(const std::vector<const Function*>& overloads, const Arguments& arguments) {
  std::vector<std::span<const TypeKind>> lists;
  for (const Function* overload : overloads) lists.emplace_back(overload->arguments);
  std::vector<TypeKind> kinds;
  for (const ExpressionPtr& argument : arguments) kinds.push_back(argument->type.kind);
  size_t chosen = 0;
  if (lists.empty() || chooseOverload(lists, kinds, chosen) != OverloadOutcome::Found) return nullptr;
  return overloads[chosen];
}

template <typename Function>
Arguments convertedTo(const Function& function, Coercion& coercion, Arguments& arguments) {
  Arguments converted;
  for (size_t i = 0; i < arguments.size(); ++i)
    converted.push_back(coercion.toKind(std::move(arguments[i]), function.arguments[i]));
  return converted;
}

}  // namespace

ExpressionPtr bindHostedFunction(BindState& state, Coercion& coercion, std::string_view name, Arguments& arguments,
                                 int32_t position) {
  const auto& functions = hostedFunctions();
  const auto isLargeObjects = [](const Expression& argument) {
    return argument.isConstant() && !argument.value.is_null && argument.value.bytes == "pg_largeobject";
  };
  if (name == "obj_description" && arguments.size() == 2 && isLargeObjects(*arguments[1])) {
    name = functions.front().name;
    arguments.pop_back();
  }
  std::vector<const HostedFunction*> named;
  for (const HostedFunction& function : functions)
    if (function.name == name) named.push_back(&function);
  const HostedFunction* const function = chosenOf(named, arguments);
  if (function == nullptr) return nullptr;
  Arguments called = convertedTo(*function, coercion, arguments);
  called.insert(called.begin(), numberOf(function->oid));
  state.is_immutable = false;
  ExpressionPtr call = Expression::arrayCall(kCallRoutine, Type::of(function->result), std::move(called));
  call->position = position;
  return call;
}

ExpressionPtr bindExtensionFunction(BindState& state, Coercion& coercion, std::string_view clause,
                                    const ast::Expression& node, Arguments& arguments) {
  const auto functions = extensionFunctions();
  std::vector<const ExtensionFunction*> named;
  TablePtr entry;
  for (const ExtensionFunction& function : functions) {
    if (function.name != node.names.back()) continue;
    entry = entryOf(state, node, function);
    if (!entry) return nullptr;
    if (function.answer == nullptr)
      throwNotSupported(fmt::format("function \"{}\" of extension {}", function.name, function.extension),
                        node.position);
    named.push_back(&function);
  }
  const ExtensionFunction* const chosen = chosenOf(named, arguments);
  if (chosen == nullptr) return nullptr;
  const ExtensionFunction& function = *chosen;
  for (const std::string_view stored : {"check constraints", "index expressions", "index predicates",
                                        "column generation expressions", "partition key expressions"})
    if (clause == stored) throwNotSupported(fmt::format("a function of an extension in {}", stored), node.position);
  state.addTable(entry);
  Arguments called = convertedTo(function, coercion, arguments);
  FunctionId id = kCallRoutine;
  if (function.registered.empty()) {
    state.is_immutable = false;
    const auto oid = kFirstExtensionFunction + static_cast<uint32_t>(&function - functions.data());
    called.insert(called.begin(), numberOf(oid));
  } else {
    id = internalFunction(function.registered, called.size());
  }
  ExpressionPtr call = Expression::arrayCall(id, Type::of(function.result), std::move(called));
  call->position = node.position;
  return call;
}

}  // namespace gnomon::sql
