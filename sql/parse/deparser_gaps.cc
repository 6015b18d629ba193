#include "sql/parse/deparser_gaps.h"

#include <ranges>
#include <string_view>

namespace gnomon::sql {
namespace {

template <typename Value>
Value& at(ProtobufCMessage& message, unsigned offset) {
  return *reinterpret_cast<Value*>(reinterpret_cast<char*>(&message) + offset);
}

bool isBetween(const PgQuery__Node& node) {
  if (node.node_case != PG_QUERY__NODE__NODE_A_EXPR) return false;
  const auto kind = node.a_expr->kind;
  return kind == PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN || kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN ||
         kind == PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN_SYM || kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN_SYM;
}

/// value AT TIME ZONE zone
bool isAtTimeZone(const PgQuery__FuncCall& call) {
  return call.funcformat == PG_QUERY__COERCION_FORM__COERCE_SQL_SYNTAX && call.n_args == 2 && call.n_funcname == 2 &&
         std::string_view(call.funcname[1]->string->sval) == "timezone";
}
bool isAtTimeZone(const PgQuery__Node& node) {
  return node.node_case == PG_QUERY__NODE__NODE_FUNC_CALL && isAtTimeZone(*node.func_call);
}

bool isNot(const PgQuery__Node& node) {
  return node.node_case == PG_QUERY__NODE__NODE_BOOL_EXPR &&
         node.bool_expr->boolop == PG_QUERY__BOOL_EXPR_TYPE__NOT_EXPR;
}

/// A test, whose text goes on behind its operand.
bool isTest(const PgQuery__Node& node) {
  return node.node_case == PG_QUERY__NODE__NODE_NULL_TEST || node.node_case == PG_QUERY__NODE__NODE_BOOLEAN_TEST;
}

/// Of a row count of FETCH FIRST ... WITH TIES.
bool isUnwrittenCount(const PgQuery__Node& count) {
  return count.node_case == PG_QUERY__NODE__NODE_TYPE_CAST || count.node_case == PG_QUERY__NODE__NODE_A_INDIRECTION ||
         count.node_case == PG_QUERY__NODE__NODE_COALESCE_EXPR;
}

/// Subscripts stand behind it in the grammar.
bool takesSteps(const PgQuery__Node& node) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_A_ARRAY_EXPR:
    case PG_QUERY__NODE__NODE_CASE_EXPR:
    case PG_QUERY__NODE__NODE_COALESCE_EXPR:
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
    case PG_QUERY__NODE__NODE_SQLVALUE_FUNCTION:
    case PG_QUERY__NODE__NODE_COLLATE_CLAUSE:
    case PG_QUERY__NODE__NODE_A_CONST:
      return false;
    case PG_QUERY__NODE__NODE_SUB_LINK:
      return node.sub_link->sub_link_type == PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK;
    default:
      return true;
  }
}

}  // namespace

DeparserGaps::~DeparserGaps() {
  for (const auto& [place, before] : replaced_ | std::views::reverse) *place = before;
}

void DeparserGaps::visit(ProtobufCMessage& message) {
  for (unsigned i = 0; i < message.descriptor->n_fields; ++i) visitField(message, message.descriptor->fields[i]);
  closeGaps(message);
}

