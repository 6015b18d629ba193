#include "sql/bind/common_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "base/sql_error.h"
#include "sql/algebra/rewrite.h"

namespace gnomon::sql {
namespace {

bool isVolatile(OperatorPtr& tree) {
  bool found = false;
  forEachOperator(tree, [&](OperatorPtr& op) {
    forEachExpression(*op, [&](ExpressionPtr& expression) { found = found || expression->isVolatile(); });
  });
  return found;
}

/// What could be named where the table stands, while it lives.
class Surroundings {
 public:
  Surroundings(BindState& state, size_t tables, size_t levels)
      : state_(state), tables_(state.common_tables), levels_(state.outer_levels) {
    state.common_tables.resize(tables);
    state.outer_levels.resize(levels);
  }
  ~Surroundings() {
    for (size_t i = 0; i < state_.common_tables.size(); ++i) tables_[i].is_read = state_.common_tables[i].is_read;
    state_.common_tables = std::move(tables_);
    state_.outer_levels = std::move(levels_);
  }
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;

 private:
  BindState& state_;
  std::vector<CommonTableScope> tables_;
  std::vector<OuterLevel> levels_;
};

QueryBinder::Result bindQuery(BindState& state, const ast::CommonTable& table) {
  QueryBinder::Result query = QueryBinder(state).bind(*table.query);
  if (!query.locks.empty()) throwNotSupported("SELECT FOR UPDATE/SHARE in WITH", table.position);
  if (table.columns.size() > query.columns.size())
    throw SqlError(sqlstate::kInvalidColumnReference,
                   fmt::format("WITH query \"{}\" has {} columns available but {} columns specified", table.name,
                               query.columns.size(), table.columns.size()))
        .position(table.position);
  for (size_t i = 0; i < table.columns.size(); ++i) query.columns[i].name = table.columns[i];
  return query;
}

}  // namespace

/// Each is bound here, too: one that nobody reads may be wrong.
CommonTables::CommonTables(BindState& state, const std::vector<ast::CommonTable>& tables)
    : state_(state), tables_before_(state.common_tables.size()) {
  for (size_t i = 0; i < tables.size(); ++i)
    for (size_t other = 0; other < i; ++other)
      if (tables[other].name == tables[i].name)
        throw SqlError(sqlstate::kDuplicateAlias,
                       fmt::format("WITH query name \"{}\" specified more than once", tables[i].name))
            .position(tables[i].position);
  for (const ast::CommonTable& table : tables) {
    const size_t before = state.common_tables.size();
    std::vector<CommonTableScope> known = state.common_tables;
    QueryBinder::Result query = bindQuery(state, table);
    // This was no reference, and what it refers to was not read.
    state.common_tables = std::move(known);
    state.common_tables.push_back({&table, before, state.outer_levels.size(), isVolatile(query.tree)});
  }
}

CommonTableScope* findCommonTable(BindState& state, const ast::RelationName& name) {
  if (!name.schema.empty()) return nullptr;
  for (CommonTableScope& scope : state.common_tables | std::views::reverse)
    if (scope.table->name == name.name) return &scope;
  return nullptr;
}

QueryBinder::Result bindCommonTable(BindState& state, CommonTableScope& scope) {
  if (scope.is_read && scope.is_volatile)
    throwNotSupported("a WITH query that has volatile functions and is read more than once", scope.table->position);
  scope.is_read = true;
  static constexpr uint32_t kReferencesMax = 1000;
  if (++state.common_table_references > kReferencesMax)
    throw SqlError(sqlstate::kStatementTooComplex, "statement is too complex")
        .detail("Tables of WITH refer to one another too often.");
  const ast::CommonTable& table = *scope.table;
  const Surroundings surroundings(state, scope.tables_before, scope.outer_levels);
  return bindQuery(state, table);
}

}  // namespace gnomon::sql
