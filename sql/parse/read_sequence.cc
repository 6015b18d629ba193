#include "base/sql_error.h"
#include "sql/parse/tree_reader.h"

namespace gnomon::sql {
namespace {

using Kind = ast::SequenceOption::Kind;

constexpr char kAlways = 'a';

/// The text of a number; empty: there is none.
std::string numberText(const PgQuery__Node* node) {
  if (node == nullptr) return {};
  return node->node_case == PG_QUERY__NODE__NODE_INTEGER ? std::to_string(node->integer->ival) : node->float_->fval;
}

Kind optionKind(std::string_view name) {
  static constexpr std::pair<std::string_view, Kind> kKinds[] = {
      {"as", Kind::Type},           {"increment", Kind::Increment}, {"minvalue", Kind::Minimum},
      {"maxvalue", Kind::Maximum},  {"start", Kind::Start},         {"restart", Kind::Restart},
      {"cache", Kind::Cache},       {"cycle", Kind::Cycle},         {"owned_by", Kind::OwnedBy},
      {"sequence_name", Kind::Name}};
  for (const auto& [known, kind] : kKinds)
    if (known == name) return kind;
  throwNotSupported(std::string("sequence option ").append(name));
}

}  // namespace

ast::SequenceOption TreeReader::readSequenceOption(const PgQuery__DefElem& node) {
  ast::SequenceOption option;
  option.kind = optionKind(node.defname);
  option.position = node.location;
  switch (option.kind) {
    case Kind::Type:
      option.type = readType(*node.arg->type_name);
      break;
    case Kind::Cycle:
      option.is_on = node.arg->boolean->boolval != 0;
      break;
    case Kind::OwnedBy:
    case Kind::Name:
      for (size_t i = 0; i < node.arg->list->n_items; ++i) option.names.push_back(textOf(*node.arg->list->items[i]));
      break;
    default:
      option.number = numberText(node.arg);
  }
  return option;
}

std::vector<ast::SequenceOption> TreeReader::readSequenceOptions(size_t count, PgQuery__Node* const* nodes) {
  std::vector<ast::SequenceOption> options;
  for (size_t i = 0; i < count; ++i) options.push_back(readSequenceOption(*nodes[i]->def_elem));
  return options;
}

ast::CreateSequence TreeReader::readCreateSequence(const PgQuery__CreateSeqStmt& node) {
  const std::string_view persistence = node.sequence->relpersistence;
  if (persistence == "u") throwNotSupported("CREATE UNLOGGED SEQUENCE", statement_position_);
  return {readRelation(*node.sequence), readSequenceOptions(node.n_options, node.options), node.if_not_exists != 0};
}

ast::AlterSequence TreeReader::readAlterSequence(const PgQuery__AlterSeqStmt& node) {
  return {readRelation(*node.sequence), readSequenceOptions(node.n_options, node.options), node.missing_ok != 0};
}

ast::DropSequence TreeReader::readDropSequence(const PgQuery__DropStmt& node) {
  return {readDroppedNames(node), node.missing_ok != 0, node.behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE};
}

ast::IdentityDefinition TreeReader::readIdentity(const PgQuery__Constraint& node) {
  return {node.generated_when[0] == kAlways, readSequenceOptions(node.n_options, node.options)};
}

/// SET GENERATED, RESTART and SET of the sequence's options, in any order.
void TreeReader::readIdentityChange(const PgQuery__List& node, ast::AlterCommand& command) {
  for (size_t i = 0; i < node.n_items; ++i) {
    const PgQuery__DefElem& element = *node.items[i]->def_elem;
    if (std::string_view(element.defname) != "generated") {
      command.identity.options.push_back(readSequenceOption(element));
      continue;
    }
    if (command.sets_generation) throw SqlError(sqlstate::kSyntaxError, "conflicting or redundant options");
    command.sets_generation = true;
    command.identity.is_always = element.arg->integer->ival == kAlways;
  }
}

}  // namespace gnomon::sql