void DeparserGaps::visitField(ProtobufCMessage& message, const ProtobufCFieldDescriptor& field) {
  if (field.type != PROTOBUF_C_TYPE_MESSAGE) return;
  if (field.label == PROTOBUF_C_LABEL_REPEATED) {
    auto* const* const items = at<ProtobufCMessage**>(message, field.offset);
    for (size_t i = 0; i < at<size_t>(message, field.quantifier_offset); ++i) visit(*items[i]);
    return;
  }
  const bool is_choice = (field.flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0;
  if (is_choice && at<uint32_t>(message, field.quantifier_offset) != field.id) return;
  if (auto* const part = at<ProtobufCMessage*>(message, field.offset)) visit(*part);
}

/// Those right below the message; what is further below has none any more.
void DeparserGaps::closeGaps(ProtobufCMessage& message) {
  if (message.descriptor == &pg_query__select_stmt__descriptor) {
    auto& select = reinterpret_cast<PgQuery__SelectStmt&>(message);
    const bool has_ties = select.limit_option == PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_WITH_TIES;
    if (has_ties && select.limit_count != nullptr && isUnwrittenCount(*select.limit_count)) enclose(select.limit_count);
  } else if (message.descriptor == &pg_query__type_cast__descriptor) {
    PgQuery__Node*& value = reinterpret_cast<PgQuery__TypeCast&>(message).arg;
    if (value->node_case == PG_QUERY__NODE__NODE_BOOL_EXPR || isAtTimeZone(*value)) enclose(value);
  } else if (message.descriptor == &pg_query__null_test__descriptor) {
    PgQuery__Node*& value = reinterpret_cast<PgQuery__NullTest&>(message).arg;
    if (isNot(*value) || isTest(*value)) enclose(value);
  } else if (message.descriptor == &pg_query__boolean_test__descriptor) {
    PgQuery__Node*& value = reinterpret_cast<PgQuery__BooleanTest&>(message).arg;
    if (isNot(*value) || isTest(*value)) enclose(value);
  } else if (message.descriptor == &pg_query__a__indirection__descriptor) {
    // One within another one is written in parentheses.
    PgQuery__Node*& value = reinterpret_cast<PgQuery__AIndirection&>(message).arg;
    if (!takesSteps(*value)) wrap(value);
  } else if (message.descriptor == &pg_query__a__expr__descriptor) {
    closeGapsOf(reinterpret_cast<PgQuery__AExpr&>(message));
  } else if (message.descriptor == &pg_query__func_call__descriptor) {
    closeGapsOf(reinterpret_cast<PgQuery__FuncCall&>(message));
  }
}

/// value BETWEEN bound AND bound
void DeparserGaps::closeGapsOf(PgQuery__AExpr& expression) {
  PgQuery__Node node = PG_QUERY__NODE__INIT;
  node.node_case = PG_QUERY__NODE__NODE_A_EXPR;
  node.a_expr = &expression;
  if (!isBetween(node)) return;
  const auto hasGap = [](const PgQuery__Node& part) {
    return isBetween(part) || isTest(part) || part.node_case == PG_QUERY__NODE__NODE_BOOL_EXPR;
  };
  if (hasGap(*expression.lexpr)) enclose(expression.lexpr);
  if (expression.rexpr->node_case != PG_QUERY__NODE__NODE_LIST) return;
  for (size_t i = 0; i < expression.rexpr->list->n_items; ++i)
    if (hasGap(*expression.rexpr->list->items[i])) enclose(expression.rexpr->list->items[i]);
}

void DeparserGaps::closeGapsOf(PgQuery__FuncCall& call) {
  if (!isAtTimeZone(call)) return;
  const auto hasGap = [](const PgQuery__Node& part) {
    return part.node_case == PG_QUERY__NODE__NODE_A_EXPR || part.node_case == PG_QUERY__NODE__NODE_BOOL_EXPR ||
           isTest(part);
  };
  PgQuery__Node *&zone = call.args[0], *&value = call.args[1];
  if (hasGap(*value)) enclose(value);
  if (hasGap(*zone) || isAtTimeZone(*zone)) enclose(zone);
}

void DeparserGaps::wrap(PgQuery__Node*& node) {
  replaced_.emplace_back(&node, node);
  Indirection& made = made_.emplace_back(Indirection{PG_QUERY__A__INDIRECTION__INIT, PG_QUERY__NODE__INIT});
  made.indirection.arg = node;
  made.node.node_case = PG_QUERY__NODE__NODE_A_INDIRECTION;
  made.node.a_indirection = &made.indirection;
  node = &made.node;
}

void DeparserGaps::enclose(PgQuery__Node*& node) {
  wrap(node);
  wrap(node);
}

}  // namespace gnomon::sql
