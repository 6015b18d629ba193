#include "base/sql_error.h"
#include "sql/parse/tree_reader.h"

/// Statements that define triggers.
namespace gnomon::sql {
namespace {

// PostgreSQL's numbers of when and by what a trigger fires.
constexpr int32_t kBefore = 1 << 1, kInsert = 1 << 2, kDelete = 1 << 3, kUpdate = 1 << 4, kTruncate = 1 << 5,
                  kInstead = 1 << 6;

uint8_t eventsOf(int32_t events) {
  const auto bit = [events](int32_t number, TriggerEvent event) {
    return (events & number) != 0 ? static_cast<int>(event) : 0;
  };
  return static_cast<uint8_t>(bit(kInsert, TriggerEvent::Insert) | bit(kDelete, TriggerEvent::Delete) |
                              bit(kUpdate, TriggerEvent::Update) | bit(kTruncate, TriggerEvent::Truncate));
}

/// False: it is another command.
bool readFiring(const PgQuery__AlterTableCmd& node, ast::TriggerFiring::Command& command) {
  using Which = ast::TriggerFiring::Command::Which;
  using Firing = TriggerEntry::Firing;
  const auto set = [&](Which which, Firing firing) {
    command = {which, node.name, firing};
    return true;
  };
  switch (node.subtype) {
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableTrig:
      return set(Which::Named, Firing::Origin);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableAlwaysTrig:
      return set(Which::Named, Firing::Always);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableReplicaTrig:
      return set(Which::Named, Firing::Replica);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DisableTrig:
      return set(Which::Named, Firing::Disabled);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableTrigAll:
      return set(Which::All, Firing::Origin);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DisableTrigAll:
      return set(Which::All, Firing::Disabled);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableTrigUser:
      return set(Which::User, Firing::Origin);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DisableTrigUser:
      return set(Which::User, Firing::Disabled);
    default:
      return false;
  }
}

}  // namespace

ast::CreateTrigger TreeReader::readCreateTrigger(const PgQuery__CreateTrigStmt& node) {
  using Timing = TriggerEntry::Timing;
  ast::CreateTrigger create;
  create.name = node.trigname;
  create.relation = readRelation(*node.relation);
  create.function = readTypeNameList(node.n_funcname, node.funcname);
  create.arguments = textsOf(node.n_args, node.args);
  create.is_replacing = node.replace != 0;
  create.is_constraint = node.isconstraint != 0;
  create.is_row = node.row != 0;
  create.timing = (node.timing & kBefore) != 0    ? Timing::Before
                  : (node.timing & kInstead) != 0 ? Timing::InsteadOf
                                                  : Timing::After;
  create.events = eventsOf(node.events);
  create.columns = textsOf(node.n_columns, node.columns);
  if (node.when_clause != nullptr) {
    create.condition = readExpression(node.when_clause);
    create.condition_text = deparseExpression(*node.when_clause);
  }
  for (size_t i = 0; i < node.n_transition_rels; ++i) {
    const PgQuery__TriggerTransition& transition = *node.transition_rels[i]->trigger_transition;
    create.transitions.push_back({transition.name, transition.is_new != 0, transition.is_table != 0});
  }
  create.is_deferrable = node.deferrable != 0;
  create.is_deferred = node.initdeferred != 0;
  if (node.constrrel != nullptr) create.referenced = readRelation(*node.constrrel);
  return create;
}

ast::DropTrigger TreeReader::readDropTrigger(const PgQuery__DropStmt& node) {
  ast::DropTrigger drop;
  const PgQuery__List& names = *node.objects[0]->list;
  drop.relation = readTypeNameList(names.n_items - 1, names.items);
  drop.name = names.items[names.n_items - 1]->string->sval;
  drop.if_exists = node.missing_ok != 0;
  drop.is_cascade = node.behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE;
  return drop;
}

std::optional<ast::TriggerFiring> TreeReader::readTriggerFiring(const PgQuery__AlterTableStmt& node) {
  ast::TriggerFiring result;
  size_t found = 0;
  for (size_t i = 0; i < node.n_cmds; ++i) {
    ast::TriggerFiring::Command command;
    if (!readFiring(*node.cmds[i]->alter_table_cmd, command)) continue;
    result.commands.push_back(std::move(command));
    ++found;
  }
  if (found == 0) return std::nullopt;
  if (found != node.n_cmds)
    throwNotSupported("ALTER TABLE ... ENABLE or DISABLE TRIGGER together with other commands", statement_position_);
  result.relation = readRelation(*node.relation);
  result.if_exists = node.missing_ok != 0;
  return result;
}

}  // namespace gnomon::sql
