#include "sql/pg_catalog/definitions.h"

#include <fmt/format.h>

#include <algorithm>

#include "sql/bind/binder.h"
#include "sql/bind/collation.h"
#include "sql/bind/column_default.h"
#include "sql/bind/stored_expression.h"
#include "sql/bind/stored_reference.h"
#include "sql/catalog/column_order.h"
#include "sql/catalog/routines.h"
#include "sql/parse/identifier.h"
#include "sql/pg_catalog/objects.h"
#include "sql/pg_catalog/query_layout.h"

namespace gnomon::sql::pg_catalog {
namespace {

std::string columnNames(const TableEntry& table, const std::vector<uint32_t>& columns) {
  std::string text;
  for (const uint32_t column : columns)
    text.append(text.empty() ? "" : ", ").append(quotedIdentifier(table.columns[column].name));
  return text;
}

std::string_view actionText(ReferentialAction action) {
  switch (action) {
    case ReferentialAction::NoAction:
      return "";
    case ReferentialAction::Restrict:
      return "RESTRICT";
    case ReferentialAction::Cascade:
      return "CASCADE";
    case ReferentialAction::SetNull:
      return "SET NULL";
    case ReferentialAction::SetDefault:
      return "SET DEFAULT";
  }
  return "";
}

/// The routine or the type that is called `name` in a stored text.
std::string objectText(const CatalogView& catalog, uint32_t oid, const std::string& name) {
  const TablePtr entry = catalog.findEntry(oid);
  if (entry == nullptr) return quotedIdentifier(name);
  if (!entry->routine) return catalog.shownName(*entry);
  const bool is_found = shownRoutine(catalog, *entry) == routineSignature(*entry->routine);
  return (is_found ? "" : quotedIdentifier(entry->schema) + ".") + quotedIdentifier(entry->routine->name);
}

/// Binds expressions over the columns of a table, which are kept as SQL.
class TableExpressions {
 public:
  TableExpressions(const CatalogView& catalog, const TableEntry& table, const std::string& stored)
      : is_domain_(table.type && table.type->form == TypeEntry::Form::Domain),
        stored_(stored),
        context_{.catalog = catalog, .parameter_types = {}, .user = {}, .database = {}, .version = {}, .text = {}},
        state_(context_),
        binder_(state_, table.name, table.columns, units_) {
    for (const ast::Expression* const tree : stored_.trees())
      for (const uint32_t oid : calledRoutines(*tree)) context_.called.push_back(oid);
  }

  [[nodiscard]] const StoredExpression& stored() const { return stored_; }
  ExpressionPtr bind(const ast::Expression& tree) { return binder_.bind(tree, "expressions"); }
  /// The value of a domain whose checks these are; null: they are a table's.
  [[nodiscard]] Iu domainValue() const { return is_domain_ ? &units_.front() : nullptr; }

