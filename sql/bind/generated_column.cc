#include "sql/bind/generated_column.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/algebra/rewrite.h"
#include "sql/bind/coercion.h"
#include "sql/bind/stored_expression.h"
#include "sql/bind/stored_text.h"
#include "sql/catalog/catalog.h"
#include "sql/catalog/catalog_session.h"
#include "sql/optimise/simplify.h"

namespace gnomon::sql {
namespace {

using NodeKind = ast::Expression::Kind;

constexpr std::string_view kClause = "column generation expressions";

void refuseNodes(const std::vector<ColumnEntry>& columns, const ast::Expression& node) {
  forEachNode(node, [&](const ast::Expression& part) {
    if (part.kind == NodeKind::Subquery || part.kind == NodeKind::Exists)
      throw SqlError(sqlstate::kFeatureNotSupported, "cannot use subquery in column generation expression")
          .position(part.position);
    if (part.kind != NodeKind::Column || part.names.empty()) return;
    const auto found = std::ranges::find(columns, part.names.back(), &ColumnEntry::name);
    if (found == columns.end() || !found->is_generated) return;
    throw SqlError(sqlstate::kInvalidObjectDefinition,
                   fmt::format("cannot use generated column \"{}\" in column generation expression", found->name))
        .detail("A generated column cannot reference another generated column.")
        .position(part.position);
  });
}

}  // namespace

void defineGenerated(BindState& state, const std::string& table, std::vector<ColumnEntry>& columns, uint32_t column,
                     const ast::Expression& node, const std::string& text) {
  columns[column].is_generated = true;
  refuseNodes(columns, node);
  std::deque<InformationUnit> units;
  TableExpressionBinder binder(state, table, columns, units);
  const StoredText stored(state);
  ExpressionPtr bound = binder.bind(node, kClause);
  if (!binder.isImmutable(*bound) && !binder.isSaidImmutable(node, kClause))
    throw SqlError(sqlstate::kInvalidObjectDefinition, "generation expression is not immutable");
  Coercion(state).assign(std::move(bound), columns[column].type, columns[column].name, true);
  columns[column].default_text = withoutQualifiers(stored.write(node, text));
}

GeneratedColumns::GeneratedColumns(BindState& state, const std::string& table,
                                   const std::vector<ColumnEntry>& columns) {
  if (std::ranges::none_of(columns, &ColumnEntry::is_generated)) return;
  TableExpressionBinder binder(state, table, columns, units_);
  for (uint32_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].is_generated) continue;
    ExpressionPtr bound = binder.bind(StoredExpression(columns[i].default_text).tree(), kClause);
    Coercion coercion(state);
    bound = coercion.assign(std::move(bound), columns[i].type, columns[i].name, true);
    bound = coercion.toDomain(std::move(bound), columns[i].domain);
    std::vector<Iu> units;
    bound->collectUnits(units);
    columns_.push_back({i, std::move(bound), columnNumbers(units)});
  }
}

std::vector<uint32_t> GeneratedColumns::affected(const std::vector<uint32_t>& columns) const {
  const auto isAmong = [&](uint32_t column) { return std::ranges::find(columns, column) != columns.end(); };
  std::vector<uint32_t> found;
  for (const Column& column : columns_)
    if (isAmong(column.number) || std::ranges::any_of(column.reads, isAmong)) found.push_back(column.number);
  return found;
}

ExpressionPtr GeneratedColumns::value(uint32_t column, const std::vector<ExpressionPtr>& row) const {
  const auto found = std::ranges::find(columns_, column, &Column::number);
  CHECK(found != columns_.end(), "a generated column");
  Substitution substitution;
  for (const uint32_t read : found->reads) substitution.add(&units_[read], *row[read]);
  ExpressionPtr result = found->expression->clone();
  substitution.apply(result);
  return result;
}

OperatorPtr computeGenerated(BindState& state, const TableEntry& table, Insert& change, OperatorPtr source) {
  const GeneratedColumns generated(state, table.name, table.columns);
  if (generated.empty()) return source;
  auto map = std::make_unique<Map>();
  for (size_t i = 0; i < change.values.size(); ++i) {
    ExpressionPtr& value = change.values[i];
    if (table.columns[i].is_generated) continue;
    const Iu unit = state.plan->makeUnit(table.columns[i].name, value->type, value->nullable);
    map->computed.push_back({unit, std::move(value)});
    value = Expression::column(unit);
  }
  for (const uint32_t column : generatedColumnNumbers(table))
    change.values[column] = generated.value(column, change.values);
  map->inputs.push_back(std::move(source));
  return map;
}

void addGenerated(BindState& state, const TableEntry& table, std::vector<uint32_t>& changed,
                  std::vector<ExpressionPtr>& row) {
  const GeneratedColumns generated(state, table.name, table.columns);
  if (generated.empty()) return;
  for (const uint32_t column : changed)
    if (!table.columns[column].is_generated && row[column]->isVolatile())
      throwNotSupported("volatile values beside generated columns in MERGE and ON CONFLICT");
  const std::vector<uint32_t> affected = generated.affected(changed);
  for (const uint32_t column : affected) row[column] = generated.value(column, row);
  std::vector<uint32_t> all;
  std::ranges::set_union(changed, affected, std::back_inserter(all));
  changed = std::move(all);
}

std::vector<uint32_t> generatedColumnNumbers(const TableEntry& table) {
  std::vector<uint32_t> numbers;
  for (uint32_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].is_generated) numbers.push_back(i);
  return numbers;
}

std::shared_ptr<const IndexExpressions> generatedExpressions(const TableEntry& table) {
  const std::vector<uint32_t> numbers = generatedColumnNumbers(table);
  if (numbers.empty()) return nullptr;
  const Catalog no_tables;
  const CatalogSession* const session = catalogSession();
  BindContext context{
      session != nullptr ? session->catalog : static_cast<const CatalogView&>(no_tables), {}, false, {}, {}, {}, {}};
  context.unlimited_numerics = true;
  BindState state(context);
  auto result = std::make_shared<IndexExpressions>();
  TableExpressionBinder binder(state, table.name, table.columns, result->units);
  for (const uint32_t number : numbers) {
    const ColumnEntry& column = table.columns[number];
    const StoredExpression stored(column.default_text);
    ExpressionPtr bound = binder.bind(stored.tree(), kClause);
    if (!binder.isImmutable(*bound)) {
      context.called = calledRoutines(stored.tree());
      bound = binder.bind(stored.tree(), kClause);
    }
    Coercion coercion(state);
    bound = coercion.assign(std::move(bound), column.type, column.name, true);
    bound = coercion.toDomain(std::move(bound), column.domain);
    result->texts.push_back(column.default_text);
    result->parts.push_back(simplifyExpression(std::move(bound)));
  }
  return result;
}

}  // namespace gnomon::sql
