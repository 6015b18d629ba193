#include "base/sql_error.h"
#include "sql/catalog/own_database.h"
#include "sql/parse/ast_statement.h"
#include "sql/parse/tree_reader.h"

namespace gnomon::sql {

using Kind = ast::Expression::Kind;

void TreeReader::rejectQueryClauses(const PgQuery__SelectStmt& node) {
  if (node.into_clause != nullptr && node.into_clause != into_)
    throw SqlError(sqlstate::kSyntaxError, "SELECT ... INTO is not allowed here")
        .position(node.into_clause->rel->location);
}

ast::With TreeReader::readWith(const PgQuery__WithClause* clause) {
  if (clause == nullptr) return {};
  const PgQuery__WithClause& node = *clause;
  ast::With with{{}, node.recursive != 0};
  for (size_t i = 0; i < node.n_ctes; ++i) {
    const PgQuery__CommonTableExpr& table = *node.ctes[i]->common_table_expr;
    ast::CommonTable read;
    read.name = table.ctename;
    read.position = table.location;
    if (table.ctequery->node_case == PG_QUERY__NODE__NODE_SELECT_STMT)
      read.query = readQuery(*table.ctequery->select_stmt);
    else if (table.ctequery->node_case == PG_QUERY__NODE__NODE_MERGE_STMT)
      throw SqlError(sqlstate::kFeatureNotSupported, "MERGE not supported in WITH query").position(table.location);
    else
      read.change = std::make_shared<ast::Statement>(readStatement(*table.ctequery));
    for (size_t n = 0; n < table.n_aliascolnames; ++n) read.columns.push_back(textOf(*table.aliascolnames[n]));
    if (table.ctematerialized == PG_QUERY__CTEMATERIALIZE__CTEMaterializeAlways) read.is_materialized = true;
    if (table.ctematerialized == PG_QUERY__CTEMATERIALIZE__CTEMaterializeNever) read.is_materialized = false;
    if (table.search_clause != nullptr || table.cycle_clause != nullptr) readSearch(table, with.is_recursive, read);
    with.tables.push_back(std::move(read));
  }
  return with;
}

std::vector<ast::SelectItem> TreeReader::readSelectItems(size_t count, PgQuery__Node* const* nodes) {
  std::vector<ast::SelectItem> items;
  for (size_t i = 0; i < count; ++i) {
    const PgQuery__ResTarget& target = *nodes[i]->res_target;
    items.push_back({readExpression(target.val), target.name, target.location});
  }
  return items;
}

ast::QueryPtr TreeReader::readQuery(const PgQuery__SelectStmt& node) {
  const Level level(*this);
  rejectQueryClauses(node);
  auto query = std::make_unique<ast::Query>();
  query->with = readWith(node.with_clause);
  readSetOperation(node, *query);
  if (node.n_distinct_clause > 0) {
    if (node.distinct_clause[0]->node_case != PG_QUERY__NODE__NODE__NOT_SET)
      query->distinct_on = readExpressions(node.n_distinct_clause, node.distinct_clause);
    else
      query->is_distinct = true;
  }
  query->items = readSelectItems(node.n_target_list, node.target_list);
  for (size_t i = 0; i < node.n_from_clause; ++i) query->from.push_back(readFromItem(*node.from_clause[i]));
  query->where = readExpression(node.where_clause);
  readGroupBy(node, *query);
  query->having = readExpression(node.having_clause);
  for (size_t i = 0; i < node.n_window_clause; ++i)
    query->windows.push_back(readWindow(*node.window_clause[i]->window_def));
  for (size_t i = 0; i < node.n_values_lists; ++i) {
    const PgQuery__List& row = *node.values_lists[i]->list;
    query->rows.push_back(readExpressions(row.n_items, row.items));
  }
  for (size_t i = 0; i < node.n_sort_clause; ++i)
    query->order_by.push_back(readSortItem(*node.sort_clause[i]->sort_by));
  query->limit = readExpression(node.limit_count);
  query->offset = readExpression(node.limit_offset);
  query->has_ties = node.limit_option == PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_WITH_TIES;
  for (size_t i = 0; i < node.n_locking_clause; ++i)
    query->locks.push_back(readRowLock(*node.locking_clause[i]->locking_clause));
  return query;
}

void TreeReader::readSetOperation(const PgQuery__SelectStmt& node, ast::Query& query) {
  using SetOperation = ast::Query::SetOperation;
  switch (node.op) {
    case PG_QUERY__SET_OPERATION__SETOP_UNION:
      query.set_operation = SetOperation::Union;
      break;
    case PG_QUERY__SET_OPERATION__SETOP_INTERSECT:
      query.set_operation = SetOperation::Intersect;
      break;
    case PG_QUERY__SET_OPERATION__SETOP_EXCEPT:
      query.set_operation = SetOperation::Except;
      break;
    default:
      return;
  }
  query.is_all = node.all;
  query.left = readQuery(*node.larg);
  query.right = readQuery(*node.rarg);
}

ast::RowLock TreeReader::readRowLock(const PgQuery__LockingClause& node) {
  using Strength = ast::RowLock::Strength;
  ast::RowLock lock;
  switch (node.strength) {
    case PG_QUERY__LOCK_CLAUSE_STRENGTH__LCS_FORKEYSHARE:
      lock.strength = Strength::KeyShare;
      break;
    case PG_QUERY__LOCK_CLAUSE_STRENGTH__LCS_FORSHARE:
      lock.strength = Strength::Share;
      break;
    case PG_QUERY__LOCK_CLAUSE_STRENGTH__LCS_FORNOKEYUPDATE:
      lock.strength = Strength::NoKeyUpdate;
      break;
    default:
      break;
  }
  if (node.wait_policy == PG_QUERY__LOCK_WAIT_POLICY__LockWaitSkip) lock.policy = RowLockPolicy::SkipLocked;
  if (node.wait_policy == PG_QUERY__LOCK_WAIT_POLICY__LockWaitError) lock.policy = RowLockPolicy::NoWait;
  for (size_t i = 0; i < node.n_locked_rels; ++i) {
    const PgQuery__RangeVar& relation = *node.locked_rels[i]->range_var;
    lock.tables.push_back({relation.relname, relation.location});
  }
  return lock;
}

namespace {

/// The grammar's flags of a frame, which its library does not name. Source: PostgreSQL's parse tree.
enum FrameFlag : int32_t {
  kNotDefault = 0x1,
  kRows = 0x4,
  kGroups = 0x8,
  kEndUnbounded = 0x100,
  kStartCurrent = 0x200,
  kStartPreceding = 0x800,
  kEndPreceding = 0x1000,
  kStartFollowing = 0x2000,
  kEndFollowing = 0x4000,
  kExcludeCurrent = 0x8000,
  kExcludeGroup = 0x10000,
  kExcludeTies = 0x20000,
};

void readFrame(int32_t flags, ast::WindowDefinition& window) {
  using Bound = Window::Bound::Kind;
  using Frame = Window::Frame;
  window.has_frame = (flags & kNotDefault) != 0;
  if ((flags & kRows) != 0) window.mode = Frame::Mode::Rows;
  if ((flags & kGroups) != 0) window.mode = Frame::Mode::Groups;
  if ((flags & kStartCurrent) != 0) window.start = Bound::CurrentRow;
  if ((flags & kStartPreceding) != 0) window.start = Bound::Preceding;
  if ((flags & kStartFollowing) != 0) window.start = Bound::Following;
  if ((flags & kEndUnbounded) != 0) window.end = Bound::UnboundedFollowing;
  if ((flags & kEndPreceding) != 0) window.end = Bound::Preceding;
  if ((flags & kEndFollowing) != 0) window.end = Bound::Following;
  if ((flags & kExcludeCurrent) != 0) window.exclusion = Frame::Exclusion::CurrentRow;
  if ((flags & kExcludeGroup) != 0) window.exclusion = Frame::Exclusion::Group;
  if ((flags & kExcludeTies) != 0) window.exclusion = Frame::Exclusion::Ties;
}

}  // namespace

std::unique_ptr<ast::WindowDefinition> TreeReader::readWindow(const PgQuery__WindowDef& node) {
  auto window = std::make_unique<ast::WindowDefinition>();
  window->name = node.name;
  window->base = node.refname;
  window->position = node.location;
  window->partition = readExpressions(node.n_partition_clause, node.partition_clause);
  for (size_t i = 0; i < node.n_order_clause; ++i)
    window->order.push_back(readSortItem(*node.order_clause[i]->sort_by));
  readFrame(node.frame_options, *window);
  window->start_offset = readExpression(node.start_offset);
  window->end_offset = readExpression(node.end_offset);
  return window;
}

ast::SortItem TreeReader::readSortItem(const PgQuery__SortBy& node) {
  ast::SortItem item;
  item.expression = readExpression(node.node);
  if (node.sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_USING) {
    item.order_operator = operatorName(node.n_use_op, node.use_op, node.location);
    item.operator_position = node.location;
  }
  item.descending = node.sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_DESC || item.order_operator == ">";
  item.nulls_first = node.sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_DEFAULT
                         ? item.descending
                         : node.sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST;
  return item;
}

ast::RelationName TreeReader::readRelation(const PgQuery__RangeVar& node) {
  if (node.catalogname[0] != 0) {
    const std::array<std::string, 3> parts{node.catalogname, node.schemaname, node.relname};
    withoutDatabase(parts, NameKind::Relation, node.location);
  }
  return {node.schemaname, node.relname, node.location, std::string_view(node.relpersistence) == "t", node.inh == 0};
}

ast::Alias TreeReader::readAlias(const PgQuery__Alias* node) {
  ast::Alias alias;
  if (node == nullptr) return alias;
  alias.name = node->aliasname;
  for (size_t i = 0; i < node->n_colnames; ++i) alias.columns.push_back(textOf(*node->colnames[i]));
  return alias;
}

std::unique_ptr<ast::FromItem> TreeReader::readFromItem(const PgQuery__Node& node) {
  const Level level(*this);
  auto item = std::make_unique<ast::FromItem>();
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_RANGE_VAR:
      item->relation = readRelation(*node.range_var);
      item->position = node.range_var->location;
      item->alias = readAlias(node.range_var->alias);
      return item;
    case PG_QUERY__NODE__NODE_RANGE_SUBSELECT:
      item->is_lateral = node.range_subselect->lateral;
      item->kind = ast::FromItem::Kind::Subquery;
      item->subquery = readQuery(*node.range_subselect->subquery->select_stmt);
      item->alias = readAlias(node.range_subselect->alias);
      return item;
    case PG_QUERY__NODE__NODE_JOIN_EXPR:
      return readJoin(*node.join_expr);
    case PG_QUERY__NODE__NODE_RANGE_FUNCTION:
      return readFunctions(*node.range_function);
    case PG_QUERY__NODE__NODE_RANGE_TABLE_SAMPLE:
      return readSample(*node.range_table_sample);
    default:
      throwNotSupported("table functions", statement_position_);
  }
}

