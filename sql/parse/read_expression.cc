#include <array>

#include "base/sql_error.h"
#include "sql/catalog/own_database.h"
#include "sql/parse/nesting.h"
#include "sql/parse/tree_reader.h"

namespace gnomon::sql {
namespace {

using Kind = ast::Expression::Kind;

ast::ExpressionPtr make(Kind kind, int32_t position) {
  auto expression = std::make_unique<ast::Expression>();
  expression->kind = kind;
  expression->position = position;
  return expression;
}

std::string_view rejectedExpression(PgQuery__Node__NodeCase node_case) {
  switch (node_case) {
    case PG_QUERY__NODE__NODE_NAMED_ARG_EXPR:
      return "named arguments";
    case PG_QUERY__NODE__NODE_XML_EXPR:
    case PG_QUERY__NODE__NODE_XML_SERIALIZE:
      return "XML";
    case PG_QUERY__NODE__NODE_CURRENT_OF_EXPR:
      return "WHERE CURRENT OF";
    default:
      return "this expression";
  }
}

int32_t positionOf(const PgQuery__Node& node) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_SUB_LINK:
      return node.sub_link->location;
    case PG_QUERY__NODE__NODE_ROW_EXPR:
      return node.row_expr->location;
    case PG_QUERY__NODE__NODE_NAMED_ARG_EXPR:
      return node.named_arg_expr->location;
    default:
      return -1;
  }
}

}  // namespace

std::string operatorName(size_t count, PgQuery__Node* const* names, int32_t position) {
  if (count > 2 || (count == 2 && textOf(*names[0]) != "pg_catalog"))
    throwNotSupported("operators of other schemas", position);
  return textOf(*names[count - 1]);
}

TreeReader::Level::Level(TreeReader& reader) : reader_(reader) {
  if (++reader_.depth_ <= kTreeDepthMax) return;
  --reader_.depth_;
  throw SqlError(sqlstate::kStatementTooComplex, "stack depth limit exceeded");
}

std::vector<std::string> textsOf(size_t count, PgQuery__Node* const* nodes) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < count; ++i) texts.push_back(textOf(*nodes[i]));
  return texts;
}

std::string textOf(const PgQuery__Node& node) {
  return node.node_case == PG_QUERY__NODE__NODE_STRING ? std::string(node.string->sval) : std::string();
}

void TreeReader::refuseInCheck(SqlState state, const char* message, int32_t position) const {
  if (in_check_) throw SqlError(state, message).position(in_alter_table_ ? -1 : position);
}

