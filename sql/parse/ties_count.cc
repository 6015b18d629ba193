#include "sql/parse/ties_count.h"

namespace gnomon::sql {
namespace {

template <typename Value>
Value& at(ProtobufCMessage& message, unsigned offset) {
  return *reinterpret_cast<Value*>(reinterpret_cast<char*>(&message) + offset);
}

bool needsParentheses(const PgQuery__Node& count) {
  return count.node_case == PG_QUERY__NODE__NODE_TYPE_CAST || count.node_case == PG_QUERY__NODE__NODE_A_INDIRECTION ||
         count.node_case == PG_QUERY__NODE__NODE_COALESCE_EXPR;
}

}  // namespace

TiesCounts::~TiesCounts() {
  for (const auto& [place, before] : replaced_) *place = before;
}

void TiesCounts::visit(ProtobufCMessage& message) {
  for (unsigned i = 0; i < message.descriptor->n_fields; ++i) visitField(message, message.descriptor->fields[i]);
  if (message.descriptor != &pg_query__select_stmt__descriptor) return;
  auto& select = reinterpret_cast<PgQuery__SelectStmt&>(message);
  const bool has_ties = select.limit_option == PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_WITH_TIES;
  if (has_ties && select.limit_count != nullptr && needsParentheses(*select.limit_count)) wrap(select.limit_count);
}

void TiesCounts::visitField(ProtobufCMessage& message, const ProtobufCFieldDescriptor& field) {
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

void TiesCounts::wrap(PgQuery__Node*& count) {
  replaced_.emplace_back(&count, count);
  Subquery& made = subqueries_.emplace_back(Subquery{PG_QUERY__RES_TARGET__INIT, PG_QUERY__NODE__INIT, nullptr,
                                                     PG_QUERY__SELECT_STMT__INIT, PG_QUERY__NODE__INIT,
                                                     PG_QUERY__SUB_LINK__INIT, PG_QUERY__NODE__INIT});
  made.item.val = count;
  made.item_node.node_case = PG_QUERY__NODE__NODE_RES_TARGET;
  made.item_node.res_target = &made.item;
  made.items = &made.item_node;
  made.select.n_target_list = 1;
  made.select.target_list = &made.items;
  made.select.limit_option = PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_DEFAULT;
  made.select.op = PG_QUERY__SET_OPERATION__SETOP_NONE;
  made.select_node.node_case = PG_QUERY__NODE__NODE_SELECT_STMT;
  made.select_node.select_stmt = &made.select;
  made.link.sub_link_type = PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK;
  made.link.subselect = &made.select_node;
  made.node.node_case = PG_QUERY__NODE__NODE_SUB_LINK;
  made.node.sub_link = &made.link;
  count = &made.node;
}

}  // namespace gnomon::sql