 private:
  const bool is_domain_;
  const StoredExpression stored_;
  BindContext context_;
  BindState state_;
  std::deque<InformationUnit> units_;
  TableExpressionBinder binder_;
};

void addColumns(const Expression& expression, std::vector<uint32_t>& columns) {
  const bool is_new =
      expression.kind == Expression::Kind::Column && std::ranges::find(columns, expression.iu->id) == columns.end();
  if (is_new) columns.push_back(expression.iu->id);
  for (const ExpressionPtr& child : expression.children) addColumns(*child, columns);
}

}  // namespace

std::optional<std::string> defaultText(const CatalogView& catalog, const ColumnEntry& column, Parentheses parentheses) {
  if (!hasDefault(column)) return std::nullopt;
  const StoredExpression expression(column.default_text);
  BindContext context{.catalog = catalog, .parameter_types = {}, .user = {}, .database = {}, .version = {}, .text = {}};
  context.called = calledRoutines(expression.tree());
  BindState state(context);
  const ExpressionPtr bound = bindDefaultExpression(state, expression.tree(), column);
  return withShownObjects(catalog, expressionText(*bound, expression.tree(), parentheses, nullptr));
}

std::string conditionText(const CatalogView& catalog, const TableEntry& table, const std::string& condition,
                          Parentheses parentheses) {
  TableExpressions expressions(catalog, table, condition);
  std::string text;
  for (const ast::Expression* tree : expressions.stored().trees())
    text.append(text.empty() ? "" : ", ")
        .append(
            expressionText(*expressions.bind(*tree), *tree, parentheses, &table.columns, expressions.domainValue()));
  return withShownObjects(catalog, text);
}

std::vector<uint32_t> conditionColumns(const CatalogView& catalog, const TableEntry& table,
                                       const std::string& condition) {
  TableExpressions expressions(catalog, table, condition);
  std::vector<uint32_t> columns;
  addColumns(*expressions.bind(expressions.stored().tree()), columns);
  return columns;
}

std::string keyPartText(const CatalogView& catalog, const TableEntry& table, const IndexColumn& part,
                        Parentheses parentheses) {
  if (part.column != IndexColumn::kExpression) return quotedIdentifier(table.columns[part.column].name);
  TableExpressions expressions(catalog, table, part.expression);
  const ast::Expression& tree = expressions.stored().tree();
  if (tree.kind != ast::Expression::Kind::Collate)
    return withShownObjects(catalog, keyText(*expressions.bind(tree), tree, table.columns, parentheses));
  const ast::Expression& inner = *tree.children[0];
  const ExpressionPtr bound = expressions.bind(inner);
  std::string text = inner.kind == ast::Expression::Kind::Column
                         ? quotedIdentifier(inner.names.back())
                         : withShownObjects(catalog, keyText(*bound, inner, table.columns, parentheses));
  const uint16_t collation = resolveCollation(tree.names);
  if (collation != derivedCollation(*bound).collation) text += " COLLATE " + quotedIdentifier(tree.names.back());
  return text;
}

namespace {

std::string_view methodName(IndexMethod method) {
  static constexpr std::string_view kNames[] = {"btree", "hash", "gin"};
  return kNames[static_cast<size_t>(method)];
}

std::string_view operatorClassName(OperatorClass operator_class) {
  static constexpr std::string_view kNames[] = {"", " text_pattern_ops", " varchar_pattern_ops", " bpchar_pattern_ops",
                                                " jsonb_path_ops"};
  return kNames[static_cast<size_t>(operator_class)];
}

}  // namespace

std::vector<std::string> storageParameters(const IndexEntry& index) {
  std::vector<std::string> texts = index.parameters;
  if (index.fillfactor != 0) texts.push_back(fmt::format("fillfactor={}", index.fillfactor));
  return texts;
}

std::string indexText(const CatalogView& catalog, const TableEntry& table, const IndexEntry& index,
                      Parentheses parentheses) {
  std::string parts;
  for (const IndexColumn& part : index.columns) {
    parts.append(parts.empty() ? "" : ", ").append(keyPartText(catalog, table, part, parentheses));
    parts += operatorClassName(part.operator_class);
    // NULLs come first in a descending order, if nothing else is said.
    if (part.descending) parts += part.nulls_first ? " DESC" : " DESC NULLS LAST";
    if (!part.descending && part.nulls_first) parts += " NULLS FIRST";
  }
  const bool is_short = parentheses == Parentheses::Needed;
  std::string text = fmt::format(
      "CREATE {}INDEX {} ON {}{} USING {} ({})", index.is_unique ? "UNIQUE " : "", quotedIdentifier(index.name),
      table.partitioning ? "ONLY " : "",
      is_short ? catalog.shownName(table) : quotedIdentifier(table.schema) + "." + quotedIdentifier(table.name),
      methodName(index.method), parts);
  if (!index.included.empty()) text += fmt::format(" INCLUDE ({})", columnNames(table, index.included));
  if (index.nulls_are_equal) text += " NULLS NOT DISTINCT";
  std::string parameters;
  for (const std::string& each : storageParameters(index)) {
    const size_t sign = each.find('=');
    const std::string value = each.substr(sign + 1);
    const bool is_name = quotedIdentifier(value) == value;
    parameters += fmt::format("{}{}={}", parameters.empty() ? "" : ", ", each.substr(0, sign),
                              is_name ? value : "'" + value + "'");
  }
  if (!parameters.empty()) text += " WITH (" + parameters + ")";
  if (!index.predicate.empty()) text += " WHERE " + conditionText(catalog, table, index.predicate, parentheses);
  return text;
}

std::string keyConstraintText(const TableEntry& table, const IndexEntry& index) {
  std::vector<uint32_t> columns;
  for (const IndexColumn& part : index.columns) columns.push_back(part.column);
  const std::string_view kind = index.is_primary        ? "PRIMARY KEY"
                                : index.nulls_are_equal ? "UNIQUE NULLS NOT DISTINCT"
                                                        : "UNIQUE";
  std::string text = fmt::format("{} ({})", kind, columnNames(table, columns));
  if (!index.included.empty()) text += fmt::format(" INCLUDE ({})", columnNames(table, index.included));
  if (index.is_deferrable) text += " DEFERRABLE";
  if (index.is_deferred) text += " INITIALLY DEFERRED";
  return text;
}

std::string checkText(const CatalogView& catalog, const TableEntry& table, const CheckEntry& check,
                      Parentheses parentheses) {
  return fmt::format("CHECK ({}){}{}", conditionText(catalog, table, check.expression, parentheses),
                     check.is_no_inherit ? " NO INHERIT" : "", check.is_valid ? "" : " NOT VALID");
}

std::string foreignKeyText(const CatalogView& catalog, const TableEntry& table, const ForeignKeyEntry& key) {
  const TablePtr parent = findTable(catalog, key.parent);
  if (parent == nullptr) return {};
  std::string text = fmt::format("FOREIGN KEY ({}) REFERENCES {}({})", columnNames(table, key.columns),
                                 catalog.shownName(*parent), columnNames(*parent, key.parent_columns));
  if (key.is_full) text += " MATCH FULL";
  if (key.on_update != ReferentialAction::NoAction) text.append(" ON UPDATE ").append(actionText(key.on_update));
  if (key.on_delete != ReferentialAction::NoAction) text.append(" ON DELETE ").append(actionText(key.on_delete));
  if (!key.set_columns.empty()) text += " (" + columnNames(table, key.set_columns) + ")";
  if (key.is_deferrable) text += " DEFERRABLE";
  if (key.is_deferred) text += " INITIALLY DEFERRED";
  if (!key.is_valid) text += " NOT VALID";
  return text;
}

std::string withShownObjects(const CatalogView& catalog, const std::string& text) {
  return withObjects(text, [&](uint32_t oid, const std::string& name) { return objectText(catalog, oid, name); });
}

std::string withShownReferences(const CatalogView& catalog, const StoredReferences& references,
                                const std::map<const StoredReference*, bool>& targets) {
  const auto showRelation = [&](const StoredReference& reference, const std::string& name,
                                bool has_alias) -> StoredReferences::Shown {
    const TablePtr table = findTable(catalog, reference.oid);
    if (table == nullptr) return {quotedIdentifier(name)};
    std::string text = catalog.shownName(*table);
    const auto target = targets.find(&reference);
    const bool has_renamed = !reference.old_names.empty() && target == targets.end();
    // The query goes on calling it, and its columns, as they were called.
    if (!has_alias && (table->name != name || has_renamed))
      text.append(target != targets.end() && target->second ? " AS " : " ").append(quotedIdentifier(name));
    if (!has_renamed) return {std::move(text)};
    std::string columns;
    for (const uint32_t i : columnsInOrder(*table))
      if (i < reference.column_count)
        columns.append(columns.empty() ? "(" : ", ")
            .append(quotedIdentifier(reference.nameOf(i, table->columns[i].name)));
    columns += ')';
    if (has_alias) return {std::move(text), std::move(columns)};
    return {text + columns};
  };
  return references.shown(showRelation,
                          [&](uint32_t oid, const std::string& name) { return objectText(catalog, oid, name); });
}

std::string viewText(const CatalogView& catalog, const ViewEntry& view) {
  return laidOut(withShownReferences(catalog, StoredReferences(view.query)));
}

}  // namespace gnomon::sql::pg_catalog