std::unique_ptr<ast::FromItem> TreeReader::readSample(const PgQuery__RangeTableSample& node) {
  auto item = readFromItem(*node.relation);
  item->sample = std::make_unique<ast::TableSample>();
  item->sample->method = textOf(*node.method[node.n_method - 1]);
  item->sample->arguments = readExpressions(node.n_args, node.args);
  item->sample->seed = readExpression(node.repeatable);
  item->sample->position = node.location;
  return item;
}

/// Each function is a list of itself and its column definitions.
std::unique_ptr<ast::FromItem> TreeReader::readFunctions(const PgQuery__RangeFunction& node) {
  auto item = std::make_unique<ast::FromItem>();
  item->kind = ast::FromItem::Kind::Function;
  item->has_ordinality = node.ordinality;
  const auto readColumns = [this](size_t count, PgQuery__Node* const* nodes) {
    std::vector<ast::FunctionColumn> columns;
    for (size_t i = 0; i < count; ++i) {
      const PgQuery__ColumnDef& column = *nodes[i]->column_def;
      columns.push_back({column.colname, readType(*column.type_name), column.location});
    }
    return columns;
  };
  for (size_t i = 0; i < node.n_functions; ++i) {
    const PgQuery__List& parts = *node.functions[i]->list;
    ast::FunctionItem function{readExpression(parts.items[0]), {}};
    if (parts.n_items > 1 && parts.items[1]->node_case == PG_QUERY__NODE__NODE_LIST)
      function.columns = readColumns(parts.items[1]->list->n_items, parts.items[1]->list->items);
    item->functions.push_back(std::move(function));
  }
  if (node.n_coldeflist != 0) {
    const int32_t position = node.coldeflist[0]->column_def->location;
    if (!item->functions.front().columns.empty())
      throw SqlError(sqlstate::kSyntaxError, "multiple column definition lists are not allowed for the same function")
          .position(position);
    if (item->functions.size() > 1)
      throw SqlError(sqlstate::kSyntaxError, "ROWS FROM() with multiple functions cannot have a column definition list")
          .hint("Put a separate column definition list for each function inside ROWS FROM().")
          .position(position);
    if (item->has_ordinality)
      throw SqlError(sqlstate::kSyntaxError, "WITH ORDINALITY cannot be used with a column definition list")
          .hint("Put the column definition list inside ROWS FROM().")
          .position(position);
    item->functions.front().columns = readColumns(node.n_coldeflist, node.coldeflist);
  }
  item->alias = readAlias(node.alias);
  return item;
}