ast::ExpressionPtr TreeReader::readExpression(const PgQuery__Node* node) {
  if (node == nullptr) return nullptr;
  const Level level(*this);
  switch (node->node_case) {
    case PG_QUERY__NODE__NODE_A_CONST:
      return readConstant(*node->a_const);
    case PG_QUERY__NODE__NODE_COLUMN_REF:
      return readColumn(*node->column_ref);
    case PG_QUERY__NODE__NODE_PARAM_REF: {
      auto result = make(Kind::Parameter, node->param_ref->location);
      result->number = static_cast<uint32_t>(node->param_ref->number);
      return result;
    }
    case PG_QUERY__NODE__NODE_A_EXPR:
      return readOperator(*node->a_expr);
    case PG_QUERY__NODE__NODE_BOOL_EXPR:
      return readLogic(*node->bool_expr);
    case PG_QUERY__NODE__NODE_NULL_TEST:
    case PG_QUERY__NODE__NODE_BOOLEAN_TEST:
      return readTest(*node);
    case PG_QUERY__NODE__NODE_FUNC_CALL:
      return readFunction(*node->func_call);
    case PG_QUERY__NODE__NODE_TYPE_CAST: {
      auto result = make(Kind::Cast, node->type_cast->location);
      result->type = readType(*node->type_cast->type_name);
      result->children.push_back(readExpression(node->type_cast->arg));
      return result;
    }
    case PG_QUERY__NODE__NODE_COLLATE_CLAUSE: {
      auto result = make(Kind::Collate, node->collate_clause->location);
      for (size_t i = 0; i < node->collate_clause->n_collname; ++i)
        result->names.push_back(textOf(*node->collate_clause->collname[i]));
      result->children.push_back(readExpression(node->collate_clause->arg));
      return result;
    }
    case PG_QUERY__NODE__NODE_CASE_EXPR:
      return readCase(*node->case_expr);
    case PG_QUERY__NODE__NODE_COALESCE_EXPR: {
      auto result = make(Kind::Coalesce, node->coalesce_expr->location);
      result->children = readExpressions(node->coalesce_expr->n_args, node->coalesce_expr->args);
      return result;
    }
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR: {
      const PgQuery__MinMaxExpr& expression = *node->min_max_expr;
      auto result =
          make(expression.op == PG_QUERY__MIN_MAX_OP__IS_GREATEST ? Kind::Greatest : Kind::Least, expression.location);
      result->children = readExpressions(expression.n_args, expression.args);
      return result;
    }
    case PG_QUERY__NODE__NODE_SQLVALUE_FUNCTION:
      return readSessionValue(*node->sqlvalue_function);
    case PG_QUERY__NODE__NODE_SET_TO_DEFAULT:
      return make(Kind::Default, node->set_to_default->location);
    case PG_QUERY__NODE__NODE_SUB_LINK:
      return readSubquery(*node->sub_link);
    case PG_QUERY__NODE__NODE_GROUPING_FUNC: {
      auto result = make(Kind::Grouping, node->grouping_func->location);
      refuseInCheck(sqlstate::kGroupingError, "grouping operations are not allowed in check constraints",
                    result->position);
      result->children = readExpressions(node->grouping_func->n_args, node->grouping_func->args);
      return result;
    }
    case PG_QUERY__NODE__NODE_A_ARRAY_EXPR: {
      auto result = make(Kind::Array, node->a_array_expr->location);
      result->children = readExpressions(node->a_array_expr->n_elements, node->a_array_expr->elements);
      return result;
    }
    case PG_QUERY__NODE__NODE_A_INDIRECTION:
      return readSubscripts(node->a_indirection->n_indirection, node->a_indirection->indirection,
                            readExpression(node->a_indirection->arg));
    case PG_QUERY__NODE__NODE_ROW_EXPR: {
      auto result = make(Kind::Row, node->row_expr->location);
      result->children = readExpressions(node->row_expr->n_args, node->row_expr->args);
      return result;
    }
    default:
      throwNotSupported(rejectedExpression(node->node_case), positionOf(*node));
  }
}

std::vector<ast::ExpressionPtr> TreeReader::readExpressions(size_t count, PgQuery__Node* const* nodes) {
  std::vector<ast::ExpressionPtr> result;
  result.reserve(count);
  for (size_t i = 0; i < count; ++i) result.push_back(readExpression(nodes[i]));
  return result;
}

ast::ExpressionPtr TreeReader::readConstant(const PgQuery__AConst& node) {
  auto result = make(Kind::Null, node.location);
  if (node.isnull) return result;
  switch (node.val_case) {
    case PG_QUERY__A__CONST__VAL_IVAL:
      result->kind = Kind::Integer;
      result->text = std::to_string(node.ival->ival);
      return result;
    case PG_QUERY__A__CONST__VAL_FVAL:
      result->kind = Kind::Float;
      result->text = node.fval->fval;
      return result;
    case PG_QUERY__A__CONST__VAL_BOOLVAL:
      result->kind = Kind::Boolean;
      result->text = node.boolval->boolval ? "t" : "f";
      return result;
    case PG_QUERY__A__CONST__VAL_SVAL:
      result->kind = Kind::String;
      result->text = node.sval->sval;
      return result;
    default:
      result->kind = Kind::BitString;
      result->text = node.bsval->bsval;
      return result;
  }
}

ast::ExpressionPtr TreeReader::readColumn(const PgQuery__ColumnRef& node) {
  auto result = make(Kind::Column, node.location);
  for (size_t i = 0; i < node.n_fields; ++i) {
    if (node.fields[i]->node_case == PG_QUERY__NODE__NODE_A_STAR)
      result->is_star = true;
    else
      result->names.push_back(textOf(*node.fields[i]));
  }
  return result;
}

