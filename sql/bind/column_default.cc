#include "sql/bind/column_default.h"

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/bind/expression_binder.h"
#include "sql/catalog/user_types.h"
#include "sql/parse/ast_statement.h"
#include "sql/parse/parser.h"

namespace gnomon::sql {
namespace {

/// The first column reference in the tree, null when there is none.
const ast::Expression* findColumn(const ast::Expression& node) {
  if (node.kind == ast::Expression::Kind::Column) return &node;
  for (const ast::ExpressionPtr& child : node.children)
    if (child != nullptr)
      if (const ast::Expression* found = findColumn(*child)) return found;
  return nullptr;
}

/// The column's, or else that of its domain, or of the one below that.
std::string defaultText(const ColumnEntry& column) {
  std::string text = column.default_text;
  for (uint32_t domain = column.domain; text.empty() && domain != 0 && !isDomainArray(domain);) {
    const TablePtr entry = findTypeEntry(domain);
    if (!entry) break;
    text = entry->columns.front().default_text;
    domain = entry->type->base_domain;
  }
  return text;
}

/// What an identity column gets needs no right on its sequence.
void markIdentity(Expression& expression) {
  if (expression.kind == Expression::Kind::Call && expression.function == FunctionId::NextValue)
    expression.function = FunctionId::NextIdentityValue;
  for (const ExpressionPtr& child : expression.children) markIdentity(*child);
}

}  // namespace

ExpressionPtr bindDefaultExpression(BindState& state, const ast::Expression& node, const ColumnEntry& column) {
  if (const ast::Expression* reference = findColumn(node))
    throw SqlError(sqlstate::kFeatureNotSupported, "cannot use column reference in DEFAULT expression")
        .position(reference->position);
  const Scope scope;
  ExpressionBinder binder(state, scope, {"DEFAULT expressions"});
  ExpressionPtr value = binder.coercion().assign(binder.bind(node), column.type, column.name, true);
  return binder.coercion().toDomain(std::move(value), column.domain);
}

ExpressionPtr bindColumnDefault(BindState& state, const ColumnEntry& column) {
  // Where leaves cannot say that a dropped column is null, it is zero: nobody reads it.
  if (column.isDropped() && !column.stored.nullable) return Expression::constant(Value{column.type, false, 0, 0, {}});
  // What a generated column has is computed of the row.
  if (column.is_generated) return Expression::constant(Value::null(column.type));
  const std::string text = defaultText(column);
  if (text.empty())
    return Coercion(state).toDomain(Expression::constant(Value::null(column.type)),
                                    column.isDropped() ? 0 : column.domain);
  const std::vector<ParsedStatement> parsed = parse("SELECT " + text);
  CHECK(parsed.size() == 1 && parsed[0].tree != nullptr, "a stored default was parsed when it was stored");
  const auto& query = std::get<ast::QueryPtr>(parsed[0].tree->body);
  ExpressionPtr value = bindDefaultExpression(state, *query->items[0].expression, column);
  if (column.identity != Identity::None) markIdentity(*value);
  return value;
}

}  // namespace gnomon::sql
