#include <algorithm>
#include <initializer_list>
#include <utility>

#include "base/sql_error.h"
#include "sql/parse/tree_reader.h"

/// SEARCH and CYCLE of a recursive query: columns that both sides of its UNION compute over what they were.
///
/// Source: SQL:2016, "search or cycle clause"; PostgreSQL's rewriting of it. With the columns c, and r being where the
/// right side reads the query itself, `left UNION ALL right SEARCH DEPTH FIRST BY c SET s CYCLE c SET m USING p` is
///   SELECT c, ARRAY[ROW(c)], FALSE, ARRAY[ROW(c)] FROM (left)
///   UNION ALL
///   SELECT c, s || ROW(c), CASE WHEN ROW(c) = ANY (p) THEN TRUE ELSE FALSE END, p || ROW(c)
///     FROM (right with r.s, r.m, r.p) WHERE m <> TRUE
/// and BREADTH FIRST counts: ROW(0, c), and one more than what r has. Departure: the fields of such a row have no
/// names.
namespace gnomon::sql {
namespace {

using Kind = ast::Expression::Kind;
using Expressions = std::vector<ast::ExpressionPtr>;

template <typename... Nodes>
Expressions listOf(Nodes... nodes) {
  Expressions list;
  (list.push_back(std::move(nodes)), ...);
  return list;
}

ast::ExpressionPtr make(Kind kind, Expressions children = {}, std::string text = {}) {
  auto node = std::make_unique<ast::Expression>();
  node->kind = kind;
  node->children = std::move(children);
  node->text = std::move(text);
  return node;
}

ast::ExpressionPtr column(const std::string& table, const std::string& name) {
  ast::ExpressionPtr node = make(Kind::Column);
  node->names = {table, name};
  return node;
}

ast::ExpressionPtr castTo(ast::ExpressionPtr value, const char* type) {
  ast::ExpressionPtr node = make(Kind::Cast, listOf(std::move(value)));
  node->type.name = type;
  return node;
}

ast::ExpressionPtr rowOf(const std::string& table, const std::vector<std::string>& names,
                         ast::ExpressionPtr first = nullptr) {
  Expressions items;
  if (first) items.push_back(std::move(first));
  for (const std::string& name : names) items.push_back(column(table, name));
  return make(Kind::Row, std::move(items));
}

ast::ExpressionPtr operation(const char* name, ast::ExpressionPtr left, ast::ExpressionPtr right) {
  return make(Kind::Operator, listOf(std::move(left), std::move(right)), name);
}

/// The first field of the row, which is a number, and one.
ast::ExpressionPtr nextDepth(ast::ExpressionPtr row) {
  ast::ExpressionPtr json = make(Kind::Function, listOf(std::move(row)));
  json->names = {"pg_catalog", "row_to_json"};
  ast::ExpressionPtr depth = operation("->>", std::move(json), make(Kind::String, {}, "f1"));
  return operation("+", castTo(std::move(depth), "int8"), castTo(make(Kind::Integer, {}, "1"), "int8"));
}

std::string outputName(const ast::SelectItem& item) {
  if (!item.alias.empty()) return item.alias;
  const ast::Expression& node = *item.expression;
  const bool is_named = node.kind == Kind::Column || node.kind == Kind::Function;
  return is_named && !node.names.empty() ? node.names.back() : "?column?";
}

/// Of the columns of the query as it was written.
std::vector<std::string> columnNames(const ast::CommonTable& table) {
  const ast::Query& left = *table.query->left;
  std::vector<std::string> names;
  for (const ast::SelectItem& item : left.items) {
    // Whoever names columns names all.
    if (item.expression->is_star && !table.columns.empty()) return table.columns;
    if (item.expression->is_star) throwNotSupported("SEARCH or CYCLE over * without names of columns", table.position);
    names.push_back(outputName(item));
  }
  if (!left.rows.empty())
    for (size_t i = 0; i < left.rows.front().size(); ++i) names.push_back("column" + std::to_string(i + 1));
  for (size_t i = 0; i < std::min(names.size(), table.columns.size()); ++i) names[i] = table.columns[i];
  return names;
}

/// What the query itself is called in the FROM of its right side; null: it is not there.
const std::string* findReference(const ast::FromItem& item, const std::string& name) {
  if (item.kind == ast::FromItem::Kind::Join) {
    const std::string* const left = findReference(*item.left, name);
    return left ? left : findReference(*item.right, name);
  }
  if (item.kind != ast::FromItem::Kind::Table || item.relation.name != name || !item.relation.schema.empty())
    return nullptr;
  return item.alias.name.empty() ? &item.relation.name : &item.alias.name;
}

const std::string& referenceIn(const ast::Query& right, const std::string& name) {
  if (std::ranges::find(right.with.tables, name, &ast::CommonTable::name) == right.with.tables.end())
    for (const auto& item : right.from)
      if (const std::string* const found = findReference(*item, name)) return *found;
  throw SqlError(sqlstate::kFeatureNotSupported,
                 "with a SEARCH or CYCLE clause, the recursive reference to WITH query \"" + name +
                     "\" must be at the top level of its right-hand SELECT");
}

void requireSides(const ast::CommonTable& table, bool is_recursive) {
  const ast::Query* const query = table.query.get();
  if (!is_recursive || !query || query->set_operation != ast::Query::SetOperation::Union)
    throw SqlError(sqlstate::kSyntaxError, "WITH query is not recursive").position(table.position);
  for (const bool is_left : {true, false})
    if ((is_left ? query->left : query->right)->set_operation != ast::Query::SetOperation::None)
      throw SqlError(is_left ? sqlstate::kFeatureNotSupported : sqlstate::kSyntaxError,
                     std::string("with a SEARCH or CYCLE clause, the ") + (is_left ? "left" : "right") +
                         " side of the UNION must be a SELECT");
}

[[noreturn]] void raise(const std::string& text, int32_t position) {
  throw SqlError(sqlstate::kSyntaxError, text).position(position);
}

void requireColumns(const std::vector<std::string>& named, const std::vector<std::string>& columns, const char* clause,
                    int32_t position) {
  const auto has = [](const std::vector<std::string>& list, const std::string& name) {
    return std::ranges::find(list, name) != list.end();
  };
  for (size_t i = 0; i < named.size(); ++i) {
    const std::string subject = std::string(clause) + " column \"" + named[i] + "\" ";
    if (!has(columns, named[i])) raise(subject + "not in WITH query column list", position);
    if (std::find(named.begin(), named.begin() + static_cast<ptrdiff_t>(i), named[i]) !=
        named.begin() + static_cast<ptrdiff_t>(i))
      throw SqlError(sqlstate::kDuplicateColumn, subject + "specified more than once").position(position);
  }
}

void requireNew(const std::string& name, const std::vector<std::string>& columns, const char* what, int32_t position) {
  if (std::ranges::find(columns, name) != columns.end())
    raise(std::string(what) + " column name \"" + name + "\" already used in WITH query column list", position);
}

std::vector<std::string> texts(size_t count, PgQuery__Node* const* nodes) {
  std::vector<std::string> list;
  for (size_t i = 0; i < count; ++i) list.push_back(textOf(*nodes[i]));
  return list;
}

/// A column of a clause: what it is in rows of the left side, and in those of the right one.
struct AddedColumn {
  std::string name;
  ast::ExpressionPtr first, next;
};

/// A SELECT of the columns over the query as a derived table.
ast::QueryPtr selectOver(ast::QueryPtr query, const std::string& alias, const std::vector<std::string>& columns,
                         const std::vector<std::string>& more) {
  auto item = std::make_unique<ast::FromItem>();
  item->kind = ast::FromItem::Kind::Subquery;
  item->subquery = std::move(query);
  item->alias.name = alias;
  item->alias.columns = columns;
  item->alias.columns.insert(item->alias.columns.end(), more.begin(), more.end());
  auto result = std::make_unique<ast::Query>();
  for (const std::string& name : columns) result->items.push_back({column(alias, name), name});
  result->from.push_back(std::move(item));
  return result;
}

}  // namespace

void TreeReader::readSearch(const PgQuery__CommonTableExpr& node, bool is_recursive, ast::CommonTable& table) {
  requireSides(table, is_recursive);
  const std::vector<std::string> columns = columnNames(table);
  std::vector<std::string> added;
  const std::string left = "*TLOCRN*", right = "*TROCRN*";
  ast::Query& query = *table.query;
  ast::Query& inner = *query.right;
  const std::string reference = referenceIn(inner, table.name);
  std::vector<AddedColumn> values;
  const auto add = [&](const std::string& name, ast::ExpressionPtr first, ast::ExpressionPtr next) {
    added.push_back(name);
    inner.items.push_back({column(reference, name), name});
    values.push_back({name, std::move(first), std::move(next)});
  };
  ast::ExpressionPtr where;
  if (const auto* search = node.search_clause) {
    const std::vector<std::string> keys = texts(search->n_search_col_list, search->search_col_list);
    requireColumns(keys, columns, "search", search->location);
    const std::string name = search->search_seq_column;
    requireNew(name, columns, "search sequence", search->location);
    if (search->search_breadth_first)
      add(name, rowOf(left, keys, castTo(make(Kind::Integer, {}, "0"), "int8")),
          rowOf(right, keys, nextDepth(column(right, name))));
    else
      add(name, make(Kind::Array, listOf(rowOf(left, keys))),
          operation("||", column(right, name), make(Kind::Array, listOf(rowOf(right, keys)))));
  }
  if (const auto* cycle = node.cycle_clause) {
    const std::vector<std::string> keys = texts(cycle->n_cycle_col_list, cycle->cycle_col_list);
    requireColumns(keys, columns, "cycle", cycle->location);
    const std::string mark = cycle->cycle_mark_column, path = cycle->cycle_path_column;
    requireNew(mark, columns, "cycle mark", cycle->location);
    requireNew(path, columns, "cycle path", cycle->location);
    if (mark == path) raise("cycle mark column name and cycle path column name are the same", cycle->location);
    if (!added.empty() && added[0] == mark)
      raise("search sequence column name and cycle mark column name are the same", cycle->location);
    if (!added.empty() && added[0] == path)
      raise("search sequence column name and cycle path column name are the same", cycle->location);
    const auto choice = [&](ast::ExpressionPtr is_cycle) {
      ast::ExpressionPtr result =
          make(Kind::Case, listOf(ast::ExpressionPtr(), std::move(is_cycle), readExpression(cycle->cycle_mark_value),
                                  readExpression(cycle->cycle_mark_default)));
      result->when_positions.push_back(-1);
      return result;
    };
    ast::ExpressionPtr is_met = make(Kind::Quantified, listOf(rowOf(right, keys), column(right, path)), "=");
    add(mark, choice(make(Kind::Boolean, {}, "f")), choice(std::move(is_met)));
    add(path, make(Kind::Array, listOf(rowOf(left, keys))),
        operation("||", column(right, path), make(Kind::Array, listOf(rowOf(right, keys)))));
    where = operation("<>", column(right, mark), readExpression(cycle->cycle_mark_value));
  }
  table.added_columns = added.size();
  query.left = selectOver(std::move(query.left), left, columns, {});
  query.right = selectOver(std::move(query.right), right, columns, added);
  query.right->where = std::move(where);
  for (AddedColumn& value : values) {
    query.left->items.push_back({std::move(value.first), value.name});
    query.right->items.push_back({std::move(value.next), value.name});
  }
}

}  // namespace gnomon::sql
