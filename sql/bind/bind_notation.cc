#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/routine_body.h"
#include "sql/bind/stored_text.h"
#include "sql/bind/type_name.h"
#include "sql/bind/variable_names.h"
#include "sql/functions/extension_functions.h"
#include "sql/functions/function_registry.h"
#include "sql/parse/identifier.h"
#include "sql/pg_catalog/facts.h"

/// Functions of a row that are written as its columns, t.f for f(t), and columns that are written as functions, a(t)
/// for t.a. A column comes first in t.a, a function in a(t).
namespace gnomon::sql {
namespace {

using NodeKind = ast::Expression::Kind;

bool isNoSuchFunction(const SqlError& error) {
  return error.state() == sqlstate::kUndefinedFunction || error.state() == sqlstate::kAmbiguousFunction;
}

/// Whether there is a function that the name may mean.
bool isFunctionName(const BindState& state, const std::string& name) {
  return pg_catalog::hasProcedure(name) || !state.context.catalog.findRoutines("", name).empty() ||
         std::ranges::any_of(extensionFunctions(), [&](const auto& function) { return function.name == name; });
}

/// A call that could be a column: name(value), and nothing else.
bool isLikeColumn(const ast::Expression& node) {
  return node.names.size() == 1 && node.children.size() == 1 && node.argument_names.empty() && node.order.empty() &&
         !node.is_star && !node.is_distinct && !node.is_variadic && !node.is_within_group && !node.filter && !node.over;
}

bool hasColumn(const Range& range, const std::string& name) {
  const auto isNamed = [&](const ScopeColumn& column) { return column.name == name; };
  return std::ranges::any_of(range.columns, isNamed) || std::ranges::any_of(range.hidden, isNamed);
}

std::string textOf(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : ".").append(quotedIdentifier(name));
  return text;
}

/// A column as a stored text has it, which says of which item of FROM it is.
std::string textOfColumn(const BindState& state, const ast::Expression& column) {
  const auto found = std::ranges::find_if(*state.stars, [&](const StarExpansion& each) {
    return each.position == column.position && each.is_relation && each.qualifiers == 1;
  });
  return found == state.stars->end() || column.names.size() > 1 ? textOf(column.names) : found->columns;
}

/// A call of one argument.
ast::ExpressionPtr callOf(const std::string& name, ast::ExpressionPtr argument, int32_t position) {
  auto call = std::make_unique<ast::Expression>();
  call->kind = NodeKind::Function;
  call->position = position;
  call->names.push_back(name);
  call->children.push_back(std::move(argument));
  return call;
}

/// While it lives, a call is bound that is written as a column, so its name does not stand where its position is.
class NameOfCall {
 public:
  NameOfCall(BindState& state, int32_t position)
      : state_(state), position_(position), count_(state.stars == nullptr ? 0 : state.stars->size()) {}
  /// The name as it is going to be stored.
  std::string take(const std::string& name) {
    std::string text = quotedIdentifier(name);
    if (state_.stars == nullptr) return text;
    const auto found = std::find_if(state_.stars->begin() + static_cast<ptrdiff_t>(count_), state_.stars->end(),
                                    [&](const StarExpansion& each) { return each.position == position_; });
    if (found == state_.stars->end()) return text;
    text = std::move(found->columns);
    state_.stars->erase(found);
    return text;
  }

 private:
  BindState& state_;
  const int32_t position_;
  const size_t count_;  ///< of what was noted before
};

}  // namespace

/// The item of FROM whose row the node is; null: it is something else.
const Range* ExpressionBinder::findWholeRow(const ast::Expression& node) {
  if (node.kind != NodeKind::Column || (!node.is_star && node.names.size() > 1)) return nullptr;
  const VariableNames* const variables = variablesHere();
  if (variables != nullptr && variables->knows(node.names)) return nullptr;
  const auto isColumn = [&](const Scope& each) {
    return each.find(node.names[0], node.position) != nullptr ||
           each.findHidden(node.names[0], node.position) != nullptr;
  };
  if (!node.is_star && scopeThat(isColumn) != nullptr) return nullptr;
  const Scope* const scope = scopeThat([&](const Scope& each) { return each.findRange(node.names) != nullptr; });
  return scope == nullptr ? nullptr : scope->findRange(node.names);
}

/// The field of the record; null: it is no record, or has no such field.
ExpressionPtr ExpressionBinder::tryField(ExpressionPtr& record, const std::string& name) {
  if (!record->type.isRecord()) return nullptr;
  const std::vector<RecordField> fields = fieldsOf(*record, name);
  const auto found = std::ranges::find(fields, name, &RecordField::name);
  if (found == fields.end()) return nullptr;
  return fieldOf(std::move(record), fields, static_cast<size_t>(found - fields.begin()));
}