ast::ExpressionPtr TreeReader::readOperator(const PgQuery__AExpr& node) {
  switch (node.kind) {
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP: {
      auto result = make(Kind::Operator, node.location);
      result->text = operatorName(node.n_name, node.name, node.location);
      if (node.lexpr != nullptr) result->children.push_back(readExpression(node.lexpr));
      result->children.push_back(readExpression(node.rexpr));
      return result;
    }
    case PG_QUERY__A__EXPR__KIND__AEXPR_DISTINCT:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF: {
      const Kind kind = node.kind == PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF     ? Kind::NullIf
                        : node.kind == PG_QUERY__A__EXPR__KIND__AEXPR_DISTINCT ? Kind::IsDistinct
                                                                               : Kind::IsNotDistinct;
      auto result = make(kind, node.location);
      result->children.push_back(readExpression(node.lexpr));
      result->children.push_back(readExpression(node.rexpr));
      return result;
    }
    case PG_QUERY__A__EXPR__KIND__AEXPR_IN:
      return readList(node, textOf(*node.name[0]) == "=" ? Kind::In : Kind::NotIn);
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN:
      return readList(node, Kind::Between);
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN:
      return readList(node, Kind::NotBetween);
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN_SYM:
      return readList(node, Kind::BetweenSymmetric);
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN_SYM:
      return readList(node, Kind::NotBetweenSymmetric);
    case PG_QUERY__A__EXPR__KIND__AEXPR_LIKE:
    case PG_QUERY__A__EXPR__KIND__AEXPR_ILIKE:
      return readLike(node);
    case PG_QUERY__A__EXPR__KIND__AEXPR_SIMILAR:
      // text ~ similar_to_escape(pattern)
      return readPattern(node);
    default: {
      auto result = make(Kind::Quantified, node.location);
      result->is_all = node.kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP_ALL;
      result->text = operatorName(node.n_name, node.name, node.location);
      result->children.push_back(readExpression(node.lexpr));
      result->children.push_back(readExpression(node.rexpr));
      return result;
    }
  }
}

ast::ExpressionPtr TreeReader::readSubscripts(size_t count, PgQuery__Node* const* nodes, ast::ExpressionPtr value) {
  const int32_t position = value ? value->position : -1;
  ast::ExpressionPtr result = std::move(value);
  bool is_subscript = false;
  for (size_t i = 0; i < count; ++i) {
    if (nodes[i]->node_case != PG_QUERY__NODE__NODE_A_INDICES) {
      auto field = make(Kind::Field, position);
      field->is_star = nodes[i]->node_case == PG_QUERY__NODE__NODE_A_STAR;
      if (!field->is_star) field->names.push_back(textOf(*nodes[i]));
      field->children.push_back(std::move(result));
      result = std::move(field);
      is_subscript = false;
      continue;
    }
    if (!is_subscript) {
      auto subscript = make(Kind::Subscript, position);
      subscript->children.push_back(std::move(result));
      result = std::move(subscript);
      is_subscript = true;
    }
    const PgQuery__AIndices& indices = *nodes[i]->a_indices;
    result->text += indices.is_slice ? 's' : 'e';
    result->children.push_back(readExpression(indices.lidx));
    result->children.push_back(readExpression(indices.uidx));
  }
  return result;
}

ast::ExpressionPtr TreeReader::readList(const PgQuery__AExpr& node, Kind kind) {
  auto result = make(kind, node.location);
  result->children.push_back(readExpression(node.lexpr));
  for (auto& item : readExpressions(node.rexpr->list->n_items, node.rexpr->list->items))
    result->children.push_back(std::move(item));
  return result;
}

ast::ExpressionPtr TreeReader::readLike(const PgQuery__AExpr& node) {
  auto result = make(Kind::Like, node.location);
  result->text = textOf(*node.name[0]);
  result->children.push_back(readExpression(node.lexpr));
  auto pattern = readExpression(node.rexpr);
  if (pattern->kind == Kind::Function && pattern->names.back() == "like_escape" && pattern->position == node.location) {
    result->children.push_back(std::move(pattern->children[0]));
    result->children.push_back(std::move(pattern->children[1]));
  } else {
    result->children.push_back(std::move(pattern));
  }
  return result;
}

