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
  std::vector<std::span<const TypeKind>> lists;
  std::vector<const HostedFunction*> named;
  for (const HostedFunction& function : functions) {
    if (function.name != name) continue;
    lists.emplace_back(function.arguments);
    named.push_back(&function);
  }
  if (lists.empty()) return nullptr;
  std::vector<TypeKind> kinds;
  for (const ExpressionPtr& argument : arguments) kinds.push_back(argument->type.kind);
  size_t chosen = 0;
  if (chooseOverload(lists, kinds, chosen) != OverloadOutcome::Found) return nullptr;
  const HostedFunction& function = *named[chosen];
  Arguments called;
  called.push_back(Expression::constant(Value::fromInt(Type::of(TypeKind::Oid), function.oid)));
  for (size_t i = 0; i < arguments.size(); ++i)
    called.push_back(coercion.toKind(std::move(arguments[i]), function.arguments[i]));
  state.is_immutable = false;
  ExpressionPtr call = Expression::arrayCall(kCallRoutine, Type::of(function.result), std::move(called));
  call->position = position;
  return call;
}

ExpressionPtr bindExtensionFunction(BindState& state, Coercion& coercion, std::string_view clause,
                                    const ast::Expression& node, Arguments& arguments) {
  const auto functions = extensionFunctions();
  std::vector<std::span<const TypeKind>> lists;
  std::vector<const ExtensionFunction*> named;
  TablePtr entry;
  for (const ExtensionFunction& function : functions) {
    if (function.name != node.names.back()) continue;
    entry = entryOf(state, node, function);
    if (!entry) return nullptr;
    if (function.answer == nullptr)
      throwNotSupported(fmt::format("function \"{}\" of extension {}", function.name, function.extension),
                        node.position);
    lists.emplace_back(function.arguments);
    named.push_back(&function);
  }
  if (lists.empty()) return nullptr;
  std::vector<TypeKind> kinds;
  for (const ExpressionPtr& argument : arguments) kinds.push_back(argument->type.kind);
  size_t chosen = 0;
  if (chooseOverload(lists, kinds, chosen) != OverloadOutcome::Found) return nullptr;
  const ExtensionFunction& function = *named[chosen];
  for (const std::string_view stored : {"check constraints", "index expressions", "index predicates",
                                        "column generation expressions", "partition key expressions"})
    if (clause == stored) throwNotSupported(fmt::format("a function of an extension in {}", stored), node.position);
  state.addTable(entry);
  Arguments called;
  for (size_t i = 0; i < arguments.size(); ++i)
    called.push_back(coercion.toKind(std::move(arguments[i]), function.arguments[i]));
  FunctionId id = kCallRoutine;
  if (function.registered.empty()) {
    state.is_immutable = false;
    const auto oid = kFirstExtensionFunction + static_cast<uint32_t>(&function - functions.data());
    called.insert(called.begin(), Expression::constant(Value::fromInt(Type::of(TypeKind::Oid), oid)));
  } else {
    id = internalFunction(function.registered, called.size());
  }
  ExpressionPtr call = Expression::arrayCall(id, Type::of(function.result), std::move(called));
  call->position = node.position;
  return call;
}

}  // namespace gnomon::sql
