#include "sql/parse/deparser_gaps.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <string_view>

namespace gnomon::sql {
namespace {

template <typename Value>
Value& at(ProtobufCMessage& message, unsigned offset) {
  return *reinterpret_cast<Value*>(reinterpret_cast<char*>(&message) + offset);
}

bool isBetween(PgQuery__AExprKind kind) {
  return kind == PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN || kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN ||
         kind == PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN_SYM || kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN_SYM;
}
bool isDistinct(PgQuery__AExprKind kind) {
  return kind == PG_QUERY__A__EXPR__KIND__AEXPR_DISTINCT || kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT;
}

/// value AT TIME ZONE zone
bool isAtTimeZone(const PgQuery__FuncCall& call) {
  return call.funcformat == PG_QUERY__COERCION_FORM__COERCE_SQL_SYNTAX && call.n_args == 2 && call.n_funcname == 2 &&
         std::string_view(call.funcname[1]->string->sval) == "timezone";
}
bool isAtTimeZone(const PgQuery__Node& node) {
  return node.node_case == PG_QUERY__NODE__NODE_FUNC_CALL && isAtTimeZone(*node.func_call);
}

bool isLogic(const PgQuery__Node& node) {
  return node.node_case == PG_QUERY__NODE__NODE_BOOL_EXPR;
}

/// A test, whose text goes on behind its operand.
bool isTest(const PgQuery__Node& node) {
  return node.node_case == PG_QUERY__NODE__NODE_NULL_TEST || node.node_case == PG_QUERY__NODE__NODE_BOOLEAN_TEST;
}

/// value IN (SELECT ...) and its kin.
bool isSubqueryTest(const PgQuery__Node& node) {
  if (node.node_case != PG_QUERY__NODE__NODE_SUB_LINK) return false;
  const auto type = node.sub_link->sub_link_type;
  return type == PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK || type == PG_QUERY__SUB_LINK_TYPE__ALL_SUBLINK;
}

/// An operator of the grammar that binds no more than IN, BETWEEN and LIKE do.
bool isLooseOperator(const PgQuery__Node& node) {
  if (node.node_case != PG_QUERY__NODE__NODE_A_EXPR) return false;
  const PgQuery__AExpr& expression = *node.a_expr;
  if (expression.kind == PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF) return false;
  if (expression.kind != PG_QUERY__A__EXPR__KIND__AEXPR_OP || expression.n_name != 1) return true;
  constexpr std::string_view kComparisons[] = {"=", "<", ">", "<=", ">=", "<>", "!="};
  return std::ranges::find(kComparisons, expression.name[0]->string->sval) != std::end(kComparisons);
}

/// What IN, BETWEEN and LIKE do not take as an operand without parentheses.
bool isLoose(const PgQuery__Node& node) {
  return isLogic(node) || isTest(node) || isSubqueryTest(node) || isLooseOperator(node);
}

/// Of a row count of FETCH FIRST ... WITH TIES.
bool isUnwrittenCount(const PgQuery__Node& count) {
  return count.node_case == PG_QUERY__NODE__NODE_TYPE_CAST || count.node_case == PG_QUERY__NODE__NODE_A_INDIRECTION ||
         count.node_case == PG_QUERY__NODE__NODE_COALESCE_EXPR;
}

/// The deparser puts it in parentheses where steps could follow.
bool isWrittenEnclosed(const PgQuery__Node& node) {
  return node.node_case == PG_QUERY__NODE__NODE_A_EXPR || node.node_case == PG_QUERY__NODE__NODE_FUNC_CALL ||
         node.node_case == PG_QUERY__NODE__NODE_TYPE_CAST || node.node_case == PG_QUERY__NODE__NODE_A_INDIRECTION;
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
    if (isLogic(*value) || isTest(*value) || isSubqueryTest(*value) || isAtTimeZone(*value)) enclose(value);
  } else if (message.descriptor == &pg_query__null_test__descriptor) {
    closeGapsOfTest(reinterpret_cast<PgQuery__NullTest&>(message).arg);
  } else if (message.descriptor == &pg_query__boolean_test__descriptor) {
    closeGapsOfTest(reinterpret_cast<PgQuery__BooleanTest&>(message).arg);
  } else if (message.descriptor == &pg_query__sub_link__descriptor) {
    PgQuery__Node*& value = reinterpret_cast<PgQuery__SubLink&>(message).testexpr;
    if (value != nullptr && isLoose(*value)) enclose(value);
  } else if (message.descriptor == &pg_query__a__indirection__descriptor) {
    // One within another one is written in parentheses.
    PgQuery__Node*& value = reinterpret_cast<PgQuery__AIndirection&>(message).arg;
    if (!takesSteps(*value)) wrap(value);
  } else if (message.descriptor == &pg_query__a__expr__descriptor) {
    closeGapsOf(reinterpret_cast<PgQuery__AExpr&>(message));
  } else if (message.descriptor == &pg_query__func_call__descriptor) {
    closeGapsOf(reinterpret_cast<PgQuery__FuncCall&>(message));
  } else if (message.descriptor == &pg_query__update_stmt__descriptor) {
    auto& update = reinterpret_cast<PgQuery__UpdateStmt&>(message);
    moveRowsFirst(update.n_target_list, update.target_list);
  } else if (message.descriptor == &pg_query__on_conflict_clause__descriptor) {
    auto& conflict = reinterpret_cast<PgQuery__OnConflictClause&>(message);
    moveRowsFirst(conflict.n_target_list, conflict.target_list);
  } else if (message.descriptor == &pg_query__merge_when_clause__descriptor) {
    auto& action = reinterpret_cast<PgQuery__MergeWhenClause&>(message);
    moveRowsFirst(action.n_target_list, action.target_list);
  }
}

void DeparserGaps::moveRowsFirst(size_t count, PgQuery__Node** targets) {
  const auto isOfRow = [](const PgQuery__Node* target) {
    const PgQuery__Node* const value = target->res_target->val;
    return value != nullptr && value->node_case == PG_QUERY__NODE__NODE_MULTI_ASSIGN_REF;
  };
  const std::vector<PgQuery__Node*> before(targets, targets + count);
  if (std::ranges::is_partitioned(before, isOfRow)) return;
  std::vector<PgQuery__Node*> order;
  std::ranges::copy_if(before, std::back_inserter(order), isOfRow);
  std::ranges::remove_copy_if(before, std::back_inserter(order), isOfRow);
  for (size_t i = 0; i < count; ++i) {
    replaced_.emplace_back(&targets[i], targets[i]);
    targets[i] = order[i];
  }
}

void DeparserGaps::closeGapsOfTest(PgQuery__Node*& operand) {
  const bool is_distinct = operand->node_case == PG_QUERY__NODE__NODE_A_EXPR && isDistinct(operand->a_expr->kind);
  if (isLogic(*operand) || isTest(*operand) || is_distinct) enclose(operand);
}

void DeparserGaps::closeGapsOf(PgQuery__AExpr& expression) {
  const PgQuery__AExprKind kind = expression.kind;
  if (kind == PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF) return;
  if (kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP || isDistinct(kind)) {
    // The deparser takes care of others.
    for (PgQuery__Node** const operand : {&expression.lexpr, &expression.rexpr}) {
      if (*operand == nullptr) continue;
      if ((*operand)->node_case == PG_QUERY__NODE__NODE_BOOLEAN_TEST || isSubqueryTest(**operand)) enclose(*operand);
    }
    return;
  }
  if (isLoose(*expression.lexpr)) enclose(expression.lexpr);
  const bool is_array = kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY || kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP_ALL;
  if (is_array || kind == PG_QUERY__A__EXPR__KIND__AEXPR_IN) return;
  if (!isBetween(kind)) {
    if (isLoose(*expression.rexpr)) enclose(expression.rexpr);
    return;
  }
  for (size_t i = 0; i < expression.rexpr->list->n_items; ++i)
    if (isLoose(*expression.rexpr->list->items[i])) enclose(expression.rexpr->list->items[i]);
}

void DeparserGaps::closeGapsOf(PgQuery__FuncCall& call) {
  if (!isAtTimeZone(call)) return;
  const auto hasGap = [](const PgQuery__Node& part) {
    return part.node_case == PG_QUERY__NODE__NODE_A_EXPR || isLogic(part) || isTest(part) || isSubqueryTest(part);
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
  if (!isWrittenEnclosed(*node)) wrap(node);
  wrap(node);
}

}  // namespace gnomon::sql