ast::ExpressionPtr TreeReader::readLogic(const PgQuery__BoolExpr& node) {
  const Kind kind = node.boolop == PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR  ? Kind::And
                    : node.boolop == PG_QUERY__BOOL_EXPR_TYPE__OR_EXPR ? Kind::Or
                                                                       : Kind::Not;
  auto result = make(kind, node.location);
  result->children = readExpressions(node.n_args, node.args);
  return result;
}

ast::ExpressionPtr TreeReader::readTest(const PgQuery__Node& node) {
  if (node.node_case == PG_QUERY__NODE__NODE_NULL_TEST) {
    const PgQuery__NullTest& test = *node.null_test;
    const bool is_null = test.nulltesttype == PG_QUERY__NULL_TEST_TYPE__IS_NULL;
    auto result = make(is_null ? Kind::IsNull : Kind::IsNotNull, test.location);
    result->children.push_back(readExpression(test.arg));
    return result;
  }
  const PgQuery__BooleanTest& test = *node.boolean_test;
  static constexpr std::array kKinds = {Kind::IsTrue,     Kind::IsNotTrue, Kind::IsFalse,
                                        Kind::IsNotFalse, Kind::IsUnknown, Kind::IsNotUnknown};
  auto result = make(kKinds[static_cast<size_t>(test.booltesttype - PG_QUERY__BOOL_TEST_TYPE__IS_TRUE)], test.location);
  result->children.push_back(readExpression(test.arg));
  return result;
}

ast::ExpressionPtr TreeReader::readPattern(const PgQuery__AExpr& node) {
  auto result = make(Kind::Operator, node.location);
  result->text = textOf(*node.name[0]);
  result->children.push_back(readExpression(node.lexpr));
  result->children.push_back(readExpression(node.rexpr));
  return result;
}

void TreeReader::readArguments(const PgQuery__FuncCall& node, ast::Expression& call) {
  for (size_t i = 0; i < node.n_args; ++i) {
    if (node.args[i]->node_case != PG_QUERY__NODE__NODE_NAMED_ARG_EXPR) {
      call.children.push_back(readExpression(node.args[i]));
      if (!call.argument_names.empty())
        throw SqlError(sqlstate::kSyntaxError, "positional argument cannot follow named argument")
            .position(call.children.back()->position);
      continue;
    }
    const PgQuery__NamedArgExpr& named = *node.args[i]->named_arg_expr;
    call.argument_names.resize(call.children.size());
    call.argument_names.emplace_back(named.name);
    call.children.push_back(readExpression(named.arg));
    call.name_positions.resize(call.children.size(), -1);
    call.name_positions.back() = named.location;
  }
}

ast::ExpressionPtr TreeReader::readFunction(const PgQuery__FuncCall& node) {
  if (node.over != nullptr) {
    refuseInCheck(sqlstate::kWindowingError, "window functions are not allowed in check constraints", node.location);
  }
  auto result = make(Kind::Function, node.location);
  result->is_variadic = node.func_variadic;
  const std::vector<std::string> parts = textsOf(node.n_funcname, node.funcname);
  const auto own = withoutDatabase(parts, NameKind::Other, node.location);
  result->names.assign(own.begin(), own.end());
  // A check is kept as it was written, with the names of the sequences.
  static constexpr std::string_view kOfSequences[] = {"nextval", "currval", "setval"};
  if (in_check_ && std::ranges::find(kOfSequences, result->names.back()) != std::ranges::end(kOfSequences))
    throwNotSupported("function \"" + result->names.back() + "\" in CHECK", node.location);
  result->is_star = node.agg_star;
  result->is_distinct = node.agg_distinct;
  result->is_within_group = node.agg_within_group;
  readArguments(node, *result);
  for (size_t i = 0; i < node.n_agg_order; ++i) result->order.push_back(readSortItem(*node.agg_order[i]->sort_by));
  if (node.agg_filter != nullptr) result->filter = readExpression(node.agg_filter);
  if (node.over != nullptr) result->over = readWindow(*node.over);
  return result;
}