/// t.f; null: t has a column f, or there is no function f of its rows.
ExpressionPtr ExpressionBinder::bindCallOfRow(std::span<const std::string> names, const Scope& scope,
                                              int32_t position) {
  const std::string& name = names.back();
  const auto row = names.first(names.size() - 1);
  const Range* const range = scope.findRange(row);
  if (range == nullptr || hasColumn(*range, name) || isSystemColumn(name) || !isFunctionName(state_, name) ||
      isMissingFunction(name))
    return nullptr;
  auto argument = std::make_unique<ast::Expression>();
  argument->kind = NodeKind::Column;
  argument->position = position;
  argument->names.assign(row.begin(), row.end());
  argument->is_star = true;
  const ast::ExpressionPtr call = callOf(name, std::move(argument), position);
  NameOfCall stored(state_, position);
  try {
    ExpressionPtr result = bindNamedFunction(*call);
    noteStoredText(state_, position, names.size(), fmt::format("{}({}.*)", stored.take(name), textOf(row)));
    return result;
  } catch (const SqlError& error) {
    if (!isNoSuchFunction(error)) throw;
    return nullptr;
  }
}

/// (value).f, where the value has no field f; null: there is no function f of such values. `inner`: the value as it is
/// written; null: it is no part of a text that is stored.
ExpressionPtr ExpressionBinder::bindCallOfValue(const std::string& name, const Expression& value,
                                                const ast::Expression* inner, int32_t position) {
  if (!isFunctionName(state_, name) || (isMissingFunction(name) && !findTypeKind(name))) return nullptr;
  if (!aggregateSignatures(name).empty())
    throwNotSupported(fmt::format("aggregate function \"{}\" written as a column", name), position);
  auto argument = std::make_unique<ast::Expression>();
  argument->kind = NodeKind::Null;
  argument->position = value.position;
  known_node_ = argument.get();
  known_value_ = copy(value);
  const ast::ExpressionPtr call = callOf(name, std::move(argument), position);
  NameOfCall stored(state_, position);
  ExpressionPtr result;
  try {
    result = bindNamedFunction(*call);
    known_node_ = nullptr;
  } catch (const SqlError& error) {
    known_node_ = nullptr;
    if (!isNoSuchFunction(error)) throw;
    return nullptr;
  }
  if (inner == nullptr || !writesStoredText(state_, position)) return result;
  if (inner->kind != NodeKind::Column)
    throwNotSupported("such a function of a value in a query that is stored", position);
  const char* const star = findWholeRow(*inner) != nullptr ? ".*" : "";
  const std::string stored_name = stored.take(name);
  noteStoredText(state_, inner->position, 0, fmt::format("{}({}{})", stored_name, textOfColumn(state_, *inner), star));
  return result;
}

/// a(t) or a(value) as the column or field; null: there is none. `value`: the argument, if it is bound already, or was
/// bound in vain.
ExpressionPtr ExpressionBinder::bindColumnOfCall(const ast::Expression& node, ExpressionPtr& value) {
  const std::string& name = node.names[0];
  const ast::Expression& argument = *node.children[0];
  if (const Range* const range = findWholeRow(argument)) {
    const bool has_system = isSystemColumn(name) && !range->table_name.empty();
    if (!hasColumn(*range, name) && !has_system) return nullptr;
    ast::Expression column;
    column.kind = NodeKind::Column;
    column.position = node.position;
    column.names = argument.names;
    column.names.push_back(name);
    ExpressionPtr result = bindColumn(column);
    noteStoredText(state_, node.position, 0, textOf(column.names));
    return result;
  }
  if (!value) value = bind(argument);
  ExpressionPtr result = tryField(value, name);
  if (!result || !writesStoredText(state_, node.position)) return result;
  if (argument.kind != NodeKind::Column)
    throwNotSupported("a field of a value that is written as a function in a query that is stored", node.position);
  noteStoredText(state_, node.position, 0,
                 fmt::format("({}).{}", textOfColumn(state_, argument), quotedIdentifier(name)));
  return result;
}

/// A function, or a column or field that is written as one.
ExpressionPtr ExpressionBinder::bindFunction(const ast::Expression& node) {
  if (!isLikeColumn(node)) return bindNamedFunction(node);
  const std::string& name = node.names[0];
  const ast::Expression& argument = *node.children[0];
  const bool is_function = isFunctionName(state_, name);
  ExpressionPtr value;
  if (!is_function)
    if (ExpressionPtr column = bindColumnOfCall(node, value)) return column;
  // A subquery is joined once, whatever the name means.
  const bool has_join = is_function && hasSubquery(argument) && aggregateSignatures(name).empty();
  if (has_join) value = bind(argument);
  known_node_ = value ? &argument : nullptr;
  if (value) known_value_ = copy(*value);
  try {
    ExpressionPtr result = bindNamedFunction(node);
    known_node_ = nullptr;
    return result;
  } catch (const SqlError& error) {
    known_node_ = nullptr;
    if (!is_function || error.state() != sqlstate::kUndefinedFunction || (!has_join && hasSubquery(argument))) throw;
    if (ExpressionPtr column = bindColumnOfCall(node, value)) return column;
    throw;
  }
}

}  // namespace gnomon::sql
