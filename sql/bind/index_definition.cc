#include "sql/bind/index_definition.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sql_error.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/key_text.h"
#include "sql/bind/result_name.h"
#include "sql/bind/stored_expression.h"
#include "sql/bind/table_definition.h"
#include "sql/catalog/catalog.h"
#include "sql/optimise/simplify.h"
#include "sql/parse/identifier.h"

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

/// Binds what an index computes of a row of its table.
class IndexBinder {
 public:
  IndexBinder(BindState& state, const std::string& table, const std::vector<ColumnEntry>& columns)
      : binder_(state, table, columns, result_.units) {}

  void addColumn(uint32_t column) {
    result_.parts.push_back(Expression::column(&result_.units[column]));
    result_.texts.push_back(quotedIdentifier(result_.units[column].name));
  }
  /// Adds a part of the key. Returns the column it is after all, or IndexColumn::kExpression.
  uint32_t addExpression(const ast::Expression& node) {
    ExpressionPtr part = binder_.bind(node, "index expressions");
    requireImmutable(*part, "index expression");
    if (part->type.kind == TypeKind::Unknown)
      throw SqlError(sqlstate::kUndefinedObject,
                     "data type unknown has no default operator class for access method \"btree\"")
          .hint(
              "You must specify an operator class for the index or define a default operator class for the data "
              "type.");
    if (part->kind == Kind::Column) {
      addColumn(part->iu->id);
      return part->iu->id;
    }
    result_.texts.push_back(keyText(*part, node));
    result_.parts.push_back(simplifyExpression(std::move(part)));
    return IndexColumn::kExpression;
  }
  void setPredicate(const ast::Expression& node) {
    ExpressionPtr predicate = binder_.bindCondition(node, "index predicates", "WHERE");
    requireImmutable(*predicate, "index predicate");
    std::vector<ExpressionPtr> conjuncts;
    conjuncts.push_back(std::move(predicate));
    result_.predicate = simplifyConditions(std::move(conjuncts));
  }
  [[nodiscard]] IndexExpressions take() { return std::move(result_); }

 private:
  void requireImmutable(const Expression& expression, std::string_view what) const {
    if (binder_.isImmutable(expression)) return;
    throw SqlError(sqlstate::kInvalidObjectDefinition, fmt::format("functions in {} must be marked IMMUTABLE", what));
  }

  IndexExpressions result_;
  TableExpressionBinder binder_;
};

/// A name that none of the parts before has: with a number behind it when need be.
std::string distinctLabel(std::string name, const std::vector<IndexColumn>& parts) {
  const std::string wanted = name;
  for (uint32_t number = 1; std::ranges::find(parts, name, &IndexColumn::label) != parts.end(); ++number)
    name = wanted + std::to_string(number);
  return name;
}

}  // namespace

void requirePartCount(size_t count) {
  constexpr size_t kPartsMax = 32;
  if (count > kPartsMax)
    throw SqlError(sqlstate::kTooManyColumns, fmt::format("cannot use more than {} columns in an index", kPartsMax));
}

CreateIndexStatement bindCreateIndex(BindState& state, const ast::CreateIndex& create) {
  requirePublic(create.relation);
  CreateIndexStatement result;
  result.table = FromBinder(state).findTable({create.relation.schema, create.relation.name, -1}, TableUse::Index);
  IndexSpecification& index = result.index;
  index.name = create.name;
  index.is_unique = create.is_unique;
  result.if_not_exists = create.if_not_exists;
  const std::vector<ColumnEntry>& columns = result.table->columns;
  IndexBinder binder(state, result.table->name, columns);
  if (create.where) {
    binder.setPredicate(*create.where);
    index.predicate = withoutQualifiers(create.where_text);
  }
  for (const ast::IndexPart& part : create.parts) {
    IndexColumn column{.descending = part.descending, .nulls_first = part.nulls_first};
    std::string label = part.column;
    if (part.expression) {
      label = innerName(*part.expression);
      column.column = binder.addExpression(*part.expression);
      if (column.column == IndexColumn::kExpression) column.expression = withoutQualifiers(part.expression_text);
    } else {
      const auto found = std::ranges::find(columns, part.column, &ColumnEntry::name);
      if (found == columns.end())
        throw SqlError(sqlstate::kUndefinedColumn, fmt::format("column \"{}\" does not exist", part.column));
      column.column = static_cast<uint32_t>(found - columns.begin());
    }
    column.label = distinctLabel(label.empty() ? "expr" : std::move(label), index.columns);
    index.columns.push_back(std::move(column));
  }
  requirePartCount(index.columns.size());
  return result;
}

std::shared_ptr<const IndexExpressions> bindIndexExpressions(const std::vector<ColumnEntry>& columns,
                                                             const IndexSpecification& index) {
  const bool has_expression = std::ranges::any_of(
      index.columns, [](const IndexColumn& part) { return part.column == IndexColumn::kExpression; });
  if (!has_expression && index.predicate.empty()) return nullptr;
  const Catalog no_tables;
  BindContext context{no_tables, {}, false, {}, {}, {}, {}};
  BindState state(context);
  IndexBinder binder(state, {}, columns);
  for (const IndexColumn& part : index.columns) {
    if (part.column == IndexColumn::kExpression)
      binder.addExpression(StoredExpression(part.expression).tree());
    else
      binder.addColumn(part.column);
  }
  if (!index.predicate.empty()) binder.setPredicate(StoredExpression(index.predicate).tree());
  return std::make_shared<const IndexExpressions>(binder.take());
}

IndexExpressions bindInference(BindState& state, const TableEntry& table, const ast::OnConflict& conflict) {
  IndexBinder binder(state, table.name, table.columns);
  for (const ast::IndexPart& part : conflict.elements) {
    if (part.expression) {
      binder.addExpression(*part.expression);
      continue;
    }
    const auto found = std::ranges::find(table.columns, part.column, &ColumnEntry::name);
    if (found == table.columns.end())
      throw SqlError(sqlstate::kUndefinedColumn, fmt::format("column \"{}\" does not exist", part.column))
          .position(conflict.target_position);
    binder.addColumn(static_cast<uint32_t>(found - table.columns.begin()));
  }
  if (conflict.predicate) binder.setPredicate(*conflict.predicate);
  return binder.take();
}

std::vector<uint32_t> dependedColumns(const IndexEntry& index) {
  if (index.expressions) return mentionedColumns(*index.expressions);
  std::vector<uint32_t> columns;
  for (const IndexColumn& part : index.columns) columns.push_back(part.column);
  std::ranges::sort(columns);
  const auto repeated = std::ranges::unique(columns);
  columns.erase(repeated.begin(), repeated.end());
  return columns;
}

void renameColumn(IndexSpecification& index, std::string_view from, std::string_view to) {
  for (IndexColumn& part : index.columns)
    if (part.column == IndexColumn::kExpression) part.expression = withRenamedColumn(part.expression, from, to);
  if (!index.predicate.empty()) index.predicate = withRenamedColumn(index.predicate, from, to);
}

}  // namespace gnomon::sql