ast::ExpressionPtr TreeReader::readSubquery(const PgQuery__SubLink& node) {
  refuseInCheck(sqlstate::kFeatureNotSupported, "cannot use subquery in check constraint", node.location);
  auto result = make(Kind::Subquery, node.location);
  switch (node.sub_link_type) {
    case PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK:
      break;
    case PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK:
      result->kind = Kind::Exists;
      break;
    case PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK:
    case PG_QUERY__SUB_LINK_TYPE__ALL_SUBLINK: {
      result->kind = Kind::Quantified;
      result->is_all = node.sub_link_type == PG_QUERY__SUB_LINK_TYPE__ALL_SUBLINK;
      result->text = node.n_oper_name == 0 ? "=" : operatorName(node.n_oper_name, node.oper_name, node.location);
      if (node.testexpr->node_case == PG_QUERY__NODE__NODE_ROW_EXPR)
        result->children = readExpressions(node.testexpr->row_expr->n_args, node.testexpr->row_expr->args);
      else
        result->children.push_back(readExpression(node.testexpr));
      break;
    }
    case PG_QUERY__SUB_LINK_TYPE__ARRAY_SUBLINK:
      result->kind = Kind::ArrayQuery;
      break;
    default:
      throwNotSupported("this kind of subquery", node.location);
  }
  result->query = readQuery(*node.subselect->select_stmt);
  return result;
}

ast::ExpressionPtr TreeReader::readCase(const PgQuery__CaseExpr& node) {
  auto result = make(Kind::Case, node.location);
  result->children.push_back(readExpression(node.arg));
  for (size_t i = 0; i < node.n_args; ++i) {
    result->when_positions.push_back(node.args[i]->case_when->location);
    result->children.push_back(readExpression(node.args[i]->case_when->expr));
    result->children.push_back(readExpression(node.args[i]->case_when->result));
  }
  result->children.push_back(readExpression(node.defresult));
  return result;
}

namespace {

/// The time of the transaction, as a type and with so many digits after the second.
ast::ExpressionPtr readCurrent(const PgQuery__SQLValueFunction& node, const char* name, const char* type) {
  auto result = std::make_unique<ast::Expression>();
  result->kind = Kind::SessionValue;
  result->position = node.location;
  result->text = name;
  result->type.name = type;
  result->type.position = node.location;
  if (node.typmod >= 0) result->type.modifiers.push_back(std::to_string(node.typmod));
  return result;
}

}  // namespace

ast::ExpressionPtr TreeReader::readSessionValue(const PgQuery__SQLValueFunction& node) {
  auto result = make(Kind::SessionValue, node.location);
  switch (node.op) {
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_ROLE:
      result->text = "current_role";
      return result;
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_USER:
      result->text = "current_user";
      return result;
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_USER:
      result->text = "user";
      return result;
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_SESSION_USER:
      result->text = "session_user";
      return result;
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_CATALOG:
      result->text = "current_catalog";
      return result;
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_SCHEMA:
      result->text = "current_schema";
      return result;
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_DATE:
      return readCurrent(node, "current_date", "date");
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIME:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIME_N:
      return readCurrent(node, "current_time", "timetz");
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIME:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIME_N:
      return readCurrent(node, "localtime", "time");
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIMESTAMP:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIMESTAMP_N:
      return readCurrent(node, "localtimestamp", "timestamp");
    default:
      return readCurrent(node, "current_timestamp", "timestamptz");
  }
}

ast::TypeName TreeReader::readType(const PgQuery__TypeName& node) {
  if (node.setof) throwNotSupported("SETOF", node.location);
  if (node.pct_type) throwNotSupported("%TYPE", node.location);
  ast::TypeName type;
  type.position = node.location;
  type.is_array = node.n_array_bounds > 0;
  const std::vector<std::string> parts = textsOf(node.n_names, node.names);
  const auto own = withoutDatabase(parts, NameKind::Other);
  if (own.size() > 1) type.schema = own[0];
  type.name = own.back();
  for (size_t i = 0; i < node.n_typmods; ++i) {
    const auto modifier = readExpression(node.typmods[i]);
    if (modifier->kind != Kind::Integer && modifier->kind != Kind::Float && modifier->kind != Kind::String &&
        modifier->kind != Kind::Column)
      throw SqlError(sqlstate::kSyntaxError, "type modifiers must be simple constants or identifiers")
          .position(node.location);
    type.modifiers.push_back(modifier->kind == Kind::Column ? modifier->names.back() : modifier->text);
  }
  return type;
}

}  // namespace gnomon::sql