std::unique_ptr<ast::FromItem> TreeReader::readJoin(const PgQuery__JoinExpr& node) {
  using JoinKind = ast::FromItem::JoinKind;
  auto item = std::make_unique<ast::FromItem>();
  item->kind = ast::FromItem::Kind::Join;
  if (node.join_using_alias != nullptr) item->using_alias = node.join_using_alias->aliasname;
  switch (node.jointype) {
    case PG_QUERY__JOIN_TYPE__JOIN_INNER:
      item->join_kind = JoinKind::Inner;
      break;
    case PG_QUERY__JOIN_TYPE__JOIN_LEFT:
      item->join_kind = JoinKind::Left;
      break;
    case PG_QUERY__JOIN_TYPE__JOIN_RIGHT:
      item->join_kind = JoinKind::Right;
      break;
    default:
      item->join_kind = JoinKind::Full;
  }
  item->is_natural = node.is_natural;
  item->left = readFromItem(*node.larg);
  item->right = readFromItem(*node.rarg);
  item->condition = readExpression(node.quals);
  for (size_t i = 0; i < node.n_using_clause; ++i) item->using_columns.push_back(textOf(*node.using_clause[i]));
  item->alias = readAlias(node.alias);
  if (item->join_kind == JoinKind::Inner && !item->is_natural && !item->condition && item->using_columns.empty())
    item->join_kind = JoinKind::Cross;
  return item;
}

}  // namespace gnomon::sql
