#include "sql/bind/index_definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/assert.h"
#include "base/sql_error.h"
#include "sql/bind/expression_binder.h"
#include "sql/bind/from_binder.h"
#include "sql/bind/key_text.h"
#include "sql/bind/result_name.h"
#include "sql/bind/table_definition.h"
#include "sql/optimise/simplify.h"
#include "sql/parse/identifier.h"
#include "sql/parse/parser.h"

namespace gnomon::sql {
namespace {

using Kind = Expression::Kind;

/// Calls `visit` for the node and everything below it.
void forEachNode(const ast::Expression& node, const std::function<void(const ast::Expression&)>& visit) {
  visit(node);
  for (const ast::ExpressionPtr& child : node.children)
    if (child != nullptr) forEachNode(*child, visit);
}

/// The text parsed as one expression; positions are those in "SELECT text".
constexpr std::string_view kSelect = "SELECT ";
class StoredExpression {
 public:
  explicit StoredExpression(std::string_view text) : parsed_(parse(std::string(kSelect).append(text))) {
    CHECK(parsed_.size() == 1 && parsed_[0].tree != nullptr, "a stored expression was parsed when it was stored");
  }
  [[nodiscard]] const ast::Expression& tree() const {
    return *std::get<ast::QueryPtr>(parsed_[0].tree->body)->items[0].expression;
  }

 private:
  const std::vector<ParsedStatement> parsed_;
};

/// Behind the identifier that begins here, quoted or not.
size_t identifierEnd(std::string_view text, size_t at) {
  const auto isPart = [](char c) {
    return c == '_' || c == '$' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  if (at < text.size() && text[at] == '"') {
    for (++at; at < text.size(); ++at) {
      if (text[at] != '"') continue;
      if (at + 1 == text.size() || text[at + 1] != '"') return at + 1;
      ++at;
    }
    return at;
  }
  while (at < text.size() && isPart(text[at])) ++at;
  return at;
}

/// The text with each reference to a column, however qualified, replaced by a mere name: `nameOf(its name)`.
std::string withColumnNames(const std::string& text, const std::function<std::string(const std::string&)>& nameOf) {
  struct Reference {
    size_t begin, end;
    std::string name;
  };
  std::vector<Reference> references;
  const StoredExpression stored(text);
  forEachNode(stored.tree(), [&](const ast::Expression& node) {
    if (node.kind != ast::Expression::Kind::Column) return;
    const auto begin = static_cast<size_t>(node.position) - kSelect.size();
    size_t end = identifierEnd(text, begin);
    // The deparser puts nothing around the dots.
    for (size_t i = 1; i < node.names.size(); ++i) end = identifierEnd(text, end + 1);
    references.push_back({begin, end, node.names.back()});
  });
  std::ranges::sort(references, {}, &Reference::begin);
  std::string result;
  size_t copied = 0;
  for (const Reference& reference : references) {
    result.append(text, copied, reference.begin - copied).append(quotedIdentifier(nameOf(reference.name)));
    copied = reference.end;
  }
  return result.append(text, copied);
}

std::string withoutQualifiers(const std::string& text) {
  return withColumnNames(text, [](const std::string& name) { return name; });
}

/// Casts whose result depends on how dates and bytea are to be written, or were.
bool dependsOnSettings(const Expression& cast) {
  const Type from = cast.children[0]->type;
  const auto isWrittenByStyle = [](Type type) {
    return type.kind == TypeKind::Date || type.kind == TypeKind::Timestamp || type.kind == TypeKind::Interval;
  };
  if (cast.type.isString()) return isWrittenByStyle(from) || from.kind == TypeKind::Bytea;
  return from.isString() && isWrittenByStyle(cast.type);
}

bool hasSettingsCast(const Expression& expression) {
  if (expression.kind == Kind::Cast && dependsOnSettings(expression)) return true;
  return std::ranges::any_of(expression.children, [](const ExpressionPtr& child) { return hasSettingsCast(*child); });
}

/// Binds expressions over the columns of one table.
class IndexBinder {
 public:
  IndexBinder(BindState& state, const std::string& table, const std::vector<ColumnEntry>& columns) : state_(state) {
    for (uint32_t i = 0; i < columns.size(); ++i) {
      const Iu unit = &result_.units.emplace_back(i, columns[i].name, columns[i].type, true);
      if (!columns[i].isDropped()) scope_.columns.push_back({columns[i].name, unit});
    }
    scope_.ranges.push_back({table, table, scope_.columns, false});
  }

  void addColumn(uint32_t column) {
    result_.parts.push_back(Expression::column(&result_.units[column]));
    result_.texts.push_back(quotedIdentifier(result_.units[column].name));
  }
  /// Adds a part of the key. Returns the column it is after all, or IndexColumn::kExpression.
  uint32_t addExpression(const ast::Expression& node) {
    ExpressionPtr part = bind(node, "index expressions", "index expression");
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
    refuseParameters(node);
    state_.is_immutable = true;
    ExpressionBinder binder(state_, scope_, "index predicates");
    ExpressionPtr predicate = binder.bindCondition(node, "WHERE");
    requireImmutable(*predicate, "index predicate");
    std::vector<ExpressionPtr> conjuncts;
    conjuncts.push_back(std::move(predicate));
    result_.predicate = simplifyConditions(std::move(conjuncts));
  }
  [[nodiscard]] IndexExpressions take() { return std::move(result_); }

 private:
  ExpressionPtr bind(const ast::Expression& node, std::string_view clause, std::string_view what) {
    refuseParameters(node);
    state_.is_immutable = true;
    ExpressionPtr result = ExpressionBinder(state_, scope_, clause).bind(node);
    requireImmutable(*result, what);
    return result;
  }
  static void refuseParameters(const ast::Expression& node) {
    forEachNode(node, [](const ast::Expression& part) {
      if (part.kind == ast::Expression::Kind::Parameter)
        throw SqlError(sqlstate::kUndefinedParameter, fmt::format("there is no parameter ${}", part.number))
            .position(part.position);
    });
  }
  void requireImmutable(const Expression& expression, std::string_view what) const {
    if (state_.is_immutable && !hasSettingsCast(expression)) return;
    throw SqlError(sqlstate::kInvalidObjectDefinition, fmt::format("functions in {} must be marked IMMUTABLE", what));
  }

  BindState& state_;
  Scope scope_;
  IndexExpressions result_;
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
  const auto nameOf = [&](const std::string& name) { return name == from ? std::string(to) : name; };
  for (IndexColumn& part : index.columns)
    if (part.column == IndexColumn::kExpression) part.expression = withColumnNames(part.expression, nameOf);
  if (!index.predicate.empty()) index.predicate = withColumnNames(index.predicate, nameOf);
}

}  // namespace gnomon::sql
